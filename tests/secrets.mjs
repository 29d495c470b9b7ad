/*
 * Every secret that a test plants carries one mark, and whatever the program lets out passes here: logs,
 * frames, bodies, what vesperctl says, what lies in databases, recordings and Redis when a suite is over.
 * A suite in which the mark comes out fails; with VESPER_SECRETS_DIR it also writes down what it looked at,
 * and `node tests/secrets.mjs DIR` ends with 1 where anything was found, or where a kind was never seen.
 */

import { appendFileSync, closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const MARK = 'pL4nt3d5ecret';

/* What every run must have looked at. */
export const KINDS = ['log', 'frame', 'body', 'event', 'vesperctl', 'file', 'postgres', 'redis'];

/* A JSON Web Token, or a personal access token. */
const TOKEN = /eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{16,}|vsp_[\w-]+_[a-z2-7]{52}/;
const CONTEXT = 160;
const PART_BYTES = 64 * 1024 * 1024;
const OVERLAP_BYTES = 16 * 1024;
const NEEDLES = [MARK, MARK.split('').reverse().join(''), Buffer.from(MARK).toString('hex'), ...encodings(MARK)];

/* In base64 it looks like one of three, by where in a group of three bytes it begins; its ends mix with others. */
function encodings(text) {
  return [0, 1, 2].map((before) => {
    const all = Buffer.from('\0'.repeat(before) + text).toString('base64').replace(/=+$/, '');
    const from = before === 0 ? 0 : before + 1;
    const whole = Math.floor(((before + text.length) * 8) / 6);
    return all.slice(from, whole);
  });
}

/* Where a secret is in this text: undefined, or what was found with a little around it, itself blotted out. */
export function findSecret(text, { jwt = true } = {}) {
  const at = NEEDLES.map((needle) => [text.indexOf(needle), needle]).find(([i]) => i >= 0)
    ?? (jwt ? [text.search(TOKEN), 'a token'] : [-1]);
  if (at[0] < 0)
    return undefined;
  const near = text.slice(Math.max(0, at[0] - CONTEXT), at[0] + CONTEXT);
  return `${at[1] === 'a token' ? 'a token' : 'a planted secret'} in: ${near.replaceAll(MARK, '[the mark]').replace(/[^\x20-\x7e]+/g, ' ')}`;
}

const dir = process.env.VESPER_SECRETS_DIR;
const seen = new Map();

/* Looks at something that was let out. `jwt: false`: tokens belong there. */
export function watch(kind, text, { where = '', jwt } = {}) {
  const size = text?.length ?? 0;
  if (size === 0)
    return;
  seen.set(kind, (seen.get(kind) ?? 0) + size);
  const found = findSecret(String(text), { jwt });
  if (found)
    report(`${kind} ${where}: ${found}`);
}

function report(line) {
  console.error(`SECRET ${line}`);
  process.exitCode = 1;
  process.once('exit', () => { process.exitCode = 1; });
  if (dir)
    appendFileSync(join(dir, 'found'), `${process.argv[1]} ${line.replaceAll('\n', ' ')}\n`);
}

/* The file, or all files below. */
function watchFiles(path) {
  const state = statSync(path, { throwIfNoEntry: false });
  if (state?.isDirectory())
    readdirSync(path).forEach((name) => watchFiles(join(path, name)));
  else if (state?.isFile() && state.size > 0)
    watchFile(path, state.size);
}

/* A store may be larger than a string can be: parts overlap by more than a secret is long. */
function watchFile(path, size) {
  const file = openSync(path);
  const part = Buffer.alloc(Math.min(size, PART_BYTES));
  for (let at = 0; at < size; at += PART_BYTES - OVERLAP_BYTES) {
    const n = readSync(file, part, 0, part.length, at);
    watch('file', part.latin1Slice(0, n), { where: path });
  }
  closeSync(file);
}

const left = new Set();

/* What a daemon leaves there is looked at when the suite is over. */
export function watchAtEnd(path) {
  left.add(path);
}

process.on('exit', () => {
  left.forEach(watchFiles);
  if (dir)
    for (const [kind, bytes] of seen)
      appendFileSync(join(dir, 'seen'), `${kind} ${bytes}\n`);
});

/* ---- the verdict on a whole run ---- */

export function verdict(folder) {
  const lines = (name) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean) : []);
  const bytes = Object.fromEntries(KINDS.map((kind) => [kind, 0]));
  for (const line of lines('seen')) {
    const [kind, size] = line.split(' ');
    bytes[kind] += Number(size);
  }
  const wrong = [...lines('found'), ...KINDS.filter((kind) => bytes[kind] === 0).map((kind) => `nothing of this kind was looked at: ${kind}`)];
  return { bytes, wrong };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , folder, ...logs] = process.argv;
  const { bytes, wrong } = verdict(folder);
  for (const log of logs) {
    const found = findSecret(readFileSync(log, 'latin1'), { jwt: false });
    if (found)
      wrong.push(`${log}: ${found}`);
  }
  console.log(`looked at ${Object.entries(bytes).map(([kind, n]) => `${kind} ${(n / 1e6).toFixed(1)} MB`).join(', ')}, ${logs.length} unit test logs`);
  wrong.forEach((line) => console.error(`SECRETS: ${line}`));
  process.exit(wrong.length > 0 ? 1 : 0);
}
