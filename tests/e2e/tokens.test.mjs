/*
 * Personal access tokens on two daemons that share a store: shown once, valid for every client within their
 * owner's permissions, and invalid once revoked, also during a stream.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import OpenAI from 'openai';
import { startMock } from '../mock/anthropic.mjs';
import { ready } from './chat.mjs';
import { REFERENCE, startDaemon } from './harness.mjs';
import { installedPostgres } from './postgres.mjs';
import { Sources } from './sources.mjs';
import { mintToken, nowS, ROLES } from './token.mjs';

const TOKEN_FORMAT = /^vsp_vesper_[a-z2-7]{52}$/;
const DAY_S = 24 * 3600;
const REVOCATION_LIMIT_MS = 5000; /* by then every daemon refuses a revoked token */

let pg, mock, one, other;
before(async () => {
  pg = await installedPostgres();
  mock = await startMock({ script: [{ when: { kind: 'answer' }, reply: { text: 'word '.repeat(2000) }, fault: { token_ms: 20 } }, { reply: 'demo' }] });
  const env = { VESPER_LIMITS_USER_PER_MINUTE: '0', VESPER_LIMITS_TENANT_PER_MINUTE: '0', VESPER_LIMITS_GRACE_S: '60' };
  one = await pg.start({ mock, env });
  other = await pg.start({ env });
});
after(async () => {
  await one?.stop();
  await other?.stop();
  await mock?.close();
  await pg?.service('stop');
});

const user = (sub, more = {}) => mintToken({ sub, ...more });
const call = async (d, token, method, path, json) => {
  const reply = await fetch(`${d.url}${path}`, { method, headers: { authorization: `Bearer ${token}`, ...(json && { 'content-type': 'application/json' }) },
    ...(json && { body: JSON.stringify(json) }) });
  const text = await reply.text();
  return { status: reply.status, headers: reply.headers, body: /json/.test(reply.headers.get('content-type')) ? JSON.parse(text) : text };
};
const requestToken = (owner, more = {}, d = one) =>
  call(d, owner, 'POST', '/api/v1/tokens', { name: 'laptop', scopes: ['chat:use', 'chat:read_market_data'], ...more });
const createToken = async (...args) => {
  const reply = await requestToken(...args);
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return reply.body;
};
const listed = async (d, token) => (await call(d, token, 'GET', '/api/v1/tokens')).body.data;
const revoke = (d, token, id) => call(d, token, 'DELETE', `/api/v1/tokens/${id}`);
const requestStatus = async (d, token) => (await call(d, token, 'GET', '/api/v1/sessions')).status;
const audit = (id) => pg.admin(`SELECT user_id || ' ' || tool_name FROM dbo.chat_audit_log WHERE agent_name = '${id}' ORDER BY audit_id`);

describe('a token', () => {
  it('is shown once, and only its hash is stored', async () => {
    const { token, token_id, ...rest } = await createToken(user('t1'));
    assert.match(token, TOKEN_FORMAT);
    assert.deepEqual([rest.name, rest.scopes, rest.user_id], ['laptop', ['chat:use', 'chat:read_market_data'], 't1']);
    const days = (Date.parse(rest.expires_at) - Date.now()) / 1000 / DAY_S;
    assert.ok(days > 29.9 && days <= 30, `${days}`);
    const [row, ...none] = await listed(other, user('t1'));
    assert.deepEqual([none.length, row.token_id, row.token, row.last_used_at], [0, token_id, undefined, undefined]);
    const stored = await pg.admin('SELECT t::text FROM dbo.chat_tokens t');
    assert.ok(!stored.includes(token) && !stored.includes(token.split('_')[2]));
    assert.equal(await requestStatus(one, token), 200);
    for (const invalid of [token.slice(0, -1), `${token}a`, token.replace(/.$/, (c) => c === 'a' ? 'b' : 'a'), token.replace('vesper', 'acme'),
      token.replace('vesper', 'nobody'), token.toUpperCase(), 'vsp_', `vsp_vesper_${'a'.repeat(52)}`])
      assert.equal(await requestStatus(one, invalid), 401);
  });

  it('names its tenant, and is unknown to another tenant', async () => {
    const theirs = await createToken(user('t2', { tenant_id: 'acme' }));
    assert.match(theirs.token, /^vsp_acme_/);
    assert.equal(await requestStatus(other, theirs.token), 200);
    assert.deepEqual(await listed(one, user('t2')), []);
    assert.equal((await revoke(one, user('boss', { role: 'admin' }), theirs.token_id)).status, 404);
    assert.equal(await requestStatus(other, theirs.token), 200);
  });

  it('is not created from invalid input', async () => {
    for (const [more, detail] of [[{ scopes: ['chat:use', 'chat:admin'] }, /scopes\[1\]/], [{ scopes: [] }, /scopes/], [{ scopes: [7] }, /scopes\[0\]/],
      [{ scopes: undefined }, /scopes/], [{ name: '' }, /name/], [{ name: 'x'.repeat(101) }, /name/], [{ name: undefined }, /name/],
      [{ expires_in_s: 91 * DAY_S }, /expires_in_s/], [{ expires_in_s: 0 }, /expires_in_s/], [{ color: 'red' }, /color/]]) {
      const reply = await requestToken(user('t3'), more);
      assert.equal(reply.status, 422, JSON.stringify(more));
      assert.match(reply.body.detail, detail);
    }
    for (let i = 0; i < 20; i++)
      await createToken(user('t3'));
    const full = await requestToken(user('t3'));
    assert.deepEqual([full.status, /revoke one/.test(full.body.detail)], [422, true]);
    assert.equal((await revoke(one, user('t3'), (await listed(one, user('t3')))[0].token_id)).status, 204);
    assert.equal((await requestToken(user('t3'))).status, 201);
  });

  it('cannot manage tokens', async () => {
    const { token, token_id } = await createToken(user('t4', { role: 'admin' }), { scopes: ROLES.admin });
    assert.equal((await requestToken(token)).status, 403);
    assert.equal((await call(one, token, 'GET', '/api/v1/tokens')).status, 403);
    assert.equal((await revoke(one, token, token_id)).status, 403);
  });

  it('expires', async () => {
    const { token } = await createToken(user('t5'), { expires_in_s: 2 });
    assert.equal(await requestStatus(one, token), 200);
    while (await requestStatus(one, token) === 200)
      await sleep(100);
    const reply = await call(one, token, 'GET', '/api/v1/sessions');
    assert.deepEqual([reply.status, reply.body.detail], [401, 'The token has expired.']);
  });
});

describe('its permissions', () => {
  it('are those granted at its creation', async () => {
    const { token } = await createToken(user('p1', { role: 'admin' }), { scopes: ['chat:use'] });
    assert.equal((await call(one, token, 'GET', '/api/v1/admin/tools')).status, 403);
    const tools = (await call(one, token, 'GET', '/api/v1/tools')).body;
    assert.ok(!JSON.stringify(tools).includes('get_average_annual_price'));
  });

  it('are never more than its owner\'s newest sign-in gave, on any daemon', async () => {
    const { token } = await createToken(user('p2', { iat: nowS() - 60 }), { scopes: ['chat:use', 'chat:read_market_data'] });
    const has = async (d) => JSON.stringify((await call(d, token, 'GET', '/api/v1/tools')).body).includes('get_average_annual_price');
    assert.equal(await has(other), true);
    assert.equal(await requestStatus(one, user('p2', { role: 'viewer', iat: nowS() - 30 })), 200); /* demoted */
    while (await has(other))
      await sleep(100);
    assert.equal(await requestStatus(one, user('p2', { iat: nowS() - 60 })), 200); /* an older token that is still valid */
    await sleep(REVOCATION_LIMIT_MS);
    assert.equal(await has(one), false);
    assert.equal(await requestStatus(other, user('p2', { iat: nowS() - 5 })), 200); /* promoted */
    while (!await has(one))
      await sleep(100);
  });
});

describe('data sources', () => {
  let d;
  before(async () => { d = await startDaemon(); });
  after(() => d?.stop());

  it('are accessible to a token created for them, also after the next sign-in, within its user\'s permissions', async () => {
    const tokenFor = (sub, more) => mintToken({ sub, permissions: [...ROLES.analyst, 'chat:upload'], ...more });
    const signedIn = tokenFor('ann', { iat: nowS() - 60 }), scopes = ['chat:use', 'chat:read_market_data'];
    const ann = new Sources(d, signedIn);
    const { id } = await ann.loaded('region,amount\nNorth,10\nSouth,32\n', 'name=Orders.csv');
    const { token: all } = await createToken(signedIn, { scopes: [...scopes, 'data:use'] }, d);
    const { token: none } = await createToken(signedIn, { scopes }, d);
    assert.equal((await requestToken(tokenFor('bob'), { scopes: ['chat:use', 'data:use'] }, d)).status, 422, 'bob may use no data source');
    assert.equal(await requestStatus(d, tokenFor('ann', { iat: nowS() - 5 })), 200);
    await sleep(REVOCATION_LIMIT_MS);
    const sees = async (token) => [(await call(d, token, 'GET', `/api/v1/data-sources/${id}`)).status,
      /South/.test(JSON.stringify((await call(d, token, 'POST', '/api/v1/chat', { content: 'total amount by region' })).body.views))];
    assert.deepEqual(await sees(all), [200, true]);
    assert.deepEqual(await sees(none), [404, false]);
    assert.equal((await ann.rest.call('DELETE', `/api/v1/data-sources/${id}`)).status, 202);
    assert.deepEqual(await sees(all), [404, false]);
  });
});

describe('revoking', () => {
  it('is permitted to its owner and administrators, and is audited', async () => {
    const [mine, theirs] = [await createToken(user('r1')), await createToken(user('r1'))];
    assert.equal(await requestStatus(other, mine.token), 200);
    while (await audit(mine.token_id) !== 'r1 token.created\nr1 token.used')
      await sleep(50);
    assert.equal(await requestStatus(one, mine.token), 200);
    assert.equal((await revoke(one, user('r2'), mine.token_id)).status, 404);
    assert.equal((await revoke(one, user('r1'), mine.token_id)).status, 204);
    assert.equal(await requestStatus(one, mine.token), 401, 'immediately on the daemon that revoked it');
    const until = Date.now() + REVOCATION_LIMIT_MS;
    while (await requestStatus(other, mine.token) === 200)
      assert.ok(Date.now() < until, 'the other daemon did not learn of the revocation');
    assert.ok((await listed(one, user('boss', { role: 'admin' }))).some((t) => t.token_id === theirs.token_id && t.user_id === 'r1'));
    assert.equal((await revoke(other, user('boss', { role: 'admin' }), theirs.token_id)).status, 204);
    assert.equal((await revoke(other, user('r1'), theirs.token_id)).status, 404);
    assert.equal(await audit(theirs.token_id), 'r1 token.created\nboss token.revoked');
    assert.equal(await audit(mine.token_id), 'r1 token.created\nr1 token.used\nr1 token.revoked', 'one use a day');
  });

  it('follows from deleting the user', async () => {
    const { token } = await createToken(user('r3'));
    assert.equal(await requestStatus(other, token), 200);
    assert.equal((await call(one, user('boss', { role: 'admin' }), 'DELETE', '/api/v1/admin/users/r3')).status, 204);
    while (await requestStatus(other, token) === 200)
      await sleep(100);
  });

  it('affects all tokens if the setting disables them', async () => {
    const none = await pg.start({ env: { VESPER_AUTH_PERSONAL_TOKENS: '0' } });
    try {
      const { token } = await createToken(user('r4'));
      assert.equal(await requestStatus(none, token), 401);
      assert.equal((await requestToken(user('r4'), {}, none)).status, 404);
    } finally {
      await none.stop();
    }
  });
});

/* ---- every client ---- */

const post = (sub, token, path, body, more = {}) => fetch(`${one.url}${path}`, { method: 'POST', body: JSON.stringify(body),
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...more } });

/* For each client: a request with a token, and the end of its stream if the token is revoked meanwhile. */
const streams = {
  'server-sent events': [(t) => post('', t, '/api/v1/chat/stream', { content: REFERENCE }), /"type":"turn.failed".*"code":"denied"/],
  'the AI SDK': [(t) => post('', t, '/api/v1/ui/chat', { id: randomUUID(), trigger: 'submit-message',
    messages: [{ id: randomUUID(), role: 'user', parts: [{ type: 'text', text: REFERENCE }] }] }), /"type":"error","errorText":"This token was revoked[^\n]*\n\ndata: \[DONE\]\n\n$/],
  'AG-UI': [(t) => post('', t, '/api/v1/agui', { threadId: randomUUID(), runId: randomUUID(), messages: [{ id: 'm', role: 'user', content: REFERENCE }] }),
    /"type":"RUN_ERROR","message":"This token was revoked[^\n]*"code":"denied"}\n\n$/],
  'Chat Completions': [(t) => post('', t, '/v1/chat/completions', { model: 'vesper', stream: true, messages: [{ role: 'user', content: REFERENCE }] }),
    /"error":{"message":"This token was revoked[^\n]*\n\ndata: \[DONE\]\n\n$/],
  MCP: [(t) => post('', t, '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'vesper_ask', arguments: { question: REFERENCE }, _meta: { progressToken: 'p' } } }),
    /"text":"This token was revoked[^\n]*"isError":true/],
};

/* Waits until the answer is stored. Returns its status. */
async function storedStatus(sub) {
  for (;;) {
    const status = await pg.admin(`SELECT m.status FROM dbo.chat_messages m JOIN dbo.chat_sessions s ON s.session_id = m.session_id WHERE s.user_id = '${sub}' AND m.role = 'assistant'`);
    if (status)
      return status;
    await sleep(50);
  }
}

describe('every client', () => {
  it('accepts a token: Chat Completions, MCP, a socket by header, first frame and ticket, but not in the URL', async () => {
    const { token } = await createToken(user('c1'));
    const openai = new OpenAI({ apiKey: token, baseURL: `${other.url}/v1`, maxRetries: 0 });
    const reply = await openai.chat.completions.create({ model: 'vesper', messages: [{ role: 'user', content: REFERENCE }] });
    assert.match(reply.choices[0].message.content, /48\.73/);
    const mcp = new McpClient({ name: 'test', version: '1' }, { capabilities: {} });
    await mcp.connect(new StreamableHTTPClientTransport(new URL(`${other.url}/mcp`), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }));
    const price = await mcp.callTool({ name: 'get_average_annual_price', arguments: { vendor: 'Ascend', market: 'CAISO', hub_zone: 'NP15', year: 2025 } });
    assert.equal(price.structuredContent.outcome, 'rows');
    await mcp.close();
    const ticket = (await call(other, token, 'POST', '/api/v1/ws/tickets')).body.ticket;
    for (const options of [{ token }, { token, via: 'subprotocol' }, { ticket, via: 'none' }, { origin: other.url, via: 'none' }]) {
      const { chat } = await other.open(options);
      if (options.origin)
        chat.send({ type: 'auth', token });
      assert.equal((await (await ready(chat)).ask(REFERENCE)).status, 'ok', JSON.stringify(options));
      await chat.close();
    }
    const queryTokenDaemon = await startDaemon({ env: { VESPER_AUTH_ALLOW_QUERY_TOKEN: '1' } });
    try {
      const { token: own } = await createToken(user('c1'), {}, queryTokenDaemon);
      assert.equal(await requestStatus(queryTokenDaemon, own), 200);
      assert.equal((await queryTokenDaemon.rejection({ token: own, via: 'query' })).status, 401);
    } finally {
      await queryTokenDaemon.stop();
    }
  });

  for (const [name, [ask, end]] of Object.entries(streams))
    it(`learns in mid-stream that it was revoked: ${name}`, async () => {
      const sub = `s-${name.length}`;
      const { token, token_id } = await createToken(user(sub));
      const reader = (await ask(token)).body.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      while (!/word|progress/.test(text))
        text += (await reader.read()).value;
      assert.equal((await revoke(other, user(sub), token_id)).status, 204);
      const revoked = Date.now();
      for (let part; !(part = await reader.read()).done;)
        text += part.value;
      assert.ok(Date.now() - revoked < REVOCATION_LIMIT_MS + 1000, `${Date.now() - revoked} ms`);
      assert.match(text, end);
      assert.equal(await storedStatus(sub), 'cancelled', 'no other client watched');
    });

  it('learns in mid-stream that it was revoked: a socket', async () => {
    const { token, token_id } = await createToken(user('s-ws'));
    const chat = await one.connect({ token });
    await chat.begin(REFERENCE);
    await chat.until((f) => f.type === 'chat.token');
    assert.equal((await revoke(other, user('s-ws'), token_id)).status, 204);
    const error = await chat.until((f) => f.type === 'chat.error');
    assert.deepEqual([error.code, error.seq], ['denied', undefined]);
    assert.deepEqual(await chat.closed, { code: 4401, reason: 'token revoked' });
    assert.equal(await storedStatus('s-ws'), 'cancelled');
  });

  it('is notified of a revocation while it waits for a complete answer', async () => {
    const { token, token_id } = await createToken(user('s-one'));
    const waiting = post('', token, '/v1/chat/completions', { model: 'vesper', messages: [{ role: 'user', content: REFERENCE }] });
    await sleep(500);
    assert.equal((await revoke(other, user('s-one'), token_id)).status, 204);
    const reply = await waiting;
    assert.deepEqual([reply.status, (await reply.json()).error.code], [401, 'unauthorized']);
    assert.equal(await storedStatus('s-one'), 'cancelled');
  });

  it('does not stop other streams of its user', async () => {
    const { token, token_id } = await createToken(user('s-two'));
    const reply = await streams['server-sent events'][0](token);
    const turn = reply.headers.get('vesper-turn');
    const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
    await reader.read();
    const watching = await fetch(`${one.url}/api/v1/turns/${turn}/events`, { headers: { authorization: `Bearer ${user('s-two')}` } });
    const body = watching.body.pipeThrough(new TextDecoderStream()).getReader();
    await body.read();
    assert.equal((await revoke(one, user('s-two'), token_id)).status, 204);
    while (!(await reader.read()).done);
    await sleep(500);
    assert.equal(await pg.admin("SELECT count(*) FROM dbo.chat_messages m JOIN dbo.chat_sessions s ON s.session_id = m.session_id WHERE s.user_id = 's-two' AND m.role = 'assistant'"), '0', 'the turn continues');
    assert.equal((await call(one, user('s-two'), 'DELETE', `/api/v1/turns/${turn}`)).status, 204);
    while (!(await body.read()).done);
  });
});
