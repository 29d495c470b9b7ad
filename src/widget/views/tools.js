/*
 * What one does with a table or a chart: save it, copy it, look at it in another form. Loaded with the first one that
 * is shown.
 */

import { h, icon } from '../dom.js';
import { words } from '../words/tools.js';
import { typesOf, withType } from './types.js';
import { copyTable, saveAs, saveCsv, savePicture } from './save.js';

/* A button that does something, and says when that fails. */
function taking({ say }, { label, name, text }, note, take) {
  const onclick = async ({ currentTarget: button }) => {
    button.disabled = true;
    note.textContent = '';
    try {
      await take();
    } catch {
      note.textContent = say('file_failed');
    }
    button.disabled = false;
  };

  return h('button', { type: 'button', class: text ? 'small worded' : 'small', 'aria-label': label, title: label, onclick }, icon(name), text);
}

const headersOf = (columns) => columns.map(({ label, unit }) => (unit ? `${label} (${unit})` : label));
const noteOf = () => h('span', { class: 'hint', role: 'status' });

/* The rows that are here make a CSV at once; of a result that was cut, and for a workbook, the server is asked.
   whole(kind): a promise of all rows as a file, or nothing while the answer is not stored yet; missing where rows are
   no answer's. */
export function tableTools(box, view, columns, title, locale, whole) {
  locale.learn(words);
  const { say } = locale;
  const note = noteOf();
  const headers = headersOf(columns);
  const csv = async () => saveCsv(view, headers, title, view.truncated && await whole('csv'));
  const xlsx = async () => saveAs(await whole('xlsx'), `${title}.xlsx`);
  const copy = async () => {
    await copyTable(view, headers);
    note.textContent = say('copied');
  };

  box.append(note,
    ...whole ? [taking(locale, { label: say('save_xlsx'), name: 'save', text: 'XLSX' }, note, xlsx)] : [],
    taking(locale, { label: say(view.truncated ? 'save_csv_whole' : 'save_csv'), name: 'save', text: 'CSV' }, note, csv),
    ...navigator.clipboard ? [taking(locale, { label: say('copy_table'), name: 'copy' }, note, copy)] : []);
}

/* redraw(spec, name): draws the chart in another form, called so. */
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
