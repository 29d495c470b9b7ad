/*
 * Requests that the daemon and a proxy in front of it may interpret differently, and conditional requests, sent as raw
 * bytes.
 */

import assert from 'node:assert/strict';
import net from 'node:net';
import { after, before, describe, it } from 'node:test';
import { REFERENCE, startDaemon } from './harness.mjs';
import { mintToken } from './token.mjs';
import { patient } from './patience.mjs';

const LIMIT_MS = patient(15000);
const TITLE = '{"title":"t"}';
const JSON_TYPE = 'Content-Type: application/json\r\n';

describe('a hostile client', () => {
  let d;
  let auth;
  let rest;

  before(async () => {
    d = await startDaemon();
    const token = mintToken({ sub: 'mallory', role: 'admin' });
    rest = d.rest(token);
    auth = `Host: x\r\nAuthorization: Bearer ${token}\r\n`;
  });
  after(() => d?.stop());

  /* Sends the text. Returns everything received until the server closes the connection or `until` returns true. */
  function exchange(text, until = () => false) {
    return new Promise((done, fail) => {
      let received = '';
      const socket = net.connect(d.port, '127.0.0.1', () => socket.write(text));
      const late = setTimeout(() => fail(new Error(`neither a close nor a reply: ${received.slice(0, 300)}`)), LIMIT_MS);
      socket.setEncoding('latin1').on('error', () => {}).on('data', (chunk) => {
        received += chunk;
        if (until(received))
          socket.destroy();
      }).on('close', () => {
        clearTimeout(late);
        done(received);
      });
    });
  }

  const statuses = (text) => [...text.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status));
  const isComplete = (text) => {
    const [, head, body] = /^([^]*?\r\n)\r\n([^]*)$/.exec(text) ?? [];
    const length = /^content-length: (\d+)/im.exec(head ?? '');
    return length !== null && body.length >= Number(length[1]);
  };
  const statusOf = async (text) => statuses(await exchange(text, isComplete))[0];
  const post = (headers, body = TITLE) => `POST /api/v1/sessions HTTP/1.1\r\n${auth}${headers}\r\n${body}`;
  const nextRequest = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n';

  it('smuggles no request past a proxy', async () => {
    const chunked = `d\r\n${TITLE}\r\n0\r\n\r\n`;
    const tricks = {
      'a length and chunks': post(`${JSON_TYPE}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n`, chunked),
      'chunks and a length': post(`${JSON_TYPE}Transfer-Encoding: chunked\r\nContent-Length: 400\r\n`, chunked),
      'an unknown coding': post(`${JSON_TYPE}Transfer-Encoding: xchunked\r\n`, chunked),
      'two codings': post(`${JSON_TYPE}Transfer-Encoding: gzip, chunked\r\n`, chunked),
      'a repeated coding': post(`${JSON_TYPE}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n`, chunked),
      'two lengths': post(`${JSON_TYPE}Content-Length: 13\r\nContent-Length: 14\r\n`),
      'two types': post(`${JSON_TYPE}Content-Type: text/plain\r\nContent-Length: 13\r\n`),
      'two keys': post(`${JSON_TYPE}Idempotency-Key: a\r\nIdempotency-Key: b\r\nContent-Length: 13\r\n`),
      'two hosts': `GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n`,
      'a space before the colon': 'GET /livez HTTP/1.1\r\nHost: x\r\nContent-Length : 5\r\n\r\nhello',
    };
    for (const [name, text] of Object.entries(tricks)) {
      const received = await exchange(text + nextRequest);
      assert.ok(statuses(received).every((status) => status === 400) && received !== '', `${name}: ${received.slice(0, 200)}`);
    }
    assert.equal((await rest.get('/api/v1/sessions')).body.data.length, 0, 'nothing was created');
  });

  it('cannot separate path segments with an encoded slash', async () => {
    for (const path of ['/api/v1%2Fsessions', '/api/v1%2fadmin/tools', '/api%2Fv1%2Fsessions', '/api/v1/%2573essions', '/%2Flivez', '/livez%2F', '/livez%00', '/livez%'])
      assert.equal(await statusOf(`GET ${path} HTTP/1.1\r\n${auth}\r\n`), 404, path);
    for (const [user, status] of [['a%2Fb', 204], ['%C3%BC', 204], ['%ff%fe', 404], ['a%00b', 404], ['a%0Ab', 404], ['a%zz', 404]])
      assert.equal((await rest.delete(`/api/v1/admin/users/${user}`)).status, status, user);
    for (const query of ['q=%ff', 'q=a%00b', 'q=%', '%ff=1', 'limit=1%0A'])
      assert.equal((await rest.get(`/api/v1/sessions?${query}`)).status, 400, query);
  });

  it('may send an absolute URL with any host', async () => {
    assert.equal(await statusOf('GET http://other.example/livez HTTP/1.1\r\nHost: x\r\n\r\n'), 200);
    assert.equal(await statusOf('GET HTTPS://other.example:8443/livez?x HTTP/1.1\r\nHost: x\r\n\r\n'), 200);
    assert.equal(await statusOf(`GET http://other.example//livez HTTP/1.1\r\nHost: x\r\n\r\n`), 404);
  });

  it('must send JSON in UTF-8 without compression', async () => {
    const typed = (type, more = '') => statusOf(post(`Content-Type: ${type}\r\n${more}Content-Length: 13\r\n`));
    for (const type of ['application/json; charset=utf-8', 'application/json;charset="UTF-8"', 'Application/JSON; x=y', 'application/json;'])
      assert.equal(await typed(type), 201, type);
    for (const type of ['application/json; charset=utf-16', 'application/json;x=y;charset=latin1', 'application/jsonx', 'application/json charset=utf-8', ', application/json'])
      assert.equal(await typed(type), 415, type);
    assert.equal(await typed('application/json', 'Content-Encoding: gzip\r\n'), 415);
    assert.equal(await typed('application/json', 'Content-Encoding: identity\r\n'), 201);
  });

  it('gets no body for a HEAD request', async () => {
    const { session_id: session, turn_id: turn, message_id: message, views } = (await rest.post('/api/v1/chat', { content: REFERENCE })).body;
    const paths = ['/livez', '/openapi.json', '/api/v1/sessions', `/api/v1/sessions/${session}`, `/api/v1/sessions/${session}/messages`,
      `/api/v1/messages/${message}/views/${views[0].view_id}/csv`];
    for (const path of paths) {
      const received = await exchange(`HEAD ${path} HTTP/1.1\r\n${auth}\r\n${nextRequest}`, (text) => statuses(text).length === 2);
      assert.deepEqual(statuses(received), [200, 200], path);
      assert.match(received, /^[^]*?content-length: [1-9][^]*?\r\n\r\nHTTP/i, path);
    }
    for (const path of [`/api/v1/turns/${turn}/events`, `/api/v1/sessions/${session}/export`]) {
      const received = await exchange(`HEAD ${path} HTTP/1.1\r\n${auth}\r\n${nextRequest}`);
      assert.deepEqual(statuses(received), [200], path);
      assert.ok(received.endsWith('\r\n\r\n') && received.indexOf('\r\n\r\n') === received.length - 4, path);
    }
  });

  it('changes a session only with its current ETag', async () => {
    const path = `/api/v1/sessions/${(await rest.post('/api/v1/sessions', { title: 'a' })).body.session_id}`;
    const tag = async () => (await rest.get(path)).headers.get('etag');
    const edit = async (match) => (await rest.call('PATCH', path, { json: { title: 'b' }, headers: { 'if-match': match } })).status;
    for (const match of [`W/${await tag()}`, '"a", "b"', (await tag()).slice(1, -1), `${await tag()}x`, '""', ',', `"a"${', "a"'.repeat(900)}`])
      assert.equal(await edit(match), 412, match.slice(0, 60));
    for (const match of [await tag(), '*', ' * '])
      assert.equal(await edit(match), 200, match);
    assert.equal(await edit(`"a", W/"b" ,${await tag()}`), 200, 'the tag is one of a list');
    for (const [known, status] of [[await tag(), 304], [`W/${await tag()}`, 304], [`"a", ${await tag()}`, 304], ['*', 304], ['"a"', 200]]) {
      const reply = await rest.get(path, { headers: { 'if-none-match': known } });
      assert.equal(reply.status, status, known);
      assert.equal(reply.headers.get('etag'), await tag());
      assert.equal(reply.text === '', status === 304);
    }
  });

  it('cannot put control characters in a title', async () => {
    for (const title of ['a\u0007', 'a\u001b[31m', 'a\u007f', 'a\r\nb', '\t'])
      assert.equal((await rest.post('/api/v1/sessions', { title })).status, 422, JSON.stringify(title));
  });
});
