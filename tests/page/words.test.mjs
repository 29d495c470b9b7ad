/* The page's texts: every language has all of them, and formats numbers and dates as its region does. */

import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { loadLocale, Locale } from '../../src/widget/locale.js';
import * as english from '../../src/widget/words/words.en.js';

const SOURCES = new URL('../../src/widget/', import.meta.url);
const WORDS = new URL('words/', SOURCES);
const fields = (entry) => [...new Set(JSON.stringify(entry).match(/\{\w+\}/g) ?? [])].sort();
/* Texts of the parts that are loaded on demand: [{en: words, de: words, …}]. */
const parts = await Promise.all((await readdir(WORDS)).filter((name) => !name.startsWith('words.'))
  .map(async (name) => (await import(new URL(name, WORDS))).words));
const all = Object.assign({}, english.words, ...parts.map(({ en }) => en));
const languages = (await readdir(WORDS)).map((name) => /^words\.(\w+)\.js$/.exec(name)?.[1]).filter(Boolean);

test('at least three languages exist, each with every text and its fields', async () => {
  assert.ok(languages.length >= 3);
  for (const language of languages) {
    const { words } = await import(new URL(`words.${language}.js`, WORDS));

    for (const [own, other] of [[words, english.words], ...parts.map((part) => [part[language], part.en])]) {
      assert.deepEqual(Object.keys(own), Object.keys(other), language);
      for (const [key, entry] of Object.entries(own)) {
        assert.deepEqual(fields(entry), fields(other[key]), `${language}: ${key}`);
        assert.equal(typeof entry, typeof other[key], `${language}: ${key}`);
      }
    }
  }
});

test('each language has a sentence for every error code of the server, and a name for every tool', async () => {
  const sql = (await Promise.all(['energy', 'core'].map((pack) => readdir(new URL(`../../sql/${pack}/`, SOURCES), { recursive: true })))).flat();
  /* Tools are in the folders of a domain; files next to the folders are shared by them. */
  const tools = sql.filter((name) => /\/.*\.sql$/.test(name)).map((name) => /(\w+)[.\w]*\.sql$/.exec(name)[1]);
  const codes = ['bad_frame', 'unknown_type', 'too_long', 'busy', 'rate_limited', 'quota', 'denied', 'not_found', 'expired', 'upstream',
    'timeout', 'draining', 'internal'];
  const own = ['list_sources', 'describe_source', 'data_quality', 'find_join_keys'];
  const agents = (await readdir(new URL('../../sql/core/', SOURCES))).filter((folder) => !['map', 'own_sql'].includes(folder)).map((folder) => `${folder}_agent`);
  const others = languages.filter((language) => language !== 'en');

  assert.ok(tools.length >= 10);
  for (const language of others) {
    const { names, instead } = await import(new URL(`words.${language}.js`, WORDS));

    assert.deepEqual(codes.filter((code) => !instead[code]), [], language);
    assert.deepEqual([...tools, ...own, ...agents].filter((name) => !names[name]), [], language);
    assert.deepEqual(Object.keys(instead), Object.keys((await import(new URL(`words.${others[0]}.js`, WORDS))).instead));
  }
});

test('no text is unused, and none is missing', async () => {
  const files = (await Promise.all(['', 'views/', 'views/takeaway/', 'views/dialogs/', 'pages/'].map(async (folder) => (await readdir(new URL(folder, SOURCES))).map((name) => folder + name)))).flat()
    .filter((name) => /\.(js|html)$/.test(name));
  const text = (await Promise.all(files.map((name) => readFile(new URL(name, SOURCES), 'utf8')))).join('\n');
  const built = /^(phase|end|why|mark|outcome|error|choose|unarchive|archive|signin|step|save|chart|scope|period|status|source_type)_|_more$/;

  for (const key of Object.keys(all))
    assert.ok(built.test(key) || new RegExp(`['"]${key}['"]`).test(text), `${key} is unused`);
  for (const [, key] of text.matchAll(/\bsay\('(\w+)'/g))
    assert.ok(Object.hasOwn(all, key), `${key} is missing`);
});

test('numbers, counts and dates are written as the region writes them', async () => {
  const [en, de, es] = await Promise.all(['en', 'de-AT', 'es'].map(loadLocale));

  assert.equal(en.say('rows', { n: 1 }), '1 row');
  assert.equal(en.say('rows', { n: 8760 }), '8,760 rows');
  assert.equal(de.say('rows', { n: 1 }), '1 Zeile');
  assert.equal(new Set([en, de, es].map((one) => one.number(1234567.5))).size, 3);
  assert.equal(en.date('2026-02-27'), '27 February 2026', 'as in the server\'s sentences');
  assert.equal(de.date('2026-02-27'), '27. Feb. 2026');
  assert.equal(es.date('2026-02-27'), '27 feb 2026');
  assert.match(en.dateTime('2025-01-01T08:00:00Z'), /^1 January 2025, 8:00\sAM$/);
  assert.match(de.dateTime('2025-01-01T08:00:00'), /1\. Jän\. 2025, 0?8:00/);
  assert.equal(de.name('hub_zone'), 'Hub-Zone');
  assert.equal(en.name('get_average_annual_price'), 'Average annual price');
  assert.equal(en.valueText({ value: 'at_risk' }), 'At risk');
});

test('text that is not a date is unchanged', () => {
  const en = new Locale();

  for (const text of ['', 'N/A', '2026', '2026-13-45', 'Jan_2025'])
    assert.equal(en.date(text), text);
});

test('an unknown language uses English with its own number format; an invalid one uses English', async () => {
  const fr = await loadLocale('fr-FR');

  assert.equal(fr.language, 'en');
  assert.equal(fr.say('send'), 'Send');
  assert.equal(fr.number(0.5), '0,5');
  for (const tag of ['', null, 'not a tag', '<script>'])
    assert.equal((await loadLocale(tag)).tag, 'en');
});
