/** The supervisor of this system: systemd, launchd or the Task Scheduler. */
import { launchd } from './launchd.js';
import { scheduler } from './scheduler.js';
import type { Supervisor, Surroundings } from './supervisor.js';
import { systemd } from './systemd.js';

/** The one that belongs to this system; in a container, or under an init without user services, it is not here. */
export function nativeSupervisor(where: Surroundings): Supervisor {
  return (where.platform === 'darwin' ? launchd : where.platform === 'win32' ? scheduler : systemd)(where);
}
