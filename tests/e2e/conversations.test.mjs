/*
 * The five reference conversations, without a model and with one: tool, filters, table and numbers are the same. Each
 * number in the text of the scripted model is compared with the data.
 */

import { after, before, beforeEach, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { startMock } from '../mock/anthropic.mjs';
import { COMPARISON, REFERENCE, startDaemon } from './harness.mjs';
import { rowsOf } from './turn.mjs';

/* Kinds of correct numbers that are not compared with the data, because they are part of the wording: "HE 16-21". */
const NOT_COMPARED = new Set(['comparison', 'rank', 'wording']);

const CONVERSATIONS = [
  {
    name: 'a day-ahead price', question: REFERENCE, tool: 'get_average_annual_price',
    filters: { vendor: 'Ascend', market: 'CAISO', hub_zone: 'NP15', year: 2025 },
    says: ['NP15', 'CAISO', '2025', 'Ascend', /Jan[_ ]2025/, '$48.73/MWh', '8,760'],
    reports: ['dayahead_curve_report'],
    table: (rows) => {
      assert.equal(Number(rows[0].AvgPrice_PerMWh), 48.73);
      assert.equal(Number(rows[0].DataPoints), 8760);
      assert.equal(rows[0].AsOf, 'Jan_2025', 'the newest file is first');
    },
    model: 'The average day-ahead price for **NP15 in CAISO for 2025** (Ascend, as-of Jan_2025) was **$48.73/MWh** '
      + 'based on 8,760 hourly data points.',
  },
  {
    name: 'the health of a project', question: 'What is the health status of Nazareth Solar?', tool: 'get_project_health',
    filters: { project_name: 'Nazareth Solar' },
    says: ['Nazareth Solar', 'Stage 4', '🟡', '🟢', '🔴', '⬜', 'Phase II'],
    reports: ['per_project_health_report', 'per_project_report'],
    table: (rows) => {
      assert.equal(rows.length, 9);
      const row = (area) => rows.find((r) => r.HealthArea === area);
      assert.deepEqual(rows.map((r) => r.HealthColor ?? 'n/a'),
        ['green', 'yellow', 'red', 'green', 'yellow', 'green', 'red', 'n/a', 'yellow']);
      assert.equal(Number(row('Permits').PercentComplete), 65);
      assert.equal(row('Financing').Notes, 'Term sheet not yet received');
    },
    model: '**Nazareth Solar** is in **Stage 4 (Pre-Con & Finance)** with overall status **at risk** 🟡.\n\n'
      + '| Domain | Status | % complete | Due | Notes |\n|---|---|---|---|---|\n'
      + '| Site Control | 🟢 Green | 100% | — | Site secured |\n'
      + '| Permits | 🟡 Yellow | 65% | June 2025 | CEQA review pending |\n'
      + '| Interconnection | 🔴 Red | 40% | September 2025 | Phase II study delayed |\n'
      + '| Construction | ⬜ N/A | 0% | — | Not started |\n\n'
      + '**Key risk**: the Interconnection Phase II study is delayed; 2 🔴 and 3 🟡 areas, 3 🟢 Green.',
  },
  {
    name: 'the projects that are off track', question: 'Show me all projects that are off track (red)',
    tool: 'get_portfolio_summary', filters: { status_color: 'off_track' },
    says: ['3 projects', '🔴', 'Sierra Wind', '$800K', '$620K', 'Permitting stalled', 'Mojave BESS', '$5.4M', '$4.9M',
      'EPC contractor dispute'],
    reports: ['per_portfolio_report'],
    table: (rows) => {
      assert.deepEqual(rows.map((r) => r.ProjectName).sort(), ['Mojave BESS', 'Pecos Ridge Wind', 'Sierra Wind']);
      assert.ok(rows.every((r) => r.ProjectStatus === 'off_track'));
      assert.equal(Number(rows.find((r) => r.ProjectName === 'Sierra Wind').TotalBudget), 800000);
    },
    model: 'There are **3 projects** currently **off track** 🔴:\n\n'
      + '| Project | Stage | Technology | Market | Budget | Actuals | Summary |\n|---|---|---|---|---|---|---|\n'
      + '| Sierra Wind | Stage 3 | Wind | ERCOT | $800K | $620K | Permitting stalled |\n'
      + '| Pecos Ridge Wind | Stage 4 | Wind | ERCOT | $3.2M | $3.05M | Turbine delivery slipped |\n'
      + '| Mojave BESS | Stage 5 | BESS | CAISO | $5.4M | $4.9M | EPC contractor dispute |',
  },
  {
    name: 'two vendors', question: COMPARISON, tool: 'compare_vendors',
    filters: { market: 'CAISO', hub_zone: 'SP15', year: 2025, vendors: ['Ascend', 'Hitachi'] },
    says: ['SP15', 'CAISO', '2025', '$52.14/MWh', '$54.80/MWh', '$2.66/MWh', '5.1%', 'HE 16-21', /Jan[_ ]2025/, /Q1[_ ]2025/],
    reports: ['dayahead_curve_report'],
    table: (rows) => {
      const price = (vendor, asof) => Number(rows.find((r) => r.Vendor === vendor && r.AsOf === asof).AvgPrice_PerMWh);
      assert.equal(price('Ascend', 'Jan_2025'), 52.14);
      assert.equal(price('Hitachi', 'Q1_2025'), 54.8);
    },
    model: '**Day-Ahead Price Comparison: SP15, CAISO, 2025**\n\n| Vendor | As-of | Avg price |\n|---|---|---|\n'
      + '| Ascend | Jan_2025 | $52.14/MWh |\n| Hitachi | Q1_2025 | $54.80/MWh |\n\n'
      + "Hitachi's forecast is **$2.66/MWh (5.1%) higher** than Ascend's. The difference is widest in HE 16-21.",
  },
  {
    name: 'the milestone dates that moved', question: 'What milestone dates changed in the last week?',
    tool: 'get_recent_changes', filters: { field_changed: 'FinishDate', date_range_start: '2026-02-20' },
    says: ['5', 'Sierra Wind', 'Execute Interconnection Agreement', '+3 months', '+2 months', /re-?confirmed/i, 'Pattern',
      /March 2026/, /February 2027/],
    reports: ['per_portfolio_report'],
    table: (rows) => {
      assert.deepEqual(rows.map((r) => r.ProjectName),
        ['Sierra Wind', 'Nazareth Solar', 'Desert Sun', 'Mojave BESS', 'Kern Wind']);
      assert.deepEqual(rows.map((r) => r.Change),
        ['+3 months', '+3 months', 'No change (re-confirmed)', '+2 months', '+3 months']);
      assert.deepEqual([rows[0].PreviousValue, rows[0].NewValue], ['2026-03-15', '2026-06-15']);
    },
    model: '**5 milestone date changes** recorded in the last 7 days:\n\n'
      + '| Date | Project | Task | Previous | New | Change |\n|---|---|---|---|---|---|\n'
      + '| 26 February | Sierra Wind | Execute Interconnection Agreement | March 2026 | June 2026 | +3 months |\n'
      + '| 24 February | Desert Sun | EPC FNTP | April 2026 | April 2026 | No change (re-confirmed) |\n'
      + '| 23 February | Mojave BESS | Mechanical Completion | December 2026 | February 2027 | +2 months |\n\n'
      + '**Pattern**: 4 of 5 dates moved later, by 2 to 3 months.',
  },
];

function check(turn, c) {
  assert.equal(turn.status, 'ok', turn.text);
  assert.deepEqual(turn.complete.outcomes.map((o) => [o.tool, o.outcome]), [[c.tool, 'rows']]);
  for (const [name, value] of Object.entries(c.filters))
    assert.deepEqual(turn.filters[name], value, `filter ${name}`);
  c.table(rowsOf(turn.tables[0]));
  assert.deepEqual(turn.complete.pbi_deep_links.map((l) => l.report_key), c.reports);
  assert.deepEqual(turn.complete.checked.items.filter((i) => i.kind !== 'bound' && !NOT_COMPARED.has(i.why)), [], turn.text);
  assert.ok(turn.complete.checked.bound > 0);
}

function checkText(turn, c) {
  for (const part of c.says)
    assert.ok(part instanceof RegExp ? part.test(turn.text) : turn.text.includes(part), `${part} in: ${turn.text}`);
  assert.doesNotMatch(turn.text, /\d{4}-\d\d-\d\d/, 'dates are written in words');
}

describe('the reference conversations without a model', () => {
  let d;

  before(async () => {
    d = await startDaemon();
  });
  after(() => d?.stop());

  for (const c of CONVERSATIONS)
    it(c.name, async () => {
      const turn = await d.ask(c.question);
      check(turn, c);
      checkText(turn, c);
      assert.equal(turn.complete.usage.calls, 0);
    });

  it('do not inherit from each other in one session', async () => {
    const chat = await d.connect();
    for (const c of CONVERSATIONS) {
      const turn = await chat.ask(c.question);
      check(turn, c);
      checkText(turn, c);
    }
    await chat.close();
  });
});

describe('the reference conversations through a scripted model', () => {
  let mock;
  let d;

  before(async () => {
    mock = await startMock();
    d = await startDaemon({ mock });
  });
  after(async () => {
    await d?.stop();
    await mock?.close();
  });
  beforeEach(() => mock.reset());

  for (const c of CONVERSATIONS)
    it(c.name, async () => {
      mock.use([{ when: { kind: 'answer' }, reply: { text: c.model } }]);
      const turn = await d.ask(c.question);
      check(turn, c);
      assert.equal(turn.text, c.model);
      assert.equal(turn.complete.provider, 'anthropic');
      assert.equal(mock.count, 1, 'code reads the question, so only the answer needs a call');
    });

  it('a number that is not in the data is marked', async () => {
    mock.use([{ when: { kind: 'answer' }, reply: { text: 'The average was **$47.73/MWh** over 8,760 hours.' } }]);
    const turn = await d.ask(REFERENCE);
    const wrong = turn.complete.checked.items.filter((i) => i.kind !== 'bound' && !NOT_COMPARED.has(i.why));
    assert.deepEqual(wrong.map((i) => i.text), ['$47.73/MWh']);
  });
});
