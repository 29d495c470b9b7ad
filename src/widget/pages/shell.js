/*
 * Shared by the pages around the element: the conversation's id in the address, so that a reload or a copied link
 * opens it again; the button for a new conversation; and the browser's language.
 */

import { browserTag, loadLocale } from './widget.js';

const HASH = /^#session=([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;

export const chat = document.querySelector('vesper-chat');

function sessionInAddress() {
  return HASH.exec(location.hash)?.[1] ?? null;
}

function showInAddress(sessionId) {
  const hash = sessionId ? `#session=${sessionId}` : '';

  if (location.hash !== hash)
    history.replaceState(null, '', location.pathname + location.search + hash);
}

export function beginAnew() {
  showInAddress(null);
  chat.open(null);
}

/* Translates the page to the language of the address or the browser; elements name their texts in data-say. */
export async function speak() {
  const tag = new URLSearchParams(location.search).get('locale') ?? browserTag();
  const locale = await loadLocale(tag).catch(() => loadLocale('en'));

  document.documentElement.lang = locale.language;
  for (const node of document.querySelectorAll('[data-say]'))
    node.textContent = locale.say(node.dataset.say);
  for (const node of document.querySelectorAll('[data-label]'))
    node.title = node.ariaLabel = locale.say(node.dataset.label);
  chat.locale = tag;
  return locale;
}

export function begin(getToken) {
  document.querySelector('#new').addEventListener('click', () => {
    beginAnew();
    chat.focusInput();
  });
  addEventListener('hashchange', () => {
    if (sessionInAddress() !== chat.sessionId)
      chat.open(sessionInAddress());
  });
  chat.addEventListener('vesper:session', (event) => showInAddress(event.detail.sessionId));
  chat.getToken = getToken;
  chat.open(sessionInAddress());
  if (matchMedia('(pointer: fine)').matches)
    chat.focusInput();
}
