/*
 * Connections to a model: one for all calls and turns, over HTTP/2 and HTTP/1.1, also after a cancelled call; and the
 * time limit of each phase of a call.
 */

import { after, before, beforeEach, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import net from 'node:net';
import { startMock } from '../mock/anthropic.mjs';
import { REFERENCE, startDaemon } from './harness.mjs';
import { certificate } from './certificate.mjs';

const OPEN_QUESTION = 'What would you tell a new colleague about the work we do here?';

async function waitForModelList(mock) {
  await mock.when(() => mock.requests.some((r) => r.path === '/v1/models' && r.done));
}

describe('one HTTP/2 connection', () => {
  let mock;
  let d;

  before(async () => {
    const tlsFiles = await certificate();
    mock = await startMock({ tls: tlsFiles.tls, h2: true });
    d = await startDaemon({ mock, env: { VESPER_HTTP_CA_FILE: tlsFiles.cert } });
    await waitForModelList(mock);
  });
  after(async () => {
    await d?.stop();
    await mock?.close();
  });
  beforeEach(() => {
    mock.use('demo');
    mock.reset();
  });

  it('carries the calls of one turn and of later turns', async () => {
    for (const question of [OPEN_QUESTION, REFERENCE, OPEN_QUESTION])
      assert.equal((await d.ask(question)).complete.provider, 'anthropic');
    assert.equal(mock.count, 5);
    assert.ok(mock.calls.every((c) => c.http === '2.0'), mock.calls.map((c) => c.http).join());
    assert.equal(mock.connections, 1);
  });

  it('carries the calls of concurrent turns', async () => {
    const turns = await Promise.all(Array.from({ length: 8 }, () => d.ask(REFERENCE)));
    assert.ok(turns.every((t) => t.complete.provider === 'anthropic'));
    assert.equal(mock.count, 8);
    assert.equal(mock.connections, 1);
  });

  it('cancels a call and continues the others', async () => {
    mock.use([{ times: 1, reply: { text: 'word '.repeat(400) }, fault: { token_ms: 40 } }, { reply: 'demo' }]);
    const chat = await d.connect();
    await chat.begin(REFERENCE);
    await chat.untilTokens(2);
    const other = d.ask(OPEN_QUESTION);
    chat.send({ type: 'chat.cancel' });
    await mock.when(() => mock.calls[0].aborted);
    assert.equal((await other).complete.provider, 'anthropic');
    assert.equal((await d.ask(REFERENCE)).complete.provider, 'anthropic');
    assert.equal(mock.connections, 1);
    await chat.close();
  });
});

for (const secure of [false, true])
  it(`an HTTP/1.1 connection${secure ? ' over TLS' : ''} is reused for later calls`, async (t) => {
    const tlsFiles = secure ? await certificate() : {};
    const mock = await startMock({ tls: tlsFiles.tls });
    t.after(() => mock.close());
    const d = await startDaemon({ mock, env: { VESPER_HTTP_CA_FILE: tlsFiles.cert } });
    t.after(() => d.stop());
    await waitForModelList(mock);
    for (const question of [REFERENCE, OPEN_QUESTION, REFERENCE])
      assert.equal((await d.ask(question)).complete.provider, 'anthropic');
    assert.equal(mock.count, 4);
    assert.ok(mock.calls.every((c) => c.http === '1.1'));
    assert.equal(mock.connections, 1);
  });

/* A server that accepts connections and never sends anything. */
async function silentServer() {
  const connections = [];
  const server = net.createServer((s) => {
    const connection = { at: Date.now() };
    s.on('error', () => {}).on('close', () => {
      connection.ms = Date.now() - connection.at;
    }).resume();
    connections.push(Object.assign(connection, { socket: s }));
  }).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  return { connections, port: server.address().port, close: () => {
    connections.forEach((c) => c.socket.destroy());
    server.close();
  } };
}

/* The tests assert which limit took effect, and only print after what time: machines differ in speed. */
describe('the time limit of a call takes effect for', () => {
  const LIMIT_MS = 1000;
  const TURN_MS = 4000;
  const base = { VESPER_LLM_TIMEOUTS_MS_CONNECT: '20000', VESPER_LLM_TIMEOUTS_MS_FIRST_BYTE: '20000',
    VESPER_LLM_TIMEOUTS_MS_IDLE: '20000', VESPER_LLM_TIMEOUTS_MS_TURN: '60000', VESPER_LLM_BREAKER_FAILURES: '1000' };
  const slow = { token_ms: 60 };
  const limits = {
    'the first byte': ['FIRST_BYTE', { hang: true }, 3, 'rules', /first byte limit of 1000 ms exceeded/],
    'silence after it': ['IDLE', { stall: { after: 3, ms: 60000 } }, 1, 'rules'],
    'silence before the first token': ['IDLE', { first_event_ms: 60000 }, 3, 'rules', /idle limit of 1000 ms exceeded/],
    'the whole turn while nothing came': ['TURN', { hang: true }, 1, 'timeout'],
    'the whole turn while words come': ['TURN', { token_ms: 100 }, 1, 'timeout'],
  };

  for (const [name, [key, fault, calls, end, logged = /./]] of Object.entries(limits))
    it(name, async (t) => {
      const mock = await startMock({ script: [{ reply: { text: 'word '.repeat(400) }, fault: { ...slow, ...fault } }] });
      t.after(() => mock.close());
      const limitMs = key === 'TURN' ? TURN_MS : LIMIT_MS;
      const d = await startDaemon({ mock, env: { ...base, [`VESPER_LLM_TIMEOUTS_MS_${key}`]: String(limitMs) } });
      t.after(() => d.stop());
      const turn = await d.ask(REFERENCE);
      await mock.when(() => mock.calls.every((c) => c.aborted));
      const took = mock.calls.map((c) => c.endedAt - c.at);
      t.diagnostic(`limit ${limitMs} ms, transfers took ${took.join(', ')} ms`);
      assert.equal(mock.count, calls);
      assert.match(d.output, logged);
      if (end === 'timeout')
        assert.ok((turn.closing.code ?? turn.complete?.error?.code) === 'timeout', JSON.stringify(turn.closing));
      else
        assert.equal(turn.complete.provider, end, JSON.stringify(turn.closing));
    });

  it('the handshake, and other clients are not delayed', async (t) => {
    const silent = await silentServer();
    t.after(() => silent.close());
    const d = await startDaemon({ env: { ...base, VESPER_LLM_TIMEOUTS_MS_CONNECT: String(LIMIT_MS), ANTHROPIC_API_KEY: 'k',
      ANTHROPIC_BASE_URL: `https://127.0.0.1:${silent.port}` } });
    t.after(() => d.stop());
    const other = await d.connect();
    const chat = await d.connect();
    await chat.begin(REFERENCE);
    /* Each answer comes before the next question, and all before the turn has ended. */
    for (let i = 0; i < 50; i++) {
      other.send({ type: 'ping', t: i });
      assert.equal((await other.next()).t, i);
    }
    assert.ok(!chat.queue.some((f) => f.type === 'chat.complete'), 'the handshake has not timed out yet');
    const end = await chat.until((f) => f.type === 'chat.complete');
    assert.equal(end.provider, 'rules');
    const took = silent.connections.filter((c) => c.ms !== undefined).map((c) => c.ms);
    t.diagnostic(`limit ${LIMIT_MS} ms, connections were open for ${took.join(', ')} ms`);
    assert.match(d.output, /connect limit of 1000 ms exceeded/);
    await chat.close();
    await other.close();
  });
});
