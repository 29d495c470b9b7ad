/*
 * /openapi.json against the daemon that serves it: every operation is called with valid requests and with every
 * kind of invalid one, and each response must match the document.
 */

import assert from 'node:assert/strict';
import net from 'node:net';
import { after, before, describe, it } from 'node:test';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { PowerBi } from '../mock/powerbi.mjs';
import { REFERENCE, startDaemon } from './harness.mjs';
import { ROLES, mintToken } from './token.mjs';

const UNKNOWN = '0193b0a0-0000-7000-8000-00000000ffff';

/* The other operations accept a file. */
const takesJson = (op) => op.requestBody?.content['application/json'] !== undefined;

class Document {
  constructor(doc) {
    this.doc = doc;
    this.ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats(this.ajv);
    this.ajv.addSchema({ $id: 'doc', ...doc });
    this.validators = new Map();
  }

  resolve(node) {
    while (node?.$ref)
      node = node.$ref.slice(2).split('/').reduce((at, name) => at[name], this.doc);
    return node;
  }

  *operations() {
    for (const [path, item] of Object.entries(this.doc.paths))
      for (const [method, op] of Object.entries(item))
        yield { ...op, method: method.toUpperCase(), path, parameters: (op.parameters ?? []).map((p) => this.resolve(p)), open: op.security?.length === 0 };
  }

  validator(pointer) {
    if (!this.validators.has(pointer))
      this.validators.set(pointer, this.ajv.compile({ $ref: `doc#${pointer}` }));
    return this.validators.get(pointer);
  }

  /* Checks that the document describes this response of the operation: status, content type and schema. */
  check(op, status, type, text) {
    const where = `${op.method} ${op.path} ${status}`;
    const declared = op.responses[status];
    assert.ok(declared, `${where} is not documented: ${text.slice(0, 300)}`);
    const content = this.resolve(declared).content;
    if (!content)
      return assert.equal(text, '', where);
    const media = (type ?? '').split(';')[0];
    assert.ok(content[media], `${where}: ${media} is not documented`);
    if (!/json$/.test(media))
      return undefined;
    const name = encodeURIComponent(media).replaceAll('%2F', '~1').replaceAll('%2B', '+');
    const base = declared.$ref ? declared.$ref.slice(1) : `/paths/${op.path.replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D')}/${op.method.toLowerCase()}/responses/${status}`;
    const validate = this.validator(`${base}/content/${name}/schema`);
    assert.ok(validate(JSON.parse(text)), `${where}: ${JSON.stringify(validate.errors?.slice(0, 3))} in ${text.slice(0, 400)}`);
    return undefined;
  }
}

describe('the document', () => {
  let d;
  let pbi;
  let doc;
  let rest;
  let admin;
  const seen = new Set();

  async function ask(op, { params = {}, query = '', headers = {}, body, token = rest.token } = {}) {
    const path = op.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? UNKNOWN));
    const res = await d.rest(token).raw(op.method, path + query, { body, headers });
    const text = await res.text();
    doc.check(op, res.status, res.headers.get('content-type'), text);
    assert.match(res.headers.get('x-request-id'), /^[A-Za-z0-9._-]{1,128}$/);
    assert.equal(res.headers.get('x-content-type-options'), 'nosniff');
    seen.add(`${op.operationId} ${res.status}`);
    return { status: res.status, headers: res.headers, text, body: /json/.test(res.headers.get('content-type') ?? '') ? JSON.parse(text) : text };
  }

  const send = (op, json, more = {}) => ask(op, { ...more, body: JSON.stringify(json), headers: { 'content-type': 'application/json', ...more.headers } });

  before(async () => {
    pbi = await new PowerBi().start();
    d = await startDaemon({ env: { ...pbi.env(), VESPER_SERVER_PUBLIC_URL: 'https://vesper.example' } });
    rest = d.rest(mintToken({ sub: 'walker', permissions: [...ROLES.manager, 'chat:upload'] }));
    admin = mintToken({ sub: 'chief', permissions: [...ROLES.admin, 'chat:upload'] });
    doc = new Document(await (await fetch(`${d.url}/openapi.json`)).json());
  });
  after(async () => {
    await d?.stop();
    await pbi?.close();
  });

  const byId = () => Object.fromEntries([...doc.operations()].map((op) => [op.operationId, op]));

  it('is OpenAPI 3.1 and its schemas compile', () => {
    assert.equal(doc.doc.openapi, '3.1.0');
    const ids = [...doc.operations()].map((op) => op.operationId);
    assert.equal(new Set(ids).size, ids.length);
    for (const name of Object.keys(doc.doc.components.schemas))
      doc.validator(`/components/schemas/${name}`);
    for (const op of doc.operations())
      for (const [, name] of op.path.matchAll(/\{(\w+)\}/g))
        assert.ok(op.parameters.some((p) => p.in === 'path' && p.name === name), `${op.operationId} ${name}`);
  });

  it('documents every operation and response, with valid examples', () => {
    const tags = new Set(doc.doc.tags.map((tag) => tag.name));
    const media = (owner, pointer) => {
      for (const [type, content] of Object.entries(owner?.content ?? {})) {
        if (type === 'application/json' && content.schema?.type === 'object' && !content.schema.properties)
          continue; /* the operation that returns this document */
        assert.notEqual(content.example, undefined, `${pointer} ${type} has no example`);
        const validate = doc.ajv.compile({ ...content.schema, components: doc.doc.components });
        if (/json$/.test(type))
          assert.ok(validate(content.example), `${pointer}: ${JSON.stringify(validate.errors?.slice(0, 3))}`);
      }
    };
    for (const op of doc.operations()) {
      assert.ok(op.summary && op.description, op.operationId);
      assert.ok(op.tags.length === 1 && tags.has(op.tags[0]), op.operationId);
      media(op.requestBody, `${op.operationId} request`);
      for (const [status, response] of Object.entries(op.responses)) {
        assert.ok(doc.resolve(response).description, `${op.operationId} ${status}`);
        media(doc.resolve(response), `${op.operationId} ${status}`);
        if (Number(status) >= 400 && /problem/.test(Object.keys(doc.resolve(response).content)[0]))
          assert.equal(doc.resolve(response).content['application/problem+json'].example.status, Number(status), `${op.operationId} ${status}`);
      }
    }
  });

  it('is followed by every operation for valid requests', async () => {
    const o = byId();
    const expectStatus = (reply, status) => assert.equal(reply.status, status, reply.text.slice(0, 400));
    const created = await send(o.createSession, { title: 'walk' });
    expectStatus(created, 201);
    const session = { session_id: created.body.session_id };
    const answer = await send(o.ask, { content: REFERENCE, client_msg_id: 'm-1', filters: { year: 2025 } });
    expectStatus(answer, 200);
    expectStatus(await send(o.ask, { message: REFERENCE, session_id: session.session_id }, { headers: { 'idempotency-key': 'walk' } }), 200);
    expectStatus(await send(o.askStream, { content: REFERENCE }), 200);
    expectStatus(await send(o.askInSession, { content: REFERENCE }, { params: session }), 200);
    expectStatus(await ask(o.listSessions, { query: '?limit=1&q=a&archived=all' }), 200);
    expectStatus(await ask(o.getSession, { params: session }), 200);
    expectStatus(await send(o.editSession, { title: 'b' }, { params: session, headers: { 'if-match': created.headers.get('etag') } }), 200);
    expectStatus(await send(o.editSession, { title: 'c' }, { params: session, headers: { 'if-match': created.headers.get('etag') } }), 412);
    expectStatus(await send(o.editSession, { title: 'c' }, { params: session }), 428);
    const asked = { session_id: answer.body.session_id, message_id: answer.body.message_id, turn_id: answer.body.turn_id };
    expectStatus(await send(o.giveFeedback, { rating: 'up', comment: 'c', correction: 'd' }, { params: asked }), 200);
    expectStatus(await ask(o.listMessages, { params: asked, query: '?limit=200' }), 200);
    expectStatus(await ask(o.exportSession, { params: asked }), 200);
    expectStatus(await ask(o.exportSession, { params: asked, query: '?format=markdown' }), 200);
    const view_id = answer.body.views.find((v) => v.view_type === 'data').view_id;
    expectStatus(await ask(o.exportView, { params: { ...asked, view_id } }), 200);
    expectStatus(await ask(o.exportWorkbook, { params: { ...asked, view_id } }), 200);
    const saved = await send(o.saveView, { message_id: asked.message_id, view_id, title: 'Prices', shared: true });
    expectStatus(saved, 201);
    expectStatus(await ask(o.listSavedViews), 200);
    expectStatus(await ask(o.openSavedView, { params: saved.body }), 200);
    expectStatus(await ask(o.removeSavedView, { params: saved.body }), 204);
    const charted = (await send(o.ask, { content: 'Which reports are viewed most?' })).body;
    const chart = { message_id: charted.message_id, view_id: charted.views.find((v) => v.view_type === 'chart').view_id };
    expectStatus(await ask(o.viewPicture, { params: chart, query: '?width=300&height=200' }), 200);
    expectStatus(await ask(o.getReceipt, { params: { receipt_id: answer.body.receipt_id } }), 200);
    const parts = [{ type: 'text', text: REFERENCE }];
    for (const short of ['', 'Alias']) {
      expectStatus(await send(o[`uiChat${short}`], { id: 'walk', messages: [{ id: 'u1', role: 'user', parts }] }), 200);
      expectStatus(await ask(o[`uiChatResume${short}`], { params: { chat_id: 'walk' } }), 204);
    }
    expectStatus(await send(o.agui, { threadId: 't', runId: 'r', messages: [{ id: 'u1', role: 'user', content: REFERENCE }] }), 200);
    expectStatus(await ask(o.models), 200);
    expectStatus(await ask(o.model, { params: { model: 'vesper' } }), 200);
    for (const stream of [false, true])
      expectStatus(await send(o.completions, { model: 'vesper', stream, messages: [{ role: 'user', content: REFERENCE }] }), 200);
    expectStatus(await send(o.mcp, { jsonrpc: '2.0', id: 1, method: 'tools/list' }), 200);
    expectStatus(await send(o.mcp, { jsonrpc: '2.0', method: 'notifications/initialized' }), 202);
    expectStatus(await ask(o.turnEvents, { params: asked, query: '?after=1' }), 200);
    expectStatus(await ask(o.turnAgents, { params: asked }), 200);
    const last = (await d.rest(rest.token).stream(`/api/v1/turns/${asked.turn_id}/events`)).all();
    expectStatus(await ask(o.turnEvents, { params: asked, query: `?after=${(await last).at(-1).id}` }), 204);
    expectStatus(await ask(o.cancelTurn, { params: asked }), 204);
    expectStatus(await ask(o.createTicket), 200);
    const { token_id } = (await send(o.createToken, { name: 'walk', scopes: ['chat:use'], expires_in_s: 60 })).body;
    expectStatus(await ask(o.listTokens), 200);
    expectStatus(await ask(o.revokeToken, { params: { token_id } }), 204);
    expectStatus(await ask(o.openReport, { params: { report_key: 'dayahead_curve_report' } }), 200);
    expectStatus(await ask(o.listTools), 200);
    expectStatus(await ask(o.listToolsAlias), 200);
    expectStatus(await ask(o.getTool, { params: { name: 'get_average_annual_price' } }), 200);
    for (const id of ['callTool', 'callToolAlias']) {
      const call = (args) => send(o[id], args, { params: { name: 'get_average_annual_price' } });
      const called = await call({ vendor: 'Ascend', market: 'CAISO', hub_zone: 'NP15', year: 2025 });
      expectStatus(called, 200);
      expectStatus(await call({ year: 'soon' }), 422);
      expectStatus(await ask(o.getReceipt, { params: { receipt_id: called.body.receipt_id } }), 200);
    }
    expectStatus(await ask(o.listAgents), 200);
    expectStatus(await ask(o.glossary), 200);
    expectStatus(await ask(o.filterValues, { params: { name: 'hub_zone' }, query: '?q=np' }), 200);
    const components = await ask(o.listComponents);
    expectStatus(components, 200);
    expectStatus(await ask(o.listComponents, { headers: { 'if-none-match': components.headers.get('etag') } }), 304);
    const csv = (text) => ({ body: text, headers: { 'content-type': 'text/csv' } });
    const loaded = async (id, state) => {
      for (;;) {
        const { body } = await ask(o.getSource, { params: { source_id: id } });
        if ((body.load?.state ?? body.state) === state)
          return body;
        assert.notEqual(body.load?.state, 'failed', JSON.stringify(body.load));
      }
    };
    const upload = await ask(o.uploadSource, { query: '?name=days.csv', ...csv('day,n\n01/02/2025,1\n02/03/2025,2\n') });
    expectStatus(upload, 202);
    const mine = { params: { source_id: upload.body.id } };
    const { ask_id } = (await loaded(upload.body.id, 'asking')).load.ask;
    expectStatus(await send(o.answerSource, { ask_id, values: ['never'] }, mine), 422);
    expectStatus(await send(o.answerSource, { ask_id, values: ['dmy'] }, mine), 204);
    await loaded(upload.body.id, 'ready');
    expectStatus(await ask(o.uploadDocument, { query: '?name=Travel.md', body: '# Travel\n\nTrains come before planes.\n',
      headers: { 'content-type': 'text/markdown' } }), 202);
    expectStatus(await ask(o.uploadDocument, { query: '?name=Travel.pdf', body: '%PDF', headers: { 'content-type': 'application/pdf' } }), 415);
    expectStatus(await ask(o.listSources), 200);
    expectStatus(await ask(o.listSources, { query: '?kind=document' }), 200);
    expectStatus(await ask(o.listAllSources, { token: admin }), 200);
    expectStatus(await ask(o.sourceRows, { ...mine, query: '?limit=1' }), 200);
    expectStatus(await ask(o.sourceEvents, mine), 200);
    expectStatus(await send(o.editSource, { name: 'Days', expires_at: null, semantic_profile: { columns: { n: { label: 'Visits' } } } }, mine), 204);
    expectStatus(await send(o.joinSources, { joins: [{ to: UNKNOWN, on: [['n', 'n']] }] }, mine), 422);
    expectStatus(await send(o.joinSources, { joins: [] }, mine), 204);
    expectStatus(await ask(o.replaceSourceData, { ...mine, ...csv('n\n1\n') }), 428);
    expectStatus(await ask(o.replaceSourceData, { ...mine, body: 'n\n1\n2\n', headers: { 'content-type': 'text/csv', 'if-match': '*' } }), 202);
    expectStatus(await ask(o.deleteSource, mine), 202);
    const flow = { token: admin, params: { ...asked, name: 'walked' } };
    expectStatus(await send(o.approve, { name: 'walked', examples: ['And NP15?'] }, flow), 201);
    expectStatus(await ask(o.listFlows, { ...flow, query: '?status=active' }), 200);
    expectStatus(await ask(o.getFlow, flow), 200);
    expectStatus(await ask(o.getFlowText, flow), 200);
    expectStatus(await send(o.editFlow, { status: 'withdrawn' }, { ...flow, headers: { 'if-match': '"1"' } }), 200);
    expectStatus(await send(o.editFlow, { status: 'active' }, { ...flow, headers: { 'if-match': '"1"' } }), 412);
    expectStatus(await ask(o.deleteFlow, flow), 204);
    const [tool] = (await ask(o.listSwitches, { token: admin })).body.data;
    expectStatus(await send(o.setSwitch, { enabled: true }, { params: tool, token: admin }), 200);
    expectStatus(await ask(o.listFeedback, { token: admin, query: '?rating=up&limit=5' }), 200);
    expectStatus(await ask(o.feedbackCase, { token: admin, params: asked }), 200);
    for (const id of ['listAccess', 'listBudgets'])
      expectStatus(await ask(o[id], { token: admin }), 200);
    for (const id of ['usage', 'quality'])
      expectStatus(await ask(o[id], { token: admin, query: '?days=7' }), 200);
    expectStatus(await ask(o.listReceipts, { token: admin, query: '?after=0' }), 200);
    expectStatus(await send(o.demoLogin, { tenant: 'vesper', role: 'viewer' }, { token: null }), 200);
    for (const id of ['livez', 'readyz', 'health', 'healthAlias', 'openapi', 'resourceMetadata', 'resourceMetadataMcp'])
      expectStatus(await ask(o[id], { token: null }), 200);
    expectStatus(await ask(o.deleteSession, { params: asked }), 204);
    expectStatus(await ask(o.deleteUser, { params: { user_id: 'walker' }, token: admin }), 204);
    for (const op of doc.operations())
      assert.ok([...seen].some((s) => s.startsWith(`${op.operationId} 2`)), `${op.operationId} was never called with a valid request`);
  });

  it('is followed for anonymous, foreign and unauthorized callers', async () => {
    for (const op of doc.operations()) {
      if (op.open)
        continue;
      const json = takesJson(op) ? { body: '{}', headers: { 'content-type': 'application/json' } } : {};
      for (const token of [null, 'x', mintToken({ exp: 1 }), mintToken({ secret: 'another secret of more than 32 bytes' })])
        assert.equal((await ask(op, { token, ...json })).status, 401, op.operationId);
      assert.equal((await ask(op, { token: mintToken({ permissions: [] }), ...json })).status, 403, op.operationId);
    }
  });

  it('is followed for unknown and invalid ids', async () => {
    /* An unknown turn and one whose log has expired look the same. */
    const notFound = (op) => op.operationId === 'turnEvents' ? [404, 410] : [404];
    /* Clients resolve ".." as the parent path, which may be another operation. */
    const isElsewhere = (op, id) => id === '..' && doc.doc.paths[op.path.replace(/[^/]+\/\{\w+\}\//, '')];
    for (const op of doc.operations()) {
      const names = op.parameters.filter((p) => p.in === 'path' && p.schema.format === 'uuid');
      for (const id of names.length ? [UNKNOWN, 'x', "' OR 1=1 --", '%00', '..', 'ünknown', 'x'.repeat(2000)] : []) {
        if (isElsewhere(op, id))
          continue;
        const params = Object.fromEntries(names.map((p) => [p.name, id]));
        const validBody = { feedback: { rating: 'up' }, editSession: { title: 'x' }, approve: { name: 'x' } };
        const json = op.operationId === 'giveFeedback' ? validBody.feedback : validBody[op.operationId] ?? { content: 'hi' };
        const token = op.tags[0] === 'admin' ? admin : rest.token;
        const reply = takesJson(op) ? await send(op, json, { token, params, headers: { 'if-match': '*' } }) : await ask(op, { token, params });
        assert.ok(notFound(op).includes(reply.status), `${op.operationId} ${id}: ${reply.status}`);
      }
    }
  });

  it('is followed for invalid bodies', async () => {
    const token = admin;
    const [tool] = (await ask(byId().listSwitches, { token })).body.data;
    const session_id = (await send(byId().createSession, {}, { token })).body.session_id;
    for (const op of doc.operations()) {
      if (!takesJson(op))
        continue;
      const schema = op.requestBody.content['application/json'].schema;
      const params = { ...tool, session_id };
      const raw = (body, type = 'application/json') => ask(op, { token, params, body, headers: { 'content-type': type, 'if-match': '*' } });
      for (const body of ['', '{', '{"a":1}x', '[]', '"x"', 'null', '{"a":1,"a":2}', `{"a":${'['.repeat(100)}${']'.repeat(100)}}`, '{"a":"\\ud800"}', Buffer.from([0x7b, 0xff, 0x7d])])
        assert.equal((await raw(body)).status, 400, `${op.operationId} ${body}`);
      for (const type of ['text/plain', 'application/xml', 'multipart/form-data; boundary=x', ''])
        assert.equal((await raw('{}', type)).status, 415, `${op.operationId} ${type}`);
      /* The body of a dialect may contain a whole conversation. */
      const bytes = op.tags[0] === 'dialects' ? 1_100_000 : 140_000;
      assert.equal((await raw(`{"x":"${'y'.repeat(bytes)}"}`)).status, 413, op.operationId);
      assert.ok([400, 404, 422].includes((await raw('{"no_such_member":1}')).status), op.operationId);
      for (const name of Object.keys(schema.properties ?? {}))
        for (const value of [7.5, {}, [[]], 'x'.repeat(20000)]) {
          if (name === 'filters' || (typeof value === 'string' && ['session_id'].includes(name)))
            continue;
          const { status } = await raw(JSON.stringify({ [name]: value }));
          assert.ok([400, 404, 413, 422].includes(status), `${op.operationId} ${name}: ${status}`);
        }
    }
  });

  it('is followed for invalid queries and methods', async () => {
    for (const op of doc.operations()) {
      if (op.open)
        continue;
      const token = admin;
      const json = takesJson(op) ? { body: '{}', headers: { 'content-type': 'application/json' } } : {};
      assert.equal((await ask(op, { token, ...json, query: '?no_such=1' })).status, 400, op.operationId);
      for (const p of op.parameters.filter((x) => x.in === 'query')) {
        assert.equal((await ask(op, { token, query: `?${p.name}=1&${p.name}=1` })).status, 400, op.operationId);
        if (p.schema.type === 'integer' || p.schema.enum || p.name === 'cursor') {
          const { status } = await ask(op, { token, query: `?${p.name}=no%20such%00value` });
          assert.ok([400, 404].includes(status), `${op.operationId} ${p.name}: ${status}`);
        }
      }
    }
    const paths = new Map();
    for (const op of doc.operations())
      paths.set(op.path, [...(paths.get(op.path) ?? []), op.method]);
    for (const [path, methods] of paths)
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((m) => !methods.includes(m))) {
        const res = await d.rest(admin).call(method, path.replace(/\{\w+\}/g, UNKNOWN), { headers: { 'x-http-method-override': methods[0] } });
        assert.equal(res.status, 405, `${method} ${path}`);
        assert.deepEqual(res.headers.get('allow').split(', ').sort(), [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].sort());
      }
  });

  it('is followed for an unmet expectation and a missing body', { timeout: 60000 }, async () => {
    const exchange = (op, headers, body = '') => new Promise((done, fail) => {
      const path = op.path.replace(/\{\w+\}/g, UNKNOWN);
      let got = '';
      const socket = net.connect(d.port, '127.0.0.1', () => socket.write(`${op.method} ${path} HTTP/1.1\r\nHost: localhost\r\n`
        + `Authorization: Bearer ${admin}\r\n${headers}\r\n${body}`));
      socket.setEncoding('utf8').on('data', (text) => { got += text; }).on('error', fail).on('close', () => done(got));
    });
    const check = (op, reply, status) => {
      const [, code, type] = /^HTTP\/1\.1 (\d+)[^]*?\r\nContent-Type: ([^\r]+)/i.exec(reply) ?? [];
      assert.equal(code, status, `${op.operationId}: ${reply}`);
      doc.check(op, status, type, reply.slice(reply.indexOf('\r\n\r\n') + 4));
    };
    const slow = [...doc.operations()].filter(takesJson)
      .map(async (op) => check(op, await exchange(op, 'If-Match: *\r\nContent-Type: application/json\r\nContent-Length: 9\r\n', '{'), '408'));
    for (const op of doc.operations())
      check(op, await exchange(op, 'Expect: tea\r\n'), '417');
    await Promise.all(slow);
  });

  it('is followed for malformed requests, and the daemon survives', async () => {
    const token = rest.token;
    const auth = `Host: x\r\nAuthorization: Bearer ${token}\r\n`;
    const sendRaw = (text) => new Promise((done) => {
      let got = '';
      const socket = net.connect(d.port, '127.0.0.1', () => socket.write(text));
      socket.setEncoding('latin1').on('data', (t) => { got += t; }).on('error', () => {}).on('close', () => done(got));
      setTimeout(() => socket.destroy(), 700);
    });
    const malformed = {
      dots: `GET /api/v1/../../etc/passwd HTTP/1.1\r\n${auth}\r\n`, encoded: `GET /api/v1/%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\n${auth}\r\n`,
      doubled: `GET //api//v1/sessions HTTP/1.1\r\n${auth}\r\n`, absolute: `GET http://evil/api/v1/nothing HTTP/1.1\r\n${auth}\r\n`,
      nul: `GET /api/v1/sessions%00 HTTP/1.1\r\n${auth}\r\n`, backslash: `GET /api\\v1\\sessions HTTP/1.1\r\n${auth}\r\n`,
      override: `POST /api/v1/sessions/${UNKNOWN} HTTP/1.1\r\n${auth}X-HTTP-Method-Override: DELETE\r\nContent-Length: 0\r\n\r\n`,
      injected: `GET /api/v1/nothing HTTP/1.1\r\n${auth}X-Request-Id: a\rSet-Cookie: x=1\r\n\r\n`,
      folded: `GET /api/v1/nothing HTTP/1.1\r\n${auth}X-Request-Id: a\r\n Set-Cookie: x=1\r\n\r\n`,
      smuggled: `POST /api/v1/nothing HTTP/1.1\r\n${auth}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /livez HTTP/1.1\r\nHost: x\r\n\r\n`,
      lengths: `POST /api/v1/sessions HTTP/1.1\r\n${auth}Content-Type: application/json\r\nContent-Length: -1\r\n\r\n{}`,
      manyHeaders: `GET /livez HTTP/1.1\r\n${auth}${'X: y\r\n'.repeat(5000)}\r\n`, garbage: '\x16\x03\x01\x02\x00\x01\x00',
      slow: 'POST /api/v1/sessions HTTP/1.1\r\n' + auth + 'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    };
    for (const [name, text] of Object.entries(malformed)) {
      const reply = await sendRaw(text);
      assert.doesNotMatch(reply, /^HTTP\/1\.1 2|root:|\nset-cookie/i, `${name}: ${reply.slice(0, 200)}`);
    }
    assert.ok(await d.isAlive());
  });

  it('a ticket works once, and only for its user', async () => {
    const { ticket } = (await ask(byId().createTicket)).body;
    const chat = await d.connect({ via: 'none', ticket });
    assert.equal((await d.rejection({ ticket })).status, 401);
    await chat.close();
  });
});
