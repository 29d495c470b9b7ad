/*
 * A scripted mock of a model service on 127.0.0.1: the Messages API at <url>/v1/messages and Chat Completions at
 * <url>/v1/chat/completions, with their real wire formats and refusals. It can simulate delivery faults, and records
 * every request for the test.
 *
 *   const m = await startMock({ script });      m.url  m.requests  m.count  m.connections  m.use(script)  m.close()
 *   node anthropic.mjs --port 0 --script FILE|demo
 *
 * A script is a list of rules {when?, times?, reply?, fault?}; the first that matches is used. Without a
 * script, or with `reply` 'demo', the demo behaviour replies.
 *   when   {kind: structured|tools|answer, call: n, system, user, model, path}   texts: substring or RegExp
 *   times  how often the rule may be used
 *   reply  'demo', a function (body, request) => reply, or
 *          {text | json | tools: [{name, input}] | blocks, thinking?, stop_reason?, stop_details?, usage?}
 *   fault  {first_byte_ms, hang, reset, status, error: {type, message, details}, headers, html, empty, body}
 *          and those of sendStream in wire.mjs
 */

import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import { readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { ApiError, checkBody, checkHeaders, contentKey } from './validate.mjs';
import { buildMessage, newId, pause, sendStream } from './wire.mjs';
import { asMessages, chatError, checkChatBody, checkChatHeaders, chunksOf, encodeChunk, wholeCompletion } from './chat.mjs';
import { checkEmbeddings, embeddingsOf } from './embeddings.mjs';
import { demoReply, textOf } from './demo.mjs';

const MAX_BODY = 32 * 1024 * 1024;
const MODELS = ['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-haiku-5-5', 'claude-opus-5', 'claude-sonnet-5',
  'claude-sonnet-4-6', 'claude-haiku-4-5'];
const STATUS_TYPES = {
  400: 'invalid_request_error', 401: 'authentication_error', 402: 'billing_error',
  403: 'permission_error', 404: 'not_found_error', 409: 'conflict_error', 413: 'request_too_large',
  429: 'rate_limit_error', 504: 'timeout_error', 529: 'overloaded_error',
};

/* The kind of a call, by what it requests: a filled schema, a tool call, or plain text. */
export function kindOf(body) {
  if (body.output_config?.format)
    return 'structured';
  return body.tools?.length > 0 && body.tool_choice?.type !== 'none' ? 'tools' : 'answer';
}

function matchesText(pattern, text) {
  return pattern instanceof RegExp ? pattern.test(text) : text.includes(pattern);
}

function systemText(body) {
  return typeof body.system === 'string' ? body.system : textOf({ content: body.system ?? [] });
}

function ruleMatches(rule, request) {
  const { body, call } = request;
  const when = rule.when ?? {};
  if (rule.times !== undefined && (rule.used ?? 0) >= rule.times)
    return false;
  return (when.kind === undefined || when.kind === kindOf(body))
    && (when.call === undefined || when.call === call)
    && (when.model === undefined || matchesText(when.model, body.model))
    && (when.system === undefined || matchesText(when.system, systemText(body)))
    && (when.user === undefined || matchesText(when.user, textOf(body.messages[body.messages.length - 1])));
}

class Mock {
  constructor(script) {
    this.modelsHang = false; /* requests for the list of models hang */
    this.requests = [];
    this.connections = 0; /* total number so far */
    this.issued = new Map();
    this.paused = new Set();
    this.cached = new Set();
    this.watchers = new Set();
    this.use(script);
  }

  /* Sets a new script; recorded requests are kept. */
  use(script = 'demo') {
    this.rules = script === 'demo' ? [{ reply: 'demo' }] : script.map((r) => ({ ...r }));
  }

  /* Calls of the model, including refused ones. */
  get calls() {
    return this.requests.filter((r) => r.path === '/v1/messages' || r.wire === 'chat');
  }

  get count() {
    return this.calls.length;
  }

  reset() {
    this.requests.length = 0;
  }

  changed() {
    for (const check of this.watchers)
      check();
  }

  /* Resolves when condition() is true; it is checked whenever a request arrives, makes progress or ends. */
  when(condition, limitMs = 10000) {
    return new Promise((resolve, reject) => {
      const done = (settle, value) => {
        clearTimeout(timer);
        this.watchers.delete(check);
        settle(value);
      };
      const check = () => condition() && done(resolve);
      const timer = setTimeout(() => done(reject,
        new Error(`mock: ${condition} was not true within ${limitMs} ms`)), limitMs);
      this.watchers.add(check);
      check();
    });
  }

  /* Prompt tokens with cache counters: a marked prefix seen before is read, a new one is written. The
   * schema of a structured answer is part of the prompt, before everything else. */
  usageOf(body) {
    const size = (v) => Math.ceil(Buffer.byteLength(JSON.stringify(v) ?? '') / 3.5);
    const schema = body.output_config?.format?.schema;
    const parts = [...(schema ? [schema] : []), ...(body.tools ?? []), ...(Array.isArray(body.system) ? body.system : []),
      ...body.messages.flatMap((m) => (Array.isArray(m.content) ? m.content : [m]))];
    const total = size(schema) + size(body.tools) + size(body.system) + size(body.messages);
    let prefix = body.model;
    let read = 0;
    let marked = 0;
    for (const part of parts) {
      const { cache_control: mark, ...rest } = part;
      prefix = createHash('sha256').update(prefix + JSON.stringify(rest)).digest('hex');
      const tokens = parts.slice(0, parts.indexOf(part) + 1).reduce((n, p) => n + size(p), 0);
      if (!mark || tokens < 512)
        continue;
      marked = tokens;
      if (this.cached.has(prefix))
        read = tokens;
      this.cached.add(prefix);
    }
    return {
      input_tokens: Math.max(total - marked, 1), cache_creation_input_tokens: marked - read,
      cache_read_input_tokens: read,
      cache_creation: { ephemeral_5m_input_tokens: marked - read, ephemeral_1h_input_tokens: 0 },
      output_tokens: 0, output_tokens_details: null, server_tool_use: null,
      service_tier: 'standard', inference_geo: 'us', speed: 'standard',
    };
  }
}

function headersFor(id) {
  const reset = new Date(Date.now() + 60000).toISOString();
  const rate = Object.fromEntries(['requests', 'tokens', 'input-tokens', 'output-tokens'].flatMap((k) => [
    [`anthropic-ratelimit-${k}-limit`, '1000000'], [`anthropic-ratelimit-${k}-remaining`, '999000'],
    [`anthropic-ratelimit-${k}-reset`, reset]]));
  return { 'request-id': id, 'anthropic-organization-id': 'org-mock', ...rate };
}

function sendJson(res, status, headers, value) {
  if (res.destroyed)
    return;
  const body = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
  res.writeHead(status, { 'content-type': 'application/json', ...headers, 'content-length': body.length });
  res.end(body);
}

function sendError(res, request, status, { type, message, details, param, code } = {}, headers = {}) {
  request.status = status;
  request.error = { type: type ?? STATUS_TYPES[status] ?? 'api_error', message: message ?? `status ${status}` };
  if (request.wire === 'chat') {
    sendJson(res, status, { 'x-request-id': request.id, ...headers }, chatError({ ...request.error, param, code }));
    return;
  }
  sendJson(res, status, { ...headersFor(request.id), ...headers },
    { type: 'error', error: { ...request.error, ...(details && { details }) }, request_id: request.id });
}

async function readBody(req) {
  const parts = [];
  let size = 0;
  for await (const part of req) {
    size += part.length;
    if (size > MAX_BODY)
      throw new ApiError(413, 'request_too_large', 'Request exceeds the maximum size');
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

function parseBody(raw) {
  try {
    return JSON.parse(raw);
  } catch {
    throw new ApiError(400, 'invalid_request_error', 'The request body is not valid JSON');
  }
}

/* Applies faults that replace the model's answer. Returns true if one did. */
async function failInstead(res, request, fault) {
  if (fault.first_byte_ms)
    await pause(res, fault.first_byte_ms);
  if (fault.hang)
    await pause(res, 2 ** 31 - 1);
  if (res.destroyed)
    return true;
  if (fault.reset) {
    res.destroy();
    return true;
  }
  if (fault.html) {
    request.status = fault.status ?? 200;
    sendJson(res, request.status, { 'content-type': 'text/html', ...fault.headers },
      '<!doctype html><html><body><h1>502 Bad Gateway</h1></body></html>');
    return true;
  }
  if (fault.empty || fault.body !== undefined) {
    request.status = fault.status ?? 200;
    sendJson(res, request.status, { 'content-type': 'text/event-stream', ...fault.headers }, fault.body ?? '');
    return true;
  }
  if (fault.status) {
    sendError(res, request, fault.status, fault.error, fault.headers);
    return true;
  }
  return false;
}

function answerChat(res, request, message, fault) {
  const headers = { 'x-request-id': request.id };
  if (!request.chat.stream)
    return sendJson(res, 200, headers, wholeCompletion(message));
  return sendStream(res, message, headers, fault, {
    events: (m, f) => chunksOf(m, f, request.chat.stream_options?.include_usage),
    encode: encodeChunk,
    garbled: 'data: {"choices":[{"delta":{"ty\n\n',
    error: ({ type, message: text }) => ({ data: chatError({ type, message: text }) }),
    huge: (bytes) => ({ data: { object: 'weather.report', choices: [], sky: 'x'.repeat(bytes) } }),
  });
}

async function answerMessages(mock, res, request) {
  const { body } = request;
  const rule = mock.rules.find((r) => ruleMatches(r, request));
  if (!rule)
    return sendError(res, request, 500, { message: 'no rule of the script matches this request' });
  rule.used = (rule.used ?? 0) + 1;
  const fault = { ...rule.fault };
  request.fault = fault;
  if (await failInstead(res, request, fault))
    return undefined;
  const scripted = typeof rule.reply === 'function' ? rule.reply(body, request) : rule.reply;
  const reply = scripted === 'demo' || scripted === undefined ? demoReply(body) : scripted;
  const usage = mock.usageOf(body);
  const message = buildMessage(reply, { model: body.model, usage, issued: mock.issued });
  if (message.stop_reason === 'pause_turn') {
    const last = body.messages[body.messages.length - 1];
    mock.paused.add(contentKey([...(last.role === 'assistant' ? last.content : []), ...message.content]));
  }
  message.usage.output_tokens ||= Math.ceil(JSON.stringify(message.content).length / 4);
  Object.assign(request, { status: 200, reply, message });
  message.refusal = reply.refusal;
  if (request.wire === 'chat')
    return answerChat(res, request, message, fault);
  if (body.stream)
    return sendStream(res, message, headersFor(request.id), fault);
  return sendJson(res, 200, headersFor(request.id), message);
}

function modelObject(id) {
  const yes = { supported: true };
  const effort = Object.fromEntries(['low', 'medium', 'high', 'xhigh', 'max'].map((e) => [e, yes]));
  return {
    type: 'model', id, display_name: id, created_at: '2026-09-01T00:00:00Z', lifecycle: 'active',
    line: id.split('-')[1], deprecated_at: null, retires_at: null, max_input_tokens: 1000000, max_tokens: 128000,
    capabilities: { batch: yes, citations: yes, code_execution: yes, image_input: yes, pdf_input: yes,
      structured_outputs: yes, effort: { ...yes, ...effort },
      thinking: { ...yes, types: { adaptive: yes, between_tools: yes, disabled: { supported: false },
        enabled: { supported: false } } } },
  };
}

function answerModels(res, request, url) {
  if (request.hangs)
    return undefined;
  const id = decodeURIComponent(url.pathname.slice('/v1/models/'.length));
  if (url.pathname !== '/v1/models') {
    if (!MODELS.includes(id))
      return sendError(res, request, 404, { message: `model: ${id}` });
    return sendJson(res, 200, headersFor(request.id), modelObject(id));
  }
  const after = url.searchParams.get('after_id');
  const limit = Number(url.searchParams.get('limit') ?? 20);
  const from = after ? MODELS.indexOf(after) + 1 : 0;
  const page = MODELS.slice(from, from + limit);
  return sendJson(res, 200, headersFor(request.id), { data: page.map(modelObject),
    has_more: from + limit < MODELS.length, first_id: page[0] ?? null, last_id: page[page.length - 1] ?? null });
}

const CHAT_MODELS = ['gpt-5', 'gpt-5-mini', 'llama3.1'];

/* Chat Completions: its paths do not exist in the Messages API, or the request lacks that API's version header. */
function isChat(req, path) {
  return path.endsWith('/chat/completions') || (/\/models$/.test(path) && !req.headers['anthropic-version']);
}

async function chat(mock, req, res, request) {
  checkChatHeaders(req.headers);
  if (req.method !== (request.path.endsWith('/models') ? 'GET' : 'POST'))
    throw new ApiError(405, 'invalid_request_error', 'Not allowed');
  if (req.method === 'GET')
    return sendJson(res, 200, {}, { object: 'list',
      data: CHAT_MODELS.map((id) => ({ id, object: 'model', created: 1763750000, owned_by: 'mock' })) });
  request.wire = 'chat';
  request.chat = parseBody(request.raw);
  checkChatBody(request.chat);
  request.body = asMessages(request.chat);
  request.call = mock.count;
  request.kind = kindOf(request.body);
  mock.changed();
  return answerMessages(mock, res, request);
}

/* mock.embeddings: optional function (body, request) => {status, error} that replaces the answer with an error. */
function embed(mock, res, request) {
  request.wire = 'chat';
  request.kind = 'embed';
  request.body = parseBody(request.raw);
  checkEmbeddings(request.body);
  mock.changed();
  const fault = mock.embeddings?.(request.body, request);
  if (fault)
    return sendError(res, request, fault.status, fault.error ?? { message: 'no vectors now' });
  return sendJson(res, 200, {}, embeddingsOf(request.body));
}

async function answer(mock, req, res, request) {
  const url = new URL(req.url, 'http://mock');
  request.path = url.pathname;
  request.raw = await readBody(req);
  if (url.pathname.endsWith('/embeddings') && req.method === 'POST') {
    request.wire = 'chat';
    checkChatHeaders(req.headers);
    return embed(mock, res, request);
  }
  if (isChat(req, url.pathname)) {
    request.wire = url.pathname.endsWith('/models') ? undefined : 'chat';
    return chat(mock, req, res, request);
  }
  const posts = ['/v1/messages', '/v1/messages/count_tokens'].includes(url.pathname);
  if (!posts && !/^\/v1\/models(\/|$)/.test(url.pathname))
    throw new ApiError(404, 'not_found_error', 'Not found');
  if (req.method !== (posts ? 'POST' : 'GET'))
    throw new ApiError(405, 'invalid_request_error', 'Method Not Allowed');
  const version = checkHeaders(req.headers);
  if (!posts)
    return answerModels(res, Object.assign(request, { hangs: mock.modelsHang }), url);
  if (!/^application\/json\b/.test(req.headers['content-type'] ?? ''))
    throw new ApiError(400, 'invalid_request_error', 'content-type: must be application/json');
  request.body = parseBody(request.raw);
  const counting = url.pathname.endsWith('/count_tokens');
  checkBody(request.body, { version, counting, issued: mock.issued, paused: mock.paused });
  request.call = mock.count;
  request.kind = kindOf(request.body);
  mock.changed();
  if (counting)
    return sendJson(res, 200, headersFor(request.id),
      { input_tokens: Math.ceil(request.raw.length / 3.5) });
  return answerMessages(mock, res, request);
}

function onRequest(mock, req, res) {
  const request = { id: newId('req'), method: req.method, headers: req.headers, at: Date.now(), http: req.httpVersion,
    aborted: false, done: false, sent: 0 };
  res.on('sent', () => {
    request.sent++;
    mock.changed();
  });
  if (res.stream) { /* members that an HTTP/2 response lacks */
    Object.defineProperty(res, 'destroyed', { get: () => res.stream.destroyed });
    Object.defineProperty(res, 'writableFinished', { get: () => res.stream.writableFinished && !res.stream.aborted });
    res.destroy = () => res.stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR);
  }
  mock.requests.push(request);
  res.on('close', () => {
    request.endedAt = Date.now();
    request.done = res.writableFinished;
    /* A cut by the script is not an abort by the client. */
    request.aborted = !request.done && !request.fault?.cut && !request.fault?.reset;
    mock.changed();
  });
  answer(mock, req, res, request).catch((e) => {
    if (e instanceof ApiError)
      sendError(res, request, e.status, e);
    else if (!res.destroyed)
      sendError(res, request, 500, { message: e.stack });
  });
}

/* tls: {key, cert} in PEM; h2: also accept HTTP/2. */
export async function startMock({ script = 'demo', port = 0, tls, h2 } = {}) {
  const mock = new Mock(script);
  const onCall = (req, res) => onRequest(mock, req, res);
  const server = h2 ? http2.createSecureServer({ ...tls, allowHTTP1: true }, onCall)
    : tls ? https.createServer(tls, onCall) : http.createServer(onCall);
  const sockets = new Set();
  server.on('connection', (s) => {
    s.setNoDelay(true);
    mock.connections++;
    sockets.add(s);
    s.on('close', () => sockets.delete(s));
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  server.unref(); /* a test that fails before it closes its mock must still end */
  mock.server = server;
  mock.port = server.address().port;
  mock.url = `${tls ? 'https' : 'http'}://127.0.0.1:${mock.port}`;
  mock.close = () => {
    for (const s of sockets)
      s.destroy();
    return new Promise((done) => server.close(done));
  };
  return mock;
}

async function main(args) {
  const option = (name, other) => (args.includes(name) ? args[args.indexOf(name) + 1] : other);
  const script = option('--script', 'demo');
  const mock = await startMock({ port: Number(option('--port', 0)),
    script: script === 'demo' ? 'demo' : JSON.parse(readFileSync(script, 'utf8')) });
  mock.server.ref();
  console.log(mock.url);
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.on(signal, () => mock.close().then(() => process.exit(0)));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  await main(process.argv.slice(2));
