/*
 * Saved results on the welcome screen: those that the user pinned, each refreshed when the page opens, and one that a link
 * shares. Loaded when a conversation starts.
 */

import { h, icon } from '../dom.js';
import { words } from '../words/saved.js';

const PATH = '/api/v1/saved-views';
const SHARED = /^#shared=([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;
const PINNED_MAX = 12; /* results that are loaded at once; others on request */

/* A saved result, its time, and a button to remove it. */
function card(saved, { locale, dataTable }, remove) {
  const { say } = locale;
  const { view } = saved;
  const rows = view.view_type === 'data' ? dataTable({ ...view, title: saved.title }, locale) : h('p', {}, view.text);
  const off = saved.own && h('button', { type: 'button', class: 'small', 'aria-label': say('saved_remove', { title: saved.title }),
    title: say('saved_remove', { title: saved.title }), onclick: remove }, icon('cross'));

  return [h('p', { class: 'hint saved-head' }, view.view_type !== 'data' && h('b', {}, saved.title),
    say(saved.shared ? 'saved_shared' : 'saved_read', { time: locale.dateTime(saved.read_at) }), off), rows];
}

function place(id, kit) {
  const { api, locale: { say } } = kit;
  const root = h('section', { class: 'saved', 'aria-busy': 'true' }, h('p', { class: 'hint' }, say('saved_reading')));
  const remove = async () => {
    try {
      await api.fetch('DELETE', `${PATH}/${id}`);
      root.remove();
    } catch {
      root.append(h('p', { class: 'hint', role: 'alert' }, say('saved_kept')));
    }
  };
  const read = async () => {
    try {
      root.replaceChildren(...card(await api.get(`${PATH}/${id}`), kit, remove));
    } catch ({ status }) {
      root.replaceChildren(h('p', { class: 'hint' }, say(status === 404 ? 'saved_none' : 'saved_failed')));
    }
    root.removeAttribute('aria-busy');
  };

  read();
  return root;
}

/* For a shared link that is opened while the welcome screen is shown. */
let latest;

addEventListener('hashchange', () => latest && SHARED.test(location.hash) && showSaved(latest));

/* kit: {box: the container, api, locale, dataTable(view, locale)} */
export async function showSaved(kit) {
  const { box, api, locale } = kit;

  latest = kit;
  locale.learn(words);
  const shared = SHARED.exec(location.hash)?.[1];
  const { data = [] } = await api.get(PATH).catch(() => ({}));
  const pinned = data.filter((one) => !one.shared).slice(0, PINNED_MAX).map((one) => one.saved_id);

  box.replaceChildren(...[...shared ? [shared] : [], ...pinned].map((id) => place(id, kit)));
}
