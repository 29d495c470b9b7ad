/* Callers of /api/v1/documents. */

import { Sources } from './sources.mjs';

export class Documents extends Sources {
  upload(bytes, query, type = 'text/markdown') {
    return this.rest.call('POST', `/api/v1/documents?${query}`, { body: bytes, headers: { 'content-type': type } });
  }

  async list() {
    return (await this.rest.get('/api/v1/data-sources?kind=document')).body.sources;
  }

  /* {heading, start, passage} of the first 500. */
  async passages(id) {
    const { body } = await this.rest.get(`/api/v1/data-sources/${id}/rows?limit=500`);
    return body.rows.map(([, heading, start, passage]) => ({ heading, start: Number(start), passage }));
  }

  /* The ids by the name of each file. */
  async loadedAll(files) {
    const ids = new Map();
    for (const [name, text] of files)
      ids.set(name, (await this.loaded(text, `name=${encodeURIComponent(name)}`)).id);
    return ids;
  }
}
