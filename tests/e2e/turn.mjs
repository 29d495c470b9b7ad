/*
 * The rules of every turn, for any question and any failure. Every suite passes its turns through checkTurn, so a
 * violation is found wherever it occurs.
 */

import assert from 'node:assert/strict';

export const UUID7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const TYPES = ['chat.thinking', 'chat.status', 'chat.filters', 'chat.plan', 'chat.token', 'chat.view', 'chat.ask',
  'chat.complete', 'chat.error'];
const CLOSING = ['chat.complete', 'chat.error'];
const PHASES = ['understanding', 'planning', 'running', 'writing', 'checking', 'recovering', 'moved'];
const STATUSES = ['ok', 'ask', 'cancelled', 'interrupted', 'partial', 'refused'];
export const ERROR_CODES = ['bad_frame', 'unknown_type', 'too_long', 'busy', 'rate_limited', 'quota', 'denied',
  'not_found', 'expired', 'upstream', 'timeout', 'draining', 'internal'];
const MARKS = ['bound', 'unbound', 'withheld', 'unchecked', 'cite'];
const SOURCES = ['said', 'alias', 'default', 'carried', 'edited'];
const CELL_TYPES = ['text', 'int', 'decimal', 'date', 'datetime', 'bool'];

export function isClosing(frame) {
  return CLOSING.includes(frame.type) && frame.seq !== undefined;
}

export const textOf = (frames) => frames.filter((f) => f.type === 'chat.token').map((f) => f.token).join('');

/* Members are absent, never null. Only elements of arrays, such as cells of data, may be null. */
export function checkNoNullMembers(value, at = 'frame') {
  if (Array.isArray(value))
    value.forEach((v, i) => v !== null && checkNoNullMembers(v, `${at}[${i}]`));
  else if (typeof value === 'object')
    for (const [name, v] of Object.entries(value)) {
      assert.notEqual(v, null, `${at}.${name} is null`);
      checkNoNullMembers(v, `${at}.${name}`);
    }
}

function checkNumbers(frames, firstSeq) {
  let expected = firstSeq;
  for (const f of frames) {
    assert.equal(f.seq_first ?? f.seq, expected, `seq has a gap before ${JSON.stringify(f)}`);
    assert.ok(f.seq >= expected, 'seq_first is not beyond seq');
    if (f.seq_first !== undefined)
      assert.equal(f.type, 'chat.token', 'only tokens are coalesced');
    expected = f.seq + 1;
  }
}

function checkToken(f) {
  assert.equal(typeof f.token, 'string');
  assert.notEqual(f.token, '', 'a token is not empty');
  if (f.mark === undefined)
    return;
  assert.ok(MARKS.includes(f.mark.kind), f.mark.kind);
  assert.equal(f.mark.n !== undefined, f.mark.kind === 'cite', 'a citation, and nothing else, has a number');
  assert.ok(f.mark.start >= 0 && f.mark.len > 0 && f.mark.start + f.mark.len <= [...f.token].length,
    `mark outside its token: ${JSON.stringify(f)}`);
}

export function checkView(view) {
  assert.ok(['base', 'data', 'chart', 'selection', 'error', 'component'].includes(view.view_type), view.view_type);
  assert.equal(typeof view.view_id, 'string');
  if (view.view_type === 'chart')
    assert.ok(view.alt && view.chart_spec, 'a chart has a spec and a text alternative');
  if (view.view_type !== 'data')
    return;
  assert.ok(Array.isArray(view.columns) && view.columns.length > 0);
  assert.deepEqual(view.meta.map((m) => m.name), view.columns);
  for (const m of view.meta)
    assert.ok(CELL_TYPES.includes(m.type), `type of ${m.name}: ${m.type}`);
  assert.deepEqual(Object.keys(view.data_dict).sort(), [...view.columns].sort());
  for (const [name, cells] of Object.entries(view.data_dict))
    assert.equal(cells.length, view.row_count, `cells of ${name}`);
  assert.equal(typeof view.truncated, 'boolean');
  assert.ok(view.source.call && view.source.tool, 'a data view names its source');
}

function checkFilters(f) {
  for (const filter of f.filters) {
    assert.equal(typeof filter.name, 'string');
    assert.ok('value' in filter && typeof filter.label === 'string' && typeof filter.editable === 'boolean');
    assert.ok(SOURCES.includes(filter.source), filter.source);
  }
}

function checkComplete(f) {
  assert.match(f.session_id, UUID7);
  assert.match(f.message_id, UUID7);
  assert.ok(STATUSES.includes(f.status), f.status);
  assert.equal(typeof f.provider, 'string');
  for (const link of f.pbi_deep_links) {
    assert.ok(link.report_key && link.report_name && link.menu_key && link.url);
    assert.ok(!('embed_token' in link) && !('embed_url' in link), 'links only, no embed tokens');
  }
  assert.ok(Array.isArray(f.suggestions) && Array.isArray(f.outcomes));
  assert.ok(Number.isInteger(f.usage.calls) && Number.isInteger(f.usage.output_tokens));
  assert.ok(Number.isInteger(f.latency_ms) && f.latency_ms >= 0);
  if (f.status === 'partial')
    assert.ok(ERROR_CODES.includes(f.error?.code) && f.error.message, 'a partial answer reports its error');
  if (f.provider === 'rules')
    assert.equal(f.model, undefined, 'no model answered');
}

export function checkError(f) {
  assert.ok(ERROR_CODES.includes(f.code), f.code);
  assert.ok(typeof f.message === 'string' && f.message !== '');
  assert.equal(typeof f.retryable, 'boolean');
  assert.ok(Array.isArray(f.suggestions), 'chat.error carries suggestions');
}

function checkFrame(f) {
  assert.ok(TYPES.includes(f.type), `unknown frame ${f.type}`);
  checkNoNullMembers(f);
  for (const name of Object.keys(f))
    assert.match(name, /^[a-z][a-z0-9_]*$/);
  if (f.type === 'chat.thinking')
    assert.match(f.user_message_id, UUID7);
  else if (f.type === 'chat.status')
    assert.ok(PHASES.includes(f.phase) && typeof f.text === 'string', JSON.stringify(f));
  else if (f.type === 'chat.token')
    checkToken(f);
  else if (f.type === 'chat.view')
    checkView(f.view);
  else if (f.type === 'chat.filters')
    checkFilters(f);
  else if (f.type === 'chat.complete')
    checkComplete(f);
  else if (f.type === 'chat.error')
    checkError(f);
  else if (f.type === 'chat.ask')
    assert.ok(f.ask_id && f.prompt && f.input && f.filter && f.expires_at, JSON.stringify(f));
}

function checkOrder(frames) {
  const at = (type) => frames.findIndex((f) => f.type === type);
  const data = [at('chat.view'), at('chat.token')].filter((i) => i >= 0);
  if (at('chat.filters') >= 0)
    for (const i of data)
      assert.ok(at('chat.filters') < i, 'filters come before any data');
}

/*
 * `frames`: all frames of one turn in order of arrival. `firstSeq` > 1: the rest of a resumed turn. `open`: the turn may
 * not have ended. Returns a summary of the turn.
 */
export function checkTurn(frames, { firstSeq = 1, open = false } = {}) {
  assert.ok(frames.length > 0, 'a turn has frames');
  const id = frames[0].turn_id;
  assert.match(id, UUID7);
  assert.ok(frames.every((f) => f.turn_id === id), 'one turn, one turn_id');
  frames.forEach(checkFrame);
  checkNumbers(frames, firstSeq);
  const thinking = frames.filter((f) => f.type === 'chat.thinking');
  /* A question that could not be stored has only an error frame. */
  const stored = firstSeq === 1 && frames[0].type !== 'chat.error';
  assert.equal(thinking.length, stored ? 1 : 0, 'chat.thinking comes once');
  if (stored) {
    assert.equal(frames[0].type, 'chat.thinking', 'chat.thinking comes first');
    checkOrder(frames);
  }
  const closings = frames.filter((f) => CLOSING.includes(f.type));
  const last = frames[frames.length - 1];
  if (!open) {
    assert.equal(closings.length, 1, 'exactly one closing frame');
    assert.equal(last, closings[0], 'the closing frame comes last');
  }
  return summary(id, frames, closings[0]);
}

function summary(id, frames, closing) {
  const framesOf = (type) => frames.filter((f) => f.type === type);
  const text = framesOf('chat.token').map((f) => f.token).join('');
  return {
    id, frames, text, closing,
    complete: closing?.type === 'chat.complete' ? closing : undefined,
    error: closing?.type === 'chat.error' ? closing : undefined,
    status: closing?.status,
    thinking: framesOf('chat.thinking')[0],
    views: framesOf('chat.view').map((f) => f.view),
    tables: framesOf('chat.view').map((f) => f.view).filter((v) => v.view_type === 'data'),
    filters: Object.fromEntries((framesOf('chat.filters').at(-1)?.filters ?? []).map((f) => [f.name, f.value])),
    ask: framesOf('chat.ask')[0],
    lastSeq: frames[frames.length - 1].seq,
  };
}

/* The rows of a data view as objects. */
export function rowsOf(view) {
  return Array.from({ length: view.row_count },
    (_, i) => Object.fromEntries(view.columns.map((c) => [c, view.data_dict[c][i]])));
}
