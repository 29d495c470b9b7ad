/* Asks the daemon that instructions.sh runs under callgrind. Sums the instructions and allocations of one turn by folder. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { REFERENCE, startDaemon } from '../e2e/harness.mjs';

/* Millions. A few percent above the last measurement: lower it with each improvement. */
const LIMIT = 2.6;
const BLOCKS_LIMIT = 660;
/* Every 15th turn summarizes its session, so a multiple of 15 gives a fair mean. */
const TURNS = 45;
const WARM = 15;

/* The daemon is slow under valgrind, so nothing may time out. Excludes work started by timers, and a second connection,
   which opens only if two jobs coincide. */
const SLOW_DAEMON_ENV = {
  VESPER_WAREHOUSE_QUERY_TIMEOUT_MS: '60000', VESPER_STORE_QUERY_TIMEOUT_MS: '60000', VESPER_NAMES_REFRESH_S: '86400',
  VESPER_WAREHOUSE_WORKERS: '1', VESPER_STORE_WORKERS: '1',
};

/* The first question reads the data, which may need several attempts on a busy machine. */
async function warm(chat) {
  for (let attempts = 0; attempts < 10; attempts++) {
    chat.send({ type: 'chat.message', content: REFERENCE });
    if ((await chat.until((f) => f.type === 'chat.complete' || f.type === 'chat.error')).type === 'chat.complete')
      break;
  }
  await ask(chat, WARM);
}

async function ask(chat, count) {
  for (let i = 0; i < count; i++) {
    chat.send({ type: 'chat.message', content: REFERENCE });
    const end = await chat.until((f) => f.type === 'chat.complete' || f.type === 'chat.error');
    assert.equal(end.status, 'ok', JSON.stringify(end));
  }
}

/* "src/turn" for /home/me/vesper/src/turn/turn.c; the name of the library for foreign sources. */
const folderOf = (file, object) => /\/(src\/\w+)\//.exec(file)?.[1] ?? /\/(src)\/\w+\.c$/.exec(file)?.[1] ?? basename(object).replace(/\.so.*/, '');

/* Helpers allocate on behalf of their callers: an allocation is attributed to the first caller that is not a helper. */
const HELPERS = new Set(['src/base', 'libc', '???']);
const ALLOCATORS = /^(?:malloc|calloc|realloc)'/;

const add = (sums, key, n) => sums.set(key, (sums.get(key) ?? 0) + n);

/* Instructions (self cost of each line) and calls of the allocator, by folder. */
function counts(path) {
  const names = { file: {}, object: {}, function: {} };
  const folders = new Map(); /* of each function */
  const instructions = new Map();
  const calls = []; /* of allocators: [names of its callers from the nearest on, folder of the nearest, count] */
  let [file, object, caller, callee] = ['', '', '', ''];
  let isCall = false;
  const name = (kind, text) => {
    const [, id, label] = /^\((\d+)\)(?: (.*))?$/.exec(text);
    names[kind][id] = label ?? names[kind][id];
    return names[kind][id];
  };
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (key === 'ob')
      object = name('object', value);
    else if (key === 'fl' || key === 'fi' || key === 'fe')
      file = name('file', value);
    else if (key === 'fn') {
      caller = name('function', value);
      if (!folders.has(caller))
        folders.set(caller, folderOf(file, object));
    } else if (key === 'cob')
      name('object', value);
    else if (key === 'cfi' || key === 'cfl')
      name('file', value);
    else if (key === 'cfn')
      callee = name('function', value);
    else if (key === 'calls') {
      isCall = true;
      if (ALLOCATORS.test(callee) && !ALLOCATORS.test(`${caller}'`) && !ALLOCATORS.test(caller))
        calls.push([callee.split("'").slice(1), folderOf(file, object), Number(value.split(' ')[0])]);
    } else if (/^[+\-*\d]/.test(line)) {
      if (!isCall)
        add(instructions, folderOf(file, object), Number(line.split(' ')[1]));
      isCall = false;
    }
  }
  const allocations = new Map();
  for (const [callers, nearest, count] of calls) {
    const owners = [nearest, ...callers.slice(1).map((f) => folders.get(f) ?? '???')];
    add(allocations, owners.find((folder) => !HELPERS.has(folder)) ?? 'src/base', count);
  }
  return { instructions, allocations };
}

/* Prints the values per turn, the largest first. Returns their sum. */
function print(sums, scale, digits, minimum) {
  const rows = [...sums].map(([folder, n]) => [folder, n / TURNS / scale]).sort((a, b) => b[1] - a[1]);
  for (const [folder, n] of rows.filter(([, each]) => each >= minimum))
    console.log(`${n.toFixed(digits).padStart(8)}  ${folder}`);
  return rows.reduce((total, [, n]) => total + n, 0);
}

const daemon = await startDaemon({ env: SLOW_DAEMON_ENV });
const metrics = async () => (await fetch(`${daemon.adminUrl}/metrics`)).text();
const chat = await daemon.connect();
await warm(chat);
await metrics();
await ask(chat, TURNS);
await metrics();
await chat.close();
await daemon.kill();

const { instructions, allocations } = counts(join(process.env.COUNTS, 'out.3'));
const blocks = print(allocations, 1, 1, 0.05);
console.log(`${blocks.toFixed(0).padStart(8)}  calls of the allocator a cached turn; at most ${BLOCKS_LIMIT}\n`);
const sum = print(instructions, 1e6, 2, 0.005);
console.log(`${sum.toFixed(2).padStart(8)}  million instructions a cached turn; at most ${LIMIT}`);
assert.ok(sum > 0.1 && blocks > 10, 'nothing was counted');
process.exitCode = sum > LIMIT || blocks > BLOCKS_LIMIT ? 1 : 0;
