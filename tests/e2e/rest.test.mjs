/* The REST and SSE interface: its answers, and its replies to invalid requests. */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { startMock } from '../mock/anthropic.mjs';
import { REFERENCE, startDaemon } from './harness.mjs';
import { checkProblem } from './rest.mjs';
import { mintToken, ROLES } from './token.mjs';
import { checkNoNullMembers, checkView, UUID7 } from './turn.mjs';

const UNKNOWN = '0198c0de-0000-7000-8000-00000000000a';

describe('over REST', () => {
  let mock;
  let d;
  let rest;

  before(async () => {
    d = await startDaemon();
    rest = d.rest();
  });
  after(() => d?.stop());

  describe('POST /chat', () => {
    it('returns the complete answer', async () => {
      const { status, body } = await rest.post('/api/v1/chat', { content: REFERENCE });
      assert.equal(status, 200, JSON.stringify(body));
      checkNoNullMembers(body);
      for (const id of [body.turn_id, body.session_id, body.message_id])
        assert.match(id, UUID7);
      assert.match(body.text, /\$48\.73\/MWh/);
      assert.equal(body.status, 'ok');
      assert.equal(body.provider, 'rules');
      body.views.forEach(checkView);
      assert.ok(body.views.some((v) => v.view_type === 'data'));
      assert.ok(body.filters.some((f) => f.name === 'hub_zone' && f.value === 'NP15'));
      for (const name of ['pbi_deep_links', 'suggestions', 'outcomes'])
        assert.ok(Array.isArray(body[name]), name);
      assert.equal(body.usage.calls, 0);
      assert.equal(body.ask, undefined);
    });

    it('accepts the old member name, and a session', async () => {
      const first = (await rest.post('/api/v1/chat', { message: REFERENCE })).body;
      assert.match(first.text, /48\.73/);
      const second = (await rest.post('/api/v1/chat', { content: REFERENCE, session_id: first.session_id })).body;
      assert.equal(second.session_id, first.session_id);
      const third = (await rest.post(`/api/v1/sessions/${first.session_id}/messages`, { content: REFERENCE })).body;
      assert.equal(third.session_id, first.session_id);
      assert.equal((await rest.messages(first.session_id)).length, 6);
    });

    it('runs a repeated client_msg_id once', async () => {
      const json = { content: REFERENCE, client_msg_id: 'rest-1' };
      const first = (await rest.post('/api/v1/chat', json)).body;
      const again = (await rest.post('/api/v1/chat', { ...json, session_id: first.session_id })).body;
      assert.deepEqual([again.turn_id, again.text], [first.turn_id, first.text]);
      assert.equal((await rest.messages(first.session_id)).length, 2);
    });

    it('runs edited filters', async () => {
      const { body } = await rest.post('/api/v1/chat',
        { content: REFERENCE, filters: { vendor: 'Ascend', market: 'CAISO', hub_zone: 'SP15', year: 2025 } });
      assert.match(body.text, /52\.14/);
    });
  });

  describe('POST /chat/stream', () => {
    it('streams the same turn as events', async () => {
      const sse = await rest.stream('/api/v1/chat/stream', { json: { content: REFERENCE } });
      assert.equal(sse.status, 200);
      assert.match(sse.headers.get('content-type'), /^text\/event-stream/);
      assert.match(sse.headers.get('cache-control'), /no-cache/);
      assert.equal(sse.headers.get('x-accel-buffering'), 'no');
      assert.equal(sse.headers.get('content-length'), null);
      const turn = await sse.turn();
      assert.match(turn.text, /\$48\.73\/MWh/);
      const names = sse.events.map((e) => e.event);
      assert.equal(names[0], 'turn.started');
      assert.equal(names[names.length - 1], 'turn.completed');
      for (const name of ['item.started', 'item.completed', 'item.updated', 'progress.update', 'response'])
        assert.ok(names.includes(name), `${name} among ${names}`);
      const items = sse.events.filter((e) => /^item\.(started|completed)$/.test(e.event)).map((e) => e.data.item);
      assert.ok(items.some((i) => i.type === 'sql_execution'), JSON.stringify(items));
      for (const i of items)
        assert.ok(['guardrail_check', 'reasoning', 'sql_execution', 'doc_retrieval', 'chart_generation', 'message']
          .includes(i.type), i.type);
      const messages = await rest.messages(turn.complete.session_id);
      assert.equal(messages[1].content, turn.text);
    });

    it('clients that disconnect do not disturb the daemon', async () => {
      for (let i = 0; i < 5; i++) {
        const sse = await rest.stream('/api/v1/chat/stream', { json: { content: REFERENCE } });
        await sse[Symbol.asyncIterator]().next();
        sse.leave();
      }
      assert.ok(await d.isAlive());
    });
  });

  describe('sessions', () => {
    it('are listed newest first, own only, page by page', async () => {
      const mine = d.rest(mintToken({ sub: 'lister' }));
      const ids = [];
      for (let i = 0; i < 3; i++)
        ids.unshift((await mine.post('/api/v1/chat', { content: REFERENCE })).body.session_id);
      const all = (await mine.get('/api/v1/sessions')).body;
      assert.deepEqual(all.data.map((s) => s.session_id), ids);
      assert.equal(all.has_more, false);
      assert.equal(all.next_cursor, undefined);
      checkNoNullMembers(all);
      const paged = [];
      let query = '?limit=1';
      for (let page; query; query = page.has_more ? `?limit=1&cursor=${encodeURIComponent(page.next_cursor)}` : '') {
        page = (await mine.get(`/api/v1/sessions${query}`)).body;
        assert.equal(page.data.length, 1);
        paged.push(page.data[0].session_id);
      }
      assert.deepEqual(paged, ids);
      assert.deepEqual((await d.rest(mintToken({ sub: 'newcomer' })).get('/api/v1/sessions')).body.data, []);
    });

    it('have their messages oldest first, page by page', async () => {
      const session = (await rest.post('/api/v1/chat', { content: REFERENCE })).body.session_id;
      await rest.post('/api/v1/chat', { content: REFERENCE, session_id: session });
      const path = `/api/v1/sessions/${session}/messages`;
      const first = (await rest.get(`${path}?limit=3`)).body;
      assert.equal(first.data.length, 3);
      assert.equal(first.has_more, true);
      const second = (await rest.get(`${path}?limit=3&cursor=${encodeURIComponent(first.next_cursor)}`)).body;
      assert.deepEqual([second.data.length, second.has_more], [1, false]);
      const all = [...first.data, ...second.data];
      assert.deepEqual(all.map((m) => m.role), ['user', 'assistant', 'user', 'assistant']);
      assert.deepEqual(all, await rest.messages(session));
      checkNoNullMembers(all);
      for (const query of ['?cursor=garbage', '?limit=0', '?limit=x', '?limit=100000'])
        checkProblem(await rest.get(path + query), 400);
    });
  });

  describe('an invalid request', () => {
    const chat = (body, headers = { 'content-type': 'application/json' }) =>
      rest.call('POST', '/api/v1/chat', { body, headers });

    it('malformed JSON and wrong shapes', async () => {
      for (const body of ['{"content":', '', '{"content":"hi"} x', '{"content":"a\\u0000b"}', '{"content":"\\ud83d"}',
        `{"content":"hi","x":${'['.repeat(5000)}${']'.repeat(5000)}}`])
        checkProblem(await chat(body), 400);
      for (const body of ['[]', '"hi"', 'null', '{}', '{"content":7}', '{"content":""}', '{"content":"  "}',
        '{"content":"hi","filters":7}', '{"content":"hi","client_msg_id":7}'])
        checkProblem(await chat(body), [400, 422]);
      checkProblem(await chat(Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d])), 400);
    });

    it('the wrong content type', async () => {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp'])
        checkProblem(await chat('{"content":"hi"}', { 'content-type': type }), 415);
      assert.equal((await chat(JSON.stringify({ content: REFERENCE }),
        { 'content-type': 'application/json; charset=UTF-8' })).status, 200);
    });

    it('a body that is too large, a message that is too long', async () => {
      checkProblem(await chat(JSON.stringify({ content: 'x'.repeat(200000) })), 413);
      checkProblem(await chat(JSON.stringify({ content: 'x'.repeat(16385) })), [400, 413, 422]);
      assert.equal((await chat(JSON.stringify({ content: 'x'.repeat(16384) }))).status, 200);
      const oversized = await rest.raw('POST', '/api/v1/chat', { duplex: 'half', headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ content: 'x'.repeat(5e6) }) }).catch((e) => ({ status: 413, broken: e }));
      assert.equal(oversized.status, 413);
    });

    it('unknown routes and methods that a route does not allow', async () => {
      for (const path of ['/api/v1/nothing', '/api/v2/chat', '/nothing', '/api/v1/chat/', '/api/v1/sessions/x/y/z', '/%00',
        '/../../etc/passwd', '/api/v1/turns'])
        checkProblem(await rest.get(path), 404);
      checkProblem(await rest.get('/ws%2Fv1/chat'), [404, 426]);
      for (const [method, path] of [['GET', '/api/v1/chat'], ['DELETE', '/api/v1/chat'], ['PUT', '/api/v1/sessions'],
        ['POST', '/livez'], ['PATCH', '/api/v1/ws/tickets']]) {
        const reply = await rest.call(method, path);
        checkProblem(reply, 405);
        assert.ok(reply.headers.get('allow'), 'the response lists the allowed methods');
      }
    });

    it('unknown and invalid ids', async () => {
      for (const id of [UNKNOWN, 'x', '..%2f..', "'%20OR%201=1", 'x'.repeat(3000)]) {
        checkProblem(await rest.get(`/api/v1/sessions/${id}/messages`), 404);
        checkProblem(await rest.get(`/api/v1/turns/${id}/events`), 410);
        checkProblem(await rest.delete(`/api/v1/turns/${id}`), 404);
      }
      checkProblem(await rest.post('/api/v1/chat', { content: 'hi', session_id: UNKNOWN }), 404);
      checkProblem(await rest.post('/api/v1/chat', { content: 'hi', session_id: 'x' }), [400, 404, 422]);
    });

    it('a missing token; probes need none', async () => {
      const anonymous = d.rest(null);
      for (const [method, path] of [['POST', '/api/v1/chat'], ['POST', '/api/v1/chat/stream'], ['POST', '/api/v1/ws/tickets'],
        ['GET', '/api/v1/sessions'], ['GET', `/api/v1/sessions/${UNKNOWN}/messages`], ['GET', `/api/v1/turns/${UNKNOWN}/events`],
        ['DELETE', `/api/v1/turns/${UNKNOWN}`]])
        checkProblem(await anonymous.call(method, path), 401);
      for (const path of ['/livez', '/readyz', '/health'])
        assert.equal((await anonymous.get(path)).status, 200);
    });

    it('responses have security headers', async () => {
      const reply = await rest.get('/api/v1/sessions');
      assert.equal(reply.headers.get('x-content-type-options'), 'nosniff');
      assert.match(reply.headers.get('cache-control') ?? '', /no-store/);
    });
  });
});

describe('a running turn over REST', () => {
  let mock;
  let d;

  before(async () => {
    mock = await startMock({ script: [{ when: { kind: 'answer' }, reply: { text: 'word '.repeat(400) }, fault: { token_ms: 30 } },
      { reply: 'demo' }] });
    d = await startDaemon({ mock });
  });
  after(async () => {
    await d?.stop();
    await mock?.close();
  });

  it('is cancelled by DELETE, and the stream reports it', async () => {
    const rest = d.rest();
    const sse = await rest.stream('/api/v1/chat/stream', { json: { content: REFERENCE } });
    const frames = [];
    for await (const event of sse) {
      if (event.data.frame)
        frames.push(event.data.frame);
      if (event.event === 'item.updated' && frames.filter((f) => f.type === 'chat.token').length === 3)
        assert.ok((await rest.delete(`/api/v1/turns/${event.data.frame.turn_id}`)).status < 300);
    }
    const closing = frames[frames.length - 1];
    assert.deepEqual([closing.type, closing.status], ['chat.complete', 'cancelled']);
    assert.equal((await rest.delete(`/api/v1/turns/${closing.turn_id}`)).status, 204, 'a second DELETE changes nothing');
  });

  it('refuses a second question in the session', async () => {
    const rest = d.rest();
    const chat = await d.connect();
    await chat.begin(REFERENCE);
    const body = checkProblem(await rest.post('/api/v1/chat', { content: 'and?', session_id: chat.session }), 409);
    assert.equal(body.code, 'busy');
    await chat.close();
  });

  it('stops streaming to a user who lost the permission', async () => {
    const sub = 'demoted-meanwhile';
    const chat = await d.connect({ token: mintToken({ sub }) });
    const { turn_id: turn } = await chat.begin(REFERENCE);
    await chat.untilTokens(2);
    chat.send({ type: 'auth', token: mintToken({ sub, permissions: [...ROLES.manager].reverse() }) });
    await chat.untilTokens(2);
    chat.send({ type: 'auth', token: mintToken({ sub, role: 'viewer' }) });
    const closing = await chat.until((f) => f.type === 'chat.complete');
    assert.deepEqual([closing.turn_id, closing.status], [turn, 'cancelled']);
    await chat.close();
  });

  it('ends when its user is deleted, and nothing of it is stored', async () => {
    const token = mintToken({ sub: 'leaver' });
    const chat = await d.connect({ token });
    await chat.begin(REFERENCE);
    await chat.untilTokens(2);
    const before = mock.calls.length;
    assert.equal((await d.rest(mintToken({ role: 'admin' })).delete('/api/v1/admin/users/leaver')).status, 204);
    assert.equal((await chat.until((f) => /^chat\.(complete|error)$/.test(f.type))).turn_id, chat.all.find((f) => f.turn_id).turn_id);
    await mock.when(() => mock.calls[before - 1].aborted, 5000);
    assert.deepEqual((await d.rest(token).get('/api/v1/sessions?archived=all')).body.data, []);
    await chat.close();
  });

  it('ends when its only SSE client has disconnected and the grace period expires', async () => {
    const rest = d.rest();
    const sse = await rest.stream('/api/v1/chat/stream', { json: { content: REFERENCE } });
    let id;
    for await (const event of sse) {
      id = event.data.turn_id;
      if (event.event === 'item.updated')
        break;
    }
    sse.leave();
    assert.ok((await rest.delete(`/api/v1/turns/${id}`)).status < 300, 'the turn still runs during the grace period');
    await mock.when(() => mock.calls[mock.calls.length - 1].aborted, 5000);
  });
});
