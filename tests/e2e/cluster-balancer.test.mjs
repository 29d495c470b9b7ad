/*
 * Three replicas behind HAProxy without sticky sessions: any replica serves any request. One replica is stopped during
 * answers, and another is paused and loses its turns.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { startMock } from '../mock/anthropic.mjs';
import { connect } from './chat.mjs';
import { Ledger, quantile, startCluster, STEADY } from './cluster.mjs';
import { REFERENCE } from './harness.mjs';
import { patient } from './patience.mjs';
import { mintToken } from './token.mjs';
import { isClosing, textOf } from './turn.mjs';

const words = Array.from({ length: 100 }, (_, i) => `word${i} `).join('');
const script = [{ when: { kind: 'answer' }, reply: { text: words }, fault: { token_ms: 20 } }, { reply: 'demo' }];
const STREAMS = 24;
const TAKEOVER_LIMIT_MS = patient(20000);

describe('three replicas behind HAProxy', () => {
  let mock, cluster, url;

  before(async () => {
    mock = await startMock({ script });
    cluster = await (await startCluster(3, { mock, env: STEADY })).balance();
    url = cluster.url;
  });
  after(async () => {
    await cluster?.stop();
    await mock?.close();
  });

  it('answers over HTTP are readable on any replica', async () => {
    const res = await fetch(`${url}/api/v1/chat`, { method: 'POST', body: JSON.stringify({ content: REFERENCE }),
      headers: { authorization: `Bearer ${mintToken()}`, 'content-type': 'application/json' } });
    assert.equal(res.status, 200);
    const { session_id, text } = await res.json();
    const list = await (await fetch(`${url}/api/v1/sessions/${session_id ?? res.headers.get('vesper-session')}/messages`,
      { headers: { authorization: `Bearer ${mintToken()}` } })).json();
    assert.equal((list.messages ?? list.items ?? list.data)[1].content, text ?? words);
  });

  it('if a replica shuts down during answers, each is finished and none is lost', async () => {
    const clients = Array.from({ length: STREAMS }, () => new Ledger(() => url));
    const running = clients.map((client) => client.ask(REFERENCE));
    await sleep(1200);
    const start = Date.now();
    await cluster.daemons[0].stop();
    const stopMs = Date.now() - start;
    const ends = {};
    for (const { frames } of await Promise.all(running))
      ends[frames.at(-1).status] = (ends[frames.at(-1).status] ?? 0) + 1;
    const sum = (counter) => clients.reduce((n, c) => n + c[counter], 0);
    console.log(`shutdown during ${STREAMS} answers: took ${stopMs} ms, ${sum('cuts')} streams resumed elsewhere, ${sum('refused')} connections refused, ends ${JSON.stringify(ends)}`);
    assert.deepEqual((await Promise.all(clients.map((c) => c.compare(cluster.daemons[1].rest(c.token))))).flat(), []);
    assert.deepEqual(Object.keys(ends).filter((s) => s !== 'ok' && s !== 'partial'), []);
  });

  it('a replica that is paused for six seconds loses its turns, and another one completes them', async () => {
    const [, one, two] = cluster.daemons;
    const chat = await one.connect();
    const { turn_id } = await chat.begin(REFERENCE);
    await chat.untilTokens(5);
    one.child.kill('SIGSTOP');
    await sleep(6000);
    one.child.kill('SIGCONT');
    const own = chat.all.filter((f) => f.turn_id === turn_id);
    const rest = own.some(isClosing) ? [] : await chat.frames();
    const all = chat.all.filter((f) => f.turn_id === turn_id);
    assert.deepEqual(all.map((f) => f.seq), all.map((_, i) => i + 1), 'no frame is missing or repeated');
    let messages;
    for (const until = Date.now() + TAKEOVER_LIMIT_MS; Date.now() < until; await sleep(100))
      if ((messages = await two.rest().messages(chat.session)).length > 1)
        break; /* the other replica has completed the answer */
    assert.deepEqual(messages.map((m) => m.role), ['user', 'assistant']);
    console.log(`after the pause: ${all.at(-1).type} ${all.at(-1).status ?? all.at(-1).code}, ${rest.length} more frames`);
    if (all.at(-1).type === 'chat.complete')
      assert.equal(textOf(all), messages[1].content);
    await chat.close();
  });

  it('new answers start without delay while a replica is missing', async () => {
    const times = [];
    for (let i = 0; i < 10; i++) {
      const start = Date.now();
      const chat = await connect(url, { token: mintToken() });
      await chat.begin(REFERENCE);
      times.push(Date.now() - start);
      await chat.close();
    }
    console.log(`through the balancer, to the acknowledgement: p50 ${quantile(times, 0.5)} ms, p99 ${quantile(times, 0.99)} ms`);
    assert.equal(times.length, 10);
  });
});
