/*
 * One round against one daemon: all attacks of one kind, in an order derived from the seed, then variations until the
 * time is used up. Exits with 1 if an invariant was violated.
 *
 *   node round.mjs KIND SEED [SECONDS] [ATTACK]     ATTACK: only this one, without variations
 */

import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Random } from './random.mjs';

const KINDS = ['client', 'model', 'rows', 'redis', 'damage'];

const [kind, seed, seconds = '60', only] = process.argv.slice(2);
if (!KINDS.includes(kind) || !/^\d+$/.test(seed ?? '')) {
  console.error(`round.mjs ${KINDS.join('|')} SEED [SECONDS] [ATTACK]`);
  process.exit(2);
}

if (kind === 'client') {
  process.env.VESPERD_ITSELF = resolve(process.env.VESPERD ?? 'build/vesperd');
  process.env.VESPERCTL ??= join(dirname(process.env.VESPERD_ITSELF), 'vesperctl');
  process.env.VESPERD = fileURLToPath(new URL('few-descriptors.sh', import.meta.url));
}

process.env.VESPER_TEST_PATIENCE ??= '30';
process.once('SIGTERM', () => process.exit(143)); /* the harness then ends the daemons */

const { attacks, open, vary } = await import(`./${kind}.mjs`);
const random = new Random(Number(seed));
let stage;
let at = 'the start';
let variations = 0;

/* Attacks on known vulnerabilities that are still open run only if they are named. */
const skipped = attacks.filter((w) => w.open && w.name !== only);
const due = random.shuffle(attacks.filter((w) => (only ? w.name === only : !w.open)));

try {
  stage = await open(random.fork());
  for (const attack of due) {
    at = attack.name;
    const r = random.fork();
    await stage.step(at, () => attack.run(stage, r));
  }
  const until = Date.now() + Number(seconds) * 1000;
  while (!only && Date.now() < until) {
    at = `variation ${variations++}`;
    const r = random.fork();
    await stage.step(at, () => vary(stage, r));
  }
  at = 'the end';
  await stage.stop();
  console.log(`${kind} ${seed}: ${due.length} attacks, ${variations} variations, ${stage.rightAnswers} correct answers to the honest user, ${stage.unanswered} late answers, peak ${stage.peakMb} MB`
    + `${skipped.length > 0 ? `; still open: ${skipped.map((w) => w.name).join(', ')}` : ''}`);
} catch (e) {
  console.error(`${kind} ${seed}, ${at}: ${e.stack}`);
  process.exitCode = 1;
  await stage?.close();
}
process.exit(process.exitCode ?? 0);
