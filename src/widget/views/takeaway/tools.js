/*
 * Tools of a table or a chart: save, copy, change the chart type. Loaded with the first table or chart.
 */

import { h, icon, lookOf } from '../../dom.js';
import css from './tools.styles.css';
import { words } from '../../words/tools.js';
import { typesOf, withType } from './types.js';
import { copyTable, saveAs, saveCsv, savePicture } from './save.js';

const dress = lookOf(css);

/* A button for an action; reports a failure of the action. */
function taking({ say }, { label, name, text, failed = 'file_failed' }, note, take) {
  const onclick = async ({ currentTarget: button }) => {
    button.disabled = true;
    note.textContent = '';
    try {
      await take();
    } catch {
      note.textContent = say(failed);
    }
    button.disabled = false;
  };

  return h('button', { type: 'button', class: text ? 'small worded' : 'small', 'aria-label': label, title: label, onclick }, icon(name), text);
}

const headersOf = (columns) => columns.map(({ label, unit }) => (unit ? `${label} (${unit})` : label));
const noteOf = () => h('span', { class: 'hint', role: 'status' });

/* A link that loads the result again for the user who opens it. */
const linkTo = (id) => `${location.origin}${location.pathname}${location.search}#shared=${id}`;

/* A complete table is saved as CSV without a request; truncated tables and workbooks come from the server.
   stored: {file(kind): a promise of all rows as a file, save({title, shared}): a promise of the saved view}, for an answer
   that is or will be stored. */
export function tableTools(box, view, columns, title, locale, stored) {
  locale.learn(words);
  dress(box);
  const { say } = locale;
  const note = noteOf();
  const headers = headersOf(columns);
  const csv = async () => saveCsv(view, headers, title, view.truncated && await stored?.file('csv'));
  const xlsx = async () => saveAs(await stored.file('xlsx'), `${title}.xlsx`);
  const copy = async () => {
    await copyTable(view, headers);
    note.textContent = say('copied');
  };
  const pin = async () => {
    await stored.save({ title, shared: false });
    note.textContent = say('pinned');
  };
  const share = async () => {
    const link = linkTo((await stored.save({ title, shared: true })).saved_id);
    const isCopied = await navigator.clipboard?.writeText(link).then(() => true, () => false);

    note.textContent = isCopied ? say('link_copied') : link;
  };
  const button = (key, name, take, text, failed) => taking(locale, { label: say(key), name, text, failed }, note, take);

  box.append(note,
    ...stored && view.source?.call ? [button('pin', 'star', pin, undefined, 'not_saved'), button('share', 'open', share, undefined, 'not_saved')] : [],
    ...stored ? [button('save_xlsx', 'save', xlsx, 'XLSX')] : [],
    button(view.truncated ? 'save_csv_whole' : 'save_csv', 'save', csv, 'CSV'),
    ...navigator.clipboard ? [button('copy_table', 'copy', copy)] : []);
}

/* redraw(spec, name): draws the chart as another type, with this name. */
export function chartTools(box, view, title, locale, redraw) {
  locale.learn(words);
  const { say } = locale;
  const note = noteOf();
  const picture = box.parentNode.querySelector('.chart-box');
  const types = typesOf(view.chart_spec);
  const choose = ({ currentTarget }) => redraw(withType(view.chart_spec, currentTarget.value), say(`chart_${currentTarget.value}`));

  box.append(note,
    ...types.length > 1 ? [h('select', { class: 'small worded', 'aria-label': say('chart_type'), onchange: choose },
      types.map((type, i) => h('option', { value: type, selected: i === 0 }, say(`chart_${type}`))))] : [],
    ...['png', 'svg'].map((kind) =>
      taking(locale, { label: say(`save_${kind}`), name: 'save', text: kind.toUpperCase() }, note, () => savePicture(picture, title, kind))));
}
