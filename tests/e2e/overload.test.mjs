/*
 * Four times the capacity is requested: the excess is refused at once, and as many questions are answered as
 * without it.
 */

import { it } from 'node:test';
import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from './cluster.mjs';
import { REFERENCE, startDaemon } from './harness.mjs';
import { mintToken } from './token.mjs';

const CONNECTIONS = 1500;
const AT_ONCE = 64; /* enough concurrent questions to use the full capacity */
const MEASURED_MS = Number(process.env.VESPER_TEST_LOAD_MS ?? 6000);
const SETTLE_MS = 6000; /* at first every question is accepted, because nothing has been measured yet */
const TIMES = 4;
/* One worker per database, so that the load exceeds the capacity on fast machines too. */
const SLOW = { VESPER_STORE_WORKERS: '1', VESPER_WAREHOUSE_WORKERS: '1' };

/* A connection that reports how a question ended and how long it took, without storing frames. */
class Asker {
  constructor(chat) {
    this.ws = chat.ws;
    this.ws.removeAllListeners('message');
    this.ws.on('message', (data) => {
      const text = data.toString();
      if (this.done && /"type":"chat\.(complete|error)"/.test(text)) {
        const done = this.done;
        this.done = null;
        done({ ok: text.includes('"chat.complete"'), text, ms: performance.now() - this.began });
      }
    });
  }

  ask() {
    this.began = performance.now();
    const ended = new Promise((done) => {
      this.done = done;
    });
    this.ws.send(JSON.stringify({ type: 'chat.message', content: REFERENCE }));
    return ended;
  }
}

it(`at ${TIMES} times the capacity, excess questions are refused and answers continue`, async (t) => {
  const d = await startDaemon({ env: { VESPER_LIMITS_CONNECTIONS_PER_USER: '0', VESPER_LIMITS_CONNECTIONS_PER_ADDRESS: '0',
    VESPER_LIMITS_SHED_MS: '500', VESPER_LOG_LEVEL: 'warn', ...SLOW } });
  t.after(() => d.exited || d.kill());
  const idle = [];
  for (let i = 0; i < CONNECTIONS; i++)
    idle.push(new Asker(await d.connect({ token: mintToken({ sub: `user${i}` }) })));
  await idle[0].ask();

  /* Measures the capacity: each connection asks again as soon as it has its answer. */
  let counting = true, answered = 0;
  const busy = idle.slice(0, AT_ONCE).map(async (asker) => {
    while (counting) {
      const { ok } = await asker.ask();
      answered += ok;
    }
  });
  await sleep(1000);
  answered = 0;
  const began = performance.now();
  await sleep(MEASURED_MS);
  const capacity = answered / ((performance.now() - began) / 1000);
  counting = false;
  await Promise.all(busy);

  /* Requests TIMES the capacity at a fixed rate, regardless of the results. */
  const results = [], started = performance.now();
  let asked = 0, skipped = 0;
  const pending = new Set();
  const clientDelay = monitorEventLoopDelay({ resolution: 5 });
  clientDelay.enable();
  while (performance.now() - started < SETTLE_MS + MEASURED_MS) {
    for (const due = ((performance.now() - started) / 1000) * capacity * TIMES; asked < due; asked++) {
      const asker = idle.pop();
      if (!asker) {
        skipped++;
        continue;
      }
      const at = performance.now();
      const one = asker.ask().then((end) => {
        results.push({ ...end, at });
        idle.push(asker);
        pending.delete(one);
      });
      pending.add(one);
    }
    await sleep(5);
  }
  const until = performance.now();
  const metrics = await (await fetch(`${d.adminUrl}/metrics`)).text();
  await Promise.all(pending);
  const health = await (await fetch(`${d.adminUrl}/health`)).text();
  const settled = results.filter((e) => e.at + e.ms > until - MEASURED_MS && e.at + e.ms <= until);
  const good = settled.filter((e) => e.ok), refused = settled.filter((e) => /"code":"busy"/.test(e.text));
  const failures = settled.filter((e) => !e.ok && !refused.includes(e)), failed = failures.length; /* accepted, but failed at another limit */
  const goodput = good.length / (MEASURED_MS / 1000);
  const ms = (list, q) => (list.length ? quantile(list.map((e) => e.ms), q).toFixed(0) : '-');
  console.log(`capacity ${capacity.toFixed(0)}/s; asked ${(asked / ((until - started) / 1000)).toFixed(0)}/s (${skipped} skipped for lack of a connection): `
    + `answered ${goodput.toFixed(0)}/s (${((100 * goodput) / capacity).toFixed(0)} %) p50 ${ms(good, 0.5)} p99 ${ms(good, 0.99)} ms; `
    + `refused ${(refused.length / (MEASURED_MS / 1000)).toFixed(0)}/s p50 ${ms(refused, 0.5)} p99 ${ms(refused, 0.99)} ms; failed ${failed}; the client itself was late by p50 ${(clientDelay.percentile(50) / 1e6 - 5).toFixed(0)} p99 ${(clientDelay.percentile(99) / 1e6 - 5).toFixed(0)} ms`);
  console.log(metrics.match(/vesper_load_percent\{.*|vesper_shed_total\{.*/g).join('; '));
  assert.ok(refused.length > 0, 'some questions are refused');
  for (const { text } of refused) {
    const frame = JSON.parse(text);
    assert.ok(frame.retryable && frame.retry_after_ms >= 1000 && frame.retry_after_ms <= 5000, text);
  }
  assert.ok(good.length > 0);
  assert.ok(failed * 50 <= settled.length, `${failed} of ${settled.length} were accepted and failed: ${failures[0]?.text}`);
  assert.match(health, /overload/);
  assert.match(metrics, /vesper_shed_total\{reason="(loop|queue|turns)"\} [1-9]/);
  await d.stop();
});
