/* A worker thread of sources-wait.mjs and documents-many.mjs: repeats a small request to a daemon until it is stopped. */

import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

const agent = new http.Agent({ keepAlive: true, maxSockets: 1 }), took = [];
let isStopped = false;

const ping = () => new Promise((resolve) => {
  const began = performance.now();
  http.get(`${workerData.url}/livez`, { agent }, (res) => res.resume().on('end', () => resolve(took.push(performance.now() - began))));
});

parentPort.once('message', () => { isStopped = true; });
for (; !isStopped; await sleep(workerData.every))
  await ping();
agent.destroy();
parentPort.postMessage(took);
