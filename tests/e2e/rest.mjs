/* REST and server-sent events. */

import assert from 'node:assert/strict';
import { watch } from '../secrets.mjs';
import { checkTurn } from './turn.mjs';

/* Paths whose responses contain tokens on purpose. The path may also appear in a problem. */
const RETURNS_TOKENS = /\/demo\/login$|\/reports\/[^/]*\/embed$/;

async function readReply(res, path) {
  const text = await res.text();
  if (!(RETURNS_TOKENS.test(path) && res.status < 400) && !(/\/api\/v1\/tokens$/.test(path) && res.status === 201))
    watch('body', text, { where: path.slice(0, 80), jwt: !/eyJ/.test(path) });
  const type = res.headers.get('content-type') ?? '';
  const body = /json/.test(type) && text !== '' ? JSON.parse(text) : text;
  return { status: res.status, headers: res.headers, body, text };
}

export class Rest {
  constructor(base, token) {
    this.base = base;
    this.token = token;
  }

  async raw(method, path, { body, headers = {}, token = this.token, signal } = {}) {
    return fetch(this.base + path, { method, body, signal, redirect: 'manual',
      headers: { ...(token && { authorization: `Bearer ${token}` }), ...headers } });
  }

  async call(method, path, { json, ...options } = {}) {
    if (json !== undefined) {
      options.body = JSON.stringify(json);
      options.headers = { 'content-type': 'application/json', ...options.headers };
    }
    return readReply(await this.raw(method, path, options), path);
  }

  get(path, options) {
    return this.call('GET', path, options);
  }

  post(path, json, options) {
    return this.call('POST', path, { json, ...options });
  }

  delete(path, options) {
    return this.call('DELETE', path, options);
  }

  /* All messages of a session, from all pages. */
  async messages(session) {
    const all = [];
    let cursor = '';
    do {
      const page = await this.get(`/api/v1/sessions/${session}/messages${cursor}`);
      assert.equal(page.status, 200, page.text);
      all.push(...page.body.data);
      cursor = page.body.has_more ? `?cursor=${encodeURIComponent(page.body.next_cursor)}` : '';
    } while (cursor !== '');
    return all;
  }

  /* Waits until `fits` accepts the messages: some are stored shortly after the client has disconnected. */
  async messagesWhen(session, fits, limitMs = 10000) {
    const deadline = Date.now() + limitMs;
    for (;;) {
      const messages = await this.messages(session);
      if (fits(messages))
        return messages;
      if (Date.now() > deadline)
        assert.fail(`the session did not reach the expected state: ${JSON.stringify(messages)}`);
      await new Promise((r) => setTimeout(r, 50));
    }
  }

  async stream(path, { json, method = json === undefined ? 'GET' : 'POST', headers, token } = {}) {
    const controller = new AbortController();
    const res = await this.raw(method, path, { token, signal: controller.signal,
      body: json === undefined ? undefined : JSON.stringify(json),
      headers: { accept: 'text/event-stream', ...(json !== undefined && { 'content-type': 'application/json' }), ...headers } });
    return new Sse(res, controller);
  }
}

export class Sse {
  constructor(res, controller) {
    this.status = res.status;
    this.headers = res.headers;
    this.res = res;
    this.controller = controller;
    this.events = [];
  }

  /* Events in order of arrival; comments are skipped. */
  async *[Symbol.asyncIterator]() {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    let text = '';
    for await (const chunk of this.res.body) {
      const more = decoder.decode(chunk, { stream: true });
      watch('event', more);
      text += more;
      for (let end; (end = text.indexOf('\n\n')) >= 0; text = text.slice(end + 2)) {
        const event = parseEvent(text.slice(0, end));
        if (event) {
          this.events.push(event);
          yield event;
        }
      }
    }
  }

  leave() {
    this.controller.abort();
  }

  /* Reads to the end of the stream. */
  async all() {
    assert.equal(this.status, 200);
    for await (const event of this)
      void event;
    return this.events;
  }

  async turn(options) {
    return checkSse(await this.all(), options);
  }
}

function parseEvent(block) {
  const event = { data: [] };
  for (const line of block.split('\n')) {
    const [, name, value] = /^([^:]*):? ?(.*)$/.exec(line);
    if (name === 'data')
      event.data.push(value);
    else if (name !== '')
      event[name] = value;
  }
  return event.data.length > 0 ? { ...event, data: JSON.parse(event.data.join('\n')) } : undefined;
}

function eventTypeOf(frame) {
  switch (frame.type) {
  case 'chat.thinking': return 'turn.started';
  case 'chat.status':
    if (frame.state === undefined)
      return 'progress.update'; /* a phase of the turn, not an item */
    return frame.state === 'started' ? 'item.started' : 'item.completed';
  case 'chat.token': return 'item.updated';
  case 'chat.filters': return 'progress.update';
  case 'chat.plan': return 'progress.update';
  case 'chat.view': case 'chat.ask': return 'response';
  case 'chat.complete': return 'turn.completed';
  default: return 'turn.failed';
  }
}

/* Each event is one log entry: its id is the seq, its name is the type of its data, and its frame, if any, is the socket's. */
export function checkSse(events, options) {
  for (const e of events) {
    assert.equal(e.event, e.data.type, 'event and data.type agree');
    assert.equal(e.id, String(e.data.seq), 'id is seq');
    assert.match(e.data.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.ok(e.data.thread_id);
    if (e.data.frame)
      assert.equal(e.event, eventTypeOf(e.data.frame));
    else
      assert.match(e.event, /^(item\.started|item\.completed|token\.count)$/);
    if (/^item\.(started|completed)$/.test(e.event))
      assert.ok(e.data.item.type && e.data.item.status, 'an item has a type and a status');
    if (e.event === 'item.updated')
      assert.equal(e.data.delta, e.data.frame.token);
    if (e.event === 'turn.completed')
      assert.ok(e.data.response !== undefined && e.data.usage, 'turn.completed carries response and usage');
  }
  return checkTurn(events.filter((e) => e.data.frame).map((e) => e.data.frame), options);
}

/* Checks an error response: it states the problem and contains no internals. */
export function checkProblem(reply, status) {
  const expected = [].concat(status);
  assert.ok(expected.includes(reply.status), `expected ${expected}, got ${reply.status}: ${reply.text.slice(0, 300)}`);
  assert.match(reply.headers.get('content-type') ?? '', /^application\/problem\+json/);
  assert.equal(reply.body.status, reply.status);
  assert.ok(typeof reply.body.title === 'string' && reply.body.title !== '');
  assert.doesNotMatch(reply.text, /SELECT |sqlite|\.c:\d+|0x[0-9a-f]{8}/i, 'no internals are exposed');
  return reply.body;
}
