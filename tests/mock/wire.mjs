/*
 * The wire format of the Messages API: converts a reply to a message object, the message to server-sent events, and the
 * events to bytes. Delivery faults are applied to the bytes, so that any reply can arrive late, split, cut or garbled.
 */

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

export function newId(prefix) {
  return `${prefix}_01${randomBytes(11).toString('hex')}`;
}

/*
 * reply: {text?, json?, tools?: [{name, input, id?}], thinking?, blocks?, stop_reason?, stop_details?,
 * usage?}. Order in the message, as in the service: thinking, text, tool calls.
 */
export function buildMessage(reply, { model, usage, issued }) {
  const content = reply.blocks ? [...reply.blocks] : [];
  if (reply.thinking !== undefined) {
    const signature = randomBytes(24).toString('base64');
    issued.set(signature, reply.thinking);
    content.push({ type: 'thinking', thinking: reply.thinking, signature });
  }
  const text = reply.json !== undefined ? JSON.stringify(reply.json) : reply.text;
  if (text !== undefined && text !== '')
    content.push({ type: 'text', text, citations: null });
  for (const t of reply.tools ?? [])
    content.push({ type: 'tool_use', id: t.id ?? newId('toolu'), name: t.name, input: t.input ?? {},
      caller: { type: 'direct' } });
  const stop = reply.stop_reason ?? (reply.tools?.length ? 'tool_use' : 'end_turn');
  return {
    id: newId('msg'), type: 'message', role: 'assistant', model, content,
    container: null, diagnostics: null,
    stop_details: reply.stop_details ?? null, stop_reason: stop, stop_sequence: null,
    usage: { ...usage, ...reply.usage },
  };
}

/* Small tokens, similar to those of a tokenizer: a price such as $48.73 arrives in several deltas. */
export function tokensOf(text) {
  return text.match(/ ?[\p{L}_]{1,7}| ?\d{1,3}|\s|[^]/gu) ?? [];
}

function* deltasOf(block) {
  if (block.type === 'text')
    for (const token of tokensOf(block.text))
      yield { type: 'text_delta', text: token };
  if (block.type === 'thinking') {
    if (block.thinking !== '')
      yield { type: 'thinking_delta', thinking: block.thinking };
    yield { type: 'signature_delta', signature: block.signature };
  }
  if (block.type === 'tool_use') {
    yield { type: 'input_json_delta', partial_json: '' };
    const json = block.rawInput ?? JSON.stringify(block.input);
    for (let i = 0; i < json.length; i += 9)
      yield { type: 'input_json_delta', partial_json: json.slice(i, i + 9) };
  }
}

function startOf(block) {
  if (block.type === 'text')
    return { type: 'text', text: '', citations: null };
  if (block.type === 'thinking')
    return { type: 'thinking', thinking: '', signature: '' };
  if (block.type === 'tool_use') {
    const { rawInput, ...rest } = block;
    return { ...rest, input: {} };
  }
  return block;
}

/* Items are {event, data}; `content` marks the deltas that faults count. */
export function* eventsOf(message, fault = {}) {
  const item = (data, content = false) => ({ event: data.type, data, content });
  const { usage } = message;

  yield item({ type: 'message_start', message: { ...message, content: [], stop_reason: null,
    stop_details: null, usage: { ...usage, output_tokens: 2 } } });
  yield item({ type: 'ping' });
  if (fault.unknown)
    yield* unknownEvents(item);
  for (const [index, block] of message.content.entries()) {
    yield item({ type: 'content_block_start', index, content_block: startOf(block) });
    for (const delta of deltasOf(block)) {
      yield item({ type: 'content_block_delta', index, delta }, delta.type !== 'signature_delta');
      if (fault.ping)
        yield item({ type: 'ping' });
      if (fault.unknown)
        yield item({ type: 'content_block_delta', index,
          delta: { type: 'mood_delta', mood: 'calm' } });
    }
    yield item({ type: 'content_block_stop', index });
  }
  yield item({ type: 'message_delta',
    delta: { stop_reason: message.stop_reason, stop_sequence: null,
      stop_details: message.stop_details, container: null },
    usage: { input_tokens: usage.input_tokens,
      cache_creation_input_tokens: usage.cache_creation_input_tokens,
      cache_read_input_tokens: usage.cache_read_input_tokens,
      output_tokens: usage.output_tokens, output_tokens_details: null, server_tool_use: null } });
  if (!fault.no_message_stop)
    yield item({ type: 'message_stop' });
}

function* unknownEvents(item) {
  yield item({ type: 'weather_report', sky: ['clear', null, { wind: 3 }] });
  yield { event: 'message_hint', data: { type: 'message_hint', nested: { deep: [[[]]] } }, content: false };
}

export function encodeEvent({ event, data }, fault = {}) {
  const eol = fault.crlf ? '\r\n' : fault.cr ? '\r' : '\n';
  let json = JSON.stringify(data);
  if (fault.unknown)
    json = json.replace(/^\{/, '{"x_new_member":{"a":[1,2]},');
  /* Between two members a newline is legal JSON, so one event may take two data lines. */
  const lines = fault.multi_data ? json.replace(/^(\{"[^"]*":"[^"]*",)/, '$1\n').split('\n') : [json];
  const comment = fault.comments ? `: keep-alive${eol}` : '';
  return `${comment}event: ${event}${eol}${lines.map((l) => `data: ${l}${eol}`).join('')}${eol}`;
}

/* Splits inside every multi-byte character; ASCII text between them is not split. */
function splitInsideCharacters(bytes) {
  const chunks = [];
  let from = 0;
  for (let i = 1; i < bytes.length; i++)
    if ((bytes[i] & 0xc0) === 0x80) {
      chunks.push(bytes.subarray(from, i));
      from = i;
    }
  chunks.push(bytes.subarray(from));
  return chunks;
}

function splitBytes(bytes, split) {
  if (split === 'utf8')
    return splitInsideCharacters(bytes);
  const size = split === 'byte' ? 1 : split;
  const chunks = [];
  for (let i = 0; i < bytes.length; i += size)
    chunks.push(bytes.subarray(i, i + size));
  return chunks;
}

/* Writes each chunk separately, so that the client receives exactly these boundaries. */
async function writeChunks(res, bytes, split) {
  for (const chunk of split ? splitBytes(bytes, split) : [bytes]) {
    if (res.destroyed)
      return;
    if (!res.write(chunk))
      await new Promise((done) => {
        const go = () => done(res.off('drain', go).off('close', go));
        res.once('drain', go).once('close', go);
      });
    else if (split)
      await new Promise(setImmediate);
  }
}

/* The Messages dialect for sendStream. The Chat Completions dialect is in anthropic.mjs. */
const MESSAGES = {
  events: eventsOf,
  encode: encodeEvent,
  garbled: 'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"ty\n\n',
  error: ({ type, message }, id) => ({ event: 'error', data: { type: 'error', error: { type, message }, request_id: id } }),
  huge: (bytes) => ({ event: 'content_block_delta', data: { type: 'content_block_delta', index: 99,
    delta: { type: 'mood_delta', mood: 'x'.repeat(bytes) } } }),
};

/*
 * Faults with `after` count content deltas: {after: 0} applies before the first one.
 *   split: 'byte' | 'utf8' | n   crlf  cr  bom  comments  multi_data  ping  unknown  no_message_stop
 *   first_event_ms  token_ms  stall: {after, ms}  cut: {after}  end: {after}  garbled: {after}
 *   error: {after, type, message}  huge: {after, bytes} (one event of that size)
 */
export async function sendStream(res, message, headers, fault = {}, dialect = MESSAGES) {
  res.writeHead(200, { ...headers, 'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache' });
  res.flushHeaders();
  const write = (text) => writeChunks(res, Buffer.from(text), fault.split);
  if (fault.first_event_ms)
    await pause(res, fault.first_event_ms);
  if (fault.bom)
    await write('\ufeff');

  let sent = 0;
  let started = false;
  for (const item of dialect.events(message, fault)) {
    /* Faults apply after message_start at the earliest, because before it there is no stream. */
    if (started && (await applyFaults(res, write, fault, sent, headers, dialect)))
      return;
    if (item.content && fault.token_ms)
      await pause(res, fault.token_ms);
    if (res.destroyed)
      return;
    await write(dialect.encode(item, fault));
    started = true;
    sent += item.content ? 1 : 0;
    if (item.content)
      res.emit('sent');
  }
  if (!(await applyFaults(res, write, fault, sent, headers, dialect)))
    res.end();
}

/* Applies due faults. Returns true if the stream has ended. A stall applies once, and the stream continues. */
async function applyFaults(res, write, fault, sent, headers, dialect) {
  const due = (f) => f && sent >= (f.after ?? 0);
  if (due(fault.stall) && !fault.stall.done) {
    fault.stall = { ...fault.stall, done: true };
    await pause(res, fault.stall.ms);
  }
  if (due(fault.garbled) && !fault.garbled.done) {
    fault.garbled = { ...fault.garbled, done: true };
    await write(dialect.garbled);
  }
  if (due(fault.huge) && !fault.huge.done) {
    fault.huge = { ...fault.huge, done: true };
    await write(dialect.encode(dialect.huge(fault.huge.bytes), fault));
  }
  if (due(fault.error)) {
    const { type = 'overloaded_error', message = 'Overloaded' } = fault.error;
    await write(dialect.encode(dialect.error({ type, message }, headers['request-id']), fault));
    res.end();
    return true;
  }
  if (due(fault.end)) {
    res.end();
    return true;
  }
  if (due(fault.cut)) {
    await new Promise(setImmediate); /* so that the data written before is sent */
    res.destroy();
    return true;
  }
  return res.destroyed;
}

/* Sleeps, but returns early if the reader disconnects, so that a test does not wait for a stall. */
export async function pause(res, ms) {
  const closed = new AbortController();
  const onClose = () => closed.abort();
  res.once('close', onClose);
  await sleep(ms, undefined, { signal: closed.signal, ref: true }).catch(() => {});
  res.off('close', onClose);
}
