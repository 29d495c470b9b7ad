/*
 * Places the results of an answer: those of a single agent below the text, those of several agents in one
 * panel per agent.
 */

import { outcomeText } from './answered.js';
import { h } from '../dom.js';

class Place {
  charts = h('div', { class: 'views' });
  views = h('div', { class: 'views' });

  put(node, type) {
    (type === 'chart' ? this.charts : this.views).append(node);
  }
}

export class Panels {
  #locale;
  #shown = new Map();      /* view_id: {view, node, agent} */
  #plain = new Place();
  #byAgent = new Map();    /* agent: {place, root, note}, if there are several */
  #panels = h('div', { class: 'panels' });

  constructor(locale) {
    this.#locale = locale;
    this.root = h('div', { class: 'results', hidden: true }, this.#plain.charts, this.#plain.views, this.#panels);
  }

  get shown() {
    return [...this.#shown.values()];
  }

  /* The charts of a single agent, which may be placed within the text. */
  get charts() {
    return this.#byAgent.size === 0 ? this.#plain.charts : null;
  }

  clear() {
    this.#shown.clear();
    this.#byAgent.clear();
    for (const box of [this.#plain.charts, this.#plain.views, this.#panels])
      box.replaceChildren();
    this.root.prepend(this.#plain.charts);
    this.root.hidden = true;
  }

  /* A later view with the same id replaces the earlier one. */
  show(view, node, agent = view.source?.agent) {
    const old = this.#shown.get(view.view_id);

    this.root.hidden = false;
    this.#shown.set(view.view_id, { view, node, agent });
    if (old)
      old.node.replaceWith(node);
    else if (this.#byAgent.size > 0 || this.#agents().length > 1)
      this.#divide();
    else
      this.#plain.put(node, view.view_type);
  }

  /* Shows each agent's outcome, in the order of the plan; an agent without results is shown with the
     reason. */
  showOutcomes(outcomes = []) {
    const inOrder = [...outcomes].sort((a, b) => String(a.call).localeCompare(String(b.call), 'en', { numeric: true }));
    const agents = new Set([...inOrder.map(({ agent }) => agent).filter(Boolean), ...this.#agents()]);

    if (agents.size < 2)
      return;
    this.root.hidden = false;
    this.#divide();
    for (const agent of agents) {
      const { root, note } = this.#panelOf(agent);

      note.textContent = inOrder.filter((one) => one.agent === agent)
        .map((one) => outcomeText(one, this.#locale)).join(' · ');
      this.#panels.append(root);
    }
  }

  #agents() {
    return [...new Set(this.shown.map(({ agent }) => agent).filter(Boolean))];
  }

  #divide() {
    this.root.prepend(this.#plain.charts);
    for (const { view, node, agent } of this.#shown.values()) {
      const place = agent ? this.#panelOf(agent).place : this.#plain;

      if (!place.charts.contains(node) && !place.views.contains(node))
        place.put(node, view.view_type);
    }
  }

  #panelOf(agent) {
    if (!this.#byAgent.has(agent)) {
      const place = new Place();
      const name = this.#locale.name(agent);
      const note = h('span', { class: 'hint' });
      /* Not a landmark, since another answer may have a panel of the same name. */
      const root = h('div', { class: 'panel', part: 'panel', role: 'group', 'aria-label': name },
        h('header', {}, h('h3', {}, name), note), place.charts, place.views);

      this.#panels.append(root);
      this.#byAgent.set(agent, { place, root, note });
    }
    return this.#byAgent.get(agent);
  }
}
