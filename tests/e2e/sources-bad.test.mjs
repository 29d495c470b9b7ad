/*
 * Invalid files, each as a new version of a source in use: each ends with an error that names the line if there is
 * one, the previous version stays, and no partial load is visible. A file of 100 MB with an unclosed quote, a full
 * disk, a quota exhausted meanwhile, two files of one source, a wrong length.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import http from 'node:http';
import net from 'node:net';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { startDaemon, tempDir } from './harness.mjs';
import { patient } from './patience.mjs';
import { Sources, until } from './sources.mjs';
import { ROLES, mintToken } from './token.mjs';

const run = promisify(execFile);
const NO_LIMITS = { VESPER_LIMITS_USER_PER_MINUTE: '0', VESPER_LIMITS_TENANT_PER_MINUTE: '0' };
const GOOD = 'thing,mark\na,1.5\nb,2.5\na,4\n';
const DISK_BYTES = 8 * 1024 * 1024; /* far below the minimum of free space */

const caller = (d, sub) => new Sources(d, mintToken({ sub, permissions: [...ROLES.analyst, 'chat:upload'] }));
const spooled = (d) => readdir(join(d.dataDir, 'spool'));
const total = async (s) => (await s.rest.post('/api/v1/chat', { content: 'total mark by thing' })).body.views?.[0]?.data_dict.Mark;

describe('an invalid new version', () => {
  let d;
  before(async () => { d = await startDaemon({ env: NO_LIMITS }); });
  after(() => d?.stop());

  const bad = {
    empty: ['', 'empty'],
    'with only a header': ['thing,mark\n', 'header_only'],
    ragged: [`thing,mark\n${Array.from({ length: 100 }, (_, i) => (i % 2 ? 'a,1' : 'a,1,2,3')).join('\n')}\n`, 'ragged', 2],
    'with an unclosed quote': ['thing,mark\na,1\n"b,2\nc,3\n', 'unclosed_quote', 3],
    'with a NUL': ['thing,mark\na,1\nb\0,2\n', 'nul', 3],
    'of 10,000 columns': [`${Array.from({ length: 10000 }, (_, i) => `c${i}`).join(',')}\n1\n`, 'too_many_columns', 1],
    'with a cell of 70 KB': [`thing,mark\na,1\n${'x'.repeat(70000)},2\n`, 'cell_too_long', 3],
    compressed: [gzipSync(GOOD.repeat(100)), 'nul', 1],
  };

  it('reports the reason and leaves the previous one unchanged', async () => {
    const ann = caller(d, 'ann');
    const source = await ann.loaded(GOOD, 'name=Marks.csv');
    assert.equal(source.state, 'ready', JSON.stringify(source));
    assert.deepEqual(await until('an answer', () => total(ann)), [5.5, 2.5]);
    for (const [what, [bytes, code, line]] of Object.entries(bad)) {
      const { status, text } = await ann.replace(source.id, bytes, '*');
      assert.equal(status, 202, `${what}: ${text}`);
      const { load, rows, version } = await ann.settled(source.id);
      assert.deepEqual([load?.state, load?.fault.code, rows, version], ['failed', code, 3, source.version], what);
      assert.ok(load.fault.message.length > 10, what);
      assert.equal(load.fault.line, line, what);
      assert.deepEqual(await total(ann), [5.5, 2.5], what);
    }
    const shown = (await ann.rest.get(`/api/v1/data-sources/${source.id}/rows`)).body;
    assert.equal(shown.rows.length, 3);
    await until('no file is left', async () => (await spooled(d)).length === 0);
  });

  it('keeps hostile headers as labels', async () => {
    const bob = caller(d, 'bob');
    const headers = ['x'.repeat(10240), '\u202Egnirts\u202C', '=HYPERLINK("http://x")', '\'; DROP TABLE s; --', '', '', 'tenant_id', 'row_no', 'select', 'a', 'A', 'a'];
    const quoted = headers.map((head) => `"${head.replaceAll('"', '""')}"`).join(',');
    const source = await bob.loaded(`${quoted}\n${headers.map((_, i) => i).join(',')}\n${headers.map((_, i) => i + 1).join(',')}\n`, 'name=Heads.csv');
    assert.equal(source.state, 'ready', JSON.stringify(source));
    const names = source.profile.columns.map((c) => c.name);
    assert.equal(new Set(names).size, headers.length);
    assert.ok(names.every((name) => /^[a-z][a-z0-9_]{0,59}$/.test(name) && !['tenant_id', 'row_no', 'select'].includes(name)), names.join(' '));
    assert.ok(source.profile.columns.every(({ label, spoken }) => label.length <= 200 && !/[\u202A-\u202E]/.test(label) && spoken.length <= 60));
  });

  it('with an unclosed quote of 100 MB reports the line where it begins', { timeout: patient(120000) }, async () => {
    const cat = caller(d, 'cat');
    const line = `${'a'.repeat(90)},1\n`, count = 550000;
    function* lines() {
      yield 'thing,mark\n';
      for (let i = 0; i < count; i += 1000)
        yield line.repeat(1000);
      yield '"open,1\n';
      for (let i = 0; i < count; i += 1000)
        yield line.repeat(1000);
    }
    const { id } = await new Promise((resolve, reject) => {
      const req = http.request(`${d.url}/api/v1/data-sources?name=Open.csv`, { method: 'POST', headers: { authorization: `Bearer ${cat.token}`, 'content-type': 'text/csv' } }, (res) => {
        let text = '';
        res.on('data', (chunk) => { text += chunk; }).on('end', () => resolve(JSON.parse(text)));
      }).on('error', reject);
      Readable.from(lines()).pipe(req);
    });
    const { state, load } = await cat.settled(id);
    assert.deepEqual([state, load.state, load.fault.code, load.fault.line], ['failed', 'failed', 'unclosed_quote', count + 2], JSON.stringify(load));
    assert.equal((await cat.rest.get(`/api/v1/data-sources/${id}/rows`)).status, 404);
  });

  it('is refused while another one is loading', async () => {
    const eve = caller(d, 'eve');
    const source = await eve.loaded(GOOD, 'name=Marks.csv');
    const socket = net.connect(d.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(`PUT /api/v1/data-sources/${source.id}/data HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${eve.token}\r\nIf-Match: *\r\n`
      + 'Content-Type: text/csv\r\nContent-Length: 1000\r\n\r\nthing,mark\n');
    await until('the first upload has started', async () => (await eve.one(source.id)).body.load?.state === 'receiving');
    assert.equal((await eve.replace(source.id, GOOD, '*')).status, 409);
    socket.destroy();
    assert.equal((await eve.settled(source.id)).load.fault.code, 'connection_lost');
    assert.equal((await eve.replace(source.id, `${GOOD}c,1\n`, '*')).status, 202);
    await until('the next version is in use', async () => (await eve.one(source.id)).body.rows === 4);
  });

  it('that is longer than declared is loaded up to the declared length', async () => {
    const kim = caller(d, 'kim');
    const reply = await new Promise((resolve) => {
      const socket = net.connect(d.port, '127.0.0.1');
      let text = '';
      socket.on('error', () => resolve(text)).on('close', () => resolve(text)).on('data', (chunk) => { text += chunk; });
      socket.write(`POST /api/v1/data-sources?name=Lie.csv HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${kim.token}\r\n`
        + `Content-Type: text/csv\r\nContent-Length: ${GOOD.length}\r\n\r\n${GOOD}z,1000\n\r\n\r\n`);
    });
    assert.match(reply, /^HTTP\/1.1 202 /);
    const [{ id }] = await kim.list();
    assert.equal((await kim.settled(id)).rows, 3);
  });
});

describe('no space', () => {
  it('on the disk is reported, and the previous version stays', async (t) => {
    const disk = join(await tempDir(), 'disk');
    await mkdir(disk);
    const mounted = await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'none', disk]).then(() => true, () => false);
    if (!mounted)
      return t.skip('a small file system cannot be mounted here');
    const dataDir = await tempDir();
    const first = await startDaemon({ dataDir, env: NO_LIMITS });
    let d;
    try {
      const source = await caller(first, 'ann').loaded(GOOD, 'name=Marks.csv');
      await first.stop();
      d = await startDaemon({ dataDir, env: { ...NO_LIMITS, VESPER_UPLOADS_SPOOL_DIR: disk } });
      const ann = caller(d, 'ann');
      assert.deepEqual(await until('an answer', () => total(ann)), [5.5, 2.5]);
      const refused = await ann.replace(source.id, GOOD.repeat(1000), '*');
      assert.ok(refused.status >= 500, `${refused.status} ${refused.text}`);
      const { load, version } = await ann.settled(source.id);
      assert.deepEqual([load.state, load.fault.code, version], ['failed', 'disk_full', source.version]);
      assert.deepEqual(await total(ann), [5.5, 2.5]);
      assert.deepEqual(await readdir(disk), []);
    } finally {
      await d?.stop();
      await run('umount', [disk]);
    }
  });

  it('in the quota is reported, even if another upload uses it up meanwhile', async () => {
    const d = await startDaemon({ env: { ...NO_LIMITS, VESPER_UPLOADS_TENANT_BYTES: '1000' } });
    try {
      const ann = caller(d, 'ann'), slow = 'thing,mark\n', rest = 'a,1\n'.repeat(150);
      const reply = new Promise((resolve) => {
        const socket = net.connect(d.port, '127.0.0.1');
        let text = '';
        socket.on('error', () => resolve(text)).on('close', () => resolve(text)).on('data', (chunk) => { text += chunk; });
        socket.write(`POST /api/v1/data-sources?name=Slow.csv HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${ann.token}\r\nConnection: close\r\n`
          + `Content-Type: text/csv\r\nContent-Length: ${slow.length + rest.length}\r\n\r\n${slow}`);
        until('the upload has started', async () => (await ann.list()).length === 1).then(async () => {
          assert.equal((await ann.loaded(`thing,mark\n${'b,2\n'.repeat(150)}`, 'name=Fast.csv')).rows, 150);
          socket.write(rest);
        });
      });
      assert.match(await reply, /^HTTP\/1.1 413 /);
      const failedSource = await until('the upload has failed', async () => (await ann.list()).find((s) => s.load?.state === 'failed'));
      assert.equal((await ann.one(failedSource.id)).body.load.fault.code, 'quota');
      assert.equal(failedSource.name, 'Slow');
      assert.deepEqual(await spooled(d), []);
      assert.equal((await ann.upload(GOOD, 'name=Small.csv')).status, 202);
      await until('the quota is used up', async () => (await ann.upload(GOOD.repeat(12), 'name=Rest.csv')).status === 413);
    } finally {
      await d.stop();
    }
  });
});
