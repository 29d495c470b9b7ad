/*
 * Power BI as seen by a service principal: sign-in, the description of a report, embed tokens, and activity events of a
 * day. Refuses the same requests as the real service. `behave` determines the reply to a request: undefined (a valid
 * answer), 'hang', or {status, body, headers}.
 */

import { createServer } from 'node:http';
import { MARK } from '../secrets.mjs';

export const DIRECTORY = '0d1e0000-0000-4000-8000-00000000000d';
export const CLIENT = 'c11e0000-0000-4000-8000-00000000000c';
export const CLIENT_SECRET = `Pb1~${MARK}.client-secret_value/+=&%40`;
export const WORKSPACE = 'f0890000-0000-4000-8000-00000000000f';
export const REPORT = '5b210000-0000-4000-8000-000000000005';
export const DATASET = 'cfaf0000-0000-4000-8000-00000000000a';

const DAY_MS = 86400000;
const PAGE = 2;

const problem = (status, code) => ({ status, headers: { RequestId: 'r-1', 'x-powerbi-error-info': code }, body: { error: { code, message: code } } });

export class PowerBi {
  constructor({ lifeMs = 60 * 60000, events = [], scope = 'https://analysis.windows.net/powerbi/api/.default', host = 'app.powerbi.com' } = {}) {
    Object.assign(this, { lifeMs, events, scope, host, requests: [], serviceTokens: [], embedTokens: [], behave: () => undefined });
  }

  async start() {
    this.server = createServer(async (req, res) => {
      let text = '';
      for await (const chunk of req)
        text += chunk;
      const url = new URL(req.url, this.url);
      const request = { method: req.method, path: url.pathname, url, headers: req.headers, text };
      this.requests.push(request);
      const scripted = this.behave(request);
      if (scripted === 'hang')
        return;
      const { status = 200, body = {}, headers = {} } = scripted ?? this.answer(request);
      res.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers }).end(typeof body === 'string' ? body : JSON.stringify(body));
    }).listen(0, '127.0.0.1');
    await new Promise((done) => this.server.once('listening', done));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    return this;
  }

  close() {
    this.server.closeAllConnections();
    return new Promise((done) => this.server.close(done));
  }

  /* Environment for a daemon that uses this service. */
  env(more = {}) {
    return { VESPER_PBI_TENANT_ID: DIRECTORY, VESPER_PBI_CLIENT_ID: CLIENT, VESPER_PBI_CLIENT_SECRET: CLIENT_SECRET,
      VESPER_PBI_LOGIN_URL: this.url, VESPER_PBI_API_URL: this.url, VESPER_PBI_IDENTITY: 'tenant',
      VESPER_PBI_REPORTS: JSON.stringify({ mc_dayahead_curves: `${WORKSPACE}/${REPORT}`, per_budget_tracker: `${WORKSPACE}/${REPORT}` }), ...more };
  }

  /* Makes all issued service tokens invalid. */
  expireServiceTokens() {
    this.serviceTokens = this.serviceTokens.map((t) => ({ ...t, until: 0 }));
  }

  count(part) {
    return this.requests.filter((r) => r.path.endsWith(part)).length;
  }

  answer(request) {
    if (request.path.endsWith('/oauth2/v2.0/token'))
      return this.signIn(request);
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (!this.serviceTokens.some((t) => t.token === token && t.until > Date.now()))
      return { status: 401, headers: { 'www-authenticate': 'Bearer' }, body: problem(401, 'TokenExpired').body };
    const report = `/v1.0/myorg/groups/${WORKSPACE}/reports/${REPORT}`;
    if (request.method === 'GET' && request.path === report)
      return { body: { id: REPORT, reportType: 'PowerBIReport', name: 'Day-Ahead Curves', datasetId: DATASET,
        webUrl: `https://${this.host}/groups/${WORKSPACE}/reports/${REPORT}`,
        embedUrl: `https://${this.host}/reportEmbed?reportId=${REPORT}&groupId=${WORKSPACE}&w=2&config=eyJjbHVzdGVyVXJsIjoiIn0=` } };
    if (request.method === 'POST' && request.path === `${report}/GenerateToken`)
      return this.embedToken(request);
    if (request.method === 'GET' && request.path === '/v1.0/myorg/admin/activityevents')
      return this.activity(request.url);
    return problem(404, 'PowerBIEntityNotFound');
  }

  signIn({ method, path, headers, text }) {
    const form = new URLSearchParams(text);
    const refusal = (error, number) => ({ status: 401, body: { error, error_description: `AADSTS${number}: ${text}`, error_codes: [number], trace_id: 't', correlation_id: 'c' } });
    if (method !== 'POST' || path !== `/${DIRECTORY}/oauth2/v2.0/token` || headers['content-type'] !== 'application/x-www-form-urlencoded')
      return { status: 400, body: { error: 'invalid_request', error_description: 'AADSTS900144', error_codes: [900144] } };
    if (form.get('grant_type') !== 'client_credentials' || form.get('scope') !== this.scope)
      return refusal('invalid_scope', 70011);
    if (form.get('client_id') !== CLIENT || form.get('client_secret') !== CLIENT_SECRET)
      return refusal('invalid_client', 7000215);
    const token = `eyJ-service-token-${this.serviceTokens.length + 1}-${MARK}`;
    this.serviceTokens.push({ token, until: Date.now() + 3599000 });
    return { body: { token_type: 'Bearer', expires_in: 3599, ext_expires_in: 3599, access_token: token } };
  }

  embedToken({ text }) {
    const body = JSON.parse(text);
    if (body.accessLevel !== 'View' || body.lifetimeInMinutes > 60)
      return problem(400, 'InvalidRequest');
    if (body.identities && !body.identities.every((i) => i.username && Array.isArray(i.roles) && i.datasets?.[0] === DATASET))
      return problem(400, 'InvalidEffectiveIdentity');
    const token = `H4sI-embed-token-${this.embedTokens.length + 1}-${MARK}`;
    this.embedTokens.push({ token, identities: body.identities });
    return { body: { '@odata.context': 'x', token, tokenId: `id-${token}`, expiration: new Date(Date.now() + this.lifeMs).toISOString().replace(/\.\d+Z$/, 'Z') } };
  }

  /* Events of one UTC day, two per page, with empty pages in between; the last page is marked. */
  activity(url) {
    const quoted = (name) => /^'(.+)'$/.exec(url.searchParams.get(name) ?? '')?.[1];
    let [day, at] = (quoted('continuationToken') ?? '').split('|');
    if (!day) {
      const [from, to] = [quoted('startDateTime'), quoted('endDateTime')].map((t) => Date.parse(t));
      if (!(from <= to) || Math.floor(from / DAY_MS) !== Math.floor(to / DAY_MS))
        return problem(400, 'BadRequest');
      [day, at] = [new Date(from).toISOString().slice(0, 10), '0'];
    }
    const all = this.events.filter((e) => e.CreationTime.startsWith(day));
    const empty = at.endsWith('e');
    const begin = parseInt(at, 10);
    const page = empty ? [] : all.slice(begin, begin + PAGE);
    const last = begin + page.length >= all.length && !empty;
    const token = encodeURIComponent(`${day}|${empty ? begin : `${begin + page.length}e`}`);
    return { body: { activityEventEntities: page, lastResultSet: last,
      continuationUri: last ? null : `https://wabi-elsewhere.analysis.windows.net/v1.0/myorg/admin/activityevents?continuationToken='${token}'`,
      continuationToken: last ? null : token } };
  }
}
