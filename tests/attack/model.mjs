/*
 * A hostile model, over either wire format: its routes, tool calls, SQL and answers are malicious. The honest user's requests
 * get honest replies; all others get the hostile ones of mallory's model. Prompts must contain no canary either.
 */

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { startMock } from '../mock/anthropic.mjs';
import { MODEL_KEY } from '../e2e/harness.mjs';
import { nastyJson, nastyText, nastyValue } from './random.mjs';
import { REFERENCE, Stage } from './stage.mjs';
import { GREEDY, DRIVER_TRICKS, longest, NUMBERS, someStatement } from './statements.mjs';

const API = '/api/v1';
const QUESTION = 'How is our work spread, in a way that no report shows?';
const TOOL = 'general_sql_query';
const AGENTS = ['per_agent', 'dayahead_agent', 'price_curve_agent', 'pbi_metrics_agent'];
const TOOLS = [TOOL, 'get_average_annual_price', 'compare_vendors', 'get_project_overview', 'get_budget_overview', 'get_top_users', 'get_task_risks', 'ask_user', 'none'];
const BREAKER_AND_WAITS = { VESPER_LLM_BREAKER_FAILURES: '1000', VESPER_LLM_TIMEOUTS_MS_FIRST_BYTE: '15000', VESPER_LLM_TIMEOUTS_MS_IDLE: '15000' };

/* `replies.structured`, `.tools` and `.answer` produce the replies of mallory's model: functions of (body, request). */
export async function open(random, more = {}) {
  const replies = {};
  const mock = await startMock({ script: [{ when: { user: REFERENCE }, reply: 'demo' }, { reply: (body, request) => {
    stage.inspect(request.raw, 'a prompt');
    return replies[request.kind]?.(body, request) ?? 'demo';
  } }] });
  const env = { ...BREAKER_AND_WAITS, ...(random.chance(2) && { OPENAI_API_KEY: MODEL_KEY, OPENAI_BASE_URL: `${mock.url}/v1` }), ...more };
  const stage = await Stage.open(random, { mock: env.OPENAI_API_KEY ? undefined : mock, env });
  return Object.assign(stage, { replies, mock });
}

function setReplies(stage, replies) {
  Object.assign(stage.replies, { structured: undefined, tools: undefined, answer: undefined, ...replies });
}

/* Makes the model call the SQL tool with each text, in sequence within one turn. */
function callWithSql(stage, ...texts) {
  const remaining = [...texts];
  setReplies(stage, {
    structured: () => ({ json: { do: [{ Run: 'per_agent' }] } }),
    tools: () => (remaining.length > 0 ? { tools: [{ name: TOOL, input: { sql: remaining.shift() } }] } : { text: 'done' }),
    answer: () => ({ text: 'Here it is.' }),
  });
}

async function runSql(stage, sql, options) {
  callWithSql(stage, ...[].concat(sql));
  return stage.ask(QUESTION, options);
}

/* Reads everything that is stored of a turn. */
async function readBack(stage, turn, token) {
  const rest = stage.rest(token);
  const messages = await stage.answered(() => rest.get(`${API}/sessions/${turn.session}/messages`), (reply) => reply.status === 200);
  if (!messages)
    return;
  const answer = messages.body.data.at(-1);
  for (const path of [`sessions/${turn.session}/export`, `turns/${turn.id}/events`, `receipts/${answer.receipt_id}`,
    ...(answer.views ?? []).filter((v) => v.view_type === 'data').map((v) => `messages/${answer.message_id}/views/${v.view_id}/csv`)])
    await rest.get(`${API}/${path}`);
}

async function runAndReadBack(stage, sql, options = {}) {
  const turn = await runSql(stage, sql, options);
  await readBack(stage, turn, options.token);
  return turn;
}

/* Column names are unique: data_dict has a separate list for each. */
function checkColumns(turn) {
  for (const view of turn.tables)
    assert.equal(new Set(view.columns).size, view.columns.length, `two columns of one name: ${view.columns}`);
}

export const attacks = [
  {
    name: 'statements that the driver reads otherwise',
    async run(stage, r) {
      for (const sql of r.shuffle(DRIVER_TRICKS).slice(0, 24))
        checkColumns(await runAndReadBack(stage, sql));
    },
  },
  {
    name: 'names and literals as an analyst writes them',
    async run(stage) {
      for (const name of ["Owner's share", 'share %', 'a [b]', 'a--b']) {
        await stage.answered(() => runSql(stage, `SELECT name AS "${name}", 'a?{b}' AS x FROM per_project`),
          ({ tables: [table] }) => isDeepStrictEqual([table?.columns, table?.data_dict.x[0]], [[name, 'x'], 'a?{b}']));
      }
    },
  },
  {
    name: 'numbers beyond a double',
    async run(stage, r) {
      const turns = [];
      for (const sql of r.shuffle(NUMBERS).slice(0, 10))
        turns.push(await runAndReadBack(stage, sql));
      await stage.restart();
      for (const turn of turns)
        await readBack(stage, turn);
    },
  },
  {
    name: 'statements that want the whole machine',
    async run(stage, r) {
      for (const sql of r.shuffle(GREEDY).slice(0, 5))
        await runSql(stage, sql);
    },
  },
  {
    name: 'the end, while statements want the whole machine',
    async run(stage, r) {
      callWithSql(stage, ...r.shuffle(GREEDY).slice(0, 2));
      const asks = r.times(4, () => stage.ask(QUESTION).catch(() => {}));
      await sleep(r.between(500, 2500));
      await stage.restart();
      await Promise.all(asks);
    },
  },
  {
    name: 'a permission that is taken away',
    async run(stage) {
      const permissions = ['chat:use', 'chat:read_projects', 'chat:view_sql', 'chat:advanced_sql'];
      const [before, after] = [[...permissions, 'chat:read_budget'], permissions].map((list) => stage.token({ sub: 'moved', permissions: list }));
      /* With the permission she may see the canary, so this turn is not inspected. */
      const { inspect } = stage;
      stage.inspect = () => {};
      const turn = await stage.answered(() => {
        callWithSql(stage, 'SELECT metric, MAX(value_numbers) AS most FROM per_project45 GROUP BY metric', 'SELECT MAX(newvalue) AS v FROM dbo.changes', 'SELECT MAX(Actuals_LTD) AS v FROM per_project');
        return stage.ask(QUESTION, { token: before });
      }, ({ tables }) => tables.length > 0);
      stage.inspect = inspect;
      if (!turn)
        return;
      await readBack(stage, turn, after);
      const chat = await stage.connect({ token: after, session: turn.session });
      chat.send({ type: 'resume', turn_id: turn.id, last_seq: 0 });
      chat.send({ type: 'ping', t: 1 });
      await chat.until((f) => f.type === 'pong');
      await chat.close();
    },
  },
  {
    name: 'two columns of one name',
    async run(stage) {
      for (const sql of ['SELECT name AS x, technology AS x FROM per_project', 'SELECT a.name, b.taskname AS name FROM per_project a JOIN per_tasks b ON b.projectname = a.name',
        'SELECT * FROM per_project a JOIN per_tasks b ON b.projectname = a.name', 'SELECT name AS "x", technology AS "X" FROM per_project']) {
        const turn = await runAndReadBack(stage, sql);
        checkColumns(turn);
        for (const view of turn.tables.filter((v) => v.columns.length === 2))
          assert.notDeepEqual(view.data_dict[view.columns[0]], view.data_dict[view.columns[1]], sql);
      }
    },
  },
  {
    name: 'statements of the maximum length',
    async run(stage, r) {
      await runSql(stage, r.times(6, () => longest(r)));
    },
  },
  {
    name: 'endless tool calls',
    async run(stage, r) {
      setReplies(stage, { structured: () => ({ json: { do: [{ Run: r.pick(AGENTS) }] } }), answer: () => ({ text: 'x' }),
        tools: (body) => ({ tools: r.times(r.pick([1, 17, 64, 70]), () => ({ name: r.pick([...TOOLS, ...body.tools.map((t) => t.name)]), input: someInput(r) })) }) });
      await stage.ask(QUESTION);
    },
  },
  {
    name: 'plans that refer to themselves',
    async run(stage, r) {
      for (const steps of [[{ Step: 't1', Run: TOOL, With: [], From: [{ sql: 't1.rows[0].x' }], After: ['t1'], If: '' }],
        r.times(40, (i) => ({ Step: `t${i}`, Run: r.pick(TOOLS), With: ['vendor=Ascend'], From: [`year=t${39 - i}.rows[999999999999].x`], After: [`t${39 - i}`], If: `t${i}.row_count > 1e999` })),
        [{ Step: 't1', Run: 'get_budget_overview', With: [{ tenant_id: 'acme' }], From: [], After: [], If: '' }]]) {
        setReplies(stage, { structured: () => ({ json: { do: steps } }), tools: () => ({ text: 'done' }), answer: () => ({ text: 'x' }) });
        await stage.ask(QUESTION);
      }
    },
  },
  {
    name: 'answers of a megabyte, with all kinds of characters',
    async run(stage, r) {
      setReplies(stage, { structured: () => ({ json: { do: [{ Run: 'get_portfolio_summary' }] } }), tools: () => ({ text: 'done' }),
        answer: () => ({ text: r.pick([() => '9'.repeat(300000), () => `${'1,'.repeat(90000)}.`, () => nastyText(r, 2000).repeat(200), () => '| a '.repeat(60000), () => '\u{1f600}'.repeat(70000), () => '[a]('.repeat(60000)])() }) });
      for (let i = 0; i < 2; i++)
        await readBack(stage, await stage.ask('Show the portfolio summary'));
    },
  },
];

/* ---- variations ---- */

function someInput(r) {
  return r.pick([{}, { sql: someStatement(r) }, { vendor: 'Ascend', hub_zone: 'SP15', year: 2025 }, { question: nastyText(r), options: r.times(r.count(40), () => nastyText(r, 60)) },
    { project_name: { $ref: r.pick(['c1.rows[0].name', 'c1.rows[*].name', 'c99.facts.x', 't1.rows[-1].', nastyText(r, 40)]) } }, nastyValue(r)]);
}

function someFault(r) {
  return r.pick([{ split: 'byte' }, { split: 'utf8' }, { split: r.between(2, 90) }, { crlf: true }, { unknown: true }, { multi_data: true }, { cut: { after: r.below(6) } }, { end: { after: r.below(6) } },
    { garbled: { after: r.below(6) } }, { error: { after: r.below(6) } }, { huge: { after: r.below(4), bytes: r.pick([100, 70000, 11 * 1024 * 1024]) } }, { no_message_stop: true }, { stall: { after: r.below(4), ms: 300 } }]);
}

async function anything(stage, r) {
  const reply = (make) => (body, request) => {
    if (r.chance(4))
      Object.assign(request.fault, someFault(r));
    const result = make(body);
    if (r.chance(6))
      result.stop_reason = r.pick(['max_tokens', 'refusal', 'pause_turn', 'tool_use', 'end_turn', 'stop_sequence']);
    if (r.chance(8))
      result.usage = { output_tokens: r.pick([0, 2 ** 31, 1e15, 5]) };
    return result;
  };
  const raw = (value) => ({ type: 'tool_use', id: r.pick(['toolu_1', nastyText(r, 20) || 'x']), name: r.pick(TOOLS), input: {}, rawInput: nastyJson(r, value) });
  setReplies(stage, {
    structured: reply(() => r.pick([() => ({ json: { do: r.times(1 + r.count(30), () => someEntry(r)) } }), () => ({ text: nastyJson(r, { do: [{ Run: r.pick([...TOOLS, ...AGENTS]) }] }) }),
      () => ({ json: { do: [{ Run: r.pick(AGENTS) }] } }), () => ({ text: nastyText(r, 3000) }), () => ({ json: nastyValue(r) })])()),
    tools: reply(() => r.pick([() => ({ tools: r.times(1 + r.below(4), () => ({ name: r.pick(TOOLS), input: someInput(r) })) }), () => ({ tools: [{ name: TOOL, input: { sql: someStatement(r) } }] }),
      () => ({ blocks: r.times(1 + r.below(3), () => raw(someInput(r))), stop_reason: 'tool_use' }), () => ({ text: 'done' }), () => ({ text: nastyText(r, 500) })])()),
    answer: reply(() => ({ text: r.chance(2) ? nastyText(r, 5000) : `${nastyText(r, 100)} $48.74/MWh in ${r.pick(['2025', '1e999', '\uff11\uff12'])}. ${nastyText(r, 300)}` })),
  });
  const turn = await stage.ask(r.pick([QUESTION, 'Which tasks are at high risk?', 'Show the portfolio summary', 'Tell me about our projects and prices and use of reports', nastyText(r, 300) || 'x']));
  checkColumns(turn);
  if (r.chance(3))
    await readBack(stage, turn);
}

function someEntry(r) {
  return r.pick([{ Run: r.pick([...TOOLS, ...AGENTS, nastyText(r, 20)]) }, { Set: `${r.pick(['vendor', 'year', 'hub_zone', 'sql', 'tenant_id', nastyText(r, 10)])}${r.pick(['=', '', '=='])}${nastyText(r, 60)}` },
    { Ask: nastyText(r, 900) }, { Option: nastyText(r, 900) }, { Step: `t${r.below(4)}`, Run: r.pick(TOOLS), With: [nastyValue(r)], From: [`vendor=t${r.below(4)}.rows[0].x`], After: [`t${r.below(4)}`], If: nastyText(r, 40) }, nastyValue(r)]);
}

async function statements(stage, r) {
  const turn = await runSql(stage, r.times(r.between(1, 6), () => someStatement(r)));
  checkColumns(turn);
  if (r.chance(3))
    await readBack(stage, turn);
}

export function vary(stage, r) {
  return r.pick([anything, anything, statements])(stage, r);
}
