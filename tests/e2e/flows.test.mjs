/*
 * Flows: plans in files. Their clarifying questions are stored, so that any daemon can continue them, and their files
 * may change before the user replies.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { demoWarehouse, ROOT, run, startDaemon, tempDir, VESPERCTL } from './harness.mjs';
import { patient } from './patience.mjs';
import { mintToken } from './token.mjs';

const RELOAD_LIMIT_MS = patient(20000);
const FLOWS = 'prompts/energy/flow';
const HUB = 'NP15';

const toolsOf = (turn) => turn.complete.outcomes.map((o) => o.tool);

/* A copy of the files of the project, which tests change. */
async function copyProject() {
  const dir = await tempDir('flows');
  for (const name of ['config', 'sql', 'prompts'])
    await cp(join(ROOT, name), join(dir, name), { recursive: true });
  return { dir, cwd: dir, env: { VESPER_ROOT: dir, VESPER_CONFIG: join(dir, 'config/vesper.json') } };
}

/* Reloads the configuration. Returns the log of the reload. */
async function reload(d) {
  const from = d.output.length;
  d.child.kill('SIGHUP');
  for (const end = Date.now() + RELOAD_LIMIT_MS; Date.now() < end; await sleep(20)) {
    const text = d.output.slice(from);
    if (/config\.loaded|nothing was changed/.test(text))
      return text;
  }
  throw new Error(d.output.slice(from));
}

async function expectAsk(chat, question, filter) {
  const turn = await chat.ask(question);
  assert.equal(turn.status, 'ask', turn.text);
  assert.equal(turn.ask.filter, filter);
  return turn.ask;
}

async function select(chat, ask, ...values) {
  chat.send({ type: 'chat.select', ask_id: ask.ask_id, values });
  return chat.turn();
}

describe('a clarifying question of a flow', () => {
  let d;

  before(async () => {
    d = await startDaemon();
  });
  after(() => d?.stop());

  async function withChat(run) {
    const chat = await d.connect();
    try {
      return await run(chat);
    } finally {
      await chat.close();
    }
  }

  it('accepts an option, a number, a label and "Selected: X", and each runs the same tools', async () => {
    const answers = await Promise.all([
      (ask, chat) => select(chat, ask, ask.options[1].value),
      (ask, chat) => chat.ask('2'),
      (ask, chat) => chat.ask(ask.options[1].label.toLowerCase()),
      (ask, chat) => chat.ask(`Selected: ${ask.options[1].label}`),
    ].map((reply) => withChat(async (chat) => reply(await expectAsk(chat, 'Project check', 'project_name'), chat))));
    for (const turn of answers) {
      assert.equal(turn.status, 'ok', turn.text);
      assert.deepEqual(toolsOf(turn).sort(), toolsOf(answers[0]).sort());
      assert.equal(turn.text, answers[0].text);
      assert.equal(turn.complete.provider, 'rules');
    }
    assert.ok(toolsOf(answers[0]).includes('get_project_health'));
  });

  it('is not asked if the question contains the answer', () => withChat(async (chat) => {
    const turn = await chat.ask('Project check of Nazareth Solar');
    assert.equal(turn.status, 'ok', turn.text);
    assert.match(turn.text, /\*\*Nazareth Solar\*\*/);
    assert.ok(!toolsOf(turn).includes('get_portfolio_summary'), 'no choices are looked up');
  }));

  it('offers flows for an unclear question, and each kind of reply runs the chosen one without a model', async () => {
    for (const choose of [
      (ask, chat) => select(chat, ask, ask.options[0].value),
      (ask, chat) => chat.ask('1'),
      (ask, chat) => chat.ask(`Selected: ${ask.options[0].label}`),
    ])
      await withChat(async (chat) => {
        const ask = await expectAsk(chat, 'briefing please', 'choice');
        assert.deepEqual(ask.options.map((o) => o.value), ['flow:weekly_briefing']);
        assert.equal((await select(chat, ask, 'flow:project_check')).error.code, 'bad_frame', 'this flow was not offered');
        const turn = await choose(ask, chat);
        assert.equal(turn.status, 'ok', turn.text);
        assert.ok(toolsOf(turn).includes('get_recent_changes'));
        assert.equal(turn.complete.usage.calls, 0);
      });
  });

  it('and the next one can be answered in one message', () => withChat(async (chat) => {
    await expectAsk(chat, 'Vendor audit', 'hub_zone');
    const turn = await chat.ask(`${HUB} in 2026`);
    assert.equal(turn.status, 'ok', turn.text);
    assert.equal(turn.filters.hub_zone, HUB);
    assert.equal(turn.filters.year, 2026);
    assert.match(turn.text, /for NP15 in 2026/);
  }));

  it('is asked again if only the next one was answered', () => withChat(async (chat) => {
    await expectAsk(chat, 'Vendor audit', 'hub_zone');
    const turn = await chat.ask('2026');
    assert.equal(turn.status, 'ask');
    assert.equal(turn.ask.filter, 'hub_zone');
  }));

  it('is asked again for an empty selection or an invalid choice', () => withChat(async (chat) => {
    await expectAsk(chat, 'Project check', 'project_name');
    for (const text of ['Selected:', 'Selected: ,'])
      assert.equal((await chat.ask(text)).ask?.filter, 'project_name', text);
  }));

  it('if a tool is disabled meanwhile, leads to an answer that names the missing part', () => withChat(async (chat) => {
    const ask = await expectAsk(chat, 'Project check', 'project_name');
    const admin = d.rest(mintToken({ sub: 'chief', role: 'admin' }));
    const setRisksEnabled = async (enabled) => {
      for (const entry of (await admin.get('/api/v1/admin/tools')).body.data.filter((s) => s.tool === 'get_task_risks'))
        assert.equal((await admin.call('PUT', `/api/v1/admin/tools/${entry.agent}/${entry.tool}`, { json: { enabled } })).status, 200);
    };
    await setRisksEnabled(false);
    try {
      const turn = await select(chat, ask, ask.options[0].value);
      assert.equal(turn.status, 'ok', turn.text);
      assert.ok(toolsOf(turn).includes('get_project_health'), turn.text);
      assert.match(turn.text, /Not looked up: Task risks/);
      assert.doesNotMatch(turn.text, /No task has a risk/, 'the tool was not run');
    } finally {
      await setRisksEnabled(true);
    }
  }));

  it('ends after the same invalid reply three times', () => withChat(async (chat) => {
    await expectAsk(chat, 'Project check', 'project_name');
    for (const last of [false, false, true]) {
      const turn = await chat.ask('Selected: Atlantis');
      if (last) {
        assert.equal(turn.status, 'ok', turn.text);
        assert.equal(turn.ask, undefined);
        assert.match(turn.text, /so I stop here/);
      } else {
        assert.equal(turn.status, 'ask');
        assert.match(turn.text, /"Atlantis" is not one of the choices/);
      }
    }
  }));

  it('refuses an ask_id that is unknown, answered or of another session, no choice and an invalid choice', () => withChat(async (chat) => {
    const ask = await expectAsk(chat, 'Project check', 'project_name');
    assert.equal((await select(chat, { ask_id: '0198c0de-0000-7000-8000-00000000000f' }, '1')).error.code, 'expired');
    chat.send({ type: 'chat.select', ask_id: ask.ask_id, values: [] });
    assert.equal((await chat.refusal()).code, 'bad_frame');
    assert.equal((await select(chat, ask, 'Atlantis')).error.code, 'bad_frame');
    assert.equal((await select(chat, ask, ask.options[0].value, ask.options[1].value)).error.code, 'bad_frame');
    assert.equal((await select(chat, ask, ask.options[0].value)).status, 'ok');
    assert.equal((await select(chat, ask, ask.options[0].value)).error.code, 'expired');
    const other = await d.connect();
    assert.equal((await select(other, ask, ask.options[0].value)).error.code, 'expired', 'a question of another session');
    await other.close();
  }));

  it('leads to a component that fits its schema', async () => {
    const { data } = await (await fetch(`${d.url}/api/v1/components`, { headers: { authorization: `Bearer ${mintToken()}` } })).json();
    const ajv = addFormats(new Ajv({ strict: false }));
    for (const [question, component, minProps] of [
      ['Weekly briefing', 'BriefingCards', 4],
      ['Vendor audit for NP15 in 2026', 'ComparisonBars', 9],
      ['Project check of Nazareth Solar', 'ProjectCard', 10],
      ['Budget report of Kern Wind', 'BudgetReport', 7],
    ]) {
      const turn = await d.ask(question, { token: mintToken({ role: 'manager' }) });
      assert.equal(turn.status, 'ok', `${question}: ${turn.text}`);
      const [view, ...others] = turn.frames.filter((f) => f.view?.view_type === 'component').map((f) => f.view);
      assert.equal(view?.component, component, question);
      assert.equal(others.length, 0);
      const validate = ajv.compile(data.find((c) => c.name === component).schema);
      assert.ok(validate(view.props), `${component}: ${JSON.stringify(validate.errors)}`);
      assert.ok(Object.keys(view.props).length >= minProps, `${component}: ${Object.keys(view.props)}`);
      assert.ok(view.text && !view.text.includes('{'), view.text);
      const stored = (await d.rest(mintToken({ role: 'manager' })).messages(turn.session))[1].views;
      assert.ok(stored.some((v) => v.component === component), 'the component is stored');
    }
  });

  it('is abandoned by another question', () => withChat(async (chat) => {
    await expectAsk(chat, 'Project check', 'project_name');
    const turn = await chat.ask('Show all tasks with a high risk');
    assert.equal(turn.status, 'ok');
    assert.deepEqual(toolsOf(turn), ['get_task_risks']);
  }));
});

describe('a stored clarifying question', () => {
  it('can be answered after the daemon was killed and started again', async (t) => {
    const dataDir = await tempDir();
    let d = await startDaemon({ dataDir });
    t.after(() => d.exited ?? d.stop());
    let chat = await d.connect();
    const { session } = chat;
    const ask = await expectAsk(chat, 'Project check', 'project_name');
    await d.kill();
    d = await startDaemon({ dataDir });
    chat = await d.connect({ session });
    const turn = await select(chat, ask, 'Nazareth Solar');
    assert.equal(turn.status, 'ok', turn.text);
    assert.match(turn.text, /\*\*Nazareth Solar\*\*/);
    await chat.close();
  });

  it('can be answered on another daemon with the same store', async (t) => {
    const dataDir = await tempDir();
    const [one, other] = [await startDaemon({ dataDir }), await startDaemon({ dataDir })];
    t.after(() => Promise.all([one, other].map((d) => d.stop())));
    const chat = await one.connect();
    await expectAsk(chat, 'Project check', 'project_name');
    const onOther = await other.connect({ session: chat.session });
    const turn = await onOther.ask('Selected: Nazareth Solar');
    assert.equal(turn.status, 'ok', turn.text);
    assert.match(turn.text, /\*\*Nazareth Solar\*\*/);
    await Promise.all([chat, onOther].map((c) => c.close()));
  });
});

const RISK_ROUND = `---
flow: risk_round
about: The high risks of the portfolio and what changed since a day.
examples:
  - Risk round
agent: per_agent
---
ask date_range_start date between 2026-01-01 and today "Since which day?"  hint="This year"
do risks    get_task_risks risk_level=High
do changes  get_recent_changes until=today
say "**{risks.row_count}** high risks."
say "**{changes.row_count}** changes since {filter.date_range_start}."  if changes.row_count > 0
`;

/* Makes the stored question a day older. */
const MAKE_OLDER = `import sqlite3,sys,re
d = sqlite3.connect(sys.argv[1], timeout=30)
n = 0
for i, text in d.execute("SELECT message_id, standing FROM chat_messages WHERE standing LIKE '%expires_ms%'").fetchall():
    aged = re.sub(r'("expires_ms":)(\\d+)', lambda m: m[1] + str(int(m[2]) - 24 * 3600 * 1000), text)
    n += d.execute("UPDATE chat_messages SET standing = ? WHERE message_id = ?", [aged, i]).rowcount
d.commit()
print(n)`;

describe('a clarifying question that is older than a day', () => {
  it('has expired: a choice is refused, and a text is a new question', async (t) => {
    const d = await startDaemon();
    t.after(() => d.stop());
    const chat = await d.connect();
    const ask = await expectAsk(chat, 'Project check', 'project_name');
    assert.ok(Math.abs(Date.parse(ask.expires_at) - Date.now() - 24 * 3600 * 1000) < 60000, ask.expires_at);
    assert.equal((await run('python3', ['-c', MAKE_OLDER, join(d.dataDir, 'store/vesper.db')])).stdout.trim(), '1');
    const turn = await select(chat, ask, 'Nazareth Solar');
    assert.equal(turn.error?.code, 'expired', turn.text);
    assert.match(turn.error.message, /ask again/i);
    assert.doesNotMatch((await chat.ask('2')).text, /\*\*Nazareth Solar\*\*/);
    assert.equal((await select(chat, await expectAsk(chat, 'Project check', 'project_name'), 'Nazareth Solar')).status, 'ok');
    await chat.close();
  });
});

describe('a file of a flow', () => {
  let options;
  let d;
  const file = () => join(options.dir, FLOWS, 'risk_round.flow');
  const put = async (text) => {
    await writeFile(file(), text);
    return reload(d);
  };

  const load = async (text) => assert.doesNotMatch(await put(text), /catalog\.refused/);

  before(async () => {
    options = await copyProject();
    d = await startDaemon(options);
  });
  after(() => d?.stop());

  it('that is new is used after SIGHUP, and asks for a date', async () => {
    await load(RISK_ROUND);
    const chat = await d.connect();
    const ask = await expectAsk(chat, 'Risk round', 'date_range_start');
    assert.equal(ask.input, 'date');
    assert.deepEqual([ask.min_date, ask.max_date, ask.hint], ['2026-01-01', '2026-02-27', 'This year']);
    assert.equal((await select(chat, ask, '2025-12-31')).error.code, 'bad_frame');
    assert.equal((await select(chat, ask, 'soon')).error.code, 'bad_frame');
    assert.equal((await chat.ask('1 to 20 February 2026')).status, 'ask', 'a period is not a date');
    const outside = await chat.ask('2 December 2025');
    assert.equal(outside.status, 'ask');
    assert.match(outside.text, /2 December 2025/);
    const turn = await chat.ask('1 February 2026');
    assert.equal(turn.status, 'ok', turn.text);
    assert.deepEqual(toolsOf(turn).sort(), ['get_recent_changes', 'get_task_risks']);
    assert.match(turn.text, /high risks/);
    await chat.close();
  });

  it('that shares words with another one is offered together with it', async () => {
    await load(RISK_ROUND.replace('Risk round', 'Risk briefing'));
    const chat = await d.connect();
    const ask = await expectAsk(chat, 'briefing please', 'choice');
    assert.deepEqual(ask.options.map((o) => o.value).sort(), ['flow:risk_round', 'flow:weekly_briefing']);
    assert.equal((await chat.ask(ask.options.find((o) => o.value === 'flow:risk_round').label)).ask.filter, 'date_range_start');
    assert.equal((await select(chat, ask, 'flow:weekly_briefing')).error.code, 'expired');
    const late = await d.connect();
    const removed = await expectAsk(late, 'briefing please', 'choice');
    await rm(file());
    await reload(d);
    assert.equal((await select(late, removed, 'flow:risk_round')).error.code, 'expired');
    await Promise.all([chat, late].map((c) => c.close()));
  });

  it('that is invalid is reported by line, and the previous version stays in use', async () => {
    await load(RISK_ROUND);
    const log = await put(RISK_ROUND.replace('get_task_risks', 'get_risky_tasks'));
    assert.match(log, /risk_round\.flow:9: .*get_risky_tasks/);
    assert.equal((await d.ask('Risk round')).status, 'ask');
    await load(RISK_ROUND);
  });

  it('can ask for a start date and an end date', async () => {
    await load(RISK_ROUND.replace('start date between', 'start date_range between').replace(' until=today', '')
      .replace('Since which day', 'From when to when'));
    const chat = await d.connect();
    for (const reply of ['values', 'text', 'interval']) {
      const ask = await expectAsk(chat, 'Risk round', 'date_range_start');
      assert.equal(ask.input, 'date_range');
      if (reply === 'values')
        assert.equal((await select(chat, ask, '2026-02-20', '2026-02-01')).error.code, 'bad_frame');
      const turn = reply === 'values' ? await select(chat, ask, '2026-02-01', '2026-02-20')
        : reply === 'interval' ? await select(chat, ask, '2026-02-01/2026-02-20')
          : await chat.ask('from 1 February 2026 to 20 February 2026');
      assert.equal(turn.status, 'ok', `${reply}: ${turn.text}`);
      assert.equal(turn.filters.date_range_start, '2026-02-01', `${reply}: ${turn.text}`);
      assert.equal(turn.filters.date_range_end, '2026-02-20', reply);
    }
    await chat.close();
  });

  it('that changes during a clarifying question runs in the version that asked, if this is still valid', async () => {
    await load(RISK_ROUND);
    const chat = await d.connect();
    const ask = await expectAsk(chat, 'Risk round', 'date_range_start');
    await load(RISK_ROUND.replace('do changes  get_recent_changes until=today\n', 'do off get_portfolio_summary status_color=off_track\n')
      .replace(/^ask.*\n/m, '').replace(/^say.*changes.*\n/m, ''));
    const turn = await select(chat, ask, '2026-02-01');
    assert.equal(turn.status, 'ok', turn.text);
    assert.deepEqual(toolsOf(turn).sort(), ['get_recent_changes', 'get_task_risks']);
    await chat.close();
  });

  it('whose version that asked is no longer valid has expired', async () => {
    const components = join(options.dir, 'config/energy/components.json');
    const known = await readFile(components, 'utf8');
    await writeFile(components, JSON.stringify({ ...JSON.parse(known),
      RiskCard: { about: 'Risks', props: { risks: { type: 'integer', required: true } }, layout: [{ cards: ['risks'] }], text: '{risks} risks' } }));
    await load(`${RISK_ROUND}show RiskCard risks={risks.row_count}\n`);
    const chat = await d.connect();
    const ask = await expectAsk(chat, 'Risk round', 'date_range_start');
    await writeFile(components, known);
    await load(RISK_ROUND);
    const turn = await select(chat, ask, '2026-02-01');
    assert.equal(turn.error?.code, 'expired', turn.text);
    await chat.close();
  });

  it('that is removed during a clarifying question has expired', async () => {
    await load(RISK_ROUND);
    const chat = await d.connect();
    const ask = await expectAsk(chat, 'Risk round', 'date_range_start');
    await rm(file());
    assert.doesNotMatch(await reload(d), /catalog\.refused/);
    assert.equal((await select(chat, ask, '2026-02-01')).error?.code, 'expired');
    await chat.close();
  });

  it('is not used for a role without its permissions', async () => {
    await load(RISK_ROUND);
    const turn = await d.ask('Risk round', { token: mintToken({ permissions: ['chat:use', 'chat:read_market_data'] }) });
    assert.notEqual(turn.status, 'ask', turn.text);
    assert.deepEqual(toolsOf(turn), []);
  });
});

describe('vesperctl flow list and check', () => {
  let env;
  const flow = async (...args) => {
    const { code = 0, stdout, stderr } = await run(VESPERCTL, ['flow', ...args], { cwd: ROOT, env }).catch((e) => e);
    return { code, stdout, stderr };
  };

  before(async () => {
    env = { PATH: process.env.PATH, VESPER_DEMO: '1', VESPER_WAREHOUSE_DIR: await demoWarehouse(), VESPER_DATA_DIR: await tempDir(),
      VESPER_TODAY: '2026-02-27' };
  });

  it('lists the flows that a role may use', async () => {
    const namesOf = async (role) => {
      const { code, stdout } = await flow('list', '--role', role, '--json');
      assert.equal(code, 0);
      const all = JSON.parse(stdout);
      for (const { origin, about, slots, hash, name } of all)
        assert.deepEqual([origin, typeof about, Array.isArray(slots), hash.length], ['file', 'string', true, 64], name);
      return all.map(({ name }) => name);
    };
    assert.ok((await namesOf('viewer')).includes('weekly_briefing'));
    assert.ok(!(await namesOf('viewer')).includes('vendor_audit'), 'a viewer may not see prices');
    assert.ok((await namesOf('analyst')).includes('vendor_audit'));
  });

  it('reports by exit status whether all files are valid, with line and error', async () => {
    const all = await flow('check');
    assert.equal(all.code, 0, all.stdout + all.stderr);
    assert.match(all.stdout, /prompts\/energy\/flow\/weekly_briefing\.flow/);
    for (const [file, fault] of [['do_query', ':8: the map has no glances'], ['do_hidden_tool', ':8: unknown tool or agent general_sql_query']]) {
      const path = `tests/flow/broken/${file}.flow`;
      const plain = await flow('check', 'prompts/energy/flow/weekly_briefing.flow', path);
      assert.equal(plain.code, 1);
      assert.ok(`${plain.stdout}${plain.stderr}`.includes(`${path}${fault}`), plain.stdout);
      const json = await flow('check', path, '--json');
      assert.equal(json.code, 1);
      assert.deepEqual(JSON.parse(json.stdout), { path, ok: false, what: `${path}${fault}` });
    }
    assert.equal((await flow('check', 'nowhere.flow')).code, 1);
    const copy = join(await tempDir('flow'), 'lost.flow');
    const text = await readFile(join(ROOT, FLOWS, 'weekly_briefing.flow'), 'utf8');
    await writeFile(copy, `${text.replace('flow: weekly_briefing', 'flow: lost')}suggest secondary "Cake" -> "Bake me a cake with icing"\n`);
    const unanswered = await flow('check', copy);
    assert.equal(unanswered.code, 1, unanswered.stdout);
    assert.ok(unanswered.stdout.includes(`${copy}:${text.split('\n').length}: no tool or flow answers the suggestion "Bake me a cake with icing"`), unanswered.stdout);
    assert.equal((await flow('mist')).code, 2);
    assert.equal((await flow('check', '--dialect', 'x')).code, 2);
  });
});

describe('vesperctl flow run', () => {
  let env;
  const flow = async (...args) => {
    const { code = 0, stdout, stderr } = await run(VESPERCTL, ['flow', 'run', ...args], { cwd: ROOT, env }).catch((e) => e);
    return { code, stdout, stderr };
  };

  before(async () => {
    env = { PATH: process.env.PATH, VESPER_DEMO: '1', VESPER_WAREHOUSE_DIR: await demoWarehouse(),
      VESPER_DATA_DIR: await tempDir(), VESPER_TODAY: '2026-02-27' };
  });

  it('reports by exit status whether a condition is met', async () => {
    const audit = ['project_check', 'project_name=Nazareth Solar', '--role', 'viewer', '--if'];
    for (const [args, code, message] of [
      [['weekly_briefing', '--if', 'off.row_count > 0'], 0],
      [['weekly_briefing', '--if', 'off.row_count > 1000'], 1],
      [['weekly_briefing', '--if', 'not (off.row_count > 1000)'], 0],
      [['project_check', '--if', 'risks.row_count > 0'], 3],
      [[...audit, 'risks.row_count > 0'], 0],
      [[...audit, 'money.row_count > 0'], 4],
      [['weekly_briefing', '--if', 'of.row_count > 0'], 2, /--if: weekly_briefing has no task of/],
      [['weekly_briefing', '--if', 'off.row_count >'], 2, /--if: /],
      [['weekly_briefings'], 2, /unknown flow weekly_briefings/],
      [['weekly_briefing', 'colour=red'], 2, /colour=red: expected filter=value/],
    ]) {
      const result = await flow(...args);
      assert.equal(result.code, code, `${args.join(' ')}: ${result.stdout}${result.stderr}`);
      if (message)
        assert.match(result.stderr, message);
    }
  });

  it('reports a failure if the data cannot be read', async () => {
    const noData = { ...env, VESPER_WAREHOUSE_DIR: await tempDir('empty') };
    const result = await run(VESPERCTL, ['flow', 'run', 'weekly_briefing', '--if', 'off.row_count > 0'], { cwd: ROOT, env: noData })
      .catch((e) => e);
    assert.equal(result.code, 4);
  });

  it('prints its result as JSON and as a message', async () => {
    const out = JSON.parse((await flow('weekly_briefing', '--json')).stdout);
    assert.deepEqual(Object.keys(out), ['flow', 'filters', 'tasks', 'views', 'text', 'suggestions']);
    assert.deepEqual(out.tasks.map((t) => [t.id, t.state]),
      [['changes', 'completed'], ['off', 'completed'], ['risks', 'completed'], ['moved', 'skipped']]);
    const [view] = out.views;
    assert.equal(view.component, 'BriefingCards');
    assert.equal(view.props.offTrack, out.tasks[1].rows);
    assert.equal(view.props.projects.row_count, out.tasks[1].rows);
    const message = (await flow('weekly_briefing', '--md')).stdout;
    assert.match(message, /^# What changed/);
    assert.ok(message.includes(`> ${view.text}`) && message.includes(out.text.trim()));
    assert.match(message, /\n- Show all tasks with a high risk\n/);
  });
});
