/** What is told of tiers that were not as we wrote them, and of texts that are nowhere. */
import { countHoles, loadTierFaults, type Db, type TierFault } from '../store/index.js';
import { counted } from './amounts.js';
import type { Degraded } from './degraded.js';

/** What was mended is told for so long, so that the person may find what caused it. */
const TOLD_MS = 7 * 86_400_000;

/** @returns sentences for `degraded` */
export const findTierFaults = async (db: Db, now: Date): Promise<Degraded[]> => {
  const faults = (await loadTierFaults(db)).filter(({ time }) => now.getTime() - Date.parse(time) < TOLD_MS);
  const { sessions, texts, since } = await countHoles(db);
  const lost: Degraded[] =
    texts === 0
      ? []
      : [
          {
            code: 'TEXT_LOST',
            since,
            text: `${counted(texts, 'text')} of ${counted(sessions, 'session')} ${texts === 1 ? 'is' : 'are'} in no tier and not in the database: what was learnt from them stands`,
          },
        ];
  return [...remade(faults), ...lost];
};

/** @param faults newest first */
const remade = (faults: readonly TierFault[]): Degraded[] => {
  const [newest] = faults;
  if (newest === undefined) return [];
  const count = (what: TierFault['what']): number => faults.filter((fault) => fault.what === what).length;
  const [missing, damaged] = [count('missing'), count('damaged')];
  const texts = faults.reduce((sum, fault) => sum + fault.texts, 0);
  const kinds = [
    ...(missing > 0 ? [`${counted(missing, 'tier')} ${missing === 1 ? 'was' : 'were'} gone`] : []),
    ...(damaged > 0 ? [`${counted(damaged, 'tier')} ${damaged === 1 ? 'was' : 'were'} not as written`] : []),
  ];
  const made =
    texts === 0 ? 'made anew whole' : `made anew without ${counted(texts, 'text')} that the database does not hold either`;
  return [{ code: 'TIERS_REMADE', since: faults.at(-1)!.time, text: `${kinds.join(' and ')} (${newest.path}): ${made}` }];
};
