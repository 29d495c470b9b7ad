/*
 * The router's confidence compared with its accuracy for the questions of tests/route/round*.jsonl, as an SVG and as a
 * table. By default runs build/test_nlu_rounds and writes build/calibration.svg.
 */

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

const [program = 'build/test_nlu_rounds', path = 'build/calibration.svg'] = process.argv.slice(2);
const SURE = 0.8; /* NLU_CONFIDENT of include/vesper/nlu.h */
const EDGES = [0, 0.5, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 1.001];
const SIZE = 400;
const MARGIN = 50;

const output = execFileSync(program, { encoding: 'utf8', env: { ...process.env, VESPER_POINTS: '1' }, stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 26 });
const points = [...output.matchAll(/^point (\S+) ([01])$/gm)].map(([, sure, right]) => [Number(sure), Number(right)]);
const share = (subset) => subset.reduce((sum, [, right]) => sum + right, 0) / subset.length;
const bins = EDGES.slice(1).map((to, i) => points.filter(([sure]) => sure >= EDGES[i] && sure < to)).filter((bin) => bin.length > 0)
  .map((bin) => ({ n: bin.length, sure: bin.reduce((sum, [sure]) => sum + sure, 0) / bin.length, right: share(bin) }));

const x = (value) => (MARGIN + value * SIZE).toFixed(1);
const y = (value) => (MARGIN + (1 - value) * SIZE).toFixed(1);
const line = (x1, y1, x2, y2, style) => `<line x1="${x(x1)}" y1="${y(y1)}" x2="${x(x2)}" y2="${y(y2)}" ${style}/>`;
const text = (at, value, words, anchor = 'middle') => `<text x="${at}" y="${value}" text-anchor="${anchor}">${words}</text>`;
const ticks = [0, 0.2, 0.4, 0.6, 0.8, 1];

writeFileSync(path, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE + 2 * MARGIN} ${SIZE + 2 * MARGIN}" font-family="sans-serif" font-size="12">
<rect width="100%" height="100%" fill="#fff"/>
${line(0, 0, 1, 0, 'stroke="#000"')}${line(0, 0, 0, 1, 'stroke="#000"')}
${line(0, 0, 1, 1, 'stroke="#999" stroke-dasharray="4"')}${line(SURE, 0, SURE, 1, 'stroke="#c00"')}
${text(x(SURE), MARGIN - 8, `sure from ${SURE}`)}
${ticks.map((t) => text(x(t), MARGIN + SIZE + 18, t) + text(MARGIN - 8, y(t), t, 'end')).join('')}
${text(x(0.5), MARGIN + SIZE + 38, 'confidence')}${text(x(0.02), MARGIN - 8, `share right, of ${points.length} calls`, 'start')}
<polyline points="${bins.map((bin) => `${x(bin.sure)},${y(bin.right)}`).join(' ')}" fill="none" stroke="#06c" stroke-width="2"/>
${bins.map((bin) => `<circle cx="${x(bin.sure)}" cy="${y(bin.right)}" r="${(2 + Math.sqrt(bin.n) / 2).toFixed(1)}" fill="#06c" fill-opacity="0.6"><title>${bin.n} calls</title></circle>`).join('')}
</svg>
`);

console.log('| confidence | calls | right |\n|---|---|---|');
for (const bin of bins)
  console.log(`| ${bin.sure.toFixed(2)} | ${bin.n} | ${(100 * bin.right).toFixed(1)} % |`);
console.log('| sure from | calls that are sure | of these wrong |\n|---|---|---|');
for (const threshold of [0.6, 0.7, 0.8, 0.85, 0.9, 0.95]) {
  const sure = points.filter(([confidence]) => confidence >= threshold);
  console.log(`| ${threshold} | ${sure.length} | ${(100 * (1 - share(sure))).toFixed(1)} % |`);
}
