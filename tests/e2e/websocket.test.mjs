/*
 * The WebSocket protocol over raw sockets: sections 5 and 7 of RFC 6455 case by case, in the order of the public
 * Autobahn suite (1 to 7 and 10), on the echo address.
 */

import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDaemon } from './harness.mjs';
import { Raw, upgrade } from './raw.mjs';
import { patient } from './patience.mjs';

const [CONT, TEXT, BINARY, CLOSE, PING, PONG] = [0, 1, 2, 8, 9, 10];
const LIMIT_MS = patient(15000);

/* A client's frame; any field of its header may be made invalid. */
function frame(opcode, payload = '', { fin = true, rsv = 0, masked = true, form, length, mask = [0x37, 0xfa, 0x21, 0x3d] } = {}) {
  const bytes = Buffer.from(payload);
  const n = BigInt(length ?? bytes.length);
  const size = form ?? (n < 126n ? 7 : n < 65536n ? 16 : 64);
  const head = Buffer.alloc(2 + (size === 16 ? 2 : size === 64 ? 8 : 0));
  head[0] = (fin ? 0x80 : 0) | (rsv << 4) | opcode;
  head[1] = (masked ? 0x80 : 0) | (size === 7 ? Number(n) : size === 16 ? 126 : 127);
  if (size === 16)
    head.writeUInt16BE(Number(n), 2);
  if (size === 64)
    head.writeBigUInt64BE(n, 2);
  return Buffer.concat([head, masked ? Buffer.from(mask) : Buffer.alloc(0),
    masked ? Buffer.from(bytes.map((byte, i) => byte ^ mask[i % 4])) : bytes]);
}

const part = (opcode, payload, fin = false) => frame(opcode, payload, { fin });

function closing(code, reason = '') {
  const bytes = Buffer.alloc(2 + Buffer.byteLength(reason));
  bytes.writeUInt16BE(code);
  bytes.write(reason, 2);
  return frame(CLOSE, bytes);
}

/* The frames received after the handshake, as [opcode, payload]. */
function framesOf(raw) {
  const frames = [];
  let at = raw.bytes.indexOf('\r\n\r\n') + 4;
  while (at + 2 <= raw.bytes.length) {
    const first = raw.bytes[at];
    let length = raw.bytes[at + 1];
    let head = 2;
    assert.equal(first & 0x70, 0, 'the server sets no reserved bit');
    assert.ok(length < 128, 'a server does not mask');
    if (length === 126) {
      length = raw.bytes.readUInt16BE(at + 2);
      head = 4;
    } else if (length === 127) {
      length = Number(raw.bytes.readBigUInt64BE(at + 2));
      head = 10;
    }
    if (at + head + length > raw.bytes.length)
      break;
    frames.push([first & 15, Buffer.from(raw.bytes.subarray(at + head, at + head + length))]);
    at += head + length;
  }
  return frames;
}

const isClose = ([opcode]) => opcode === CLOSE;
const describeFrame = ([opcode, payload]) => `${opcode}:${payload.length > 200 ? `${payload.length} bytes` : payload.toString('latin1')}`;

let d;

before(async () => {
  d = await startDaemon({ env: { VESPER_WS_ECHO: '1' } });
});
after(() => d?.stop());

async function openEcho() {
  const raw = await new Raw(d.port).write(upgrade({ path: '/ws/echo' }));
  await raw.until(/\r\n\r\n/);
  assert.equal(raw.status, 101, raw.text);
  return raw;
}

/* `chop`: number of bytes per write. */
async function send(raw, bytes, chop) {
  for (let at = 0; at < bytes.length && !raw.socket.destroyed; at += chop ?? bytes.length) {
    raw.socket.write(bytes.subarray(at, at + (chop ?? bytes.length)));
    if (chop && bytes.length < 300)
      await sleep(1);
  }
}

async function until(raw, test, what) {
  for (const limit = Date.now() + LIMIT_MS; !test(framesOf(raw)); await sleep(2))
    assert.ok(Date.now() < limit, `${what}; so far: ${framesOf(raw).map(describeFrame)}`);
}

/* The frames sent are answered with `expected`, and the connection stays open: a close with 1000 is answered with 1000. */
async function expectReplies(sent, expected, chop) {
  const raw = await openEcho();
  await send(raw, Buffer.concat([sent].flat()), chop);
  await until(raw, (frames) => frames.length >= expected.length, 'replies are missing');
  await send(raw, closing(1000));
  await until(raw, (frames) => frames.some(isClose), 'no close frame arrived');
  assert.equal(await Promise.race([raw.ended, sleep(LIMIT_MS, 'late', { ref: false })]) === 'late', false, 'the connection was not closed');
  const frames = framesOf(raw);
  assert.deepEqual(frames.map(describeFrame), [...expected.map(([opcode, payload]) => describeFrame([opcode, Buffer.from(payload)])), describeFrame([CLOSE, Buffer.from([3, 232])])]);
  raw.done();
}

/* The connection fails with this code (undefined: an empty close is answered) after the `expected` replies. */
async function expectFailure(sent, code, expected = [], chop) {
  const raw = await openEcho();
  await send(raw, Buffer.concat([sent].flat()), chop);
  await until(raw, (frames) => frames.some(isClose), 'no close frame arrived');
  assert.notEqual(await Promise.race([raw.ended, sleep(LIMIT_MS, 'late', { ref: false })]), 'late', 'the connection was not closed');
  const frames = framesOf(raw);
  const [, payload] = frames.at(-1);
  assert.deepEqual(frames.slice(0, -1).map(describeFrame), expected.map(([opcode, text]) => describeFrame([opcode, Buffer.from(text)])));
  assert.ok(isClose(frames.at(-1)));
  assert.equal(payload.length ? payload.readUInt16BE() : undefined, code);
  raw.done();
}

describe('1: complete messages', () => {
  for (const opcode of [TEXT, BINARY])
    for (const length of [0, 1, 125, 126, 127, 128, 65535, 65536])
      it(`${opcode === TEXT ? 'text' : 'binary'} of ${length} bytes`, async () => {
        const payload = Buffer.alloc(length, opcode === TEXT ? '*' : 0xfe);
        await expectReplies(frame(opcode, payload), [[opcode, payload]]);
        if (length)
          await expectReplies(frame(opcode, payload), [[opcode, payload]], length < 200 ? 1 : 997);
      });
  it('a message that is one byte too long: 1009, before its payload', () => expectFailure(frame(TEXT, '', { length: 65537 }), 1009));
  it('a fragmented message that is one byte too long: 1009', () => expectFailure([part(TEXT, 'x'.repeat(65536)), part(CONT, 'y')], 1009));
});

describe('2: ping and pong', () => {
  const any = Buffer.from([0, 255, 254, 253, 252, 251, 0, 255]);
  it('without a payload', () => expectReplies(frame(PING), [[PONG, '']]));
  it('with text', () => expectReplies(frame(PING, 'Hello, world!'), [[PONG, 'Hello, world!']]));
  it('with bytes', () => expectReplies(frame(PING, any), [[PONG, any]]));
  it('of 125 bytes', () => expectReplies(frame(PING, Buffer.alloc(125, 0xfe)), [[PONG, Buffer.alloc(125, 0xfe)]]));
  it('of 125 bytes, one at a time', () => expectReplies(frame(PING, Buffer.alloc(125, 0xfe)), [[PONG, Buffer.alloc(125, 0xfe)]], 1));
  it('of 126 bytes: 1002', () => expectFailure(frame(PING, Buffer.alloc(126)), 1002));
  it('an unsolicited pong', () => expectReplies([frame(PONG), frame(PONG, 'unasked'), frame(PING, 'p')], [[PONG, 'p']]));
  it('ten in a row, and one byte at a time', async () => {
    const many = Array.from({ length: 10 }, (_, i) => `payload-${i}`);
    for (const chop of [undefined, 1])
      await expectReplies(many.map((text) => frame(PING, text)), many.map((text) => [PONG, text]), chop);
  });
});

describe('3: reserved bits', () => {
  for (const rsv of [1, 2, 3, 4, 5, 6, 7])
    it(`${rsv}: 1002, and earlier messages are answered`, async () => {
      await expectFailure([frame(TEXT, 'a'), frame(TEXT, 'b', { rsv }), frame(PING)], 1002, [[TEXT, 'a']]);
      await expectFailure([frame(TEXT, 'a'), frame(BINARY, 'b', { rsv })], 1002, [[TEXT, 'a']], 1);
      await expectFailure(frame(PING, '', { rsv }), 1002);
      await expectFailure(frame(CLOSE, '', { rsv }), 1002);
    });
});

describe('4: unknown opcodes', () => {
  for (const opcode of [3, 4, 5, 6, 7, 11, 12, 13, 14, 15])
    it(`${opcode}: 1002`, async () => {
      await expectFailure(frame(opcode), 1002);
      await expectFailure([frame(TEXT, 'a'), frame(opcode, 'b'), frame(PING)], 1002, [[TEXT, 'a']]);
      await expectFailure([frame(TEXT, 'a'), frame(opcode, 'b')], 1002, [[TEXT, 'a']], 1);
    });
});

describe('5: fragmented messages', () => {
  it('1, 2: a fragmented ping or pong: 1002', async () => {
    await expectFailure([part(PING, 'a'), part(CONT, 'b', true)], 1002);
    await expectFailure([part(PONG, 'a'), part(CONT, 'b', true)], 1002);
    await expectFailure([part(CLOSE, ''), part(CONT, '', true)], 1002);
  });
  it('3 to 5: text in two fragments', async () => {
    for (const chop of [undefined, 1])
      await expectReplies([part(TEXT, 'one '), part(CONT, 'two', true)], [[TEXT, 'one two']], chop);
  });
  it('6 to 8: a ping between fragments', async () => {
    for (const chop of [undefined, 1])
      await expectReplies([part(TEXT, 'one '), frame(PING, 'p'), part(CONT, 'two', true)], [[PONG, 'p'], [TEXT, 'one two']], chop);
  });
  it('9 to 14: a continuation without a start: 1002', async () => {
    for (const fin of [true, false])
      for (const chop of [undefined, 1])
        await expectFailure([part(CONT, 'x', fin), frame(TEXT, 'y')], 1002, [], chop);
  });
  it('15: a continuation after a complete message: 1002', () => expectFailure([part(TEXT, 'a'), part(CONT, 'b', true), part(CONT, 'c'), frame(TEXT, 'd')], 1002, [[TEXT, 'ab']]));
  it('16, 17: repeated continuations without a start: 1002', async () => {
    await expectFailure([part(CONT, 'a'), part(TEXT, 'b'), part(CONT, 'c', true)], 1002);
    await expectFailure([part(CONT, 'a', true), part(TEXT, 'b'), part(CONT, 'c', true)], 1002);
  });
  it('18: a message inside another one: 1002', async () => {
    await expectFailure([part(TEXT, 'a'), part(TEXT, 'b', true)], 1002);
    await expectFailure([part(TEXT, 'a'), part(BINARY, 'b', true)], 1002);
  });
  it('19, 20: five fragments with pings between, at once and slowly', async () => {
    const parts = [part(TEXT, 'a'), part(CONT, 'b'), frame(PING, '1'), part(CONT, 'c'), part(CONT, 'd'), frame(PING, '2'), part(CONT, 'e', true)];
    await expectReplies(parts, [[PONG, '1'], [PONG, '2'], [TEXT, 'abcde']]);
    const raw = await openEcho();
    for (const bytes of parts) {
      await send(raw, bytes);
      await sleep(100);
    }
    await until(raw, (frames) => frames.length === 3, 'replies are missing');
    raw.done();
  });
  it('empty fragments', () => expectReplies([part(TEXT, ''), part(CONT, ''), part(CONT, 'a'), part(CONT, '', true)], [[TEXT, 'a']]));
});

describe('6: text is UTF-8', () => {
  const KOSME = 'κόσμε';
  const hex = (text) => Buffer.from(text.replaceAll(' ', ''), 'hex');
  it('1: empty text, complete and fragmented', async () => {
    await expectReplies(frame(TEXT), [[TEXT, '']]);
    await expectReplies([part(TEXT, ''), part(CONT, ''), part(CONT, '', true)], [[TEXT, '']]);
    await expectReplies([part(TEXT, ''), part(CONT, 'middle'), part(CONT, '', true)], [[TEXT, 'middle']]);
  });
  it('2: complete, fragmented between characters, and in fragments of one byte', async () => {
    const text = Buffer.from('Hello-µ@ßöäüàá-UTF-8!!');
    await expectReplies(frame(TEXT, text), [[TEXT, text]]);
    for (const payload of [text, Buffer.from(KOSME)])
      await expectReplies([...payload].map((byte, i) => part(i ? CONT : TEXT, Buffer.from([byte]), i === payload.length - 1)), [[TEXT, payload]]);
  });
  it('3, 4: an invalid byte fails at once, before the rest of the message', async () => {
    const bad = Buffer.concat([Buffer.from(KOSME), hex('eda080'), Buffer.from('edited')]);
    await expectFailure(frame(TEXT, bad), 1007);
    await expectFailure([...bad].map((byte, i) => part(i ? CONT : TEXT, Buffer.from([byte]), i === bad.length - 1)), 1007);
    await expectFailure(part(TEXT, Buffer.concat([Buffer.from(KOSME), hex('f4908080')])), 1007);
    await expectFailure(frame(TEXT, hex('f490')).subarray(0, 8), 1007);
    await expectFailure(frame(TEXT, Buffer.concat([hex('ce ba e1 bd b9 cf 83 ce bc ce b5 f4'), hex('90'), hex('80 80')])), 1007, [], 1);
  });
  const good = ['ce ba e1 bd b9 cf 83 ce bc ce b5', '00', 'c2 80', 'e0 a0 80', 'f0 90 80 80', '7f', 'df bf', 'ef bf bf', 'f4 8f bf bf',
    'ed 9f bf', 'ee 80 80', 'ef bf bd', 'ef bf be', 'f0 9f bf be', 'f3 bf bf bf'];
  const bad = ['ce', 'ce ba e1', 'ce ba e1 bd', 'ce ba e1 bd b9 cf', 'ce ba e1 bd b9 cf 83 ce', 'f8 88 80 80 80', 'fc 84 80 80 80 80',
    'f7 bf bf bf', 'fb bf bf bf bf', 'fd bf bf bf bf bf', 'f4 90 80 80', '80', 'bf', '80 bf', '80 bf 80', 'c0 20', 'df 20', 'e0 20', 'ef 20',
    'f0 20', 'f7 20', 'fe', 'ff', 'fe fe ff ff', 'c0 af', 'e0 80 af', 'f0 80 80 af', 'c1 bf', 'e0 9f bf', 'f0 8f bf bf', 'c0 80',
    'e0 80 80', 'ed a0 80', 'ed af bf', 'ed b0 80', 'ed bf bf', 'ed a0 80 ed b0 80'];
  for (const bytes of good)
    it(`5 to 23: ${bytes}`, () => expectReplies(frame(TEXT, hex(bytes)), [[TEXT, hex(bytes)]]));
  for (const bytes of bad)
    it(`5 to 23: ${bytes}: 1007`, () => expectFailure(frame(TEXT, hex(bytes)), 1007));
  it('binary may be anything', () => expectReplies(frame(BINARY, hex('ff fe c0')), [[BINARY, hex('ff fe c0')]]));
});

describe('7: closing', () => {
  it('1: a close is answered; frames after it are not', async () => {
    await expectFailure([frame(TEXT, 'a'), closing(1000)], 1000, [[TEXT, 'a']]);
    await expectFailure([closing(1000), closing(1000)], 1000);
    await expectFailure([closing(1000), frame(PING), frame(TEXT, 'x')], 1000);
    await expectFailure([part(TEXT, 'a'), closing(1000), part(CONT, 'b', true)], 1000);
    await expectFailure([frame(TEXT, 'x'.repeat(60000)), closing(1000), frame(PING)], 1000, [[TEXT, 'x'.repeat(60000)]]);
  });
  it('3: without a code, with one byte, with a reason, with the longest, with a longer one', async () => {
    await expectFailure(frame(CLOSE), undefined);
    await expectFailure(frame(CLOSE, 'a'), 1002);
    await expectFailure(closing(1000, 'Hello World!'), 1000);
    await expectFailure(closing(1000, '*'.repeat(123)), 1000);
    await expectFailure(closing(1000, '*'.repeat(124)), 1002);
  });
  it('5: a reason that is not UTF-8: 1007', () => expectFailure(frame(CLOSE, Buffer.from([3, 232, 0xce, 0xba, 0xe1, 0xbd, 0xb9, 0xed, 0xa0, 0x80])), 1007));
  for (const code of [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999])
    it(`7: ${code} is answered with it`, () => expectFailure(closing(code), code));
  for (const code of [0, 999, 1004, 1005, 1006, 1012, 1013, 1014, 1015, 1016, 1100, 2000, 2999, 5000, 65535])
    it(`9, 13: ${code} must not be sent: 1002`, () => expectFailure(closing(code), 1002));
});

describe('unusual frame headers', () => {
  it('no mask: 1002', async () => {
    for (const opcode of [TEXT, BINARY, PING, PONG, CLOSE])
      await expectFailure(frame(opcode, opcode === CLOSE ? Buffer.from([3, 232]) : 'x', { masked: false }), 1002);
    await expectFailure(frame(TEXT, '', { masked: false }), 1002);
  });
  it('a length encoded in more bytes than needed: 1002', async () => {
    await expectFailure(frame(TEXT, 'x', { form: 16 }), 1002);
    await expectFailure(frame(TEXT, 'x', { form: 64 }), 1002);
    await expectFailure(frame(TEXT, 'x'.repeat(125), { form: 16 }), 1002);
    await expectFailure(frame(TEXT, 'x'.repeat(65535), { form: 64 }), 1002);
    await expectFailure(frame(PING, 'x', { form: 16 }), 1002);
  });
  it('a length whose highest bit is set: 1002', async () => {
    await expectFailure(frame(TEXT, '', { length: 1n << 63n }), 1002);
    await expectFailure(frame(BINARY, '', { length: (1n << 64n) - 1n }), 1002);
  });
  it('a mask of zeros, and any other one', async () => {
    for (const mask of [[0, 0, 0, 0], [255, 255, 255, 255], [1, 0, 0, 0]])
      await expectReplies(frame(TEXT, 'masked', { mask }), [[TEXT, 'masked']]);
  });
});

describe('clients that do not read, or not to the end', () => {
  it('pings without reading: pongs beyond the buffer are dropped, but the last one is sent', async () => {
    const raw = await openEcho();
    raw.socket.pause();
    const many = Buffer.concat(Array.from({ length: 20000 }, () => frame(PING, 'x'.repeat(125))));
    for (let i = 0; i < 8; i++)
      await new Promise((done) => raw.socket.write(many, done));
    await send(raw, frame(PING, 'the last one'));
    const got = [];
    raw.socket.removeAllListeners('data').on('data', (data) => got.push(data)).resume();
    for (const limit = Date.now() + LIMIT_MS; !got.at(-1)?.includes('the last one'); await sleep(5))
      assert.ok(Date.now() < limit, 'the last ping was not answered');
    assert.ok(Buffer.concat(got).length < 8 * 20000 * 127);
    raw.done();
  });
  it('half a frame, then the end of input: closed without a close frame', async () => {
    const raw = await openEcho();
    await send(raw, frame(TEXT, 'a'));
    await until(raw, (frames) => frames.length === 1, 'no reply arrived');
    await send(raw, frame(TEXT, 'half').subarray(0, 7));
    raw.socket.end();
    assert.notEqual(await Promise.race([raw.ended, sleep(LIMIT_MS, 'late', { ref: false })]), 'late');
    assert.deepEqual(framesOf(raw).map(describeFrame), ['1:a']);
  });
  it('a close and the end of input at once: the close is answered', async () => {
    const raw = await openEcho();
    raw.socket.end(Buffer.concat([frame(TEXT, 'a'), closing(4000)]));
    await until(raw, (frames) => frames.some(isClose), 'no close frame arrived');
    assert.deepEqual(framesOf(raw).map(describeFrame), ['1:a', describeFrame([CLOSE, Buffer.from([15, 160])])]);
  });
  it('a violation by a client that does not close its side: all three descriptors are freed', async () => {
    const raw = await openEcho();
    /* Counts only sockets, because database files are opened and closed meanwhile. */
    const folder = `/proc/${d.child.pid}/fd`;
    const isSocket = (fd) => {
      try {
        return readlinkSync(`${folder}/${fd}`).startsWith('socket:');
      } catch {
        return false; /* closed meanwhile */
      }
    };
    const open = () => readdirSync(folder).filter(isSocket).length;
    const before = open();
    await send(raw, frame(3));
    await raw.ended;
    for (const limit = Date.now() + LIMIT_MS; open() > before - 3; await sleep(50))
      assert.ok(Date.now() < limit, `${before} descriptors, then ${open()}`);
    raw.done();
  });
});

describe('10: a message in many fragments', () => {
  it('65536 bytes in fragments of 1300', async () => {
    const payload = 'x'.repeat(65536);
    const parts = [];
    for (let at = 0; at < payload.length; at += 1300)
      parts.push(part(at ? CONT : TEXT, payload.slice(at, at + 1300), at + 1300 >= payload.length));
    await expectReplies(parts, [[TEXT, payload]]);
  });
});
