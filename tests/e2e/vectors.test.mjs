/*
 * Vectors of documents: created by the service of llm.roles.embed at load and for each question, compared in
 * addition to the words, deleted with the document, and not required while the service is unavailable. The mock's
 * vectors treat "holiday" and "leave" as similar; the quality of a real model's vectors is not tested.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { startMock } from '../mock/anthropic.mjs';
import { MODEL_KEY, startDaemon, tempDir } from './harness.mjs';
import { Documents, filesWith } from './documents.mjs';
import { until } from './sources.mjs';
import { ROLES, mintToken } from './token.mjs';

const LIMITS = { VESPER_LIMITS_USER_PER_MINUTE: '0', VESPER_LIMITS_TENANT_PER_MINUTE: '0', VESPER_LLM_BREAKER_FAILURES: '1000',
  VESPER_EMBED_LEAST_PERCENT: '30' };
const withModel = (mock, model = 'mock-embed') => ({ ...LIMITS, ANTHROPIC_API_KEY: undefined, ANTHROPIC_BASE_URL: undefined,
  OPENAI_API_KEY: MODEL_KEY, OPENAI_BASE_URL: `${mock.url}/v1`,
  ...model && { VESPER_LLM_ROLES_EMBED_PROVIDER: 'openai', VESPER_LLM_ROLES_EMBED_MODEL: model } });
const token = (sub, more = {}) => mintToken({ sub, permissions: [...ROLES.analyst, 'chat:upload'], ...more });

/* Only the mock's vectors connect "vacation" with "leave"; the texts share no word. */
const LEAVE = '# Absence\n\nAnnual leave: thirty days, quokka.\n';
const OTHER = '# Kitchen\n\nThe dishwasher is emptied by whoever comes first.\n';

const search = async (user, question) => {
  const { status, body, text } = await user.rest.call('POST', '/api/v1/tools/search_documents', { json: { question } });
  assert.equal(status, 200, text);
  return body;
};
const passages = (body) => JSON.stringify(body);
const profileOf = async (user, id) => (await user.one(id)).body.profile;
const embedCalls = (mock) => mock.requests.filter((r) => r.path?.endsWith('/embeddings'));

describe('documents with vectors', () => {
  let mock, d;
  before(async () => {
    mock = await startMock();
    d = await startDaemon({ env: withModel(mock) });
  });
  after(async () => {
    await d?.stop();
    await mock?.close();
  });

  it('are found by meaning without common words', async () => {
    const ann = new Documents(d, token('ann'));
    const { id } = await ann.loaded(LEAVE, 'name=Absence.md');
    await ann.loaded(OTHER, 'name=Kitchen.md');
    assert.deepEqual((await profileOf(ann, id)).vectors, { model: 'mock-embed', dims: 64 });
    assert.match(passages(await search(ann, 'vacation')), /thirty days, quokka/);
    const refused = embedCalls(mock).filter((r) => r.error);
    assert.deepEqual(refused, [], 'the service accepts every request');
    assert.equal(embedCalls(mock).at(0).body.input[0], 'Absence\nAnnual leave: thirty days, quokka.');
  });

  it('are not shown, and are deleted with the document', async () => {
    const ann = new Documents(d, token('gone'));
    const { id } = await ann.loaded('# Zoo\n\nThe wombatron 77 sleeps.\n', 'name=Zoo.md');
    const { body: { rows, columns } } = await ann.rest.get(`/api/v1/data-sources/${id}/rows?limit=5`);
    assert.ok(!/vector/i.test(JSON.stringify(columns)), JSON.stringify(columns));
    assert.equal(rows[0].length, 4);
    const { vectorOf } = await import('../mock/embeddings.mjs');
    const sent = embedCalls(mock).map((r) => r.body.input).flat().find((text) => /wombatron/.test(text));
    const plain = vectorOf(sent), length = Math.hypot(...plain);
    const stored = Buffer.from(new Float32Array(plain.map((x) => x / length)).buffer).toString('base64');
    assert.ok((await filesWith(d, stored)).length > 0, 'the vector is stored, scaled to length one');
    assert.equal((await ann.rest.delete(`/api/v1/data-sources/${id}`)).status, 202);
    let remaining;
    await until('no file contains it', async () => (remaining = await filesWith(d, stored)).length === 0).catch(() => assert.fail(remaining.join(' ')));
  });

  it('of other users are not compared', async () => {
    const bob = new Documents(d, token('bob'));
    await bob.loaded(OTHER, 'name=Kitchen.md');
    assert.ok(!/quokka/.test(passages(await search(bob, 'vacation'))));
  });

  it('are replaced by word search while the service is unavailable', async () => {
    const ann = new Documents(d, token('away'));
    const { id } = await ann.loaded(LEAVE, 'name=Absence.md');
    mock.embeddings = () => ({ status: 400 });
    assert.match(passages(await search(ann, 'annual leave')), /quokka/);
    assert.ok(!/quokka/.test(passages(await search(ann, 'vacation'))));
    const later = await ann.loaded(LEAVE, 'name=Later.md');
    assert.equal(later.state, 'ready');
    assert.match((await profileOf(ann, later.id)).vectors.missing, /400/);
    mock.embeddings = undefined;
    assert.match(passages(await search(ann, 'vacation')), /quokka/);
    assert.equal((await profileOf(ann, id)).vectors.dims, 64);
  });
});

describe('vectors beyond their memory limit', () => {
  it('are omitted, and words find their document', async () => {
    const mock = await startMock();
    const d = await startDaemon({ env: { ...withModel(mock), VESPER_EMBED_MAX_BYTES: '1048576', VESPER_LLM_ROLES_EMBED_DIMENSIONS: '4096' } });
    try {
      const ann = new Documents(d, token('large'));
      await ann.loaded(LEAVE, 'name=Absence.md');
      /* A hundred passages of 16 KiB each. */
      const filler = Array.from({ length: 100 }, (_, i) => `# Part ${i}\n\nThe gasket number ${i} of the wombatron is oiled.\n`).join('\n');
      const large = await ann.loaded(filler, 'name=Gaskets.md');
      assert.deepEqual((await ann.one(large.id)).body.profile.vectors, { model: 'mock-embed', dims: 4096 });
      for (let i = 0; i < 2; i++) {
        assert.match(passages(await search(ann, 'gasket number 77')), /number 77 of the wombatron/);
        assert.match(passages(await search(ann, 'annual leave')), /quokka/);
      }
      assert.match(d.output, /exceed embed\.max_bytes/);
    } finally {
      await d.stop();
      await mock.close();
    }
  });
});

describe('vectors of another model', () => {
  it('are never compared, and without a model no vectors are compared', async () => {
    const mock = await startMock(), dataDir = await tempDir(), me = token('change');
    let d = await startDaemon({ dataDir, env: withModel(mock) });
    const restart = async (model) => {
      await d.stop();
      d = await startDaemon({ dataDir, env: withModel(mock, model) });
    };
    const searchAsUser = async (question) => until('documents are found', async () => {
      const body = await search(new Documents(d, me), question);
      return body;
    });
    try {
      await new Documents(d, me).loaded(LEAVE, 'name=Absence.md');
      assert.match(passages(await searchAsUser('vacation')), /quokka/);
      for (const other of ['another-embed', '']) {
        await restart(other);
        await until('words find it', async () => /quokka/.test(passages(await searchAsUser('annual leave'))));
        assert.ok(!/quokka/.test(passages(await searchAsUser('vacation'))));
      }
      await restart('mock-embed');
      await until('vectors find it', async () => /quokka/.test(passages(await searchAsUser('vacation'))));
    } finally {
      await d.stop();
      await mock.close();
    }
  });
});
