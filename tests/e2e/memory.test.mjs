/*
 * Long sessions: older messages become a summary, written by code or by one call of a scripted model; the session
 * context is kept; and data that users may no longer see is omitted.
 */

import { after, before, beforeEach, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { startMock } from '../mock/anthropic.mjs';
import { filesUnder, REFERENCE, startDaemon } from './harness.mjs';
import { mintToken } from './token.mjs';

const HELLO = 'Hello!';
const FIRST = 'What is the budget vs actuals for Sierra Wind?';
const FOLLOWUP = 'and for SP15?';

/* Queries the chat database of the tenant directly. */
async function query(d, sql) {
  const files = (await filesUnder(d.dataDir)).filter((f) => /vesper[^/]*\.db$/.test(f) && !/acme/.test(f));
  for (const file of files) {
    const script = 'import json,sqlite3,sys;print(json.dumps(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchall()))';
    try {
      return JSON.parse(execFileSync('python3', ['-c', script, file, sql], { stdio: ['ignore', 'pipe', 'ignore'] }));
    } catch {
      /* not the database with the chats */
    }
  }
  throw new Error(`no chat database among ${files} of ${join(d.dataDir)}`);
}

async function askAll(chat, questions) {
  let turn;
  for (const question of questions)
    turn = await chat.ask(question);
  return turn;
}

/* The questions of 40 messages: figures first, then small talk only. */
const longSession = () => [FIRST, REFERENCE, ...Array.from({ length: 18 }, () => HELLO)];

describe('without a model', () => {
  let d;

  before(async () => {
    d = await startDaemon();
  });
  after(() => d?.stop());

  it('a session of 40 messages is summarized by code and keeps its context', async () => {
    const chat = await d.connect();
    await askAll(chat, longSession());
    const turn = await chat.ask(FOLLOWUP);
    assert.equal(turn.status, 'ok', turn.text);
    assert.match(turn.text, /52\.14/, 'vendor and year of a question 40 messages ago are in the context');
    const [[count]] = await query(d, `SELECT compaction_count FROM chat_sessions WHERE session_id = '${chat.session}'`);
    assert.equal(count, 1);
    const rows = await query(d,
      `SELECT summary_text, covers_through FROM chat_session_summaries WHERE session_id = '${chat.session}'`);
    assert.equal(rows.length, 1);
    const items = JSON.parse(rows[0][0]);
    const figure = items.find((i) => i.question === REFERENCE);
    assert.match(figure.answer, /48\.73/);
    assert.match(figure.needs, /chat:read_market_data/);
    assert.match(items.find((i) => i.question === FIRST).needs, /chat:read_budget/);
    assert.equal(items.find((i) => i.kind === 'standing').standing.filters.vendor, 'Ascend');
    await chat.close();
  });

  it('a session twice as long is summarized again and keeps its first questions', async () => {
    const chat = await d.connect();
    await askAll(chat, [...longSession(), ...longSession().slice(2), ...Array.from({ length: 6 }, () => HELLO)]);
    const rows = await query(d,
      `SELECT summary_text FROM chat_session_summaries WHERE session_id = '${chat.session}' ORDER BY covers_through`);
    assert.ok(rows.length >= 2, `${rows.length} summaries`);
    assert.ok(JSON.parse(rows.at(-1)[0]).some((i) => i.question === REFERENCE));
    await chat.close();
  });

  it('a short session has no summary', async () => {
    const chat = await d.connect();
    await askAll(chat, [REFERENCE, HELLO, FOLLOWUP]);
    assert.deepEqual(await query(d, `SELECT * FROM chat_session_summaries WHERE session_id = '${chat.session}'`), []);
    await chat.close();
  });
});

describe('through a scripted model', () => {
  let mock;
  let d;
  const isSummary = (call) => /keep the memory of a conversation/.test(JSON.stringify(call.body.system));
  const summaryRule = { when: { system: 'keep the memory of a conversation' },
    reply: { text: '- Sierra Wind: $620K of $800K spent\n- Ascend, NP15, 2025: $48.73/MWh' } };

  before(async () => {
    mock = await startMock();
    d = await startDaemon({ mock });
  });
  after(async () => {
    await d?.stop();
    await mock?.close();
  });
  beforeEach(() => {
    mock.use('demo');
    mock.reset();
  });

  it('one call writes the summary, and later prompts contain it', async () => {
    const chat = await d.connect();
    mock.use([summaryRule, { reply: 'demo' }]);
    await askAll(chat, longSession());
    assert.equal(mock.calls.filter(isSummary).length, 1);
    const source = JSON.stringify(mock.calls.find(isSummary).body.messages);
    assert.match(source, /48\.73/);
    assert.match(source, /Sierra Wind/);
    mock.reset();
    await chat.ask(REFERENCE);
    const answer = mock.calls.find((c) => c.kind === 'answer');
    assert.match(JSON.stringify(answer.body.messages), /Earlier in this conversation:\\n- Sierra Wind: \$620K/);
    await chat.close();
  });

  it('the summary omits answers for which the user has lost the permission', async () => {
    const chat = await d.connect();
    mock.use([summaryRule, { reply: 'demo' }]);
    await askAll(chat, longSession());
    await chat.close();
    mock.reset();
    const analyst = await d.connect({ token: mintToken({ role: 'analyst' }), session: chat.session });
    const turn = await analyst.ask(REFERENCE);
    assert.match(turn.text, /48\.73/);
    const sent = mock.calls.map((c) => c.raw).join('\n');
    assert.match(sent, /Earlier in this conversation/);
    assert.match(sent, /What is the budget vs actuals/, 'the question of the user is included');
    assert.doesNotMatch(sent, /620K|800K/, 'the answer is not included');
    await analyst.close();
  });

  it('code writes the summary if the model fails', async () => {
    const chat = await d.connect();
    mock.use([{ when: summaryRule.when, fault: { status: 400, error: { type: 'invalid_request_error', message: 'no' } } },
      { reply: 'demo' }]);
    const last = await askAll(chat, longSession());
    assert.ok(last.complete);
    const rows = await query(d, `SELECT summary_text FROM chat_session_summaries WHERE session_id = '${chat.session}'`);
    assert.equal(rows.length, 1);
    assert.ok(!JSON.parse(rows[0][0]).some((i) => i.kind === 'text'));
    await chat.close();
  });

  it('the supervisor gets recent questions without their answers', async () => {
    const chat = await d.connect();
    await askAll(chat, [REFERENCE, ...Array.from({ length: 8 }, () => HELLO)]);
    mock.reset();
    await chat.ask('How dear is electricity going to be where our friends live?');
    const route = mock.calls.find((c) => c.kind === 'structured');
    const text = JSON.stringify(route.body.messages);
    assert.ok(text.includes(REFERENCE));
    assert.doesNotMatch(text, /48\.73/);
    await chat.close();
  });
});
