/*
 * Finished logs of all tenants share one bounded memory. A tenant that exhausts it evicts its own oldest answers,
 * never another tenant's. Observed through the socket, by what can still be resumed.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { startMock } from '../mock/anthropic.mjs';
import { REFERENCE, startDaemon } from './harness.mjs';
import { mintToken } from './token.mjs';

/* Each answer takes half a megabyte; the limit for all logs (EVENT_LOGS_BYTES_MAX) is 40 MiB. */
const FILLER = 'x'.repeat(1000);
const FILLERS = Array.from({ length: 8 }, (_, i) => `'${FILLER}' AS filler_${i}`);
const LARGE = `SELECT vendor, ${FILLERS} FROM mc_vendor_files FETCH FIRST 500 ROWS ONLY`;
const LOGS_BYTES_MAX = 40 * 1024 * 1024;

describe('a tenant that exhausts the memory for finished answers', () => {
  let mock;
  let d;

  before(async () => {
    mock = await startMock();
    d = await startDaemon({ mock, env: { VESPER_LIMITS_USER_PER_MINUTE: '0', VESPER_LIMITS_TENANT_PER_MINUTE: '0' } });
  });
  after(async () => {
    await d?.stop();
    await mock?.close();
  });

  const token = (tenant) => mintToken({ tenant_id: tenant, role: 'admin' });
  const status = async (tenant, turn) =>
    (await d.rest(token(tenant)).raw('GET', `/api/v1/turns/${turn.closing.turn_id}/events?after=0`)).status;

  async function askForLarge(tenant) {
    mock.use([{ when: { kind: 'structured' }, reply: { json: { do: [{ Run: 'per_agent' }] } } },
      { when: { kind: 'tools' }, times: 1, reply: { tools: [{ name: 'general_sql_query', input: { sql: LARGE } }] } },
      { reply: 'demo' }]);
    return d.ask('How is our work spread, in a way that no report shows?', { token: token(tenant) });
  }

  it('loses only its own oldest answers', async (t) => {
    const theirs = await d.ask(REFERENCE, { token: token('acme') });
    const first = await askForLarge('vesper');
    const bytes = JSON.stringify(first.frames).length;
    t.diagnostic(`${bytes} bytes an answer`);
    assert.equal(await status('vesper', first), 200);
    for (let filled = bytes; filled <= LOGS_BYTES_MAX * 1.2; filled += bytes)
      await askForLarge('vesper');
    const last = await askForLarge('vesper');
    assert.notEqual(await status('vesper', first), 200, 'the memory was filled');
    assert.equal(await status('vesper', last), 200);
    assert.equal(await status('acme', theirs), 200);
  });
});
