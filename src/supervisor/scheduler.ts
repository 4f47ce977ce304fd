/** Windows' Task Scheduler. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { xml } from './launchd.js';
import { NAME, type Program } from './program.js';
import {
  NOT_INSTALLED,
  type Supervisor,
  type SupervisorState,
  type Surroundings,
} from './supervisor.js';

export function scheduler({ env, logs, call }: Surroundings): Supervisor {
  const path = join(logs, 'task.xml');
  const user = [env['USERDOMAIN'], env['USERNAME']].filter(Boolean).join('\\');
  return {
    name: 'task-scheduler',
    isHere: () => call('schtasks', ['/Query']).code === 0,
    file: (program) => ({ path, text: renderTask(program, user), encoding: 'utf16le' }),
    start() {
      call('schtasks', ['/End', '/TN', NAME]);
      const made = call('schtasks', ['/Create', '/TN', NAME, '/XML', path, '/F']);
      return made.code === 0 ? call('schtasks', ['/Run', '/TN', NAME]) : made;
    },
    stop() {
      call('schtasks', ['/End', '/TN', NAME]);
      const done = call('schtasks', ['/Delete', '/TN', NAME, '/F']);
      return existsSync(path) ? done : { code: 0, out: '', err: '' };
    },
    state() {
      const { code, out } = call('schtasks', ['/Query', '/TN', NAME, '/FO', 'CSV', '/NH', '/V']);
      return code === 0 ? parseQuery(out) : NOT_INSTALLED;
    },
    advice: () => null,
  };
}

/**
 * 267009 (0x41301): the task runs now; 267011: it has not run yet. Columns of `/FO CSV /V`: the
 * fourth is the state, the seventh the last result.
 */
export function parseQuery(text: string): SupervisorState {
  const cells = [
    ...(text.split('\n').find((line) => line.startsWith('"')) ?? '').matchAll(/"([^"]*)"/g),
  ].map((match) => match[1]!);
  const result = Number(cells[6] ?? 0);
  const running = result === 267_009 || cells[3] === 'Running';
  const failed = !running && result !== 0 && result !== 267_011;
  return {
    installed: true,
    state: running ? 'running' : failed ? 'failing' : 'stopped',
    pid: null,
    exitCode: failed ? result : null,
    detail: `${cells[3] ?? 'unknown'}, last result ${result}`,
  };
}

/** A task takes no variables: cmd sets them. `conhost --headless` keeps the console window away. */
export function renderTask({ node, cli, env }: Program, user: string): string {
  const sets = Object.entries(env)
    .filter(([name]) => name !== 'PATH')
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `set "${name}=${value}"&& `);
  return [
    '<?xml version="1.0" encoding="UTF-16"?>',
    '<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">',
    '  <RegistrationInfo><Description>dripstone: memory for coding agents, made from their session ' +
      'logs</Description></RegistrationInfo>',
    `  <Triggers><LogonTrigger><Enabled>true</Enabled><UserId>${xml(user)}</UserId></LogonTrigger></Triggers>`,
    `  <Principals><Principal id="Author"><UserId>${xml(user)}</UserId><LogonType>InteractiveToken</LogonType>` +
      '<RunLevel>LeastPrivilege</RunLevel></Principal></Principals>',
    '  <Settings>',
    '    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>',
    '    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>',
    '    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>',
    '    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>',
    '    <RestartOnFailure><Interval>PT1M</Interval><Count>999</Count></RestartOnFailure>',
    '    <Priority>7</Priority>',
    '  </Settings>',
    '  <Actions Context="Author">',
    '    ' +
      `<Exec><Command>conhost.exe</Command><Arguments>${xml(
        `--headless cmd.exe /d /s /c "${sets.join('')}"${node}" ` + `"${cli}" start"`,
      )}</Arguments></Exec>`,
    '  </Actions>',
    '</Task>',
    '',
  ].join('\r\n');
}
