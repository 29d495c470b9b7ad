/* A WebSocket client of /ws/v1/chat that keeps every frame and returns complete turns. */

import assert from 'node:assert/strict';
import WebSocket from 'ws';
import { watch } from '../secrets.mjs';
import { patient } from './patience.mjs';
import { checkError, checkNoNullMembers, checkTurn, isClosing, UUID7 } from './turn.mjs';

const FRAME_LIMIT_MS = patient(20000);
const CLOSE_LIMIT_MS = patient(15000);

export class Chat {
  constructor(ws) {
    this.ws = ws;
    this.all = [];
    this.queue = [];
    this.waiting = null;
    ws.on('close', (code, reason) => {
      this.closeInfo = { code, reason: reason.toString() };
      this.waiting?.();
    });
    ws.on('message', (data, isBinary) => {
      watch('frame', isBinary ? data.toString('latin1') : data.toString());
      const frame = isBinary ? { type: 'binary' } : JSON.parse(data.toString());
      this.all.push(frame);
      this.queue.push(frame);
      this.waiting?.();
    });
    ws.on('error', () => {}); /* 'close' follows and carries the code */
  }

  /* {code, reason} once the socket is closed. Rejects if it stays open. */
  get closed() {
    if (this.closeInfo)
      return Promise.resolve(this.closeInfo);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.ws.terminate();
        reject(new Error(`the socket stayed open; frames: ${JSON.stringify(this.all.slice(-3))}`));
      }, CLOSE_LIMIT_MS);
      this.ws.once('close', () => {
        clearTimeout(timer);
        resolve(this.closeInfo);
      });
    });
  }

  send(frame) {
    this.ws.send(JSON.stringify(frame));
  }

  sendText(text) {
    this.ws.send(text);
  }

  /* The next frame, or an error if the socket closes or no frame arrives. */
  async next(limitMs = FRAME_LIMIT_MS) {
    const deadline = Date.now() + limitMs;
    while (this.queue.length === 0) {
      if (this.closeInfo)
        throw new Error(`socket closed with ${this.closeInfo.code} ${this.closeInfo.reason}`);
      const left = deadline - Date.now();
      if (left <= 0)
        throw new Error(`no frame within ${limitMs} ms; so far: ${this.all.map((f) => f.type).join(' ')}`);
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, left);
        this.waiting = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.waiting = null;
    }
    return this.queue.shift();
  }

  async until(matches, limitMs) {
    for (;;) {
      const frame = await this.next(limitMs);
      if (matches(frame))
        return frame;
    }
  }

  /* The next frame, which must be an error of the connection, not of a turn: no seq, no turn_id. */
  async refusal(limitMs) {
    const frame = await this.next(limitMs);
    assert.equal(frame.type, 'chat.error', `expected a refusal, got ${JSON.stringify(frame)}`);
    assert.equal(frame.seq, undefined, 'an error of the connection is not part of a turn');
    checkError(frame);
    return frame;
  }

  /* Frames of a turn until `stop` returns true or the turn is closed. Frames without seq are skipped. */
  async frames({ stop = () => false, limitMs } = {}) {
    const frames = [];
    for (;;) {
      const frame = await this.next(limitMs);
      if (frame.seq === undefined) {
        if (frame.type === 'chat.error')
          throw new Error(`refused: ${JSON.stringify(frame)}`);
        continue;
      }
      frames.push(frame);
      if (isClosing(frame) || stop(frame, frames))
        return frames;
    }
  }

  async turn(options) {
    return checkTurn(await this.frames(options), options);
  }

  async ask(content, extra = {}) {
    this.send({ type: 'chat.message', content, ...extra });
    return this.turn();
  }

  /* Sends and waits for the acknowledgement only. */
  async begin(content, extra = {}) {
    this.send({ type: 'chat.message', content, ...extra });
    return this.until((f) => f.type === 'chat.thinking');
  }

  /* Waits until `n` tokens of the answer have arrived. */
  async untilTokens(n = 1) {
    for (let i = 0; i < n; i++)
      await this.until((f) => f.type === 'chat.token');
  }

  async close(code = 1000) {
    this.ws.close(code);
    return this.closed;
  }

  /* Ends the connection without a close frame, as a network failure does. */
  cut() {
    this.ws.terminate();
    return this.closed;
  }

  /* Resets the connection and discards data in transit. Even a server that is not reading detects this. */
  reset() {
    this.ws._socket.resetAndDestroy();
    return this.closed;
  }
}

function urlFor(base, { path = '/ws/v1/chat', session, ticket, token, via }) {
  const url = new URL(path, base.replace(/^http/, 'ws'));
  if (session)
    url.searchParams.set('session_id', session);
  if (ticket)
    url.searchParams.set('ticket', ticket);
  if (via === 'query')
    url.searchParams.set('token', token);
  return url;
}

/*
 * Opens a socket; resolves to {chat} once it is open, or {status, headers} if the upgrade was
 * refused. via: header | subprotocol | query | none.
 */
export function openSocket(base, options = {}) {
  const { token, via = token ? 'header' : 'none', origin, headers = {}, protocols } = options;
  const offered = protocols ?? (via === 'subprotocol' ? ['vesper.v1', `bearer.${token}`] : []);
  return new Promise((resolve, reject) => {
    const ws = new WebSocket(urlFor(base, { ...options, via }), offered, {
      perMessageDeflate: false,
      headers: { ...(via === 'header' && token && { authorization: `Bearer ${token}` }),
        ...(origin && { origin }), ...headers },
    });
    const chat = new Chat(ws);
    ws.once('open', () => resolve({ chat }));
    ws.once('unexpected-response', (req, res) => {
      res.resume();
      req.destroy();
      resolve({ status: res.statusCode, headers: res.headers });
    });
    ws.once('error', reject);
  });
}

/* Opens a socket and waits for session.ready. */
export async function connect(base, options) {
  const opened = await openSocket(base, options);
  assert.ok(opened.chat, `the upgrade was refused with ${opened.status}`);
  return ready(opened.chat);
}

export async function ready(chat) {
  const frame = await chat.next();
  assert.equal(frame.type, 'session.ready', JSON.stringify(frame));
  checkNoNullMembers(frame);
  assert.match(frame.session_id, UUID7);
  assert.equal(frame.protocol, 1);
  assert.equal(frame.heartbeat_s, 25);
  assert.equal(frame.max_message_bytes, 16384);
  assert.ok(frame.user.id && frame.user.tenant && Array.isArray(frame.user.permissions));
  assert.equal(frame.seq, undefined);
  chat.ready = frame;
  chat.session = frame.session_id;
  return chat;
}

/* How a socket was rejected: {status} by HTTP, {code} by a close after the upgrade. */
export async function rejection(base, options) {
  const opened = await openSocket(base, options).catch((e) => ({ connectionError: e.message }));
  if (!opened.chat)
    return opened;
  const closed = await opened.chat.closed;
  assert.ok(!opened.chat.all.some((f) => f.type === 'session.ready'), 'no session was started');
  return { code: closed.code, reason: closed.reason, frames: opened.chat.all };
}
