/*
 * Attacks a daemon that was built with sanitizers, in rounds of about a minute, several concurrently. Each round has its
 * own seed, derived from the first one. For a failed round it prints the command that repeats it.
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
const SHORT_ROUND_S = 1; /* all attacks, and one or two variations */
const SHORT_SEED = 13;   /* fixed, so that the test fails only because of a change */

function fail(text) {
  console.error(`./run attack: ${text}`);
  process.exit(2);
}

function parseOptions(args) {
  const parsed = { minutes: 60, only: KINDS, lanes: 2, seed: undefined, short: false };
  for (let i = 0; i < args.length; i++) {
    const value = () => args[++i] ?? fail(`${args[i - 1]} needs a value`);
    const number = () => { const n = Number(value()); return Number.isFinite(n) && n >= 0 ? n : fail(`${args[i]} is not a number`); };
    if (args[i] === '--seed') parsed.seed = number();
    else if (args[i] === '--minutes') parsed.minutes = number();
    else if (args[i] === '--side-by-side') parsed.lanes = number();
    else if (args[i] === '--only') parsed.only = value().split(',');
    else if (args[i] === '--short') parsed.short = true;
    else fail(`unknown option ${args[i]}`);
  }
  const unknown = parsed.only.find((kind) => !KINDS.includes(kind));
  if (unknown !== undefined)
    fail(`unknown kind ${unknown}; expected one of ${KINDS.join(', ')}`);
  parsed.seed ??= parsed.short ? SHORT_SEED : Math.floor(Math.random() * 2 ** 32);
  return parsed;
}

const options = parseOptions(process.argv.slice(2));
const seeds = new Random(options.seed);
const until = Date.now() + options.minutes * 60000;
let rounds = 0;
let failed = 0;
const running = new Set();

/* A signal also ends the running rounds. */
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    running.forEach((child) => child.kill('SIGTERM'));
    process.exit(1);
  });

function round(kind, seed, seconds) {
  return new Promise((done) => {
    const child = spawn(process.execPath, [ROUND, kind, `${seed}`, `${seconds}`], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    running.add(child);
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => { output += text; });
    child.once('close', (code) => {
      running.delete(child);
      console.log(output.trimEnd());
      if (code !== 0) {
        failed++;
        console.log(`FAILED: repeat with ./run attack --seed ${seed} --minutes 0 --only ${kind}`);
      }
      done();
    });
  });
}

async function lane(next) {
  for (let job = next(); job; job = next())
    await round(...job);
}

/* The first round of each kind uses the given seed, so that passing the seed of a later round repeats that round. */
function* jobs() {
  for (;;)
    for (const kind of options.only) {
      if (rounds >= options.only.length && (options.short || Date.now() >= until))
        return;
      yield [kind, rounds++ < options.only.length ? options.seed : seeds.next(), options.short ? SHORT_ROUND_S : ROUND_S];
    }
}

console.log(`seed ${options.seed}`);
const queue = jobs();
await Promise.all(Array.from({ length: options.lanes }, () => lane(() => queue.next().value)));
console.log(`${rounds} rounds, ${failed} failed, seed ${options.seed}`);
process.exit(failed > 0 ? 1 : 0);
