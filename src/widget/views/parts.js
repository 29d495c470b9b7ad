/* Small parts around an answer: question, errors and suggestions. */

import { h, icon } from '../dom.js';

/* Error codes of views, in addition to those of frames. */
const TITLES = {
  denied: 'not_permitted', NOT_PERMITTED: 'not_permitted', NOT_FOUND: 'error_not_found',
  AMBIGUOUS_REFERENCE: 'error_ambiguous', INPUT_VALIDATION_FAILED: 'error_input', UNKNOWN_ENTITY: 'error_input',
  TOKEN_BUDGET_EXCEEDED: 'error_quota', TIMEOUT: 'error_timeout', RETRIEVAL_FAILED: 'error_upstream',
  SQL_GENERATION_FAILED: 'error_statement', SQL_EXECUTION_FAILED: 'error_statement',
};
/* No failure: the user can rephrase the question. */
const UNCLEAR = new Set(['AMBIGUOUS_REFERENCE', 'INPUT_VALIDATION_FAILED', 'UNKNOWN_ENTITY']);
const MAY_PASS = new Set(['TIMEOUT', 'RETRIEVAL_FAILED', 'SQL_EXECUTION_FAILED', 'SQL_GENERATION_FAILED', 'INTERNAL']);

const FOLD_CHARS = 480;
const FOLD_LINES = 8;

/* The question. A long text is folded, so that the answer is visible. */
export function questionBox(question, { edit }, { say }) {
  const isLong = question.length > FOLD_CHARS || question.split('\n').length > FOLD_LINES;
  const text = h('p', { class: isLong && 'folded' }, question);
  const unfold = isLong && h('button', { type: 'button', class: 'unfold', 'aria-expanded': 'false', onclick: () => {
    const isFolded = text.classList.toggle('folded');

    unfold.textContent = say(isFolded ? 'show_all' : 'show_less');
    unfold.setAttribute('aria-expanded', String(!isFolded));
  } }, say('show_all'));

  return h('div', { class: 'question', part: 'question' },
    h('h2', { class: 'sr-only' }, say('you_asked')), text,
    h('button', { type: 'button', class: 'small', 'aria-label': say('edit_question'), title: say('edit_and_ask'),
      onclick: () => edit(question) }, icon('edit')),
    unfold);
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

function retryButton(error, label, onRetry) {
  const button = h('button', { type: 'button', class: 'chip', onclick: onRetry }, icon('retry'), label);

  if (error.retry_after_ms > 0) {
    button.disabled = true;
    setTimeout(() => { button.disabled = false; }, error.retry_after_ms);
  }
  return button;
}

function titleOf(code, locale) {
  const key = TITLES[code] ?? `error_${code}`;

  return locale.say(locale.has(key) ? key : 'error');
}

/* Advice is shown as text and not offered as a question. */
const isAdvice = (suggestion) => typeof suggestion === 'string' && /\.$/.test(suggestion);

/* error: {code, message, retryable, retry_after_ms?, suggestions?}; without a turn there is no retry. */
export function errorCard(error, { actions, locale, turn }) {
  const suggestions = error.suggestions ?? [];
  const chips = suggestionChips(suggestions.filter((one) => !isAdvice(one)), (question) => actions.ask(question));

  return h('div', { class: UNCLEAR.has(error.code) ? 'card error unclear' : 'card error', part: 'error' },
    icon('alert'),
    h('div', {},
      h('p', { class: 'card-title' }, titleOf(error.code, locale)),
      h('p', { class: 'error-text' }, locale.instead(error.code, error.message)),
      suggestions.filter(isAdvice).map((text) => h('p', { class: 'advice' }, text)),
      h('div', { class: 'options' },
        turn && error.retryable && retryButton(error, locale.say('try_again'), () => actions.retry(turn)),
        chips)));
}

/* The same for a view: {text, error_code, error_details, suggestions}. */
export function errorViewCard({ text, error_code: code, error_details: details, suggestions }, place) {
  return errorCard({ code, message: text, suggestions, retryable: details?.retryable ?? MAY_PASS.has(code) }, place);
}
