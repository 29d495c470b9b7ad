/* A component's place in an answer: its words, until the module that draws components is there. */

import { h, icon } from '../dom.js';

const FRESH_MS = 60 * 60 * 1000;
let loaded = { at: -Infinity };

/* What there is to draw, asked for once an hour, and when something of a view is not known. */
function definitions(fetchAll, known) {
  const now = performance.now();

  if (now - loaded.at > FRESH_MS || !known(loaded.list ?? [])) {
    loaded = { at: now };
    loaded.promise = fetchAll().then((list) => {
      loaded.list = list;
      return list;
    });
  }
  return loaded.promise;
}

/* kit: what the module draws with; fetchAll(): a promise of the definitions. */
export function componentCard(view, kit, fetchAll) {
  const card = h('section', { class: 'card component', part: 'component', 'aria-label': view.alt || view.component },
    h('p', { class: 'component-text' }, view.text));
  const find = (list) => list.find(({ name, props }) => name === view.component && Object.keys(view.props).every((prop) => prop in props));

  (async () => {
    const [list, { drawComponent }] = await Promise.all([definitions(fetchAll, find), import('./components.js')]);
    const definition = find(list);

    if (definition)
      drawComponent(card, view, definition, kit);
    card.dataset.state = definition ? 'drawn' : 'plain';
  })().catch(() => {
    loaded.at = -Infinity;
    card.dataset.state = 'plain';
  });
  return card;
}

/* "Show how": the steps of the plan, drawn when somebody looks. */
export function planPanel(plan, states, kit) {
  const box = h('div', { class: 'plan-box' });
  const panel = h('details', { class: 'answered plan', part: 'plan', ontoggle: async () => {
    if (panel.open && !box.hasChildNodes())
      (await import('./components.js')).drawPlan(box, plan, states, kit);
  } }, h('summary', {}, kit.locale.say('show_how'), icon('chevron')), box);

  return panel;
}
