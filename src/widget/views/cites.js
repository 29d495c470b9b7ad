/*
 * The passages that an answer cites, one card each: document, heading, quotation. A citation in the text leads to its
 * card by click or Enter, and Escape leads back. Loaded with the first answer that has citations.
 */

import { h, lookOf } from '../dom.js';
import css from './cites.styles.css';
import { words } from '../words/cites.js';

const dress = lookOf(css);

/* prose: contains the citations; foot: the cards are inserted first; sources: as in chat.complete. */
export function showCites(prose, foot, sources, locale) {
  locale.learn(words);
  const { say } = locale;
  let from = null;
  const cards = new Map(sources.map(({ n, document, heading, quote }) => [`[${n}]`,
    h('li', { class: 'card', tabindex: -1, 'aria-label': say('cited_passage', { n, document }) },
      h('strong', {}, `[${n}] ${document}`), heading && h('span', { class: 'hint' }, ` ${heading}`), h('blockquote', {}, quote))]));
  const list = h('ol', { class: 'cites', 'aria-label': say('cited_passages') }, [...cards.values()]);
  const lead = ({ target }) => {
    const mark = target.closest('.mark.cite');
    const card = cards.get(mark?.textContent);

    if (!card)
      return;
    from = mark;
    card.scrollIntoView({ block: 'nearest' });
    card.focus();
  };

  dress(prose);
  prose.addEventListener('click', lead);
  prose.addEventListener('keydown', (event) => event.key === 'Enter' && lead(event));
  list.addEventListener('keydown', (event) => event.key === 'Escape' && from?.focus());
  foot.prepend(list);
}
