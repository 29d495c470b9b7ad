/* Users with one file each, for tests of analyses, and the labelled questions. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Sources, until } from './sources.mjs';
import { ROLES, mintToken } from './token.mjs';

let userCount = 0;
/* Sources to delete after each test: their number per tenant is limited. */
const uploaded = [];

export const dataOf = (answer) => answer.views.find((view) => view.view_type === 'data');

export async function labelled() {
  return (await readFile(new URL('../route/analytics.jsonl', import.meta.url), 'utf8')).trim().split('\n').map((line) => JSON.parse(line));
}

/* A new user whose only source is this file. */
export async function analyst(d, name, bytes, permissions = ROLES.analyst) {
  const sources = new Sources(d, mintToken({ sub: `analyst-${userCount += 1}`, permissions: [...permissions, 'chat:upload'] }));
  const source = await sources.loaded(bytes, `name=${name}`);

  assert.equal(source.state, 'ready');
  uploaded.push([sources.rest, source.id]);
  /* No error, and every number of the answer is from the data. */
  const askOnce = async (content) => {
    const { body } = await sources.rest.call('POST', '/api/v1/chat', { json: { content } });

    assert.equal(body.status, 'ok', `${content}: ${body.text}`);
    assert.deepEqual(body.checked.items.filter((item) => item.kind !== 'bound').map((item) => item.text), [], `${content}: ${body.text}`);
    return body;
  };
  /* The catalogue overlay of a source is ready after its rows. Until then, questions do not find the file. */
  const ask = async (content) => {
    let answer;

    await until(content, async () => {
      answer = await askOnce(content);
      return !/For example|could not match|did not answer|do not have permission|^Which /.test(answer.text);
    });
    return answer;
  };

  return { ask, sources };
}

/* Deletes the files of all users. */
export async function deleteSources() {
  for (const [rest, id] of uploaded.splice(0))
    await rest.call('DELETE', `/api/v1/data-sources/${id}`);
}
