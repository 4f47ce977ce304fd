/**
 * `link --hooks` and `unlink --hooks`: memory speaks inside agents, by hooks in their own settings.
 */
import { dirname } from 'node:path';
import { homeOf, loadConfig, pathsOf, userHomeOf, type Config } from '../../config.js';
import { EXIT, type ExitCode, usage } from '../../errors.js';
import { readDaemon } from '../../jobs/upkeep/daemon-note.js';
import { changeAll, removeEmpty } from '../../links/files.js';
import { HOOK_PLACES, type HookPlace } from '../../links/hook-places.js';
import { planHooks, planHooksOut, usedPlaces } from '../../links/hooks.js';
import { compiledFile } from '../../place.js';
import { shellWord } from '../../supervisor/program.js';
import { printJson, type Arguments } from '../command.js';
import type { Io } from '../../io.js';

export function linkHooks(io: Io, args: Arguments): ExitCode {
  if (args.flag('global'))
    throw usage('--hooks concerns no repository', 'type `dripstone link --hooks` alone');
  if (args.words.length > 0)
    throw usage(
      '--hooks takes no folder',
      'hooks speak in every project: type `dripstone link --hooks`',
    );
  if (process.platform === 'win32')
    throw usage(
      'hooks need a Unix socket',
      'add the MCP server `dripstone mcp` to your agent instead',
    );
  const paths = pathsOf(homeOf(io.env));
  const moments = momentsOf(loadConfig(paths.config));
  const where = { userHome: userHomeOf(io.env), env: io.env };
  const places =
    placesNamed(args.text('only'), HOOK_PLACES, 'agent with hooks') ??
    usedPlaces(HOOK_PLACES, where);
  const plan = planHooks(places, moments, (place) => hookLine(place, paths.home), where);
  if (!args.flag('print')) changeAll(plan.changes);
  if (args.flag('json')) {
    printJson(io, {
      moments,
      hooks: plan.hooks.map(({ agent, path, events, change, note }) => ({
        agent,
        path,
        events,
        change,
        note,
      })),
    });
    return EXIT.done;
  }
  for (const { title, path, events, change, note } of plan.hooks) {
    io.out(
      `${path}  (${title}, ${args.flag('print') ? 'not written' : change})\n  ${events.join(', ')}\n`,
    );
    if (note !== null) io.out(`  note: ${note}\n`);
  }
  if (plan.hooks.length === 0)
    io.err('no agent that has hooks was found here: nothing was written\n');
  else if (readDaemon(paths) === null)
    io.err(
      'hooks are silent until the daemon runs: `dripstone service install` keeps it running\n',
    );
  return EXIT.done;
}

/**
 * The moments at which hooks are needed: a guard is checked before each command and edit, also
 * where memory is silent.
 */
function momentsOf({ hooks: { moments, guard } }: Config): Config['hooks']['moments'] {
  return Object.keys(guard).length === 0
    ? moments
    : [...new Set([...moments, 'command' as const, 'edit' as const])];
}

/** Agents in use that could take a guard's word and do not have the hooks for it, by title. */
export function unhookedAgents(io: Pick<Io, 'env'>, config: Config): string[] {
  const where = { userHome: userHomeOf(io.env), env: io.env };
  const places = usedPlaces(HOOK_PLACES, where).filter(
    ({ events }) => events.command !== undefined,
  );
  const { hooks } = planHooks(
    places,
    momentsOf(config),
    (place) => hookLine(place, pathsOf(homeOf(io.env)).home),
    where,
  );
  return hooks.flatMap(({ title, change }) => (change === 'kept' ? [] : [title]));
}

/**
 * The line that an agent gives to a shell. Whatever becomes of the program or of node, it says
 * nothing of its own, and it succeeds where the agent reads no exit code.
 */
function hookLine({ agent, readsExit }: HookPlace, home: string): string {
  const words = [process.execPath, compiledFile('hook.cjs'), agent, home].map(shellWord);
  return `${words.join(' ')} 2>/dev/null${readsExit ? '' : ' || true'}`;
}

/**
 * What `--only` names among these; null without it. @param title what they are, for the error:
 * `agent with hooks`
 */
export function placesNamed<T extends { agent: string }>(
  text: string | null,
  known: readonly T[],
  title: string,
): T[] | null {
  if (text === null) return null;
  if (text === 'all') return [...known];
  const names = text.split(',').flatMap((name) => name.trim() || []);
  const wrong = names.find((name) => !known.some(({ agent }) => agent === name));
  if (wrong !== undefined || names.length === 0)
    throw usage(
      `no ${title} is called ${wrong ?? ''}`,
      `use some of ${known.map(({ agent }) => agent).join(', ')}`,
    );
  return known.filter(({ agent }) => names.includes(agent));
}

/** Takes the hooks out of every agent's settings. @returns the files */
export function unlinkHooks(io: Pick<Io, 'env'>, onlyShow = false): string[] {
  const plan = planHooksOut(HOOK_PLACES, { userHome: userHomeOf(io.env), env: io.env });
  if (onlyShow) return plan.hooks.map(({ path }) => path);
  changeAll(plan.changes);
  removeEmpty(
    plan.changes.flatMap(({ file, after }) => (after === null ? [dirname(file.real)] : [])),
  );
  return plan.hooks.map(({ path }) => path);
}
