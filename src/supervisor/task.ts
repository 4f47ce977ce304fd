/** The entry of Windows' Task Scheduler. Pure. */
import { xml } from './plist.js';
import type { Program } from './program.js';

/** A task takes no variables: cmd sets them. `conhost --headless` keeps the console window away. */
export const renderTask = ({ node, cli, env }: Program, user: string): string => {
  const sets = Object.entries(env)
    .filter(([name]) => name !== 'PATH')
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `set "${name}=${value}"&& `);
  return [
    '<?xml version="1.0" encoding="UTF-16"?>',
    '<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">',
    '  <RegistrationInfo><Description>dripstone: memory for coding agents, made from their session logs</Description></RegistrationInfo>',
    `  <Triggers><LogonTrigger><Enabled>true</Enabled><UserId>${xml(user)}</UserId></LogonTrigger></Triggers>`,
    `  <Principals><Principal id="Author"><UserId>${xml(user)}</UserId><LogonType>InteractiveToken</LogonType><RunLevel>LeastPrivilege</RunLevel></Principal></Principals>`,
    '  <Settings>',
    '    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>',
    '    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>',
    '    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>',
    '    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>',
    '    <RestartOnFailure><Interval>PT1M</Interval><Count>999</Count></RestartOnFailure>',
    '    <Priority>7</Priority>',
    '  </Settings>',
    '  <Actions Context="Author">',
    `    <Exec><Command>conhost.exe</Command><Arguments>${xml(`--headless cmd.exe /d /s /c "${sets.join('')}"${node}" "${cli}" start"`)}</Arguments></Exec>`,
    '  </Actions>',
    '</Task>',
    '',
  ].join('\r\n');
};
