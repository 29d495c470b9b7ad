/* Checks that the search for planted secrets itself detects them. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { findSecret, KINDS, MARK } from '../secrets.mjs';
import { ROOT, tempDir } from './harness.mjs';
import { mintToken } from './token.mjs';

const run = promisify(execFile);
const NODE = process.execPath;

/* Runs a separate suite that uses the search for secrets. */
async function suite(dir, body) {
  const file = join(await tempDir('suite'), 'suite.mjs');
  await writeFile(file, `import { watch, watchAtEnd } from ${JSON.stringify(join(ROOT, 'tests/secrets.mjs'))};\n${body}`);
  return run(NODE, [file], { env: { PATH: process.env.PATH, ...(dir && { VESPER_SECRETS_DIR: dir }) } })
    .then(() => 0, (e) => e.code);
}

async function checkRun(dir, logs = []) {
  return run(NODE, [join(ROOT, 'tests/secrets.mjs'), dir, ...logs])
    .then(({ stdout }) => ({ code: 0, text: stdout }), (e) => ({ code: e.code, text: e.stdout + e.stderr }));
}

const allKinds = KINDS.map((kind) => `watch('${kind}', 'nothing special');`).join('\n');

describe('the search for planted secrets', () => {
  it('finds them plain, nested and encoded', () => {
    const secret = `key-${MARK}-1`;
    for (const text of [secret, `x${secret}y`, encodeURIComponent(`p=${secret}`), JSON.stringify({ a: secret }), Buffer.from(secret).toString('hex')])
      assert.ok(findSecret(text), text);
    for (let i = 0; i < 6; i++)
      for (const form of ['base64', 'base64url'])
        assert.ok(findSecret(Buffer.from(`${'u'.repeat(i)}:${secret}`).toString(form)), `${i} ${form}`);
    assert.ok(findSecret(`Authorization: Bearer ${mintToken()}`));
    assert.ok(findSecret(`token vsp_acme_${'a2'.repeat(26)}`));
    assert.equal(findSecret(mintToken(), { jwt: false }), undefined);
    assert.equal(findSecret('an answer with 48.73 $/MWh, eyJ and nothing else'), undefined);
    assert.ok(!findSecret(secret).includes(MARK), 'the finding does not contain the secret');
  });

  it('makes a suite that leaks one fail', async () => {
    assert.equal(await suite(undefined, "watch('log', 'harmless');"), 0);
    assert.equal(await suite(undefined, `watch('log', 'oops ${MARK}');`), 1);
  });

  it('makes a whole run fail for a leak or for unchecked output', async () => {
    const dir = await tempDir('look');
    await suite(dir, allKinds);
    assert.equal((await checkRun(dir)).code, 0);
    const log = join(await tempDir('log'), 'LastTest.log');
    await writeFile(log, 'all is well');
    assert.equal((await checkRun(dir, [log])).code, 0);
    await writeFile(log, `not ${MARK}`);
    assert.equal((await checkRun(dir, [log])).code, 1);

    const blind = await tempDir('blind');
    await suite(blind, allKinds.replace("watch('redis', 'nothing special');", ''));
    await suite(blind, `watchAtEnd('/no/such/folder'); watchAtEnd(${JSON.stringify(join(ROOT, 'run'))});`);
    const half = await checkRun(blind);
    assert.deepEqual([half.code, /nothing of this kind was looked at: redis/.test(half.text)], [1, true]);

    const folder = await tempDir('left');
    await mkdir(join(folder, 'store'));
    await writeFile(join(folder, 'store/vesper.db'), `SQLite\0${MARK}\0`);
    await suite(dir, `watchAtEnd(${JSON.stringify(folder)});`);
    const found = await checkRun(dir);
    assert.equal(found.code, 1);
    assert.match(found.text, /file .*vesper\.db: a planted secret/);
    assert.ok(!(await readFile(join(dir, 'found'), 'utf8')).includes(MARK));
  });
});
