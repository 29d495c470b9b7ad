/*
 * Three replicas behind HAProxy without stickiness: whoever gets a request serves it. Replicas are stopped
 * one after the other while answers are written, and a stopped process that wakes up finds its turns gone.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startMock } from '../mock/anthropic.mjs';
import { connect } from './chat.mjs';
import { quantile, startCluster } from './cluster.mjs';
import { REFERENCE, ROOT, run } from './harness.mjs';
import { mintToken } from './token.mjs';
import { isClosing } from './turn.mjs';

const words = Array.from({ length: 100 }, (_, i) => `word${i} `).join('');
const script = [{ when: { kind: 'answer' }, reply: { text: words }, fault: { token_ms: 20 } }, { reply: 'demo' }];
const STREAMS = 24;
const SCRIPT = join(ROOT, 'tests/services/haproxy.sh');

const textOf = (frames) => frames.filter((f) => f.type === 'chat.token').map((f) => f.text ?? f.content ?? f.token).join('');

/* One question through the balancer, resumed wherever it is cut, until it is over. */
async function askThrough(url, ledger) {
  const frames = [];
  let turn_id;
  const client_msg_id = crypto.randomUUID();
  for (let tries = 0; tries < 100; tries++) {
    const chat = await connect(url, { token: mintToken() }).catch(() => null);
    if (!chat) {
      ledger.refused++;
      await sleep(100);
      continue;
    }
    try {
      if (turn_id)
        chat.send({ type: 'resume', turn_id, last_seq: frames.at(-1)?.seq ?? 0 });
      else
        chat.send({ type: 'chat.message', content: REFERENCE, client_msg_id });
      for (;;) {
        const f = await chat.next();
        if (f.type === 'chat.error' && f.seq === undefined) {
          if (f.code === 'bad_frame')
            frames.length = 0;
          throw new Error(f.code);
        }
        if (f.seq === undefined)
          continue;
        turn_id = f.turn_id;
        frames.push(f);
        if (isClosing(f)) {
          await chat.close();
          return frames;
        }
      }
    } catch {
      ledger.cuts++;
      await chat.cut();
      await sleep(100);
    }
  }
  return assert.fail('the answer never ended');
}

describe('three replicas behind HAProxy', () => {
  let mock, cluster, dir, url;

  before(async () => {
    mock = await startMock({ script });
    cluster = await startCluster(3, { mock });
    const said = (await run(SCRIPT, ['start', `${process.pid}`, ...cluster.daemons.map((d) => `${d.port}`)])).stdout.trim().split(' ');
    dir = said[0];
    url = `http://127.0.0.1:${said[1]}`;
    for (let i = 0; i < 100 && (await fetch(`${url}/readyz`).catch(() => null))?.status !== 200; i++)
      await sleep(50);
  });
  after(async () => {
    if (dir)
      await run(SCRIPT, ['stop', dir]);
    await cluster?.stop();
    await mock?.close();
  });

  it('answers over HTTP, stored on whichever replica', async () => {
    const res = await fetch(`${url}/api/v1/chat`, { method: 'POST', body: JSON.stringify({ content: REFERENCE }),
      headers: { authorization: `Bearer ${mintToken()}`, 'content-type': 'application/json' } });
    assert.equal(res.status, 200);
    const { session_id, text } = await res.json();
    const list = await (await fetch(`${url}/api/v1/sessions/${session_id ?? res.headers.get('vesper-session')}/messages`,
      { headers: { authorization: `Bearer ${mintToken()}` } })).json();
    assert.equal((list.messages ?? list.items ?? list.data)[1].content, text ?? words);
  });

  it('a replica is told to stop under running answers: each is finished, none is lost', async () => {
    const ledger = { refused: 0, cuts: 0 };
    const running = Array.from({ length: STREAMS }, () => askThrough(url, ledger));
    await sleep(1200);
    const began = Date.now();
    await cluster.daemons[0].stop();
    const stopped = Date.now() - began;
    const turns = await Promise.all(running);
    const ends = {};
    for (const frames of turns) {
      ends[frames.at(-1).status] = (ends[frames.at(-1).status] ?? 0) + 1;
      assert.deepEqual(frames.map((f) => f.seq), frames.map((_, i) => i + 1));
    }
    console.log(`stop under ${STREAMS} answers: ended in ${stopped} ms, ${ledger.cuts} streams resumed elsewhere, ${ledger.refused} connections refused, ends ${JSON.stringify(ends)}`);
    assert.deepEqual(Object.keys(ends).filter((s) => s !== 'ok' && s !== 'partial'), []);
  });

  it('a replica that sleeps for six seconds has lost its turns, and its viewers read on from the other', async () => {
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
    assert.deepEqual(all.map((f) => f.seq), all.map((_, i) => i + 1), 'nothing twice');
    const messages = await two.rest().messages(chat.session);
    assert.deepEqual(messages.map((m) => m.role), ['user', 'assistant']);
    console.log(`after the sleep: ${all.at(-1).type} ${all.at(-1).status ?? all.at(-1).code}, ${rest.length} frames more`);
    if (all.at(-1).type === 'chat.complete')
      assert.equal(textOf(all), messages[1].content);
    await chat.close();
  });

  it('new answers begin within the time of the others while a replica is gone', async () => {
    const times = [];
    for (let i = 0; i < 10; i++) {
      const began = Date.now();
      const chat = await connect(url, { token: mintToken() });
      await chat.begin(REFERENCE);
      times.push(Date.now() - began);
      await chat.close();
    }
    console.log(`through the balancer, to the acknowledgement: p50 ${quantile(times, 0.5)} ms, p99 ${quantile(times, 0.99)} ms`);
    assert.equal(times.length, 10);
  });
});
