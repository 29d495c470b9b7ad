/* Receipts with the store on PostgreSQL: one chain for two daemons, and hashes that no login may change. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { REFERENCE } from './harness.mjs';
import { ctl, installedPostgres } from './postgres.mjs';
import { mintToken } from './token.mjs';

const API = '/api/v1';
const SHORT = ['Which projects are off track?', 'What is the health status of Nazareth Solar?', REFERENCE];
const ANSWERS_PER_DAEMON = 30;
const AT_ONCE = 3; /* more concurrent sessions exceed the time limit of a write on a busy machine */

describe('receipts on PostgreSQL', () => {
  let pg;
  let daemons;

  const receipt = async (...args) => {
    const { code, stdout, stderr } = await ctl(['receipt', ...args, '--json'], pg.env({ VESPER_LOG_LEVEL: 'error' }));
    return { code, stderr, json: stdout.trim().split('\n').filter(Boolean).map((l) => JSON.parse(l)) };
  };

  before(async () => {
    pg = await installedPostgres();
    daemons = [await pg.start(), await pg.start()];
  });
  after(async () => {
    for (const d of daemons ?? [])
      await d.stop();
    await pg?.service('stop');
  });

  it('form one chain for all writers, and give the same result when run again', async () => {
    await Promise.all(daemons.flatMap((d, i) => Array.from({ length: AT_ONCE }, async (_, k) => {
      const rest = d.rest(mintToken({ sub: `u-${i}-${k}`, role: 'manager' }));
      for (let n = 0; n < ANSWERS_PER_DAEMON / AT_ONCE; n++) {
        const { status, body, text } = await rest.post(`${API}/chat`, { content: SHORT[(n + k) % SHORT.length] });
        assert.equal(status, 200, text);
        assert.ok(body.receipt_id, text);
      }
    })));
    const verified = await receipt('verify', '--tenant', 'vesper');
    assert.deepEqual([verified.code, verified.json[0].ok, verified.json[0].receipts], [0, true, 2 * ANSWERS_PER_DAEMON], verified.stderr);
    const again = await receipt('rerun', '--all', '--tenant', 'vesper');
    assert.equal(again.json.length, 2 * ANSWERS_PER_DAEMON);
    assert.deepEqual(again.json.filter((v) => !v.ok), []);
  });

  it('hide their hashes from the chat login and other tenants', async () => {
    const settings = { 'vesper.tenant_id': 'vesper' };
    const refused = ["UPDATE dbo.chat_receipts SET hash = 'x'", "UPDATE dbo.chat_receipts SET leaves = 'x'", 'UPDATE dbo.chat_receipts SET receipt_no = receipt_no + 1',
      "UPDATE dbo.chat_receipts SET created_at = 'x'", 'DELETE FROM dbo.chat_receipts', 'TRUNCATE dbo.chat_receipts',
      "INSERT INTO dbo.chat_receipts VALUES ('acme', 1, 'a', NULL, NULL, NULL, NULL, '', '', '', '', '')"];
    assert.deepEqual(await pg.accepted('vesper_chat', refused, settings), []);
    assert.deepEqual(await pg.accepted('vesper_read', ['SELECT * FROM dbo.chat_receipts'], settings), []);
    assert.equal((await pg.psql('vesper_chat', 'SELECT count(*) FROM dbo.chat_receipts', { 'vesper.tenant_id': 'acme' })).text, '0');
    assert.equal((await pg.psql('vesper_chat', 'SELECT count(*) FROM dbo.chat_receipts')).text, '0');
  });

  it('lose their content with a user, and are reported when a byte changes', async () => {
    const chief = daemons[0].rest(mintToken({ sub: 'chief', role: 'admin' }));
    assert.equal((await chief.delete(`${API}/admin/users/u-0-0`)).status, 204);
    const { json: [state] } = await receipt('verify', '--tenant', 'vesper');
    assert.deepEqual([state.ok, state.without_content], [true, ANSWERS_PER_DAEMON / AT_ONCE]);
    await pg.admin("UPDATE dbo.chat_receipts SET content = replace(content, '\"dayahead_agent\"', '\"dayahead_Agent\"') WHERE receipt_no = (SELECT max(receipt_no) FROM dbo.chat_receipts WHERE content LIKE '%\"dayahead_agent\"%')");
    const { code, json: [broken] } = await receipt('verify', '--tenant', 'vesper');
    assert.equal(code, 1);
    assert.equal(broken.broken.field, 'content.calls');
  });
});
