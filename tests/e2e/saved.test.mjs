/*
 * Saved views: pinned by a user, or shared by a link within the tenant. An opened view is loaded again with the
 * permissions of its user; without them it is reported as nonexistent. On SQLite and on PostgreSQL.
 */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { REFERENCE, startDaemon } from './harness.mjs';
import { installedPostgres } from './postgres.mjs';
import { checkProblem } from './rest.mjs';
import { mintToken } from './token.mjs';

const API = '/api/v1';
const SAVED = `${API}/saved-views`;
const SAVED_VIEWS_MAX = 50;

/* A problem without the members that identify the request. */
const problemOf = ({ status, body }) => ({ status, title: body.title, detail: body.detail, code: body.code });

function suite(name, open) {
  describe(name, () => {
    let setup;
    let d;
    const as = (role, sub = 'ann', more = {}) => d.rest(mintToken({ sub, role, ...more }));
    const ask = async (rest, content = REFERENCE) => {
      const reply = await rest.post(`${API}/chat`, { content });
      assert.equal(reply.status, 200, reply.text);
      return { ...reply.body, data: reply.body.views.find((view) => view.view_type === 'data') };
    };
    const save = (rest, { message_id, data }, more) => rest.post(SAVED, { message_id, view_id: data.view_id, title: 'Average price', ...more });
    const assertHidden = async (rest, path) => {
      const reply = await rest.get(path);
      checkProblem(reply, 404);
      assert.deepEqual(problemOf(reply), problemOf(await rest.get(`${SAVED}/${randomUUID()}`)));
    };

    before(async () => {
      setup = await open();
      d = await setup.start();
    });
    after(async () => {
      await d?.stop();
      await setup?.stop();
    });

    it('are refreshed by their call, and private while only pinned', async () => {
      const rest = as('analyst');
      const answer = await ask(rest);
      const saved = await save(rest, answer);
      assert.equal(saved.status, 201, saved.text);
      assert.equal(saved.headers.get('location'), `${SAVED}/${saved.body.saved_id}`);
      assert.deepEqual((await rest.get(SAVED)).body.data, [saved.body]);
      assert.deepEqual([saved.body.title, saved.body.shared, saved.body.own], ['Average price', false, true]);
      const read = await rest.get(`${SAVED}/${saved.body.saved_id}`);
      assert.equal(read.status, 200, read.text);
      for (const member of ['columns', 'data_dict', 'meta', 'row_count'])
        assert.deepEqual(read.body.view[member], answer.data[member]);
      assert.ok(Math.abs(Date.parse(read.body.read_at) - Date.now()) < 60000);
      await assertHidden(as('manager', 'ben'), `${SAVED}/${saved.body.saved_id}`);
      assert.deepEqual((await as('manager', 'ben').get(SAVED)).body.data, []);
    });

    it('are opened by a link in the tenant, with the user\'s own permissions', async () => {
      const ann = as('analyst', 'sharing');
      const { body: { saved_id: id } } = await save(ann, await ask(ann), { shared: true });
      const path = `${SAVED}/${id}`;
      const ben = await as('analyst', 'ben').get(path);
      assert.equal(ben.status, 200, ben.text);
      assert.deepEqual([ben.body.own, ben.body.shared, ben.body.view.row_count > 0], [false, true, true]);
      await assertHidden(as('viewer', 'vic'), path);
      await assertHidden(as('admin', 'sharing', { tenant_id: 'acme' }), path);
      checkProblem(await as('admin', 'ben').delete(path), 404);
      assert.equal((await ann.get(path)).status, 200);
      assert.equal((await ann.delete(path)).status, 204);
      await assertHidden(as('analyst', 'ben'), path);
      await assertHidden(ann, path);
    });

    it('of a disabled tool are reported as nonexistent to others', async () => {
      const ann = as('analyst', 'switching');
      const answer = await ask(ann);
      const { body: { saved_id: id } } = await save(ann, answer, { shared: true });
      const { agent, tool } = answer.data.source;
      const toggle = (enabled) => as('admin').call('PUT', `${API}/admin/tools/${agent}/${tool}`, { json: { enabled } });
      const waitForStatus = async (status) => {
        let reply;
        for (let i = 0; i < 100 && (reply = await as('analyst', 'ben').get(`${SAVED}/${id}`)).status !== status; i++)
          await sleep(50);
        return reply;
      };
      assert.equal((await toggle(false)).status, 200);
      checkProblem(await waitForStatus(404), 404);
      const own = await ann.get(`${SAVED}/${id}`);
      assert.deepEqual([own.status, own.body.view.view_type], [200, 'error'], own.text);
      await toggle(true);
      assert.equal((await waitForStatus(200)).status, 200);
    });

    it('can only be made from own answers, and report their errors', async () => {
      const ann = as('analyst', 'strict');
      const answer = await ask(ann);
      checkProblem(await save(as('analyst', 'ben'), answer), 404);
      checkProblem(await save(ann, { ...answer, data: { view_id: 'none' } }), 404);
      checkProblem(await save(ann, { ...answer, message_id: randomUUID() }), 404);
      for (const invalid of [{ title: '' }, { title: 'x'.repeat(2000) }, { title: 1 }, { shared: 'yes' }, { message_id: 'x' }, { view_id: 'v'.repeat(101) }, { more: 1 }])
        checkProblem(await save(ann, answer, invalid), 422);
      checkProblem(await ann.get(`${SAVED}/x`), 404);
      checkProblem(await ann.delete(`${SAVED}/${randomUUID()}`), 404);
      assert.deepEqual((await ann.get(SAVED)).body.data, []);
    });

    it('are limited per user', async () => {
      const ann = as('analyst', 'collector');
      const answer = await ask(ann);
      for (let i = 0; i < SAVED_VIEWS_MAX; i++)
        assert.equal((await save(ann, answer)).status, 201);
      assert.match(checkProblem(await save(ann, answer), 422).detail, /50 saved views/);
      assert.equal((await ann.get(SAVED)).body.data.length, SAVED_VIEWS_MAX);
    });

    it('are deleted with their conversation and their user', async () => {
      const ann = as('analyst', 'leaving');
      const [first, second] = [await ask(ann), await ask(ann)];
      await save(ann, first, { title: 'first' });
      await save(ann, second, { title: 'second' });
      assert.equal((await ann.delete(`${API}/sessions/${first.session_id}`)).status, 204);
      assert.deepEqual((await ann.get(SAVED)).body.data.map(({ title }) => title), ['second']);
      assert.equal((await as('admin').delete(`${API}/admin/users/leaving`)).status, 204);
      assert.deepEqual((await ann.get(SAVED)).body.data, []);
    });
  });
}

suite('saved views on SQLite', async () => ({ start: () => startDaemon(), stop: () => undefined }));
suite('saved views on PostgreSQL', async () => {
  const pg = await installedPostgres();
  return { start: () => pg.start({}), stop: () => pg.service('stop') };
});
