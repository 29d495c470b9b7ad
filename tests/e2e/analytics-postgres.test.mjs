/* Analyses on PostgreSQL: the labelled questions give the same bytes as on SQLite. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as planted from '../calc/planted/planted.mjs';
import { analyst, dataOf, deleteSources, labelled } from './analyst.mjs';
import { startDaemon } from './harness.mjs';
import { installedPostgres } from './postgres.mjs';
import { MARK } from '../secrets.mjs';

const LOAD = `${MARK}Load7`, UPLOADS = `${MARK}Uploads7`;
const LIMITS = { VESPER_LIMITS_USER_PER_MINUTE: '0', VESPER_LIMITS_TENANT_PER_MINUTE: '0' };

let pg;
const daemons = {};
before(async () => {
  pg = await installedPostgres();
  const init = await pg.ctl(['db', 'init', '--only', 'uploads'], { VESPER_LOAD_PASSWORD: LOAD, VESPER_UPLOADS_PASSWORD: UPLOADS });
  assert.equal(init.code, 0, init.stderr);
  daemons.postgres = await pg.start({ env: { ...LIMITS, VESPER_SOURCES: JSON.stringify({ uploads: { dialect: 'postgres' } }),
    VESPER_SOURCES_UPLOADS_DSN: pg.dsn('vesper_uploads', UPLOADS), VESPER_UPLOADS_LOADER_DSN: pg.dsn('vesper_load', LOAD) } });
  daemons.sqlite = await startDaemon({ env: LIMITS });
});
after(async () => {
  await deleteSources();
  for (const d of Object.values(daemons))
    await d.stop();
  await pg?.service('stop');
});

/* Only one of the databases gives a sum the scale of its column: 2,000.00 equals 2,000. */
const unscaled = (answers) => JSON.parse(JSON.stringify(answers).replace(/(\d)\.00(?=\D)/g, '$1'));

test('labelled questions give the same bytes on both databases', async () => {
  const analysts = {};

  for (const label of await labelled()) {
    const answers = {};

    for (const [dialect, d] of Object.entries(daemons)) {
      const { ask } = analysts[`${label.file} ${dialect}`] ??= await analyst(d, label.name, planted[label.file](), ['chat:use']);
      const answer = await ask(label.question);

      answers[dialect] = { text: answer.text, rows: dataOf(answer)?.data_dict };
      if (label.tool === 'query_metrics')
        answers[dialect] = unscaled(answers[dialect]);
    }
    assert.deepEqual(answers.postgres, answers.sqlite, `${label.id}: ${label.question}`);
  }
});
