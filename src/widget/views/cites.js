/*
 * The passages that an answer cites, one card each: document, heading, quotation. A citation in the text leads to its
 * card by click or Enter, and Escape leads back. Loaded with the first answer that has citations.
 */

import { h, styleInjector } from '../dom.js';
import css from './cites.styles.css';
import { words } from '../words/cites.js';

const addStyles = styleInjector(css);

/* prose: contains the citations; foot: the cards are inserted first; sources: as in chat.complete. */
export function showCites(prose, foot, sources, locale) {
  locale.addWords(words);
  const { say } = locale;
  let citation = null;
  const cards = new Map(sources.map(({ n, document, heading, quote }) => [`[${n}]`,
    h('li', { class: 'card', tabindex: -1, 'aria-label': say('cited_passage', { n, document }) },
      h('strong', {}, `[${n}] ${document}`), heading && h('span', { class: 'hint' }, ` ${heading}`), h('blockquote', {}, quote))]));
  const list = h('ol', { class: 'cites', 'aria-label': say('cited_passages') }, [...cards.values()]);
  const showCard = ({ target }) => {
    const mark = target.closest('.mark.cite');
    const card = cards.get(mark?.textContent);

    if (!card)
      return;
    citation = mark;
    card.scrollIntoView({ block: 'nearest' });
    card.focus();
  };

  addStyles(prose);
  prose.addEventListener('click', showCard);
  prose.addEventListener('keydown', (event) => event.key === 'Enter' && showCard(event));
  list.addEventListener('keydown', (event) => event.key === 'Escape' && citation?.focus());
  foot.prepend(list);
}
