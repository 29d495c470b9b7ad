/* Round trips of a small request, measured on a separate socket and thread, so that generating files does not delay them. */

import { Worker } from 'node:worker_threads';

const PING_MS = 5;

export const percentile = (values, p) => [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * p)];

export function pings(url) {
  const worker = new Worker(new URL('./sources-pings.mjs', import.meta.url), { workerData: { url, every: PING_MS } });
  return async () => {
    const took = new Promise((resolve) => { worker.once('message', resolve); });
    worker.postMessage('stop');
    return took;
  };
}

export const waits = (took) => `median ${percentile(took, 0.5).toFixed(2)}, 99 % ${percentile(took, 0.99).toFixed(2)}, longest ${Math.max(...took).toFixed(1)} ms`;
