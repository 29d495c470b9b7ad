/*
 * The network between the daemon and a model: TLS with a private certificate, proxies, a handshake that never
 * ends; keys that stay secret; the model list at startup; and every way to cancel a turn, in every phase, after which
 * no further call is made.
 */

import { after, before, beforeEach, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import net from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startMock } from '../mock/anthropic.mjs';
import { MARK } from '../secrets.mjs';
import { certificate } from './certificate.mjs';
import { filesUnder, REFERENCE, startDaemon, tempDir } from './harness.mjs';

const OPEN_QUESTION = 'What would you tell a new colleague about the work we do here?';
const AGENT_QUESTION = 'How dear is electricity going to be at NP15 from Ascend where our friends live, in 2025?';
const RUN_AGENT = { json: { do: [{ Run: 'dayahead_agent' }] } };

describe('over TLS', () => {
  let mock;
  let cert;

  before(async () => {
    const tlsFiles = await certificate();
    cert = tlsFiles.cert;
    mock = await startMock({ tls: tlsFiles.tls });
  });
  after(() => mock?.close());
  beforeEach(() => mock.reset());

  it('a private certificate is trusted if it is configured', async () => {
    const d = await startDaemon({ mock, env: { VESPER_HTTP_CA_FILE: cert } });
    const turn = await d.ask(REFERENCE);
    await d.stop();
    assert.deepEqual([turn.status, turn.complete.provider], ['ok', 'anthropic']);
  });

  it('an unknown certificate is rejected: rules answer, and no request is sent', async () => {
    const d = await startDaemon({ mock });
    const turn = await d.ask(REFERENCE);
    await d.stop();
    assert.deepEqual([turn.status, turn.complete.provider, mock.requests.length], ['ok', 'rules', 0]);
  });
});

it('the proxy set in the environment is used', async () => {
  const proxy = await startMock();
  const local = { name: 'local', kind: 'ollama', base_url: 'http://models.invalid/v1', model: 'gpt-5' }; /* plain HTTP: no key */
  const d = await startDaemon({ env: { ANTHROPIC_API_KEY: undefined, VESPER_LLM_PROVIDERS: JSON.stringify([local]), http_proxy: proxy.url } });
  await d.ask(REFERENCE);
  await d.stop();
  assert.equal(proxy.calls[0].headers.host, 'models.invalid');
  await proxy.close();
});

describe('a key', () => {
  const KEY = `sk-${MARK}-0123456789abcdefghijklmnop`;

  it('from a file or a systemd credential works and is never shown', async () => {
    const dir = await tempDir('keys');
    await writeFile(join(dir, 'anthropic_api_key'), `${KEY}\n`);
    const mock = await startMock({ script: [
      { times: 1, fault: { status: 401, error: { message: `invalid x-api-key: ${KEY}` } } },
      { times: 1, fault: { status: 400, error: { message: `bad request with ${KEY}` } } },
      { times: 1, fault: { html: true, status: 502 } }, { reply: 'demo' }] });
    const dataDir = await tempDir();
    for (const env of [{ ANTHROPIC_API_KEY: undefined, ANTHROPIC_API_KEY_FILE: join(dir, 'anthropic_api_key') },
      { ANTHROPIC_API_KEY: undefined, CREDENTIALS_DIRECTORY: dir,
        VESPER_LLM_PROVIDERS: JSON.stringify([{ name: 'anthropic', kind: 'anthropic', base_url: mock.url }]) }]) {
      const d = await startDaemon({ mock, dataDir, env: { ...env, VESPER_LOG_LEVEL: 'debug' } });
      const seen = [];
      for (let i = 0; i < 3; i++)
        seen.push((await d.ask(REFERENCE)).frames);
      for (const path of ['/health', '/readyz', '/livez'])
        seen.push((await d.rest(null).get(path)).text);
      await d.stop();
      assert.ok(!d.output.includes(KEY), 'in the log');
      assert.ok(!JSON.stringify(seen).includes(KEY), 'in a frame or a probe');
    }
    assert.ok(mock.calls.every((c) => c.headers['x-api-key'] === KEY && !c.raw.includes(KEY)));
    for (const file of await filesUnder(dataDir))
      assert.ok(!readFileSync(file).includes(KEY), file);
    await mock.close();
  });
});

describe('the list of models at the start', () => {
  it('reports a wrong key and an unknown model', async () => {
    const mock = await startMock();
    const d = await startDaemon({ mock, env: { VESPER_LLM_ROLES_ROUTE_MODEL: 'claude-nobody' } });
    await mock.when(() => mock.requests.some((r) => r.path === '/v1/models'));
    await d.ask(REFERENCE);
    await d.stop();
    assert.match(d.output, /has no model \\?"claude-nobody/);
    assert.equal(mock.requests.filter((r) => r.path === '/v1/models').length, 1);
    await mock.close();
  });

  it('delays neither startup nor a turn if it is never answered', async () => {
    const mock = await startMock();
    mock.modelsHang = true;
    const d = await startDaemon({ mock });
    assert.equal((await d.ask(REFERENCE)).complete.provider, 'anthropic');
    await d.stop();
    await mock.close();
  });
});

/*
 * In each phase the service delays its next chunk, and the turn is cancelled before. At that time, `calls` calls were
 * made, and `sent` chunks of the last answer were sent.
 */
const LATE_MS = 20000;
const DELAY = { first_byte_ms: LATE_MS };
const PHASES = {
  'the supervisor': { question: OPEN_QUESTION, calls: 1, script: [{ reply: 'demo', fault: DELAY }] },
  'an agent\'s first call': { question: AGENT_QUESTION, calls: 2, script: [{ when: { kind: 'structured' }, reply: RUN_AGENT },
    { reply: 'demo', fault: DELAY }] },
  'an agent\'s call with results': { question: AGENT_QUESTION, calls: 3, script: [{ when: { kind: 'structured' }, reply: RUN_AGENT },
    { when: { kind: 'tools' }, times: 1, reply: 'demo' }, { reply: 'demo', fault: DELAY }] },
  'the answer before its first byte': { question: REFERENCE, calls: 1, script: [{ reply: 'demo', fault: DELAY }] },
  'the answer before its first event': { question: REFERENCE, calls: 1,
    script: [{ reply: 'demo', fault: { first_event_ms: LATE_MS } }] },
  'the answer after three words': { question: REFERENCE, calls: 1, sent: 3,
    script: [{ reply: { text: 'the answer is on its way' }, fault: { stall: { after: 3, ms: LATE_MS } } }] },
  'the wait before a retry': { question: REFERENCE, calls: 1, waits: true,
    script: [{ fault: { status: 529, headers: { 'retry-after': '10' } } }] },
};
const LONG_TIMEOUTS = { VESPER_LLM_TIMEOUTS_MS_FIRST_BYTE: '60000', VESPER_LLM_TIMEOUTS_MS_IDLE: '60000' };

async function reach(mock, d, { question, calls, script, sent = 0, waits }) {
  mock.reset();
  mock.use(script);
  const chat = await d.connect();
  const reached = mock.when(() => mock.count === calls && mock.calls[calls - 1].raw && mock.calls[calls - 1].sent === sent
    && (!waits || mock.calls[0].done));
  await chat.begin(question);
  await reached;
  if (sent > 0)
    await chat.untilTokens(1);
  return chat;
}

/* Checks that the transfer was closed before the service sent its next chunk, and that no call followed. */
async function checkNothingMore(t, mock, { calls, sent = 0, waits }, from) {
  const call = mock.calls[calls - 1];
  if (!waits) {
    await mock.when(() => call.aborted, LATE_MS / 2);
    t.diagnostic(`the transfer ended ${call.endedAt - from} ms after the cancellation`);
  }
  assert.equal(call.sent, sent, 'the service sent nothing more');
  await sleep(700);
  assert.equal(mock.count, calls, 'no later call');
  assert.ok(mock.calls.every((c) => c.done || c.aborted), 'no transfer is left open');
}

describe('cancelled in every phase', () => {
  let mock;
  let d;

  before(async () => {
    mock = await startMock();
    d = await startDaemon({ mock, env: { ...LONG_TIMEOUTS, VESPER_LIMITS_GRACE_S: '0' } });
  });
  after(async () => {
    await d?.stop();
    await mock?.close();
  });

  for (const [name, phase] of Object.entries(PHASES)) {
    it(`by the user: ${name}`, async (t) => {
      const chat = await reach(mock, d, phase);
      const from = Date.now();
      chat.send({ type: 'chat.cancel' });
      assert.equal((await chat.until((f) => f.type === 'chat.complete')).status, 'cancelled');
      await checkNothingMore(t, mock, phase, from);
      await chat.close();
    });

    it(`by a lost connection after the grace period: ${name}`, async (t) => {
      const chat = await reach(mock, d, phase);
      const from = Date.now();
      await chat.cut();
      await checkNothingMore(t, mock, phase, from);
    });
  }
});

describe('cancelled by the turn\'s deadline in every phase', () => {
  let mock;
  let d;

  before(async () => {
    mock = await startMock();
    d = await startDaemon({ mock, env: { ...LONG_TIMEOUTS, VESPER_LLM_TIMEOUTS_MS_TURN: '6000' } });
  });
  after(async () => {
    await d?.stop();
    await mock?.close();
  });

  for (const [name, phase] of Object.entries(PHASES))
    it(name, async (t) => {
      const chat = await reach(mock, d, phase);
      const from = Date.now();
      const end = await chat.until((f) => f.type === 'chat.complete' || f.type === 'chat.error');
      assert.ok(end.code === 'timeout' || end.type === 'chat.complete', JSON.stringify(end));
      await checkNothingMore(t, mock, phase, from);
      await chat.close();
    });
});

describe('cancelled by shutdown in every phase', () => {
  for (const [name, phase] of Object.entries(PHASES))
    it(name, async (t) => {
      const mock = await startMock();
      t.after(() => mock.close());
      const d = await startDaemon({ mock, env: LONG_TIMEOUTS });
      t.after(() => d.kill());
      const chat = await reach(mock, d, phase);
      const from = Date.now();
      const stopped = d.stop();
      await checkNothingMore(t, mock, phase, from);
      await stopped;
      await chat.cut();
    });
});

it('cancelled while connecting, a turn makes no other connection', async () => {
  const sockets = [];
  const silentServer = net.createServer((s) => sockets.push(s.on('error', () => {}).resume())).listen(0, '127.0.0.1');
  await new Promise((done) => silentServer.once('listening', done));
  const d = await startDaemon({ env: { ...LONG_TIMEOUTS, VESPER_LLM_TIMEOUTS_MS_CONNECT: '60000', ANTHROPIC_API_KEY: 'k',
    ANTHROPIC_BASE_URL: `https://127.0.0.1:${silentServer.address().port}` } });
  const before = sockets.length;
  const chat = await d.connect();
  await chat.begin(REFERENCE);
  while (sockets.length === before)
    await sleep(20);
  chat.send({ type: 'chat.cancel' });
  assert.equal((await chat.until((f) => f.type === 'chat.complete')).status, 'cancelled');
  await sleep(700);
  assert.equal(sockets.length, before + 1, 'no other connection was opened');
  await chat.close();
  await d.stop();
  sockets.forEach((s) => s.destroy());
  silentServer.close();
});
