/*
 * The commands of docs/install.md, with this test's ports and programs, lead to a question that a user of a real
 * identity provider asks in the browser and that is answered from PostgreSQL. Commands that install packages are omitted.
 */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { freePort, REFERENCE, ROOT, tempDir, VESPERCTL, VESPERD } from '../e2e/harness.mjs';
import { patient } from '../e2e/patience.mjs';
import { startPostgres } from '../e2e/postgres.mjs';
import { answered, ask, launch } from './browser.mjs';

const START_LIMIT_MS = patient(180000); /* the start fills a database */
const INSTALLS = /^(\.\/run build|sudo apt-get |sudo pg_ctlcluster |npm ci )/;

let browser;
let pg;
let shell;

before(async () => {
  browser = await launch();
  pg = await startPostgres();
});
after(async () => {
  await browser?.close();
  try {
    process.kill(-shell.pid, 'SIGTERM'); /* ends the provider, too */
    if (shell.exitCode === null)
      await once(shell, 'exit');
  } catch (error) {
    assert.equal(error.code, 'ESRCH');
  }
  await pg?.service('stop');
});

/* The commands of the page, adapted to this test. */
async function commands(port, providerPort, dir) {
  const page = await readFile(join(ROOT, 'docs/install.md'), 'utf8');
  const lines = [...page.matchAll(/^```bash\n(.*?)^```/gms)].flatMap(([, block]) => block.trimEnd().split('\n'));

  assert.ok(lines.length >= 15, 'the page contains the commands');
  assert.equal(lines.filter((line) => INSTALLS.test(line)).length, 4);
  return lines.filter((line) => !INSTALLS.test(line)).map((line) => line
    .replace('sudo -u postgres psql', `psql -q -h 127.0.0.1 -p ${pg.port} -U postgres`)
    .replace('Port=5432', `Port=${pg.port}`)
    .replace('9090', String(providerPort)).replace('8080', String(port))
    .replace(/(\.\/)?provider\.env/g, join(dir, 'provider.env'))
    .replace(/^build\/vesperd$/, `exec ${VESPERD}`)
    .replace('build/vesperd', VESPERD)
    .replace(/build\/(vesperctl|vesper-demo)/g, (_, name) => join(dirname(VESPERCTL), name)));
}

test('its commands lead to an answered question of a signed-in user', async () => {
  const [port, providerPort, adminPort, dir] = [await freePort(), await freePort(), await freePort(), await tempDir()];
  const script = (await commands(port, providerPort, dir)).join('\n');
  let output = '';

  shell = spawn('bash', ['-euc', script], { cwd: ROOT, detached: true, stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: dir, VESPER_DATA_DIR: dir, VESPER_LISTEN: `127.0.0.1:${port}`, VESPER_ADMIN_LISTEN: `127.0.0.1:${adminPort}`,
      LSAN_OPTIONS: `suppressions=${join(ROOT, 'tests/e2e/lsan.supp')}:print_suppressions=0` } });
  for (const stream of [shell.stdout, shell.stderr])
    stream.on('data', (data) => { output += data; });
  for (const end = Date.now() + START_LIMIT_MS; ; await sleep(200)) {
    assert.equal(shell.exitCode, null, output);
    assert.ok(Date.now() < end, output);
    if (await fetch(`http://127.0.0.1:${port}/readyz`).then(({ status }) => status === 200, () => false))
      break;
  }
  const page = await (await browser.newContext({ locale: 'en-US' })).newPage();
  await page.goto(`http://127.0.0.1:${port}/`);
  await page.locator('input[name=login]').fill('ann');
  await page.locator('input[name=password]').fill('anything');
  await page.locator('button[type=submit]').click();
  await page.locator('vesper-chat[data-state=ready]').waitFor();
  await ask(page, REFERENCE);
  const turn = await answered(page);
  assert.match(await turn.locator('.prose').innerText(), /48\.73/);
  assert.match(await turn.locator('.outcome').innerText(), /verified/);
});
