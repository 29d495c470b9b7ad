/*
 * More connections than slots: unauthenticated clients never block users, and the connections of a user or tenant are
 * limited. A small limit of descriptors keeps the number of clients small.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { REFERENCE, refusedStart, startDaemon } from './harness.mjs';
import { Raw, upgrade } from './raw.mjs';
import { mintToken } from './token.mjs';
import { patient } from './patience.mjs';

const DESCRIPTORS = 768; /* 192 slots of up to three descriptors, 48 of them for unauthenticated connections */
const SLOTS = DESCRIPTORS / 4;
const GET = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n';
const LIMIT_MS = patient(20000);

async function waitUntil(what, test) {
  for (const until = Date.now() + LIMIT_MS; !(await test()); await sleep(20))
    assert.ok(Date.now() < until, `timed out waiting until ${what}`);
}

class Crowd {
  constructor(port) {
    this.port = port;
    this.raws = [];
  }

  async open(from, text = '') {
    const raw = new Raw(this.port, from);
    this.raws.push(raw);
    await raw.opened;
    if (text)
      await raw.write(text);
    return raw;
  }

  async openMany(count, from, text) {
    const raws = [];
    for (let i = 0; i < count; i++)
      raws.push(await this.open(typeof from === 'function' ? from(i) : from, text));
    return raws;
  }

  close() {
    this.raws.splice(0).forEach((raw) => raw.done());
  }
}

function isOpen(raw) {
  return !raw.socket.destroyed && !raw.socket.readableEnded;
}

/* Uses a new connection, because the daemon may have closed an idle one. */
function freshStatus(url) {
  return new Promise((done, fail) => {
    http.get(url, { agent: false }, (res) => done(res.resume().statusCode)).on('error', fail);
  });
}

async function checkAnswer(daemon) {
  assert.match((await daemon.ask(REFERENCE)).text, /48\.73/);
}

describe('many unauthenticated connections', () => {
  let d;
  let crowd;
  let initialCount;
  const descriptorCount = async () => (await readdir(`/proc/${d.child.pid}/fd`)).length;

  before(async () => {
    d = await startDaemon({ descriptors: `64:${DESCRIPTORS}`, env: { VESPER_LIMITS_CONNECTIONS_PER_TENANT: String(DESCRIPTORS) } });
    crowd = new Crowd(d.port);
    initialCount = await descriptorCount();
  });
  after(async () => {
    crowd?.close();
    await d?.stop();
  });

  it('are possible up to the hard limit of descriptors, to which the soft limit is raised', async () => {
    const limits = await readFile(`/proc/${d.child.pid}/limits`, 'utf8');
    assert.match(limits, /Max core file size\s+0\s+0\s/, 'no core file is written');
    assert.match(limits, new RegExp(`Max open files\\s+${DESCRIPTORS}\\s+${DESCRIPTORS}\\s`));
  });

  const kinds = { 'silent sockets': '', 'incomplete heads': 'GET /livez HTTP/1.1\r\nHost: x\r\n',
    'incomplete handshakes': upgrade().slice(0, 80), 'idle connections': GET,
    'sockets that have sent no token': upgrade({ token: '', extra: 'Origin: http://localhost\r\n' })
      .replace(/Authorization: Bearer \r\n/, '') };

  for (const [name, text] of Object.entries(kinds))
    it(`${name}, from one address or many, block no user`, async () => {
      for (const from of ['127.0.0.1', (i) => `127.0.${1 + (i % 200)}.1`]) {
        await crowd.openMany(SLOTS + 20, from, text);
        for (const path of ['/livez', '/readyz', '/health'])
          assert.equal((await fetch(`${d.url}${path}`, { headers: { Connection: 'close' } })).status, 200);
        for (const path of ['/livez', '/readyz', '/metrics'])
          assert.equal((await fetch(`${d.adminUrl}${path}`)).status, 200);
        await checkAnswer(d);
        crowd.close();
      }
    });

  it('are closed, the longest idle first, and sockets of users are not', async () => {
    const chats = [];
    for (let i = 0; i < 20; i++)
      chats.push(await d.connect());
    const first = await crowd.openMany(10, '127.0.0.2', GET);
    const last = await crowd.openMany(SLOTS, (i) => `127.0.${1 + (i % 200)}.1`, GET);
    await waitUntil('the first are closed', () => !first.some(isOpen));
    assert.ok(last.slice(-10).every(isOpen), 'the last ones stay open');
    await last.at(-1).write(GET);
    await last.at(-1).until(/200[^]*200/);
    await checkAnswer(d);
    for (const chat of chats) {
      assert.match((await chat.ask(REFERENCE)).text, /48\.73/);
      await chat.close();
    }
    crowd.close();
  });

  it('leave the other slots to WebSockets of users', async () => {
    const USER_SLOTS = SLOTS / 4 * 3;
    await waitUntil('previous connections are closed', async () => await descriptorCount() <= initialCount + 20);
    const before = await descriptorCount();
    const chats = [];
    while (chats.length < USER_SLOTS)
      chats.push(await d.connect({ token: mintToken({ sub: `user-${chats.length}` }) }));
    assert.ok(await descriptorCount() >= before + 3 * USER_SLOTS, 'a client socket and a socket pair for each');
    assert.ok(await descriptorCount() <= DESCRIPTORS / 4 * 3 + before);
    const refused = await crowd.open('127.0.0.1', upgrade({ token: mintToken({ sub: 'above-limit' }) }));
    await refused.until(/^HTTP\/1\.1 503/);
    await Promise.all(chats.map((chat) => chat.close()));
    await waitUntil('all of them are closed', async () => await descriptorCount() <= before + 20);
    crowd.close();
  });

  it('at the admin address do not block probes', async () => {
    const admins = new Crowd(Number(new URL(d.adminUrl).port));
    await admins.openMany(100, '127.0.0.1', GET);
    assert.equal(await freshStatus(`${d.adminUrl}/readyz`), 200);
    admins.close();
  });
});

describe('the limit of connections', () => {
  const PER_USER = 5;
  const PER_TENANT = 12;
  let d;
  const chats = [];
  const token = (sub, tenant = 'vesper') => mintToken({ sub, tenant_id: tenant });

  before(async () => {
    d = await startDaemon({ env: { VESPER_LIMITS_CONNECTIONS_PER_USER: String(PER_USER),
      VESPER_LIMITS_CONNECTIONS_PER_TENANT: String(PER_TENANT) } });
  });
  after(async () => {
    await Promise.all(chats.map((chat) => chat.close()));
    await d?.stop();
  });

  async function open(sub, tenant) {
    const chat = await d.connect({ token: token(sub, tenant) });
    chats.push(chat);
    return chat;
  }

  async function checkRefused(sub, tenant) {
    assert.equal((await d.rejection({ token: token(sub, tenant) })).status, 429);
    const rest = await d.rest(token(sub, tenant)).get('/api/v1/sessions');
    assert.equal(rest.status, 429);
    assert.match(rest.body.detail, /too many connections/);
    const raw = await new Raw(d.port).write(upgrade({ token: token(sub, tenant), extra: 'Origin: http://localhost\r\n' }));
    await raw.until(/too many connections/);
    raw.done();
  }

  it('applies to each user', async () => {
    for (let i = 0; i < PER_USER; i++)
      await open('ann');
    await checkRefused('ann');
    assert.equal((await d.rest(token('ben')).get('/api/v1/sessions')).status, 200);
    await chats.pop().close();
    await waitUntil('a slot is free again', async () => {
      const { chat } = await d.open({ token: token('ann') });
      if (chat)
        chats.push(chat);
      return chat;
    });
  });

  it('applies to each tenant', async () => {
    for (let i = PER_USER; i < PER_TENANT; i++)
      await open(`user-${i}`);
    await checkRefused('another-user');
    await open('ann', 'acme');
    assert.equal((await d.rest(token('ann', 'acme')).get('/api/v1/sessions')).status, 200);
  });
});

describe('behind proxies', () => {
  const PROXY = '127.0.7.1';
  const PER_ADDRESS = 4;
  const UNAUTHENTICATED = { token: '', extra: 'Origin: http://localhost\r\n' };
  let d;
  let crowd;

  before(async () => {
    d = await startDaemon({ env: { VESPER_LIMITS_CONNECTIONS_PER_ADDRESS: String(PER_ADDRESS),
      VESPER_TRUSTED_PROXIES: '127.0.7.0/24' } });
    crowd = new Crowd(d.port);
  });
  after(async () => {
    crowd?.close();
    await d?.stop();
  });

  const handshake = (header) => upgrade({ ...UNAUTHENTICATED, extra: `${UNAUTHENTICATED.extra}${header}` }).replace(/Authorization: Bearer \r\n/, '');

  async function openFrom(from, header) {
    const raw = await crowd.open(from, handshake(header));
    await raw.until(/101/);
    return raw;
  }

  it('clients are distinguished by the header of a trusted proxy', async () => {
    const other = await openFrom(PROXY, 'X-Forwarded-For: 203.0.113.9\r\n');
    const many = [];
    for (let i = 0; i < PER_ADDRESS + 2; i++)
      many.push(await openFrom(PROXY, `X-Forwarded-For: 10.9.8.${i}, 198.51.100.7, 127.0.7.3\r\n`));
    await waitUntil('the first two of one client are closed', () => !isOpen(many[0]) && !isOpen(many[1]));
    assert.ok(many.slice(2).every(isOpen) && isOpen(other));
    crowd.close();
  });

  it('headers of clients that are not trusted proxies are ignored', async () => {
    const many = [];
    for (let i = 0; i < PER_ADDRESS + 2; i++)
      many.push(await openFrom('127.0.8.1', `X-Forwarded-For: 203.0.113.${i}\r\nForwarded: for=203.0.113.${i}\r\n`));
    await waitUntil('the first two are closed', () => !isOpen(many[0]) && !isOpen(many[1]));
    assert.ok(many.slice(2).every(isOpen));
    crowd.close();
  });
});

it('an invalid proxy address is rejected at startup', async () => {
  await refusedStart({ env: { VESPER_TRUSTED_PROXIES: 'proxy.example' } }, /trusted_proxies: 'proxy\.example'/);
});
