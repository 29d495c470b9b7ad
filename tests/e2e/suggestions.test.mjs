/*
 * Every suggestion leads to an answer: the starter questions of the page and all that follow from them, for each
 * pack, each role and uploaded data.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startDemo, tokenOf } from './demo-packs.mjs';
import { ROOT, startDaemon } from './harness.mjs';
import { clinicFiles, PACKS, warehouses } from './hospital.mjs';
import { Sources } from './sources.mjs';
import { mintToken } from './token.mjs';

const WALK_MAX = 400;
const UPLOAD = 'How can I upload a file?'; /* answered with instructions, without reading data */
/* The starter questions of the page. */
const startersOf = async (pack) => JSON.parse(await readFile(join(ROOT, `config/${pack}/starters.json`), 'utf8')).starters;
const STARTERS = { vesper: (await startersOf('energy')).filter(({ roles }) => !roles || roles.includes('manager')).map(({ question }) => question) };
/* A pack without tools has no examples; these are what its users asked. */
STARTERS.noor = (await readFile(join(ROOT, 'tests/route/city.jsonl'), 'utf8')).split('\n').filter(Boolean).map((line) => JSON.parse(line).question);
const SHOP = 'Shop,Product,Day,Sold,Price\n' + Array.from({ length: 60 }, (_, i) =>
  `${['North', 'South', 'West'][i % 3]},${['Tea', 'Coffee'][i % 2]},2026-01-${String(1 + i % 28).padStart(2, '0')},${5 + i * 7 % 23},${(2 + i % 5 * 0.35).toFixed(2)}\n`).join('');

/* Asks the question. Answers a clarifying question with its first option, or with the first `min` options. */
async function answer(d, question, token) {
  const chat = await d.connect({ token });
  let turn = await chat.ask(question);
  let asked = 0;
  for (; turn.status === 'ask' && turn.ask?.options?.length > 0 && asked < 3; asked++) {
    chat.send({ type: 'chat.select', ask_id: turn.ask.ask_id, values: turn.ask.options.slice(0, turn.ask.min ?? 1).map((o) => o.value) });
    turn = await chat.turn();
  }
  await chat.close();
  return { turn, asked };
}

/* Asks each question in the queue and every question suggested by an answer. Suggested questions must be answered; the
 * initial ones only if mustAnswer(question). Returns the number of clarifying questions. */
async function follow(d, token, queue, mustAnswer = () => false) {
  const initialCount = queue.length;
  const seen = new Map(queue.map((question) => [question, 'the initial questions']));
  let clarifyingCount = 0;
  for (let i = 0; i < queue.length && i < WALK_MAX; i++) {
    const { turn, asked } = await answer(d, queue[i], token);
    const from = `"${queue[i]}", from ${seen.get(queue[i])}`;
    assert.ok(turn.complete, `${from}: ${JSON.stringify(turn.closing)}`);
    assert.ok(i < initialCount || ['ok', 'ask'].includes(turn.status), `${from}: ${turn.text}`);
    clarifyingCount += asked;
    assert.ok(turn.status === 'ok' || !mustAnswer(queue[i]), from);
    assert.ok(i < initialCount || turn.status === 'ask' || queue[i] === UPLOAD
      || turn.complete.outcomes.some((o) => ['rows', 'empty', 'out_of_window'].includes(o.outcome)), `${from}: ${turn.text}`);
    for (const { question } of turn.complete.suggestions)
      if (!seen.has(question)) {
        seen.set(question, `"${queue[i]}"`);
        queue.push(question);
      }
  }
  assert.ok(queue.length > initialCount, 'questions are suggested');
  return clarifyingCount;
}

describe('suggestions', () => {
  let d;

  before(async () => {
    d = await startDemo();
  });
  after(() => d?.stop());

  for (const [tenant, role, uploaded] of [['vesper', 'viewer'], ['vesper', 'analyst'], ['vesper', 'manager'], ['mesa', 'viewer'], ['mesa', 'manager'],
    ['noor', 'viewer'], ['noor', 'manager'], ['vesper', 'analyst', 'Kiosk sales']])
    it(`lead a ${role} of ${tenant}${uploaded ? ' with uploaded data' : ''} to answers at every step`, async (t) => {
      const token = uploaded ? tokenOf(tenant, role, ['chat:upload']) : tokenOf(tenant, role);
      const starters = STARTERS[tenant] ?? [];
      assert.ok(STARTERS.vesper.length > 0);
      const source = uploaded && await new Sources(d, token).loaded(SHOP, `name=${encodeURIComponent(uploaded)}.csv`);
      assert.ok(!uploaded || source.state === 'ready', JSON.stringify(source));
      const dataQuestions = uploaded ? ['What is in Kiosk sales?', 'How many rows of Kiosk sales are there by shop?', 'Total sold by product in Kiosk sales',
        'Average price by shop in Kiosk sales', ...source.questions ?? []] : [];
      const { data } = await (await fetch(`${d.url}/api/v1/agents`, { headers: { authorization: `Bearer ${token}` } })).json();
      /* Initial questions need not be answered: a domain example may need a permission that this role lacks, and a chat suggests
       * only the examples that code understands. */
      const queue = [...new Set([...starters, ...dataQuestions, 'What can you do?', 'Hello', ...data.flatMap((agent) => agent.examples),
        ...data.flatMap((agent) => agent.starters)])];
      assert.ok(data.some((agent) => agent.starters.length > 0), 'starter questions are offered');
      const clarifyingCount = await follow(d, token, queue, (question) => role === 'manager' && starters.includes(question));
      t.diagnostic(`${tenant} ${role}: ${Math.min(queue.length, WALK_MAX)} of ${queue.length} questions, ${clarifyingCount} clarifying questions`);
    });
});

describe('suggestions of a pack without code', () => {
  it('always lead a hospital\'s users to answers', async (t) => {
    const d = await startDaemon({ warehouse: await warehouses(['mercy']), env: { VESPER_PACKS_ROOTS: PACKS, VESPER_TODAY: '2026-02-27',
      VESPER_TENANTS: JSON.stringify({ vesper: { warehouse: 'vesper.db', store: 'vesper.db' },
        mercy: { warehouse: 'mercy.db', store: 'mercy.db', packs: ['hospital'] } }), VESPER_SOURCES_CLINIC_DIALECT: 'sqlite',
      ...await clinicFiles(['mercy']) } });
    t.after(() => d.stop());
    const token = mintToken({ tenant_id: 'mercy', permissions: ['chat:use', 'clinic:read', 'clinic:read_costs'] });
    const queue = (await readFile(join(PACKS, 'config/hospital/route.jsonl'), 'utf8')).trim().split('\n').map((line) => JSON.parse(line).question);
    const clarifyingCount = await follow(d, token, queue);
    t.diagnostic(`mercy: ${queue.length} questions, ${clarifyingCount} clarifying questions`);
  });
});
