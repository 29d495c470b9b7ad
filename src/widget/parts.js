/* The small pieces below an answer: errors, report links, suggestions. */

import { h, icon } from './dom.js';

const TITLES = {
  busy: 'Another question is still being answered',
  rate_limited: 'Too many questions at once',
  quota: 'The quota is used up',
  denied: 'Not permitted',
  not_found: 'Not found',
  expired: 'This has expired',
  too_long: 'The question is too long',
  timeout: 'That took too long',
  upstream: 'A service behind this one is not answering',
  draining: 'The service is restarting',
};

export function isWebUrl(address) {
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
}

/* A suggestion is a question, or a short label for one. */
export function suggestionChips(suggestions = [], ask) {
  return suggestions.map((suggestion) => {
    const { label, question = label, priority } = typeof suggestion === 'string'
      ? { label: suggestion } : suggestion;

    return h('button', {
      type: 'button',
      class: priority === 'secondary' ? 'chip quiet' : 'chip',
      title: question === label ? undefined : question,
      onclick: () => ask(question),
    }, label ?? question);
  });
}

function retryButton(error, onRetry) {
  const button = h('button', { type: 'button', class: 'chip', onclick: onRetry },
    icon('retry'), 'Try again');

  if (error.retry_after_ms > 0) {
    button.disabled = true;
    setTimeout(() => { button.disabled = false; }, error.retry_after_ms);
  }
  return button;
}

/* Without a turn there is nothing to try again. */
export function errorCard(error, actions, turn) {
  const chips = suggestionChips(error.suggestions, (question) => actions.ask(question));

  return h('div', { class: 'card error', part: 'error' },
    icon('alert'),
    h('div', {},
      h('p', { class: 'card-title' }, TITLES[error.code] ?? 'This did not work'),
      h('p', {}, error.message),
      h('div', { class: 'options' },
        turn && error.retryable && retryButton(error, () => actions.retry(turn)),
        chips)));
}

/* onOpen(report): false if the page shows the report itself. */
export function reportCard(report, onOpen) {
  return h('a', {
    onclick: (event) => onOpen(report) || event.preventDefault(),
    class: 'card report',
    part: 'report',
    href: report.url,
    target: '_blank',
    rel: 'noopener noreferrer',
  }, icon('report'),
  h('span', {},
    h('span', { class: 'card-title' }, report.report_name),
    h('span', { class: 'hint' }, 'Open the report in Power BI')),
  icon('open'));
}
