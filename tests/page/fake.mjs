/*
 * A server that plays scripted frames of the chat protocol, so that the page can be tested with every frame
 * at any moment, without a database. It stores the numbered frames of each turn for resuming, as the real
 * server does.
 */

import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname, extname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { WebSocketServer } from 'ws';

import { DEFINITIONS } from './component-scripts.mjs';
import { scriptFor } from './scripts.mjs';

/* The page as it was built with the daemon. */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const WIDGET = join(dirname(resolve(process.env.VESPERD ?? join(ROOT, 'build/vesperd'))), 'widget');
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
  "connect-src 'self'; frame-src https://app.powerbi.com; base-uri 'none'; form-action 'none'; " +
  "require-trusted-types-for 'script'; frame-ancestors 'none'";

/* A UUIDv7, an id that contains its creation time, like the server's ids. */
function timedId() {
  const time = Date.now().toString(16).padStart(12, '0');

  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

class Turn {
  id = timedId();
  frames = [];
  watchers = new Set();
  cancelled = false;
  ended = false;
  text = '';
  views = [];

  constructor(session, content, clientId) {
    Object.assign(this, { session, content, clientId });
  }

  emit(frame) {
    const numbered = { ...frame, turn_id: this.id, seq: this.frames.length + 1 };

    if (frame.type === 'chat.token')
      this.text += frame.token;
    if (frame.type === 'chat.view')
      this.views.push(frame.view);
    if (frame.type === 'chat.ask')
      this.views.push({ view_type: 'selection', view_id: frame.ask_id, ...frame });
    this.ended = frame.type === 'chat.complete' || frame.type === 'chat.error';
    this.frames.push(numbered);
    for (const watcher of [...this.watchers])
      watcher(numbered);
    if (this.ended)
      this.store(frame);
  }

  store(last) {
    if (last.receipt_id)
      this.session.receipts.set(last.receipt_id, { filters: [], calls: last.outcomes, usage: last.usage });
    this.session.messages.push({
      message_id: randomUUID(),
      turn_id: this.id,
      role: 'assistant',
      content: this.text,
      status: last.type === 'chat.error' ? 'failed' : last.status === 'ok' ? 'complete' : last.status,
      provider: last.provider,
      views: this.views,
      pbi_deep_links: last.pbi_deep_links,
      checked: last.checked,
      tools: last.outcomes,
      receipt_id: last.receipt_id,
      created_at: new Date().toISOString(),
    });
  }
}

export class Fake {
  sockets = new Set();
  sessions = new Map();
  turns = new Map();
  logins = [];
  files = [];         /* paths of tables that were downloaded as files */
  received = [];      /* every frame received */
  host = null;        /* {html, headers}: the embedding page, at /host */
  signIn = true;      /* false: no demo mode */
  closeWith = null;   /* [code, reason]: the next sockets are closed with it instead of session.ready */
  onSend = null;      /* (frame, socket): called after each frame, for tests that cut the connection there */
  paused = false;     /* sockets are refused */
  deaf = false;       /* no received frame is answered */
  saved = [];         /* views that were pinned or shared: {saved_id, title, shared} */
  components = DEFINITIONS; /* component definitions */
  values = {};        /* known values by filter: [{value, label, group}] */
  valuesAtOnce = 40;  /* maximum number of values per reply */
  starters = {};      /* by role: questions that run a flow */
  listed = 0;         /* number of requests for starters */
  busy = false;       /* questions are refused */
  moved = false;      /* another server continues the turn: clients read it again from the start */
  hold = null;        /* {after, until}: an answer waits for this promise after this token */
  pageSize = 2;       /* messages per page of history: few, so that tests need several pages */

  async start(port = 0) {
    this.http = createServer((request, response) => this.#serve(request, response));
    this.websockets = new WebSocketServer({
      server: this.http,
      handleProtocols: () => 'vesper.v1',
      verifyClient: () => !this.paused,
    });
    this.websockets.on('connection', (socket, request) => this.#connect(socket, request));
    await new Promise((resolve) => this.http.listen(port, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${this.http.address().port}`;
    return this;
  }

  async stop() {
    this.cut();
    this.http.closeAllConnections();
    await new Promise((resolve) => this.http.close(resolve));
  }

  /* Closes the sockets without a closing handshake, as a network failure does. */
  cut() {
    for (const socket of this.sockets)
      socket.terminate();
  }

  broadcast(frame) {
    for (const socket of this.sockets)
      socket.send(JSON.stringify(frame));
  }

  async #serve(request, response) {
    const url = new URL(request.url, this.url);
    const messages = /^\/api\/v1\/sessions\/([\w-]+)\/messages$/.exec(url.pathname);

    if (url.pathname === '/host')
      response.writeHead(200, { 'content-type': TYPES['.html'], ...this.host.headers }).end(this.host.html);
    else if (/\/(csv|xlsx)$/.test(url.pathname))
      this.#table(url, response);
    else if (url.pathname.startsWith('/api/v1/saved-views'))
      await this.#savedViews(request, url.pathname.split('/')[4], response);
    else if (url.pathname === '/api/v1/demo/login')
      this.#login(request, response);
    else if (messages)
      this.#history(messages[1], url, response);
    else if (url.pathname === '/api/v1/agents')
      this.#agents(request, response);
    else if (url.pathname.startsWith('/api/v1/filters/'))
      this.#filterValues(url, response);
    else if (url.pathname === '/api/v1/components')
      this.#components(response);
    else if (url.pathname.startsWith('/api/v1/receipts/'))
      this.#receipt(url.pathname.split('/').at(-1), response);
    else
      await this.#file(url.pathname === '/' ? 'demo.html' : url.pathname.slice(1), response);
  }

  async #file(name, response) {
    try {
      const body = await readFile(join(WIDGET, name));

      response.writeHead(200, {
        'content-type': TYPES[extname(name)],
        'content-security-policy': name === 'embed.html' ? POLICY.replace(/'none'$/, "'self'") : POLICY,
        'x-content-type-options': 'nosniff',
      }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  }

  async #login(request, response) {
    const body = JSON.parse((await request.toArray()).join(''));

    if (!this.signIn) {
      response.writeHead(404).end();
      return;
    }
    this.logins.push(body);
    this.#json(response, { token: `${body.tenant}.${body.role}.t${this.logins.length}` });
  }

  #agents(request, response) {
    const [, role] = request.headers.authorization.replace('Bearer ', '').split('.');
    const starters = this.starters[role] ?? [];

    this.#json(response, { data: [{ agent: 'a', flows: starters, starters }] });
  }

  async #savedViews(request, id, response) {
    const found = this.saved.find(({ saved_id }) => saved_id === id);
    const savedView = (one) => ({ ...one, own: true, created_at: '2026-02-27T09:00:00Z' });

    if (request.method === 'POST') {
      const { title, shared } = JSON.parse((await request.toArray()).join(''));

      this.saved.push({ saved_id: randomUUID(), title, shared });
      this.#json(response, savedView(this.saved.at(-1)));
    } else if (!id) {
      this.#json(response, { data: this.saved.map(savedView) });
    } else if (!found) {
      response.writeHead(404).end();
    } else if (request.method === 'DELETE') {
      this.saved = this.saved.filter((one) => one !== found);
      response.writeHead(204).end();
    } else {
      this.#json(response, { ...savedView(found), read_at: '2026-02-27T09:00:00Z', view: { view_type: 'data', view_id: 'saved', columns: ['Zone', 'Price'],
        meta: [{ name: 'Zone', type: 'text' }, { name: 'Price', type: 'decimal' }], data_dict: { Zone: ['NP15'], Price: [48.73] }, row_count: 1, truncated: false } });
    }
  }

  #filterValues(url, response) {
    const text = url.searchParams.get('q').toLowerCase();
    const all = (this.values[url.pathname.split('/')[4]] ?? []).map((one) => ({ label: one.value, ...one }));
    const data = all.filter(({ label }) => label.toLowerCase().includes(text)).slice(0, this.valuesAtOnce);

    this.#json(response, { data, has_more: data.length === this.valuesAtOnce });
  }

  #components(response) {
    this.listed++;
    this.#json(response, { data: this.components, hash: 'h' });
  }

  #receipt(id, response) {
    const content = [...this.sessions.values()].map(({ receipts }) => receipts.get(id)).find(Boolean);

    this.#json(response, { receipt_id: id, content });
  }

  #history(id, url, response) {
    const all = this.sessions.get(id)?.messages;
    const from = Number(url.searchParams.get('cursor') ?? 0);

    if (!all) {
      response.writeHead(404).end();
      return;
    }
    const more = from + this.pageSize < all.length;

    this.#json(response, {
      data: all.slice(from, from + this.pageSize),
      has_more: more,
      ...(more && { next_cursor: String(from + this.pageSize) }),
    });
  }

  /* Returns all rows of a truncated table. */
  #table(url, response) {
    this.files.push(url.pathname);
    response.writeHead(200, { 'content-type': 'text/csv' }).end('HOUR\r\n0\r\n1\r\n');
  }

  #json(response, body) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  #connect(socket, request) {
    const sessionId = new URL(request.url, this.url).searchParams.get('session_id');
    const [, bearer] = request.headers['sec-websocket-protocol'].split(', ');
    const [tenant, role] = bearer.replace('bearer.', '').split('.');

    if (this.closeWith) {
      socket.close(...this.closeWith);
      return;
    }
    if (sessionId && !this.sessions.has(sessionId)) {
      socket.close(4404);
      return;
    }
    const session = this.sessions.get(sessionId) ?? { id: randomUUID(), messages: [], receipts: new Map() };
    const send = (frame) => {
      if (socket.readyState !== socket.OPEN)
        return;
      socket.send(JSON.stringify(frame));
      this.onSend?.(frame, socket);
    };
    const watch = (turn, after) => {
      turn.frames.filter((frame) => frame.seq > after).forEach(send);
      turn.watchers.add(send);
      socket.on('close', () => turn.watchers.delete(send));
    };

    socket.setMaxListeners(0);
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    socket.on('message', (data) => this.#receive(JSON.parse(data), { session, send, watch }));
    send({
      type: 'session.ready',
      session_id: session.id,
      protocol: 1,
      heartbeat_s: 25,
      max_message_bytes: 16384,
      user: { id: `demo-${role}`, tenant, permissions: ['chat:use'] },
    });
  }

  #receive(frame, { session, send, watch }) {
    this.received.push(frame);
    if (this.deaf)
      return;
    switch (frame.type) {
    case 'chat.message':
      if (this.busy)
        send({ type: 'chat.error', code: 'busy', message: 'One question at a time.', retryable: true, suggestions: [] });
      else
        this.#question(session, frame.content, frame.client_msg_id, watch);
      break;
    case 'chat.select':
      this.#question(session, frame.values.join(' '), undefined, watch);
      break;
    case 'chat.cancel':
      for (const turn of this.turns.values())
        turn.cancelled ||= turn.session === session;
      break;
    case 'resume':
      if (this.moved && frame.last_seq > 0)
        send({ type: 'chat.error', code: 'bad_frame', message: 'last_seq: read it from 0', retryable: false, suggestions: [] });
      else if (this.turns.has(frame.turn_id))
        watch(this.turns.get(frame.turn_id), frame.last_seq);
      else
        send({ type: 'chat.error', code: 'expired', message: 'unknown turn', retryable: false, suggestions: [] });
      break;
    case 'ping':
      send({ type: 'pong', t: frame.t });
      break;
    default:
    }
  }

  #question(session, content, clientId, watch) {
    const known = [...this.turns.values()].find((turn) => clientId && turn.clientId === clientId);

    if (known) {
      watch(known, 0);
      return;
    }
    const turn = new Turn(session, content, clientId);
    const messageId = randomUUID();

    this.sessions.set(session.id, session);
    this.turns.set(turn.id, turn);
    session.messages.push({ message_id: messageId, turn_id: turn.id, role: 'user', content, status: 'complete' });
    watch(turn, 0);
    this.#play(turn, messageId);
  }

  async #play(turn, messageId) {
    turn.emit({ type: 'chat.thinking', user_message_id: messageId, client_msg_id: turn.clientId });
    for (const step of scriptFor(turn.content)) {
      if (typeof step === 'number')
        await sleep(step);
      else if (!turn.cancelled)
        turn.emit({ ...step, ...(step.type === 'chat.complete' && { session_id: turn.session.id }) });
      if (this.hold && step.token === this.hold.after)
        await this.hold.until;
    }
    if (!turn.ended)
      turn.emit({ type: 'chat.complete', session_id: turn.session.id, message_id: randomUUID(),
        status: 'cancelled', provider: 'rules', pbi_deep_links: [], suggestions: [], outcomes: [], latency_ms: 12 });
  }
}
