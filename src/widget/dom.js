/*
 * Builds elements without parsing HTML, so text is never interpreted as markup. The widget creates all
 * elements here, so it runs under a policy that forbids HTML sinks.
 */

const SVG = 'http://www.w3.org/2000/svg';

const ICONS = {
  star: 'M12 2.5c.9 5.2 3.4 8 9.5 9.5-6.1 1.5-8.6 4.3-9.5 9.5-.9-5.2-3.4-8-9.5-9.5 6.1-1.5 8.6-4.3 9.5-9.5z',
  send: 'M12 19V5m0 0-6 6m6-6 6 6',
  stop: 'M7 7h10v10H7z',
  down: 'M12 5v14m0 0 6-6m-6 6-6-6',
  chevron: 'm9 6 6 6-6 6',
  retry: 'M19 12a7 7 0 1 1-2.1-5M17 3v4h-4',
  report: 'M5 20V10m5 10V4m5 16v-8m5 8V7',
  open: 'M9 5h10v10m0-10L6 18',
  alert: 'M12 8v5m0 3.5v.01M12 3 2.5 20h19z',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  cross: 'm7 7 10 10M17 7 7 17',
  plus: 'M12 5v14M5 12h14',
  calendar: 'M5 6h14v14H5zM5 10h14M9 3v4m6-4v4',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13.5 6.5l4 4',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  save: 'M12 4v11m0 0-5-5m5 5 5-5M5 20h14',
  list: 'M4 6h16M4 12h16M4 18h10',
  help: 'M9 9.5a3 3 0 1 1 3 3V14m0 3v.01M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18',
  admin: 'M4 8h9m4 0h3M4 16h3m4 0h9M13 5v6m-4 2v6',
  bin: 'M5 7h14M10 4h4M7 7l1 13h8l1-13',
  box: 'M4 8h16v12H4zM3 4h18v4H3zM10 12h4',
  up: 'M7 20H4V10h3zm0-9 4-8c1.7 0 2.6 1.2 2.2 2.8L12.5 9H18c1.6 0 2.6 1.4 2.2 2.9l-1.7 6c-.3 1.3-1.3 2.1-2.6 2.1H7',
  thumb: 'M7 4H4v10h3zm0 9 4 8c1.7 0 2.6-1.2 2.2-2.8L12.5 15H18c1.6 0 2.6-1.4 2.2-2.9l-1.7-6c-.3-1.3-1.3-2.1-2.6-2.1H7',
};
const FILLED = new Set(['star', 'stop']);

/* Functions are listeners (named on…), true is an empty attribute; false, null and undefined are omitted. */
export function h(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);

  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false)
      continue;
    if (typeof value === 'function')
      node.addEventListener(name.slice(2), value);
    else
      node.setAttribute(name, value === true ? '' : String(value));
  }
  node.append(...children.flat(Infinity)
    .filter((child) => child !== undefined && child !== null && child !== false));
  return node;
}

export function icon(name) {
  const svg = document.createElementNS(SVG, 'svg');
  const path = document.createElementNS(SVG, 'path');

  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('class', FILLED.has(name) ? 'icon icon-filled' : 'icon');
  svg.setAttribute('aria-hidden', 'true');
  path.setAttribute('d', ICONS[name]);
  svg.append(path);
  return svg;
}

/* The style sheet of a lazily loaded part. Returns a function that adds it once to the root of a node. */
export function lookOf(css) {
  const sheet = new CSSStyleSheet();

  sheet.replaceSync(css);
  return (node) => {
    const root = node.getRootNode();

    if (root.adoptedStyleSheets && !root.adoptedStyleSheets.includes(sheet))
      root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  };
}

/* A UUID; crypto.randomUUID is missing on pages served over plain HTTP, except from localhost. */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));

  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

export function isWebUrl(address) {
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
}

/* Makes codes of the data readable: "at_risk" as words, "Jan_2025" and "Q1_2025" with a blank. */
export function readable(value) {
  const text = String(value).replace(/^(Q\d|[A-Z][a-z]\w)_(?=\d{4}$)/, '$1 ');

  return /^[a-z]+(_[a-z]+)+$/.test(text) ? humanize(text) : text;
}

/* get_average_annual_price -> Average annual price, per_agent -> Per */
export function humanize(name) {
  const words = name.replace(/^(get|list)_|_agent$/g, '').replaceAll('_', ' ').trim();

  return words.charAt(0).toUpperCase() + words.slice(1);
}
