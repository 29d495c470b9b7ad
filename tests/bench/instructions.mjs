/* Asks the daemon that instructions.sh runs under callgrind, and adds up what one turn took. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { REFERENCE, startDaemon } from '../e2e/harness.mjs';

/* Millions. Some percent above what was measured last: lower it with each step that saves something. */
const LIMIT = 2.6;
/* Every 15th turn has its session summarized: a multiple of it counts each turn alike. */
const TURNS = 45;
const WARM = 15;

/* Slow as the daemon is there, nothing may end for want of time, and what the clock starts is not counted. */
const PATIENT = { VESPER_WAREHOUSE_QUERY_TIMEOUT_MS: '60000', VESPER_STORE_QUERY_TIMEOUT_MS: '60000', VESPER_NAMES_REFRESH_S: '86400' };

async function ask(chat, count) {
  for (let i = 0; i < count; i++) {
    chat.send({ type: 'chat.message', content: REFERENCE });
    const end = await chat.until((f) => f.type === 'chat.complete' || f.type === 'chat.error');
    assert.equal(end.status, 'ok', JSON.stringify(end));
  }
}

/* "src/turn" of /home/me/vesper/src/turn/turn.c; a library's name where its sources are not ours. */
const folderOf = (file, object) => /\/(src\/\w+)\//.exec(file)?.[1] ?? /\/(src)\/\w+\.c$/.exec(file)?.[1] ?? basename(object).replace(/\.so.*/, '');

/* Instructions by folder, the cost of each line at the line itself. */
function counts(path) {
  const names = { file: {}, object: {} };
  const by = new Map();
  let file = '';
  let object = '';
  let isCall = false;
  const name = (kind, text) => {
    const [, id, said] = /^\((\d+)\)(?: (.*))?$/.exec(text);
    names[kind][id] = said ?? names[kind][id];
    return names[kind][id];
  };
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (key === 'ob')
      object = name('object', value);
    else if (key === 'fl' || key === 'fi' || key === 'fe')
      file = name('file', value);
    else if (key === 'cob')
      name('object', value);
    else if (key === 'cfi' || key === 'cfl')
      name('file', value);
    else if (key === 'calls')
      isCall = true;
    else if (/^[+\-*\d]/.test(line)) {
      const folder = folderOf(file, object);
      if (!isCall)
        by.set(folder, (by.get(folder) ?? 0) + Number(line.split(' ')[1]));
      isCall = false;
    }
  }
  return by;
}

const daemon = await startDaemon({ env: PATIENT });
const metrics = async () => (await fetch(`${daemon.adminUrl}/metrics`)).text();
const chat = await daemon.connect();
await ask(chat, WARM);
await metrics();
await ask(chat, TURNS);
await metrics();
await chat.close();
await daemon.kill();

const rows = [...counts(join(process.env.COUNTS, 'out.3'))].map(([folder, n]) => [folder, n / TURNS / 1e6]).sort((a, b) => b[1] - a[1]);
const sum = rows.reduce((total, [, n]) => total + n, 0);
for (const [folder, n] of rows.filter(([, millions]) => millions >= 0.005))
  console.log(`${n.toFixed(2).padStart(8)}  ${folder}`);
console.log(`${sum.toFixed(2).padStart(8)}  million instructions a cached turn; at most ${LIMIT}`);
assert.ok(sum > 0.1, 'nothing was counted');
process.exitCode = sum > LIMIT ? 1 : 0;
