/** What supervisors are given, and how their answers are read. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { callIn, removeTask } from '../../src/supervisor/supervisor.js';
import { launchd, parsePrint, renderPlist } from '../../src/supervisor/launchd.js';
import { renderLauncher, keptEnvironment, type Program } from '../../src/supervisor/program.js';
import { parseShow, renderUnit } from '../../src/supervisor/systemd.js';
import { callsIn, putProgram } from './stand-in.js';
import { testFolder } from '../folder.js';

const plain: Program = {
  node: '/usr/bin/node',
  cli: '/home/ann/dripstone/dist/cli.js',
  env: { PATH: '/usr/bin:/bin' },
};
const odd: Program = {
  node: '/opt/my node/bin/node',
  cli: '/home/ann/a "b" 100% $c/dist/cli.js',
  env: { PATH: '/usr/bin', DRIPSTONE_HOME: '/data/<mine> & 5%/x' },
};
function golden(name: string) {
  return `./golden/${name}`;
}

describe('renderings', () => {
  test.each([
    ['plain', plain],
    ['odd', odd],
  ] as const)('%s', async (name, program) => {
    await expect(renderUnit(program)).toMatchFileSnapshot(golden(`${name}.service`));
    await expect(renderPlist(program, '/home/ann/.dripstone/logs/launchd.log')).toMatchFileSnapshot(
      golden(`${name}.plist`),
    );
    await expect(renderLauncher(program)).toMatchFileSnapshot(golden(`${name}.launcher`));
  });

  test('the unit asks for nothing that kills V8, and stops at what a restart cannot cure', () => {
    expect(renderUnit(plain)).not.toContain('MemoryDenyWriteExecute');
    expect(renderUnit(plain)).toContain('RestartPreventExitStatus=2 12 13 14\n');
  });

  test('only variables that say where things lie are kept', () => {
    expect(
      keptEnvironment({ PATH: '/bin', CODEX_HOME: '/c', SECRET_TOKEN: 'x', DRIPSTONE_HOME: '' }),
    ).toEqual({ PATH: '/bin', CODEX_HOME: '/c' });
  });
});

describe('answers', () => {
  const show = (active: string, sub: string, more = ''): string =>
    `LoadState=loaded\nActiveState=${active}\nSubState=${sub}\nResult=x\nNRestarts=2\n${more}`;
  test.each([
    [
      show('active', 'running', 'MainPID=42\nExecMainStatus=0'),
      { state: 'running', pid: 42, exitCode: null },
    ],
    [
      show('failed', 'failed', 'MainPID=0\nExecMainStatus=13'),
      { state: 'failing', pid: null, exitCode: 13 },
    ],
    [
      show('activating', 'auto-restart', 'MainPID=0\nExecMainStatus=70'),
      { state: 'failing', pid: null, exitCode: 70 },
    ],
    [show('activating', 'start', 'MainPID=43\nExecMainStatus=0'), { state: 'starting', pid: 43 }],
    [
      show('inactive', 'dead', 'MainPID=0\nExecMainStatus=0'),
      { state: 'stopped', pid: null, exitCode: null },
    ],
  ])('systemctl show %#', (text, state) => expect(parseShow(text)).toMatchObject(state));

  test.each([
    [
      {
        code: 0,
        out: 'gui/501/dripstone = {\n\tstate = running\n\tpid = 77\n\tlast exit code = (never exited)\n}',
      },
      { state: 'running', pid: 77, exitCode: null },
    ],
    [
      { code: 0, out: '\tstate = spawn scheduled\n\tlast exit code = 13: EX\n' },
      { state: 'failing', exitCode: 13 },
    ],
    [{ code: 113, out: '' }, { state: 'stopped' }],
  ])('launchctl print %#', (answer, state) => expect(parsePrint(answer)).toMatchObject(state));
});

describe('calls', () => {
  const place = (platform: string, name: string, script: string) => {
    const folder = testFolder();
    putProgram(folder, name, script);
    const env = { PATH: `${folder}:/usr/bin:/bin`, HOME: folder };
    return {
      folder,
      where: {
        platform,
        userHome: folder,
        env,
        logs: join(folder, 'logs'),
        uid: 501,
        call: callIn(env),
      },
    };
  };

  test('launchd: unload, load, start; unload', () => {
    const { folder, where } = place('darwin', 'launchctl', 'exit 0');
    const supervisor = launchd(where);
    expect([supervisor.isHere(), supervisor.start().code, supervisor.stop().code]).toEqual([
      true,
      0,
      0,
    ]);
    const plist = `${folder}/Library/LaunchAgents/dripstone.plist`;
    expect(supervisor.file(plain).path).toBe(plist);
    expect(callsIn(folder)).toEqual([
      'launchctl print gui/501',
      'launchctl bootout gui/501/dripstone',
      `launchctl bootstrap gui/501 ${plist}`,
      'launchctl kickstart gui/501/dripstone',
      'launchctl bootout gui/501/dripstone',
    ]);
  });

  test('a task of an earlier version: end, delete', () => {
    const { folder, where } = place('win32', 'schtasks', 'exit 0');
    expect(removeTask(where)).toBeNull();
    mkdirSync(where.logs);
    writeFileSync(join(where.logs, 'task.xml'), '');
    expect(removeTask(where)).toBe(join(where.logs, 'task.xml'));
    expect(callsIn(folder)).toEqual([
      'schtasks /End /TN dripstone',
      'schtasks /Delete /TN dripstone /F',
    ]);
    expect(readdirSync(where.logs)).toEqual([]);
  });
});
