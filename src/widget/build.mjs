/*
 * Bundles the page: node build.mjs OUT_DIR. widget.js is a single module that any page can load. Parts that
 * only some users need (charts, reports, languages) are split off under assets/, with a hash in their names,
 * and loaded on demand.
 */

import { build, transform } from 'esbuild';
import { copyFile, mkdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const from = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2]);
const shared = {
  absWorkingDir: from,
  bundle: true,
  format: 'esm',
  target: ['chrome123', 'firefox121', 'safari17.5'],
  minify: true,
  legalComments: 'none',
  outdir: out,
  logLevel: 'warning',
};

await rm(out, { recursive: true, force: true });
await mkdir(join(out, 'assets'), { recursive: true });

/* Patches of packages for what the page must not do: [file, original text, replacement]. */
const CHANGES = [
  /* Trusted Types forbid innerHTML. */
  [/vega-embed\/build\/embed\.js$/, "element.innerHTML = '';", 'element.replaceChildren();'],
  /* Any script in the page could read a token in an attribute. */
  [/powerbi-client\/dist\/powerbi\.js$/, 'this.element.setAttribute(Embed.accessTokenAttribute, accessToken);', ''],
  /* A failed load is also reported by an event. */
  [/powerbi-client\/dist\/powerbi\.js$/, '_this.load(phasedRender);', '_this.load(phasedRender).catch(() => {});'],
  /* A service is created where it is needed; this global one would listen to all messages of the host page. */
  [/powerbi-client\/dist\/powerbi\.js$/,
    /var powerbi = new service\.Service\([^;]*\);\s*\/\/[^\n]*\s*if \(window\.powerbi [^]*?window\.powerbi = powerbi;\s*\}/, ''],
  /* The page lists what it allows, so these default lists only add weight. */
  ...['html$1', 'html', 'svg$1', 'svgFilters', 'svgDisallowed', 'svg', 'mathMl$1', 'mathMlDisallowed', 'mathMl'].map((list) =>
    [/dompurify\/dist\/purify\.es\.mjs$/, new RegExp(`const ${list.replace('$', '\\$')} = freeze\\(\\[[^\\]]*\\]\\)`), `const ${list} = freeze([])`]),
];

const changed = {
  name: 'changed',
  setup: ({ onLoad }) => onLoad({ filter: /(vega-embed|powerbi-client|dompurify).*js$/ }, async ({ path }) => {
    let contents = await readFile(path, 'utf8');

    for (const [, before, after] of CHANGES.filter(([file]) => file.test(path))) {
      const parts = contents.split(before);

      if (parts.length !== 2)
        throw new Error(`${path} has changed. Update the patch for: ${before}`);
      contents = parts.join(after);
    }
    return { contents, loader: 'js' };
  }),
};

const sheet = {
  name: 'sheet',
  setup: ({ onLoad }) => onLoad({ filter: /styles\.css$/ }, async ({ path }) => {
    const { code } = await transform(await readFile(path, 'utf8'), { loader: 'css', minify: true, target: shared.target });

    return { contents: code, loader: 'text' };
  }),
};

/* Builds a separate part with the hash of its content in its name. Returns the name. */
async function buildPart(name) {
  const { metafile } = await build({ ...shared, entryPoints: [name], outdir: join(out, 'assets'),
    entryNames: '[name]-[hash]', metafile: true, plugins: [changed, sheet] });

  return `./assets/${basename(Object.keys(metafile.outputs)[0])}`;
}

/* Parts by the path in their only import. */
const PARTS = { './charts.js': 'views/charts.js', './cites.js': 'views/cites.js', './components.js': 'views/components.js',
  './filter-editor.js': 'views/filter-editor.js',
  './how.js': 'views/how.js',
  './reports.js': 'views/reports.js', './takeaway/tools.js': 'views/takeaway/tools.js', './views/dialogs/admin.js': 'views/dialogs/admin.js',
  './views/dialogs/help.js': 'views/dialogs/help.js', './views/saved.js': 'views/saved.js', './views/dialogs/sources.js': 'views/dialogs/sources.js',
  './words/words.de.js': 'words/words.de.js',
  './words/words.es.js': 'words/words.es.js' };
const parts = Object.fromEntries(await Promise.all(Object.entries(PARTS).map(async ([said, file]) => [said, await buildPart(file)])));
const partNames = {
  name: 'parts',
  setup: ({ onResolve }) => onResolve({ filter: /^\.\// }, ({ path, kind }) =>
    (kind === 'dynamic-import' ? { path: parts[path], external: true } : undefined)),
};

await build({ ...shared, entryPoints: ['widget.js'], plugins: [partNames, sheet, changed] });
await build({ ...shared, entryPoints: ['app.js', 'demo.js', 'embed.js'].map((name) => join('pages', name)), external: ['./widget.js'] });
for (const name of ['index.html', 'demo.html', 'embed.html', 'app.css', 'favicon.svg'])
  await copyFile(join(from, 'pages', name), join(out, name));
