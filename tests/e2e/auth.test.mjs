/*
 * Every way to authenticate, and every kind of invalid credential. Browsers get a close code, other clients an
 * HTTP status.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { ready } from './chat.mjs';
import { REFERENCE, startDaemon } from './harness.mjs';
import { mintToken, nowS, ROLES, SECRET, signToken } from './token.mjs';
import { checkProblem } from './rest.mjs';

const FOREIGN_ORIGIN = 'http://evil.example';
const UNKNOWN_SESSION = '0198c0de-0000-7000-8000-000000000001';
const SUBPROTOCOL = /^[\w.~-]+$/; /* the characters that browsers allow in a subprotocol and that tokens use */
const good = { sub: 'e2e-user', tenant_id: 'vesper', permissions: ROLES.manager, exp: nowS() + 3600 };

/* name -> token: each is refused, on the socket and over REST */
const badTokens = {
  'no token at all': undefined,
  'not a token': 'hello',
  'two parts': mintToken().split('.').slice(0, 2).join('.'),
  'four parts': `${mintToken()}.x`,
  'another secret': mintToken({ secret: 'another-secret-of-more-than-32-bytes-' }),
  'a changed payload': mintToken().replace(/\.[^.]+\./, `.${Buffer.from(JSON.stringify({ ...good, sub: 'boss' }))
    .toString('base64url')}.`),
  'a padded signature': `${mintToken()}=`,
  'alg none, unsigned': signToken({ alg: 'none' }, good),
  'alg none in capitals': signToken({ alg: 'NONE', typ: 'JWT' }, good),
  'alg HS512, correctly signed': signToken({ alg: 'HS512', typ: 'JWT' }, good),
  'alg RS256 over an HMAC': `${mintToken({ header: { alg: 'RS256' } })}AAAA`,
  'no alg': signToken({ typ: 'JWT' }, good),
  'another typ': mintToken({ header: { typ: 'refresh+jwt' } }),
  'a critical header': mintToken({ header: { crit: ['x'], x: 1 } }),
  'expired': mintToken({ exp: nowS() - 3600 }),
  'no exp': mintToken({ exp: undefined }),
  'exp as text': mintToken({ exp: String(nowS() + 3600) }),
  'not yet valid': mintToken({ nbf: nowS() + 3600 }),
  'issued in the future': mintToken({ iat: nowS() + 3600 }),
  'no sub': mintToken({ sub: undefined }),
  'sub as a number': mintToken({ sub: 7 }),
  'an empty sub': mintToken({ sub: '' }),
  'a sub of 201 characters': mintToken({ sub: 'x'.repeat(201) }),
  'no tenant': mintToken({ tenant_id: undefined }),
  'tenant as a list': mintToken({ tenant_id: ['vesper'] }),
  'permissions as text': mintToken({ permissions: 'chat:use' }),
  'permissions with a number': mintToken({ permissions: ['chat:use', 1] }),
};

describe('authentication', () => {
  let d;
  let origin;

  before(async () => {
    d = await startDaemon();
    origin = d.url;
  });
  after(() => d?.stop());

  async function connectAndAsk(options) {
    const chat = await d.connect(options);
    assert.match((await chat.ask(REFERENCE)).text, /48\.73/);
    await chat.close();
    return chat;
  }

  describe('valid credentials are accepted', () => {
    it('as an Authorization header', () => connectAndAsk({}));

    it('as a subprotocol; the reply names only vesper.v1', async () => {
      const chat = await connectAndAsk({ token: mintToken(), via: 'subprotocol', origin });
      assert.equal(chat.ws.protocol, 'vesper.v1');
    });

    it('as a ticket, once', async () => {
      const reply = await d.rest().post('/api/v1/ws/tickets');
      assert.equal(reply.status, 200, reply.text);
      assert.equal(reply.body.expires_in, 30);
      const { ticket } = reply.body;
      await connectAndAsk({ ticket, via: 'none' });
      assert.equal((await d.rejection({ ticket, via: 'none' })).status, 401, 'the second use');
      assert.equal((await d.rejection({ ticket, via: 'none', origin })).code, 4401);
      assert.equal((await d.rejection({ ticket: 'made-up', via: 'none' })).status, 401);
    });

    it('as the first frame of a browser', async () => {
      const { chat } = await d.open({ origin });
      chat.send({ type: 'auth', token: mintToken() });
      await ready(chat);
      assert.match((await chat.ask(REFERENCE)).text, /48\.73/);
      await chat.close();
    });

    it('with the types JWT, at+jwt and none, and small clock differences', async () => {
      for (const header of [{ typ: 'JWT' }, { typ: 'at+jwt' }, { typ: undefined }])
        await (await d.connect({ token: mintToken({ header }) })).close();
      const ahead = { iat: nowS() + 5, nbf: nowS() + 5 };
      await (await d.connect({ token: mintToken(ahead) })).close();
    });

    it('for a sub of 200 characters in any script', async () => {
      const sub = 'ж'.repeat(200);
      const chat = await d.connect({ token: mintToken({ sub }) });
      assert.equal(chat.ready.user.id, sub);
      await chat.close();
    });
  });

  describe('invalid credentials are rejected', () => {
    for (const [name, token] of Object.entries(badTokens))
      it(name, async () => {
        assert.equal((await d.rejection({ token: token ?? '', via: token ? 'header' : 'none' })).status, 401,
          'over the socket');
        if (SUBPROTOCOL.test(token ?? '=')) {
          const browser = await d.rejection({ token, via: 'subprotocol', origin });
          assert.equal(browser.code, 4401, 'in a browser');
        }
        const reply = await d.rest(token ?? null).get('/api/v1/sessions');
        checkProblem(reply, 401);
        assert.match(reply.headers.get('www-authenticate') ?? '', /^Bearer/);
      });

    it('an oversized token is rejected without parsing', async () => {
      const token = mintToken({ pad: 'x'.repeat(20000) });
      const refused = await d.rejection({ token });
      assert.ok(refused.connectionError || [400, 401, 413, 431].includes(refused.status), JSON.stringify(refused));
      const reply = await d.rest(token).get('/api/v1/sessions').catch((e) => ({ connectionError: e }));
      assert.ok(reply.connectionError || [400, 401, 413, 431].includes(reply.status), `${reply.status}`);
      assert.ok(await d.isAlive());
    });

    it('a bad first frame is rejected, and waiting times out', async () => {
      for (const frame of [{ type: 'auth', token: 'x' }, { type: 'auth' }, { type: 'chat.message', content: 'hi' }]) {
        const { chat } = await d.open({ origin });
        chat.send(frame);
        assert.equal((await chat.closed).code, 4401, JSON.stringify(frame));
      }
      assert.equal((await d.rejection({ origin })).code, 4408, 'silence');
    });

    it('of hundreds of unauthenticated sockets, the longest idle are closed, and users are served', async () => {
      const crowd = await Promise.all(Array.from({ length: 300 },
        () => d.open({ origin }).catch(() => ({})))); /* the socket may be closed before it is answered */
      await new Promise((r) => setTimeout(r, 500));
      const waiting = crowd.filter(({ chat }) => chat && !chat.closeInfo);
      assert.ok(waiting.length > 0 && waiting.length <= 256, `${waiting.length} wait`);
      await connectAndAsk({});
      await Promise.all(waiting.map(({ chat }) => chat.cut()));
      const { chat } = await d.open({ origin });
      chat.send({ type: 'auth', token: mintToken() });
      await ready(chat);
      await chat.close();
    });

    it('the query token is disabled by default', async () => {
      assert.equal((await d.rejection({ token: mintToken(), via: 'query' })).status, 401);
    });

    it('no credential is logged', async () => {
      const token = mintToken();
      await d.rejection({ token, via: 'query' });
      await connectAndAsk({ token });
      for (const secret of [token, token.split('.')[2], SECRET])
        assert.ok(!d.output.includes(secret), 'a secret is in the log');
    });
  });

  describe('clients without access', () => {
    it('a foreign origin, even with a good token', async () => {
      assert.equal((await d.rejection({ token: mintToken(), origin: FOREIGN_ORIGIN })).code, 4403);
    });

    it('a user without chat:use', async () => {
      const token = mintToken({ permissions: ['chat:read_projects'] });
      assert.equal((await d.rejection({ token })).status, 403);
      assert.equal((await d.rejection({ token, via: 'subprotocol', origin })).code, 4403);
      checkProblem(await d.rest(token).post('/api/v1/chat', { content: REFERENCE }), 403);
    });

    it('an unknown tenant', async () => {
      const refused = await d.rejection({ token: mintToken({ tenant_id: 'nobody' }) });
      assert.ok([401, 403].includes(refused.status), JSON.stringify(refused));
    });

    it('sessions of others, unknown and malformed sessions are all reported as nonexistent', async () => {
      const { session } = await d.ask(REFERENCE);
      const other = mintToken({ sub: 'another-user' });
      const namesake = mintToken({ tenant_id: 'acme' });
      for (const [token, id] of [[other, session], [namesake, session], [mintToken(), UNKNOWN_SESSION],
        [mintToken(), 'not-a-uuid'], [mintToken(), "x' OR '1'='1"]]) {
        assert.equal((await d.rejection({ token, session: id })).status, 404, id);
        assert.equal((await d.rejection({ token, session: id, via: 'subprotocol', origin })).code, 4404, id);
        checkProblem(await d.rest(token).get(`/api/v1/sessions/${encodeURIComponent(id)}/messages`), 404);
      }
    });
  });

  describe('a token that expires on an open socket', () => {
    it('causes a warning, and a new one is accepted', async () => {
      const chat = await d.connect({ token: mintToken({ exp: nowS() + 30 }) });
      await chat.until((f) => f.type === 'auth.expiring', 5000);
      chat.send({ type: 'auth', token: mintToken() });
      assert.match((await chat.ask(REFERENCE)).text, /48\.73/);
      await chat.close();
    });

    it('cannot be replaced by a token of another user', async () => {
      const chat = await d.connect();
      chat.send({ type: 'auth', token: mintToken({ sub: 'another-user' }) });
      assert.equal((await chat.closed).code, 4403);
    });
  });
});

describe('with other settings', () => {
  it('the query token works if it is enabled, and is not logged', async (t) => {
    const d = await startDaemon({ env: { VESPER_AUTH_ALLOW_QUERY_TOKEN: 'true' } });
    t.after(() => d.stop());
    const token = mintToken();
    const turn = await d.ask(REFERENCE, { token, via: 'query' });
    assert.match(turn.text, /48\.73/);
    assert.ok(!d.output.includes(token.split('.')[2]));
  });

  it('a listed origin is accepted', async (t) => {
    const d = await startDaemon({ env: { VESPER_AUTH_ORIGINS: `http://other.example,${FOREIGN_ORIGIN}` } });
    t.after(() => d.stop());
    const chat = await d.connect({ origin: FOREIGN_ORIGIN });
    await chat.close();
  });

  it('a socket is closed when its token expires', async (t) => {
    const d = await startDaemon({ env: { VESPER_AUTH_LEEWAY_S: '0' } });
    t.after(() => d.stop());
    const chat = await d.connect({ token: mintToken({ exp: nowS() + 3 }) });
    const { code } = await chat.closed;
    assert.equal(code, 4401);
  });

  it('demo login exists only in demo mode', async (t) => {
    const d = await startDaemon({ demo: false });
    t.after(() => d.stop());
    checkProblem(await d.rest(null).post('/api/v1/demo/login', { tenant: 'vesper', role: 'admin' }), 404);
  });
});
