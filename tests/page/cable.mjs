/* A TCP relay between browser and server whose connections a test can cut. */

import net from 'node:net';

export class Cable {
  #sockets = new Set();
  #server;

  static async to(url) {
    const cable = new Cable();
    const { hostname, port } = new URL(url);

    cable.#server = net.createServer((near) => cable.#relay(near, net.connect(port, hostname)));
    await new Promise((resolve) => cable.#server.listen(0, '127.0.0.1', resolve));
    cable.url = `http://127.0.0.1:${cable.#server.address().port}`;
    return cable;
  }

  /* Resets the open connections; new ones are accepted. */
  cut() {
    for (const socket of this.#sockets)
      socket.resetAndDestroy();
  }

  async close() {
    const closed = new Promise((resolve) => this.#server.close(resolve));

    this.cut();
    await closed;
  }

  #relay(near, far) {
    for (const [socket, other] of [[near, far], [far, near]]) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }
}
