/*
 * More connections than slots: unauthenticated clients never block users, and a user or tenant has at most a
 * share. A small descriptor limit keeps the number of clients small.
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

const HARD = 768; /* 192 slots of up to three descriptors, 48 of them for unauthenticated connections */
const PLACES = HARD / 4;
const GET = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n';
const LIMIT_MS = patient(20000);

async function whenTrue(what, test) {
  for (const until = Date.now() + LIMIT_MS; !(await test()); await sleep(20))
    assert.ok(Date.now() < until, `never: ${what}`);
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

  leave() {
    this.raws.splice(0).forEach((raw) => raw.done());
  }
}

function isOpen(raw) {
  return !raw.socket.destroyed && !raw.socket.readableEnded;
}

/* Uses a new connection: the daemon may have closed an idle one to make room for others. */
function freshStatus(url) {
  return new Promise((done, fail) => {
    http.get(url, { agent: false }, (res) => done(res.resume().statusCode)).on('error', fail);
  });
}

async function asks(daemon) {
  assert.match((await daemon.ask(REFERENCE)).text, /48\.73/);
}

describe('many unauthenticated connections', () => {
  let d;
  let crowd;
  let first;
  const descriptors = async () => (await readdir(`/proc/${d.child.pid}/fd`)).length;

  before(async () => {
    d = await startDaemon({ descriptors: `64:${HARD}`, env: { VESPER_LIMITS_CONNECTIONS_PER_TENANT: String(HARD) } });
    crowd = new Crowd(d.port);
    first = await descriptors();
  });
  after(async () => {
    crowd?.leave();
    await d?.stop();
  });

  it('the soft limit of descriptors is raised to the hard one', async () => {
    const limits = await readFile(`/proc/${d.child.pid}/limits`, 'utf8');
    assert.match(limits, /Max core file size\s+0\s+0\s/, 'and no core file is written');
    assert.match(limits, new RegExp(`Max open files\\s+${HARD}\\s+${HARD}\\s`));
  });

  const kinds = { 'silent sockets': '', 'half a head': 'GET /livez HTTP/1.1\r\nHost: x\r\n',
    'half a handshake': upgrade().slice(0, 80), 'kept connections': GET,
    'sockets that owe their token': upgrade({ token: '', extra: 'Origin: http://localhost\r\n' })
      .replace(/Authorization: Bearer \r\n/, '') };

  for (const [name, text] of Object.entries(kinds))
    it(`${name} from one address and from many block no user`, async () => {
      for (const from of ['127.0.0.1', (i) => `127.0.${1 + (i % 200)}.1`]) {
        await crowd.openMany(PLACES + 20, from, text);
        for (const path of ['/livez', '/readyz', '/health'])
          assert.equal((await fetch(`${d.url}${path}`, { headers: { Connection: 'close' } })).status, 200);
        for (const path of ['/livez', '/readyz', '/metrics'])
          assert.equal((await fetch(`${d.adminUrl}${path}`)).status, 200);
        await asks(d);
        crowd.leave();
      }
    });

  it('closes the most idle connections, and no socket of a user', async () => {
    const chats = [];
    for (let i = 0; i < 20; i++)
      chats.push(await d.connect());
    const first = await crowd.openMany(10, '127.0.0.2', GET);
    const last = await crowd.openMany(PLACES, (i) => `127.0.${1 + (i % 200)}.1`, GET);
    await whenTrue('the first of them are ended', () => !first.some(isOpen));
    assert.ok(last.slice(-10).every(isOpen), 'the last ones stay');
    await last.at(-1).write(GET);
    await last.at(-1).until(/200[^]*200/);
    await asks(d);
    for (const chat of chats) {
      assert.match((await chat.ask(REFERENCE)).text, /48\.73/);
      await chat.close();
    }
    crowd.leave();
  });

  it('can use every slot for a WebSocket', async () => {
    const SIGNED_IN = PLACES / 4 * 3;
    await whenTrue('the crowds before are gone', async () => await descriptors() <= first + 20);
    const before = await descriptors();
    const chats = [];
    while (chats.length < SIGNED_IN)
      chats.push(await d.connect({ token: mintToken({ sub: `user-${chats.length}` }) }));
    assert.ok(await descriptors() >= before + 3 * SIGNED_IN, 'the client and a pair each');
    assert.ok(await descriptors() <= HARD / 4 * 3 + before);
    const one = await crowd.open('127.0.0.1', upgrade({ token: mintToken({ sub: 'one-more' }) }));
    await one.until(/^HTTP\/1\.1 503/);
    await Promise.all(chats.map((chat) => chat.close()));
    await whenTrue('all of them are closed', async () => await descriptors() <= before + 20);
    crowd.leave();
  });

  it('many connections at the admin address do not block probes', async () => {
    const there = new Crowd(Number(new URL(d.adminUrl).port));
    await there.openMany(100, '127.0.0.1', GET);
    assert.equal(await freshStatus(`${d.adminUrl}/readyz`), 200);
    there.leave();
  });
});

describe('a share of the connections', () => {
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

  async function refused(sub, tenant) {
    assert.equal((await d.rejection({ token: token(sub, tenant) })).status, 429);
    const rest = await d.rest(token(sub, tenant)).get('/api/v1/sessions');
    assert.equal(rest.status, 429);
    assert.match(rest.body.detail, /too many connections/);
    const raw = await new Raw(d.port).write(upgrade({ token: token(sub, tenant), extra: 'Origin: http://localhost\r\n' }));
    await raw.until(/too many connections/);
    raw.done();
  }

  it('of a user', async () => {
    for (let i = 0; i < PER_USER; i++)
      await open('ann');
    await refused('ann');
    assert.equal((await d.rest(token('ben')).get('/api/v1/sessions')).status, 200);
    await chats.pop().close();
    await whenTrue('a place is free again', async () => {
      const { chat } = await d.open({ token: token('ann') });
      if (chat)
        chats.push(chat);
      return chat;
    });
  });

  it('of a tenant', async () => {
    for (let i = PER_USER; i < PER_TENANT; i++)
      await open(`user-${i}`);
    await refused('somebody-else');
    await open('ann', 'acme');
    assert.equal((await d.rest(token('ann', 'acme')).get('/api/v1/sessions')).status, 200);
  });
});

describe('behind proxies', () => {
  const PROXY = '127.0.7.1';
  const PER_ADDRESS = 4;
  const SOCKET = { token: '', extra: 'Origin: http://localhost\r\n' };
  let d;
  let crowd;

  before(async () => {
    d = await startDaemon({ env: { VESPER_LIMITS_CONNECTIONS_PER_ADDRESS: String(PER_ADDRESS),
      VESPER_TRUSTED_PROXIES: '127.0.7.0/24' } });
    crowd = new Crowd(d.port);
  });
  after(async () => {
    crowd?.leave();
    await d?.stop();
  });

  const socket = (header) => upgrade({ ...SOCKET, extra: `${SOCKET.extra}${header}` }).replace(/Authorization: Bearer \r\n/, '');

  async function opened(from, header) {
    const raw = await crowd.open(from, socket(header));
    await raw.until(/101/);
    return raw;
  }

  it('clients are distinguished by the header of a trusted proxy', async () => {
    const other = await opened(PROXY, 'X-Forwarded-For: 203.0.113.9\r\n');
    const many = [];
    for (let i = 0; i < PER_ADDRESS + 2; i++)
      many.push(await opened(PROXY, `X-Forwarded-For: 10.9.8.${i}, 198.51.100.7, 127.0.7.3\r\n`));
    await whenTrue('the first two of one client are ended', () => !isOpen(many[0]) && !isOpen(many[1]));
    assert.ok(many.slice(2).every(isOpen) && isOpen(other));
    crowd.leave();
  });

  it('headers of other clients are ignored', async () => {
    const many = [];
    for (let i = 0; i < PER_ADDRESS + 2; i++)
      many.push(await opened('127.0.8.1', `X-Forwarded-For: 203.0.113.${i}\r\nForwarded: for=203.0.113.${i}\r\n`));
    await whenTrue('the first two are ended', () => !isOpen(many[0]) && !isOpen(many[1]));
    assert.ok(many.slice(2).every(isOpen));
    crowd.leave();
  });
});

it('an invalid proxy address is rejected at startup', async () => {
  await refusedStart({ env: { VESPER_TRUSTED_PROXIES: 'proxy.example' } }, /trusted_proxies: 'proxy\.example'/);
});
