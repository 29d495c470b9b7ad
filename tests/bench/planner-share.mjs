/*
 * The share of labelled questions that need the planner's call, with a supervisor that follows its prompt (a plan is needed
 * for three or more tools) and with one that always requests a plan. With VESPERD set:
 * node tests/bench/planner-share.mjs. Fails if the first share is above one in twenty.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT, startDaemon } from '../e2e/harness.mjs';
import { mintToken } from '../e2e/token.mjs';
import { startMock } from '../mock/anthropic.mjs';

const SHARE_MAX = 0.05;
const PARTS = 3;

const lines = async (name) => (await readFile(join(ROOT, 'tests/route', name), 'utf8')).trim().split('\n').map((l) => JSON.parse(l));
const labelled = [...await lines('questions.jsonl'), ...await lines('business.jsonl')];
const isPlanner = (body) => /You plan how a question/.test(JSON.stringify(body.system));

const mock = await startMock();
const d = await startDaemon({ mock, env: { VESPER_LIMITS_USER_PER_MINUTE: '0', VESPER_LIMITS_TENANT_PER_MINUTE: '0' } });

async function count(name, needsPlan) {
  let supervisor = 0;
  let planner = 0;
  for (const [i, { question, tools }] of labelled.entries()) {
    const steps = tools.map((Run, n) => ({ Step: `t${n + 1}`, Run, With: [], From: [], After: [], If: '' }));
    mock.reset();
    mock.use([{ when: { kind: 'structured' }, reply: (body) => ({ json: { do: isPlanner(body) ? steps
      : needsPlan(tools) ? [{ Plan: 'needed' }] : tools.map((Run) => ({ Run })) } }) },
    { when: { kind: 'answer' }, reply: { text: 'I see.' } }, { reply: { text: 'I see.' } }]);
    await d.rest(mintToken({ sub: `u${i}`, role: 'admin' })).post('/api/v1/chat', { content: question });
    supervisor += mock.calls.some((c) => c.kind === 'structured' && !isPlanner(c.body));
    planner += mock.calls.some((c) => c.kind === 'structured' && isPlanner(c.body));
  }
  const percent = (n) => `${n} (${(100 * n / labelled.length).toFixed(1)} %)`;
  console.log(`${name}: of ${labelled.length} questions the supervisor is asked for ${percent(supervisor)}, the planner for ${percent(planner)}`);
  return planner / labelled.length;
}

const share = await count('a supervisor that follows its prompt', (tools) => tools.length >= PARTS);
await count('a supervisor that always requests a plan', () => true);
await d.stop();
await mock.close();
process.exit(share <= SHARE_MAX ? 0 : 1);
