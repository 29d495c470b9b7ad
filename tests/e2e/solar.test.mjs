/*
 * The solar pack on SQLite and on PostgreSQL: every planted fact (tests/solar/planted.json), the four flows and the recovery
 * sequences step by step, with rules and with a scripted model; interrupted flows; flows after a restart; local days; tenant
 * isolation; labelled questions (tests/route/solar.jsonl).
 */

import assert from 'node:assert/strict';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { DEMO_TOOL, demoData, ROOT, refusedStart, run, startDaemon, tempDir, VESPERCTL } from './harness.mjs';
import { startMock } from '../mock/anthropic.mjs';
import { READ_PASSWORD, startPostgres } from './postgres.mjs';
import { mintToken } from './token.mjs';

const NOW = '2026-02-27T12:00-07:00';
const PERMISSIONS = ['chat:use', 'chat:read_solar'];
const TENANTS = {
  mesa: { warehouse: 'mesa.db', store: 'mesa.db', packs: ['solar'], timezone: 'America/Denver' },
  acme: { warehouse: 'acme.db', store: 'acme.db', packs: ['solar'], timezone: 'Europe/Rome' },
};
/* Minimum share understood: of the questions used for tuning, and of the held-out questions. */
const TUNED_MIN = 0.96;
const HELD_OUT_MIN = 0.94;
const SETTINGS = { VESPER_TENANTS: JSON.stringify(TENANTS), VESPER_TODAY: NOW };

const token = (tenant = 'mesa') => mintToken({ tenant_id: tenant, permissions: PERMISSIONS });
const planted = JSON.parse(await readFile(join(ROOT, 'tests/solar/planted.json'), 'utf8'));

async function solarFilesEnv() {
  return { VESPER_SOURCES_SOLAR_DIALECT: 'sqlite', VESPER_SOURCES_SOLAR_DIR: await demoData('solar', '--small') };
}

async function solarServerEnv(pg) {
  const { VESPER_SECRETS_DIR, ...own } = process.env;
  const env = { ...own, VESPER_READ_PASSWORD: READ_PASSWORD, LSAN_OPTIONS: pg.env().LSAN_OPTIONS, VESPER_SOURCES_SOLAR_DIALECT: 'postgres' };
  await run(VESPERCTL, ['db', 'init', '--only', 'solar', '--dsn', pg.dsn('postgres')], { env });
  await run(DEMO_TOOL, ['seed', '--only', 'solar', '--small', '--dsn', pg.dsn('postgres'), '--dialect', 'postgres'], { env, cwd: ROOT, timeout: 300000 });
  return { VESPER_SOURCES_SOLAR_DIALECT: 'postgres', VESPER_SOURCES_SOLAR_DSN: pg.dsn('vesper_read', READ_PASSWORD), LSAN_OPTIONS: pg.env().LSAN_OPTIONS };
}

const tool = async (d, name, args, tenant) => {
  const { status, body } = await d.rest(token(tenant)).post(`/api/v1/tools/${name}`, args);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};

/* Rows of a set as objects. */
function rows(body, set = 'rows') {
  const { columns, data_dict: data } = body.result.sets[set];
  const names = columns.map((c) => c.name ?? c);
  const n = names.length ? data[names[0]].length : 0;
  return Array.from({ length: n }, (_, i) => Object.fromEntries(names.map((name) => [name, data[name][i]])));
}

/* Tool calls and the facts that each must return. Together they cover every planted fact. */
const CALLS = [
  ['get_fleet_overview', {}, { deviceCount: planted.devices, onlineCount: planted.online, percentOnline: 83.3, alertCount: 1 }],
  ['list_loggers', {}, { count: 14, online: 10 }],
  ['diagnose_error_codes', { days: 7 }, { openCritical: 1, openWarning: 1, events: 4 }],
  ['analyze_inverter_health', { logger_id: '925', days: 7 }, { anomalyCount: 4, completeness: 100, availability: 97.1 }],
  ['analyze_inverter_health', { logger_id: '921', days: 30 }, { anomalyCount: 0 }],
  ['analyze_inverter_health', { logger_id: '926', days: 14 }, { anomalyCount: 1 }],
  ['analyze_inverter_health', { logger_id: '929' }, { anomalyCount: 1 }],
  ['get_power_curve', { logger_id: '925', date: '2026-02-22' }, { totalEnergy: 188.71 }],
  ['get_power_curve', { logger_id: '921', date: '2025-11-02' }, {}],
  ['compare_loggers', { logger_ids: ['921', '927'], metric: 'energy', date: '2026-02-22' }, { best: '927', worst: '921' }],
  ['calculate_financial_savings', { logger_id: ['925'], start_date: '2026-02-22', end_date: '2026-02-22' },
    { energyGenerated: 188.71, savings: 22.65, co2Offset: 66.4, daysWithData: 1, daysWithout: 0 }],
  ['calculate_performance_ratio', { logger_id: '926', date: '2026-02-18' }, { completeness: 75, confidence: 'low' }],
  ['calculate_performance_ratio', {}, { method: 'IEC 61724-1: final yield / reference yield' }],
  ['forecast_production', { logger_id: '925', days_ahead: 7 }, { historyDays: 119, missingDays: 0 }],
  ['health_check', {}, { status: 'ok' }],
];
const matches = (value, expected) => (typeof expected === 'number' ? Number(value) === expected : value === expected);

describe('the solar pack', () => {
  let pg;
  const daemons = {};

  before(async () => {
    daemons.sqlite = await startDaemon({ env: { ...SETTINGS, ...await solarFilesEnv() } });
    pg = await startPostgres();
    daemons.postgres = await startDaemon({ env: { ...SETTINGS, ...await solarServerEnv(pg) } });
  });
  after(async () => {
    for (const d of Object.values(daemons))
      await d.stop();
    await pg?.service('stop');
  });

  it('finds the same planted data on SQLite and PostgreSQL', async () => {
    for (const [name, args, expected] of CALLS) {
      const got = {};
      for (const [where, d] of Object.entries(daemons)) {
        got[where] = await tool(d, name, args);
        assert.equal(got[where].status, 'ok', `${name} on ${where}: ${JSON.stringify(got[where].error)}`);
        for (const [fact, value] of Object.entries(expected))
          assert.ok(matches(got[where].result.facts[fact]?.value ?? got[where].result.facts[fact], value),
            `${name} ${JSON.stringify(args)} on ${where}: ${fact} is ${JSON.stringify(got[where].result.facts[fact])}, not ${value}`);
      }
      assert.deepEqual(got.postgres.result.facts, got.sqlite.result.facts, name);
      assert.deepEqual(Object.keys(got.postgres.result.sets), Object.keys(got.sqlite.result.sets), name);
    }
  });

  it('finds each anomaly at its time and no others', async () => {
    for (const d of Object.values(daemons)) {
      const found = rows(await tool(d, 'analyze_inverter_health', { logger_id: '925', days: 7 }));
      assert.equal(found.length, planted.anomalies.length);
      for (const a of planted.anomalies) {
        const row = found.find((r) => r.kind === a.kind);
        assert.ok(row, a.kind);
        assert.equal(row.day, a.day);
        if (a.from) {
          assert.equal(row.start, `${a.day}T${a.from}:00-07:00`);
          assert.equal(row.end, `${a.day}T${a.until}:00-07:00`);
        }
      }
    }
  });

  it('shows the monthly drift of one inverter against another', async () => {
    const { logger, beside: reference, months, permille } = planted.drift;
    for (const d of Object.values(daemons)) {
      const shares = [];
      for (const [start_date, end_date] of months) {
        const energy = async (id) => Number((await tool(d, 'calculate_financial_savings', { logger_id: [id], start_date, end_date })).result.facts.energyGenerated);
        shares.push(await energy(logger) / await energy(reference));
      }
      shares.slice(1).forEach((share, i) => assert.equal(((shares[i] - share) * 1000).toFixed(0), `${permille}`, `${shares}`));
    }
  });

  it('has 100 quarter hours on the day on which clocks go back', async () => {
    for (const d of Object.values(daemons)) {
      const body = await tool(d, 'get_power_curve', { logger_id: '921', date: '2025-11-02' });
      assert.equal(body.result.sets.rows.row_count, planted.days['2025-11-02']);
    }
  });

  it('reports the range, missing data and invalid arguments', async () => {
    for (const d of Object.values(daemons)) {
      const outside = await tool(d, 'get_power_curve', { logger_id: '940', date: '2025-01-15' });
      assert.equal(outside.status, 'no_data_in_window');
      assert.deepEqual(outside.availableRange, { start: '2024-12-01', end: '2025-01-10' });
      assert.equal((await tool(d, 'calculate_performance_ratio', { logger_id: '950' })).status, 'no_data');
      for (const [name, args] of [['analyze_inverter_health', { logger_id: '925', days: 0 }], ['analyze_inverter_health', { logger_id: '925', days: 1e6 }],
        ['forecast_production', { logger_id: '925', days_ahead: 31 }], ['compare_loggers', { logger_ids: ['925'] }],
        ['compare_loggers', { logger_ids: ['921', '922', '923', '924', '925', '926'] }], ['calculate_financial_savings', { rate: 'NaN' }]]) {
        const { status } = await d.rest(token()).post(`/api/v1/tools/${name}`, args);
        assert.equal(status, 422, `${name} ${JSON.stringify(args)}`);
      }
      const reversed = await tool(d, 'calculate_financial_savings', { start_date: '2026-02-10', end_date: '2026-02-01' });
      assert.equal(reversed.status, 'error');
      const noCapacity = await tool(d, 'calculate_performance_ratio', { logger_id: '921', date: '2026-02-22', capacity_kw: 0 });
      assert.match(JSON.stringify(noCapacity.result.facts), /capacity of 921 is unknown/);
    }
  });

  it('separates tenants and currencies', async () => {
    for (const d of Object.values(daemons)) {
      const mine = await tool(d, 'list_loggers', {}, 'acme');
      assert.deepEqual(rows(mine).map((r) => r.logger_id), ['A-1', 'A-2', 'A-3']);
      const foreign = await tool(d, 'get_power_curve', { logger_id: '925' }, 'acme');
      assert.equal(foreign.status, 'error');
      assert.doesNotMatch(JSON.stringify({ ...foreign, receipt_id: undefined }), /92[0-46-9]|Mesa/); /* an id may contain any digits */
      const euros = await tool(d, 'calculate_financial_savings', { logger_id: 'A-1', start_date: '2026-02-26', end_date: '2026-02-26' }, 'acme');
      assert.match(JSON.stringify(euros.result.facts), /"savingsEuro"/);
      assert.doesNotMatch(JSON.stringify(euros.result.facts), /"savings"/);
    }
  });

  /* ---- flows, by rules ---- */

  const flow = async (d, question) => {
    const chat = await d.connect({ token: token() });
    return [chat, await chat.ask(question)];
  };
  const component = (turn) => turn.views.find((v) => v.view_type === 'component');

  it('gives a morning briefing', async () => {
    for (const d of Object.values(daemons)) {
      const [chat, turn] = await flow(d, 'Morning briefing');
      assert.equal(turn.status, 'ok', turn.text);
      const view = component(turn);
      assert.equal(view.component, 'FleetOverview');
      assert.deepEqual([view.props.deviceCount, view.props.onlineCount, view.props.percentOnline].map(Number), [12, 10, 83.3]);
      assert.equal(view.props.alerts.row_count, 1);
      assert.equal(view.props.issues.row_count, 2, 'the condition holds: not all are online');
      assert.match(turn.text, /\*\*10\*\* of \*\*12\*\* devices are online/);
      assert.deepEqual(turn.complete.suggestions.slice(0, 2).map((s) => s.label), ['Check efficiency', 'Financial summary']);
      assert.equal(turn.complete.checked.unbound, 0);
      await chat.close();
    }
  });

  it('omits the section on problems if there are none', async () => {
    const chat = await daemons.sqlite.connect({ token: token('acme') });
    const turn = await chat.ask('Morning briefing');
    assert.equal(Number(component(turn).props.percentOnline), 100);
    assert.equal(component(turn).props.issues, undefined, 'the condition does not hold: all are online');
    assert.doesNotMatch(turn.text, /critical errors/);
    await chat.close();
  });

  it('ends each flow with suggestions', async () => {
    const next = {
      'Morning briefing': [['Check efficiency', 'Show the performance ratio for the fleet'], ['Financial summary', 'Show financial savings for the past month']],
      'Financial report for 925': [['Extend forecast', 'Forecast the production of 925 for the next 30 days'],
        ['Compare savings', 'Show financial savings of all inverters for the past month']],
      'Compare inverters 921, 922 and 925': [['Compare energy', 'Compare the energy of 921, 922 and 925'], ['Health check', 'Check the health of 922']],
      'Health check of inverter 925': [['Show power curve', 'Show the power curve of 925 on 20 February 2026'],
        ['Diagnose errors', 'Diagnose the error codes of 925 in the last 7 days']],
    };
    for (const [question, expected] of Object.entries(next)) {
      const [chat, turn] = await flow(daemons.sqlite, question);
      assert.deepEqual(turn.complete.suggestions.slice(0, 2).map((s) => [s.label, s.question]), expected, turn.text);
      assert.deepEqual(turn.complete.suggestions.slice(0, 2).map((s) => s.priority), ['primary', 'secondary']);
      for (const [, followUp] of expected) {
        const then = await chat.ask(followUp);
        assert.equal(then.status, 'ok', `${followUp}: ${then.text}`);
        assert.equal(then.complete.checked.unbound, 0, then.text);
      }
      await chat.close();
    }
  });

  it('names method, completeness and source in answers', async () => {
    for (const [question, expected] of [
      ['performance ratio for the fleet yesterday', [/IEC 61724-1/, /% of the quarter hours have data/, /confidence/]],
      ['savings of all inverters in February 2026', [/US EPA eGRID2022/, /days with data/, /days without/]],
      ['forecast the production of 925 for the next 7 days', [/method: /, /119 days of history/, /0 days missing/, /mean error/]]]) {
      const [chat, turn] = await flow(daemons.sqlite, question);
      for (const pattern of expected)
        assert.match(turn.text, pattern, question);
      await chat.close();
    }
  });

  it('asks which inverter, accepts the answer in every form, and reports', async () => {
    for (const [question, name] of [['Financial report', 'FinancialReport'], ['Health check', 'HealthReport']])
      for (const how of ['select', 'words', 'selected']) {
        const [chat, turn] = await flow(daemons.sqlite, question);
        assert.equal(turn.status, 'ask', turn.text);
        assert.equal(turn.ask.filter, 'logger_id');
        assert.deepEqual([...new Set(turn.ask.options.map((o) => o.group))], ['Inverters', 'Meteo']);
        if (how === 'select')
          chat.send({ type: 'chat.select', ask_id: turn.ask.ask_id, values: ['925'] });
        else
          chat.send({ type: 'chat.message', content: how === 'words' ? 'Inverter 925' : 'Selected: 925' });
        const answer = await chat.turn();
        assert.equal(answer.status, 'ok', `${question} ${how}: ${answer.text}`);
        assert.equal(component(answer).component, name);
        assert.equal(answer.complete.checked.unbound, 0, answer.text);
        await chat.close();
      }
  });

  it('uses given and inherited values without asking', async () => {
    const [chat, turn] = await flow(daemons.sqlite, 'Health check of inverter 925');
    assert.equal(component(turn)?.component, 'HealthReport', turn.text);
    assert.equal(Number(component(turn).props.healthScore) > 0, true);
    assert.equal(component(turn).props.anomalies.row_count, 4);
    await chat.close();
  });

  it('audits several inverters, or all if the question is skipped', async () => {
    for (const skip of [false, true]) {
      const [chat, turn] = await flow(daemons.sqlite, 'Performance audit');
      assert.equal(turn.status, 'ask', turn.text);
      assert.deepEqual([turn.ask.min, turn.ask.max], [2, 5]);
      chat.send(skip ? { type: 'chat.message', content: 'Use all available' } : { type: 'chat.select', ask_id: turn.ask.ask_id, values: ['921', '925'] });
      const answer = await chat.turn();
      assert.equal(answer.status, 'ok', answer.text);
      assert.equal(component(answer).component, 'ComparisonChart');
      assert.equal(component(answer).props.loggers.row_count, skip ? 5 : 2);
      await chat.close();
    }
  });

  it('audits the given day, or asks for another if it has no data', async () => {
    for (const [day, asked] of [['20 February 2026', false], ['5 May', true]]) {
      const [chat, turn] = await flow(daemons.sqlite, `Performance audit on ${day}`);
      assert.equal(turn.ask?.filter, 'logger_id', turn.text);
      chat.send({ type: 'chat.select', ask_id: turn.ask.ask_id, values: ['921', '925'] });
      let answer = await chat.turn();
      if (asked) {
        assert.equal(answer.ask?.input, 'date', answer.text);
        assert.deepEqual([answer.ask.min_date, answer.ask.max_date], ['2025-10-31', '2026-02-27']);
        chat.send({ type: 'chat.select', ask_id: answer.ask.ask_id, values: ['2026-02-20'] });
        answer = await chat.turn();
      }
      assert.equal(component(answer)?.props.period, '2026-02-20', answer.text);
      assert.match(answer.text, /On 2026-02-20/);
      await chat.close();
    }
  });

  /* ---- recovery ---- */

  it('offers the range after a day outside it, and stops after three attempts', async () => {
    const [chat, turn] = await flow(daemons.sqlite, 'power curve for inverter 940 on 15 January 2025');
    assert.equal(turn.status, 'ask', turn.text);
    assert.equal(turn.ask.min_date, '2024-12-01');
    assert.equal(turn.ask.max_date, '2025-01-10');
    chat.send({ type: 'chat.message', content: '20 January 2025' });
    const again = await chat.turn();
    assert.equal(again.status, 'ask', again.text);
    chat.send({ type: 'chat.message', content: '21 January 2025' });
    const third = await chat.turn();
    assert.equal(third.status, 'ask', third.text);
    chat.send({ type: 'chat.message', content: '22 January 2025' });
    const last = await chat.turn();
    assert.notEqual(last.status, 'ask', 'the question was asked three times');
    assert.match(last.text, /asked three times/);
    await chat.close();
  });

  it('continues with the chosen day, or with the latest', async () => {
    for (const latest of [false, true]) {
      const [chat, turn] = await flow(daemons.sqlite, 'power curve for inverter 940 on 15 January 2025');
      assert.equal(turn.status, 'ask', turn.text);
      chat.send(latest ? { type: 'chat.message', content: turn.ask.skip.label } : { type: 'chat.select', ask_id: turn.ask.ask_id, values: ['2025-01-05'] });
      const answer = await chat.turn();
      assert.equal(answer.status, 'ok', answer.text);
      assert.match(answer.text, latest ? /2025-01-10|10 January 2025/ : /2025-01-05|5 January 2025/);
      await chat.close();
    }
  });

  it('offers loggers with data if one has none', async () => {
    for (const d of Object.values(daemons))
      for (const [question, name] of [['Health check of inverter 950', 'HealthReport'], ['Financial report for 950', 'FinancialReport']]) {
        const [chat, turn] = await flow(d, question);
        assert.equal(turn.status, 'ask', turn.text);
        assert.match(turn.text, /no data at all for .*950/);
        assert.equal(component(turn), undefined);
        assert.equal(turn.ask.options.length, 8);
        assert.equal(turn.ask.options[0].label, 'Inverter 921', 'the first option has the same group and model');
        chat.send({ type: 'chat.select', ask_id: turn.ask.ask_id, values: ['924'] });
        const answer = await chat.turn();
        assert.equal(component(answer)?.component, name, answer.text);
        assert.match(answer.text, name === 'HealthReport' ? /\*\*924\*\* scores/ : /30 days with data/);
        await chat.close();
      }
  });

  it('suggests uploading data for a logger without data, if the user has the permission', async () => {
    for (const [more, expected] of [[[], /do not have permission to upload/], [['chat:upload'], /CSV, TSV or JSON lines/]]) {
      const chat = await daemons.sqlite.connect({ token: mintToken({ tenant_id: 'mesa', permissions: [...PERMISSIONS, ...more] }) });
      const turn = await chat.ask('Health check of inverter 950');
      const offered = turn.complete.suggestions.find((s) => s.label === 'Use data of your own');
      assert.equal(offered !== undefined, more.length > 0, JSON.stringify(turn.complete.suggestions));
      const answer = await chat.ask(offered?.question ?? 'How can I upload a file?');
      assert.equal(answer.status, 'ok');
      assert.match(answer.text, expected);
      await chat.close();
    }
  });

  /* Flows for dates outside the available range, and the component of the final answer. */
  const OUT_OF_RANGE_FLOWS = [
    ['Health check of inverter 940', { min: '2024-12-01', max: '2025-01-10' }, ['2025-01-05'], 'HealthReport', /29 December 2024 to 5 January 2025/,
      /3 January 2025 to 10 January 2025/],
    ['Financial report for 940', { min: '2024-12-01', max: '2025-01-10' }, ['2024-12-01', '2024-12-31'], 'FinancialReport', /in December 2024.*31 days with data/s,
      /12 December 2024 to 10 January 2025/],
  ];
  for (const [question, range, values, name, chosen, latest] of OUT_OF_RANGE_FLOWS)
    it(`${question}: completes with the chosen days, or the latest`, async () => {
      for (const skip of [false, true]) {
        const [chat, turn] = await flow(daemons.sqlite, question);
        assert.equal(turn.status, 'ask', turn.text);
        assert.deepEqual([turn.ask.min_date, turn.ask.max_date], [range.min, range.max]);
        chat.send(skip ? { type: 'chat.message', content: 'Use the latest there is' } : { type: 'chat.select', ask_id: turn.ask.ask_id, values });
        const answer = await chat.turn();
        assert.equal(component(answer)?.component, name, answer.text);
        assert.match(answer.text, skip ? latest : chosen);
        assert.equal(answer.complete.checked.unbound, 0, answer.text);
        await chat.close();
      }
    });

  it('asks for another day if the compared loggers have no data', async () => {
    const [chat, turn] = await flow(daemons.sqlite, 'compare 921 and 925 on 5 May 2025');
    assert.equal(turn.status, 'ask', turn.text);
    assert.deepEqual([turn.ask.min_date, turn.ask.max_date], ['2025-10-31', '2026-02-27']);
    chat.send({ type: 'chat.select', ask_id: turn.ask.ask_id, values: ['2026-02-01'] });
    const answer = await chat.turn();
    assert.match(answer.text, /best and \*\*92[15]\*\* is worst/);
    await chat.close();
    const [second, partial] = await flow(daemons.sqlite, 'compare loggers 940 and 925');
    assert.match(partial.text, /Only 1 of the 2 loggers has data/);
    assert.doesNotMatch(partial.text, /\]\]/);
    await second.close();
  });

  it('reports that a logger without recent data has no forecast', async () => {
    const [chat, turn] = await flow(daemons.sqlite, 'forecast of 940 for the next 7 days');
    assert.match(turn.text, /newest data is from 2025-01-10/);
    assert.doesNotMatch(turn.text, /kWh/);
    await chat.close();
  });

  /* ---- interrupted flows ---- */

  it('answers another question during a flow and abandons the flow', async () => {
    const [chat, turn] = await flow(daemons.sqlite, 'Financial report');
    assert.equal(turn.status, 'ask');
    chat.send({ type: 'chat.message', content: 'Which loggers are there?' });
    const other = await chat.turn();
    assert.equal(other.status, 'ok', other.text);
    assert.match(other.text, /14/);
    await chat.close();
  });

  /* ---- labelled questions ---- */

  it('understands labelled questions of the tuning half and the held-out half', async () => {
    const path = join(ROOT, 'tests/route/solar.jsonl');
    const labelled = (await readFile(path, 'utf8')).trim().split('\n').map((line) => JSON.parse(line));
    const { VESPER_SECRETS_DIR, ...own } = process.env;
    const env = { ...own, ...SETTINGS, VESPER_DATA_DIR: await tempDir(), ...await solarFilesEnv() };
    const read = (await run(VESPERCTL, ['route', '--batch', path, '--tenant', 'mesa'], { env, cwd: ROOT })).stdout.trim().split('\n').map((line) => JSON.parse(line));
    const correct = { tune: 0, held: 0 }, all = { tune: 0, held: 0 };
    labelled.forEach((q, i) => {
      const r = read[i];
      const isRouted = q.flow ? r.flow === q.flow : !r.flow && r.tools.map((t) => t.name).join() === q.tools.join();
      const filters = Object.entries(q.filters ?? {}).every(([k, v]) => String(r.filters[k]) === String(v));
      all[q.half]++;
      correct[q.half] += isRouted && filters;
    });
    assert.ok(correct.tune / all.tune >= TUNED_MIN, `understood ${correct.tune} of ${all.tune} tuning questions`);
    assert.ok(correct.held / all.held >= HELD_OUT_MIN, `understood ${correct.held} of ${all.held} held-out questions`);
  });
});

describe('the solar pack with a model', () => {
  let mock;
  let d;

  before(async () => {
    mock = await startMock();
    d = await startDaemon({ mock, env: { ...SETTINGS, ...await solarFilesEnv() } });
  });
  after(async () => {
    await d?.stop();
    await mock?.close();
  });

  /* Question, answer to the clarifying question (null: none is asked), expected component, and text that the prompt must contain. */
  const FLOWS = [['Morning briefing', null, 'FleetOverview', /83\.3/], ['Financial report', ['925'], 'FinancialReport', /eGRID2022/],
    ['Performance audit', ['921', '925'], 'ComparisonChart', /2026-02-27/], ['Health check', ['925'], 'HealthReport', /underperformance/]];

  for (const [question, values, component, expected] of FLOWS)
    it(`${question}: one model call, and none for routing`, async () => {
      mock.use([{ reply: { text: 'That is how the plant is doing.' } }]);
      mock.reset();
      const chat = await d.connect({ token: token() });
      let turn = await chat.ask(question);
      if (values) {
        assert.equal(turn.status, 'ask', turn.text);
        assert.equal(mock.calls.length, 0, 'a clarifying question needs no model call');
        chat.send({ type: 'chat.select', ask_id: turn.ask.ask_id, values });
        turn = await chat.turn();
      }
      assert.equal(turn.status, 'ok', turn.text);
      assert.equal(mock.calls.length, 1);
      assert.match(mock.calls[0].raw, expected);
      assert.equal(turn.views.find((v) => v.view_type === 'component').component, component);
      await chat.close();
    });

  /* ---- free chat: an agent that calls tools until it is done ---- */

  const OPEN = 'Somebody mentioned trouble with the roof, would you dig into it for me?';
  const agent = (...calls) => mock.use([{ when: { kind: 'structured' }, reply: { json: { do: [{ Run: 'solar_agent' }] } } },
    ...calls.map((call) => ({ when: { kind: 'tools' }, times: 1, reply: call ? { tools: [{ name: call[0], input: call[1] }] } : { text: 'done' } })),
    { when: { kind: 'tools' }, reply: { text: 'done' } }, { reply: { text: 'That is what the readings say.' } }]);
  const toolsOf = () => mock.calls.find((c) => c.kind === 'tools').body.tools.map((t) => t.name);

  it('lets an agent call its ten tools and the two screen tools', async () => {
    agent(['analyze_inverter_health', { logger_id: '925', days: 7 }], ['show_component', { component: 'HealthReport', from: ['c1'] }]);
    mock.reset();
    const chat = await d.connect({ token: token() });
    const turn = await chat.ask(OPEN);
    assert.equal(turn.status, 'ok', turn.text);
    for (const name of ['get_fleet_overview', 'list_loggers', 'analyze_inverter_health', 'get_power_curve', 'compare_loggers', 'calculate_financial_savings',
      'calculate_performance_ratio', 'forecast_production', 'diagnose_error_codes', 'health_check', 'request_user_selection', 'show_component'])
      assert.ok(toolsOf().includes(name), `${name}: ${toolsOf()}`);
    const view = turn.views.find((v) => v.view_type === 'component');
    assert.equal(view.component, 'HealthReport');
    assert.equal(view.props.anomalies.row_count, 4);
    const system = JSON.stringify(mock.calls.find((c) => c.kind === 'tools').body);
    const places = ['Recovery', 'Choosing a tool', 'Showing', 'Wording', 'Conversation'].map((level) => system.indexOf(`## ${level}`));
    assert.ok(places.every((at, i) => at > (places[i - 1] ?? 0)), `the five prompt sections are in order: ${places}`);
    await chat.close();
  });

  it('lets an agent ask for a listed logger, and continues with it', async () => {
    agent(['list_loggers', {}], ['request_user_selection', { question: 'Which inverter is it?', filter: 'logger_id', from: { $ref: 'c1.rows[*].logger_id' },
      labels: { $ref: 'c1.rows[*].name' }, groups: { $ref: 'c1.rows[*].group_name' } }], ['analyze_inverter_health', { logger_id: '925', days: 7 }]);
    mock.reset();
    const chat = await d.connect({ token: token() });
    const turn = await chat.ask(OPEN);
    assert.equal(turn.status, 'ask', turn.text);
    assert.equal(turn.ask.options.find((o) => o.value === '925').label, 'Inverter 925');
    chat.send({ type: 'chat.select', ask_id: turn.ask.ask_id, values: ['925'] });
    const answer = await chat.turn();
    assert.equal(answer.status, 'ok', answer.text);
    assert.ok(answer.complete.outcomes.some((o) => o.tool === 'analyze_inverter_health' && o.outcome === 'rows'), JSON.stringify(answer.complete.outcomes));
    await chat.close();
  });

  it('asks for another day if the agent chose a day without data', async () => {
    agent(['get_power_curve', { logger_id: '940', date: '2025-01-15' }], null, ['get_power_curve', { logger_id: '940', date: '2025-01-10' }]);
    mock.reset();
    const chat = await d.connect({ token: token() });
    const turn = await chat.ask(OPEN);
    assert.equal(turn.status, 'ask', turn.text);
    assert.deepEqual([turn.ask.min_date, turn.ask.max_date], ['2024-12-01', '2025-01-10']);
    chat.send({ type: 'chat.message', content: 'Use the latest there is' });
    const answer = await chat.turn();
    assert.equal(answer.status, 'ok', answer.text);
    assert.ok(answer.complete.outcomes.some((o) => o.tool === 'get_power_curve' && o.outcome === 'rows'), JSON.stringify(answer.complete.outcomes));
    await chat.close();
  });

  it('continues with the chosen logger in one model call', async () => {
    mock.use([{ reply: { text: 'That is how it is doing.' } }]);
    mock.reset();
    const chat = await d.connect({ token: token() });
    const turn = await chat.ask('Health check of inverter 950');
    assert.equal(turn.status, 'ask', turn.text);
    assert.equal(mock.calls.length, 0);
    chat.send({ type: 'chat.select', ask_id: turn.ask.ask_id, values: ['921'] });
    const answer = await chat.turn();
    assert.equal(answer.views.find((v) => v.view_type === 'component')?.component, 'HealthReport', answer.text);
    assert.equal(mock.calls.length, 1);
    await chat.close();
  });

  it('asks three times after days out of range, without a model call', async () => {
    mock.use([{ reply: { text: 'never' } }]);
    mock.reset();
    const chat = await d.connect({ token: token() });
    let turn = await chat.ask('power curve for inverter 940 on 15 January 2025');
    for (const day of ['20 January 2025', '21 January 2025', '22 January 2025']) {
      assert.equal(turn.status, 'ask', turn.text);
      chat.send({ type: 'chat.message', content: day });
      turn = await chat.turn();
    }
    assert.match(turn.text, /asked three times/);
    assert.equal(mock.calls.length, 0);
    await chat.close();
  });
});

describe('a flow after a restart', () => {
  it('continues with the answer', async () => {
    const dataDir = await tempDir();
    const env = { ...SETTINGS, ...await solarFilesEnv() };
    let d = await startDaemon({ dataDir, env });
    const chat = await d.connect({ token: token() });
    const turn = await chat.ask('Financial report');
    assert.equal(turn.status, 'ask', turn.text);
    const { session } = chat;
    await chat.close();
    await d.stop();
    d = await startDaemon({ dataDir, env });
    const later = await d.connect({ token: token(), session });
    later.send({ type: 'chat.select', ask_id: turn.ask.ask_id, values: ['922'] });
    const answer = await later.turn();
    assert.equal(answer.status, 'ok', answer.text);
    assert.equal(answer.views.find((v) => v.view_type === 'component').component, 'FinancialReport');
    await later.close();
    await d.stop();
  });

  it('continues with the chosen days', async () => {
    const dataDir = await tempDir();
    const env = { ...SETTINGS, ...await solarFilesEnv() };
    let d = await startDaemon({ dataDir, env });
    const chat = await d.connect({ token: token() });
    const turn = await chat.ask('Financial report for 940');
    assert.equal(turn.status, 'ask', turn.text);
    const { session } = chat;
    await chat.close();
    await d.stop();
    d = await startDaemon({ dataDir, env });
    const later = await d.connect({ token: token(), session });
    later.send({ type: 'chat.select', ask_id: turn.ask.ask_id, values: ['2024-12-01', '2024-12-31'] });
    const answer = await later.turn();
    assert.equal(answer.views.find((v) => v.view_type === 'component')?.component, 'FinancialReport', answer.text);
    assert.match(answer.text, /December 2024/);
    await later.close();
    await d.stop();
  });
});

describe('startup', () => {
  it('is refused if a CO2 factor has no source', async () => {
    const root = await tempDir('packs');
    await cp(join(ROOT, 'config'), join(root, 'config'), { recursive: true });
    await cp(join(ROOT, 'prompts'), join(root, 'prompts'), { recursive: true });
    await cp(join(ROOT, 'sql'), join(root, 'sql'), { recursive: true });
    const path = join(root, 'config/solar/solar.json'), original = await readFile(path, 'utf8');
    for (const factor of ['{"value": 0.352}', '{"value": 0.352, "source": " "}', '0.352', '{"source": "EPA"}']) {
      await writeFile(path, original.replace(/("co2_kg_per_kwh": )\{[^}]*\}/, `$1${factor}`));
      await refusedStart({ env: { ...SETTINGS, VESPER_ROOT: root, VESPER_CONFIG: join(root, 'config/vesper.json'),
        VESPER_SOURCES_SOLAR_DIALECT: 'sqlite', VESPER_SOURCES_SOLAR_DIR: root } }, /solar\.json.*co2_kg_per_kwh/s);
    }
  });
  it('is refused for an invalid time of day', async () => {
    await refusedStart({ env: { ...SETTINGS, VESPER_TODAY: '2026-02-27T25:00' } }, /VESPER_TODAY: must be a date/);
  });
});
