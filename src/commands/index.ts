/** Every command, in the order of the help. */
import type { Command } from './command.js';
import { contextCommand } from './context.js';
import { crystallizeCommand } from './crystallize.js';
import { doctorCommand } from './doctor.js';
import { lessonsCommand } from './lessons.js';
import { runCommand } from './run.js';
import { searchCommand } from './search.js';
import { showCommand } from './show.js';
import { sqlCommand } from './sql.js';
import { startCommand } from './start.js';
import { statusCommand } from './status.js';

export const commands: readonly Command[] = [
  runCommand,
  startCommand,
  searchCommand,
  showCommand,
  contextCommand,
  lessonsCommand,
  statusCommand,
  sqlCommand,
  doctorCommand,
  crystallizeCommand,
];
