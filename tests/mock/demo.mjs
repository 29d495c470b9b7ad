/*
 * A reasonable model for day-ahead questions, implemented with regular expressions. It uses only the content of the
 * request (the schema to fill, the tools, the data in the prompt) and not the wording of prompts, so that prompts can be
 * rewritten without changing it.
 */

import { typesOf } from './validate.mjs';

const MARKETS = ['CAISO', 'ERCOT', 'MISO', 'PJM', 'NYISO', 'ISO-NE', 'SPP'];
const MONTHS = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august',
  'september', 'october', 'november', 'december'];

export function demoReply(body) {
  const facts = factsOf(body);
  if (body.output_config?.format)
    return { kind: 'structured', json: fillSchema(body.output_config.format.schema, facts) };
  const call = toolCallFor(body, facts);
  if (call)
    return { kind: 'tools', text: 'Let me look that up.', tools: [call], thinking: '' };
  return { kind: 'answer', text: answerFrom(body, facts) };
}

/* ---- what the user asks ---- */

export function textOf(message) {
  if (typeof message?.content === 'string')
    return message.content;
  return (message?.content ?? []).map((b) => {
    if (b.type === 'text')
      return b.text;
    if (b.type === 'tool_result')
      return typeof b.content === 'string' ? b.content : textOf({ content: b.content ?? [] });
    return '';
  }).join('\n');
}

function userText(message) {
  if (typeof message.content === 'string')
    return message.content;
  return message.content.filter((b) => b.type === 'text').map((b) => b.text).join('\n');
}

/* A prompt may contain the date, filters and data around the question: extracts only the question. */
function questionIn(text) {
  const tagged = /<(user_)?question>([^]*?)<\/(user_)?question>/i.exec(text);
  if (tagged)
    return tagged[2].trim();
  const member = /"(?:question|user_question|content)"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(text);
  if (member)
    return JSON.parse(`"${member[1]}"`);
  const labelled = /^\W*(?:user(?:'s)? )?question\W*[:\n]\s*(.+)$/im.exec(text);
  if (labelled)
    return labelled[1].trim();
  const asking = text.split('\n').filter((l) => l.trim().endsWith('?'));
  return (asking.pop() ?? text).trim();
}

function matchAll(text, pattern) {
  return [...new Set([...text.matchAll(pattern)].map((m) => m[0]))];
}

function readFacts(text) {
  const facts = { question: text };
  const vendors = [];
  if (/\bascend\b/i.test(text))
    vendors.push('Ascend');
  if (/\b(hitachi|icf)\b/i.test(text))
    vendors.push('Hitachi');
  const zones = matchAll(text, /\b(?:[A-Z]{2}\d{2}|(?:HB|LZ)_[A-Z]+)\b/g);
  const market = MARKETS.find((m) => new RegExp(`\\b${m}\\b`, 'i').test(text));
  const asof = /\b(?:(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)|Q[1-4])_20\d\d\b/.exec(text);
  const year = /\b20\d\d\b/.exec(asof ? text.replace(asof[0], '') : text);
  const month = MONTHS.findIndex((m) => new RegExp(`\\b${m}\\b`, 'i').test(text));
  const reference = /\b(base|high|low) case\b/i.exec(text);

  if (vendors.length > 0)
    Object.assign(facts, { vendor: vendors[0], vendors });
  if (zones.length > 0)
    Object.assign(facts, { hub_zone: zones[0], hub_zones: zones });
  if (market ?? marketOf(zones[0]))
    facts.market = market ?? marketOf(zones[0]);
  if (year)
    Object.assign(facts, { year: Number(year[0]), years: [Number(year[0])] });
  if (month >= 0)
    Object.assign(facts, { month: month + 1, months: [month + 1] });
  if (asof)
    Object.assign(facts, { asof: asof[0], asof_date: asof[0] });
  if (reference)
    facts.reference = reference[1][0].toUpperCase() + reference[1].slice(1).toLowerCase();
  return facts;
}

function marketOf(zone) {
  if (/^(NP15|SP15|ZP26)$/.test(zone ?? ''))
    return 'CAISO';
  return /^(HB|LZ)_/.test(zone ?? '') ? 'ERCOT' : undefined;
}

export function factsOf(body) {
  const asked = body.messages.filter((m) => m.role === 'user' && userText(m) !== '')
    .map((m) => questionIn(userText(m)));
  const facts = readFacts(asked.pop() ?? '');
  /* "and for SP15?" inherits the other facts of earlier questions */
  if (/^\s*(and|what about|how about|same)\b/i.test(facts.question))
    for (const earlier of asked.reverse()) {
      const old = readFacts(earlier);
      for (const [k, v] of Object.entries(old))
        facts[k] ??= v;
    }
  return { ...facts, ...purposeOf(facts) };
}

function purposeOf({ question, hub_zone: zone, vendors }) {
  const q = question.toLowerCase();
  let tool;
  if (/\bcompar|\bvs\b|versus|difference|\bgap\b/.test(q) || vendors?.length > 1)
    tool = 'compare_vendors';
  else if (/hourly|by hour|per hour|distribution|shape|each hour/.test(q))
    tool = 'get_hourly_price_distribution';
  else if (/\b(list|which|what) .*\b(curves?|files?|vendors?|zones?)\b|available/.test(q))
    tool = 'list_available_curves';
  else if (zone || /price|\$\/mwh|day-ahead|average/.test(q))
    tool = 'get_average_annual_price';
  return { tool, intent: tool ? 'dayahead_curve' : 'general', agent: tool && 'dayahead_agent' };
}

/* ---- structured output: fill what the schema asks for ---- */

const NOTHING = Symbol('nothing fits');

export function fillSchema(schema, facts) {
  const value = fill(schema, '', facts, schema);
  return value === NOTHING ? null : value;
}

function fill(schema, name, facts, root) {
  if (schema.$ref)
    return fill(root.$defs[schema.$ref.split('/').pop()], name, facts, root);
  if ('const' in schema)
    return schema.const;
  if (schema.anyOf)
    return fillAny(schema.anyOf, name, facts, root);
  if (schema.enum)
    return fillEnum(schema, name, facts);
  const types = typesOf(schema);
  if (types.includes('object'))
    return fillObject(schema, facts, root);
  if (types.includes('array'))
    return fillArray(schema, name, facts, root);
  return fillScalar(types, name, facts);
}

function fillAny(branches, name, facts, root) {
  for (const branch of branches) {
    if (typesOf(branch).includes('null'))
      continue;
    const value = fill(branch, name, facts, root);
    if (value !== NOTHING)
      return value;
  }
  return branches.some((b) => typesOf(b).includes('null')) ? null : NOTHING;
}

/* The enum determines the meaning of a member, regardless of its name. */
function fillEnum(schema, name, facts) {
  const candidates = [factFor(name, facts), facts.intent, facts.tool, facts.agent, facts.vendor,
    facts.market, facts.hub_zone, 'router', 'model', 'normal'].filter((v) => v !== undefined);
  const hit = candidates.find((v) => schema.enum.includes(v));
  if (hit !== undefined)
    return hit;
  if (schema.enum.includes(null) || typesOf(schema).includes('null'))
    return null;
  const dayAhead = schema.enum.find((v) => facts.tool && /day_?ahead/.test(String(v)));
  return dayAhead ?? (schema.enum.includes('general') ? 'general' : NOTHING);
}

function fillObject(schema, facts, root) {
  const out = {};
  const required = schema.required ?? [];
  for (const [name, s] of Object.entries(schema.properties ?? {})) {
    const value = fill(s, name, facts, root);
    if (value !== NOTHING && !(value === null && !required.includes(name)))
      out[name] = value;
    else if (required.includes(name))
      out[name] = emptyOf(s, root);
  }
  return out;
}

function fillArray(schema, name, facts, root) {
  const items = schema.items ?? {};
  const target = items.$ref ? root.$defs[items.$ref.split('/').pop()] : items;
  if (/depends|option|suggest|clarif/.test(name))
    return [];
  if (target.anyOf)
    return entriesFor(target.anyOf, facts, root);
  if (typesOf(target).includes('object'))
    return fillObjectList(target, facts, root);
  const known = facts[name] ?? facts[`${name}s`];
  if (Array.isArray(known))
    return known;
  const item = fill(target, name.replace(/s$/, ''), facts, root);
  return item === NOTHING || item === null || item === '' ? [] : [item];
}

/* A list of objects contains calls, agents, or name/value pairs. */
function fillObjectList(item, facts, root) {
  const names = Object.keys(item.properties ?? {});
  if (names.includes('value'))
    return pairsFor(item, facts);
  if (!facts.tool)
    return [];
  return [fillObject(item, facts, root)];
}

/* A list of objects with one member each: returns the entries for which a fact is known. */
function entriesFor(forms, facts, root) {
  return forms.map((f) => (f.$ref ? root.$defs[f.$ref.split('/').pop()] : f)).flatMap((f) => {
    if (f.anyOf)
      return entriesFor(f.anyOf, facts, root);
    const [name, ...more] = Object.keys(f.properties ?? {});
    const value = more.length > 0 ? NOTHING : fill(f.properties[name], name.toLowerCase(), facts, root);
    return value === NOTHING || value === null ? [] : [{ [name]: value }];
  });
}

function pairsFor(item, facts) {
  const key = ['name', 'filter', 'key', 'param'].find((k) => item.properties[k]);
  const allowed = item.properties[key]?.enum;
  const textual = typesOf(item.properties.value).includes('string');
  return ['vendor', 'market', 'hub_zone', 'year', 'month', 'asof', 'asof_date', 'reference']
    .filter((n) => facts[n] !== undefined && (!allowed || allowed.includes(n)))
    .filter((n) => n !== 'asof' || allowed?.includes('asof'))
    .map((n) => ({ [key]: n, value: textual ? String(facts[n]) : facts[n] }));
}

function factFor(name, facts) {
  const n = name.toLowerCase();
  if (facts[n] !== undefined)
    return facts[n];
  if (/intent/.test(n))
    return facts.intent;
  if (/agent/.test(n))
    return facts.agent;
  if (n === 'tool' || n === 'name' || n === 'tool_name')
    return facts.tool;
  if (/hub|zone/.test(n))
    return facts.hub_zone;
  return undefined;
}

function fillScalar(types, name, facts) {
  const fact = factFor(name, facts);
  if (/^args|arguments|input$/.test(name) && types.includes('string'))
    return JSON.stringify(argumentsOf(facts));
  if (fact !== undefined && !Array.isArray(fact)) {
    if (types.includes('integer') || types.includes('number'))
      return Number.isFinite(Number(fact)) ? Number(fact) : NOTHING;
    if (types.includes('string'))
      return String(fact);
  }
  if (types.includes('null'))
    return null;
  if (/confidence|score/.test(name) && types.includes('number'))
    return facts.tool ? 0.95 : 0.6;
  if (/^id$|_id$/.test(name) && types.includes('string'))
    return 't1';
  if (/reason|why|summary/.test(name) && types.includes('string'))
    return facts.tool ? 'asks for day-ahead curve data' : 'no data is needed';
  return NOTHING;
}

function emptyOf(schema, root) {
  const target = schema.$ref ? root.$defs[schema.$ref.split('/').pop()] : schema;
  const types = typesOf(target);
  if (types.includes('null') || target.anyOf?.some((b) => typesOf(b).includes('null')))
    return null;
  if (target.enum)
    return target.enum[0];
  return { string: '', integer: 0, number: 0, boolean: false, array: [], object: {} }[types[0]] ?? null;
}

function argumentsOf(facts) {
  const args = {};
  for (const n of ['vendor', 'market', 'hub_zone', 'year', 'month', 'asof', 'reference'])
    if (facts[n] !== undefined)
      args[n] = facts[n];
  if (facts.tool === 'compare_vendors')
    delete args.vendor;
  return args;
}

/* ---- tools ---- */

function toolCallFor(body, facts) {
  if (!body.tools?.length || body.tool_choice?.type === 'none' || !facts.tool)
    return undefined;
  const last = body.messages[body.messages.length - 1];
  if (Array.isArray(last.content) && last.content.some((b) => b.type === 'tool_result'))
    return undefined;
  const tool = body.tools.find((t) => t.name === facts.tool);
  if (!tool)
    return undefined;
  return { name: tool.name, input: fillObject(tool.input_schema, facts, tool.input_schema) };
}

/* ---- the answer, from the numbers in the prompt ---- */

export function answerFrom(body, facts) {
  const last = body.messages[body.messages.length - 1];
  const rows = rowsIn(textOf(last)).filter((r) => Object.keys(r).some((k) => isPrice(k) || /asof|vendor/i.test(k)));
  if (rows.length === 0)
    return answerWithoutRows(textOf(last), facts);
  if (rows.some((r) => column(r, /^hour$/i) !== undefined))
    return answerHours(rows, facts);
  const vendors = new Set(rows.map((r) => column(r, /^vendor$/i)).filter(Boolean));
  if (rows.every((r) => priceOf(r) === undefined))
    return answerList(rows);
  return vendors.size > 1 ? answerComparison(rows, facts) : answerPrice(rows[0], facts);
}

function isPrice(name) {
  return /(avg|average).*price|price.*(avg|average)|avgprice/i.test(name);
}

function column(row, pattern) {
  const key = Object.keys(row).find((k) => pattern.test(k));
  return key === undefined ? undefined : row[key];
}

function priceOf(row) {
  const key = Object.keys(row).find(isPrice) ?? Object.keys(row).find((k) => /price/i.test(k));
  const value = key === undefined ? NaN : Number(String(row[key]).replace(/[$,]/g, ''));
  return Number.isFinite(value) ? value : undefined;
}

function money(value) {
  return `$${value.toFixed(2)}`;
}

function placeOf(row, facts) {
  const zone = column(row, /hub_?zone/i) ?? facts.hub_zone ?? 'the hub-zone';
  const market = column(row, /^market$/i) ?? facts.market;
  const year = column(row, /year/i) ?? facts.year;
  return `${zone}${market ? ` in ${market}` : ''}${year ? ` for ${year}` : ''}`;
}

function answerPrice(row, facts) {
  if (priceOf(row) === undefined)
    return `The data for **${placeOf(row, facts)}** has no price.\n`;
  const vendor = column(row, /^vendor$/i) ?? facts.vendor;
  const asof = column(row, /^as_?of$/i);
  const points = Number(column(row, /data_?points|^count|hours$/i));
  const source = [vendor && `${vendor} forecast`, asof && `as-of ${asof}`].filter(Boolean).join(', ');
  return `The average day-ahead price for **${placeOf(row, facts)}**${source ? ` (${source})` : ''} was **${money(priceOf(row))}/MWh**`
    + `${Number.isFinite(points) ? ` over ${points.toLocaleString('en-US')} hourly data points` : ''}.\n`;
}

function newestPerVendor(rows) {
  const newest = new Map();
  for (const r of rows) {
    const vendor = column(r, /^vendor$/i);
    if (vendor && priceOf(r) !== undefined && !newest.has(vendor))
      newest.set(vendor, r);
  }
  return [...newest.values()];
}

function answerComparison(rows, facts) {
  const [a, b] = newestPerVendor(rows);
  if (!b)
    return answerPrice(a, facts);
  const line = (r) => `| ${column(r, /^vendor$/i)} | ${column(r, /^as_?of$/i) ?? '—'} | ${money(priceOf(r))} |`;
  const gap = priceOf(b) - priceOf(a);
  const percent = Math.abs((100 * gap) / priceOf(a)).toFixed(1);
  return `**Day-ahead price comparison — ${placeOf(a, facts)}**\n\n| Vendor | As-of | Average ($/MWh) |\n|---|---|---|\n`
    + `${line(a)}\n${line(b)}\n\n${column(b, /^vendor$/i)} is **${money(Math.abs(gap))}/MWh (${percent}%) `
    + `${gap < 0 ? 'lower' : 'higher'}** than ${column(a, /^vendor$/i)}.\n`;
}

function answerHours(rows, facts) {
  const priced = rows.filter((r) => priceOf(r) !== undefined && column(r, /^hour$/i) !== undefined);
  const sorted = [...priced].sort((x, y) => priceOf(x) - priceOf(y));
  const low = sorted[0];
  const high = sorted[sorted.length - 1];
  return `The hourly day-ahead price for **${placeOf(low, facts)}** is lowest in hour ${column(low, /^hour$/i)} `
    + `(**${money(priceOf(low))}/MWh**) and highest in hour ${column(high, /^hour$/i)} (**${money(priceOf(high))}/MWh**).\n`;
}

function answerList(rows) {
  const line = (r) => ['vendor', 'market', 'hub_?zone', 'as_?of']
    .map((n) => column(r, new RegExp(`^${n}$`, 'i'))).filter(Boolean).join(', ');
  const lines = [...new Set(rows.map(line))].slice(0, 10);
  return `These curves are available:\n${lines.map((l) => `- ${l}`).join('\n')}\n`;
}

function answerWithoutRows(text, facts) {
  const bare = /avg\w*price\w*[^\d\n]{0,40}(\d+\.\d+)/i.exec(text);
  if (bare)
    return `The average day-ahead price for **${placeOf({}, facts)}** was **${money(Number(bare[1]))}/MWh**.\n`;
  if (facts.tool)
    return `There is no data for ${placeOf({}, facts)}.\n`;
  return 'I can answer questions about day-ahead price curves: averages, hourly shapes, and vendor comparisons.\n';
}

/* ---- rows, in any format that a prompt may use ---- */

export function rowsIn(text) {
  const rows = [...jsonRows(text), ...tableRows(text)];
  return rows.length > 0 ? rows : lineRows(text);
}

/* Every JSON value in the text, regardless of the surrounding text. */
function* jsonValues(text) {
  for (let i = 0; i < text.length; i++) {
    if (text[i] !== '{' && text[i] !== '[')
      continue;
    const end = closingOf(text, i);
    if (end < 0)
      continue;
    try {
      yield JSON.parse(text.slice(i, end + 1));
      i = end;
    } catch {
      /* a bracket of prose */
    }
  }
}

function closingOf(text, from) {
  let depth = 0;
  let quoted = false;
  for (let i = from; i < text.length; i++) {
    if (quoted) {
      if (text[i] === '\\')
        i++;
      else if (text[i] === '"')
        quoted = false;
    } else if (text[i] === '"') {
      quoted = true;
    } else if (text[i] === '{' || text[i] === '[') {
      depth++;
    } else if ((text[i] === '}' || text[i] === ']') && --depth === 0) {
      return i;
    }
  }
  return -1;
}

function jsonRows(text) {
  const rows = [];
  const visit = (v) => {
    if (Array.isArray(v)) {
      v.forEach(visit);
    } else if (typeof v === 'object' && v !== null) {
      const names = v.columns?.map?.((c) => c?.name ?? c);
      if (names && Array.isArray(v.rows) && v.rows.every(Array.isArray))
        v.rows.forEach((r) => rows.push(Object.fromEntries(names.map((n, i) => [n, r[i]]))));
      else if (Object.values(v).some((x) => typeof x !== 'object'))
        rows.push(v);
      Object.values(v).filter((x) => typeof x === 'object').forEach(visit);
    }
  };
  for (const value of jsonValues(text))
    visit(value);
  return rows.filter((r) => Object.keys(r).some((k) => isPrice(k) || /^as_?of$/i.test(k)));
}

/* Markdown, tab, bar or comma separated: a header line that names a price or an as-of date, then lines with the same cells. */
function tableRows(text) {
  const lines = text.split('\n').map((l) => l.trim());
  const rows = [];
  for (const [at, head] of lines.entries()) {
    const separator = ['|', '\t', ','].find((s) => cells(head, s).length > 1);
    if (!separator || !cells(head, separator).some((c) => isPrice(c) || /^as_?of$/i.test(c)))
      continue;
    const names = cells(head, separator);
    for (const line of lines.slice(at + 1)) {
      const values = cells(line, separator);
      if (values.length !== names.length)
        break;
      if (!values.every((v) => /^:?-*:?$/.test(v)))
        rows.push(Object.fromEntries(names.map((n, i) => [n, values[i]])));
    }
  }
  return rows;
}

function cells(line, separator) {
  const inner = separator === '|' ? line.replace(/^\||\|$/g, '') : line;
  return inner.split(separator).map((c) => c.trim().replace(/^"|"$/g, ''));
}

/* "Vendor: Ascend, AvgPrice_PerMWh: 48.73" or name=value, one row a line */
function lineRows(text) {
  return text.split('\n')
    .map((line) => Object.fromEntries([...line.matchAll(/"?([A-Za-z_]\w*)"?\s*[:=]\s*"?([^",;|=:]+?)"?(?=[,;|]|$)/g)]
      .map((m) => [m[1], m[2].trim()])))
    .filter((r) => priceOf(r) !== undefined && Object.keys(r).some(isPrice));
}
