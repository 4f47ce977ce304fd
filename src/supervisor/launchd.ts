/** launchd of macOS: an agent in the person's own domain. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { renderPlist } from './plist.js';
import { NAME } from './program.js';
import { NOT_INSTALLED, type Supervisor, type SupervisorState, type Surroundings } from './supervisor.js';

export const launchd = ({ userHome, logs, uid, call }: Surroundings): Supervisor => {
  const path = join(userHome, 'Library/LaunchAgents', `${NAME}.plist`);
  const [domain, target] = [`gui/${uid}`, `gui/${uid}/${NAME}`];
  return {
    name: 'launchd',
    isHere: () => call('launchctl', ['print', domain]).code === 0,
    file: (program) => ({ path, text: renderPlist(program, join(logs, 'launchd.log')), encoding: 'utf8' }),
    start() {
      // Loaded before or not: only the new file counts.
      call('launchctl', ['bootout', target]);
      const done = call('launchctl', ['bootstrap', domain, path]);
      return done.code === 0 ? call('launchctl', ['kickstart', target]) : done;
    },
    stop() {
      const done = call('launchctl', ['bootout', target]);
      return existsSync(path) && isLoaded() ? done : { code: 0, out: '', err: '' };
    },
    state: () => (existsSync(path) ? parsePrint(call('launchctl', ['print', target])) : NOT_INSTALLED),
    advice: () => null,
  };
  function isLoaded(): boolean {
    return call('launchctl', ['print', target]).code === 0;
  }
};

/** The lines `name = value` of `launchctl print`. */
export const parsePrint = ({ code, out }: { code: number | null; out: string }): SupervisorState => {
  if (code !== 0) return { installed: true, state: 'stopped', pid: null, exitCode: null, detail: 'not loaded' };
  const value = (name: string): string | null => new RegExp(`^\\s*${name} = (.*)$`, 'm').exec(out)?.[1]?.trim() ?? null;
  const pid = Number(value('pid') ?? 0);
  const exit = Number(/^-?\d+/.exec(value('last exit code') ?? '')?.[0] ?? 0);
  const running = value('state') === 'running';
  return {
    installed: true,
    state: running ? 'running' : exit !== 0 ? 'failing' : 'stopped',
    pid: running && pid > 0 ? pid : null,
    exitCode: exit === 0 ? null : exit,
    detail: `${value('state') ?? 'unknown'}, last exit code ${value('last exit code') ?? 'none'}`,
  };
};
