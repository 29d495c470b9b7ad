/* Sessions as resources, feedback, exports, idempotent retries, rate limits, and pages of other origins. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { REFERENCE, startDaemon, freePort } from './harness.mjs';
import { checkProblem } from './rest.mjs';
import { mintToken, ROLES } from './token.mjs';
import { checkNoNullMembers, UUID7 } from './turn.mjs';

const UNKNOWN = '0193b0a0-0000-7000-8000-00000000ffff';
const API = '/api/v1';

describe('sessions', () => {
  let d;
  let rest;
  const patch = (id, json, tag, token) => d.rest(token ?? rest.token).call('PATCH', `${API}/sessions/${id}`,
    { json, headers: tag === undefined ? {} : { 'if-match': tag } });

  before(async () => {
    d = await startDaemon({ env: { VESPER_AUTH_ORIGINS: 'https://portal.example' } });
    rest = d.rest(mintToken({ sub: 'owner' }));
  });
  after(() => d?.stop());

  it('are created, read, renamed, archived and found', async () => {
    const created = await rest.post(`${API}/sessions`, { title: 'Curves of 2025' });
    assert.equal(created.status, 201, created.text);
    assert.match(created.body.session_id, UUID7);
    assert.equal(created.headers.get('location'), `${API}/sessions/${created.body.session_id}`);
    checkNoNullMembers(created.body);
    const path = `${API}/sessions/${created.body.session_id}`;
    const tag = created.headers.get('etag');
    const read = await rest.get(path);
    assert.deepEqual([read.body, read.headers.get('etag')], [created.body, tag]);

    const renamed = await patch(created.body.session_id, { title: '100% of it' }, tag);
    assert.equal(renamed.status, 200, renamed.text);
    assert.equal(renamed.body.title, '100% of it');
    assert.notEqual(renamed.headers.get('etag'), tag);
    assert.equal(checkProblem(await patch(created.body.session_id, { title: 'late' }, tag), 412).code, 'changed');
    assert.equal(checkProblem(await patch(created.body.session_id, { title: 'blind' }), 428).code, 'precondition_required');
    checkProblem(await patch(created.body.session_id, { title: 'x' }, 'W/"x"'), 412);
    for (const json of [{}, { title: '' }, { title: 7 }, { title: 'a\nb' }, { title: 'x'.repeat(201) }, { archived: 'yes' }, { name: 'x' }])
      checkProblem(await patch(created.body.session_id, json, '*'), 422);
    assert.equal((await patch(created.body.session_id, { archived: true }, '*')).status, 200);
    const titles = async (query) => (await rest.get(`${API}/sessions${query}`)).body.data.map((s) => s.title);
    assert.deepEqual(await titles(''), []);
    assert.deepEqual(await titles('?archived=true'), ['100% of it']);
    assert.deepEqual(await titles('?archived=all&q=100%25'), ['100% of it']);
    assert.deepEqual(await titles('?archived=all&q=_'), []);
    assert.equal((await patch(created.body.session_id, { archived: false }, '*')).status, 200);
    assert.deepEqual(await titles(''), ['100% of it']);
    for (const query of ['?archived=maybe', `?q=${'x'.repeat(201)}`, '?sort=title', '?limit=1&limit=2'])
      checkProblem(await rest.get(`${API}/sessions${query}`), 400);
  });

  it('keep one of two concurrent edits', async () => {
    const { body, headers } = await rest.post(`${API}/sessions`, { title: 'start' });
    const edits = await Promise.all(Array.from({ length: 10 }, (_, i) => patch(body.session_id, { title: `t${i}` }, headers.get('etag'))));
    assert.equal(edits.filter((e) => e.status === 200).length, 1);
    assert.equal(edits.filter((e) => e.status === 412).length, 9);
  });

  it('take their title from the first question, and are deleted completely', async () => {
    const chat = await d.connect({ token: rest.token });
    const turn = await chat.ask(REFERENCE);
    const id = chat.session;
    assert.equal((await rest.get(`${API}/sessions/${id}`)).body.title.slice(0, 30), REFERENCE.slice(0, 30));
    const turnId = turn.frames[0].turn_id;
    assert.equal((await rest.get(`${API}/turns/${turnId}/events?after=1`)).status, 200);
    assert.equal((await rest.delete(`${API}/sessions/${id}`)).status, 204);
    for (const path of [`/sessions/${id}`, `/sessions/${id}/messages`, `/sessions/${id}/export`])
      checkProblem(await rest.get(API + path), 404);
    checkProblem(await rest.get(`${API}/turns/${turnId}/events`), 410);
    checkProblem(await rest.delete(`${API}/sessions/${id}`), 404);
    await chat.close();
  });

  it('have messages with views, tools and feedback', async () => {
    const answer = (await rest.post(`${API}/chat`, { content: REFERENCE })).body;
    const path = `${API}/messages/${answer.message_id}/feedback`;
    assert.deepEqual((await rest.post(path, { rating: 'up' })).body.rating, 'up');
    const feedback = await rest.post(path, { rating: 'down', comment: 'stale', correction: '48.74' });
    assert.deepEqual([feedback.status, feedback.body.rating, feedback.body.comment, feedback.body.correction], [200, 'down', 'stale', '48.74']);
    const [question, reply] = await rest.messages(answer.session_id);
    assert.deepEqual(reply.feedback, { rating: 'down', comment: 'stale', correction: '48.74' });
    assert.equal(question.feedback, undefined);
    assert.deepEqual(reply.tools.map((t) => [t.tool, t.outcome]), [['get_average_annual_price', 'rows']]);
    assert.ok(!('args' in reply.tools[0]));
    assert.ok(reply.views.length > 0);
    for (const json of [{}, { rating: 'meh' }, { rating: 'up', stars: 5 }, { rating: 'up', comment: 7 }])
      checkProblem(await rest.post(path, json), 422);
    checkProblem(await rest.post(path, { rating: 'up', comment: 'x'.repeat(4001) }), 413);
    checkProblem(await rest.post(`${API}/messages/${question.message_id}/feedback`, { rating: 'up' }), 404);

    checkProblem(await rest.get(`${API}/admin/feedback`), 403);
    const admin = d.rest(mintToken({ sub: 'chief', role: 'admin' }));
    const listed = (await admin.get(`${API}/admin/feedback?rating=down`)).body.data;
    assert.deepEqual(listed.map((f) => [f.message_id, f.user_id, f.comment]), [[answer.message_id, 'owner', 'stale']]);
    const foreignAdmin = d.rest(mintToken({ sub: 'chief', role: 'admin', tenant_id: 'acme' }));
    assert.deepEqual((await foreignAdmin.get(`${API}/admin/feedback`)).body.data, []);
  });

  it('are exported as JSON, Markdown and CSV', async () => {
    const answer = (await rest.post(`${API}/chat`, { content: REFERENCE })).body;
    for (let i = 0; i < 12; i++)
      await rest.post(`${API}/sessions/${answer.session_id}/messages`, { content: REFERENCE });
    const path = `${API}/sessions/${answer.session_id}/export`;
    const json = await rest.get(path);
    assert.equal(json.status, 200);
    assert.match(json.headers.get('content-disposition'), /attachment; filename="session-[0-9a-f-]+\.json"/);
    assert.equal(json.body.session.session_id, answer.session_id);
    assert.deepEqual(json.body.messages, await rest.messages(answer.session_id));
    assert.equal(json.body.messages.length, 26);
    const text = await rest.get(`${path}?format=markdown`);
    assert.match(text.headers.get('content-type'), /^text\/markdown/);
    assert.equal(text.text.match(/^## (Question|Answer), /gm).length, 26);
    assert.match(text.text, /48\.73/);
    checkProblem(await rest.get(`${path}?format=pdf`), 400);

    const view = answer.views.find((v) => v.view_type === 'data');
    const csv = await rest.get(`${API}/messages/${answer.message_id}/views/${view.view_id}/csv`);
    assert.equal(csv.status, 200, csv.text);
    assert.match(csv.headers.get('content-type'), /^text\/csv/);
    const lines = csv.text.split('\r\n');
    assert.equal(lines.length, view.row_count + 2);
    assert.equal(lines[0].split(',').length, view.columns.length);
    checkProblem(await rest.get(`${API}/messages/${answer.message_id}/views/none/csv`), 404);
  });

  it('of other users are reported as nonexistent', async () => {
    const answer = (await rest.post(`${API}/chat`, { content: REFERENCE })).body;
    const { session_id: id, message_id: message, turn_id: turn } = answer;
    const view = answer.views[0].view_id;
    const requestsFor = (s, m, t) => [
      ['GET', `/sessions/${s}`], ['PATCH', `/sessions/${s}`, { title: 'x' }, { 'if-match': '*' }], ['DELETE', `/sessions/${s}`],
      ['GET', `/sessions/${s}/messages`], ['POST', `/sessions/${s}/messages`, { content: 'hi' }], ['GET', `/sessions/${s}/export`],
      ['POST', `/messages/${m}/feedback`, { rating: 'up' }], ['GET', `/messages/${m}/views/${view}/csv`],
      ['GET', `/turns/${t}/events`], ['DELETE', `/turns/${t}`], ['POST', '/chat', { content: 'hi', session_id: s }],
    ];
    for (const who of [{ sub: 'stranger' }, { sub: 'owner', tenant_id: 'acme' }, { sub: 'stranger', role: 'admin' }]) {
      const stranger = d.rest(mintToken(who));
      const [foreign, unknown] = [requestsFor(id, message, turn), requestsFor(UNKNOWN, UNKNOWN, UNKNOWN)];
      for (let i = 0; i < foreign.length; i++) {
        const replies = [];
        for (const [method, path, json, headers] of [foreign[i], unknown[i]])
          replies.push(await stranger.call(method, API + path, { json, headers: { 'x-request-id': 'same', ...headers } }));
        const [a, b] = replies;
        checkProblem(a, foreign[i][1].endsWith('/events') ? 410 : 404);
        const withoutIds = (t) => t.replaceAll(id, 'ID').replaceAll(message, 'ID').replaceAll(turn, 'ID').replaceAll(UNKNOWN, 'ID');
        assert.equal(withoutIds(a.text), withoutIds(b.text), foreign[i].join(' '));
        assert.deepEqual([...a.headers].filter(([n]) => n !== 'date' && n !== 'content-length'), [...b.headers].filter(([n]) => n !== 'date' && n !== 'content-length'));
      }
    }
    assert.equal((await rest.messages(id)).length, 2, 'no request changed the session');
  });

  it('are masked if the permission was lost', async () => {
    const sub = 'demoted';
    const manager = d.rest(mintToken({ sub }));
    const answer = (await manager.post(`${API}/chat`, { content: 'What is the budget of Nazareth Solar?' })).body;
    assert.equal(answer.status, 'ok', JSON.stringify(answer).slice(0, 400));
    const viewer = d.rest(mintToken({ sub, role: 'viewer' }));
    const [question, masked] = await viewer.messages(answer.session_id);
    assert.equal(question.content, 'What is the budget of Nazareth Solar?');
    assert.equal(masked.masked, true);
    assert.deepEqual([masked.views, masked.tools, masked.pbi_deep_links], [undefined, undefined, undefined]);
    const figures = answer.text.match(/\$[\d.]+[KM]|[\d.]+%/g) ?? []; /* no plain digits, which an id may also contain */
    assert.ok(figures.length > 5, answer.text);
    for (const text of [JSON.stringify(masked), (await viewer.get(`${API}/sessions/${answer.session_id}/export?format=markdown`)).text])
      for (const figure of figures)
        assert.ok(!text.includes(figure), figure);
    for (const v of answer.views)
      for (const form of ['csv', 'svg'])
        checkProblem(await viewer.get(`${API}/messages/${answer.message_id}/views/${v.view_id}/${form}`), 404);
    checkProblem(await viewer.get(`${API}/turns/${answer.turn_id}/events`), 410);
    assert.equal((await manager.messages(answer.session_id))[1].masked, undefined);
  });

  it('contain no statements without chat:view_sql, on any interface', async () => {
    const sub = 'once-manager';
    const manager = d.rest(mintToken({ sub }));
    const key = { headers: { 'idempotency-key': 'with-sql' } };
    const ask = { content: REFERENCE, client_msg_id: 'with-sql' };
    const answer = (await manager.post(`${API}/chat`, ask, key)).body;
    const isSql = /FROM Stage\.mc_vendor_files/;
    assert.ok(answer.views.some((v) => isSql.test(v.source?.sql)), 'a manager sees the SQL');
    assert.match((await manager.get(`${API}/sessions/${answer.session_id}/messages`)).text, isSql);
    const analyst = d.rest(mintToken({ sub, role: 'analyst' }));
    const responses = [
      await analyst.get(`${API}/sessions/${answer.session_id}/messages`),
      await analyst.get(`${API}/sessions/${answer.session_id}/export`),
      await analyst.get(`${API}/sessions/${answer.session_id}/export?format=markdown`),
      await analyst.get(`${API}/receipts/${answer.receipt_id}`),
      await analyst.get(`${API}/turns/${answer.turn_id}/events`),
      await analyst.post(`${API}/chat`, ask, key),
      await analyst.post(`${API}/sessions/${answer.session_id}/messages`, ask),
      ...await Promise.all(answer.views.map((v) => analyst.get(`${API}/messages/${answer.message_id}/views/${v.view_id}/csv`))),
    ];
    for (const reply of responses)
      assert.doesNotMatch(reply.text, isSql, reply.text.slice(0, 300));
    assert.equal(responses[0].body.data[1].masked, undefined);
    assert.match(responses[0].text, /48\.73/);
    const chat = await d.connect({ token: mintToken({ sub, role: 'analyst' }), session: answer.session_id });
    chat.send({ type: 'resume', turn_id: answer.turn_id, last_seq: 0 });
    assert.equal((await chat.refusal()).code, 'expired');
    await chat.close();
  });

  describe('lists', () => {
    it('have cursors that are invalid for other users and lists', async () => {
      const mine = d.rest(mintToken({ sub: 'pager' }));
      const other = d.rest(mintToken({ sub: 'pager-2' }));
      for (let i = 0; i < 3; i++) {
        await mine.post(`${API}/sessions`, { title: `s${i}` });
        await other.post(`${API}/sessions`, { title: `s${i}` });
      }
      const first = await mine.get(`${API}/sessions?limit=2`);
      const link = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link'));
      const second = await mine.get(link[1]);
      assert.deepEqual([...first.body.data, ...second.body.data].map((s) => s.title), ['s2', 's1', 's0']);
      assert.equal(second.headers.get('link'), null);
      const cursor = first.body.next_cursor;
      checkProblem(await other.get(`${API}/sessions?cursor=${cursor}`), 400);
      checkProblem(await mine.get(`${API}/sessions?cursor=${cursor}&q=s`), 400);
      checkProblem(await mine.get(`${API}/sessions/${first.body.data[0].session_id}/messages?cursor=${cursor}`), 400);
      for (let i = 0; i < cursor.length; i += 5)
        checkProblem(await mine.get(`${API}/sessions?cursor=${cursor.slice(0, i)}${cursor[i] === 'A' ? 'B' : 'A'}${cursor.slice(i + 1)}`), 400);
    });
  });

  describe('an idempotent retry', () => {
    const postWithKey = (key, path, json, token) => d.rest(token ?? rest.token).post(API + path, json, { headers: { 'idempotency-key': key } });

    it('gets the first answer', async () => {
      const first = await postWithKey('"k-1"', '/sessions', { title: 'once' });
      const again = await postWithKey('k-1', '/sessions', { title: 'once' });
      assert.deepEqual([first.status, again.status, again.body], [201, 201, first.body]);
      assert.equal(again.headers.get('idempotency-replayed'), 'true');
      assert.equal(checkProblem(await postWithKey('k-1', '/sessions', { title: 'other' }), 422).status, 422);
      const reordered = mintToken({ sub: 'owner', permissions: [...ROLES.manager].reverse() });
      assert.deepEqual((await postWithKey('k-1', '/sessions', { title: 'once' }, reordered)).body, first.body, 'the order of permissions does not matter');
      assert.notEqual((await postWithKey('k-1', '/sessions', { title: 'once' }, mintToken({ sub: 'other' }))).body.session_id, first.body.session_id);
      const ask = { content: REFERENCE };
      const answers = await Promise.all([postWithKey('k-2', '/chat', ask), postWithKey('k-2', '/chat', ask)]);
      assert.deepEqual(answers.map((a) => a.status).sort(), [200, 409].sort(), answers.map((a) => a.text).join('\n').slice(0, 600));
      const done = answers.find((a) => a.status === 200);
      assert.equal((await postWithKey('k-2', '/chat', ask)).text, done.text);
      assert.equal((await rest.messages(done.body.session_id)).length, 2);
    });

    it('returns nothing that was deleted or is no longer permitted', async () => {
      const sub = 'repeater';
      const ask = { content: 'What is the budget of Nazareth Solar?' };
      const manager = mintToken({ sub });
      const first = await postWithKey('k-3', '/chat', ask, manager);
      assert.equal(first.status, 200);
      const again = await postWithKey('k-3', '/chat', ask, mintToken({ sub, role: 'viewer' }));
      assert.equal(checkProblem(again, 422).code, 'bad_frame');
      assert.equal((await d.rest(manager).delete(`${API}/sessions/${first.body.session_id}`)).status, 204);
      const fresh = await postWithKey('k-3', '/chat', ask, manager);
      assert.equal(fresh.headers.get('idempotency-replayed'), null);
    });

    it('is refused for unsupported requests and invalid keys', async () => {
      checkProblem(await postWithKey('k', '/ws/tickets', {}), 400);
      checkProblem(await postWithKey('x'.repeat(201), '/sessions', {}), 400);
      checkProblem(await postWithKey('a b', '/sessions', {}), 400);
    });

    it('after a lost connection gets the answer of the first turn', async () => {
      const controller = new AbortController();
      const first = rest.raw('POST', `${API}/chat`, { body: JSON.stringify({ content: REFERENCE }), signal: controller.signal,
        headers: { 'content-type': 'application/json', 'idempotency-key': 'lost' } }).catch(() => {});
      await sleep(15);
      controller.abort();
      await first;
      let reply;
      for (let i = 0; i < 100; i++) {
        reply = await postWithKey('lost', '/chat', { content: REFERENCE });
        if (reply.status === 200)
          break;
        await sleep(50);
      }
      assert.equal(reply.status, 200, reply.text);
      assert.equal((await rest.messages(reply.body.session_id)).filter((m) => m.role === 'user').length, 1);
    });
  });

  describe('pages of other origins', () => {
    const from = (origin, method = 'GET') => rest.raw(method, `${API}/sessions`, { headers: { origin } });

    it('can read if they are listed exactly', async () => {
      const res = await from('https://portal.example');
      assert.equal(res.headers.get('access-control-allow-origin'), 'https://portal.example');
      assert.equal(res.headers.get('vary'), 'Origin');
      assert.match(res.headers.get('access-control-expose-headers'), /ETag/);
      assert.equal(res.headers.get('access-control-allow-credentials'), null);
      for (const origin of ['https://portal.example.evil', 'http://portal.example', 'null', 'https://portal.example:8443'])
        assert.equal((await from(origin)).headers.get('access-control-allow-origin'), null);
      const warnings = d.output.match(/.*origin\.refused.*/g);
      assert.equal(warnings.length, 1, 'logged once, regardless of the number of attempts');
      assert.match(warnings[0], /https:\/\/portal\.example\.evil was refused; to allow it, add exactly this origin to auth\.origins/);
    });

    it('get a preflight response', async () => {
      const yes = await from('https://portal.example', 'OPTIONS');
      assert.equal(yes.status, 204);
      assert.match(yes.headers.get('access-control-allow-methods'), /GET, HEAD, POST/);
      assert.match(yes.headers.get('access-control-allow-headers'), /Authorization.*Idempotency-Key.*If-Match/);
      const no = await from('https://evil.example', 'OPTIONS');
      assert.equal(no.headers.get('access-control-allow-methods'), null);
      const nothing = await rest.call('OPTIONS', '/api/v1/nothing');
      assert.deepEqual([nothing.status, nothing.headers.get('allow')], [204, 'OPTIONS'], 'an unknown path allows only OPTIONS');
    });
  });
});

describe('rate limits', () => {
  it('of users and tenants end in 429 with the time to wait', async () => {
    const d = await startDaemon({ env: { VESPER_LIMITS_USER_PER_MINUTE: '5', VESPER_LIMITS_TENANT_PER_MINUTE: '8' } });
    const user = (sub, tenant_id = 'vesper') => d.rest(mintToken({ sub, tenant_id }));
    const ask = (rest) => rest.get(`${API}/sessions`);
    const first = await ask(user('ann'));
    assert.equal(first.headers.get('ratelimit-policy'), '"user";q=5;w=60, "tenant";q=8;w=60');
    assert.match(first.headers.get('ratelimit'), /^"user";r=4;t=\d+, "tenant";r=7;t=\d+$/);
    for (let i = 0; i < 4; i++)
      assert.equal((await ask(user('ann'))).status, 200);
    const reply = await ask(user('ann'));
    assert.equal(checkProblem(reply, 429).code, 'rate_limited');
    assert.ok(Number(reply.headers.get('retry-after')) >= 1 && Number(reply.headers.get('retry-after')) <= 13);
    for (let i = 0; i < 3; i++)
      assert.equal((await ask(user('bob'))).status, 200);
    checkProblem(await ask(user('bob')), 429);
    checkProblem(await ask(user('eve')), 429);
    assert.equal((await ask(user('ann', 'acme'))).status, 200);
    const chat = await d.connect({ token: mintToken({ sub: 'ann' }) });
    chat.send({ type: 'chat.message', content: REFERENCE });
    const refusal = await chat.refusal();
    assert.equal(refusal.code, 'rate_limited');
    assert.ok(refusal.retry_after_ms > 0);
    await chat.close();
    const guessing = await d.connect({ token: mintToken({ sub: 'guess', tenant_id: 'acme' }) });
    const codes = [];
    for (let i = 0; i < 7; i++) {
      guessing.send({ type: 'chat.message', content: REFERENCE, session_id: randomUUID() });
      codes.push((await guessing.refusal()).code);
    }
    assert.deepEqual(codes, [...Array(5).fill('not_found'), 'rate_limited', 'rate_limited'], 'requests for unknown sessions count');
    await guessing.close();
    await d.stop();
  });
});
