/*
 * How the page speaks: its own words in one language, numbers and dates as a region writes them. English
 * is part of the page; other languages are files of their own, loaded when they are asked for. The server
 * speaks English: where it gives a code, other languages have a sentence of their own for it.
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

  /* The words for a key; values fill its {names}, and n chooses among its forms. */
  say = (key, values = {}) => {
    const entry = this.#words[key];
    const form = typeof entry === 'string' ? entry : entry[this.#plurals.select(values.n)] ?? entry.other;

    return form.replace(/\{(\w+)\}/g, (_, name) =>
      (typeof values[name] === 'number' ? this.number(values[name]) : values[name]));
  };

  /* The words of a part that is loaded when it is needed: {language: words}. */
  learn(words) {
    this.#words = { ...this.#words, ...words[this.language] };
  }

  has(key) {
    return Object.hasOwn(this.#words, key);
  }

  /* The server's sentence in English; in another language the page's own, where there is one. */
  ownOr(text, own) {
    return this.language === 'en' ? text ?? own : own ?? text;
  }

  /* The same for what has a code, or is one of a few fixed texts. */
  instead(code, text = code) {
    return this.ownOr(text, this.#instead[code]);
  }

  /* What a filter, a tool or an agent is called. */
  name(name) {
    return this.#names[name] ?? humanize(name);
  }

  /* What a filter is set to; a day as the region writes it. */
  valueText({ label, value }) {
    return this.date([label ?? value].flat().map(readable).join(', '));
  }

  number(value, options = {}) {
    const key = JSON.stringify(options);

    if (!this.#numbers.has(key))
      this.#numbers.set(key, new Intl.NumberFormat(this.tag, options));
    return this.#numbers.get(key).format(value);
  }

  /* A day or a moment of the data, which has no time zone of its own. What is none stays as it is. */
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
    /* As the server's sentences beside it write a day, wherever English is read; the time as the region does. */
    return [new Date(at).toLocaleDateString('en-GB', { ...DAY, month: 'long' }),
      options.hour && new Date(at).toLocaleTimeString(this.tag, TIME)].filter(Boolean).join(', ');
  }
}

/* The first language that the reader's browser asks for and the page speaks. */
export function browserTag() {
  return navigator.languages.find((tag) => tag.startsWith('en') || OTHERS[tag.split('-')[0]]) ?? navigator.language;
}

/* For a tag like "de" or "es-MX"; English words and that region's numbers for a language that is not there. */
export async function loadLocale(tag) {
  let canonical = 'en';

  try {
    [canonical] = Intl.getCanonicalLocales(tag || 'en');
  } catch { /* not a tag: English */ }
  const load = OTHERS[canonical.split('-')[0]];

  return load ? new Locale(canonical, await load()) : new Locale(canonical);
}
