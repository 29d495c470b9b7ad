/*
 * One round against one daemon: all ways of one kind, in an order that the seed chooses, then as many variations as
 * there is time for. Ends with 1 when an invariant broke.
 *
 *   node round.mjs KIND SEED [SECONDS] [WAY]     WAY: this one only, and no variations
 */

import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Random } from './random.mjs';

const KINDS = ['client', 'model', 'rows', 'redis', 'damage'];

const [kind, seed, seconds = '60', only] = process.argv.slice(2);
if (!KINDS.includes(kind) || !/^\d+$/.test(seed ?? '')) {
  console.error(`round.mjs ${KINDS.join('|')} SEED [SECONDS] [WAY]`);
  process.exit(2);
}

if (kind === 'client') {
  process.env.VESPERD_ITSELF = resolve(process.env.VESPERD ?? 'build/vesperd');
  process.env.VESPERCTL ??= join(dirname(process.env.VESPERD_ITSELF), 'vesperctl');
  process.env.VESPERD = fileURLToPath(new URL('few-descriptors.sh', import.meta.url));
}

process.env.VESPER_TEST_PATIENCE ??= '30';
process.once('SIGTERM', () => process.exit(143)); /* and with it its daemons, by the harness */

const { ways, open, vary } = await import(`./${kind}.mjs`);
const random = new Random(Number(seed));
let stage;
let at = 'the start';
let variations = 0;

/* A hole that is known and not closed yet is left out, by name. */
const left = ways.filter((w) => w.open && w.name !== only);
const due = random.shuffle(ways.filter((w) => (only ? w.name === only : !w.open)));

try {
  stage = await open(random.fork());
  for (const way of due) {
    at = way.name;
    const r = random.fork();
    await stage.step(at, () => way.run(stage, r));
  }
  const until = Date.now() + Number(seconds) * 1000;
  while (!only && Date.now() < until) {
    at = `variation ${variations++}`;
    const r = random.fork();
    await stage.step(at, () => vary(stage, r));
  }
  at = 'the end';
  await stage.stop();
  console.log(`${kind} ${seed}: ${due.length} ways, ${variations} variations, ${stage.rightAnswers} right answers beside, ${stage.unanswered} times told to wait, ${stage.peakMb} MB at most`
    + `${left.length > 0 ? `; still open: ${left.map((w) => w.name).join(', ')}` : ''}`);
} catch (e) {
  console.error(`${kind} ${seed}, ${at}: ${e.stack}`);
  process.exitCode = 1;
  await stage?.close();
}
process.exit(process.exitCode ?? 0);
