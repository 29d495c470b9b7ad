/* The command line for users: help, typing errors, and exit statuses for scripts. */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { demoWarehouse, REFERENCE, ROOT, run, startDaemon, VESPERCTL, VESPERD } from './harness.mjs';
import { SECRET } from './token.mjs';

const UUID = /session ([0-9a-f-]{36})\]/;
const PRICE = ['get_average_annual_price', 'vendor=Ascend', 'hub_zone=NP15', 'year=2025'];

let env = {};

/* Never throws. Returns the exit code and the output. */
async function ctl(...args) {
  const { PATH, HOME } = process.env;
  return run(VESPERCTL, args, { cwd: ROOT, env: { PATH, HOME, ...env }, timeout: 60000 })
    .then((output) => ({ code: 0, ...output }), ({ code, stdout, stderr }) => ({ code, stdout, stderr }));
}

async function verbs() {
  const { stdout } = await ctl('--help');
  return [...stdout.matchAll(/^ {2}vesperctl (\S+)/gm)].map(([, name]) => name);
}

describe('the command line of vesperctl', () => {
  it('prints its usage on request and on errors', async () => {
    for (const word of ['--help', '-h', 'help'])
      assert.deepEqual({ ...(await ctl(word)), stdout: '' }, { code: 0, stdout: '', stderr: '' }, word);
    assert.deepEqual(await verbs(), ['ask', 'token', 'tools', 'tool', 'route', 'flow', 'map', 'check-sql', 'eval', 'receipt', 'source', 'document', 'probe', 'connect', 'db',
      'pbi', 'completion']);
    for (const words of [[], ['nosuch']]) {
      const { code, stdout, stderr } = await ctl(...words);
      assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
      assert.match(stderr, /vesperctl ask/);
    }
    assert.match((await ctl('--version')).stdout, /^vesperctl \d/);
  });

  it('has help for each verb, and refuses unknown options of a verb', async () => {
    for (const verb of await verbs()) {
      const help = await ctl(verb, '--help');
      assert.equal(help.code, 0, verb);
      assert.match(help.stdout, new RegExp(`^  vesperctl ${verb}\\b`));
      const typo = await ctl(verb, '--tenat', 'x');
      assert.equal(typo.code, 2, verb);
      assert.match(typo.stderr, new RegExp(`^vesperctl ${verb}: unknown option --tenat \\(vesperctl ${verb} --help\\)`));
    }
  });

  it('refuses an option without its value, and missing arguments', async () => {
    for (const words of [['ask', 'x', '--session'], ['ask'], ['ask', 'two', 'words'], ['tool'], ['tool', 'sql'], ['route'], ['eval'],
      ['receipt'], ['receipt', 'nosuch'], ['map'], ['map', 'nosuch'], ['db'], ['db', 'drop'], ['pbi'], ['check-sql', '--dialect', 'oracle'],
      ['tool', 'sql', PRICE[0], '--dialect', 'oracle']])
      assert.equal((await ctl(...words)).code, 2, words.join(' '));
  });

  it('accepts roles, and mints tokens for them', async () => {
    const viewer = JSON.parse((await ctl('tools', '--role', 'viewer')).stdout).map((t) => t.name);
    assert.ok(viewer.includes('get_project_health') && !viewer.includes(PRICE[0]));
    assert.equal((await ctl('tools', '--role=viewer')).stdout, (await ctl('tools', '--role', 'viewer')).stdout);
    const unknown = await ctl('tools', '--role', 'nobody');
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /unknown role nobody/);
    assert.match((await ctl('token')).stderr, /VESPER_JWT_SECRET is not set/);
    env = { VESPER_JWT_SECRET: SECRET };
    const { stdout } = await ctl('token', '--role', 'viewer', '--sub', 'ann');
    const claims = JSON.parse(Buffer.from(stdout.split('.')[1], 'base64url'));
    assert.deepEqual([claims.sub, claims.permissions], ['ann', ['chat:use', 'chat:read_projects']]);
    assert.equal((await ctl('token', '--life-s', 'long')).code, 1);
    env = {};
  });
});

describe('vesperctl tool sql', () => {
  it('prints the statement: patterns, lists, and columns that a role may see', async () => {
    const overview = (...more) => ctl('tool', 'sql', 'get_project_overview', 'project_name=100% Solar', ...more);
    assert.match((await overview()).stdout, /Total_Operating_Budget/);
    assert.doesNotMatch((await overview('--role', 'viewer')).stdout, /Total_Operating_Budget/);
    assert.match((await ctl('tool', 'sql', 'get_top_users', 'report_name=100%')).stdout, /LIKE LOWER\('%100\\%%'\)/);
    const months = await ctl('tool', 'sql', 'get_hourly_price_distribution', 'hub_zone=NP15', 'year=2025', 'months=6', 'months=7');
    assert.match(months.stdout, /IN \(6, ?7\)/);
    assert.match((await ctl('tool', 'sql', ...PRICE, '--tenant', 'acme')).stdout, /tenant_id = 'acme'/);
  });

  it('reports an invalid or missing argument', async () => {
    for (const [words, message] of [
      [['year=soon'], /year must be a whole number/], [['vendor=Ascend'], /hub_zone=\.\.\. is missing/], [['nosuch=1'], /nosuch=1: expected name=value/],
    ]) {
      const { code, stdout, stderr } = await ctl('tool', 'sql', PRICE[0], ...words);
      assert.deepEqual({ code, stdout }, { code: 1, stdout: '' }, words.join(' '));
      assert.match(stderr, message);
    }
    assert.match((await ctl('tool', 'sql', 'nosuch')).stderr, /unknown tool nosuch/);
  });
});

describe('vesperctl tool run', () => {
  before(async () => {
    env = { VESPER_WAREHOUSE_DIR: await demoWarehouse(), VESPER_JWT_SECRET: SECRET };
  });
  after(() => {
    env = {};
  });

  it('exits with 0 only if there is an answer', async () => {
    const outcomeOf = async (...words) => {
      const { code, stdout } = await ctl('tool', 'run', ...words);
      return [code, JSON.parse(stdout).outcome.kind];
    };
    assert.deepEqual(await outcomeOf(...PRICE), [0, 'rows']);
    assert.deepEqual(await outcomeOf(PRICE[0], 'vendor=Ascend', 'hub_zone=NP15', 'year=soon'), [1, 'error']);
    assert.deepEqual(await outcomeOf(...PRICE, '--role', 'viewer'), [1, 'not_permitted']);
  });
});

describe('vesperctl ask', () => {
  let d;

  before(async () => {
    d = await startDaemon();
    env = { VESPER_URL: d.url };
  });
  after(async () => {
    env = {};
    await d.stop();
  });

  it('shows the gate\'s result for a statement', async () => {
    const good = await ctl('check-sql', 'SELECT name FROM dbo.per_project', '--dialect', 'sqlite');
    assert.equal(good.code, 0, good.stderr);
    assert.match(good.stdout, /^SELECT name FROM dbo\.per_project LIMIT \d+\n$/);
    const bad = await ctl('check-sql', 'DELETE FROM dbo.per_project');
    assert.equal(bad.code, 1);
    assert.match(bad.stderr, /^refused: /);
    assert.equal((await ctl('check-sql', 'SELECT', '1')).code, 2);
  });

  it('completes its verbs and options in bash', async () => {
    const { stdout } = await ctl('completion', 'bash');
    const complete = async (...words) => (await run('bash', ['-c', `${stdout}\nCOMP_WORDS=(vesperctl "$@"); COMP_CWORD=$#; _vesperctl; echo "\${COMPREPLY[@]}"`, 'bash', ...words])).stdout.trim().split(' ');
    assert.deepEqual(await complete('re'), ['receipt']);
    assert.deepEqual(await complete('receipt', ''), ['--all', '--json', '--tenant', 'rerun', 'show', 'verify']);
    assert.deepEqual(await complete('ask', '--se'), ['--session']);
    // values of options and arguments are not offered as first words of a command
    assert.deepEqual(await complete('tool', ''), ['--batch', '--dialect', '--role', '--tenant', '--today', 'run', 'sql']);
    assert.deepEqual(await complete('db', ''), ['--dialect', '--dsn', '--only', '--pack', '--source', '--write', 'ddl', 'init', 'migrate']);
    assert.deepEqual((await complete('source', '')).filter((word) => !word.startsWith('--')),
      ['apart', 'delete', 'expire', 'join', 'list', 'mean', 'profile', 'rows', 'share', 'upload']);
    assert.match((await ctl('completion', 'zsh')).stdout, /bashcompinit/);
    assert.equal((await ctl('completion', 'fish')).code, 2);
  });

  it('answers, and continues the same session', async () => {
    const { code, stdout } = await ctl('ask', REFERENCE);
    assert.equal(code, 0);
    assert.match(stdout, /\$48\.73\/MWh/);
    const [, session] = UUID.exec(stdout);
    assert.match((await ctl('ask', 'and for SP15?', '--session', session)).stdout, /\*\*SP15/);
  });

  it('asks as another role of the demo', async () => {
    const { stdout } = await ctl('ask', REFERENCE, '--role', 'viewer');
    assert.doesNotMatch(stdout, /48\.73/);
    const unknown = await ctl('ask', REFERENCE, '--role', 'nobody');
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /role/);
  });

  it('reports in a sentence why it was refused', async () => {
    const refusal = async (more, ...words) => {
      env = { VESPER_URL: d.url, ...more };
      const { code, stderr } = await ctl('ask', REFERENCE, ...words);
      assert.equal(code, 1);
      assert.doesNotMatch(stderr, /[{}]/);
      return stderr;
    };
    assert.match(await refusal({ VESPER_TOKEN: 'bad' }), /the token is missing or not valid/);
    assert.match(await refusal({}, '--session', 'nosuch'), /session_id: must be a UUID/);
    assert.match(await refusal({ VESPER_URL: 'http://127.0.0.1:1' }), /is the daemon running\?/);
  });
});

describe('the command line of vesperd', () => {
  it('prints its usage', async () => {
    const { stdout } = await run(VESPERD, ['--help']);
    assert.match(stdout, /--check/);
    await assert.rejects(run(VESPERD, ['--nosuch']), ({ code, stderr }) => code === 2 && /--check/.test(stderr));
  });
});
