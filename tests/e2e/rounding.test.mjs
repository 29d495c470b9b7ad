/*
 * Means are rounded once, half away from zero, from exact decimals: the same rows give the same cents on SQLite
 * and on PostgreSQL, also if the mean is half a cent, or differs from it by less than a millionth.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { demoWarehouse, REFERENCE, run, startDaemon, tempDir } from './harness.mjs';
import { installedPostgres } from './postgres.mjs';

const question = ({ hub, year }) => REFERENCE.replace('NP15', hub).replace('2025', year);
const half = (a, b) => `CASE WHEN HOUR % 2 = 0 THEN ${a} ELSE ${b} END`;
const FIRST = 'MONTH = 1 AND HOUR = 0 AND DATE = (SELECT MIN(d.DATE) FROM TABLE d WHERE d.YEAR = 2026)';

/* New prices for a year, and the resulting mean. */
const CASES = [
  { hub: 'NP15', year: 2025, set: [half('62.97', '62.98')], mean: '$62.98/MWh' },
  { hub: 'NP15', year: 2026, set: [half('62.97', '62.98'), `CASE WHEN ${FIRST} THEN 62.9699 ELSE DAYAHEAD_PRICE END`], mean: '$62.97/MWh' },
  { hub: 'SP15', year: 2025, set: [half('-1.00', '-1.01')], mean: '-$1.01/MWh' },
];

function statements(schema) {
  return CASES.flatMap(({ hub, year, set }) => set.map((value) => `UPDATE ${schema}mc_dayahead
    SET DAYAHEAD_PRICE = ${value.replaceAll('TABLE', `${schema}mc_dayahead`)}
    WHERE YEAR = ${year} AND HUBZONE_KEY IN (SELECT hubzone_key FROM ${schema}mc_vendor_files WHERE hubzone = '${hub}');`)).join('\n');
}

function testMeans(get) {
  for (const testCase of CASES) {
    it(`${testCase.hub} ${testCase.year}: ${testCase.mean}`, async () => {
      const turn = await get().ask(question(testCase));
      assert.equal(turn.complete?.status, 'ok', turn.text);
      assert.ok(turn.text.includes(testCase.mean), turn.text);
    });
  }
}

describe('on SQLite', () => {
  let d;
  before(async () => {
    const warehouse = await tempDir('halves');
    await cp(await demoWarehouse(), warehouse, { recursive: true });
    await run('sqlite3', [join(warehouse, 'vesper.db'), statements('')]);
    d = await startDaemon({ warehouse });
  });
  after(() => d?.stop());
  testMeans(() => d);
});

describe('on PostgreSQL', () => {
  let pg, d;
  before(async () => {
    pg = await installedPostgres();
    await pg.admin(statements('base.'));
    d = await pg.start();
  });
  after(async () => {
    await d?.stop();
    await pg?.service('stop');
  });
  testMeans(() => d);
});
