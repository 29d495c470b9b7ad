/*
 * Embeddings in the format of OpenAI's API: the refusals of services in their wording, and vectors that depend only on
 * the words of a text. Words of the same line of MEANINGS are treated as equal, which is all the meaning that tests need.
 */

import { createHash } from 'node:crypto';
import { ApiError } from './validate.mjs';

const MEMBERS = new Set(['model', 'input', 'encoding_format', 'dimensions', 'user']);
const INPUTS_MAX = 2048;
const MEANINGS = [['holiday', 'vacation', 'leave'], ['pay', 'remunerate', 'salary'], ['blaze', 'fire']];
const DIMENSIONS = 64;

function invalid(message, param) {
  throw Object.assign(new ApiError(400, 'invalid_request_error', message), { param, code: null });
}

export function checkEmbeddings(body) {
  for (const name of Object.keys(body))
    if (!MEMBERS.has(name))
      invalid(`Unknown parameter: '${name}'.`, name);
  if (typeof body.model !== 'string')
    invalid('you must provide a model parameter', 'model');
  if (!Array.isArray(body.input) || body.input.length === 0 || body.input.length > INPUTS_MAX)
    invalid(`'input' must be a list of 1 to ${INPUTS_MAX} texts.`, 'input');
  if (body.input.some((text) => typeof text !== 'string' || text === ''))
    invalid("'$.input' is invalid: an empty text, or none.", 'input');
  if (!['float', 'base64', undefined].includes(body.encoding_format))
    invalid(`Invalid value: '${body.encoding_format}'.`, 'encoding_format');
  if (body.dimensions !== undefined && !(Number.isInteger(body.dimensions) && body.dimensions > 0))
    invalid("'dimensions' must be a positive integer.", 'dimensions');
}

const meaning = (word) => MEANINGS.find((words) => words.includes(word))?.[0] ?? word.replace(/s$/, '');

export function vectorOf(text, dims = DIMENSIONS) {
  const vector = new Array(dims).fill(0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []) {
    const hash = createHash('sha256').update(meaning(word)).digest();
    vector[hash.readUInt32LE(0) % dims] += hash[4] & 1 ? 1 : -1;
  }
  return vector;
}

const base64Of = (vector) => Buffer.from(new Float32Array(vector).buffer).toString('base64');

/* In reverse order: clients must use the index. */
export function embeddingsOf(body) {
  const data = body.input.map((text, index) => {
    const vector = vectorOf(text, body.dimensions);
    return { object: 'embedding', index, embedding: body.encoding_format === 'base64' ? base64Of(vector) : vector };
  });
  const tokens = body.input.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0);
  return { object: 'list', data: data.reverse(), model: body.model, usage: { prompt_tokens: tokens, total_tokens: tokens } };
}
