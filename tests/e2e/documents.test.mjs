/*
 * Documents of users: text, Markdown and HTML are split into passages, found by the words of a question, quoted
 * with their position, shared and deleted like any data source.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT, run, startDaemon, tempDir, VESPERCTL } from './harness.mjs';
import { Documents } from './documents.mjs';
import { until } from './sources.mjs';
import { ROLES, mintToken } from './token.mjs';

const token = (sub, role = 'analyst', more = {}) => mintToken({ sub, permissions: [...ROLES[role], 'chat:upload'], ...more });
const policy = (name) => readFile(join(ROOT, 'tests/documents', `${name}.md`), 'utf8');

let d;
before(async () => {
  d = await startDaemon({ env: { VESPER_LIMITS_USER_PER_MINUTE: '0', VESPER_LIMITS_TENANT_PER_MINUTE: '0' } });
});
after(() => d?.stop());

describe('a document of a user', () => {
  it('is stored as passages with correct positions', async () => {
    const ann = new Documents(d, token('ann'));
    const text = await policy('curtailment-policy');
    const document = await ann.loaded(text, 'name=Curtailment policy.md', 'text/markdown');
    assert.equal(document.state, 'ready', JSON.stringify(document));
    assert.equal(document.kind, 'document');
    assert.equal(document.name, 'Curtailment policy');
    const passages = await ann.passages(document.id);
    assert.equal(passages.length, document.rows);
    for (const { start, passage } of passages)
      assert.equal(Buffer.from(text).subarray(start, start + Buffer.byteLength(passage)).toString(), passage);
    assert.deepEqual((await ann.list()).map((source) => source.id), [document.id]);
    assert.deepEqual((await ann.rest.get('/api/v1/data-sources?kind=table')).body.sources, []);
    assert.deepEqual((await ann.rest.get('/api/v1/data-sources?kind=poem')).status, 400);
  });
});

const ask = async (user, content) => (await user.rest.post('/api/v1/chat', { content })).body;
const tableOf = (body) => body.views?.find((v) => v.data_dict?.Text)?.data_dict;

describe('a question about documents', () => {
  it('is answered only with passages that the user may read', async () => {
    const ann = new Documents(d, token('reader')), bob = new Documents(d, token('stranger'));
    const [notice] = [await ann.loaded(await policy('curtailment-policy'), 'name=Curtailment policy.md'),
      await ann.loaded(await policy('leave-policy'), 'name=Leave policy.md')];
    const found = tableOf(await ask(ann, 'What does the curtailment policy say about notice periods?'));
    assert.ok(found.Text.some((text) => /ten business days ahead/.test(text)), JSON.stringify(found));
    assert.equal(found.Document[found.Text.findIndex((text) => /ten business days/.test(text))], 'Curtailment policy');
    const foreign = await ask(bob, 'What does the curtailment policy say about notice periods?');
    assert.ok(!/ten business days|Curtailment policy/.test(JSON.stringify(foreign)), JSON.stringify(foreign));
    await ann.share(notice.id, { visibility: 'tenant' });
    await until('it is shared', async () => (await bob.list()).length === 1);
    assert.match(JSON.stringify(tableOf(await ask(bob, 'What does the curtailment policy say about notice periods?'))), /ten business days/);
  });

  it('reports when no document matches', async () => {
    const ann = new Documents(d, token('reader'));
    const { text, outcomes } = await ask(ann, 'What do the documents say about kangaroo juggling?');
    assert.match(text, /Nothing in the documents you may read is about that\./);
    assert.equal(outcomes[0].outcome, 'empty');
  });

  it('is answered together with a question about data', async () => {
    const ann = new Documents(d, token('reader'));
    const body = await ask(ann, 'What does our curtailment policy say, and what was the average NP15 day-ahead price of Ascend in 2025?');
    assert.deepEqual(body.outcomes.map(({ tool }) => tool).sort(), ['get_average_annual_price', 'search_documents'], JSON.stringify(body.outcomes));
  });
});

describe('the event stream', () => {
  it('reports a search as doc_retrieval, and its answer with sources', async () => {
    const ann = new Documents(d, token('streamer'));
    await ann.loaded(await policy('curtailment-policy'), 'name=Curtailment policy.md');
    const reply = await fetch(`${d.url}/api/v1/chat/stream`, { method: 'POST', headers: { authorization: `Bearer ${ann.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ content: 'What does the curtailment policy say about notice periods?' }) });
    const text = await reply.text();
    assert.match(text, /"type":"doc_retrieval"/);
    assert.match(text, /"kind":"cite"/);
    assert.match(text, /"sources":\[\{"n":1/);
  });
});

describe('the index', () => {
  it('is rebuilt from the tables after a restart and if it exceeds its memory limit', async () => {
    const dataDir = await tempDir(), env = { VESPER_LIMITS_USER_PER_MINUTE: '0', VESPER_LIMITS_TENANT_PER_MINUTE: '0', VESPER_DOCUMENTS_INDEX_BYTES: '1048576' };
    const reader = token('reindex'), question = 'What does the zephyrine manual say about quenching 4711?';
    /* Distinct words make the index large: three of these documents exceed a megabyte. */
    const words = (seed) => Array.from({ length: 60000 }, (_, i) => `w${seed}x${(i * 7919).toString(36)}`).join(' ');
    let own = await startDaemon({ dataDir, env });
    const askAbout = async (daemon) => tableOf(await ask(new Documents(daemon, reader), question));
    try {
      const ann = new Documents(own, reader);
      await ann.loaded('# Zephyrine\n\nThe zephyrine manual: quenching 4711 takes nine minutes.\n', 'name=Zephyrine.md');
      for (const seed of [1, 2, 3])
        assert.equal((await ann.loaded(words(seed), `name=Filler ${seed}.txt`, 'text/plain')).state, 'ready');
      for (let i = 0; i < 2; i++)
        assert.match((await askAbout(own)).Text[0], /nine minutes/);
    } finally {
      await own.stop();
    }
    own = await startDaemon({ dataDir, env });
    try {
      assert.match((await until('an answer', () => askAbout(own))).Text[0], /nine minutes/);
    } finally {
      await own.stop();
    }
  });

  it('contains only the newest version of a replaced document', async () => {
    const ann = new Documents(d, token('versions'));
    const { id } = await ann.loaded('# Gate\n\nThe gate code yardbird is opened by Olga.\n', 'name=Gate.md');
    assert.match(JSON.stringify(tableOf(await ask(ann, 'Who opens the gate yardbird?'))), /Olga/);
    const { headers } = await ann.one(id);
    const put = await ann.rest.call('PUT', `/api/v1/data-sources/${id}/data`, { body: '# Gate\n\nThe gate code yardbird is opened by Pavel.\n',
      headers: { 'content-type': 'text/markdown', 'if-match': headers.get?.('etag') ?? headers.etag } });
    assert.equal(put.status, 202, put.text);
    await until('the new version is found', async () => /Pavel/.test(JSON.stringify(tableOf(await ask(ann, 'Who opens the gate yardbird?')))));
    assert.ok(!/Olga/.test(JSON.stringify(await ask(ann, 'Who opens the gate yardbird?'))));
  });
});

describe('vesperctl document', () => {
  const ctl = (...args) => run(VESPERCTL, ['document', ...args], { env: { PATH: process.env.PATH, HOME: process.env.HOME, VESPER_URL: d.url, VESPER_TOKEN: token('verbs') } })
    .then(({ stdout }) => ({ code: 0, stdout }), (e) => ({ code: e.code, stdout: e.stdout, stderr: e.stderr }));

  it('adds, lists, searches, shares and removes', async () => {
    const up = await ctl('add', join(ROOT, 'tests/documents/heat-stress.md'), '--name', 'Heat.md');
    assert.equal(up.code, 0, up.stderr);
    assert.match(up.stdout, /ready\s+\d+ rows {2}Heat\n/);
    assert.match((await ctl('list')).stdout, /Heat/);
    assert.match((await ctl('search', 'signs of illness in high heat')).stdout, /^\[1\] Heat, .*fainting/s);
    assert.match((await ctl('search', 'kangaroo')).stdout, /Nothing in the documents/);
    assert.equal((await ctl('share', 'Heat', 'tenant')).code, 0);
    assert.equal((await ctl('rm', 'Heat')).code, 0);
    assert.equal((await ctl('rows', 'Heat')).code, 1);
    const bad = await ctl('add', '/bin/true', '--name', 'Policy.pdf');
    assert.equal(bad.code, 1);
    assert.match(bad.stderr, /Save it as text, Markdown or HTML/);
  });
});

describe('an unsuitable file', () => {
  it('is refused, and the error names the accepted formats', async () => {
    const ann = new Documents(d, token('bad'));
    for (const type of ['application/pdf', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'text/csv']) {
      const { status, body } = await ann.upload('%PDF-1.7', 'name=Policy.pdf', type);
      assert.equal(status, 415);
      assert.match(body.detail, /Save it as text, Markdown or HTML and upload that\./);
    }
    for (const [bytes, code] of [['', 'empty'], [' \n\n ', 'empty'], ['before\0behind', 'nul'], ['x'.repeat(10 * 1024 * 1024 + 1), 'too_long']]) {
      const { status, body } = await ann.upload(bytes, 'name=Odd.txt', 'text/plain');
      const found = status === 202 ? (await ann.settled(body.id)).load?.fault?.code : status;
      assert.ok(found === code || (code === 'too_long' && found === 413), `${code}: ${found} ${JSON.stringify(body)}`);
    }
  });

  it('is accepted if it is unusual but readable', async () => {
    const ann = new Documents(d, token('odd'));
    const line = await ann.loaded('word '.repeat(2 * 1024 * 1024).trim(), 'name=Line.txt', 'text/plain');
    assert.equal(line.state, 'ready', JSON.stringify(line.load));
    assert.ok(line.rows >= 5000 && line.rows <= 20000, line.rows);
    for (const [name, bytes, type] of [
      ['stop.txt', 'the of and to', 'text/plain'],
      ['deep.html', `${'<div>'.repeat(10000)}deep down<script>alert(1)</script>${'</div>'.repeat(10000)}`, 'text/html'],
      ['open.html', '<p>one <b>two <table><tr><td>three', 'text/html'],
      ['quoted "name".md', '# A\n\ntext', 'text/markdown'],
    ]) {
      const document = await ann.loaded(bytes, `name=${encodeURIComponent(name)}`, type);
      assert.equal(document.state, 'ready', `${name}: ${JSON.stringify(document.load)}`);
      assert.ok(!(await ann.passages(document.id)).some(({ passage }) => /alert|<div>/.test(passage)), name);
    }
  });
});
