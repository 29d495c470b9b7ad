/* Slow, incomplete and unusual requests, sent as raw bytes. */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { REFERENCE, startDaemon } from './harness.mjs';
import { Raw, textFrame, upgrade } from './raw.mjs';
import { mintToken } from './token.mjs';

const DEADLINE_LIMIT_MS = 40000; /* the deadline for a header is 10 s; the rest is for slow machines */

describe('at the HTTP port', () => {
  let d;
  const raws = [];
  const open = () => {
    const raw = new Raw(d.port);
    raws.push(raw);
    return raw;
  };

  before(async () => {
    d = await startDaemon({ env: { VESPER_AUTH_ORIGINS: 'https://chat.example.com' } });
  });
  after(async () => {
    raws.forEach((r) => r.done());
    await d?.stop();
  });

  async function waitForEnd(raw) {
    const from = Date.now();
    const late = sleep(DEADLINE_LIMIT_MS, 'late', { ref: false });
    assert.notEqual(await Promise.race([raw.ended, late]), 'late', 'the connection was not closed');
    return Date.now() - from;
  }

  describe('slow but valid', () => {
    it('a request byte by byte', async () => {
      const raw = await open().drip('GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
      await raw.until(/\r\n\r\n/);
      assert.equal(raw.status, 200);
    });

    it('an upgrade byte by byte, and the frame after it', async () => {
      const raw = await open().drip(upgrade());
      await raw.until(/session\.ready/);
      assert.equal(raw.status, 101);
      assert.match(raw.text, /s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=/, 'the accept key is correct');
      for (const byte of textFrame('{"type":"ping","t":7}')) {
        raw.socket.write(Buffer.from([byte]));
        await sleep(1);
      }
      await raw.until(/"pong"/);
    });

    it('a frame sent together with the upgrade', async () => {
      const raw = await open().write(Buffer.concat([Buffer.from(upgrade()), textFrame('{"type":"ping","t":8}')]));
      await raw.until(/"pong"/);
    });

    it('a body byte by byte', async () => {
      const body = JSON.stringify({ content: REFERENCE });
      const raw = await open().drip(`POST /api/v1/chat HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`
        + `Authorization: Bearer ${mintToken()}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`);
      await raw.until(/48\.73/);
      assert.equal(raw.status, 200);
    });

    it('a chunked body, several requests on one connection, two pipelined requests', async () => {
      const body = JSON.stringify({ content: REFERENCE });
      const raw = await open().write(`POST /api/v1/chat HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`
        + `Authorization: Bearer ${mintToken()}\r\nTransfer-Encoding: chunked\r\n\r\n`
        + `5\r\n${body.slice(0, 5)}\r\n${(body.length - 5).toString(16)}\r\n${body.slice(5)}\r\n0\r\n\r\n`);
      await raw.until(/48\.73/);
      const get = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n';
      await raw.write(get + get);
      await raw.until(/(HTTP\/1\.1 200[^]*){3}/);
    });

    it('a request after which the client closes its side', async () => {
      const raw = open();
      await raw.opened;
      raw.socket.end('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
      await raw.until(/^HTTP\/1\.1 200/);
      await waitForEnd(raw);
    });
  });

  describe('too slow', () => {
    it('connections are closed at a deadline while others are served', { timeout: 90000 }, async (t) => {
      const silent = open();
      const partialLine = await open().write('GET /w');
      const partialHeader = await open().write('GET /livez HTTP/1.1\r\nHost: x\r\n');
      const partialUpgrade = await open().write(upgrade().slice(0, 60));
      const dripping = open();
      void dripping.drip(`GET /livez HTTP/1.1\r\nX-Slow: ${'a'.repeat(200)}`, 300);
      const drippingUpgrade = open();
      void drippingUpgrade.drip(`GET /ws/v1/chat HTTP/1.1\r\nX-Slow: ${'a'.repeat(200)}`, 300);
      const slowBody = await open().write('POST /api/v1/demo/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
        + 'Content-Length: 100\r\n\r\n{"ten');
      const kinds = { silent, partialLine, partialHeader, partialUpgrade, dripping, drippingUpgrade, slowBody };
      assert.match((await d.ask(REFERENCE)).text, /48\.73/);
      for (const [name, raw] of Object.entries(kinds)) {
        await waitForEnd(raw);
        t.diagnostic(`${name} ended`);
        assert.ok(!(raw.status < 300), `${name} got ${raw.status}`);
      }
      assert.equal(slowBody.status, 408, slowBody.text);
    });

    it('a connection with an incomplete request is closed at once if the client closes its side', async () => {
      for (const text of ['GET', 'GET /ws/', 'GET /livez HTTP/1.1\r\nHost:', upgrade().slice(0, 80)]) {
        const raw = open();
        await raw.opened;
        raw.socket.end(text);
        assert.ok((await waitForEnd(raw)) < 15000, text);
      }
    });

    it('three hundred silent connections delay no other client', async () => {
      const crowd = Array.from({ length: 300 }, () => open());
      await Promise.all(crowd.map((r) => r.opened));
      assert.match((await d.ask(REFERENCE)).text, /48\.73/);
      assert.ok(await d.isAlive());
      crowd.forEach((r) => r.done());
    });
  });

  describe('an unusual upgrade', () => {
    const expectStatus = async (text, ...statuses) => {
      const raw = await open().write(text);
      await raw.until(/\r\n\r\n/);
      assert.ok(statuses.includes(raw.status), raw.text.slice(0, 300));
      return raw;
    };

    it('another version of the protocol', async () => {
      for (const version of ['8', '0', '14', 'x']) {
        const raw = await expectStatus(upgrade({ version }), 426);
        assert.match(raw.text, /Sec-WebSocket-Version: 13/i);
        await waitForEnd(raw);
      }
    });

    it('no version, no key, a plain request', async () => {
      await expectStatus(upgrade({ version: '' }), 400, 426);
      await expectStatus(upgrade({ key: '' }), 400, 426);
      await expectStatus('GET /ws/v1/chat HTTP/1.1\r\nHost: x\r\n\r\n', 400, 426);
      await expectStatus('POST /ws/v1/chat HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n', 400, 404, 405, 426);
    });

    it('another path', async () => {
      for (const path of ['/ws/', '/ws/v2/chat', '/ws/v1/chatter', '/ws/echo', '/ws/v1/../v1/chat'])
        await expectStatus(upgrade({ path }), 400, 404);
      await expectStatus(upgrade({ path: '/ws%2Fv1/chat' }), 404, 426);
      await expectStatus(upgrade({ path: '//ws/v1/chat' }), 404, 426);
    });

    it('on a connection that has served a request: 426, and the connection is closed', async () => {
      const raw = await open().write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
      await raw.until(/^HTTP\/1\.1 200[^]*\r\n\r\n/);
      raw.bytes = Buffer.alloc(0);
      raw.text = '';
      await raw.write(upgrade());
      await raw.until(/\r\n\r\n/);
      assert.equal(raw.status, 426);
      assert.match(raw.text, /connection: close/i);
      await waitForEnd(raw);
    });

    it('a header above the limit', async () => {
      const extra = `X-Big: ${'a'.repeat(20000)}\r\n`;
      for (const text of [upgrade({ extra }), `GET /livez HTTP/1.1\r\nHost: x\r\n${extra}\r\n`]) {
        const raw = await open().write(text);
        await waitForEnd(raw);
        assert.ok(raw.text === '' || raw.status >= 400, raw.text.slice(0, 100));
      }
      const big = await open().write(upgrade({ extra: `X-Big: ${'a'.repeat(12000)}\r\n` }));
      await big.until(/session\.ready/);
    });
  });

  describe('frames that violate the protocol', () => {
    const expectClose = async (bytes, code) => {
      const raw = await open().write(upgrade());
      await raw.until(/session\.ready/);
      raw.bytes = Buffer.alloc(0);
      await raw.write(bytes);
      await waitForEnd(raw);
      const at = raw.bytes.indexOf(0x88);
      assert.ok(at >= 0, 'a close frame was sent');
      assert.equal(raw.bytes.readUInt16BE(at + 2), code);
    };

    it('with a reserved bit', () => expectClose(textFrame('{"type":"ping"}', { first: 0xc1 }), 1002));
    it('with an unknown opcode', () => expectClose(textFrame('{"type":"ping"}', { first: 0x83 }), 1002));
    it('a fragmented ping', () => expectClose(textFrame('x', { first: 0x09 }), 1002));
    it('a continuation without a start', () => expectClose(textFrame('x', { first: 0x80 }), 1002));

    it('unmasked', () => expectClose(textFrame('{"type":"ping","t":1}', { masked: false }), 1002));

    it('close frames with many codes are counted as one metric', async () => {
      for (let code = 3000; code < 3040; code++) {
        const chat = await d.connect();
        chat.ws.close(code);
        await chat.closed;
      }
      const metrics = await (await fetch(`${d.adminUrl}/metrics`)).text();
      const codes = [...metrics.matchAll(/^vesper_ws_closes_total\{code="(\w+)"\} (\d+)/gm)];
      assert.ok(!codes.some(([, code]) => /^3\d/.test(code)), metrics);
      assert.ok(codes.some(([, code, count]) => code === 'other' && Number(count) >= 40), metrics);
    });

    it('metrics have the Prometheus text format', async () => {
      const text = await (await fetch(`${d.adminUrl}/metrics`)).text();
      const kinds = new Map(), helps = new Set(), buckets = new Map();
      assert.ok(text.endsWith('\n'));
      for (const line of text.trimEnd().split('\n')) {
        const help = /^# HELP (\w+) \S.*\.$/.exec(line), type = /^# TYPE (\w+) (counter|gauge|histogram)$/.exec(line);
        if (help) { assert.ok(!helps.has(help[1]), line); helps.add(help[1]); continue; }
        if (type) { assert.ok(helps.has(type[1]) && !kinds.has(type[1]), line); kinds.set(type[1], type[2]); continue; }
        const sample = /^(\w+?)(?:\{((?:\w+="(?:[^"\\]|\\.)*",?)+)\})? (-?\d+)$/.exec(line);
        assert.ok(sample, line);
        const [, name, labels = '', value] = sample, family = name.replace(/_(bucket|sum|count)$/, '');
        if (kinds.has(name)) { assert.notEqual(kinds.get(name), 'histogram', line); continue; }
        assert.equal(kinds.get(family), 'histogram', line);
        const series = family + labels.replace(/,?le="[^"]*"/, ''), histogram = buckets.get(series) ?? { last: 0, end: null };
        buckets.set(series, histogram);
        if (name.endsWith('_bucket')) {
          assert.ok(Number(value) >= histogram.last, line);
          histogram.last = Number(value);
          if (labels.includes('le="+Inf"')) histogram.end = Number(value);
        } else if (name.endsWith('_count')) assert.equal(Number(value), histogram.end, line);
      }
      assert.ok(buckets.size > 0 && kinds.get('vesper_ws_connections') === 'gauge', text);
    });

    it('a connection reset at any time', async () => {
      for (let i = 0; i < 20; i++) {
        const raw = await open().write(Buffer.concat([Buffer.from(upgrade()), textFrame('{"type":"chat.message","content":"hi"}')]));
        if (i % 2)
          await raw.until(/101/);
        raw.socket.resetAndDestroy();
      }
      assert.ok(await d.isAlive());
    });
  });

  describe('an unusual request head', () => {
    const auth = `Authorization: Bearer ${mintToken()}\r\n`;
    const post = (rest, version = '1.1') => `POST /api/v1/sessions HTTP/${version}\r\nHost: x\r\n${auth}Content-Type: application/json\r\n${rest}`;
    const get = (rest) => `GET /livez HTTP/1.1\r\nHost: x\r\n${rest}`;
    const valid = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n';
    const invalid = {
      'a folded line': [400, get('X-A: b\r\n c\r\n\r\n')],
      'a folded line with a tab': [400, get('X-A: b\r\n\tc\r\nX-B: d\r\n\r\n')],
      'a folded line that adds nothing': [400, get('X-A: b\r\n \r\n\r\n')],
      'a folded first line': [400, 'GET /livez HTTP/1.1\r\n Host: x\r\nHost: y\r\n\r\n'],
      'a zero byte in a value': [400, get('X-A: b\0c\r\n\r\n')],
      'a zero byte at the end of a value': [400, get('X-A: b\0\r\nX-B: c\r\n\r\n')],
      'zero bytes at the end of the last value': [400, get('X-A: b\0\0\r\n\r\n')],
      'a zero byte before a value': [400, get('X-A: \0b\r\n\r\n')],
      'a lone CR in a value': [400, get('X-A: b\rX-B: c\r\n\r\n')],
      'a lone CR at the end of a value': [400, get('X-A: b\r\r\n\r\n')],
      'a lone LF': [400, get('X-A: b\nX-B: c\r\n\r\n')],
      'an unknown expectation': [417, post('Expect: tea\r\nContent-Length: 2\r\n\r\n{}')],
      'two expectations': [400, post('Expect: 100-continue\r\nExpect: tea\r\nContent-Length: 2\r\n\r\n{}')],
      'a list of lengths': [400, post('Content-Length: 2, 2\r\n\r\n{}')],
      'a length with a sign': [400, post('Content-Length: +2\r\n\r\n{}')],
      'chunks in HTTP/1.0': [400, post('Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n', '1.0')],
    };

    for (const [name, [status, text]] of Object.entries(invalid))
      for (const behind of [false, true])
        it(`${name}${behind ? ' after a valid request' : ''}: ${status}, and the connection is closed`, async () => {
          const raw = await open().write(Buffer.from((behind ? valid : '') + text + valid, 'latin1'));
          await waitForEnd(raw);
          const statuses = [...raw.text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, s]) => Number(s));
          assert.deepEqual(behind ? statuses.splice(0, 1) : [], behind ? [200] : []);
          /* Responses generated by the HTTP library contain their header twice. */
          assert.ok(statuses.length > 0 && statuses.every((s) => s === status), raw.text.slice(0, 300));
        });

    it('may have blanks around values and many headers, also in several chunks', async () => {
      const many = Array.from({ length: 60 }, (_, i) => `X-${i}:${' '.repeat(i % 4)}${'v'.repeat(i)}${'\t '.repeat(i % 3)}\r\n`).join('');
      const raw = await open().write(get(many.slice(0, 700)));
      await sleep(20);
      await raw.write(`${many.slice(700)}X-Empty:\r\n\r\n${valid}`);
      await raw.until(/200[^]*200/);
    });

    it('may expect 100-continue', async () => {
      const raw = await open().write(post('Expect: 100-continue\r\nContent-Length: 2\r\n\r\n'));
      await raw.until(/100 Continue/);
      await raw.write('{}');
      await raw.until(/201 Created/);
    });
  });

  it('a page of a rebound name gets no token and no details', async () => {
    const body = JSON.stringify({ tenant: 'vesper', role: 'admin' });
    const login = (host) => new Raw(d.port).write(`POST /api/v1/demo/login HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${host}\r\nConnection: close\r\n`
      + `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    const details = (path, host) => new Raw(Number(new URL(d.adminUrl).port))
      .write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    const statusOf = async (request) => {
      const raw = await request;
      await raw.ended;
      return raw.status;
    };
    for (const host of ['evil.example', `evil.example:${d.port}`, '127.0.0.1.evil.example', 'localhost.evil.example'])
      for (const request of [login(host), details('/health', host), details('/metrics', host), details('/readyz', host)])
        assert.equal(await statusOf(request), 403, host);
    for (const host of [`127.0.0.1:${d.port}`, 'localhost', 'LOCALHOST:1', '[::1]:80', 'chat.example.com'])
      assert.equal(await statusOf(login(host)), 200, host);
    assert.equal(await statusOf(details('/metrics', 'localhost')), 200);
    assert.equal(await statusOf(details('/livez', 'evil.example')), 200, 'a probe gets no details');
  });

  it('answers OPTIONS and CONNECT for other targets', async () => {
    for (const [text, status] of [['OPTIONS *', 204], ['OPTIONS /livez', 204], ['OPTIONS /nothing', 204],
      ['CONNECT example.com:443', 405], ['CONNECT /livez', 405], ['TRACE /livez', 405]]) {
      const raw = await open().write(`${text} HTTP/1.1\r\nHost: x\r\n\r\n`);
      await raw.until(/\r\n\r\n/);
      assert.equal(raw.status, status, raw.text);
      assert.match(raw.text, /^Allow: /im);
    }
  });

  it('a refused body is not read after the reply', async () => {
    for (const [method, path] of [['POST', '/api/v1/sessions'], ['PATCH', '/api/v1/sessions/x'], ['PUT', '/api/v1/admin/tools/a/b'],
      ['DELETE', '/api/v1/sessions/x'], ['GET', '/nothing'], ['POST', '/nothing']]) {
      const raw = await open().write(`${method} ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"a`);
      await waitForEnd(raw);
      assert.ok(raw.status >= 400 && raw.status < 500, `${method} ${path}: ${raw.text.slice(0, 100)}`);
      assert.equal([...raw.text.matchAll(/HTTP\/1\.1 /g)].length, 1);
    }
  });

  it('rejects invalid bytes', async () => {
    const invalid = ['\r\n\r\n\r\n\r\n', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 'HELO there\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n', 'GET\r\n\r\n', '\0'.repeat(64)];
    await Promise.all(invalid.map(async (text) => {
      const raw = await open().write(Buffer.from(text, 'latin1'));
      await waitForEnd(raw);
      assert.ok(raw.text === '' || raw.status >= 400, raw.text.slice(0, 100));
    }));
    assert.ok(await d.isAlive());
  });
});
