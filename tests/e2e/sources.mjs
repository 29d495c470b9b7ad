/* Callers of /api/v1/data-sources. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from './harness.mjs';
import { patient } from './patience.mjs';

const DONE_LIMIT_MS = patient(20000);

export class Sources {
  constructor(d, caller) {
    this.token = caller;
    this.rest = d.rest(caller);
  }

  upload(bytes, query = 'name=Data.csv', type = 'text/csv', headers = {}) {
    return this.rest.call('POST', `/api/v1/data-sources?${query}`, { body: bytes, headers: { 'content-type': type, ...headers } });
  }

  replace(id, bytes, tag) {
    return this.rest.call('PUT', `/api/v1/data-sources/${id}/data`,
      { body: bytes, headers: { 'content-type': 'text/csv', ...(tag && { 'if-match': tag }) } });
  }

  async share(id, json) {
    const { status, text } = await this.rest.call('PATCH', `/api/v1/data-sources/${id}`, { json });
    assert.equal(status, 204, text);
  }

  one(id) {
    return this.rest.get(`/api/v1/data-sources/${id}`);
  }

  async list() {
    return (await this.rest.get('/api/v1/data-sources')).body.sources;
  }

  /* Waits until the source's newest load has ended. Returns the source. */
  async settled(id) {
    let last;
    for (const end = Date.now() + DONE_LIMIT_MS; Date.now() < end; await sleep(50)) {
      const { body, status } = await this.one(id);
      last = body;
      const state = body.load?.state ?? body.state;
      if (status !== 200 || ['ready', 'failed', 'asking', 'empty'].includes(state))
        return body;
    }
    throw new Error(`${id} was not loaded: ${JSON.stringify(last).slice(0, 1000)}`);
  }

  async loaded(bytes, query, type) {
    const { status, body, text } = await this.upload(bytes, query, type);
    assert.equal(status, 202, text);
    return this.settled(body.id);
  }
}

/* Retries: the overlay is ready after the rows. */
export async function until(what, check) {
  for (const end = Date.now() + DONE_LIMIT_MS; Date.now() < end; await sleep(100)) {
    const found = await check();
    if (found)
      return found;
  }
  throw new Error(`timed out waiting for: ${what}`);
}

const TYPES = { jsonl: 'application/x-ndjson', tsv: 'text/tab-separated-values', csv: 'text/csv' };
const SHAPES = join(ROOT, 'tests/upload');

/* Loads each file in tests/upload/shapes.tsv. Returns the differences. `as` makes a caller of a user name; each loads ten. */
export async function loadShapes(as) {
  const lines = (await readFile(join(SHAPES, 'shapes.tsv'), 'utf8')).split('\n').filter((l) => l && !l.startsWith('#'));
  const differences = [];
  for (const [n, line] of lines.entries()) {
    const [file, options, columns, rows, , fault, question] = line.split('\t');
    const user = as(`shape${Math.floor(n / 10)}`);
    const query = `name=${file}${options === '-' ? '' : `&${options}`}`;
    let found = await user.loaded(await readFile(join(SHAPES, 'shapes', file)), query, TYPES[file.split('.').at(-1)]);
    if (found.load?.state === 'asking') {
      if (question === '-')
        differences.push(`${file}: asks ${JSON.stringify(found.load.ask)}`);
      const { ask_id, options: [first] } = found.load.ask;
      const { status, text } = await user.rest.post(`/api/v1/data-sources/${found.id}/answer`, { ask_id, values: [first.value] });
      assert.equal(status, 204, text);
      found = await until('the load continues', async () => {
        const now = await user.settled(found.id);
        return now.load?.state !== 'asking' && now;
      });
    }
    const got = found.state === 'ready' ? `${found.profile.columns.map((c) => `${c.name}:${c.type}`).join(' ')} ${found.rows}`
      : `${found.load.fault.code}:${found.load.fault.line ?? 0}`;
    const expected = fault === '-' ? `${columns} ${rows}` : fault;
    if (got !== expected)
      differences.push(`${file}: ${got}${found.load?.fault ? ` ${found.load.fault.message}` : ''}, not ${expected}`);
    await user.rest.delete(`/api/v1/data-sources/${found.id}`);
  }
  return differences;
}
