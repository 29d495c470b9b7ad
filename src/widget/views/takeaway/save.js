/*
 * What one takes along from an answer: a table as CSV or to paste into a document, a chart as a picture. Part of
 * the tools. Headers and file names are those that one reads on the page; cells are as they are stored.
 */

import { h } from '../../dom.js';

const SAVED_MS = 10000;           /* by then the browser has read what is saved */
const HEAD_BYTES_MAX = 65536;     /* a file's first line */
const PIXELS_EACH = 2;            /* a picture is read on sharper screens and in print, too */

/* Spreadsheets run a cell that opens like a formula; a leading apostrophe makes it text. */
function safeCell(value) {
  const text = value === null || value === undefined ? '' : String(value);

  return typeof value === 'string' && /^[\t\r\n]|^[\s\u200B]*[=+\-@＝＋－＠]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
}

function csvCell(value) {
  const text = safeCell(value);

  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const tabbedCell = (value) => safeCell(value).replace(/[\t\r\n]+/g, ' ');
const lineOf = (row, cell, between) => row.map(cell).join(between);

function rowsOf(view) {
  return Array.from({ length: view.row_count }, (_, i) => view.columns.map((name) => view.data_dict[name]?.[i]));
}

export function saveAs(bytes, name) {
  const url = URL.createObjectURL(bytes);

  h('a', { href: url, download: name.replace(/[\\/:*?"<>|]+/g, ' ').trim() }).click();
  setTimeout(() => URL.revokeObjectURL(url), SAVED_MS);
}

/* The server's file with the page's headers instead of its first line, which holds names of columns without line ends. */
async function withHeaders(whole, headers) {
  const head = new Uint8Array(await whole.slice(0, HEAD_BYTES_MAX).arrayBuffer());
  const end = head.indexOf(0x0A);

  return end < 0 ? whole : new Blob([`\uFEFF${lineOf(headers, csvCell, ',')}\r\n`, whole.slice(end + 1)]);
}

/* whole: all rows, where the table was cut; headers: as the page reads them. */
export async function saveCsv(view, headers, title, whole) {
  const bytes = whole ? await withHeaders(whole, headers)
    : new Blob([`\uFEFF${[headers, ...rowsOf(view)].map((row) => lineOf(row, csvCell, ',')).join('\r\n')}`], { type: 'text/csv;charset=utf-8' });

  saveAs(bytes, `${title}.csv`);
}

/* As text with tabs for spreadsheets, and as a table for Word and Outlook. */
export async function copyTable(view, headers) {
  const rows = rowsOf(view);
  const text = [headers, ...rows].map((row) => lineOf(row, tabbedCell, '\t')).join('\r\n');
  const table = h('table', {}, h('tr', {}, headers.map((header) => h('th', {}, header))),
    rows.map((row) => h('tr', {}, row.map((value) => h('td', {}, safeCell(value))))));

  await navigator.clipboard.write([new ClipboardItem({
    'text/plain': new Blob([text], { type: 'text/plain' }),
    'text/html': new Blob([table.outerHTML], { type: 'text/html' }),
  })]);
}

/* The drawing as it is on the page, with its colours and its ground. */
function pictureText(svg) {
  const copy = svg.cloneNode(true);
  const { color, fontFamily } = getComputedStyle(svg);
  const ground = svg.ownerDocument.createElementNS('http://www.w3.org/2000/svg', 'rect');

  for (const [name, value] of [['width', '100%'], ['height', '100%'],
    ['fill', getComputedStyle(svg.closest('figure')).backgroundColor]])
    ground.setAttribute(name, value);
  copy.prepend(ground);
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('color', color);
  copy.setAttribute('font-family', fontFamily);
  return new XMLSerializer().serializeToString(copy);
}

async function rasterOf(text, width, height) {
  const image = new Image();
  const canvas = h('canvas', { width: width * PIXELS_EACH, height: height * PIXELS_EACH });

  image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
  await image.decode();
  canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
}

/* kind: "png" or "svg" */
export async function savePicture(box, title, kind) {
  const svg = box.querySelector('svg');
  const text = pictureText(svg);
  const { width, height } = svg.getBoundingClientRect();

  saveAs(kind === 'svg' ? new Blob([text], { type: 'image/svg+xml' }) : await rasterOf(text, width, height), `${title}.${kind}`);
}
