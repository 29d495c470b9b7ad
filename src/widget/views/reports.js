/*
 * Embeds a Power BI report in a frame. This module contains Power BI's client and is loaded with the first
 * report. Client and frame exchange messages, only with the origin of the report, which the server has
 * verified as Power BI's. The token is passed in a message and not stored on the page.
 */

import { factories, models, service } from 'powerbi-client';

const FILTER_SCHEMA = 'http://powerbi.com/product/schema#basic';
const VALUE = String.raw`'(?:[^']|'')*'|[^\s',()]+`;
const CONDITION = new RegExp(String.raw`([^\s/]+)/([^\s/]+) (?:eq (${VALUE})|in \(((?:${VALUE})(?:, (?:${VALUE}))*)\))(?: and |$)`, 'y');

const clients = new Map();   /* by origin */

function clientOf(origin) {
  if (!clients.has(origin))
    clients.set(origin, new service.Service(
      (...wires) => Object.assign(factories.hpmFactory(...wires), { defaultTargetOrigin: origin }),
      (...names) => Object.assign(factories.wpmpFactory(...names), { receivedMessageValidation: { expectedMessageOrigin: origin } }),
      factories.routerFactory));
  return clients.get(origin);
}

function nameOf(text) {
  return text.replace(/_x([\dA-F]{4})_/gi, (_, code) => String.fromCharCode(parseInt(code, 16)));
}

function valueOf(text) {
  if (text.startsWith("'"))
    return text.slice(1, -1).replaceAll("''", "'");
  if (text === 'true' || text === 'false')
    return text === 'true';
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/* The filters of a link's address, for the client. A filter that cannot be parsed completely is omitted. */
export function filtersOf(address) {
  const text = new URL(address).searchParams.get('filter') ?? '';
  const filters = [];

  CONDITION.lastIndex = 0;
  while (CONDITION.lastIndex < text.length) {
    const found = CONDITION.exec(text);

    if (!found)
      return [];
    const [, table, column, one, many] = found;
    const values = (one ?? many).match(new RegExp(VALUE, 'g')).map(valueOf);

    filters.push({ $schema: FILTER_SCHEMA, filterType: models.FilterType.Basic, operator: 'In', values,
      target: { table: nameOf(table), column: nameOf(column) } });
  }
  return filters;
}

/*
 * box: an empty element of the page; report: {id, url, token, filters, title, language}. Calls onLoaded() or
 * onError(message). Returns {setToken(token): promise, close()}.
 */
export function embed(box, { id, url, token, filters, title, language }, { onLoaded, onError }) {
  const { protocol, origin } = new URL(url);

  if (protocol !== 'https:')
    throw new Error('a report comes over https');
  const powerbi = clientOf(origin);
  const report = powerbi.embed(box, {
    type: 'report',
    id,
    embedUrl: url,
    accessToken: token,
    tokenType: models.TokenType.Embed,
    permissions: models.Permissions.Read,
    viewMode: models.ViewMode.View,
    filters,
    settings: { panes: { filters: { visible: false } }, localeSettings: { language, formatLocale: language } },
  });

  report.setComponentTitle(title);
  report.on('loaded', () => onLoaded());
  report.on('error', ({ detail }) => onError(detail?.message ?? ''));
  return { setToken: (fresh) => report.setAccessToken(fresh), close: () => powerbi.reset(box) };
}
