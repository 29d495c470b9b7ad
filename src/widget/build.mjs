/*
 * Bundles the page: node build.mjs OUT_DIR. widget.js is one module of its own, so that any page can
 * load it; what only some answers need (charts, reports) is split off under assets/ with a hash in its
 * name and loaded when it is needed.
 */

import { build } from 'esbuild';
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

/* vega-embed empties its box through innerHTML, which a policy with Trusted Types refuses. */
const emptyBox = {
  name: 'empty-box',
  setup: ({ onLoad }) => onLoad({ filter: /vega-embed\/build\/embed\.js$/ }, async ({ path }) => {
    const parts = (await readFile(path, 'utf8')).split("element.innerHTML = '';");

    if (parts.length !== 2)
      throw new Error('vega-embed has changed: look how it empties its box now');
    return { contents: parts.join('element.replaceChildren();'), loader: 'js' };
  }),
};

/* A part of its own, with the hash of its content in its name; gives the name. */
async function buildPart(name) {
  const { metafile } = await build({ ...shared, entryPoints: [name], outdir: join(out, 'assets'),
    entryNames: '[name]-[hash]', metafile: true, plugins: [emptyBox] });

  return `./assets/${basename(Object.keys(metafile.outputs)[0])}`;
}

const parts = Object.fromEntries(await Promise.all(['charts.js'].map(async (name) => [`./${name}`, await buildPart(name)])));
const partNames = {
  name: 'parts',
  setup: ({ onResolve }) => onResolve({ filter: /^\.\// }, ({ path, kind }) =>
    (kind === 'dynamic-import' ? { path: parts[path], external: true } : undefined)),
};

await build({ ...shared, entryPoints: ['widget.js'], plugins: [partNames] });
await build({ ...shared, entryPoints: ['app.js', 'embed.js'], external: ['./widget.js'] });
for (const name of ['index.html', 'embed.html', 'app.css', 'favicon.svg'])
  await copyFile(join(from, name), join(out, name));
