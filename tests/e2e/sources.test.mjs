/*
 * Uploaded data: a file is uploaded, typed, profiled, queried, shared and deleted; each file of
 * tests/upload/shapes is loaded with its types. Numbers in answers equal sums computed from the file.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { filesUnder, ROOT, run, startDaemon, VESPERCTL } from './harness.mjs';
import { Sources, loadShapes, until } from './sources.mjs';
import { ROLES, mintToken } from './token.mjs';

const SHAPES = join(ROOT, 'tests/upload');
const UPLOADS = ['chat:upload'];

const token = (sub, role = 'analyst', more = {}) => mintToken({ sub, permissions: [...ROLES[role], ...UPLOADS], ...more });

let d;
before(async () => {
  d = await startDaemon({ env: { VESPER_LIMITS_USER_PER_MINUTE: '0', VESPER_LIMITS_TENANT_PER_MINUTE: '0',
    VESPER_CALENDAR_TIMEZONE: 'America/Los_Angeles' } });
});
after(() => d?.stop());

const orders = () => readFile(join(SHAPES, 'shapes/orders.csv'));

describe('a user\'s own file', () => {
  it('is typed, profiled, queried, shared and deleted', async () => {
    const ann = new Sources(d, token('ann')), bob = new Sources(d, token('bob'));
    const source = await ann.loaded(await orders(), 'name=Orders.csv');
    assert.equal(source.state, 'ready', JSON.stringify(source));
    assert.equal(source.name, 'Orders');
    assert.equal(source.rows, 6);
    const types = Object.fromEntries(source.profile.columns.map((c) => [c.name, `${c.type} ${c.role}`]));
    assert.deepEqual(types, { order_no: 'text dimension', order_date: 'date date', region: 'text dimension', customer: 'text dimension',
      amount: 'decimal measure', paid: 'bool flag' });
    const amount = source.profile.columns.find((c) => c.name === 'amount');
    assert.equal(String(amount.sum), '3235.84');

    const { body: rows } = await ann.rest.get(`/api/v1/data-sources/${source.id}/rows?limit=2`);
    assert.deepEqual(rows.columns, ['row_no', ...source.profile.columns.map((c) => c.name)]);
    assert.equal(rows.rows.length, 2);

    const answer = await until('an answer', async () => {
      const { body } = await ann.rest.post('/api/v1/chat', { content: 'total amount by region' });
      return /North/.test(JSON.stringify(body.views)) && body;
    });
    const view = answer.views.find((v) => v.data_dict ?? v.rows ?? v.sets) ?? answer.views[0];
    const text = JSON.stringify(view);
    for (const number of ['1555.6', '1580.25', '99.99'])
      assert.ok(text.includes(number), `${number} in ${text}`);

    assert.deepEqual(await bob.list(), []);
    assert.equal((await bob.one(source.id)).status, 404);
    const foreign = await bob.rest.post('/api/v1/chat', { content: 'total amount by region' });
    assert.ok(!/North|1580/.test(foreign.text), foreign.text);

    const shared = await ann.rest.call('PATCH', `/api/v1/data-sources/${source.id}`, { json: { visibility: 'tenant' } });
    assert.equal(shared.status, 204, shared.text);
    await until('the source is shared', async () => (await bob.list()).length === 1);
    const theirs = await bob.rest.post('/api/v1/chat', { content: 'total amount by region' });
    assert.ok(/1580\.25/.test(theirs.text), theirs.text);
    assert.equal((await bob.rest.call('PATCH', `/api/v1/data-sources/${source.id}`, { json: { name: 'Mine' } })).status, 403);

    assert.equal((await ann.rest.delete(`/api/v1/data-sources/${source.id}`)).status, 202);
    await until('the source is deleted', async () => (await ann.one(source.id)).status === 404);
    const afterDelete = await ann.rest.post('/api/v1/chat', { content: 'total amount by region' });
    assert.ok(!/1580/.test(afterDelete.text), afterDelete.text);
  });

  it('has the exact sum of its cells', async () => {
    const ann = new Sources(d, token('many'));
    const cells = Array.from({ length: 9000 }, (_, i) => [`place${i % 3}`, ((i * 7919) % 10000) / 100]);
    const source = await ann.loaded(`place,weight\n${cells.map((c) => c.join(',')).join('\n')}\n`, 'name=Weights.csv');
    assert.equal(source.state, 'ready', JSON.stringify(source));
    const { data_dict: got } = await until('an answer', async () => {
      const { body } = await ann.rest.post('/api/v1/chat', { content: 'total weight by place' });
      return body.views?.find((v) => v.data_dict?.Weight);
    });
    for (const [i, place] of got.Place.entries())
      assert.equal(String(got.Weight[i]), String(cells.filter(([p]) => p === place).reduce((sum, [, w]) => sum + Math.round(w * 100), 0) / 100));
  });

  it('has the exact sums and means of each period', async () => {
    const ann = new Sources(d, token('months'));
    const iso = (at) => at.toISOString().slice(0, 10);
    const monday = (at) => iso(new Date(at - ((at.getUTCDay() + 6) % 7) * 86400000));
    const spans = {
      day: iso, week: monday, month: (at) => iso(at).slice(0, 7), quarter: (at) => `${at.getUTCFullYear()}-Q${Math.floor(at.getUTCMonth() / 3) + 1}`,
      year: (at) => at.getUTCFullYear(), weekday: (at) => ((at.getUTCDay() + 6) % 7) + 1,
    };
    /* Missing and repeated days; missing, negative and integer cells. */
    const cells = Array.from({ length: 6000 }, (_, i) => ({ at: i % 97 === 5 ? null : new Date(Date.UTC(2023, 11, 20 + (i * 7919) % 400)),
      cents: i % 31 === 7 ? null : i % 11 === 3 ? 100 * (i % 9) : ((i * 104729) % 200003) - 90000, region: `r${i % 4}` }));
    const text = cells.map(({ at, cents, region }) => `${at ? iso(at) : ''},${cents === null ? '' : cents / 100},${cents === null ? '' : cents / 100},${region}`).join('\n');
    const source = await ann.loaded(`day,amount,rate,region\n${text}\n`, 'name=Spans.csv');
    assert.equal(source.state, 'ready', JSON.stringify(source));
    const name = (column) => `u${source.id.slice(-8)}_${column}`;
    const ask = async (query) => (await ann.rest.post('/api/v1/tools/query_metrics', { query: JSON.stringify(query) })).body.result?.sets.rows.data_dict;
    const check = (got, rows, groupOf) => {
      const [keys, sums, means] = Object.values(got);
      const groups = new Map();
      for (const row of rows)
        groups.set(groupOf(row.at, row.region), [...(groups.get(groupOf(row.at, row.region)) ?? []), row]);
      assert.deepEqual(new Set(keys), new Set(groups.keys()));
      for (const [i, key] of keys.entries()) {
        const filled = groups.get(key).filter(({ cents }) => cents !== null), cents = filled.reduce((sum, row) => sum + row.cents, 0);
        assert.equal(sums[i], filled.length ? cents / 100 : null, `${key}`);
        assert.ok(filled.length ? Math.abs(means[i] - cents / 100 / filled.length) < 1e-9 : means[i] === null, `${key}: ${means[i]}`);
      }
    };
    const metrics = [name('amount'), name('rate')];
    await until('an answer', () => ask({ metrics }));
    for (const [grain, span] of Object.entries(spans))
      check(await ask({ metrics, by: [`${name('day')}.${grain}`] }), cells, (at) => at && span(at));
    const period = { start: '2024-02-10', end: '2024-09-03' };
    const within = cells.filter(({ at }) => at && iso(at) >= period.start && iso(at) <= period.end);
    check(await ask({ metrics, by: [`${name('day')}.month`], period }), within, spans.month);
    check(await ask({ metrics, by: [name('region')], period }), within, (_, region) => region);
    const where = [{ name: name('region'), op: 'is', values: ['r2'] }];
    check(await ask({ metrics, by: [`${name('day')}.month`], where }), cells.filter(({ region }) => region === 'r2'), (at) => at && spans.month(at));
  });

  it('leaves no byte behind when it is deleted', async () => {
    const ann = new Sources(d, token('canary'));
    const canaries = Array.from({ length: 20 }, (_, i) => `canary${i}x7f3a`);
    const source = await ann.loaded(`bird,n\n${canaries.map((c, i) => `${c},${i * 1000 + 17}`).join('\n')}\n`, 'name=Birds.csv');
    assert.equal(source.state, 'ready', JSON.stringify(source));
    await until('an answer', async () => {
      const { body } = await ann.rest.post('/api/v1/chat', { content: 'total n by bird' });
      return /canary0x7f3a/.test(JSON.stringify(body)) && body;
    });
    const filesWithCanary = async () => {
      const found = [];
      for (const file of await filesUnder(d.dataDir))
        if (existsSync(file) && canaries.some((c) => file && c) && (await readFile(file).catch(() => Buffer.alloc(0))).includes('canary0x7f3a'))
          found.push(file);
      return found;
    };
    assert.ok((await filesWithCanary()).length > 0);
    assert.equal((await ann.rest.delete(`/api/v1/data-sources/${source.id}`)).status, 202);
    let remaining;
    await until('no file contains it', async () => (remaining = await filesWithCanary()).length === 0).catch(() => assert.fail(remaining.join(' ')));
    assert.deepEqual(await readdir(join(d.dataDir, 'spool')), []);
  });
});

describe('a form upload', () => {
  const BOUNDARY = 'x7f3aBoundary';
  const part = (head, text) => `--${BOUNDARY}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${text}\r\n`;
  const filePart = (text, file = 'a.csv', more = '') => part(`name="file"; filename="${file}"${more}`, text);
  const sent = (s, parts, query = '', method = 'POST', path = '') => s.rest.call(method, `/api/v1/data-sources${path}?${query}`, { body: `${parts.join('')}--${BOUNDARY}--\r\n`,
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, 'if-match': '*' } });
  const ROWS = 'a,b\n1,2\n3,4\n';

  it('has one file, named by its text parts or its filename', async () => {
    const ann = new Sources(d, token('forms'));
    const loaded = async (parts, query) => {
      const { status, body, text } = await sent(ann, parts, query);
      assert.equal(status, 202, text);
      return ann.settled(body.id);
    };
    const unnamed = await loaded([filePart(ROWS, 'Sales 2025.csv')]);
    assert.deepEqual([unnamed.name, unnamed.rows, unnamed.profile.columns.length], ['Sales 2025', 2, 2]);
    const named = await loaded([part('name="name"', 'Ledger'), part('name="description"', 'of all'), filePart(ROWS, 'x.tsv', '\r\nContent-Type: text/csv')]);
    assert.deepEqual([named.name, named.description, named.rows], ['Ledger', 'of all', 2]);
    const dashes = await loaded([filePart(`t,n\n${Array.from({ length: 20000 }, (_, i) => `--${BOUNDARY.slice(0, i % 14)}${i},${i}`).join('\n')}\n`)], 'name=Dashes');
    assert.deepEqual([dashes.name, dashes.rows, String(dashes.profile.columns[1].sum)], ['Dashes', 20000, '199990000']);
    assert.equal((await sent(ann, [filePart('a,b\n5,6\n')], '', 'PUT', `/${unnamed.id}/data`)).status, 202);
    await until('the next version is in use', async () => (await ann.one(unnamed.id)).body.rows === 1);
  });

  it('that is malformed or has other parts is refused and leaves no file', async () => {
    const bob = new Sources(d, token('forms2'));
    for (const [parts, status] of [[[], 400], [[part('name="name"', 'x')], 400], [[part('name="other"', 'x'), filePart(ROWS)], 400], [[filePart(ROWS), filePart(ROWS)], 400],
      [[filePart(ROWS), part('name="name"', 'late')], 400], [[part('name="file"', ROWS)], 400], [[part('name="upload"; filename="a.csv"', ROWS)], 400],
      [[filePart(ROWS, 'a.xlsx')], 415], [[filePart(ROWS, 'a.csv', '\r\nContent-Type: application/pdf')], 415], [[part('name="name"', ' x'), filePart(ROWS)], 422],
      [[part('name="name"', 'x'.repeat(9000)), filePart(ROWS)], 400]]) {
      const reply = await sent(bob, parts);
      assert.equal(reply.status, status, `${JSON.stringify(parts).slice(0, 200)}: ${reply.text}`);
    }
    const { status } = await bob.rest.call('POST', '/api/v1/data-sources', { body: filePart(ROWS), headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` } });
    assert.equal(status, 400); /* the body has no closing boundary */
    await until('no spool file is left', async () => (await readdir(join(d.dataDir, 'spool'))).length === 0);
    await until('the started uploads have failed', async () => (await bob.list()).every((s) => s.state === 'failed'));
  });
});

describe('each file format', () => {
  it('is loaded with its types', async () => {
    assert.deepEqual(await loadShapes((user) => new Sources(d, token(user))), []);
  });
});

describe('vesperctl source', () => {
  const env = () => ({ PATH: process.env.PATH, HOME: process.env.HOME, VESPER_URL: d.url, VESPER_TOKEN: token('verbs') });
  const ctl = (...words) => run(VESPERCTL, ['source', ...words], { env: env() })
    .then(({ stdout }) => ({ code: 0, stdout }), (e) => ({ code: e.code, stdout: e.stdout, stderr: e.stderr }));

  it('uploads, lists, shows, shares and deletes', async () => {
    const uploaded = await ctl('upload', join(SHAPES, 'shapes/orders.csv'), '--name', 'Ledger.csv');
    assert.equal(uploaded.code, 0, uploaded.stderr);
    assert.match(uploaded.stdout, /ready\s+6 rows {2}Ledger\n.*amount\s+decimal\s+measure.*sum 3235\.84/s);
    assert.match((await ctl('list')).stdout, /Ledger/);
    const { rows } = JSON.parse((await ctl('rows', 'Ledger')).stdout);
    assert.equal(rows.length, 6);
    assert.equal((await ctl('share', 'Ledger', 'tenant')).code, 0);
    assert.equal(JSON.parse((await ctl('profile', 'Ledger', '--json')).stdout).visibility, 'tenant');
    const parties = await ctl('upload', join(SHAPES, 'parties.csv'), '--name', 'Parties.csv');
    assert.equal(parties.code, 0, parties.stderr);
    assert.equal((await ctl('join', 'Ledger', 'Parties', 'amount')).code, 1);
    assert.equal((await ctl('join', 'Ledger', 'Parties')).code, 2);
    assert.equal((await ctl('join', 'Ledger', 'Parties', 'customer=party')).code, 0);
    assert.equal((await ctl('mean', 'Ledger', 'amount', '--label', 'Turnover', '--unit', 'EUR', '--words', 'takings,receipts', '--sum', 'yes')).code, 0);
    assert.equal((await ctl('mean', 'Ledger', 'amount')).code, 2);
    assert.equal((await ctl('expire', 'Ledger', '2099-01-31')).code, 0);
    assert.match((await ctl('profile', 'Ledger')).stdout, /until 2099-01-31 \(2099-02-01T07:59:59\.999Z\)\n[^]*amount\s+is Turnover, measure, in EUR; also: takings, receipts\n[^]*joined with Parties on customer = party, n:1\n/);
    assert.equal((await ctl('expire', 'Ledger', 'never')).code, 0);
    assert.equal((await ctl('apart', 'Ledger', 'Parties')).code, 0);
    assert.doesNotMatch((await ctl('profile', 'Ledger')).stdout, /until|joined/);
    assert.equal((await ctl('delete', 'Parties')).code, 0);
    assert.equal((await ctl('delete', 'Ledger')).code, 0);
    assert.equal((await ctl('profile', 'Ledger')).code, 1);
  });

  it('rejects an ambiguous name and lists the sources', async () => {
    const uids = [];
    for (let i = 0; i < 2; i++)
      uids.push(/[0-9a-f-]{36}/.exec((await ctl('upload', join(SHAPES, 'shapes/orders.csv'), '--name', 'Twin.csv')).stdout)[0]);
    for (const words of [['profile', 'Twin'], ['delete', 'Twin'], ['share', 'Twin', 'tenant'], ['mean', 'Twin', 'amount', '--unit', 'EUR']]) {
      const refused = await ctl(...words);
      assert.equal(refused.code, 1);
      for (const uid of uids)
        assert.match(refused.stderr, new RegExp(`${uid}  Twin  6 rows, of verbs`));
      assert.match(refused.stderr, /2 are named Twin; use the ID of one/);
    }
    assert.equal((await ctl('delete', uids[1])).code, 0);
    assert.match((await ctl('profile', 'Twin')).stdout, new RegExp(uids[0]));
    assert.equal((await ctl('delete', uids[0])).code, 0);
  });

  it('reports errors and questions of a file', async () => {
    const bad = await ctl('upload', join(SHAPES, 'shapes/unclosed_quote.csv'));
    assert.equal(bad.code, 1);
    assert.match(bad.stderr, /unclosed_quote, line 3/);
    const asks = await ctl('upload', join(SHAPES, 'shapes/day_or_month.csv'));
    assert.equal(asks.code, 3);
    assert.match(asks.stdout, /day or the month first/);
    assert.equal((await ctl('upload', '/no/such/file.csv')).code, 1);
    assert.equal((await ctl('upload')).code, 2);
  });
});
