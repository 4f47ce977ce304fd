/** The supervisor of this system: systemd, launchd or the Task Scheduler. */
import { launchd } from './launchd.js';
import { scheduler } from './scheduler.js';
import type { Supervisor, Surroundings } from './supervisor.js';
import { systemd } from './systemd.js';

/** The supervisor of this system; in a container, or under an init without user services, its `isHere` is false. */
export function nativeSupervisor(where: Surroundings): Supervisor {
  return (where.platform === 'darwin' ? launchd : where.platform === 'win32' ? scheduler : systemd)(where);
}
