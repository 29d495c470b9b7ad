/*
 * The effect of 50 sources of 50 columns on other requests: how long a worker builds the tenant's catalogue, and how long a
 * small request waits meanwhile.
 *
 *   VESPERD=build/vesperd node tests/bench/sources-many.mjs
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { startDaemon } from '../e2e/harness.mjs';
import { Sources } from '../e2e/sources.mjs';
import { ROLES, mintToken } from '../e2e/token.mjs';
import { pings, waits } from './sources-wait.mjs';

const SOURCES = 50, COLUMNS = 50, ROWS = 100, LOADS = 10; /* a user may load ten an hour */

const d = await startDaemon({ env: { VESPER_LIMITS_USER_PER_MINUTE: '0', VESPER_LIMITS_TENANT_PER_MINUTE: '0' } });
const head = Array.from({ length: COLUMNS }, (_, i) => `${['day', 'region', 'amount', 'units'][i % 4]} ${i}`).join(',');
const cell = (i, row) => [`2025-01-${String(1 + row % 28).padStart(2, '0')}`, `r${row % 7}`, `${(row * 37 + i) % 9000}.25`, row % 100][i % 4];
const rows = Array.from({ length: ROWS }, (_, row) => Array.from({ length: COLUMNS }, (_, i) => cell(i, row)).join(',')).join('\n');
const stop = pings(d.url);
for (let i = 0; i < SOURCES; i++) {
  const user = new Sources(d, mintToken({ sub: `user${Math.floor(i / LOADS)}`, permissions: [...ROLES.analyst, 'chat:upload'] }));
  const source = await user.loaded(`${head}\n${rows}\n`, `name=Sheet${i}.csv`);
  if (source.state !== 'ready')
    throw new Error(JSON.stringify(source));
}
await sleep(3000);
const took = [...d.output.matchAll(/built in ([\d.]+) ms/g)].map((m) => Number(m[1]));
console.log(`${took.length} catalogues made, the last of ${SOURCES} sources of ${COLUMNS} columns in ${took.at(-1)} ms, longest ${Math.max(...took)} ms`);
console.log(`a small request meanwhile: ${waits(await stop())}`);
await d.stop();
