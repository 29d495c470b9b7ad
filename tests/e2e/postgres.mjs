/* A private PostgreSQL with Vesper's schema and the small demo data, and the same data on SQLite. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildOnce, DEMO_TOOL, demoData, ROOT, run, startProcess, tempDir, VESPERCTL } from './harness.mjs';
import { MARK, watch } from '../secrets.mjs';

const script = join(ROOT, 'tests/services/postgres.sh');
const LSAN_OPTIONS = `suppressions=${join(ROOT, 'tests/e2e/lsan.supp')}:print_suppressions=0`;
export const READ_PASSWORD = `${MARK}Read7`;
export const CHAT_PASSWORD = `${MARK}Chat7`;

export class Postgres {
  constructor(dir, port, database = 'postgres') {
    this.dir = dir;
    this.port = port;
    this.database = database;
    this.url = `postgresql://postgres@127.0.0.1:${port}/${database}`;
  }

  dsn(user, password) {
    const secret = password === undefined ? '' : `;Pwd=${password}`;
    return `Driver={PostgreSQL Unicode};Server=127.0.0.1;Port=${this.port};Database=${this.database};Uid=${user}${secret}`;
  }

  /* Environment with which vesperd uses this server for the warehouse and the chat store. */
  env(more = {}) {
    return {
      LSAN_OPTIONS, VESPER_WAREHOUSE_DIR: undefined, VESPER_WAREHOUSE_DIALECT: 'postgres', VESPER_STORE_DIALECT: 'postgres',
      VESPER_WAREHOUSE_DSN: this.dsn('vesper_read', READ_PASSWORD), VESPER_STORE_DSN: this.dsn('vesper_chat', CHAT_PASSWORD), ...more,
    };
  }

  start({ env, ...options } = {}) {
    return startProcess({ warehouse: 'none', ...options, env: this.env(env) });
  }

  async service(verb) {
    if (verb === 'stop')
      await this.checkForSecrets();
    return run(script, [verb, this.dir]);
  }

  /* Checks the stored chats and the server log for planted secrets. */
  async checkForSecrets() {
    watch('postgres', await readFile(join(this.dir, 'log'), 'utf8').catch(() => ''), { where: 'log' });
    const { text: names } = await this.psql('postgres', "SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = 'dbo' AND relkind = 'r' AND relname LIKE 'chat%'");
    for (const name of names.split('\n').filter(Boolean))
      watch('postgres', (await this.psql('postgres', `SELECT t::text FROM dbo.${name} t`)).text, { where: name });
  }

  /* Runs psql as this user. Returns its output, or its error output if it fails. */
  async psql(user, sql, settings = {}, database = this.database) {
    const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`).join(' ');
    const args = ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', '-h', '127.0.0.1', '-p', String(this.port), '-U', user,
      '-d', database, '-c', sql];
    return run('psql', args, { env: { PATH: process.env.PATH, PGOPTIONS: options } })
      .then(({ stdout }) => ({ ok: true, text: stdout.trim() }), (e) => ({ ok: false, text: e.stderr.trim() }));
  }

  /* Runs each statement separately, one a line, and returns those that the server accepted. */
  async accepted(user, statements, settings = {}) {
    const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`).join(' ');
    const file = join(await tempDir('psql'), 'probe.sql');
    await writeFile(file, statements.map((sql) => `${sql};\n`).join(''));
    const { stderr } = await run('psql', ['-X', '-q', '-h', '127.0.0.1', '-p', String(this.port), '-U', user, '-d', this.database,
      '-o', '/dev/null', '-f', file], { env: { PATH: process.env.PATH, PGOPTIONS: options } });
    const refused = new Set([...stderr.matchAll(/probe\.sql:(\d+): ERROR/g)].map((m) => Number(m[1])));
    return statements.filter((_, i) => !refused.has(i + 1));
  }

  async admin(sql) {
    const { ok, text } = await this.psql('postgres', sql);
    if (!ok)
      throw new Error(`${sql}\n${text}`);
    return text;
  }

  /* Copies this database to a new one on the same server. No client may be connected to this database. */
  async copy(name) {
    const { ok, text } = await this.psql('postgres', `CREATE DATABASE ${name} TEMPLATE ${this.database}`, {}, 'template1');
    if (!ok)
      throw new Error(text);
    /* CREATE DATABASE ... TEMPLATE does not copy the per-database settings of roles. */
    const settings = await this.admin(`SELECT format('ALTER ROLE %I IN DATABASE ${name} SET %s = %s;', r.rolname, split_part(c, '=', 1), split_part(c, '=', 2))
      FROM pg_db_role_setting s JOIN pg_roles r ON r.oid = s.setrole JOIN pg_database d ON d.oid = s.setdatabase, unnest(s.setconfig) c WHERE d.datname = '${this.database}'`);
    const copy = new Postgres(this.dir, this.port, name);
    await copy.admin(settings);
    return copy;
  }

  ctl(args, env = {}) {
    return ctl([...args, '--dsn', this.dsn('postgres')], env);
  }

  seed(...words) {
    return demo(['seed', ...words, '--dsn', this.dsn('postgres')]);
  }
}

/* Run vesperctl or vesper-demo. Return the exit code, stdout and stderr. */
export const ctl = (args, env = {}) => runTool(VESPERCTL, args, env);
export const demo = (args, env = {}) => runTool(DEMO_TOOL, args, env);

async function runTool(program, args, env) {
  const inherited = Object.fromEntries(['PATH', 'HOME', 'ASAN_OPTIONS', 'UBSAN_OPTIONS']
    .filter((name) => process.env[name] !== undefined).map((name) => [name, process.env[name]]));
  const settings = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined));
  return run(program, args, { env: { ...inherited, LSAN_OPTIONS, ...settings }, maxBuffer: 64 << 20 })
    .then(({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      (e) => ({ code: e.code, stdout: e.stdout, stderr: e.stderr }));
}

/* Starts an empty server, or one restored from a saved data directory. */
export async function startPostgres(saved = '') {
  const { stdout } = await run(script, ['start', String(process.pid), saved]);
  const [dir, port] = stdout.trim().split(' ');
  return new Postgres(dir, Number(port));
}

/* Starts a server filled by fill(server). The filled state is saved and reused. */
export async function savedPostgres(name, fill) {
  return startPostgres(await buildOnce(name, async (saved) => {
    const pg = await startPostgres();
    await fill(pg);
    await run(script, ['save', pg.dir, saved]);
  }));
}

/* Starts a server with schema, logins and the small demo data. */
export const installedPostgres = () => savedPostgres('postgres', async (pg) => {
  const env = { VESPER_READ_PASSWORD: READ_PASSWORD, VESPER_CHAT_PASSWORD: CHAT_PASSWORD };
  for (const step of [() => pg.ctl(['db', 'init'], env), () => pg.seed('--small')]) {
    const done = await step();
    if (done.code !== 0)
      throw new Error(done.stderr);
  }
});

/* The small demo data on SQLite. */
export const smallWarehouse = () => demoData('data', '--small');
