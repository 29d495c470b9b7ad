/* A chart's place in an answer: a frame with its text alternative; Vega is fetched for the first one only. */

import { h, icon } from '../dom.js';
import { tableTitle } from './table.js';

function tooltipText(value) {
  return typeof value === 'object'
    ? Object.entries(value).map(([name, text]) => `${name}: ${text}`).join(' · ') : String(value);
}

/* The picture as it stands there. */
function tools(box, title, { say }) {
  return h('div', { class: 'data-tools' }, ['png', 'svg'].map((kind) => {
    const label = say(`save_${kind}`);
    const onclick = async () => (await import('./save.js')).savePicture(box, title, kind);

    return h('button', { type: 'button', class: 'small worded', 'aria-label': label, title: label, onclick }, icon('save'), kind.toUpperCase());
  }));
}

export function chartCard(view, locale) {
  /* Vega gives its box roles of its own; to a reader the whole is one picture with its words. */
  const box = h('div', { class: 'chart-box' });
  const tip = h('div', { class: 'chart-tip', 'aria-hidden': 'true', hidden: true });
  const card = h('figure', { class: 'card chart-card', part: 'chart', 'data-type': view.chart_type },
    h('div', { role: 'img', 'aria-label': view.alt }, h('div', { 'aria-hidden': 'true' }, box)), tip,
    h('figcaption', { class: 'sr-only' }, `${tableTitle(view, locale)}: ${view.alt}`));
  const onTooltip = (value, event) => {
    const frame = card.getBoundingClientRect();

    tip.hidden = value === null || value === '';
    if (tip.hidden)
      return;
    tip.textContent = tooltipText(value);
    tip.style.left = `${Math.max(0, Math.min(event.clientX - frame.left + 12, frame.width - tip.offsetWidth - 8))}px`;
    tip.style.top = `${event.clientY - frame.top + 14}px`;
  };

  const show = async () => {
    try {
      const { draw } = await import('./charts.js');

      await draw(box, view.chart_spec, onTooltip, locale.tag);
      card.dataset.state = 'drawn';
      card.prepend(tools(box, tableTitle(view, locale), locale));
    } catch {
      card.dataset.state = 'failed';
      box.replaceChildren(h('p', { class: 'hint' }, locale.say('no_chart', { alt: view.alt })));
    }
  };

  /* Vega measures the box, so it must be on the page. */
  requestAnimationFrame(show);
  return card;
}
