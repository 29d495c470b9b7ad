/* The card of a component: its text, until the module that draws components is loaded. */

import { h, icon } from '../dom.js';

/* kit: helpers for drawing; fetchAll(): a promise of the definitions. */
export function componentCard(view, kit, fetchAll) {
  const card = h('section', { class: 'card component', part: 'component', 'aria-label': view.alt || view.component },
    h('p', { class: 'component-text' }, view.text));

  import('./components.js').then(({ fillCard }) => fillCard(card, view, kit, fetchAll)).catch(() => {
    card.dataset.state = 'plain';
  });
  return card;
}

/* "Show how": the steps of the plan, drawn when opened. */
export function planPanel(plan, states, kit) {
  const box = h('div', { class: 'plan-box' });
  const panel = h('details', { class: 'answered plan', part: 'plan', ontoggle: async () => {
    if (panel.open && !box.hasChildNodes())
      (await import('./components.js')).drawPlan(box, plan, states, kit);
  } }, h('summary', {}, kit.locale.say('show_how'), icon('chevron')), box);

  return panel;
}
