/*
 * Approved answers: they run without a model, also for other values, with the permissions of the user who asks; they
 * are listed, edited and withdrawn, and become stale if the packs change.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT, startDaemon, tempDir } from './harness.mjs';
import { patient } from './patience.mjs';
import { mintToken } from './token.mjs';

/*
 * Approved questions with paraphrases. Written after the matcher: ten questions with five each, and fifty with ten each
 * (terse, sloppy, polite, in a second language). For the same fifty questions, an author who had seen nothing else wrote
 * ten each, and another author four each, one of them within a story. The minimum shares are near the current results.
 */
const [TEN, FIFTY, AUTHOR_1, AUTHOR_2] = await Promise.all(['approved', 'approved_50', 'approved_50_stranger', 'approved_50_second'].map(async (name) =>
  JSON.parse(await readFile(join(ROOT, `tests/route/${name}.json`), 'utf8'))));
const TEN_FOUND_MIN = 0.88;
const FIFTY_FOUND_MIN = 0.86;
const AUTHOR_1_FOUND_MIN = 0.9;
const AUTHOR_2_FOUND_MIN = 0.55;
const SEEN_LIMIT_MS = patient(10000);
const QUESTION = 'Compare Ascend and Hitachi for SP15 in 2025 and then show the hourly shape of the higher one';
const admin = () => mintToken({ role: 'admin' });

const toolsOf = (turn) => turn.complete.outcomes.map((o) => o.tool);

class Approvals {
  constructor(d, token = admin()) {
    this.d = d;
    this.token = token;
  }

  async call(method, path, body, headers = {}) {
    const res = await fetch(`${this.d.url}/api/v1${path}`, { method,
      headers: { authorization: `Bearer ${this.token}`, ...(body && { 'content-type': 'application/json' }), ...headers },
      body: body && JSON.stringify(body) });
    const text = await res.text();
    const type = res.headers.get('content-type') ?? '';
    return { status: res.status, etag: res.headers.get('etag'), text, body: type.includes('json') ? JSON.parse(text) : undefined };
  }

  approve(message, body) {
    return this.call('POST', `/messages/${message}/approve`, body);
  }

  async list(status) {
    return (await this.call('GET', `/admin/flows${status ? `?status=${status}` : ''}`)).body.data;
  }

  async one(name) {
    return this.call('GET', `/admin/flows/${name}`);
  }
}

async function until(what, check) {
  for (const end = Date.now() + SEEN_LIMIT_MS; Date.now() < end; await sleep(50)) {
    const found = await check();
    if (found)
      return found;
  }
  throw new Error(`timed out waiting until ${what}`);
}

async function answered(d, question, options) {
  const turn = await d.ask(question, { token: admin(), ...options });
  assert.equal(turn.status, 'ok', turn.text);
  return turn;
}

describe('an approved answer', () => {
  let options;
  let d;
  let a;

  before(async () => {
    const dir = await tempDir('approve');
    for (const name of ['config', 'sql', 'prompts'])
      await cp(join(ROOT, name), join(dir, name), { recursive: true });
    options = { dir, cwd: dir, env: { VESPER_ROOT: dir, VESPER_CONFIG: join(dir, 'config/vesper.json') } };
    d = await startDaemon(options);
    a = new Approvals(d);
  });
  after(() => d?.stop());

  const untilApproved = (question, askOptions) => until(`${question} is approved`, async () => {
    const turn = await d.ask(question, { token: admin(), ...askOptions });
    return turn.complete?.approved && turn;
  });

  it('becomes text with slots and answers questions with other values', async () => {
    const turn = await answered(d, QUESTION);
    const approval = await a.approve(turn.complete.message_id, { name: 'dearer_vendor', examples: ['Dearer one of Ascend and Hitachi and its shape, SP15 2025'] });
    assert.equal(approval.status, 201, approval.text);
    assert.deepEqual(Object.keys(approval.body), ['name', 'text', 'version', 'warnings']);
    assert.match(approval.body.text, /do t1 compare_vendors/);
    assert.match(approval.body.text, /do t2 get_hourly_price_distribution .*vendor={t1\.facts\.higher_vendor}.* if t1\.row_count > 0/);
    assert.match(approval.body.text, /\{hub_zone\}/);
    assert.doesNotMatch(approval.body.text.split('---')[2], /SP15|2025/, 'values of the question are slots');
    const again = await untilApproved(QUESTION);
    assert.equal(again.text, turn.text, 'the same text as before');
    assert.equal(again.complete.approved.name, 'dearer_vendor');
    assert.equal(again.complete.usage.calls, 0);
    assert.equal(again.frames.find((f) => f.type === 'chat.plan').origin, 'approved');
    const other = await answered(d, 'Dearer one of Ascend and Hitachi and its shape, NP15 2026');
    assert.equal(other.complete.approved?.name, 'dearer_vendor', other.text);
    assert.deepEqual(toolsOf(other), ['compare_vendors', 'get_hourly_price_distribution']);
    assert.equal(other.filters.hub_zone, 'NP15');
    assert.equal(other.filters.year, 2026);
  });

  it('of one tool matches other wording', async () => {
    const turn = await answered(d, 'What are the task risks of Nazareth Solar?');
    const approval = await a.approve(turn.complete.message_id, { name: 'risks_of_project' });
    assert.equal(approval.status, 201, approval.text);
    const again = await untilApproved('Which tasks of Kern Wind carry a risk?');
    assert.equal(again.complete.approved.name, 'risks_of_project');
    assert.equal(again.filters.project_name, 'Kern Wind');
  });

  it('of a map query has values and dates as slots', async () => {
    const turn = await answered(d, 'budget tracker views last month');
    assert.deepEqual(toolsOf(turn), ['query_metrics']);
    const approval = await a.approve(turn.complete.message_id, { name: 'views_of_report' });
    assert.equal(approval.status, 201, approval.text);
    assert.match(approval.body.text, /do t1 query_metrics query=.*\{filter\.date_range_start\}.*\{filter\.report_name\}/);
    assert.doesNotMatch(approval.body.text.split('---')[2], /Budget Tracker|2026/, 'values of the question are slots');
    const again = await untilApproved('budget tracker views last month');
    assert.equal(again.text, turn.text, 'the same text as before');
    assert.equal(again.complete.usage.calls, 0);
    const other = await answered(d, 'Project Overview views in December 2025');
    assert.equal(other.complete.approved?.name, 'views_of_report', other.text);
    const receipt = (await a.call('GET', `/receipts/${other.complete.receipt_id}`)).body.content;
    assert.equal(receipt.plan.origin, 'approved');
    assert.deepEqual(JSON.parse(receipt.calls[0].args.query), { metrics: ['views'],
      where: [{ name: 'report_name', op: 'is', values: ['Project Overview'] }], period: { start: '2025-12-01', end: '2025-12-31' } });
    const users = await answered(d, 'users of budget tracker last month');
    assert.equal(users.complete.approved, undefined, 'a query of another metric does not match');
    const withoutValueSlots = await a.approve(turn.complete.message_id, { name: 'views_of_tracker', slots: [] });
    assert.equal(withoutValueSlots.status, 201, withoutValueSlots.text);
    assert.match(withoutValueSlots.body.text, /Budget Tracker.*\n?$/, 'only dates are slots');
    for (const name of ['views_of_tracker', 'views_of_report'])
      assert.equal((await a.call('DELETE', `/admin/flows/${name}`)).status, 204);
  });

  it('with an unknown name in its query is rejected with the line number', async () => {
    const turn = await until('no approved plan matches', async () => {
      const answer = await answered(d, 'budget tracker views last month');
      return !answer.complete.approved && answer;
    });
    const { body, etag } = await a.approve(turn.complete.message_id, { name: 'views_edited' });
    const put = (text) => a.call('PUT', '/admin/flows/views_edited', { text }, { 'if-match': etag });
    for (const [from, to, expected] of [['views\\"]', 'glances\\"]', /the map has no glances/], ['filter.report_name', 'filter.vendor', /report_name is not the dimension of the filter vendor/],
      ['query="{', 'query="', /not a JSON object/], [/do t1 .*/, 'do t1 general_sql_query sql="SELECT 1"', /unknown tool or agent general_sql_query/]]) {
      const text = body.text.replace(from, to);
      assert.notEqual(text, body.text, String(from));
      const res = await put(text);
      assert.equal(res.status, 422, res.text);
      assert.match(res.text, /approved\/views_edited:\d+: /);
      assert.match(res.text, expected);
    }
    assert.equal((await a.call('DELETE', '/admin/flows/views_edited')).status, 204);
  });

  it('does not match other kinds of values, or two values for one slot', async () => {
    const turn = await answered(d, 'Compare Ascend and Hitachi for NP15 in 2026');
    assert.equal((await a.approve(turn.complete.message_id, { name: 'two_vendors' })).status, 201);
    await untilApproved('Compare Ascend and Hitachi for SP15 in 2026');
    const zones = await answered(d, 'Compare HB_WEST and HB_HOUSTON in 2027');
    assert.deepEqual(toolsOf(zones), ['compare_hub_zones'], zones.complete.approved?.name);
    const both = await answered(d, QUESTION);
    assert.deepEqual(toolsOf(both), ['compare_vendors', 'get_hourly_price_distribution'], 'a plan for half of the question does not match');
    assert.equal((await a.call('DELETE', '/admin/flows/two_vendors')).status, 204);
  });

  it('of a month runs for the requested month', async () => {
    const turn = await answered(d, 'What are the most active users in January 2026?');
    const approval = await a.approve(turn.complete.message_id, { name: 'users_of_month' });
    assert.equal(approval.status, 201, approval.text);
    const again = await untilApproved('What are the most active users in January 2026?');
    assert.equal(again.text, turn.text, 'the same text as before');
    const other = await untilApproved('What are the most active users in December 2025?');
    assert.deepEqual([other.filters.date_range_start, other.filters.date_range_end], ['2025-12-01', '2025-12-31']);
  });

  it('does not match a question with a filter that it lacks', async () => {
    const turn = await answered(d, 'Compare NP15 and SP15 in 2025');
    assert.equal((await a.approve(turn.complete.message_id, { name: 'two_hubs' })).status, 201);
    await untilApproved('Compare NP15 and SP15 in 2026');
    const one = await d.ask('Compare NP15 in 2025', { token: admin() });
    assert.equal(one.complete?.approved, undefined, 'a comparison of two hubs does not match');
    const markets = await answered(d, 'Compare CAISO and ERCOT in 2025');
    assert.deepEqual(toolsOf(markets), ['compare_markets']);
    assert.equal(markets.complete.approved, undefined);
  });

  it('of a follow-up has slots for inherited filters and does not match follow-ups of other topics', async () => {
    const chat = await d.connect({ token: admin() });
    await chat.ask('What was the average day-ahead price for NP15 in 2025 from Ascend?');
    const turn = await chat.ask('and for SP15?');
    assert.equal(turn.status, 'ok', turn.text);
    const approval = await a.approve(turn.complete.message_id, { name: 'price_of_hub' });
    assert.equal(approval.status, 201, approval.text);
    const [, front, lines] = approval.body.text.split('---');
    assert.doesNotMatch(lines, /Ascend|SP15|2025/, 'inherited values are slots, too');
    assert.match(front, /and for \{hub_zone\}/);
    await untilApproved('What was the average day-ahead price for SP15 in 2026 from Hitachi?');
    const ofProjects = await d.connect({ token: admin() });
    await ofProjects.ask('What are the milestone dates of Nazareth Solar?');
    const other = await ofProjects.ask('and for Kern Wind?');
    assert.deepEqual(toolsOf(other), ['get_milestone_dates'], other.text);
    const hitachi = await d.connect({ token: admin() });
    await hitachi.ask('What was the average day-ahead price for NP15 in 2026 from Hitachi?');
    const followup = await hitachi.ask('and for SP15?');
    assert.equal(followup.complete.approved?.name, 'price_of_hub');
    assert.deepEqual([followup.filters.vendor, followup.filters.year, followup.filters.hub_zone], ['Hitachi', 2026, 'SP15']);
    await Promise.all([chat, ofProjects, hitachi].map((c) => c.close()));
  });

  it('is named in the receipts of its answers', async () => {
    const turn = await untilApproved(QUESTION);
    const receipt = (await a.call('GET', `/receipts/${turn.complete.receipt_id}`)).body;
    const plan = receipt.content?.plan ?? receipt.plan;
    assert.equal(plan.origin, 'approved', JSON.stringify(receipt).slice(0, 500));
    assert.equal(plan.name, 'dearer_vendor');
    assert.equal(plan.version, 1);
    assert.match(plan.fingerprint, /^[0-9a-f]{64}$/);
  });

  it('gives another role its own rows, or refuses its tools', async () => {
    const turn = await d.ask(QUESTION, { token: mintToken({ permissions: ['chat:use', 'chat:read_projects'] }) });
    assert.deepEqual(turn.complete.outcomes.filter((o) => o.outcome === 'rows'), []);
    assert.equal(turn.complete.approved, undefined);
    assert.doesNotMatch(turn.text, /\$\d/);
  });

  it('rejects invalid names, bodies, messages and callers', async () => {
    const turn = await answered(d, 'Show me all projects at risk');
    const id = turn.complete.message_id;
    const flow = await answered(d, 'Weekly briefing');
    for (const [message, body, status, expected, approvals = a] of [
      [id, { name: 'dearer_vendor', examples: ['another'] }, 409, /with this name/],
      [id, { name: 'weekly_briefing' }, 409, /a pack has a flow/],
      [id, { name: 'Dearer' }, 422, /name: /],
      [id, { name: 'x', examples: Array(11).fill('q') }, 422, /examples: /],
      [id, { name: 'x', answer: 'poem' }, 422, /answer: /],
      [id, { name: 'x', slots: 'hub_zone' }, 422, /slots: /],
      [id, { name: 'x', colour: 'red' }, 422, /colour/],
      [id, {}, 422, /name: /],
      [flow.complete.message_id, { name: 'brief' }, 422, /plan_is_flow/],
      [(await d.ask('Hello', { token: admin() })).complete.message_id, { name: 'hello' }, 422, /no_plan|not_complete/],
      ['0198c0de-0000-7000-8000-00000000000f', { name: 'x' }, 404, /./],
      ['nonsense', { name: 'x' }, 404, /./],
      [id, { name: 'x' }, 403, /permission/, new Approvals(d, mintToken({ role: 'analyst' }))],
      [id, { name: 'x' }, 404, /./, new Approvals(d, mintToken({ role: 'admin', tenant_id: 'acme' }))],
    ]) {
      const res = await approvals.approve(message, body);
      assert.equal(res.status, status, `${JSON.stringify(body)}: ${res.text}`);
      assert.match(res.text, expected);
    }
  });

  it('can be edited with If-Match and read as text', async () => {
    const one = await a.one('dearer_vendor');
    assert.equal(one.status, 200);
    assert.equal(one.etag, '"1"');
    assert.deepEqual(one.body.slots.sort(), ['hub_zone', 'vendor', 'year'].filter((s) => one.body.slots.includes(s)));
    const text = (await a.call('GET', '/admin/flows/dearer_vendor/text')).text;
    assert.match(text, /^---\nflow: dearer_vendor\n/);
    const put = (body, tag) => a.call('PUT', '/admin/flows/dearer_vendor', body, tag && { 'if-match': tag });
    assert.equal((await put({ text })).status, 428);
    assert.equal((await put({ text }, '"7"')).status, 412);
    assert.equal((await put({}, '"1"')).status, 422);
    assert.equal((await put({ status: 'stale' }, '"1"')).status, 422);
    const broken = await put({ text: text.replace('compare_vendors', 'compare_sellers') }, '"1"');
    assert.equal(broken.status, 422);
    assert.match(broken.text, /approved\/dearer_vendor:\d+: .*compare_sellers/);
    const good = await put({ text: text.replace(/about: .*/, 'about: The dearer vendor by the hour.') }, '"1"');
    assert.equal(good.status, 200, good.text);
    assert.equal(good.etag, '"2"');
    assert.equal((await put({ text }, '"1"')).status, 412);
    assert.equal((await a.one('nobody')).status, 404);
  });

  it('does not run while withdrawn, and runs again once active', async () => {
    const put = async (status) => {
      const tag = (await a.one('dearer_vendor')).etag;
      return a.call('PUT', '/admin/flows/dearer_vendor', { status }, { 'if-match': tag });
    };
    assert.equal((await put('withdrawn')).status, 200);
    await until('it does not run', async () => !(await answered(d, QUESTION)).complete.approved);
    assert.deepEqual((await a.list('withdrawn')).map((f) => f.name), ['dearer_vendor']);
    assert.equal((await put('active')).status, 200);
    await untilApproved(QUESTION);
  });

  it('that became invalid is stale, listed with the reason and counted, until it is valid again', async () => {
    const components = join(options.dir, 'config/energy/components.json');
    const good = await readFile(components, 'utf8');
    const metric = async () => (await (await fetch(`${d.adminUrl}/metrics`)).text()).match(/vesper_flows_stale\{tenant="vesper"\} (\d+)/)?.[1];
    const withCard = JSON.stringify({ ...JSON.parse(good),
      GapCard: { about: 'Gap', props: { gap: { type: 'text', required: true } }, layout: [{ text: 'gap' }], text: '{gap}' } });
    const reload = async (text) => {
      await writeFile(components, text);
      const from = d.output.length;
      d.child.kill('SIGHUP');
      await until('it is reloaded', async () => /config\.loaded/.test(d.output.slice(from)));
      assert.doesNotMatch(d.output.slice(from), /catalog\.refused/);
    };
    await reload(withCard);
    const { text } = await a.call('GET', '/admin/flows/dearer_vendor/text');
    const tag = (await a.one('dearer_vendor')).etag;
    const put = await a.call('PUT', '/admin/flows/dearer_vendor', { text: `${text}show GapCard gap={t1.facts.gap}\n` }, { 'if-match': tag });
    assert.equal(put.status, 200, put.text);
    const shown = await until('it shows the card', async () => {
      const turn = await answered(d, QUESTION);
      return turn.frames.some((f) => f.view?.component === 'GapCard') && turn;
    });
    const before = (await a.one('dearer_vendor')).body.fingerprint;
    assert.ok(shown.complete.approved);
    await reload(good);
    const stale = await until('it is stale', async () => (await a.list('stale'))[0]);
    assert.equal(stale.name, 'dearer_vendor');
    assert.match(stale.why, /approved\/dearer_vendor:\d+: .*GapCard/);
    assert.equal(await metric(), '1');
    assert.equal((await answered(d, QUESTION)).complete.approved, undefined);
    await reload(withCard.replace('"about":"Gap"', '"about":"The gap"').replace('"type":"text","required":true', '"type":"text"'));
    await until('it is active', async () => (await a.list('active')).some((f) => f.name === 'dearer_vendor'));
    await until('none is stale', async () => (await metric()) === '0');
    await untilApproved(QUESTION);
    assert.notEqual((await a.one('dearer_vendor')).body.fingerprint, before, 'its inputs have changed');
  });

  it('has another fingerprint after a change of a view column or of the vocabulary', async () => {
    const fingerprint = async () => (await a.one('dearer_vendor')).body.fingerprint;
    for (const [file, from, to] of [
      ['config/energy/catalogue.json', '{"name": "MONTH", "type": "int"}', '{"name": "MONTH", "type": "decimal"}'],
      ['config/language/en.json', '"opening": [', '"opening": ["furthermore", '],
    ]) {
      const path = join(options.dir, file);
      const good = await readFile(path, 'utf8');
      const changed = good.replace(from, to);
      assert.notEqual(changed, good, `${file} has ${from}`);
      const before = await fingerprint();
      for (const text of [changed, good]) {
        const from = d.output.length;
        await writeFile(path, text);
        d.child.kill('SIGHUP');
        await until('it is reloaded', async () => /config\.loaded/.test(d.output.slice(from)));
        assert.doesNotMatch(d.output.slice(from), /catalog\.refused/);
        await until(`${file} is applied`, async () => ((await fingerprint()) === before) === (text === good));
      }
      assert.deepEqual(await a.list('stale'), [], 'plans that are still valid stay active');
    }
  });

  it('is shared by daemons with the same store, and deleted for both', async () => {
    const other = await startDaemon({ ...options, dataDir: d.dataDir });
    try {
      await until('the other daemon has it', async () => (await answered(other, QUESTION)).complete.approved);
      assert.equal((await a.call('DELETE', '/admin/flows/dearer_vendor')).status, 204);
      await until('it is deleted on this daemon', async () => !(await answered(d, QUESTION)).complete.approved);
      await until('it is deleted on the other daemon', async () => !(await answered(other, QUESTION)).complete.approved);
    } finally {
      await other.stop();
    }
  });
});

describe('approved answers for other wording', () => {
  let d;

  before(async () => {
    d = await startDaemon();
  });
  after(() => d?.stop());

  /* Asks a question and compares its calls with the expected ones: plans with the same calls are equivalent. */
  async function ask(question, tools) {
    const { complete, text } = await d.ask(question, { token: admin() });
    const found = Boolean(complete?.approved) && JSON.stringify(toolsOf({ complete })) === JSON.stringify(tools);

    assert.equal(complete?.usage.calls ?? 0, 0, question);
    return { found, ms: complete?.latency_ms ?? 0, got: complete?.approved?.name ?? text?.slice(0, 60) };
  }

  for (const [set, plans, minShare] of [['ten', TEN, TEN_FOUND_MIN], ['fifty', FIFTY, FIFTY_FOUND_MIN], ['author_1', AUTHOR_1, AUTHOR_1_FOUND_MIN],
    ['author_2', AUTHOR_2, AUTHOR_2_FOUND_MIN]])
    it(`are found without a model: ${set} plans`, async (t) => {
      const a = new Approvals(d);
      const approved = [];
      const ms = [];
      let found = 0;
      for (const [i, { question, paraphrases }] of plans.entries()) {
        const turn = await d.ask(question, { token: admin() });
        const approval = turn.status === 'ok' && !turn.complete.approved && await a.approve(turn.complete.message_id, { name: `${set}_${i}` });
        if (turn.complete?.approved || approval?.status === 201)
          approved.push({ question, paraphrases, tools: toolsOf(turn) });
        else
          t.diagnostic(`not approved: ${question}: ${approval ? approval.text : turn.text}`);
      }
      const last = approved.at(-1);
      await until('all are loaded', async () => (await answered(d, last.question)).complete.approved);
      for (const { question: plan, paraphrases, tools } of approved)
        for (const question of paraphrases) {
          const one = await ask(question, tools);
          ms.push(one.ms);
          found += one.found;
          if (!one.found)
            t.diagnostic(`${plan}: ${question}: ${one.got}`);
        }
      ms.sort((x, y) => x - y);
      t.diagnostic(`${approved.length} of ${plans.length} plans, ${found} of ${ms.length} found, p95 ${ms[Math.floor(ms.length * 0.95)]} ms`);
      assert.ok(found >= minShare * ms.length, `${found} of ${ms.length}`);
    });
});
