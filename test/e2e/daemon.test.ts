/**
 * The real program as a background process: one daemon serves a home, in the order of the tests.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { holding } from '../folder.js';
import { type Running, type Stage, setStage, startDaemon } from '../stage.js';
import { claudeLog, says } from '../jobs/made-log.js';

const SESSION = '11111111-1111-4111-8111-111111111111';
const about = { session: SESSION, cwd: '/home/ann/kettle', day: '2026-11-20' };
const SECRET = 'sapphire-plover';

describe('one daemon', () => {
  let person: Stage;
  let daemon: Running;
  let log: string;
  const findsNew = async (): Promise<string> =>
    (await person.type('search', 'spout', '--mode', 'exact', '--json')).out;

  beforeAll(async () => {
    person = setStage({ isLive: true });
    log = person.log(about, [
      says('Remember: always use tabs, never spaces.'),
      says(`Remember: always begin with the phrase ${SECRET}, never without.`),
    ]);
    daemon = await startDaemon(person);
  });

  test('a second one ends with 12 and names the first', async () => {
    const second = await person.start(['start']).ended;
    expect([second.code, second.err]).toEqual([
      12,
      expect.stringContaining(`process ${daemon.child.pid}`),
    ]);
  });

  test('commands are served: run, lessons add, crystallize, status', async () => {
    const served = await person.start(['run', '--json']).ended;
    expect(served).toMatchObject({ code: 0, err: '' });
    expect(served.json()).toMatchObject({ version: 1, files: 1, entries: 2, errors: [] });

    const added = await person.type(
      'lessons',
      'add',
      'Kettles are steel',
      '--kind',
      'fact',
      '--project',
      'kettle',
      '--json',
    );
    expect(added).toMatchObject({ code: 0, err: '' });
    const { project } = added.json<{ lesson: { project: string } }>().lesson;
    expect(person.read(`projects/${project}/context.md`)).toContain('Kettles are steel');

    expect(await person.type('crystallize', '--json')).toMatchObject({ code: 0, err: '' });
    expect(person.read(`projects/${project}/crystal.json`)).toContain('Kettles are steel');
    expect((await person.type('status', '--json')).json()).toMatchObject({
      daemon: { pid: daemon.child.pid },
    });
  });

  test('config set is taken up by the daemon, and what is stored follows before the command ends', async () => {
    const [slug] = (await person.type('projects', '--json'))
      .json<{ projects: { slug: string }[] }>()
      .projects.map((row) => row.slug);
    const page = `projects/${slug}/context.md`;
    expect(person.read(page)).toContain('Learnt something lasting?');
    expect(await person.type('config', 'set', 'context.ask_for_notes', 'false')).toMatchObject({
      code: 0,
      err: '',
    });
    expect(person.read(page)).not.toContain('Learnt something lasting?');
    expect((await person.type('status', '--json')).json()).toMatchObject({
      daemon: { pid: daemon.child.pid },
    });
    expect(await person.type('projects', 'rename', slug!, 'pot')).toMatchObject({
      code: 0,
      err: '',
    });
    expect(person.read(page)).toContain('`pot`');
  });

  test('a purge leaves the text in no byte, the request that named it included; reading, export and import go on', async () => {
    expect(
      holding(person.stone, SECRET).filter((path) => /context\.md$|crystal\.json$/.test(path)),
    ).toHaveLength(2);
    const purged = await person.type('purge', '--match', SECRET, '--yes', '--json');
    expect(purged).toMatchObject({ code: 0, err: '' });
    expect(purged.json()).toMatchObject({ entries: 1, proof: { clean: true, hits: [], rows: [] } });
    expect(holding(person.stone, SECRET)).toEqual([]);
    appendFileSync(log, claudeLog({ ...about, from: 5 }, [says('the copper spout drips')]));
    await expect.poll(findsNew, { interval: 200 }).toContain('copper spout');
    const file = join(person.home, 'memory.json.gz');
    expect((await person.type('export', file)).code).toBe(0);
    expect((await person.type('import', file, '--json')).json()).toMatchObject({
      lessons: 0,
      edits: 0,
    });
  });

  test('it ends on SIGTERM with 0 and takes its note away; after kill -9 nothing is in the way', async () => {
    daemon.child.kill('SIGTERM');
    expect((await daemon.ended).code).toBe(0);
    expect(person.has('daemon.json')).toBe(false);
    expect(holding(person.stone, SECRET)).toEqual([]);
    const next = await startDaemon(person);
    next.child.kill('SIGKILL');
    await next.ended;
    expect(person.has('daemon.json')).toBe(true);
    expect((await person.type('run', '--json')).code).toBe(0);
  });
});

/**
 * Seconds of processor time, as Linux tells: of a process, and of this one's children that have
 * ended. Zeros elsewhere.
 */
function spent(pid: number | 'self'): { own: number; children: number } {
  if (process.platform !== 'linux') return { own: 0, children: 0 };
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const ticks = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map(Number) as [number, number, number, number];
  return { own: (ticks[0] + ticks[1]) / 100, children: (ticks[2] + ticks[3]) / 100 };
}

test('Ctrl-C while it reads, thinks and embeds ends it at once; the next one goes on where it stopped', async () => {
  const person = setStage({ isLive: true });
  // With the model, as it comes.
  writeFileSync(join(person.stone, 'config.yaml'), '# all defaults\n');
  const turns = Array.from({ length: 150 }, (_, n) =>
    says(`Remember: always run step ${n} of the kettle before you pour the water of cup ${n * 7}.`),
  );
  for (let n = 0; n < 30; n++) {
    const session = `${String(n).padStart(8, '0')}-1111-4111-8111-111111111111`;
    person.log({ ...about, session }, turns);
  }
  const told = join(person.stone, 'logs/dripstone.log');
  const stopping: number[] = [];
  for (const waitFor of ['started', '"job":"ingest"']) {
    const before = spent('self').children;
    const daemon = await startDaemon(person);
    await expect
      .poll(() => existsSync(told) && readFileSync(told, 'utf8').includes(waitFor), {
        interval: 20,
      })
      .toBe(true);
    const begun = spent(daemon.child.pid!).own;
    daemon.child.kill('SIGINT');
    expect((await daemon.ended).code).toBe(0);
    stopping.push(spent('self').children - before - begun);
  }
  const before = spent('self').children;
  const last = await person.start(['run', '--only', 'ingest', '--json']).ended;
  expect(last.json()).toMatchObject({ files: 30, entries: 4500, errors: [] });
  // It does not finish what it was at: to stop costs less than a program that starts and reads the
  // rest.
  for (const each of stopping) expect(each).toBeLessThanOrEqual(spent('self').children - before);
});
