/* A proxy in front of Redis that can be slow, silent or send garbage. */

import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/* Its mode: pass, slow, silent or garbage. */
export class FaultyProxy {
  constructor(port) {
    this.mode = 'pass';
    this.sockets = new Set();
    this.server = net.createServer((socket) => {
      const upstream = net.connect(port, '127.0.0.1');
      this.sockets.add(socket);
      socket.on('data', (bytes) => this.mode !== 'silent' && upstream.write(bytes));
      upstream.on('data', async (bytes) => {
        if (this.mode === 'slow')
          await sleep(200);
        if (this.mode === 'garbage')
          socket.write(Buffer.from('*7\r\n$999999999\r\n\x00\xff?'));
        else if (this.mode !== 'silent')
          socket.write(bytes);
      });
      const end = () => {
        socket.destroy();
        upstream.destroy();
        this.sockets.delete(socket);
      };
      [socket, upstream].forEach((s) => s.on('error', end).on('close', end));
    });
  }

  async listen() {
    await new Promise((done) => this.server.listen(0, '127.0.0.1', done));
    return this.server.address().port;
  }

  close() {
    this.sockets.forEach((s) => s.destroy());
    this.server.close();
  }
}
