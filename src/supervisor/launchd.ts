/** launchd of macOS: an agent in the person's domain. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { NAME, type Program } from './program.js';
import {
  NOT_INSTALLED,
  type Supervisor,
  type SupervisorState,
  type Surroundings,
} from './supervisor.js';

export function launchd({ userHome, logs, uid, call }: Surroundings): Supervisor {
  const path = join(userHome, 'Library/LaunchAgents', `${NAME}.plist`);
  const [domain, target] = [`gui/${uid}`, `gui/${uid}/${NAME}`];
  return {
    name: 'launchd',
    isHere: () => call('launchctl', ['print', domain]).code === 0,
    file: (program) => ({ path, text: renderPlist(program, join(logs, 'launchd.log')) }),
    start() {
      // Only the new file counts, so an older agent is removed first; it may not exist.
      call('launchctl', ['bootout', target]);
      const done = call('launchctl', ['bootstrap', domain, path]);
      return done.code === 0 ? call('launchctl', ['kickstart', target]) : done;
    },
    stop() {
      const done = call('launchctl', ['bootout', target]);
      return existsSync(path) && isLoaded() ? done : { code: 0, out: '', err: '' };
    },
    state: () =>
      existsSync(path) ? parsePrint(call('launchctl', ['print', target])) : NOT_INSTALLED,
    advice: () => null,
  };
  function isLoaded(): boolean {
    return call('launchctl', ['print', target]).code === 0;
  }
}

/** The lines `name = value` of `launchctl print`. */
export function parsePrint({ code, out }: { code: number | null; out: string }): SupervisorState {
  if (code !== 0)
    return { installed: true, state: 'stopped', pid: null, exitCode: null, detail: 'not loaded' };
  const value = (name: string): string | null =>
    new RegExp(`^\\s*${name} = (.*)$`, 'm').exec(out)?.[1]?.trim() ?? null;
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
}

function xml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/**
 * launchd cannot distinguish exit codes: after any failure it tries again each minute.
 * @param log file for output before our own log is open
 */
export function renderPlist({ node, cli, env }: Program, log: string): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    '<dict>',
    `  <key>Label</key><string>${NAME}</string>`,
    '  <key>ProgramArguments</key>',
    '  <array>',
    ...[node, cli, 'start'].map((each) => `    <string>${xml(each)}</string>`),
    '  </array>',
    '  <key>EnvironmentVariables</key>',
    '  <dict>',
    ...Object.entries(env)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => `    <key>${xml(name)}</key><string>${xml(value)}</string>`),
    '  </dict>',
    '  <key>RunAtLoad</key><true/>',
    '  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>',
    '  <key>ThrottleInterval</key><integer>60</integer>',
    '  <key>ExitTimeOut</key><integer>30</integer>',
    '  <key>ProcessType</key><string>Background</string>',
    '  <key>Umask</key><integer>63</integer>',
    `  <key>StandardErrorPath</key><string>${xml(log)}</string>`,
    '</dict>',
    '</plist>',
    '',
  ].join('\n');
}
