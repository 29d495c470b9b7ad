/* Operation without a model: code understands the question, templates answer, and numbers are exact. */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { COMPARISON, REFERENCE, startDaemon } from './harness.mjs';
import { mintToken } from './token.mjs';
import { rowsOf } from './turn.mjs';

const priceOf = (row) => row.AvgPrice_PerMWh;

describe('without a model', () => {
  let d;

  before(async () => {
    d = await startDaemon();
  });
  after(() => d?.stop());

  it('answers the reference question with a number, a table and a report link', async () => {
    const turn = await d.ask(REFERENCE);
    assert.equal(turn.status, 'ok');
    assert.equal(turn.complete.provider, 'rules');
    assert.equal(turn.complete.usage.calls, 0);
    assert.match(turn.text, /\$48\.73\/MWh/);
    assert.match(turn.text, /8,760/);
    for (const part of [/NP15/, /CAISO/, /2025/, /Ascend/, /Jan[_ ]2025/])
      assert.match(turn.text, part, 'vendor, market, hub-zone, year and as-of are stated');
    for (const [name, value] of Object.entries({ vendor: 'Ascend', market: 'CAISO', hub_zone: 'NP15', year: 2025,
      reference: 'Base' }))
      assert.equal(turn.filters[name], value, `filter ${name}`);

    const [table] = turn.tables;
    assert.equal(table.source.tool, 'get_average_annual_price');
    const newest = rowsOf(table).find((r) => Number(priceOf(r)) === 48.73);
    assert.ok(newest, JSON.stringify(table.data_dict));
    assert.equal(Number(newest.DataPoints), 8760);
    const meta = table.meta.find((m) => m.name === 'AvgPrice_PerMWh');
    assert.deepEqual([meta.type, meta.unit, meta.priority], ['decimal', '$/MWh', 'high']);

    const [outcome] = turn.complete.outcomes;
    assert.deepEqual([outcome.agent, outcome.tool, outcome.outcome, outcome.truncated],
      ['dayahead_agent', 'get_average_annual_price', 'rows', false]);
    assert.deepEqual(turn.complete.pbi_deep_links.map((l) => l.report_key), ['dayahead_curve_report']);
  });

  it('the acknowledgement has the id of the stored message, and statuses describe the steps', async () => {
    const turn = await d.ask(REFERENCE, { extra: { client_msg_id: 'm-1' } });
    assert.equal(turn.thinking.client_msg_id, 'm-1');
    const tool = turn.frames.filter((f) => f.type === 'chat.status' && f.tool === 'get_average_annual_price');
    assert.deepEqual(tool.map((f) => f.state), ['started', 'completed']);
    assert.equal(tool[0].item_id, tool[1].item_id);
    assert.equal(tool[1].outcome, 'rows');
    assert.equal(tool[1].rows, turn.tables[0].row_count);
  });

  it('chat.complete has every member of the contract', async () => {
    const { complete } = await d.ask(REFERENCE);
    for (const name of ['session_id', 'message_id', 'status', 'provider', 'pbi_deep_links', 'suggestions', 'usage',
      'outcomes', 'latency_ms'])
      assert.ok(name in complete, `${name} is missing`);
    assert.deepEqual(Object.keys(complete.usage).filter((k) => k !== 'cost_usd').sort(),
      ['by', 'cache_read_tokens', 'cache_write_tokens', 'calls', 'input_tokens', 'output_tokens']);
  });

  it('the hourly distribution has 24 hours', async () => {
    const turn = await d.ask('Show me the hourly price distribution for NP15 in CAISO for 2025 from Ascend');
    assert.equal(turn.status, 'ok');
    const table = turn.tables.find((t) => t.source.tool === 'get_hourly_price_distribution');
    const rows = rowsOf(table);
    assert.deepEqual(rows.map((r) => Number(r.HOUR ?? r.Hour ?? r.hour)), Array.from({ length: 24 }, (_, h) => h));
    const prices = rows.map((r) => Number(priceOf(r)));
    const mean = prices.reduce((a, b) => a + b) / 24;
    assert.ok(Math.abs(mean - 48.73) < 0.02, `the mean of the hours is the price of the year: ${mean}`);
    for (const price of [Math.min(...prices), Math.max(...prices)])
      assert.ok(turn.text.includes(price.toFixed(2)), `the answer names ${price}`);
  });

  it('the available curves of both vendors are listed', async () => {
    const turn = await d.ask('Which curves are available for SP15 in CAISO?');
    assert.equal(turn.status, 'ok');
    const table = turn.tables.find((t) => t.source.tool === 'list_available_curves');
    const text = JSON.stringify(rowsOf(table));
    for (const word of ['Ascend', 'Hitachi', 'SP15', 'Jan_2025', 'Q1_2025'])
      assert.ok(text.includes(word), `${word} is listed`);
    assert.ok(!text.includes('NP15'), 'other hubs are not listed');
    assert.match(turn.text, /Ascend/);
    assert.match(turn.text, /Hitachi/);
  });

  it('two vendors are compared: the gap, its percentage and the hours where it is widest', async () => {
    const turn = await d.ask(COMPARISON);
    assert.equal(turn.status, 'ok');
    for (const figure of ['52.14', '54.80', '2.66', '5.1'])
      assert.ok(turn.text.includes(figure), `${figure} in: ${turn.text}`);
    assert.match(turn.text, /5\.1 ?%/);
    assert.match(turn.text, /HE ?16 ?(-|–|to) ?(HE ?)?21/);
    assert.match(turn.text, /Jan[_ ]2025/);
    assert.match(turn.text, /Q1[_ ]2025/);
    assert.ok(turn.tables.some((t) => t.source.tool === 'compare_vendors'));
  });

  it('accepts an as-of date', async () => {
    const turn = await d.ask('Average day-ahead price for NP15 in CAISO for 2025 from Ascend as of Jan_2025');
    assert.match(turn.text, /48\.73/);
    assert.equal(turn.filters.asof_date, 'Jan_2025');
    assert.equal(turn.tables[0].row_count, 1);
  });

  it('unknown names are reported or asked about, never guessed', async () => {
    const turn = await d.ask('What is the price for NP99 in 2031?');
    assert.ok(turn.complete, 'no failure');
    assert.ok(['ok', 'ask', 'refused'].includes(turn.status), turn.status);
    assert.match(turn.text, /NP99/, 'the unknown name is stated');
    assert.doesNotMatch(turn.text, /\$\s?\d/, 'no price is invented');
    assert.notEqual(turn.filters.hub_zone, 'NP99');
  });

  it('reports a year without data', async () => {
    const turn = await d.ask('Average day-ahead price for NP15 in CAISO for 2031 from Ascend?');
    assert.ok(turn.complete);
    assert.match(turn.text, /2024.*2027/, 'the available years are stated');
    assert.doesNotMatch(turn.text, /\$\s?\d/);
    assert.ok(turn.complete.outcomes.every((o) => o.outcome !== 'rows'), JSON.stringify(turn.complete.outcomes));
  });

  it('without a vendor, the choices are listed, and the chosen one is answered', async () => {
    const chat = await d.connect();
    const turn = await chat.ask('What was the average day-ahead price for NP15 in CAISO for 2025?');
    assert.match(turn.text, /Ascend/);
    assert.match(turn.text, /Hitachi/);
    if (turn.status === 'ask') {
      assert.equal(turn.ask.filter, 'vendor');
      const option = turn.ask.options.find((o) => o.label === 'Ascend' || o.value === 'Ascend');
      chat.send({ type: 'chat.select', ask_id: turn.ask.ask_id, values: [option.value] });
      assert.match((await chat.turn()).text, /48\.73/);
    } else {
      assert.equal(turn.ask, undefined, 'a clarifying question ends its turn with status ask');
    }
    await chat.close();
  });

  it('runs edited filters unchanged', async () => {
    const filters = { vendor: 'Ascend', market: 'CAISO', hub_zone: 'SP15', year: 2025 };
    const turn = await d.ask(REFERENCE, { extra: { filters } });
    assert.match(turn.text, /52\.14/);
    assert.equal(turn.filters.hub_zone, 'SP15');
  });

  it('a user without the permission gets a refusal and no number', async () => {
    const turn = await d.ask(REFERENCE, { token: mintToken({ role: 'viewer' }) });
    assert.ok(turn.status === 'refused' || turn.error?.code === 'denied'
      || turn.complete.outcomes.some((o) => o.outcome === 'not_permitted'), JSON.stringify(turn.closing));
    assert.equal(turn.tables.length, 0);
    assert.doesNotMatch(turn.text, /48\.73/);
    assert.match(turn.text || turn.error.message, /permi|access|allow/i, 'the reason is stated');
    assert.deepEqual(turn.complete?.pbi_deep_links ?? [], []);
  });

  it('small talk is answered without data', async () => {
    const turn = await d.ask('Hello!');
    assert.ok(turn.complete);
    assert.equal(turn.tables.length, 0);
    assert.notEqual(turn.text, '');
  });

  it('names unused words and offers the question without them', async () => {
    const turn = await d.ask('What was the average day-ahead price per month for NP15 in CAISO for 2025 from Ascend?');
    assert.equal(turn.tables.length, 0);
    assert.match(turn.text, /"per month"/);
    assert.doesNotMatch(turn.text, /48\.73/);
    const [offered] = turn.complete.suggestions;
    assert.doesNotMatch(offered.question, /month/);
    assert.match((await d.ask(offered.question)).text, /\$48\.73\/MWh/, 'the offered question is answered');
  });

  it('explains a term, ignores instructions, and answers other languages in their language', async () => {
    for (const [question, reply] of [
      ['What is an as-of date?', /price file/],
      ['Delete the Nazareth Solar project', /only read data/],
      ['Wie hoch ist der Durchschnittspreis NP15 2025 von Ascend?', /Englisch/],
    ]) {
      const turn = await d.ask(question);
      assert.equal(turn.status, 'ok', question);
      assert.match(turn.text, reply, question);
      assert.equal(turn.tables.length, 0, question);
    }
  });
});
