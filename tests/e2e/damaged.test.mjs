/*
 * A damaged store file of one tenant, as caused by disks, copies and mistakes. For any content, the daemon starts,
 * serves the other tenants, answers that tenant at least with an error, and shuts down in order.
 */

import assert from 'node:assert/strict';
import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, refusedStart, run, startDaemon, tempDir } from './harness.mjs';
import { mintToken } from './token.mjs';

const QUESTION = 'What is the health status of Nazareth Solar?';
const PAGE = 4096;
const FLIPS = 12;
const RECOVERY_LIMIT_MS = 20000;

const token = (tenant) => mintToken({ role: 'admin', tenant_id: tenant });

/* Random numbers, reproducible by seed, so that failures can be repeated. */
function random(seed) {
  let x = seed * 2654435761 % 4294967296;
  return (below) => {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    return Math.floor(x / 4294967296 * below);
  };
}

function flipBits(bytes, seed) {
  const next = random(seed);
  const copy = Buffer.from(bytes);
  for (let i = 0; i < FLIPS; i++)
    copy[next(copy.length)] ^= 1 << next(8);
  return copy;
}

/* Overwrites one page with a copy of another. */
function copyPage(bytes, seed) {
  const next = random(seed);
  const copy = Buffer.from(bytes);
  const pages = copy.length / PAGE;
  const [to, from] = [1 + next(pages - 1), 1 + next(pages - 1)];
  bytes.copy(copy, to * PAGE, from * PAGE, (from + 1) * PAGE);
  return copy;
}

const rewrite = (change) => async (file) => writeFile(file, change(await readFile(file)));

const DAMAGES = {
  'an empty file': rewrite(() => Buffer.alloc(0)), /* treated as a new database */
  'a zeroed header': rewrite((b) => Buffer.concat([Buffer.alloc(100), b.subarray(100)])),
  'a zeroed first page': rewrite((b) => Buffer.concat([Buffer.alloc(PAGE), b.subarray(PAGE)])),
  'text': rewrite(() => Buffer.from('this is no database\n'.repeat(1000))),
  'half a page': rewrite((b) => b.subarray(0, PAGE / 2)),
  'one page': rewrite((b) => b.subarray(0, PAGE)),
  'half the pages': rewrite((b) => b.subarray(0, Math.floor(b.length / PAGE / 2) * PAGE)),
  'all pages except the last': rewrite((b) => b.subarray(0, b.length - PAGE)),
  'all bytes except the last 100': rewrite((b) => b.subarray(0, b.length - 100)),
  'a folder in its place': async (file) => { await rm(file); await mkdir(file); },
  'another tenant\'s file': async (file) => cp(file.replace('acme', 'vesper'), file),
  'no permission': async (file) => chmod(file, 0),
  ...Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`flipped bits, seed ${i + 1}`, rewrite((b) => flipBits(b, i + 1))])),
  ...Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`a page overwritten by another, seed ${i + 1}`, rewrite((b) => copyPage(b, i + 1))])),
};

/* Asks a question. It must end with an answer or with an error. */
async function askAny(d, tenant) {
  const reply = await d.rest(token(tenant)).post('/api/v1/chat', { content: QUESTION });
  assert.ok(reply.status === 200 || reply.status >= 400, `${reply.status}: ${reply.text}`);
  assert.ok(reply.body?.status || reply.body?.error || reply.body?.title || reply.body?.code, reply.text);
  return reply.status;
}

async function readAny(d, tenant) {
  const rest = d.rest(token(tenant));
  const { status, body } = await rest.get('/api/v1/sessions');
  assert.ok(status === 200 || status >= 400);
  for (const { session_id: id } of body.data ?? [])
    assert.ok((await rest.get(`/api/v1/sessions/${id}/messages`)).status >= 200);
}

async function checkServed(d, tenant) {
  const reply = await d.rest(token(tenant)).post('/api/v1/chat', { content: QUESTION });
  assert.equal(reply.status, 200, reply.text);
  assert.match(reply.text, /Nazareth Solar/);
}

describe('a damaged store', () => {
  let intactDir; /* a data folder with conversations of both tenants, one of them interrupted */

  before(async () => {
    const d = await startDaemon();
    for (const tenant of ['acme', 'vesper'])
      for (let i = 0; i < 3; i++)
        await askAny(d, tenant);
    intactDir = d.dataDir;
    await d.stop();
  });

  async function damagedCopy(...damages) {
    const dir = await tempDir('damaged');
    await cp(intactDir, dir, { recursive: true });
    for (const [tenant, damage] of damages)
      await damage(join(dir, 'store', `${tenant}.db`));
    return dir;
  }

  for (const [name, damage] of Object.entries(DAMAGES))
    it(`of one tenant: ${name}`, async () => {
      const d = await startDaemon({ dataDir: await damagedCopy(['acme', damage]) });
      await checkServed(d, 'vesper');
      await askAny(d, 'acme');
      await readAny(d, 'acme');
      await checkServed(d, 'vesper');
      await d.stop();
    });

  it('is reported to operators, and its tenant is served again after it is repaired', async () => {
    const admin = await freePort();
    const dataDir = await damagedCopy(['acme', DAMAGES.text]);
    const d = await startDaemon({ dataDir, env: { VESPER_ADMIN_LISTEN: `127.0.0.1:${admin}` } });
    const ready = async () => (await fetch(`http://127.0.0.1:${admin}/readyz`)).json();
    assert.deepEqual(await ready(), { status: 'ready', not_ready: ['acme'] });
    const open = await (await fetch(`${d.url}/readyz`)).json();
    assert.deepEqual(open, { status: 'ready' }, 'the public port names no tenants');
    await cp(join(intactDir, 'store/acme.db'), join(dataDir, 'store/acme.db'));
    for (const until = Date.now() + RECOVERY_LIMIT_MS; (await ready()).not_ready.length > 0 && Date.now() < until;)
      await sleep(100);
    assert.deepEqual(await ready(), { status: 'ready', not_ready: [] });
    await checkServed(d, 'acme');
    await d.stop();
  });

  /* Invalid JSON whose first and last characters look valid. */
  for (const [column, cell] of [['views', '[{"view_type":"data","data_dict":{"a":[1,2}]'], ['views', '[{"a":"\u0001"}]'], ['checked', '{"numbers":}'],
    ['pbi_deep_links', '[{},]'], ['tool_calls', '[}]'], ['standing', '{"filters":[}'], ['views', '[]]'], ['needs', '"'], ['client_msg_id', '"}']])
    it(`with the cell ${JSON.stringify(cell)} for ${column} is omitted, and everything else is read`, async () => {
      const dir = await damagedCopy();
      const store = join(dir, 'store/vesper.db');
      await run('python3', ['-c', 'import sqlite3,sys\nd=sqlite3.connect(sys.argv[1])\nd.execute("PRAGMA ignore_check_constraints = 1")\n'
        + `n=d.execute("UPDATE chat_messages SET ${column} = ? WHERE role = 'assistant'",[sys.argv[2]]).rowcount\nd.commit()\nassert n > 0`, store, cell]);
      const d = await startDaemon({ dataDir: dir });
      const rest = d.rest(token('vesper'));
      const { body: sessions } = await rest.get('/api/v1/sessions');
      const session = sessions.data[0].session_id;
      for (const path of ['messages', 'export', 'export?format=markdown']) {
        const reply = await rest.get(`/api/v1/sessions/${session}/${path}`);
        assert.equal(reply.status, 200, reply.text);
      }
      const { data } = (await rest.get(`/api/v1/sessions/${session}/messages`)).body;
      assert.equal(data.length, 2);
      assert.equal(data[0].content, QUESTION);
      if (column !== 'needs')
        assert.match(data[1].content, /Nazareth Solar/);
      if (['views', 'checked', 'pbi_deep_links'].includes(column))
        assert.equal(data[1][column], undefined);
      /* The next question of the session uses the remaining context. */
      const turn = await d.ask('And its milestone dates?', { token: token('vesper'), session });
      assert.equal(turn.error, undefined, JSON.stringify(turn.closing));
      await checkServed(d, 'vesper');
      await d.stop();
    });

  it('of every tenant makes startup fail with the reason', async () => {
    const dataDir = await damagedCopy(['acme', DAMAGES.text], ['vesper', DAMAGES['a folder in its place']]);
    await refusedStart({ dataDir }, /acme\.db|vesper\.db/);
  });
});
