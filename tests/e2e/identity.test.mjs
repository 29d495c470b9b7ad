/* Tokens of an identity provider: RS256 with its keys, roles, tenants, key rotation, outages and forgeries. */

import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Issuer } from '../mock/issuer.mjs';
import { launch, refusedStart, startDaemon } from './harness.mjs';
import { checkProblem } from './rest.mjs';
import { nowS, SECRET, mintToken } from './token.mjs';

const TID = { vesper: '11111111-1111-4111-8111-111111111111', acme: '22222222-2222-4222-8222-222222222222' };

const UPDATE_REQUESTS = 2; /* of one key update: the discovery document and the keys */
const UNKNOWN_MS = 15000;  /* minimum time between key updates that unknown keys cause */

function settings(issuer, more = {}) {
  return { demo: false, env: {
    VESPER_JWT_SECRET: undefined,
    VESPER_AUTH_JWKS_URL: `${issuer.url}/common/.well-known/openid-configuration`,
    VESPER_AUTH_ISSUER: `${issuer.url}/{tenantid}/v2.0`, VESPER_AUTH_AUDIENCE: 'api-guid',
    VESPER_AUTH_TENANT_CLAIM: 'tid', VESPER_AUTH_USER_CLAIM: 'oid', VESPER_AUTH_LEEWAY_S: '1',
    VESPER_AUTH_ROLE_MAP: JSON.stringify({ 'Vesper.Viewer': 'viewer', 'Vesper.Manager': 'manager' }),
    VESPER_TENANTS: JSON.stringify({
      vesper: { warehouse: 'vesper.db', store: 'vesper.db', claim: TID.vesper },
      acme: { warehouse: 'acme.db', store: 'acme.db', claim: TID.acme } }),
    ...more } };
}

describe('tokens of an identity provider', () => {
  let issuer;
  let d;

  const claims = (more = {}) => ({ iss: `${issuer.url}/${TID.vesper}/v2.0`, aud: 'api-guid', tid: TID.vesper, oid: 'oid-1',
    sub: 'per-app', ver: '2.0', roles: ['Vesper.Manager', 'Unknown.Role'], iat: nowS(), nbf: nowS(), exp: nowS() + 600, ...more });
  const status = async (token) => (await d.rest(token).get('/api/v1/sessions')).status;

  before(async () => {
    issuer = await new Issuer().start();
    d = await startDaemon(settings(issuer, { VESPER_AUTH_JWKS_REFRESH_S: '1' }));
  });
  after(async () => {
    await d?.stop();
    await issuer?.close();
  });

  it('are accepted over REST and WebSocket, with permissions from their roles', async () => {
    assert.equal(await status(issuer.sign(claims())), 200);
    assert.ok(issuer.requests[0].endsWith('/openid-configuration') && issuer.requests.includes('/keys'));
    const chat = await d.connect({ token: issuer.sign(claims({ roles: ['Vesper.Viewer'] })) });
    assert.deepEqual(chat.ready.user, { id: 'oid-1', tenant: 'vesper', permissions: ['chat:use', 'chat:read_projects'] });
    await chat.close();
    assert.equal(await status(issuer.sign(claims({ roles: [] }))), 403);
    assert.equal(await status(issuer.sign(claims({ roles: ['vesper.viewer'] }))), 403);
  });

  it('of applications or scopes that are not listed are refused', async () => {
    const strict = await startDaemon(settings(issuer, { VESPER_AUTH_SCOPE: 'Chat.Use', VESPER_AUTH_CLIENTS: 'portal,teams' }));
    const ask = (more) => strict.rest(issuer.sign(claims(more))).get('/api/v1/sessions');
    assert.equal((await ask({ scp: 'openid Chat.Use', azp: 'teams' })).status, 200);
    assert.equal((await ask({ appid: 'portal' })).status, 200, 'an application without a user, by its roles');
    for (const more of [{ scp: 'openid', azp: 'teams' }, { scp: 'Chat.Use', azp: 'stranger' }, { scp: 'Chat.Use' }, { azp: 'teams', roles: [] }]) {
      const reply = await ask(more);
      checkProblem(reply, 401);
      assert.match(reply.headers.get('www-authenticate'), /error="invalid_token"/);
    }
    const late = await ask({ scp: 'Chat.Use', azp: 'teams', exp: nowS() - 60 });
    assert.match(late.headers.get('www-authenticate'), /error_description="The token has expired\."/);
    const noRole = await ask({ scp: 'Chat.Use', azp: 'teams', roles: [] });
    checkProblem(noRole, 403);
    assert.match(noRole.headers.get('www-authenticate'), /error="insufficient_scope", scope="chat:use"/);
    await strict.stop();
  });

  it('select the tenant by their claim', async () => {
    const acme = issuer.sign(claims({ tid: TID.acme, iss: `${issuer.url}/${TID.acme}/v2.0` }));
    const chat = await d.connect({ token: acme });
    assert.equal(chat.ready.user.tenant, 'acme');
    await chat.close();
  });

  it('are refused if forged, expired or for another audience', async () => {
    const publicKey = issuer.keys.get(issuer.kid).publicKey;
    const otherKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const good = issuer.sign(claims());
    const [head, body, signature] = good.split('.');
    const doubled = Buffer.from(`${JSON.stringify(claims()).slice(0, -1)},"oid":"oid-2"}`).toString('base64url');
    const invalid = {
      none: `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`,
      confusedPem: issuer.confuse(claims(), publicKey.export({ type: 'spki', format: 'pem' })),
      confusedDer: issuer.confuse(claims(), publicKey.export({ type: 'spki', format: 'der' })),
      confusedModulus: issuer.confuse(claims(), Buffer.from(publicKey.export({ format: 'jwk' }).n, 'base64url')),
      development: mintToken(), hs256: mintToken({ secret: SECRET }),
      otherKey: issuer.sign(claims(), {}, { key: otherKey }),
      jku: issuer.sign(claims(), { jku: `${issuer.url}/evil` }, { key: otherKey }),
      noKid: issuer.sign(claims(), { kid: undefined }), kidPath: issuer.sign(claims(), { kid: '../../etc/passwd' }),
      crit: issuer.sign(claims(), { crit: ['exp'] }), typ: issuer.sign(claims(), { typ: 'JOSE' }),
      issuer: issuer.sign(claims({ iss: 'https://login.example/' })), template: issuer.sign(claims({ iss: `${issuer.url}/{tenantid}/v2.0` })),
      crossed: issuer.sign(claims({ tid: TID.acme })), audience: issuer.sign(claims({ aud: '00000003-0000-0000-c000-000000000000' })),
      tenant: issuer.sign(claims({ tid: 'vesper', iss: `${issuer.url}/vesper/v2.0` })), noUser: issuer.sign(claims({ oid: undefined })),
      expired: issuer.sign(claims({ exp: nowS() - 60 })), early: issuer.sign(claims({ nbf: nowS() + 600 })), endless: issuer.sign(claims({ exp: undefined })),
      doubled: (() => { const t = issuer.sign(claims()).split('.'); return `${t[0]}.${doubled}.${t[2]}`; })(),
      padded: `${good}=`, stray: `${head}.${body}.${signature.slice(0, -1)}${signature.endsWith('A') ? 'B' : 'A'}`,
      plus: `${head}.${body}.${signature.replace(/[-_]/, '+')}+`, two: `${head}.${body}`, four: `${good}.x`, huge: issuer.sign(claims({ x: 'y'.repeat(14000) })),
    };
    for (const [name, token] of Object.entries(invalid)) {
      const reply = await d.rest(token).get('/api/v1/sessions');
      assert.ok([401, 431].includes(reply.status), `${name}: ${reply.status}`);
      assert.ok(!reply.text.includes(token.slice(-40)));
    }
    assert.equal(await status(good), 200);
    assert.ok(!d.output.includes(good.slice(0, 80)), 'no token in the log');
  });

  it('signed with a new key are accepted after the next update, and also during an outage', async () => {
    const old = issuer.sign(claims());
    issuer.roll('key-2');
    const fresh = issuer.sign(claims());
    for (let i = 0; i < 200 && (await status(fresh)) !== 200; i++)
      await sleep(50);
    assert.equal(await status(fresh), 200);
    assert.equal(await status(old), 401);
    issuer.fail = true;
    const requestsBefore = issuer.requests.length;
    for (let i = 0; i < 200 && issuer.requests.length < requestsBefore + 2; i++)
      await sleep(50);
    assert.equal(await status(fresh), 200);
    assert.equal((await fetch(`${d.url}/readyz`)).status, 200);
    issuer.fail = false;
  });

  it('with unknown keys cause few requests to the issuer', async () => {
    const requestsBefore = issuer.requests.length;
    await Promise.all(Array.from({ length: 50 }, (_, i) => status(issuer.sign(claims(), { kid: `made-up-${i}` }))));
    assert.ok(issuer.requests.length - requestsBefore <= 8, 'at most one additional key update');
  });

  /* Any client can send unknown keys, so they must neither delay a new key nor cause load at the issuer. */
  it('unknown keys without end delay no new key, and ask the issuer no oftener than one does', async () => {
    const own = await new Issuer().start();
    const mine = () => claims({ iss: `${own.url}/${TID.vesper}/v2.0` });
    const hourly = await startDaemon(settings(own)); /* requests keys hourly, or if a key is unknown */
    const start = Date.now();
    const statusOf = async (token) => (await hourly.rest(token).get('/api/v1/sessions')).status;
    let sent = 0;
    let done = false;
    const requestsBefore = own.requests.length;
    const senders = Array.from({ length: 4 }, async (_, i) => {
      while (!done) {
        assert.equal(await statusOf(own.sign(mine(), { kid: `made-up-${i}-${sent++}` })), 401);
        const opened = await hourly.open({ token: own.sign(mine(), { kid: `made-up-${i}-${sent++}` }) });
        opened.chat?.ws.terminate();
      }
    });
    while (own.requests.length < requestsBefore + UPDATE_REQUESTS)
      await sleep(50); /* the first unknown key has caused its requests; the next one must wait */
    own.roll('key-2');
    const fresh = own.sign(mine());
    const before = own.requests.length;
    while (await statusOf(fresh) !== 200)
      await sleep(100);
    done = true;
    await Promise.all(senders);
    const [after, all] = [own.requests.length - before, own.requests.length - requestsBefore];
    assert.ok(after <= 2 * UPDATE_REQUESTS, `the new key was known after ${after} requests`);
    assert.ok(all <= UPDATE_REQUESTS * (2 + (Date.now() - start) / UNKNOWN_MS), `${all} requests for ${sent} unknown keys`);
    await hourly.stop();
    await own.close();
  });

  it('expire on an open socket unless they are renewed', async () => {
    const chat = await d.connect({ token: issuer.sign(claims({ exp: nowS() + 4 })) });
    await chat.until((f) => f.type === 'auth.expiring');
    chat.send({ type: 'auth', token: issuer.sign(claims({ exp: nowS() + 5, roles: ['Vesper.Viewer'] })) });
    await chat.until((f) => f.type === 'auth.expiring', 10000);
    const closed = await chat.closed;
    assert.equal(closed.code, 4401);
  });
});

describe('a start with an identity provider', () => {
  it('is alive but not ready until it has the keys', async () => {
    const issuer = await new Issuer().start();
    issuer.fail = true;
    const d = await launch(settings(issuer, { VESPER_AUTH_JWKS_REFRESH_S: '1' }));
    for (let i = 0; i < 400 && !(await d.isAlive().catch(() => false)); i++)
      await sleep(25);
    assert.equal((await fetch(`${d.url}/readyz`)).status, 503);
    checkProblem(await d.rest(issuer.sign({ oid: 'x' })).get('/api/v1/sessions'), 401);
    issuer.fail = false;
    await d.waitReady();
    await d.stop();
    await issuer.close();
  });

  it('is refused if tokens could not be verified', async () => {
    const issuer = { url: 'http://127.0.0.1:9' };
    await refusedStart(settings(issuer, { VESPER_AUTH_AUDIENCE: undefined }), /RS256 needs .*auth\.audience/);
    await refusedStart(settings(issuer, { VESPER_AUTH_ISSUER: undefined }), /RS256 needs .*auth\.issuer/);
    await refusedStart(settings(issuer, { VESPER_AUTH_TENANT_CLAIM: 'tenant_id' }), /\{tenantid\} needs auth\.tenant_claim/);
    await refusedStart(settings(issuer, { VESPER_AUTH_JWKS_URL: 'http://keys.example/' }), /jwks_url/);
    await refusedStart(settings(issuer, { VESPER_AUTH_ALGORITHMS: 'none' }), /auth\.algorithms/);
    await refusedStart(settings(issuer, { VESPER_AUTH_ALGORITHMS: 'RS256,HS256' }), /auth\.jwt_secret/);
    await refusedStart(settings(issuer, { VESPER_AUTH_ROLE_MAP: '{"a":"emperor"}' }), /role_map/);
    await refusedStart(settings(issuer, { VESPER_AUTH_TENANTS: 'nobody' }), /auth\.tenants/);
  });
});
