/*
 * Power BI reports opened by their users: tokens are separate and not stored, outages are handled, and secrets are
 * shown nowhere.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { CLIENT_SECRET, DATASET, PowerBi, REPORT } from '../mock/powerbi.mjs';
import { filesUnder, REFERENCE, refusedStart, startDaemon } from './harness.mjs';
import { checkProblem } from './rest.mjs';
import { mintToken } from './token.mjs';

const DAYAHEAD = '/api/v1/reports/dayahead_curve_report/embed';
const BUDGET = '/api/v1/reports/per_budget_report/embed';
const ROLES = JSON.stringify({ 'chat:use': 'Reader', 'chat:read_budget': 'Budget', 'chat:admin': 'Everything' });

describe('a report', () => {
  let pbi;
  let d;
  const open = (claims, path = DAYAHEAD) => d.rest(mintToken(claims)).post(path);

  before(async () => {
    pbi = await new PowerBi().start();
    d = await startDaemon({ env: pbi.env({ VESPER_PBI_ROLES: ROLES }) });
  });
  afterEach(() => {
    pbi.behave = () => undefined;
  });
  after(async () => {
    await d?.stop();
    await pbi?.close();
  });

  it('is embedded with its address and a token that must not be cached', async () => {
    const reply = await open({});
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.headers.get('cache-control'), 'no-store');
    assert.deepEqual(Object.keys(reply.body), ['report_key', 'report_id', 'embed_url', 'token', 'expires_at']);
    assert.equal(reply.body.report_key, 'dayahead_curve_report');
    assert.equal(reply.body.report_id, REPORT);
    assert.match(reply.body.embed_url, /^https:\/\/app\.powerbi\.com\/reportEmbed\?.*config=/);
    assert.equal(reply.body.token, pbi.embedTokens[0].token);
    assert.ok(Date.parse(reply.body.expires_at) > Date.now());
    assert.deepEqual(pbi.embedTokens[0].identities, [{ username: 'vesper', roles: ['Reader', 'Budget'], customData: 'vesper', datasets: [DATASET] }]);
  });

  it('is requested once for concurrent users and while the token is valid', async () => {
    const issuedCount = pbi.embedTokens.length;
    const claims = { role: 'manager', tenant_id: 'acme' };
    const replies = await Promise.all(Array.from({ length: 20 }, (_, i) => open({ ...claims, sub: `user-${i}` })));
    assert.deepEqual([...new Set(replies.map((r) => r.body.token))], [pbi.embedTokens[issuedCount].token]);
    assert.equal((await open(claims)).body.token, pbi.embedTokens[issuedCount].token);
    assert.equal(pbi.embedTokens.length, issuedCount + 1);
    assert.equal(pbi.serviceTokens.length, 1);
  });

  it('is separate for each tenant, role and report', async () => {
    const tokens = [await open({}), await open({ tenant_id: 'acme' }), await open({ role: 'analyst' }), await open({}, BUDGET)].map((r) => r.body.token);
    assert.equal(new Set(tokens).size, 4);
    const analyst = pbi.embedTokens.find((t) => t.token === tokens[2]);
    assert.deepEqual(analyst.identities[0].roles, ['Reader']);
  });

  it('is there only for those who may ask what it shows', async () => {
    const requestCount = pbi.requests.length;
    checkProblem(await open({ role: 'viewer' }), 403);
    checkProblem(await open({ role: 'analyst' }, BUDGET), 403);
    checkProblem(await open({ permissions: [] }), 403);
    checkProblem(await d.rest(null).post(DAYAHEAD), 401);
    checkProblem(await d.rest('x').post(DAYAHEAD), 401);
    for (const key of ['no_such_report', 'mc_dayahead_curves', '..%2f..', "'%20OR%201=1--", 'x'.repeat(1000)])
      checkProblem(await open({}, `/api/v1/reports/${key}/embed`), 404);
    assert.match(checkProblem(await open({}, '/api/v1/reports/per_project_report/embed'), 404).detail, /cannot be embedded/);
    assert.equal(pbi.requests.length, requestCount);
  });

  it('is requested again with a new service token if the old one is refused', async () => {
    pbi.expireServiceTokens();
    const before = pbi.serviceTokens.length;
    assert.equal((await open({ role: 'analyst', tenant_id: 'acme' })).status, 200);
    assert.equal(pbi.serviceTokens.length, before + 1);
    pbi.behave = ({ path }) => (path.endsWith('/token') ? undefined : { status: 401 });
    checkProblem(await open({ role: 'admin', tenant_id: 'acme' }, BUDGET), 503);
    assert.equal(pbi.serviceTokens.length, before + 2);
  });

  it('is reported as unavailable if Power BI fails, and recovers', async () => {
    const claims = { role: 'admin', tenant_id: 'acme' };
    for (const behave of [() => ({ status: 500, body: '<html>' }), () => ({ status: 403, body: { error: { code: 'PowerBINotAuthorizedException' } } }),
      () => ({ body: '{' }), () => ({ body: [] }), ({ path }) => (path.endsWith('GenerateToken') ? { body: {} } : undefined)]) {
      pbi.behave = behave;
      checkProblem(await open(claims, BUDGET), 503);
    }
    pbi.behave = () => ({ status: 429, headers: { 'retry-after': '3' } });
    const reply = await open(claims, BUDGET);
    checkProblem(reply, 429);
    assert.equal(reply.headers.get('retry-after'), '3');
    pbi.behave = () => undefined;
    const requestCount = pbi.requests.length;
    checkProblem(await open(claims, BUDGET), 429);
    assert.equal(pbi.requests.length, requestCount, 'no request is sent before the retry time');
    let again;
    for (let i = 0; i < 400 && (again = await open(claims, BUDGET)).status !== 200; i++)
      await sleep(50);
    assert.equal(again.status, 200);
  });

  it('delays no answer while Power BI hangs', async () => {
    pbi.behave = () => 'hang';
    pbi.expireServiceTokens();
    const requestCount = pbi.requests.length;
    const waiting = open({ role: 'admin' }, BUDGET);
    const turn = await d.ask(REFERENCE);
    assert.equal(turn.complete.status, 'ok');
    assert.equal(turn.complete.pbi_deep_links[0].report_key, 'dayahead_curve_report');
    assert.ok(pbi.requests.length <= requestCount + 1, 'the answer sends no request to Power BI');
    checkProblem(await waiting, 504);
  });

  it('leaves no secret in logs, frames or files', async () => {
    const chat = await d.ask(REFERENCE);
    const secrets = [CLIENT_SECRET, encodeURIComponent(CLIENT_SECRET), ...pbi.serviceTokens.map((t) => t.token), ...pbi.embedTokens.map((t) => t.token)];
    const places = { log: d.output, frames: JSON.stringify(chat) };
    for (const file of await filesUnder(d.dataDir))
      places[file] = await readFile(file, 'latin1');
    assert.ok(Object.keys(places).length > 2);
    for (const [place, text] of Object.entries(places))
      for (const secret of secrets)
        assert.ok(!text.includes(secret), `${secret} in ${place}`);
  });
});

describe('a report with an expiring token', () => {
  it('gets a new token before it expires', async () => {
    const pbi = await new PowerBi({ lifeMs: 5 * 60000 + 3000 }).start();
    const d = await startDaemon({ env: pbi.env() });
    const open = async () => (await d.rest().post(DAYAHEAD)).body.token;
    const first = await open();
    for (let i = 0; i < 400 && (await open()) === first; i++)
      await sleep(25);
    assert.notEqual(await open(), first);
    await d.stop();
    await pbi.close();
  });
});

describe('in another cloud', () => {
  it('uses the cloud\'s addresses and embeds only from its host', async () => {
    const pbi = await new PowerBi({ scope: 'https://analysis.usgovcloudapi.net/powerbi/api/.default', host: 'app.powerbigov.us' }).start();
    const d = await startDaemon({ env: pbi.env({ VESPER_PBI_SCOPE: pbi.scope, VESPER_PBI_HOSTS: 'app.powerbigov.us' }) });
    const reply = await d.rest().post(DAYAHEAD);
    assert.equal(reply.status, 200, reply.text);
    assert.match(reply.body.embed_url, /^https:\/\/app\.powerbigov\.us\//);
    for (const path of ['/', '/embed', '/widget.js'])
      assert.match((await fetch(d.url + path)).headers.get('content-security-policy') ?? '', /; frame-src https:\/\/app\.powerbigov\.us;/, path);
    pbi.host = 'app.powerbi.com';
    checkProblem(await d.rest(mintToken({ tenant_id: 'acme' })).post(DAYAHEAD), 503);
    await d.stop();
    await pbi.close();
  });
});

describe('without Power BI', () => {
  it('reports are available only as links', async () => {
    const d = await startDaemon();
    assert.match(checkProblem(await d.rest().post(DAYAHEAD), 404).detail, /cannot be embedded/);
    await d.stop();
  });

  it('an unsafe configuration is refused at startup', async () => {
    const pbi = new PowerBi();
    pbi.url = 'http://127.0.0.1:9';
    const refused = async (more, pattern) => {
      const output = await refusedStart({ env: pbi.env(more) }, pattern);
      assert.ok(!output.includes(CLIENT_SECRET));
    };
    await refused({ VESPER_PBI_CLIENT_SECRET: undefined }, /pbi\.client_secret/);
    await refused({ VESPER_PBI_IDENTITY: 'none' }, /pbi\.identity/);
    await refused({ VESPER_PBI_HOSTS: 'app.powerbi.com;script-src' }, /pbi\.hosts/);
    await refused({ VESPER_PBI_API_URL: 'http://api.example' }, /pbi\.api_url/);
    await refused({ VESPER_PBI_REPORTS: '{"mc_dayahead_curves":"a/b"}' }, /workspace id/);
    await refused({ VESPER_PBI_REPORTS: '{"no_such_menu":"f0890000-0000-4000-8000-00000000000f/f0890000-0000-4000-8000-00000000000f"}' }, /no_such_menu/);
  });
});
