/** Kills its own process with SIGKILL when it has done what a command asked, and says so. */
import { Socket } from 'node:net';

const { write } = Socket.prototype;
Socket.prototype.write = function (data, ...more) {
  if (String(data).startsWith('{"answer"')) process.kill(process.pid, 'SIGKILL');
  return write.call(this, data, ...more);
};
