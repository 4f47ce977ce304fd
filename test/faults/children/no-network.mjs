/**
 * Loaded before the program, in each of its threads: a connection, a look-up of a name or a
 * datagram ends it.
 */
import dgram from 'node:dgram';
import dns from 'node:dns';
import net from 'node:net';

const refuse = () => process.exit(99);
net.Socket.prototype.connect = refuse;
dns.lookup = dns.resolve = dns.promises.lookup = refuse;
dgram.createSocket = refuse;
globalThis.fetch = refuse;
