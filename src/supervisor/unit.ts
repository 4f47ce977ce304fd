/** The systemd user unit. Pure. */
import { NO_RESTART, type Program } from './program.js';

/** A word of ExecStart: systemd expands `%` and `$`, and reads C escapes in quotes. */
const word = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`;
const assignment = (name: string, value: string): string =>
  `Environment="${`${name}=${value}`.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')}"`;

/**
 * No MemoryDenyWriteExecute: V8 writes code and dies of it. No namespaces (ProtectSystem, PrivateTmp …): in a user unit they need further
 * rights and are dropped without a word, and sessions may work below /tmp.
 */
export const renderUnit = ({ node, cli, env }: Program): string =>
  [
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
      .map(([name, value]) => assignment(name, value)),
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
