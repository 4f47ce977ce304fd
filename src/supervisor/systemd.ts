/** systemd's user manager. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { NAME, NO_RESTART, type Program } from './program.js';
import {
  NOT_INSTALLED,
  type Supervisor,
  type SupervisorState,
  type Surroundings,
} from './supervisor.js';

const UNIT = `${NAME}.service`;
const SHOWN = 'LoadState,ActiveState,SubState,Result,ExecMainStatus,MainPID,NRestarts';

export function systemd({ userHome, env, call }: Surroundings): Supervisor {
  const user = (...args: string[]) => call('systemctl', ['--user', ...args]);
  const path = join(env['XDG_CONFIG_HOME'] || join(userHome, '.config'), 'systemd/user', UNIT);
  return {
    name: 'systemd',
    // Without a user manager this fails: "Failed to connect to bus".
    isHere: () => user('show-environment').code === 0,
    file: (program) => ({ path, text: renderUnit(program) }),
    start() {
      for (const args of [['daemon-reload'], ['reset-failed', UNIT], ['enable', UNIT]]) {
        const done = user(...args);
        // It is no failure if there is nothing to reset.
        if (done.code !== 0 && args[0] !== 'reset-failed') return done;
      }
      return user('restart', UNIT);
    },
    stop() {
      const done = user('disable', '--now', UNIT);
      user('reset-failed', UNIT);
      return existsSync(path) ? done : { code: 0, out: '', err: '' };
    },
    state: () =>
      existsSync(path) ? parseShow(user('show', UNIT, `--property=${SHOWN}`).out) : NOT_INSTALLED,
    advice: () =>
      call('loginctl', [
        'show-user',
        '--property=Linger',
        '--value',
        env['USER'] || env['LOGNAME'] || '',
      ]).out.trim() === 'yes'
        ? null
        : 'it runs while you are logged in; `loginctl enable-linger` keeps it running after you log out (what it missed is ' +
          'read at the next start anyway)',
  };
}

/** The lines `Name=value` of `systemctl show`. */
export function parseShow(text: string): SupervisorState {
  const facts = new Map(
    text
      .split('\n')
      .map(
        (line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const,
      ),
  );
  const active = facts.get('ActiveState') ?? 'unknown';
  const exit = Number(facts.get('ExecMainStatus') ?? 0);
  const pid = Number(facts.get('MainPID') ?? 0);
  const failed =
    active === 'failed' ||
    facts.get('SubState') === 'auto-restart' ||
    facts.get('LoadState') === 'error';
  const state = failed
    ? 'failing'
    : active === 'active'
      ? 'running'
      : active === 'activating'
        ? 'starting'
        : 'stopped';
  return {
    installed: true,
    state,
    pid: pid > 0 ? pid : null,
    exitCode: failed || exit !== 0 ? exit : null,
    detail:
      `${active} (${facts.get('SubState') ?? ''}, ${facts.get('Result') ?? ''}), restarted ` +
      `${facts.get('NRestarts') ?? 0} times`,
  };
}

/** Quotes a word of ExecStart: systemd expands `%` and `$`, and reads C escapes in quotes. */
function word(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`;
}
function assignment([name, value]: [string, string]): string {
  return `Environment="${`${name}=${value}`.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')}"`;
}

/**
 * No MemoryDenyWriteExecute, since V8 generates code. No namespaces (ProtectSystem, PrivateTmp …):
 * without more rights a user unit ignores them silently.
 */
export function renderUnit({ node, cli, env }: Program): string {
  return [
    '[Unit]',
    'Description=dripstone: memory for coding agents, made from their session logs',
    '# It never gives up; it waits longer and longer instead (before systemd 254: ten seconds each time).',
    'StartLimitIntervalSec=0',
    '',
    '[Service]',
    'Type=simple',
    `ExecStart=${word(node)} ${word(cli)} start`,
    ...Object.entries(env)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(assignment),
    'Restart=on-failure',
    'RestartSec=10',
    'RestartSteps=6',
    'RestartMaxDelaySec=600',
    `RestartPreventExitStatus=${NO_RESTART.join(' ')}`,
    'KillMode=mixed',
    'TimeoutStopSec=30',
    '# The model is a child process of its own: when it goes, reading goes on.',
    'OOMPolicy=continue',
    'UMask=0077',
    'Nice=10',
    'LimitCORE=0',
    'NoNewPrivileges=yes',
    'LockPersonality=yes',
    'RestrictRealtime=yes',
    'RestrictSUIDSGID=yes',
    'SystemCallArchitectures=native',
    '',
    '[Install]',
    'WantedBy=default.target',
    '',
  ].join('\n');
}
