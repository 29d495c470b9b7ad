/*
 * The table of model calls in docs/measured.md: how many calls and tokens a question needs, and when the first token
 * would arrive from a model that takes 400 ms to begin and 15 ms a token. Counted with the scripted model, so no clock
 * is involved. Input is counted at 3.5 bytes a token, including the schema of a structured answer. Output is counted in
 * tokens of up to seven letters or three digits, with every other character as a token, which overestimates JSON. The
 * supervisor replies as its prompt asks: only with what code could not resolve. With VESPERD set:
 * node tests/bench/model-calls.mjs
 * With --tools 100: the supervisor's request with 100 tools in 12 domains; fails above the limits.
 */

import { REFERENCE, startDaemon, tempDir } from '../e2e/harness.mjs';
import { mintToken } from '../e2e/token.mjs';
import { startMock } from '../mock/anthropic.mjs';
import { tokensOf } from '../mock/wire.mjs';
import { makeHundred } from './hundred.mjs';

const BEGIN_MS = 400;
const TOKEN_MS = 15;
const UNSURE = 'How dear is electricity going to be at NP15 from Ascend where our friends live, in 2025?';
const VAGUE = 'How dear is electricity going to be where our friends in the north of the state live, from Ascend, in 2025?';
const ANSWER = { when: { kind: 'answer' }, reply: { text: 'The average day-ahead price of NP15 in CAISO for 2025 was **$48.73/MWh** '
  + 'in the Jan_2025 file of Ascend, Base case, over 8,760 hours.' } };
const routed = (...list) => [{ when: { kind: 'structured' }, reply: { json: { do: list } } }, ANSWER, { reply: 'demo' }];
const paths = [
  ['reference question: code resolves it', REFERENCE, [ANSWER]],
  ['the supervisor names the tool', UNSURE, routed({ Run: 'get_average_annual_price' })],
  ['the supervisor names the tool and two filters', VAGUE, routed({ Run: 'get_average_annual_price' }, { Set: 'hub_zone=NP15' },
    { Set: 'market=CAISO' })],
  ['an agent explores', UNSURE, routed({ Run: 'dayahead_agent' })],
];

function written(call) {
  return call.message.content.reduce((n, b) => n + (b.type === 'text' ? tokensOf(b.text).length
    : b.type === 'tool_use' ? tokensOf(JSON.stringify(b.input)).length : 0), 0);
}

/* Measures the part of the request that is the same for all questions, the rest, and how often it contains the required tool. */
async function manyTools() {
  const STABLE_MAX = 1700;
  const NEWEST_MAX = 1500;
  const roots = await tempDir('hundred');
  const asked = await makeHundred(roots);
  const mock = await startMock({ script: [{ when: { kind: 'structured' }, reply: { json: { do: [] } } }, { reply: { text: 'I see.' } }] });
  const d = await startDaemon({ mock, env: { VESPER_PACKS_ROOTS: roots,
    VESPER_TENANTS: JSON.stringify({ vesper: { warehouse: 'vesper.db', store: 'vesper.db', packs: ['hundred'] } }) } });
  const bytes = (v) => Buffer.byteLength(JSON.stringify(v) ?? '');
  const tokens = (v) => Math.ceil(bytes(v) / 3.5);
  const seen = new Set();
  const faults = [];
  let newest = 0;
  let wholeMax = 0;
  let within = 0;
  for (const user of ['ann', 'bob'])
    for (const { question, tool } of asked) {
      mock.reset();
      await d.ask(question, { token: mintToken({ sub: user, permissions: ['chat:use', 'hundred:read'] }) });
      const body = mock.calls.find((c) => c.kind === 'structured')?.body;
      if (!body) {
        faults.push(`the supervisor was not called: ${question}`);
        continue;
      }
      seen.add(JSON.stringify([body.system, body.output_config, body.tools]));
      newest = Math.max(newest, tokens(body.messages));
      wholeMax = Math.max(wholeMax, tokens(body));
      within += JSON.stringify(body.messages).includes(`- ${tool}:`);
    }
  await d.stop();
  await mock.close();
  const stable = Math.max(...[...seen].map((s) => Math.ceil(Buffer.byteLength(s) / 3.5)));
  console.log(`100 tools, 12 domains, ${2 * asked.length} questions of 2 users: stable part ${stable} tokens (at most ${STABLE_MAX}), `
    + `${seen.size} of it; newest message at most ${newest} (${NEWEST_MAX}); whole request at most ${wholeMax}; `
    + `the required tool named in ${within}`);
  if (stable > STABLE_MAX || newest > NEWEST_MAX || seen.size !== 1 || within < 0.99 * 2 * asked.length)
    faults.push('above the limits');
  faults.forEach((f) => console.error(f));
  process.exit(faults.length ? 1 : 0);
}

if (process.argv.includes('--tools')) {
  if (process.argv[process.argv.indexOf('--tools') + 1] !== '100')
    throw new Error('--tools 100');
  await manyTools();
}

const rows = [];
for (const [what, question, script] of paths) {
  const mock = await startMock({ script });
  const d = await startDaemon({ mock });
  for (const [user, note] of [['ann', 'first of a role'], ['bob', 'the next']]) {
    mock.reset();
    await d.ask(question, { token: mintToken({ sub: user, role: 'analyst' }) });
    for (const c of mock.calls.filter((x) => !x.message))
      throw new Error(`a call was refused: ${JSON.stringify(c.error ?? c.status)} ${c.kind}`);
    const sum = (name) => mock.calls.reduce((n, c) => n + c.message.usage[name], 0);
    const before = mock.calls.slice(0, -1).reduce((n, c) => n + BEGIN_MS + TOKEN_MS * written(c), 0);
    rows.push([`${what}, ${note}`, mock.count, sum('input_tokens') + sum('cache_creation_input_tokens'),
      sum('cache_read_input_tokens'), mock.calls.reduce((n, c) => n + written(c), 0), `${before + BEGIN_MS} ms`]);
  }
  await d.stop();
  await mock.close();
}
console.log('| question | model calls | input tokens, uncached | read from cache | output tokens | ideal first token |');
console.log('|---|---|---|---|---|---|');
for (const row of rows)
  console.log(`| ${row.join(' | ')} |`);
