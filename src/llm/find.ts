/** What on this machine could answer. Looking costs no token: programs are found by name, servers asked for their list of models. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { getJson } from './http.js';
import { PROGRAMS, SERVERS, type KnownProgram, type KnownServer } from './known.js';

/** A local server answers its list at once or not at all. */
const LOOK_MS = 400;

export interface FoundServer extends KnownServer {
  models: string[];
}

/** Known programs that stand on PATH. */
export const findPrograms = (path: string | undefined): KnownProgram[] =>
  PROGRAMS.filter(({ command }) => isOnPath(command[0]!, path));

const isOnPath = (program: string, path: string | undefined): boolean =>
  (path ?? '')
    .split(delimiter)
    .some((folder) => folder !== '' && ['', '.exe', '.cmd'].some((end) => isProgram(join(folder, program + end))));

const isProgram = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** Servers that answer on their usual ports, with the models that they offer. */
export const findServers = async (servers: readonly KnownServer[] = SERVERS): Promise<FoundServer[]> => {
  const found = await Promise.all(
    servers.map(async (server) => ({ ...server, models: modelsOf(await getJson(`${server.url}/models`, LOOK_MS)) })),
  );
  return found.filter((server): server is FoundServer => server.models !== null);
};

/** `{data: [{id}]}`; null when it is something else. */
const modelsOf = (value: unknown): string[] | null => {
  const data = (value as { data?: unknown } | null)?.data;
  return Array.isArray(data)
    ? data.map((one: { id?: unknown }) => one?.id).filter((id): id is string => typeof id === 'string')
    : null;
};
