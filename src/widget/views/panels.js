/*
 * Where the results of an answer stand: one agent's below the text, several agents' in a panel each, so that
 * it is clear who found what.
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
  #byAgent = new Map();    /* agent: {place, root, note}, once there are several */
  #panels = h('div', { class: 'panels' });

  constructor(locale) {
    this.#locale = locale;
    this.root = h('div', { class: 'results', hidden: true }, this.#plain.charts, this.#plain.views, this.#panels);
  }

  get shown() {
    return [...this.#shown.values()];
  }

  /* The pictures of a single agent, which may stand within the text. */
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

  /* A later view with the same id takes the earlier one's place. */
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

  /* What became of each agent's work, in the order it was asked for: an agent that brought nothing is
     shown with its reason. */
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
      /* Not a landmark: the next answer may have one of the same name. */
      const root = h('div', { class: 'panel', part: 'panel', role: 'group', 'aria-label': name },
        h('header', {}, h('h3', {}, name), note), place.charts, place.views);

      this.#panels.append(root);
      this.#byAgent.set(agent, { place, root, note });
    }
    return this.#byAgent.get(agent);
  }
}
