/*
 * The maximum number of documents of one tenant: VESPER_DOCUMENTS=10000 loads as many, the default is a few hundred.
 * Each is listed on one page, found among the others, and found again after a restart, only by permitted users.
 */

import { after, before, it } from 'node:test';
import assert from 'node:assert/strict';
import { Documents } from './documents.mjs';
import { startDaemon, tempDir } from './harness.mjs';
import { patient } from './patience.mjs';
import { until } from './sources.mjs';
import { ROLES, mintToken } from './token.mjs';

const DOCUMENTS = Number(process.env.VESPER_DOCUMENTS ?? 250), CONCURRENCY = 3, QUESTIONS = 5;
const ENV = { VESPER_LIMITS_USER_PER_MINUTE: '0', VESPER_LIMITS_TENANT_PER_MINUTE: '0' };
const token = (sub) => mintToken({ sub, permissions: [...ROLES.analyst, 'chat:upload'] });
const codeOf = (i) => `pump${((i + 1) * 2654435761 % 4294967296).toString(36)}`;
const textOf = (i) => `# Pump ${i}\n\nThe pump ${codeOf(i)} stands in hall ${i % 97}.\n\n## Service\n\nIts seals are changed every ${i + 3} weeks by crew ${i % 13}.\n`;
const ask = async (user, content) => (await user.rest.post('/api/v1/chat', { content })).body;
const passagesOf = (body) => body.views?.find((v) => v.data_dict?.Text)?.data_dict.Text ?? [];

let d, dataDir;
before(async () => {
  dataDir = await tempDir();
  d = await startDaemon({ dataDir, env: ENV });
});
after(() => d?.stop());

it(`${DOCUMENTS} documents are listed, found, and found again after a restart`, { timeout: patient(120000 + DOCUMENTS * 300) }, async (t) => {
  const ann = new Documents(d, token('ann'));
  await ann.loaded(textOf(0), 'name=Pump%200.md');
  let next = 1;
  const load = async () => {
    while (next < DOCUMENTS) {
      const i = next++;
      assert.equal((await ann.loaded(textOf(i), `name=Pump%20${i}.md`)).state, 'ready');
    }
  };
  const loadStart = Date.now();
  await Promise.all(Array.from({ length: CONCURRENCY }, load));
  t.diagnostic(`${DOCUMENTS} loaded in ${((Date.now() - loadStart) / 1000).toFixed(1)} s`);

  const limit = Math.min(500, Math.ceil(DOCUMENTS / 3)), pages = await ann.pages(limit);
  assert.ok(pages.length >= 3 && pages.every((page) => page.length <= limit));
  assert.deepEqual(new Set(pages.flat().map(({ name }) => name)).size, DOCUMENTS);
  assert.equal(pages.flat().length, DOCUMENTS);
  const ids = pages.reverse().flat().map(({ id }) => id);
  assert.deepEqual([...ids].sort(), ids, 'the pages are in order, the newest first');

  const indexes = Array.from({ length: QUESTIONS }, (_, k) => Math.floor(((DOCUMENTS - 1) * k) / (QUESTIONS - 1)));
  const check = async (daemon) => {
    const owner = new Documents(daemon, token('ann')), other = new Documents(daemon, token('bob'));
    for (const i of indexes) {
      const question = `Where does the pump ${codeOf(i)} stand?`;
      const [first] = await until('an answer', async () => passagesOf(await ask(owner, question)));
      assert.match(first ?? '', new RegExp(`${codeOf(i)} stands in hall ${i % 97}\\.`), question);
      assert.doesNotMatch(JSON.stringify(await ask(other, question)), /stands in hall/);
    }
  };
  await check(d);
  await d.stop();
  d = await startDaemon({ dataDir, env: ENV });
  const start = Date.now();
  await check(d);
  t.diagnostic(`asked ${QUESTIONS} questions ${((Date.now() - start) / 1000).toFixed(1)} s after the start`);
});
