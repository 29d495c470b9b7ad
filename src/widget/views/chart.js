/* The card of a chart, with its text alternative. Vega is loaded with the first chart. */

import { h } from '../dom.js';
import { tableTitle } from './table.js';

function tooltipText(value) {
  return typeof value === 'object'
    ? Object.entries(value).map(([name, text]) => `${name}: ${text}`).join(' · ') : String(value);
}

export function chartCard(view, locale) {
  /* Vega sets roles inside its box; assistive technology should see one image with a label. */
  const box = h('div', { class: 'chart-box' });
  const tip = h('div', { class: 'chart-tip', 'aria-hidden': 'true', hidden: true });
  const picture = h('div', { role: 'img', 'aria-label': view.alt }, h('div', { 'aria-hidden': 'true' }, box));
  const tools = h('div', { class: 'data-tools' });
  const card = h('figure', { class: 'card chart-card', part: 'chart', 'data-type': view.chart_type },
    tools, picture, tip,
    h('figcaption', { class: 'sr-only' }, `${tableTitle(view, locale)}: ${view.alt}`));
  const onTooltip = (value, event) => {
    const bounds = card.getBoundingClientRect();

    tip.hidden = value === null || value === '';
    if (tip.hidden)
      return;
    tip.textContent = tooltipText(value);
    tip.style.left = `${Math.max(0, Math.min(event.clientX - bounds.left + 12, bounds.width - tip.offsetWidth - 8))}px`;
    tip.style.top = `${event.clientY - bounds.top + 14}px`;
  };

  let finalize;
  const show = async (spec, name) => {
    const { draw } = await import('./charts.js');

    finalize?.();
    finalize = await draw(box, spec, onTooltip, locale.tag);
    /* The text alternative begins with the chart type. */
    if (name)
      picture.setAttribute('aria-label', view.alt.replace(/^[^:]*(?=: )/, name));
  };
  const begin = async () => {
    try {
      await show(view.chart_spec);
      card.dataset.state = 'drawn';
      const { chartTools } = await import('./takeaway/tools.js');

      chartTools(tools, view, tableTitle(view, locale), locale, show);
    } catch {
      /* A drawn chart stays, even if its tools cannot be loaded. */
      card.dataset.state ??= 'failed';
      if (card.dataset.state === 'failed')
        box.replaceChildren(h('p', { class: 'hint' }, locale.say('no_chart', { alt: view.alt })));
    }
  };

  /* Vega measures the box, so the box must be in the document. */
  requestAnimationFrame(begin);
  return card;
}
