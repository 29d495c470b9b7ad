/*
 * The setting of attacks: a daemon with sanitizers, a warehouse with canaries, an honest user who repeats the reference
 * question meanwhile, and the invariants, which are checked after every step:
 *
 *   the process runs, and no sanitizer reported an error;
 *   /livez answers before the loop has used much CPU time for anything else;
 *   the honest user eventually gets the correct answer, and never a wrong one;
 *   nothing sent to an attacker or a model contains a canary;
 *   memory use stays bounded;
 *   SIGTERM ends the process.
 *
 * No invariant depends on wall time: on a shared machine everything may be late, and "that took too long" is a valid
 * answer. An operation without any result hangs, which is detected after WAIT_MS.
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

export const WAIT_MS = patient(20000); /* an operation that takes longer hangs */
export const STEP_LIMIT_MS = 3 * WAIT_MS; /* a step has many turns */
const PAUSE_MS = 200;
const LOOP_CPU_S = 20; /* CPU seconds that the loop may use while a client waits for /livez */
const CLOCK_TICKS = 100; /* per second, on Linux */
const ATTEMPTS = 3;       /* after answers that took too long */
const TURN_MS = 60000; /* time limit of a turn, so that a step that hangs is detected */
const MEMORY_MB = 1536;      /* with AddressSanitizer, whose quarantine is limited below */
const LOOPBACK = '127.0.0.66'; /* attackers with many connections use a separate address */

process.env.ASAN_OPTIONS = `quarantine_size_mb=32:malloc_context_size=10:allocator_may_return_null=0:${process.env.ASAN_OPTIONS ?? ''}`;

/* The content of cells that mallory may not see: those of other tenants, and of columns beyond her permissions. */
const CANARY = 'tr0ugh canary';
const CANARY_NUMBER = 481516234242;
const CANARIES = /tr0ugh[ +_]?canary|yranac hgu0rt|7472307567682063616e617279|dHIwdWdoIGNhbmFyeQ|48151623|4\.8151623|34383135313632/i;

/* All permissions of an advanced user, except budgets. */
const MALLORY = ['chat:use', 'chat:read_projects', 'chat:read_market_data', 'chat:read_pbi_metrics', 'chat:view_sql', 'chat:advanced_sql'];

/*
 * Probes a URL. Returns null, or the reason of the failure. Uses a new connection, because the daemon may close an idle
 * one just when it is reused, which a client cannot distinguish from a failure.
 */
export function probe(url) {
  return new Promise((done) => {
    const request = http.get(url, { agent: false, signal: AbortSignal.timeout(WAIT_MS) }, (res) => {
      res.resume();
      done(res.statusCode === 200 ? null : `${res.statusCode}`);
    });
    request.on('error', (e) => done(e.message));
  });
}

/* A violated invariant, like an AssertionError. */
export class Broken extends Error {}

/* Error codes for turns and requests that exceed a time limit or the capacity. */
const LATE = /^(timeout|busy|rate_limited|upstream|draining)$/;

/* Whether a turn or a REST reply reports that there was no answer in time. */
export function saysLate({ error, complete, body, views = body?.views }) {
  const code = error?.code ?? complete?.error?.code ?? body?.code ?? body?.error?.code;
  return LATE.test(code) || complete?.status === 'interrupted' || views?.some((v) => v.view_type === 'error' && v.error_details?.retryable) === true
    || (complete ?? body)?.outcomes?.some((o) => o.outcome === 'timeout') === true;
}

/* Checks that the daemon ended correctly. On a busy machine its shutdown deadline may end it, which is logged. */
export function checkEnd(d) {
  d.checkOutput();
  if (!(d.exited.code === 1 && /could not be stopped in time; exiting/.test(d.output)))
    assert.deepEqual(d.exited, { code: 0, signal: null }, `vesperd ended badly:\n${d.output.slice(-4000)}`);
}

/* CPU time of the main thread, which runs the daemon's loop. */
async function cpuSeconds(pid) {
  const fields = (await readFile(`/proc/${pid}/task/${pid}/stat`, 'utf8').catch(() => ') ')).split(') ').pop().split(' ');
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS || 0;
}

async function execute(statements) {
  const child = spawn('python3', [join(ROOT, 'tests/attack/warehouse.py')], { stdio: ['pipe', 'inherit', 'inherit'] });
  child.stdin.end(JSON.stringify(statements));
  assert.equal(await new Promise((done) => child.once('close', done)), 0, 'the warehouse cannot be created');
}

/* The demo's files with canaries. `more({ vesper, acme })`: further statements for these files. */
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
  /* options: env, mock, warehouse and dataDir as in the harness; memoryMb; honest: false for no honest user. */
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
    this.rightBefore = 0; /* at the last check */
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

  /* Checks everything that is sent to mallory, or to a model on her behalf. */
  inspect(text, where) {
    const found = CANARIES.exec(text);
    if (found)
      this.break(`${where} contains a canary: …${String(text).slice(Math.max(0, found.index - 200), found.index + 100)}…`);
  }

  token(claims = {}) {
    return mallorysToken(claims);
  }

  async connect(options = {}) {
    const chat = await this.daemon.connect({ token: this.token(), ...options });
    chat.ws.on('message', (data) => this.inspect(data.toString(), 'a frame'));
    return chat;
  }

  /* Asks one question as mallory on a new socket, and waits for its end. */
  async ask(content, { extra = {}, ...options } = {}) {
    const chat = await this.connect(options);
    chat.send({ type: 'chat.message', content, ...extra });
    const turn = await chat.turn();
    await chat.close();
    return { ...turn, session: chat.session };
  }

  /* The first result of `ask` that is not late, which must be correct; undefined if every attempt was late. */
  async answered(ask, isRight) {
    for (let i = 0; i < ATTEMPTS; i++) {
      const result = await ask();
      if (isRight(result))
        return result;
      this.unanswered += 1;
      assert.ok(saysLate(result), `unexpected result: ${result.status} ${result.text?.slice(0, 500)} ${JSON.stringify(result.closing)}`);
      await sleep(PAUSE_MS);
    }
    return undefined;
  }

  rest(token = this.token()) {
    const rest = this.daemon.rest(token);
    const call = rest.call.bind(rest);
    rest.call = async (method, path, options) => {
      const reply = await call(method, path, options);
      this.inspect(reply.text, path);
      return reply;
    };
    return rest;
  }

  /* Sends raw bytes from the attackers' address. Resolves to the bytes received within `ms` or until the connection ends. */
  raw(chunks, { ms = 500, hold = false, address = LOOPBACK } = {}) {
    return new Promise((done) => {
      let got = '';
      const socket = net.connect({ port: this.daemon.port, host: '127.0.0.1', localAddress: address });
      const end = () => {
        watch('body', got, { where: 'raw' });
        this.inspect(got, 'a raw reply');
        done(hold ? socket : got);
      };
      this.sockets.add(socket);
      socket.setEncoding('latin1').on('data', (text) => { got += text; }).on('error', () => {}).on('close', () => {
        this.sockets.delete(socket);
        end();
      });
      socket.once('connect', async () => {
        for (const chunk of [].concat(chunks)) {
          if (typeof chunk === 'number')
            await sleep(chunk);
          else if (!socket.destroyed)
            socket.write(chunk);
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
        /* A turn that ended early may have its table but no text. */
        if (turn.tables.length > 0 && !/48\.73/.test(turn.text) && !saysLate(turn))
          this.break(`the honest user got a wrong answer: ${turn.text.slice(0, 500)}`);
        if (/48\.73/.test(turn.text))
          this.rightAnswers++;
      } catch (e) {
        /* A refusal is permitted; a violated rule of a turn does not depend on time. */
        if (e.code === 'ERR_ASSERTION' && !daemon.exited && !/upgrade was refused|stayed open/.test(e.message))
          this.break(`the honest user's turn: ${e.message}`);
      }
      await sleep(PAUSE_MS);
    }
  }

  /* Resolves when `condition` is true. If it does not become true in time, throws with the text of `what`. */
  async until(what, condition) {
    for (const end = Date.now() + WAIT_MS; !(await condition()); await sleep(PAUSE_MS))
      if (Date.now() > end || this.daemon.exited)
        throw new Broken(what());
  }

  /* A user who signs in now is served, possibly after several attempts. */
  async serves(sub) {
    let reason;
    await this.until(() => `${sub} is not served: ${reason}`, async () => {
      const turn = await this.daemon.ask(REFERENCE, { token: mintToken({ sub }) }).catch((e) => { reason = e.message; });
      reason = turn?.text ?? reason;
      return /48\.73/.test(turn?.text);
    });
  }

  async memory() {
    const status = await readFile(`/proc/${this.daemon.child.pid}/status`, 'utf8').catch(() => '');
    const mb = Math.round(Number(/VmHWM:\s*(\d+)/.exec(status)?.[1] ?? 0) / 1024);
    this.peakMb = Math.max(this.peakMb, mb);
    const limitMb = this.options.memoryMb ?? MEMORY_MB;
    if (mb > limitMb)
      this.break(`the daemon used ${mb} MB, more than ${limitMb}`);
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
      await this.until(() => 'the honest user got no correct answer', () => this.broken || this.rightAnswers > this.rightBefore);
    this.rightBefore = this.rightAnswers;
    if (this.broken)
      throw this.broken;
  }

  async live(d) {
    const before = await cpuSeconds(d.child.pid);
    const reason = await probe(`${d.url}/livez`);
    const took = await cpuSeconds(d.child.pid) - before;
    if (reason || took > LOOP_CPU_S)
      this.break(d.exited ? `vesperd ended:\n${d.output.slice(-5000)}` : `/livez: ${reason || 'answers'}, after the loop had used ${took} s of CPU time`);
  }

  /* Closed connections and refusals during an attack are expected; violated invariants are failures. */
  async step(what, run) {
    const late = sleep(STEP_LIMIT_MS, undefined, { ref: false }).then(() => {
      throw new Broken('the step did not end in time');
    });
    try {
      await Promise.race([run(), late]);
    } catch (e) {
      if (e instanceof Broken || e.code === 'ERR_ASSERTION' || e instanceof TypeError && !/fetch failed|terminated/.test(e.message)
        || e instanceof ReferenceError || /^no frame within/.test(e.message))
        this.break(e.stack);
      else if (process.env.VESPER_ATTACK_TALKS)
        console.error(`${what}: continues after: ${e.message}`);
    }
    this.dropSockets();
    await this.check().catch((e) => {
      e.message = `${what}: ${e.message}`;
      throw e;
    });
  }

  /* Stops the daemon as an operator does. */
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
