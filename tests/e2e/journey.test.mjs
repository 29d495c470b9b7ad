/* The main path of a user from end to end. */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { REFERENCE, run, startDaemon, VESPERCTL } from './harness.mjs';
import { checkProblem } from './rest.mjs';
import { UUID7 } from './turn.mjs';

describe('a user', () => {
  let d;
  let token;
  let session;
  let turn;

  before(async () => {
    d = await startDaemon();
  });
  after(() => d?.stop());

  it('signs in as a demo user', async () => {
    const reply = await d.rest(null).post('/api/v1/demo/login', { tenant: 'vesper', role: 'analyst' });
    assert.equal(reply.status, 200, reply.text);
    assert.match(reply.headers.get('content-type'), /^application\/json/);
    token = reply.body.token;
    assert.equal(token.split('.').length, 3);
    for (const wrong of [{ tenant: 'nobody', role: 'analyst' }, { tenant: 'vesper', role: 'king' }, {}])
      checkProblem(await d.rest(null).post('/api/v1/demo/login', wrong), 422);
  });

  it('asks over the socket', async () => {
    const chat = await d.connect({ token, via: 'subprotocol' });
    assert.equal(chat.ws.protocol, 'vesper.v1');
    assert.equal(chat.ready.user.tenant, 'vesper');
    assert.ok(chat.ready.user.permissions.includes('chat:read_market_data'));
    turn = await chat.ask(REFERENCE, { client_msg_id: 'first-of-all' });
    session = chat.session;
    assert.match(turn.text, /\$48\.73\/MWh/);
    assert.match(turn.text, /8,760/);
    assert.equal(turn.complete.session_id, session);
    assert.equal(turn.thinking.client_msg_id, 'first-of-all');
    assert.equal((await chat.close()).code, 1000);
  });

  it('finds the session and its two messages over REST', async () => {
    const rest = d.rest(token);
    const list = await rest.get('/api/v1/sessions');
    assert.equal(list.status, 200);
    assert.deepEqual(list.body.data.map((s) => s.session_id), [session]);
    assert.match(list.body.data[0].title, /NP15/, 'the title is from the first question');

    const messages = await rest.messages(session);
    assert.equal(messages.length, 2);
    const [user, assistant] = messages;
    assert.deepEqual([user.role, user.content, user.client_msg_id], ['user', REFERENCE, 'first-of-all']);
    assert.equal(user.message_id, turn.thinking.user_message_id);
    assert.deepEqual([assistant.role, assistant.content], ['assistant', turn.text]);
    assert.equal(assistant.message_id, turn.complete.message_id);
    assert.equal(assistant.status, 'complete');
    for (const m of [user, assistant]) {
      assert.equal(m.turn_id, turn.id);
      assert.match(m.message_id, UUID7);
      assert.match(m.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
    }
    assert.deepEqual(assistant.views, turn.views);
  });

  it('continues the session after a reconnect', async () => {
    const chat = await d.connect({ token, session });
    assert.equal(chat.session, session);
    const second = await chat.ask(REFERENCE);
    assert.match(second.text, /48\.73/);
    await chat.close();
    assert.equal((await d.rest(token).messages(session)).length, 4);
  });

  it('asks from the command line', async () => {
    const env = { ...process.env, VESPER_URL: d.url, VESPER_TOKEN: token };
    const shown = await run(VESPERCTL, ['ask', REFERENCE], { env });
    assert.match(shown.stdout, /\$48\.73\/MWh/);
    const frames = (await run(VESPERCTL, ['ask', '--json', REFERENCE], { env })).stdout.trim().split('\n')
      .map((line) => JSON.parse(line));
    assert.equal(frames[frames.length - 1].type, 'chat.complete');
  });

  it('replies to numbered choices on the command line', async () => {
    const env = { ...process.env, VESPER_URL: d.url, VESPER_TOKEN: token };
    const { stdout } = await run(VESPERCTL, ['ask', 'project check'], { env });
    const [, number] = stdout.match(/^ *(\d+)\. Nazareth Solar/m);
    const [, sessionId] = stdout.match(/session ([\da-f-]+)/);
    const answer = await run(VESPERCTL, ['ask', number, '--session', sessionId], { env });
    assert.match(answer.stdout, /\*\*Nazareth Solar\*\* is in/);
  });

  it('opens the page', async () => {
    const page = await d.rest(null).get('/');
    assert.equal(page.status, 200);
    assert.match(page.headers.get('content-type'), /^text\/html/);
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src|script-src/);
  });

  it('leaves the daemon healthy for every probe', async () => {
    const rest = d.rest(null);
    assert.equal((await rest.get('/livez')).status, 200);
    assert.equal((await rest.get('/readyz')).status, 200);
    const { status, body } = await rest.get('/health');
    assert.equal(status, 200);
    assert.equal(body.status, 'healthy', JSON.stringify(body));
    const { checks } = await d.health();
    const names = Object.keys(checks).join(' ');
    for (const part of [/store/, /warehouse.*vesper/, /warehouse.*acme/])
      assert.match(names, part, 'a check for each dependency');
    assert.ok(Object.values(checks).every((c) => c === 'healthy'), JSON.stringify(checks));
  });
});
