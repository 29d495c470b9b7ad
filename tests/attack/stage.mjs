/*
 * Where attacks take place: a daemon with sanitizers, a warehouse with canaries, an honest user who asks the reference
 * question all the while, and the invariants, which are looked at after every step:
 *
 *   the process lives, and no sanitizer said anything;
 *   /livez answers, before the loop has computed for long on anything else;
 *   the honest user gets the right answer in the end, and never a wrong one;
 *   no byte that an attacker or a model was sent holds a canary;
 *   its memory stays bounded;
 *   SIGTERM ends it.
 *
 * No clock judges: on a machine that others use too, everything may be late, and an honest "that took too long" is an
 * answer. What does not come at all hangs, and that is found after WAIT_MS.
 */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFile, readFile } from 'node:fs/promises';
import http from 'node:http';
import net from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { COMPARISON, demoWarehouse, REFERENCE, ROOT, startDaemon, tempDir } from '../e2e/harness.mjs';
import { patient } from '../e2e/patience.mjs';
import { mintToken } from '../e2e/token.mjs';
import { watch } from '../secrets.mjs';

export { COMPARISON, REFERENCE };

export const WAIT_MS = patient(20000); /* then it hangs */
export const STEP_LIMIT_MS = 3 * WAIT_MS; /* of many turns */
const PAUSE_MS = 200;
const LOOP_CPU_S = 20; /* so much may the loop compute while somebody waits for /livez: seconds of its own, not of a clock */
const CLOCK_TICKS = 100; /* a second, on Linux */
const TRIES = 3;       /* of one who was told that it took too long */
const TURN_MS = 60000; /* of a turn: a step that hangs must show */
const MEMORY_MB = 1536;      /* with AddressSanitizer, whose quarantine is bounded below */
const LOOPBACK = '127.0.0.66'; /* attackers that come in numbers come from an address of their own */

process.env.ASAN_OPTIONS = `quarantine_size_mb=32:malloc_context_size=10:allocator_may_return_null=0:${process.env.ASAN_OPTIONS ?? ''}`;

/* What stands in cells that mallory may not see: other tenants' and those of columns beyond her permissions. */
const CANARY = 'tr0ugh canary';
const CANARY_NUMBER = 481516234242;
const CANARIES = /tr0ugh[ +_]?canary|yranac hgu0rt|7472307567682063616e617279|dHIwdWdoIGNhbmFyeQ|48151623|4\.8151623|34383135313632/i;

/* Everything that her tenant's rules let an advanced user do, except budgets. */
const MALLORY = ['chat:use', 'chat:read_projects', 'chat:read_market_data', 'chat:read_pbi_metrics', 'chat:view_sql', 'chat:advanced_sql'];

/*
 * A probe: null, or why it failed. A connection of its own, since an idle one that is kept may be ended by the daemon at
 * the moment at which it is used again, which no client can tell from a failure.
 */
export function probe(url) {
  return new Promise((done) => {
    const asked = http.get(url, { agent: false, signal: AbortSignal.timeout(WAIT_MS) }, (res) => {
      res.resume();
      done(res.statusCode === 200 ? null : `${res.statusCode}`);
    });
    asked.on('error', (e) => done(e.message));
  });
}

/* Raised for what breaks an invariant, as an AssertionError is. */
export class Broken extends Error {}

/* What a daemon may say of a turn or a request that it had no time or no room for. */
const LATE = /^(timeout|busy|rate_limited|upstream|draining)$/;

/* Whether a turn, or a reply of REST, is no answer, and says so. */
export function saysLate({ error, complete, body, views = body?.views }) {
  const code = error?.code ?? complete?.error?.code ?? body?.code ?? body?.error?.code;
  return LATE.test(code) || complete?.status === 'interrupted' || views?.some((v) => v.view_type === 'error' && v.error_details?.retryable) === true
    || (complete ?? body)?.outcomes?.some((o) => o.outcome === 'timeout') === true;
}

/* It ended as it was told to. Its own deadline ends what a busy machine could not take down, which says so. */
export function checkEnd(d) {
  d.checkOutput();
  if (!(d.exited.code === 1 && /could not be stopped in time; exiting/.test(d.output)))
    assert.deepEqual(d.exited, { code: 0, signal: null }, `vesperd ended badly:\n${d.output.slice(-4000)}`);
}

/* How long this thread has computed: the first one of a daemon is its loop. */
async function cpuSeconds(pid) {
  const fields = (await readFile(`/proc/${pid}/task/${pid}/stat`, 'utf8').catch(() => ') ')).split(') ').pop().split(' ');
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS || 0;
}

async function execute(statements) {
  const child = spawn('python3', [join(ROOT, 'tests/attack/warehouse.py')], { stdio: ['pipe', 'inherit', 'inherit'] });
  child.stdin.end(JSON.stringify(statements));
  assert.equal(await new Promise((done) => child.once('close', done)), 0, 'the warehouse can\'t be made');
}

/* The demo's files with canaries. `more(dir)`: further statements. */
export async function canaryWarehouse(more = () => []) {
  const from = await demoWarehouse();
  const dir = await tempDir('warehouse');
  for (const name of ['vesper.db', 'acme.db'])
    await copyFile(join(from, name), join(dir, name));
  const vesper = join(dir, 'vesper.db');
  const acme = join(dir, 'acme.db');
  const foreign = (table, columns, values) => [vesper, `INSERT INTO ${table} (${columns}, tenant_id) VALUES (${values.map(() => '?')}, 'acme')`, values];
  await execute([
    [acme, 'UPDATE per_project SET summary = ?, Actuals_LTD = ?', [CANARY, CANARY_NUMBER]],
    [acme, 'UPDATE per_tasks SET notesforper = ?', [CANARY]],
    [vesper, 'UPDATE per_project SET Actuals_LTD = ?', [CANARY_NUMBER]],
    [vesper, 'UPDATE per_project45 SET value_numbers = ?, metric = ? || metric', [CANARY_NUMBER, CANARY]],
    [vesper, "UPDATE changes SET previousvalue = ?, newvalue = ? WHERE fieldchanged IN ('Spend', 'Budget', 'Forecast', 'IC_LC', 'PPA_LC')", [CANARY, CANARY]],
    foreign('per_project', 'gid, project_id, name, currentprojectstage, technology, market, Status_Type', ['g-foreign', 'p-foreign', `${CANARY} Solar`, 'Stage 1', 'Solar', 'CAISO', 'on_track']),
    foreign('per_projecthealth', 'project_gid, section, name, notes, sort', ['g-foreign', 'site', 'Site', CANARY, 1]),
    foreign('per_tasks', 'projectname, taskname, task_type, risk, notesforper', [`${CANARY} Solar`, CANARY, 'task', 'High', CANARY]),
    foreign('changes', 'dateofchange, projectname, taskname, fieldchanged', ['2026-02-26 08:00:00', `${CANARY} Solar`, CANARY, 'FinishDate']),
    ...more({ vesper, acme }),
  ]);
  return dir;
}

export const mallorysToken = (claims = {}) => mintToken({ sub: 'mallory', permissions: MALLORY, ...claims });

export class Stage {
  /* options: env, mock, warehouse, dataDir as the harness has them; memoryMb; honest: false where nobody else asks. */
  static async open(random, options = {}) {
    const stage = new Stage(random, options);
    stage.warehouse = options.warehouse ?? await canaryWarehouse();
    await stage.start();
    return stage;
  }

  constructor(random, options) {
    this.random = random;
    this.options = options;
    this.broken = null;
    this.rightAnswers = 0;
    this.rightBefore = 0; /* the last check */
    this.unanswered = 0;
    this.peakMb = 0;
    this.sockets = new Set();
  }

  async start() {
    const { env, mock, dataDir } = this.options;
    this.daemon = await startDaemon({ mock, dataDir: this.daemon?.dataDir ?? dataDir, warehouse: this.warehouse,
      env: { VESPER_LLM_TIMEOUTS_MS_TURN: `${TURN_MS}`, ...env } });
    if (this.options.honest !== false)
      this.honest = this.askHonestly(this.daemon);
  }

  break(text) {
    this.broken ??= new Broken(text);
  }

  /* Everything that goes to mallory, or to a model on her behalf. */
  saw(text, where) {
    const found = CANARIES.exec(text);
    if (found)
      this.break(`a canary came out in ${where}: …${String(text).slice(Math.max(0, found.index - 200), found.index + 100)}…`);
  }

  token(claims = {}) {
    return mallorysToken(claims);
  }

  async connect(options = {}) {
    const chat = await this.daemon.connect({ token: this.token(), ...options });
    chat.ws.on('message', (data) => this.saw(data.toString(), 'a frame'));
    return chat;
  }

  /* One question of hers on a socket of its own, to its end, whatever that is. */
  async ask(content, { extra = {}, ...options } = {}) {
    const chat = await this.connect(options);
    chat.send({ type: 'chat.message', content, ...extra });
    const turn = await chat.turn();
    await chat.close();
    return { ...turn, session: chat.session };
  }

  /* What `ask` gives once it is an answer, which must then be right; undefined where it took too long every time. */
  async answered(ask, isRight) {
    for (let i = 0; i < TRIES; i++) {
      const given = await ask();
      if (isRight(given))
        return given;
      this.unanswered += 1;
      assert.ok(saysLate(given), `not what was asked for: ${given.status} ${given.text?.slice(0, 500)} ${JSON.stringify(given.closing)}`);
      await sleep(PAUSE_MS);
    }
    return undefined;
  }

  rest(token = this.token()) {
    const rest = this.daemon.rest(token);
    const call = rest.call.bind(rest);
    rest.call = async (method, path, options) => {
      const reply = await call(method, path, options);
      this.saw(reply.text, path);
      return reply;
    };
    return rest;
  }

  /* Bytes as they are, from the attackers' address; resolves to what came until `ms` passed or the connection ended. */
  raw(pieces, { ms = 500, hold = false, address = LOOPBACK } = {}) {
    return new Promise((done) => {
      let got = '';
      const socket = net.connect({ port: this.daemon.port, host: '127.0.0.1', localAddress: address });
      const end = () => {
        watch('body', got, { where: 'raw' });
        this.saw(got, 'a raw reply');
        done(hold ? socket : got);
      };
      this.sockets.add(socket);
      socket.setEncoding('latin1').on('data', (text) => { got += text; }).on('error', () => {}).on('close', () => {
        this.sockets.delete(socket);
        end();
      });
      socket.once('connect', async () => {
        for (const piece of [].concat(pieces)) {
          if (typeof piece === 'number')
            await sleep(piece);
          else if (!socket.destroyed)
            socket.write(piece);
        }
        if (hold) {
          end();
          return;
        }
        await sleep(ms);
        socket.destroy();
      });
    });
  }

  dropSockets() {
    this.sockets.forEach((s) => s.destroy());
    this.sockets.clear();
  }

  async askHonestly(daemon) {
    const token = mintToken({ sub: 'honest' });
    while (!this.stopping && daemon === this.daemon && !daemon.exited) {
      try {
        const turn = await daemon.ask(REFERENCE, { token });
        /* One that came to its end early may have its table and no words yet. */
        if (turn.tables.length > 0 && !/48\.73/.test(turn.text) && !saysLate(turn))
          this.break(`the honest user was told something else: ${turn.text.slice(0, 500)}`);
        if (/48\.73/.test(turn.text))
          this.rightAnswers++;
      } catch (e) {
        /* A refusal may be; a broken rule of a turn is not a matter of time. */
        if (e.code === 'ERR_ASSERTION' && !daemon.exited && !/upgrade was refused|stayed open/.test(e.message))
          this.break(`the honest user's turn: ${e.message}`);
      }
      await sleep(PAUSE_MS);
    }
  }

  /* Resolves when `holds` does; `what` hangs otherwise. */
  async until(what, holds) {
    for (const end = Date.now() + WAIT_MS; !(await holds()); await sleep(PAUSE_MS))
      if (Date.now() > end || this.daemon.exited)
        throw new Broken(what());
  }

  /* Somebody who signs in now is served, if not at the first knock. */
  async serves(sub) {
    let why;
    await this.until(() => `${sub} is not served: ${why}`, async () => {
      const turn = await this.daemon.ask(REFERENCE, { token: mintToken({ sub }) }).catch((e) => { why = e.message; });
      why = turn?.text ?? why;
      return /48\.73/.test(turn?.text);
    });
  }

  async memory() {
    const status = await readFile(`/proc/${this.daemon.child.pid}/status`, 'utf8').catch(() => '');
    const mb = Math.round(Number(/VmHWM:\s*(\d+)/.exec(status)?.[1] ?? 0) / 1024);
    this.peakMb = Math.max(this.peakMb, mb);
    const most = this.options.memoryMb ?? MEMORY_MB;
    if (mb > most)
      this.break(`it took ${mb} MB, more than ${most}`);
  }

  async check() {
    const d = this.daemon;
    await this.memory();
    if (d.exited)
      this.break(`vesperd ended with ${JSON.stringify(d.exited)}:\n${d.output.slice(-5000)}`);
    else
      await this.live(d);
    try {
      d.checkOutput();
    } catch (e) {
      this.break(e.message);
    }
    if (this.honest && !this.broken)
      await this.until(() => 'the honest user has had no right answer', () => this.broken || this.rightAnswers > this.rightBefore);
    this.rightBefore = this.rightAnswers;
    if (this.broken)
      throw this.broken;
  }

  async live(d) {
    const before = await cpuSeconds(d.child.pid);
    const why = await probe(`${d.url}/livez`);
    const took = await cpuSeconds(d.child.pid) - before;
    if (why || took > LOOP_CPU_S)
      this.break(d.exited ? `vesperd ended:\n${d.output.slice(-5000)}` : `/livez: ${why || 'answers'}, after the loop had computed for ${took} s`);
  }

  /* What an attack meets on its way (a connection that is ended, a refusal) is no failure; a broken promise is. */
  async step(what, run) {
    const late = sleep(STEP_LIMIT_MS, undefined, { ref: false }).then(() => {
      throw new Broken('it does not end');
    });
    try {
      await Promise.race([run(), late]);
    } catch (e) {
      if (e instanceof Broken || e.code === 'ERR_ASSERTION' || e instanceof TypeError && !/fetch failed|terminated/.test(e.message)
        || e instanceof ReferenceError || /^no frame within/.test(e.message))
        this.break(e.stack);
      else if (process.env.VESPER_ATTACK_TALKS)
        console.error(`${what}: goes on after: ${e.message}`);
    }
    this.dropSockets();
    await this.check().catch((e) => {
      e.message = `${what}: ${e.message}`;
      throw e;
    });
  }

  /* Ends the daemon as an operator does. */
  async stop() {
    const d = this.daemon;
    if (!d.exited) {
      await this.check();
      this.stopping = true;
      d.child.kill('SIGTERM');
      await d.ended();
    }
    await this.honest;
    this.stopping = false;
    checkEnd(d);
    if (this.broken)
      throw this.broken;
  }

  async restart() {
    await this.stop();
    await this.start();
  }

  async close() {
    this.stopping = true;
    this.dropSockets();
    await this.daemon.kill();
    await this.honest;
  }
}
