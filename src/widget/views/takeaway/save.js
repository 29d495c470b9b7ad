/*
 * Exports of an answer: a table as CSV or for the clipboard, a chart as an image. Part of the tools. Headers and
 * file names are those shown on the page; cells have their stored values.
 */

import { h } from '../../dom.js';

const SAVED_MS = 10000;           /* until then the browser has read the file */
const HEAD_BYTES_MAX = 65536;     /* limit of a file's first line */
const PIXELS_EACH = 2;            /* images are also used on high-resolution screens and in print */

/* Spreadsheets execute cells that begin like a formula; a leading apostrophe makes them text. */
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

/* The server's file with the page's headers in place of its first line, which contains column names without line ends. */
async function withHeaders(whole, headers) {
  const head = new Uint8Array(await whole.slice(0, HEAD_BYTES_MAX).arrayBuffer());
  const end = head.indexOf(0x0A);

  return end < 0 ? whole : new Blob([`\uFEFF${lineOf(headers, csvCell, ',')}\r\n`, whole.slice(end + 1)]);
}

/* whole: the file with all rows, if the table was truncated; headers: those of the page. */
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

/* The chart as on the page, with its colours and background. */
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
