/* Charts: every spec is valid Vega-Lite v6, compiles without a warning and draws; answers include them. */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import * as vega from 'vega';
import { compile } from 'vega-lite';
import { ROOT, VESPERCTL, VESPERD, run, startDaemon } from './harness.mjs';
import { mintToken } from './token.mjs';

const schema = JSON.parse(readFileSync(join(ROOT, 'tests/node_modules/vega-lite/build/vega-lite-schema.json')));
const ajv = new Ajv({ strict: false, allErrors: false });
addFormats(ajv);
ajv.addFormat('color-hex', /^#[0-9a-fA-F]{6}$/);
const isValid = ajv.compile(schema);

async function draw(spec) {
  const warnings = [];
  const logger = { level: () => logger, error: (m) => warnings.push(m), warn: (m) => warnings.push(m), info() {}, debug() {} };
  const { spec: vegaSpec } = compile({ ...spec, width: 400 }, { logger });
  assert.deepEqual(warnings, [], spec.title);
  const view = new vega.View(vega.parse(vegaSpec), { renderer: 'none', logger });
  const svg = await view.toSVG();
  view.finalize();
  return svg;
}

async function checkChart(view) {
  assert.ok(isValid(view.chart_spec), `${view.shape ?? view.text}: ${ajv.errorsText(isValid.errors)}`);
  const svg = await draw(view.chart_spec);
  assert.match(svg, /<path[^>]* d="M/, `${view.shape}: something is drawn`);
  assert.ok(view.alt.length > 20 && view.chart_spec.description === view.alt);
  assert.doesNotMatch(JSON.stringify(view.chart_spec), /"(expr|signal|href|url|usermeta|transform|params)":|null/);
}

describe('charts', () => {
  let d;

  before(async () => {
    d = await startDaemon();
  });
  after(() => d?.stop());

  it('of every shape are valid, compile without a warning, and draw', async () => {
    const { stdout } = await run(join(dirname(VESPERD), 'test_view_chart_shape'), ['--specs'], { maxBuffer: 1 << 26 });
    const views = stdout.trim().split('\n').map((line) => JSON.parse(line));
    assert.ok(views.length >= 40, `${views.length} charts`);
    for (const view of views)
      await checkChart(view);
  });

  const questions = [
    ['What are the hourly prices for SP15 in CAISO for 2025 from Ascend?', 'layered', 'Hour'],
    ['Compare Ascend vs Hitachi day-ahead prices for SP15 in CAISO for 2025', 'line', 'Hour'],
    ['Which reports are viewed most?', 'bar', 'ReportName'],
  ];
  for (const [question, type, x] of questions)
    it(`"${question}" gives a table and a ${type} chart`, async () => {
      const { views } = await d.ask(question);
      const chart = views.find((v) => v.view_type === 'chart');
      assert.ok(chart, JSON.stringify(views.map((v) => v.view_type)));
      assert.equal(views[0].view_type, 'data');
      assert.notEqual(chart.view_id, views[0].view_id);
      assert.equal(chart.source.call, views[0].source.call);
      assert.equal(chart.chart_type, type);
      assert.ok(chart.columns.includes(x));
      await checkChart(chart);
    });

  it('a chart type in the question is used if it fits', async () => {
    const { views } = await d.ask('What are the hourly prices for SP15 in CAISO for 2025 from Ascend, as a bar chart?');
    assert.equal(views.find((v) => v.view_type === 'chart').chart_type, 'bar');
  });

  it('a single number has no chart', async () => {
    const { views } = await d.ask('What was the average day-ahead price for NP15 in CAISO for 2025 from Ascend?');
    assert.deepEqual(views.map((v) => v.view_type), ['data']);
  });

  it('the stored message includes the chart', async () => {
    const turn = await d.ask('Which reports are viewed most?');
    const reply = await d.rest().get(`/api/v1/sessions/${turn.complete.session_id}/messages`);
    const answer = reply.body.data.at(-1);
    assert.ok(answer.views.some((v) => v.view_type === 'chart' && v.chart_spec.mark.type === 'bar'));
  });

  it('the image of a stored chart has a URL, is in the exported text, and is saved by vesperctl ask --svg', async () => {
    const rest = d.rest();
    const answer = (await rest.post('/api/v1/chat', { content: 'Which reports are viewed most?' })).body;
    const chart = answer.views.find((v) => v.view_type === 'chart');
    const path = `/api/v1/messages/${answer.message_id}/views/${chart.view_id}/svg`;
    const reply = await rest.get(path);
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get('content-type'), 'image/svg+xml');
    assert.match(reply.text, /^<svg [^>]*role="img"/);
    assert.ok(reply.text.includes(`<title>${chart.chart_spec.title}</title>`));
    assert.equal((await rest.get(path)).text, reply.text, 'the same bytes each time');
    assert.match((await rest.get(`${path}?width=300&height=200`)).text, /viewBox="0 0 300 200"/);
    for (const query of ['width=199', 'width=2001', 'height=', 'height=1e3', 'width=-300', 'size=300'])
      assert.equal((await rest.get(`${path}?${query}`)).status, 400, query);
    const table = answer.views.find((v) => v.view_type === 'data').view_id;
    for (const other of [path.replace(chart.view_id, table), path.replace(chart.view_id, 'c9-v9')])
      assert.equal((await rest.get(other)).status, 404, other);
    const exported = (await rest.get(`/api/v1/sessions/${answer.session_id}/export?format=markdown`)).text;
    const [, encoded] = /!\[[^\]]+\]\(data:image\/svg\+xml;base64,([^)]+)\)/.exec(exported);
    assert.equal(Buffer.from(encoded, 'base64').toString(), reply.text);
    const folder = mkdtempSync(join(tmpdir(), 'charts-'));
    const output = await run(VESPERCTL, ['ask', 'Which reports are viewed most?', '--svg', folder], { env: { ...process.env, VESPER_URL: d.url, VESPER_TOKEN: mintToken({}) } });
    assert.match(output.stdout, /views/);
    assert.equal(readFileSync(join(folder, `${chart.view_id}.svg`), 'utf8'), reply.text);
    rmSync(folder, { recursive: true });
  });
});
