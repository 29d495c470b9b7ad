/* The thread of sources.mjs that asks a daemon for little, again and again, until it is told to stop. */

import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

const agent = new http.Agent({ keepAlive: true, maxSockets: 1 }), took = [];
let over = false;

const one = () => new Promise((resolve) => {
  const began = performance.now();
  http.get(`${workerData.url}/livez`, { agent }, (res) => res.resume().on('end', () => resolve(took.push(performance.now() - began))));
});

parentPort.once('message', () => { over = true; });
for (; !over; await sleep(workerData.every))
  await one();
agent.destroy();
parentPort.postMessage(took);
