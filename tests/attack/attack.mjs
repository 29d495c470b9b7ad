/*
 * Attacks a daemon that was built with sanitizers, in rounds of about a minute, several side by side. Every round has a
 * seed of its own, which follows from the first; a round that fails is repeated by its line.
 *
 *   node attack.mjs [--seed N] [--minutes M] [--only KIND[,KIND]] [--side-by-side N] [--short]
 */

import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Random } from './random.mjs';

const KINDS = ['client', 'model', 'rows', 'redis', 'damage'];
const ROUND = join(dirname(fileURLToPath(import.meta.url)), 'round.mjs');
const ROUND_S = 60;
const SHORT_ROUND_S = 1; /* the ways, and a variation or two */
const SHORT_SEED = 13;   /* a test that fails must fail because of a change */

function fail(text) {
  console.error(`./run attack: ${text}`);
  process.exit(2);
}

function read(args) {
  const o = { minutes: 60, only: KINDS, lanes: 2, seed: undefined, short: false };
  for (let i = 0; i < args.length; i++) {
    const value = () => args[++i] ?? fail(`${args[i - 1]} wants a value`);
    const number = () => { const n = Number(value()); return Number.isFinite(n) && n >= 0 ? n : fail(`${args[i]} is no number`); };
    if (args[i] === '--seed') o.seed = number();
    else if (args[i] === '--minutes') o.minutes = number();
    else if (args[i] === '--side-by-side') o.lanes = number();
    else if (args[i] === '--only') o.only = value().split(',');
    else if (args[i] === '--short') o.short = true;
    else fail(`${args[i]} is no option`);
  }
  const unknown = o.only.find((kind) => !KINDS.includes(kind));
  if (unknown !== undefined)
    fail(`${unknown} is none of ${KINDS.join(', ')}`);
  o.seed ??= o.short ? SHORT_SEED : Math.floor(Math.random() * 2 ** 32);
  return o;
}

const options = read(process.argv.slice(2));
const seeds = new Random(options.seed);
const until = Date.now() + options.minutes * 60000;
let rounds = 0;
let failed = 0;
const running = new Set();

/* Whoever ends this ends its rounds. */
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    running.forEach((child) => child.kill('SIGTERM'));
    process.exit(1);
  });

function round(kind, seed, seconds) {
  return new Promise((done) => {
    const child = spawn(process.execPath, [ROUND, kind, `${seed}`, `${seconds}`], { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    running.add(child);
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => { said += text; });
    child.once('close', (code) => {
      running.delete(child);
      console.log(said.trimEnd());
      if (code !== 0) {
        failed++;
        console.log(`FAILED: once more with ./run attack --seed ${seed} --minutes 0 --only ${kind}`);
      }
      done();
    });
  });
}

/* The first round has the seed that was given, so that a round's own seed repeats it. */
async function lane(next) {
  for (let job = next(); job; job = next())
    await round(...job);
}

function* jobs() {
  for (;;)
    for (const kind of options.only) {
      if (rounds >= options.only.length && (options.short || Date.now() >= until))
        return;
      yield [kind, rounds++ < options.only.length ? options.seed : seeds.next(), options.short ? SHORT_ROUND_S : ROUND_S];
    }
}

console.log(`seed ${options.seed}`);
const all = jobs();
await Promise.all(Array.from({ length: options.lanes }, () => lane(() => all.next().value)));
console.log(`${rounds} rounds, ${failed} failed, seed ${options.seed}`);
process.exit(failed > 0 ? 1 : 0);
