/*
 * A hospital and an energy company on one daemon: the pack of the hospital is in another root, and its data in a
 * separate source, once SQLite files and once PostgreSQL, created by vesperctl from the description of the pack. Its
 * labelled questions are asked without a model and get the same answers from both; it has its own refusals, currency and
 * time zones; and one question can query the databases of both companies.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { REFERENCE, startDaemon } from './harness.mjs';
import { clinicFiles, clinicServer, PACKS, rowsFor, WARDS, warehouses } from './hospital.mjs';
import { startPostgres } from './postgres.mjs';
import { mintToken } from './token.mjs';
import { rowsOf } from './turn.mjs';

const QUESTIONS = 40;
const MIN_SHARE = 0.9;
const PRICES = 'average day-ahead price for NP15 in CAISO for 2025 from Ascend';
const COSTS = 'Costs by ward in 2025';
const BOTH = `What was the ${PRICES}, and what were the costs by ward in 2025?`;

const files = (tenant) => ({ warehouse: `${tenant}.db`, store: `${tenant}.db` });
const TENANTS = {
  vesper: files('vesper'),
  acme: { ...files('acme'), packs: ['energy', 'hospital'] }, /* the packs of both companies */
  mercy: { ...files('mercy'), packs: ['hospital'] },
  east: { ...files('east'), packs: ['hospital'], timezone: 'Pacific/Kiritimati' },
  west: { ...files('west'), packs: ['hospital'], timezone: 'Etc/GMT+12' },
};
const EMPTY = ['mercy', 'east', 'west'];
const HOSPITALS = ['acme', ...EMPTY];
const ENERGY = ['chat:read_market_data', 'chat:read_projects'];
const PERMISSIONS = ['chat:use', 'chat:advanced_sql', 'clinic:read', 'clinic:read_costs', ...ENERGY];
const token = (tenant, permissions = PERMISSIONS) => mintToken({ tenant_id: tenant, permissions });

const ask = async (d, content, caller) => (await d.rest(caller).post('/api/v1/chat', { content })).body;

/* The parts of an answer that must be equal on both back ends: everything except ids and times. */
function comparable(body) {
  const views = (body.views ?? []).map((v) => [v.view_type, v.columns, v.data_dict, v.prompt, v.message]);
  return { status: body.status, text: body.text, views, ask: body.ask?.text ?? body.ask?.prompt, error: body.error?.message, suggestions: body.suggestions,
    outcomes: body.outcomes?.map((o) => [o.tool, o.outcome, o.rows]) };
}

describe('a hospital and an energy company on one daemon', () => {
  let pg;
  let labelled;
  const daemons = {};
  const start = async (warehouse, clinic) => startDaemon({ warehouse, env: { VESPER_TENANTS: JSON.stringify(TENANTS),
    VESPER_PACKS_ROOTS: PACKS, VESPER_TODAY: '2026-02-27', ...clinic } });

  before(async () => {
    labelled = (await readFile(join(PACKS, 'config/hospital/route.jsonl'), 'utf8')).trim().split('\n').map((line) => JSON.parse(line));
    assert.equal(labelled.length, QUESTIONS);
    const warehouse = await warehouses(EMPTY);
    daemons.sqlite = await start(warehouse, await clinicFiles(HOSPITALS));
    pg = await startPostgres();
    daemons.postgres = await start(warehouse, await clinicServer(pg, HOSPITALS));
  });
  after(async () => {
    for (const d of Object.values(daemons))
      await d.stop();
    await pg?.service('stop');
  });

  it('give the same answers from SQLite and PostgreSQL', async () => {
    const failures = [];
    for (const { id, question, tools, refused } of labelled) {
      const bodies = {};
      for (const [name, d] of Object.entries(daemons))
        bodies[name] = await ask(d, question, token('mercy'));
      const answer = comparable(bodies.sqlite);
      assert.ok(answer.text || answer.ask || answer.error || answer.views.length, question);
      assert.deepEqual(comparable(bodies.postgres), answer, `${id}: ${question}`);
      if (refused)
        assert.ok(JSON.stringify(answer).includes(refused), `${id}: ${JSON.stringify(answer)}`);
      else if (!isDeepStrictEqual(answer.outcomes?.map(([tool, outcome]) => `${tool} ${outcome}`) ?? [], tools.map((tool) => `${tool} rows`)))
        failures.push(`${id}: ${JSON.stringify(answer)}`);
    }
    assert.ok(failures.length <= (1 - MIN_SHARE) * QUESTIONS, failures.join('\n'));
  });

  for (const name of ['sqlite', 'postgres']) {
    it(`${name}: answers are in euros and match the rows`, async () => {
      const sums = new Map(WARDS.map((ward) => [ward, 0]));
      for (const [ward, , month, amount] of rowsFor('mercy').costs)
        if (month.startsWith('2025'))
          sums.set(ward, sums.get(ward) + Math.round(Number(amount) * 100));
      const turn = await daemons[name].ask(COSTS, { token: token('mercy') });
      const [table] = turn.tables;
      for (const row of rowsOf(table))
        assert.equal(Math.round(Number(row.Cost) * 100), sums.get(row.Ward), row.Ward);
      assert.equal(table.row_count, WARDS.length);
      assert.equal(table.meta.find((m) => m.name === 'Cost').unit, '€');
      assert.match(turn.text, /€/);
      assert.doesNotMatch(JSON.stringify(turn.frames), /\$\d/);
    });

    it(`${name}: one question queries the databases of both companies`, async () => {
      const d = daemons[name];
      const turn = await d.ask(BOTH, { token: token('acme') });
      assert.deepEqual(turn.complete?.outcomes?.map((o) => o.outcome), ['rows', 'rows'], JSON.stringify(turn.closing));
      assert.match(turn.text, /\$\d+\.\d\d\/MWh/);
      assert.match(turn.text, /€/);
      const { body } = await d.rest(token('acme')).get(`/api/v1/receipts/${turn.complete.receipt_id}`);
      const { content } = body.data ?? body;
      assert.deepEqual(content.calls.map((c) => [c.tool, c.source]).sort(),
        [['get_average_annual_price', 'warehouse'], ['get_costs_by_ward', 'clinic']]);
    });

    it(`${name}: the energy company is unaffected`, async () => {
      const d = daemons[name];
      assert.match((await d.ask(REFERENCE, { token: token('vesper') })).text, /\$\d+\.\d\d\/MWh/);
      const other = await d.ask(COSTS, { token: token('vesper') });
      assert.ok(!other.complete?.outcomes?.some((o) => o.outcome === 'rows'), JSON.stringify(other.closing));
      const advice = await d.ask('What symptoms need a doctor?', { token: token('vesper') });
      assert.doesNotMatch(JSON.stringify(advice.frames), /hospital|medical advice/);
    });

    it(`${name}: costs require the permission of the pack`, async () => {
      const turn = await daemons[name].ask(COSTS, { token: token('mercy', ['chat:use', 'clinic:read']) });
      assert.ok(!turn.complete?.outcomes?.some((o) => o.outcome === 'rows'), JSON.stringify(turn.closing));
      assert.doesNotMatch(JSON.stringify(turn.frames), /€\s?\d/);
    });
  }

  /* The two time zones are 26 hours apart, so their dates always differ. */
  it('tenants have the date of their time zone', async (t) => {
    const d = await start(await warehouses(EMPTY), { ...await clinicFiles(HOSPITALS), VESPER_TODAY: undefined });
    t.after(() => d.stop());
    const days = {};
    for (const [tenant, zone] of [['east', 'Pacific/Kiritimati'], ['west', 'Etc/GMT+12']]) {
      const day = () => new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(Date.now() - 86400000);
      const expected = [day()];
      const { filters } = await d.ask('Admissions by ward yesterday', { token: token(tenant) });
      expected.push(day());
      assert.ok(expected.includes(filters.date_range_start), `${tenant}: ${JSON.stringify(filters)} is not ${expected}`);
      days[tenant] = filters.date_range_start;
    }
    assert.notEqual(days.east, days.west);
  });
});
