/*
 * Replicas are killed at any moment: another one continues their answers, or closes them with the text sent so far.
 * Clients with ledgers check that nothing is lost, duplicated or out of order, and that no model call is charged
 * twice.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { startMock } from '../mock/anthropic.mjs';
import { Ledger, quantile, randomOf, startCluster, STEADY } from './cluster.mjs';
import { REFERENCE } from './harness.mjs';
import { textOf } from './turn.mjs';

const KILLS = Number(process.env.VESPER_TEST_KILLS ?? 8);
const SEED = Number(process.env.VESPER_TEST_SEED ?? 25);
const CLIENTS = 6;
const WORDS = 60;
const PAUSE_MS = 1500; /* maximum between two kills, in addition to the start of the replacement */
const answer = Array.from({ length: WORDS }, (_, i) => `word${i} `).join('');
const script = [{ when: { kind: 'answer' }, reply: { text: answer }, fault: { first_byte_ms: 200, token_ms: 15 } }, { reply: 'demo' }];

describe('replicas that are killed', () => {
  let mock, cluster;

  before(async () => {
    mock = await startMock({ script });
    cluster = await (await startCluster(3, { mock, env: STEADY })).balance();
  });
  after(async () => {
    await cluster?.stop();
    await mock?.close();
  });

  it(`${KILLS} times, at any moment, with ${CLIENTS} clients: nothing is lost, duplicated or out of order`, async () => {
    const next = randomOf(SEED), waits = [], ends = {};
    const clients = Array.from({ length: CLIENTS }, (_, i) => new Ledger(() => cluster.url, `client${i}`));
    let killing = true, killedAt = 0;
    const asking = clients.map(async (client, i) => {
      for (let n = 0; killing; n++) {
        const cuts = client.cuts;
        const { frames } = await client.ask(`${REFERENCE} (${i}, ${n})`);
        const end = frames.at(-1).status ?? frames.at(-1).code;
        ends[end] = (ends[end] ?? 0) + 1;
        if (client.cuts > cuts)
          waits.push(Date.now() - killedAt);
      }
    });
    for (let kill = 0; kill < KILLS; kill++) {
      await sleep(next() * PAUSE_MS);
      for (const d of cluster.daemons) {
        if (/Sanitizer/.test(d.output))
          await d.exit; /* the report of the sanitizer must be complete */
        d.checkOutput();
        assert.equal(d.exited, undefined, `a replica ended without being killed:\n${d.output.slice(-4000)}`);
      }
      const victim = cluster.daemons[Math.floor(next() * cluster.daemons.length)];
      killedAt = Date.now();
      await victim.kill();
      await cluster.replace(victim);
    }
    killing = false;
    await Promise.all(asking);
    const differences = (await Promise.all(clients.map((c) => c.compare(cluster.daemons[0].rest(c.token))))).flat();
    differences.push(...clients.flatMap((c) => c.silent));
    const sum = (counter) => clients.reduce((n, c) => n + c[counter], 0);
    const charged = Number(await cluster.pg.admin('SELECT count(*) FROM dbo.chat_ledger'));
    console.log(`seed ${SEED}, ${KILLS} kills, ${clients.reduce((n, c) => n + c.entries.length, 0)} questions: ${differences.length} differences, ends ${JSON.stringify(ends)}, `
      + `${sum('cuts')} streams interrupted, ${sum('rereads')} read again, ${sum('refused')} connections refused; an interrupted answer ended p50 ${quantile(waits, 0.5)} ms, `
      + `p99 ${quantile(waits, 0.99)} ms after the kill; ${mock.count} model calls, ${charged} charged`);
    assert.deepEqual(differences, []);
    assert.ok(charged <= mock.count, `${charged} charged of ${mock.count}`);
    assert.deepEqual(Object.keys(ends).filter((end) => end !== 'ok' && end !== 'partial'), []);
    assert.equal(await cluster.pg.admin("SELECT count(*) FROM dbo.chat_turns WHERE state = 'running'"), '0');
  });

  it('before any text was sent: another replica writes the whole answer', async () => {
    const [owner, other] = cluster.daemons.slice().reverse();
    mock.use([{ ...script[0], fault: { first_byte_ms: 1500, token_ms: 5 } }, script[1]]);
    const before = mock.count;
    let at = owner;
    const client = new Ledger(() => at.url);
    const asking = client.ask(REFERENCE);
    await sleep(500);
    assert.equal(textOf(client.entries[0].frames), '');
    const killedAt = Date.now();
    at = other;
    await owner.kill();
    const { frames } = await asking;
    console.log(`killed before the answer: ${frames.at(-1).status} after ${Date.now() - killedAt} ms, model calls: ${mock.count - before}`);
    assert.equal(frames.at(-1).status, 'ok');
    assert.equal(textOf(frames).trim(), answer.trim());
    assert.equal(frames.filter((f) => f.type === 'chat.thinking').length, 1);
    assert.deepEqual(await client.compare(other.rest(client.token)), []);
    assert.equal((await other.rest(client.token).messages(client.session))[1].status, 'complete');
  });

  it('during the answer: another replica writes the rest without repetition', async () => {
    const [owner, other] = cluster.daemons;
    const sentences = ['The average price in NP15 was high. ', 'It rose towards the evening. ', 'The most expensive hour was late. '];
    const more = 'Nothing else stands out.';
    mock.use([{ when: { kind: 'answer' }, reply: { text: sentences.join('') }, fault: { token_ms: 150 }, times: 1 },
      { when: { kind: 'answer' }, reply: { text: `${sentences.join('')}${more}` } }, script[1]]);
    let at = owner;
    const client = new Ledger(() => at.url, 'rest');
    const asking = client.ask(REFERENCE);
    while (textOf(client.entries[0].frames).length < sentences[0].length + 5)
      await sleep(20);
    await sleep(100); /* the sent text is stored by then */
    const killedAt = Date.now();
    at = other;
    await owner.kill();
    const { frames } = await asking;
    const text = textOf(frames);
    console.log(`killed in the middle of the answer: ${frames.at(-1).status} after ${Date.now() - killedAt} ms: ${JSON.stringify(text)}`);
    assert.equal(frames.at(-1).status, 'ok', JSON.stringify(frames.at(-1)));
    for (const sentence of sentences)
      assert.equal(text.split(sentence.trim().slice(0, -1)).length, 2, `${sentence}: ${text}`);
    assert.ok(text.endsWith(more), text);
    const views = frames.filter((f) => f.type === 'chat.view').map((f) => f.view.view_id);
    assert.equal(new Set(views).size, views.length, `each view once: ${views}`);
    assert.deepEqual(await client.compare(other.rest(client.token)), []);
    const stored = (await other.rest(client.token).messages(client.session))[1];
    assert.equal(stored.status, 'complete');
    assert.equal(new Set(stored.views.map((v) => v.view_id)).size, stored.views.length);
    assert.match(JSON.stringify(mock.calls.at(-1).body.messages), /Repeat nothing/);
  });
});
