/**
 * The tasks of the compute thread by name: pure work that would block the main thread. Data in,
 * data out.
 */
import { distilAll, reformStored, withheldStored } from './distil-stored.js';
import { renderFiles, type KnownProject } from '../publishing/render-files.js';
import { extractSession, type SessionInput } from '../../parse/index.js';

export const computeTasks = {
  extract: (sessions: readonly SessionInput[]) => sessions.map(extractSession),
  distil: distilAll,
  reform: reformStored,
  withheld: withheldStored,
  render: (projects: readonly KnownProject[]) => projects.map(renderFiles),
};

export type ComputeTasks = typeof computeTasks;
