/* A dialog over the conversation: title, tools, content. Bundled with each part that opens one. */

import { h, icon, lookOf } from '../../dom.js';
import css from './dialog.styles.css';
import { words } from '../../words/dialog.js';

const dress = lookOf(css);

/* Opens a dialog in this frame and replaces one of the same name. tools: elements beside the title. */
export function openDialog(frame, { name, title, tools = [] }, locale, ...content) {
  locale.learn(words);
  const close = locale.say('close');
  const dialog = h('dialog', { class: `card dialog ${name}`, 'aria-label': title, onclose: () => dialog.remove() },
    h('div', { class: 'dialog-head' }, h('h2', { class: 'card-title' }, title), tools,
      h('button', { type: 'button', class: 'small', 'aria-label': close, title: close, onclick: () => dialog.close() }, icon('cross'))),
    content);

  dress(frame);
  frame.querySelector(`.${name}`)?.close();
  frame.append(dialog);
  dialog.showModal();
  return dialog;
}
