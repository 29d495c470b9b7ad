/* Raw connections to the port, byte by byte. */

import assert from 'node:assert/strict';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { mintToken } from './token.mjs';

export class Raw {
  /* `from`: the local address of the connection; all of 127.0.0.0/8 is this machine. */
  constructor(port, from) {
    this.text = '';
    this.bytes = Buffer.alloc(0);
    this.socket = net.connect({ port, host: '127.0.0.1', localAddress: from, allowHalfOpen: true });
    this.socket.setNoDelay(true);
    this.opened = new Promise((done) => this.socket.once('connect', done));
    this.ended = new Promise((done) => {
      this.socket.once('end', () => done('end'));
      this.socket.once('close', () => done('close'));
    });
    this.socket.on('error', () => {});
    this.socket.on('data', (data) => {
      this.bytes = Buffer.concat([this.bytes, data]);
      this.text = this.bytes.toString('latin1');
    });
  }

  async write(text) {
    await this.opened;
    this.socket.write(text);
    return this;
  }

  async drip(text, ms = 0) {
    await this.opened;
    for (const byte of Buffer.from(text)) {
      if (this.socket.destroyed)
        return this;
      this.socket.write(Buffer.from([byte]));
      await (ms ? sleep(ms) : new Promise(setImmediate));
    }
    return this;
  }

  async until(pattern, limitMs = 10000) {
    const deadline = Date.now() + limitMs;
    while (!pattern.test(this.text)) {
      assert.ok(Date.now() < deadline, `did not arrive: ${pattern}; so far: ${this.text.slice(0, 500)}`);
      await sleep(5);
    }
    return this.text;
  }

  get status() {
    return Number(/^HTTP\/1\.[01] (\d+)/.exec(this.text)?.[1]);
  }

  done() {
    this.socket.destroy();
  }
}

export function upgrade({ path = '/ws/v1/chat', version = '13', token = mintToken(), key = 'dGhlIHNhbXBsZSBub25jZQ==', extra = '' } = {}) {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\n`
    + `${key ? `Sec-WebSocket-Key: ${key}\r\n` : ''}${version ? `Sec-WebSocket-Version: ${version}\r\n` : ''}`
    + `Authorization: Bearer ${token}\r\n${extra}\r\n`;
}

/* A masked text frame; mask 0 keeps the payload readable. */
export function textFrame(text, { masked = true, first = 0x81 } = {}) {
  const payload = Buffer.from(text);
  assert.ok(payload.length < 126);
  const head = Buffer.from([first, payload.length | (masked ? 0x80 : 0)]);
  return Buffer.concat([head, ...(masked ? [Buffer.alloc(4)] : []), payload]);
}
