/* Client of the REST API. Sends a token with each request, and a fresh one after a 401. */

import { learnTime } from './clock.js';

const MAX_PAGES = 50;

export class Api {
  #endpoint;
  #getToken;

  /* endpoint(): the server's address; getToken({fresh}): promise of a token */
  constructor(endpoint, getToken) {
    this.#endpoint = endpoint;
    this.#getToken = getToken;
  }

  /* Returns a successful response. Throws an error with the status otherwise. */
  async fetch(method, path, { json, headers = {}, type = 'application/json', body = json && JSON.stringify(json) } = {}) {
    const url = new URL(path, this.#endpoint());
    let response;

    for (const fresh of [false, true]) {
      const token = await this.#getToken({ fresh });

      response = await fetch(url, { method, body, headers: { ...headers, authorization: `Bearer ${token}`,
        ...(body && { 'content-type': type }) } });
      if (response.status !== 401)
        break;
    }
    learnTime(Date.parse(response.headers.get('date')));
    if (!response.ok)
      throw Object.assign(new Error(`${method} ${path}: HTTP ${response.status}`), { status: response.status });
    return response;
  }

  async get(path) {
    return (await this.fetch('GET', path)).json();
  }

  /* All messages of a stored conversation, oldest first. */
  async messages(sessionId) {
    const path = `/api/v1/sessions/${encodeURIComponent(sessionId)}/messages`;
    const messages = [];
    let query = '';

    for (let i = 0; i < MAX_PAGES; i++) {
      const page = await this.get(path + query);

      messages.push(...page.data);
      if (!page.has_more || !page.next_cursor)
        break;
      query = `?cursor=${encodeURIComponent(page.next_cursor)}`;
    }
    return messages;
  }

  sessions({ search = '', archived = false, cursor } = {}) {
    const query = new URLSearchParams({ limit: 50, archived, ...(search && { q: search }), ...(cursor && { cursor }) });

    return this.get(`/api/v1/sessions?${query}`);
  }

  /* change: {title} or {archived}. Fails if the session was changed in the meantime (If-Match). */
  async changeSession(sessionId, change) {
    const path = `/api/v1/sessions/${encodeURIComponent(sessionId)}`;
    const tag = (await this.fetch('GET', path)).headers.get('etag');

    return this.fetch('PATCH', path, { json: change, headers: { 'if-match': tag ?? '*' } });
  }

  deleteSession(sessionId) {
    return this.fetch('DELETE', `/api/v1/sessions/${encodeURIComponent(sessionId)}`);
  }

  /* The receipt of a stored answer, without parts that the user may no longer see. */
  async receipt(receiptId) {
    return (await this.get(`/api/v1/receipts/${encodeURIComponent(receiptId)}`)).content;
  }

  /* Known values of a filter that match the text: {data: [{value, label, group?}], has_more}. */
  values(name, text) {
    return this.get(`/api/v1/filters/${encodeURIComponent(name)}/values?${new URLSearchParams({ q: text })}`);
  }

  /* The definitions of all components: [{name, props, layout, …}]. */
  async components() {
    return (await this.get('/api/v1/components')).data;
  }

  /* All rows of an answer's table, including truncated ones, as "csv" or "xlsx": a promise of a blob. */
  async file(messageId, viewId, kind) {
    const path = `/api/v1/messages/${encodeURIComponent(messageId)}/views/${encodeURIComponent(viewId)}/${kind}`;

    return (await this.fetch('GET', path)).blob();
  }

  /* saved: {message_id, view_id, title, shared} */
  async saveView(saved) {
    return (await this.fetch('POST', '/api/v1/saved-views', { json: saved })).json();
  }

  /* What is needed to embed a report: {report_id, embed_url, token, expires_at}. */
  async embedReport(key) {
    return (await this.fetch('POST', `/api/v1/reports/${encodeURIComponent(key)}/embed`)).json();
  }

  /* feedback: {rating: "up" or "down", comment?, correction?} */
  rate(messageId, feedback) {
    return this.fetch('POST', `/api/v1/messages/${encodeURIComponent(messageId)}/feedback`, { json: feedback });
  }
}
