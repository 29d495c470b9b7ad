/*
 * The page's texts in one language, and the region's format of numbers and dates. English is part of the
 * bundle; other languages are loaded on request. The server sends English texts; for those with a code,
 * other languages have translations.
 */

import { humanize, readable } from './dom.js';
import * as english from './words/words.en.js';

const OTHERS = {
  de: () => import('./words/words.de.js'),
  es: () => import('./words/words.es.js'),
};
const DAY = { year: 'numeric', month: 'short', day: 'numeric', timeZone: 'UTC' };
const TIME = { hour: 'numeric', minute: '2-digit', timeZone: 'UTC' };
const MINUTE = { ...DAY, ...TIME };

export class Locale {
  #words;
  #names;
  #instead;
  #plurals;
  #numbers = new Map();

  constructor(tag = 'en', language = english) {
    this.tag = tag;
    this.#words = language.words;
    this.#names = language.names;
    this.#instead = language.instead ?? {};
    this.language = language === english ? 'en' : tag.split('-')[0];
    this.#plurals = new Intl.PluralRules(this.language);
  }

  /* The text for a key. Values fill its {placeholders}, and n selects the plural form. */
  say = (key, values = {}) => {
    const entry = this.#words[key];
    const form = typeof entry === 'string' ? entry : entry[this.#plurals.select(values.n)] ?? entry.other;

    return form.replace(/\{(\w+)\}/g, (_, name) =>
      (typeof values[name] === 'number' ? this.number(values[name]) : values[name]));
  };

  /* Adds the texts of a lazily loaded part: {language: words}. */
  learn(words) {
    this.#words = { ...this.#words, ...words[this.language] };
  }

  has(key) {
    return Object.hasOwn(this.#words, key);
  }

  /* In English the server's sentence; in another language the page's translation, if any. */
  ownOr(text, own) {
    return this.language === 'en' ? text ?? own : own ?? text;
  }

  /* The same by error code, or by one of a few fixed texts. */
  instead(code, text = code) {
    return this.ownOr(text, this.#instead[code]);
  }

  /* The display name of a filter, a tool or an agent. */
  name(name) {
    return this.#names[name] ?? humanize(name);
  }

  /* The value of a filter as text; dates in the region's format. */
  valueText({ label, value }) {
    return this.date([label ?? value].flat().map(readable).join(', '));
  }

  number(value, options = {}) {
    const key = JSON.stringify(options);

    if (!this.#numbers.has(key))
      this.#numbers.set(key, new Intl.NumberFormat(this.tag, options));
    return this.#numbers.get(key).format(value);
  }

  /* A date of the data, which has no time zone. Other texts are returned unchanged. */
  date(iso) {
    return this.#moment(iso, /^\d{4}-\d{2}-\d{2}(T|$)/, DAY);
  }

  dateTime(iso) {
    return this.#moment(iso, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/, MINUTE);
  }

  #moment(text, pattern, options) {
    const at = pattern.test(text) ? Date.parse(/[zZ]$|T.*[+-]\d\d:?\d\d$|^.{10}$/.test(text) ? text : `${text}Z`) : NaN;

    if (Number.isNaN(at))
      return String(text);
    if (this.language !== 'en')
      return new Date(at).toLocaleString(this.tag, options);
    /* Dates as in the server's sentences, in every English region; times in the region's format. */
    return [new Date(at).toLocaleDateString('en-GB', { ...DAY, month: 'long' }),
      options.hour && new Date(at).toLocaleTimeString(this.tag, TIME)].filter(Boolean).join(', ');
  }
}

/* The first of the browser's languages that the page supports. */
export function browserTag() {
  return navigator.languages.find((tag) => tag.startsWith('en') || OTHERS[tag.split('-')[0]]) ?? navigator.language;
}

/* For a tag such as "de" or "es-MX". An unsupported language gets English texts and its region's numbers. */
export async function loadLocale(tag) {
  let canonical = 'en';

  try {
    [canonical] = Intl.getCanonicalLocales(tag || 'en');
  } catch { /* not a tag: English */ }
  const load = OTHERS[canonical.split('-')[0]];

  return load ? new Locale(canonical, await load()) : new Locale(canonical);
}
