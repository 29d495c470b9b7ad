/* Values that a client, a row or a setting may hold and that must end in an error to whoever sent them, never in the daemon's end. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { REFERENCE, startDaemon } from './harness.mjs';

describe('hostile values', () => {
  let d;

  before(async () => {
    d = await startDaemon();
  });
  after(() => d?.stop());

  it('an answer to a clarifying question that is cut inside a character is refused', async () => {
    const chat = await d.connect();
    const { ask_id } = (await chat.ask(REFERENCE.replace('2025', '2039'))).ask;
    for (const character of ['ä', '€', '😀', '\u0301', '\ue000'])
      for (let before = 76; before <= 81; before++) {
        chat.send({ type: 'chat.select', ask_id, values: ['x'.repeat(before) + character.repeat(3)] });
        const { error } = await chat.turn();
        assert.equal(error?.code, 'bad_frame');
        assert.match(error.message, /^values: "x{76}/);
        assert.doesNotMatch(error.message.replace(character, ''), /\ufffd.*\ufffd.*\ufffd.*\ufffd/);
      }
    chat.send({ type: 'chat.select', ask_id, values: ['2025'] });
    assert.equal((await chat.turn()).status, 'ok', 'the question is still open');
    await chat.close();
  });
});
