/* Reads a stored conversation, page by page, oldest message first. */

const MAX_PAGES = 50;

async function getPage(url, getToken) {
  let response;

  for (const fresh of [false, true]) {
    const token = await getToken({ fresh });

    response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    if (response.status !== 401)
      break;
  }
  if (!response.ok)
    throw Object.assign(new Error(`history: HTTP ${response.status}`), { status: response.status });
  return response.json();
}

export async function loadHistory(endpoint, sessionId, getToken) {
  const url = new URL(`/api/v1/sessions/${encodeURIComponent(sessionId)}/messages`, endpoint);
  const messages = [];

  for (let i = 0; i < MAX_PAGES; i++) {
    const page = await getPage(url, getToken);

    messages.push(...page.data);
    if (!page.has_more || !page.next_cursor)
      break;
    url.searchParams.set('cursor', page.next_cursor);
  }
  return messages;
}
