/*
 * What lies between the daemon and a model: TLS with a certificate of our own, proxies, a handshake that
 * never ends; keys that stay secret; the question for models at the start; and every way a turn can be
 * stopped, in every phase, with a count of what is called afterwards.
 */

import { after, before, beforeEach, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import net from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startMock } from '../mock/anthropic.mjs';
import { filesUnder, REFERENCE, startDaemon, tempDir } from './harness.mjs';

const OPEN_QUESTION = 'What would you tell a new colleague about the work we do here?';
const NEAR = 'How dear is electricity going to be at NP15 from Ascend where our friends live, in 2025?';
const EXPLORE = { json: { do: [{ Run: 'dayahead_agent' }] } };
const PATIENT = { VESPER_LLM_TIMEOUTS_MS_CONNECT: '1000', VESPER_LLM_TIMEOUTS_MS_FIRST_BYTE: '1500',
  VESPER_LLM_TIMEOUTS_MS_IDLE: '1500', VESPER_LLM_BREAKER_FAILURES: '1000' };

async function certificate() {
  const dir = await tempDir('tls');
  const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2',
    '-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert], { stdio: 'ignore' });
  return { cert, tls: { key: readFileSync(key), cert: readFileSync(cert) } };
}

describe('over TLS', () => {
  let mock;
  let cert;

  before(async () => {
    const made = await certificate();
    cert = made.cert;
    mock = await startMock({ tls: made.tls });
  });
  after(() => mock?.close());
  beforeEach(() => mock.reset());

  it('a certificate of our own is trusted when it is named', async () => {
    const d = await startDaemon({ mock, env: { VESPER_HTTP_CA_FILE: cert } });
    const turn = await d.ask(REFERENCE);
    await d.stop();
    assert.deepEqual([turn.status, turn.complete.provider], ['ok', 'anthropic']);
  });

  it('and otherwise not: rules answer, no request went out', async () => {
    const d = await startDaemon({ mock });
    const turn = await d.ask(REFERENCE);
    await d.stop();
    assert.deepEqual([turn.status, turn.complete.provider, mock.requests.length], ['ok', 'rules', 0]);
  });
});

it('a handshake that never ends stops nobody else', async () => {
  const held = [];
  const mute = net.createServer((s) => held.push(s.on('error', () => {}))).listen(0, '127.0.0.1');
  await new Promise((done) => mute.once('listening', done));
  const d = await startDaemon({ env: { ...PATIENT, VESPER_LLM_TIMEOUTS_MS_CONNECT: '3000', ANTHROPIC_API_KEY: 'k',
    ANTHROPIC_BASE_URL: `https://127.0.0.1:${mute.address().port}` } });
  const slow = d.ask(REFERENCE);
  let probes = 0;
  slow.then(() => {
    probes = -probes;
  });
  for (; probes >= 0 && probes < 20; probes++)
    assert.equal((await d.rest(null).get('/livez')).status, 200);
  assert.equal(probes, 20, 'others were served while the handshake hung');
  const turn = await slow;
  assert.deepEqual([turn.status, turn.complete.provider], ['ok', 'rules']);
  await d.stop();
  held.forEach((s) => s.destroy());
  mute.close();
});

it('the proxy of the environment is used', async () => {
  const proxy = await startMock();
  const d = await startDaemon({ env: { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: 'http://models.invalid',
    http_proxy: proxy.url } });
  const turn = await d.ask(REFERENCE);
  await d.stop();
  assert.equal(turn.complete.provider, 'anthropic');
  assert.equal(proxy.calls[0].headers.host, 'models.invalid');
  await proxy.close();
});

describe('a key', () => {
  const KEY = 'sk-planted-0123456789abcdefghijklmnop';

  it('from a file or a credential works, and is seen nowhere', async () => {
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
  it('tells of a wrong key and of a model that is not there', async () => {
    const mock = await startMock();
    const d = await startDaemon({ mock, env: { VESPER_LLM_ROLES_ROUTE_MODEL: 'claude-nobody' } });
    await mock.when(() => mock.requests.some((r) => r.path === '/v1/models'));
    await d.ask(REFERENCE);
    await d.stop();
    assert.match(d.output, /has no model \\?"claude-nobody/);
    assert.equal(mock.requests.filter((r) => r.path === '/v1/models').length, 1);
    await mock.close();
  });

  it('delays neither the start nor a turn when it is never answered', async () => {
    const mock = await startMock();
    mock.modelsHang = true;
    const d = await startDaemon({ mock });
    assert.equal((await d.ask(REFERENCE)).complete.provider, 'anthropic');
    await d.stop();
    await mock.close();
  });
});

describe('stopped in every phase', () => {
  let mock;
  let d;
  const hangAt = {
    'the supervisor': [OPEN_QUESTION, 1, [{ fault: { hang: true } }]],
    'an agent\'s first call': [NEAR, 2, [{ when: { kind: 'structured' }, reply: EXPLORE }, { fault: { hang: true } }]],
    'an agent\'s call with results': [NEAR, 3, [{ when: { kind: 'structured' }, reply: EXPLORE },
      { when: { kind: 'tools' }, times: 1, reply: 'demo' }, { fault: { hang: true } }]],
    'the answer before its first token': [REFERENCE, 1, [{ fault: { hang: true } }]],
    'the answer after some': [REFERENCE, 1, [{ reply: { text: 'word '.repeat(300) }, fault: { token_ms: 40 } }]],
    'a wait before another attempt': [REFERENCE, 1, [{ fault: { status: 529, headers: { 'retry-after': '10' } } }]],
  };

  before(async () => {
    mock = await startMock();
    d = await startDaemon({ mock, env: { VESPER_LIMITS_GRACE_S: '0' } });
  });
  after(async () => {
    await d?.stop();
    await mock?.close();
  });

  async function reach([question, calls, script]) {
    mock.reset();
    mock.use(script);
    const chat = await d.connect();
    const reached = mock.when(() => mock.count === calls && (mock.calls[calls - 1].body || mock.calls[calls - 1].status));
    await chat.begin(question);
    await reached;
    if (script[0].fault?.status)
      await mock.when(() => mock.calls[0].done);
    return chat;
  }

  async function nothingMore(calls) {
    const call = mock.calls[calls - 1];
    if (!call.done)
      await mock.when(() => call.aborted, 5000);
    await sleep(700);
    assert.equal(mock.count, calls, 'no later call');
    assert.ok(mock.calls.every((c) => c.done || c.aborted), 'no transfer is left open');
  }

  for (const [phase, how] of Object.entries(hangAt)) {
    it(`by the user: ${phase}`, async () => {
      const chat = await reach(how);
      chat.send({ type: 'chat.cancel' });
      assert.equal((await chat.until((f) => f.type === 'chat.complete')).status, 'cancelled');
      await nothingMore(how[1]);
      await chat.close();
    });

    it(`by a lost connection past its grace: ${phase}`, async () => {
      const chat = await reach(how);
      await chat.cut();
      await nothingMore(how[1]);
    });
  }
});

describe('stopped by time and by the end', () => {
  it('the turn\'s deadline closes the transfer, and nothing is called after it', async () => {
    const mock = await startMock({ script: [{ fault: { hang: true } }] });
    const d = await startDaemon({ mock, env: { VESPER_LLM_TIMEOUTS_MS_TURN: '1500' } });
    for (const question of [REFERENCE, OPEN_QUESTION]) {
      const turn = await d.ask(question);
      assert.ok(turn.closing.type === 'chat.error' ? turn.closing.code === 'timeout' : turn.complete, JSON.stringify(turn.closing));
    }
    await sleep(500);
    assert.equal(mock.count, 2);
    assert.ok(mock.calls.every((c) => c.aborted));
    await d.stop();
    await mock.close();
  });

  it('a draining daemon closes its transfers at once', async () => {
    const mock = await startMock({ script: [{ reply: { text: 'word '.repeat(2000) }, fault: { token_ms: 40 } }] });
    const d = await startDaemon({ mock });
    const chat = await d.connect();
    await chat.begin(REFERENCE);
    await chat.untilTokens(2);
    const stopped = d.stop();
    await mock.when(() => mock.calls[0].aborted, 5000);
    await stopped;
    assert.equal(mock.count, 1);
    await mock.close();
  });
});
