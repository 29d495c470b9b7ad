/* A worker thread that sends small requests to a daemon until it gets a message; then it posts their latencies. */

import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

const agent = new http.Agent({ keepAlive: true, maxSockets: 1 }), took = [];
let stopped = false;

const ping = () => new Promise((resolve) => {
  const began = performance.now();
  http.get(`${workerData.url}/livez`, { agent }, (res) => res.resume().on('end', () => resolve(took.push(performance.now() - began))));
});

parentPort.once('message', () => { stopped = true; });
for (; !stopped; await sleep(workerData.every))
  await one();
agent.destroy();
parentPort.postMessage(took);
