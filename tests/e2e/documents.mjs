/* A client of /api/v1/documents. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { filesUnder } from './harness.mjs';
import { Sources, until } from './sources.mjs';

/* The files of the daemon that contain these bytes. */
export async function filesWith(d, bytes) {
  const found = [];
  for (const file of await filesUnder(d.dataDir))
    if ((await readFile(file).catch(() => Buffer.alloc(0))).includes(bytes))
      found.push(file);
  return found;
}

/* The text of a document as stored: line ends are normalized, and runs of blank lines become one. */
export const storedText = (bytes) => Buffer.from(bytes.toString().replaceAll('\r\n', '\n').replace(/\n(?:[ \t]*\n)+/g, '\n\n'));

/* Checks that each quotation is at the stated position byte for byte, and that the answer cites each source. */
export function checkSources(body, textOf) {
  for (const { n, document, quote, start, end } of body.sources ?? []) {
    assert.ok(n >= 1 && quote.length > 0 && [...quote].length <= 200, quote);
    assert.equal(textOf(document).subarray(start, end).toString(), quote, `${document} ${start}-${end}`);
  }
  const cited = new Set((body.checked?.items ?? []).filter((i) => i.kind === 'cite').map((i) => i.text));
  assert.deepEqual((body.sources ?? []).map((s) => `[${s.n}]`).sort(), [...cited].sort());
}

export class Documents extends Sources {
  upload(bytes, query, type = 'text/markdown') {
    return this.rest.call('POST', `/api/v1/documents?${query}`, { body: bytes, headers: { 'content-type': type } });
  }

  /* Retries, because the list is not loaded yet right after the start. */
  async loaded(bytes, query, type) {
    const reply = await until('the server accepts it', async () => {
      const answer = await this.upload(bytes, query, type);
      return answer.status !== 503 && answer;
    });
    assert.equal(reply.status, 202, reply.text);
    return this.settled(reply.body.id);
  }

  async list() {
    return (await this.rest.get('/api/v1/data-sources?kind=document')).body.sources;
  }

  /* All pages, the newest first. */
  async pages(limit) {
    const pages = [];
    for (let at = ''; at !== undefined;) {
      const { status, text, body } = await this.rest.get(`/api/v1/data-sources?kind=document&limit=${limit}${at}`);
      assert.equal(status, 200, text);
      pages.push(body.sources);
      at = body.next_cursor && `&cursor=${body.next_cursor}`;
    }
    return pages;
  }

  /* {heading, start, passage} of the first 500 passages. */
  async passages(id) {
    const { body } = await this.rest.get(`/api/v1/data-sources/${id}/rows?limit=500`);
    return body.rows.map(([, heading, start, passage]) => ({ heading, start: Number(start), passage }));
  }

  /* Loads the files. Returns a map from file name to id. */
  async loadedAll(files) {
    const ids = new Map();
    for (const [name, text] of files)
      ids.set(name, (await this.loaded(text, `name=${encodeURIComponent(name)}`)).id);
    return ids;
  }
}
