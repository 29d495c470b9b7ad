/*
 * Starts the real daemon for a suite: a free loopback port, a separate data folder, the shared demo warehouse.
 * When it stops it must exit with 0 and without any sanitizer report.
 */

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { connect, openSocket, rejection } from './chat.mjs';
import { patient } from './patience.mjs';
import { Rest } from './rest.mjs';
import { mintToken, SECRET } from './token.mjs';
import { MARK, watch, watchAtEnd } from '../secrets.mjs';

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
export const VESPERD = resolve(process.env.VESPERD ?? join(ROOT, 'build/vesperd'));
export const VESPERCTL = resolve(process.env.VESPERCTL ?? join(dirname(VESPERD), 'vesperctl'));
/* The program that creates the demo data; built next to vesperctl (ninja vesper-demo). */
export const DEMO_TOOL = join(dirname(VESPERCTL), 'vesper-demo');

export const REFERENCE = 'What was the average day-ahead price for NP15 in CAISO for 2025 from Ascend?';
export const COMPARISON = 'Compare Ascend vs Hitachi day-ahead prices for SP15 in CAISO for 2025';

const READY_LIMIT_MS = patient(20000);
const STOP_LIMIT_MS = patient(20000);
const ENTITY_INDEX_WAIT_MS = patient(5000); /* limited, because names of an unavailable warehouse are never loaded */
const SUITE_LIMIT_MS = patient(Number(process.env.VESPER_E2E_MINUTES ?? 10) * 60 * 1000);
const STALE_DATA_MS = 2 * 60 * 60 * 1000; /* since its last use */
const PORTS_FROM = 10240; /* below the ephemeral ports of the system, so outgoing connections do not use them */
const PORTS_EACH = 20;    /* each process has its own ports, so that several can start daemons at the same time */
const PORT_BLOCKS = 1100;
const INHERITED_ENV = /^(PATH|HOME|TMPDIR|LANG|LC_ALL|ODBC\w*|LD_LIBRARY_PATH|[ALUT]+SAN_OPTIONS|LLVM_PROFILE_FILE)$/;
const SANITIZERS = /ERROR: AddressSanitizer|runtime error:|LeakSanitizer|ThreadSanitizer/;

const running = new Set();
const tempDirs = [];
process.on('exit', () => {
  running.forEach((child) => child.kill('SIGKILL'));
  tempDirs.forEach((dir) => rmSync(dir, { recursive: true, force: true }));
});
setTimeout(() => {
  console.error('the suite exceeded its time limit');
  process.exit(1);
}, SUITE_LIMIT_MS).unref();

export const MODEL_KEY = `mock-key-${MARK}`;

const execute = promisify(execFile);

/* Searches vesperctl's output for secrets: only the command `token` may print a token. */
export async function run(command, args, options) {
  const checkOutput = (output) => command === VESPERCTL
    && watch('vesperctl', `${output.stdout}${output.stderr}`, { where: args.join(' ').slice(0, 60), jwt: args[0] !== 'token' });
  try {
    const output = await execute(command, args, options);
    checkOutput(output);
    return output;
  } catch (e) {
    checkOutput(e);
    throw e;
  }
}

let portsUsed = 0;

async function isFree(port) {
  const server = net.createServer();
  const available = await new Promise((done) => server.once('error', () => done(false)).listen(port, '127.0.0.1', () => done(true)));
  await new Promise((done) => server.close(done));
  return available;
}

export async function freePort() {
  const block = PORTS_FROM + (process.pid % PORT_BLOCKS) * PORTS_EACH;
  for (let tries = 0; tries < PORTS_EACH; tries++) {
    const port = block + portsUsed++ % PORTS_EACH;
    if (await isFree(port))
      return port;
  }
  throw new Error(`no port is free from ${block} to ${block + PORTS_EACH - 1}`);
}

/* A temporary folder, removed when the suite ends. */
export async function tempDir(name = 'data') {
  tempDirs.push(await mkdtemp(join(tmpdir(), `vesper-e2e-${name}-`)));
  return tempDirs[tempDirs.length - 1];
}

export async function filesUnder(dir) {
  const files = [];
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    files.push(...(entry.isDirectory() ? await filesUnder(path) : [path]));
  }
  return files;
}

/* A hash of everything that determines generated data: the builds of the tools, and the files that they read. */
async function toolsKey() {
  const hash = createHash('sha256');
  for (const program of [DEMO_TOOL, VESPERCTL]) {
    const { mtimeMs, size } = await stat(program);
    hash.update(`${program} ${mtimeMs} ${size}\n`);
  }
  for (const dir of ['sql', 'config'])
    for (const file of (await filesUnder(join(ROOT, dir))).toSorted())
      hash.update(file).update(await readFile(file));
  return hash.digest('hex').slice(0, 16);
}

/* A folder that make(dir) fills, once per build of the tools. All suites share it and only read it. */
export async function buildOnce(name, make) {
  const home = join(tmpdir(), `vesper-e2e-warehouse-${userInfo().uid}`);
  const dir = join(home, `${name.replace(/\W+/g, '-')}-${await toolsKey()}`);
  await mkdir(home, { recursive: true });
  if (existsSync(dir)) {
    const now = new Date();
    await utimes(dir, now, now);
    return dir;
  }
  await dropStale(home);
  const unfinished = await mkdtemp(join(home, 'making-'));
  await make(unfinished);
  /* Another process may have been faster; its folder has the same content. */
  await rename(unfinished, dir).catch(() => rm(unfinished, { recursive: true }));
  return dir;
}

const buildDemo = (subcommand, ...args) => buildOnce([subcommand, ...args].join(' '),
  (dir) => run(DEMO_TOOL, [subcommand, dir, ...args], { cwd: ROOT, timeout: 300000 }));

/* The demo warehouse. VESPER_E2E_WAREHOUSE names an existing one. */
export const demoWarehouse = async () => process.env.VESPER_E2E_WAREHOUSE || buildDemo('data');

/* The output of vesper-demo for these arguments, copied to a temporary folder. */
export async function demoData(...args) {
  const dir = await tempDir(args[0]);
  await cp(await buildDemo(...args), dir, { recursive: true });
  return dir;
}

/* Deletes old folders. Suites run concurrently, so another one may delete the same folder at the same time. */
async function dropStale(home) {
  for (const name of await readdir(home)) {
    const stats = await stat(join(home, name)).catch(() => null);
    if (stats && Date.now() - stats.mtimeMs > STALE_DATA_MS)
      await rm(join(home, name), { recursive: true, force: true });
  }
}

function environment(options, port, adminPort, dataDir, warehouse) {
  const { mock, demo = true, env = {} } = options;
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => INHERITED_ENV.test(name)));
  const all = {
    ...inherited, VESPER_LISTEN: `127.0.0.1:${port}`, VESPER_ADMIN_LISTEN: `127.0.0.1:${adminPort}`, VESPER_DATA_DIR: dataDir, VESPER_WAREHOUSE_DIR: warehouse,
    VESPER_JWT_SECRET: SECRET, VESPER_AUTH_CURSOR_SECRET: `cursor-${MARK}`, VESPER_TODAY: '2026-02-27',
    VESPER_LIMITS_USER_PER_MINUTE: '0', VESPER_LIMITS_TENANT_PER_MINUTE: '0',
    VESPER_LIMITS_SHED_MS: '0' /* no load shedding, even on a busy machine: overload.test.mjs tests it */, ...(demo && { VESPER_DEMO: '1' }),
    ...(mock && { ANTHROPIC_API_KEY: MODEL_KEY, ANTHROPIC_BASE_URL: mock.url }), ...env,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/* A client of one address, which one daemon or several serve. */
export class Client {
  constructor(port) {
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
  }

  connect(options = {}) {
    return connect(this.url, { token: options.via === 'none' ? undefined : mintToken(), ...options });
  }

  open(options) {
    return openSocket(this.url, options);
  }

  rejection(options) {
    return rejection(this.url, options);
  }

  rest(token = mintToken()) {
    return new Rest(this.url, token);
  }

  /* Asks one question on a new socket. */
  async ask(question, { extra, ...options } = {}) {
    const chat = await this.connect(options);
    const turn = await chat.ask(question, extra);
    await chat.close();
    return { ...turn, session: chat.session };
  }

  async isAlive() {
    return (await fetch(`${this.url}/livez`)).status === 200;
  }
}

export class Daemon extends Client {
  constructor(child, port, adminPort, dataDir) {
    super(port);
    this.child = child;
    this.dataDir = dataDir;
    this.adminPort = adminPort;
    this.adminUrl = `http://127.0.0.1:${adminPort}`;
    this.output = '';
    this.exit = new Promise((done) => child.once('close', (code, signal) => {
      running.delete(child);
      this.exited = { code, signal };
      watch('log', this.output, { where: `of a daemon at ${port}` });
      done(this.exited);
    }));
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        this.output += text;
      });
  }

  /* The health report for operators. */
  async health() {
    return (await fetch(`${this.adminUrl}/health`)).json();
  }

  async waitReady(limitMs = READY_LIMIT_MS) {
    const deadline = Date.now() + limitMs;
    while (Date.now() < deadline && !this.exited) {
      const res = await fetch(`${this.url}/readyz`).catch(() => null);
      await res?.text();
      if (res?.status === 200)
        return this.waitForNames().then(() => this);
      await sleep(20);
    }
    const state = this.exited ? `ended with ${JSON.stringify(this.exited)}` : 'never became ready';
    throw new Error(`vesperd ${state}:\n${this.output}`);
  }

  /* Waits until entity names are loaded, which happens after the start. Questions asked before get other answers. */
  async waitForNames() {
    for (const until = Date.now() + ENTITY_INDEX_WAIT_MS; Date.now() < until && !this.exited; await sleep(20)) {
      const { checks = {} } = await this.health().catch(() => ({}));
      const tenants = Object.keys(checks).filter((name) => name.startsWith('warehouse:'));
      if (tenants.length && tenants.every((name) => checks[name.replace('warehouse', 'names')]))
        return;
    }
  }

  async ended(limitMs = STOP_LIMIT_MS) {
    const late = sleep(limitMs, 'late', { ref: false });
    if ((await Promise.race([this.exit, late])) === 'late') {
      this.child.kill('SIGKILL');
      assert.fail(`vesperd did not end within ${limitMs} ms:\n${this.output.slice(-4000)}`);
    }
    return this.exited;
  }

  async kill() {
    this.child.kill('SIGKILL');
    return this.exit;
  }

  /* Orderly shutdown: the exit code must be 0. */
  async stop() {
    this.child.kill('SIGTERM');
    const exited = await this.ended();
    this.checkOutput();
    assert.deepEqual(exited, { code: 0, signal: null }, `vesperd did not exit with 0:\n${this.output.slice(-4000)}`);
  }

  checkOutput() {
    const found = SANITIZERS.exec(this.output);
    assert.equal(found, null, this.output.slice(Math.max(0, (found?.index ?? 0) - 200)).slice(0, 6000));
  }
}

/* Listens on two ports and executes the program, which gets the sockets by the socket activation protocol of systemd. */
const SUPERVISOR = `import os, socket, sys
for i, port in enumerate(sys.argv[1:3]):
  s = socket.create_server(('127.0.0.1', int(port)))
  os.dup2(s.fileno(), 13 + i)
for i in range(2):
  os.dup2(13 + i, 3 + i)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS='2', LISTEN_FDNAMES='public:admin')
os.execv(sys.argv[3], sys.argv[3:])`;

/* Starts the process and does not wait until it is ready; also for starts that should fail. `descriptors`: its limits of
 * open files, as "soft:hard". `supervisor`: a supervisor opens its sockets. */
export async function launch({ args = [], cwd = ROOT, ...options } = {}) {
  assert.ok(existsSync(VESPERD), `no daemon at ${VESPERD}; set VESPERD to the path of one`);
  const port = options.port ?? (await freePort());
  const adminPort = options.adminPort ?? (await freePort());
  const dataDir = options.dataDir ?? (await tempDir());
  const warehouse = options.warehouse ?? (await demoWarehouse());
  watchAtEnd(dataDir);
  if (args.includes('--record'))
    watchAtEnd(resolve(cwd, args[args.indexOf('--record') + 1]));
  const [program, ...before] = options.descriptors ? ['prlimit', `--nofile=${options.descriptors}`, VESPERD]
    : options.supervisor ? ['python3', '-c', SUPERVISOR, `${port}`, `${adminPort}`, VESPERD] : [VESPERD];
  const child = spawn(program, [...before, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'],
    env: environment(options, port, adminPort, dataDir, warehouse) });
  running.add(child);
  return new Daemon(child, port, adminPort, dataDir);
}

/* With VESPER_TEST_REPLICAS=N, startDaemon starts N replicas behind a balancer. */
export const REPLICAS = Number(process.env.VESPER_TEST_REPLICAS ?? 0);

export async function startDaemon(options) {
  return REPLICAS ? (await import('./cluster.mjs')).startReplicas(REPLICAS, options) : startProcess(options);
}

export async function startProcess(options) {
  const daemon = await launch(options);
  return daemon.waitReady(options?.readyMs).catch(async (e) => {
    await daemon.kill();
    throw e;
  });
}

/* A start that must be refused: the exit status is non-zero, and the output matches every pattern. */
export async function refusedStart(options, ...patterns) {
  const daemon = await launch(options);
  const { code, signal } = await daemon.ended();
  daemon.checkOutput();
  assert.equal(signal, null, `vesperd crashed:\n${daemon.output}`);
  assert.notEqual(code, 0, `vesperd exited with 0:\n${daemon.output}`);
  for (const pattern of patterns)
    assert.match(daemon.output, pattern);
  return daemon.output;
}
