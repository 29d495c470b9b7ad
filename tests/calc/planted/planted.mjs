/*
 * Data sets in which one thing is planted, and some of pure noise; the same bytes every time. Each gives CSV. What is planted is
 * the only thing that an answer may claim of them.
 */

/* mulberry32 */
export function random(seed) {
  let s = seed >>> 0;

  return () => {
    s = (s + 0x6d2b79f5) >>> 0;
    let t = s;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export function normals(seed) {
  const unit = random(seed);

  return () => Math.sqrt(-2 * Math.log(1 - unit())) * Math.cos(2 * Math.PI * unit());
}

export const month = (i, year = 2021) => `${year + Math.floor(i / 12)}-${String((i % 12) + 1).padStart(2, '0')}-15`;

export function csv(names, rows) {
  return [names, ...rows].map((row) => row.join(',')).join('\n') + '\n';
}

const money = (x) => x.toFixed(2);
const id = (word, i) => `${word} ${String(i + 1).padStart(3, '0')}`;
const series = (names, n, value) => csv(names, Array.from({ length: n }, (_, i) => [month(i), money(value(i))]));

/* 200 customers: the top fifth has 60 % of the sales. */
export function tiers() {
  const unit = random(11);

  return csv(['Customer', 'Sales'], Array.from({ length: 200 }, (_, i) => [id('Customer', i),
    money(i % 5 === 0 ? 1200 + 60 * unit() : 180 + 40 * unit())]));
}

/* +2 % a month over four years, noise of 3 %. */
export function trend() {
  const z = normals(12);

  return series(['Order date', 'Sales'], 48, (i) => 10000 * (1 + 0.02 * i) * (1 + 0.03 * z()));
}

/* One seed of twenty has a trend by chance at p < 0.05, as 13 has; this one has none. */
export function noise(seed = 23, n = 48) {
  const z = normals(seed);

  return series(['Order date', 'Sales'], n, () => 10000 * (1 + 0.1 * z()));
}

/* December high, July low, no trend. */
export function season() {
  const z = normals(14);

  return series(['Order date', 'Sales'], 60, (i) => 10000 + 3000 * Math.cos((2 * Math.PI * (i - 11)) / 12) + 500 * z());
}

/* Five invoices far out. */
export function outliers() {
  const z = normals(15);
  const out = { 17: 990, 60: 1045, 101: 5, 150: 1100, 188: 1205 };

  return csv(['Invoice', 'Amount'], Array.from({ length: 200 }, (_, i) => [`INV-${id('A', i).slice(2)}-24`, money(out[i] ?? 400 + 40 * z())]));
}

/* Three kinds of customers in sales and visits. */
export function clusters() {
  const z = normals(16);
  const centers = [[200, 4], [900, 6], [500, 30]];

  return csv(['Customer', 'Sales', 'Visits'], Array.from({ length: 150 }, (_, i) => {
    const [sales, visits] = centers[i % 3];
    return [id('Customer', i), money(sales + 30 * z()), money(visits + z())];
  }));
}

/* One cloud: no groups in it. */
export function cloud() {
  const z = normals(17);

  return csv(['Customer', 'Sales', 'Visits'], Array.from({ length: 150 }, (_, i) => [id('Customer', i), money(500 + 100 * z()),
    money(20 + 3 * z())]));
}

/* 40 customers over 18 months, of which 6 lose 5 % of their first month each month. */
export function decline() {
  const z = normals(18);
  const rows = [];

  for (let c = 0; c < 40; c += 1)
    for (let i = 0; i < 18; i += 1)
      rows.push([id('Customer', c), month(i, 2023), money(1000 * (c < 6 ? 1 - 0.05 * i : 1) * (1 + 0.05 * z()))]);
  return csv(['Customer', 'Order date', 'Sales'], rows);
}

/* The same with 5 that grow. */
export function growth() {
  const z = normals(19);
  const rows = [];

  for (let c = 0; c < 40; c += 1)
    for (let i = 0; i < 18; i += 1)
      rows.push([id('Product', c), month(i, 2023), money(1000 * (c < 5 ? 1 + 0.06 * i : 1) * (1 + 0.05 * z()))]);
  return csv(['Product', 'Order date', 'Revenue'], rows);
}

/* The level doubles from month 25 on. */
export function shift() {
  const z = normals(20);

  return series(['Order date', 'Sales'], 48, (i) => (i < 24 ? 5000 : 10000) + 300 * z());
}

/* Three of 50 have most of it. */
export function concentration() {
  const unit = random(21);

  return csv(['Customer', 'Sales'], Array.from({ length: 50 }, (_, i) => [id('Customer', i), money(i < 3 ? 30000 : 100 + 20 * unit())]));
}

/* Two humps. */
export function bimodal() {
  const z = normals(22);

  return csv(['Ticket', 'Waiting time'], Array.from({ length: 200 }, (_, i) => [id('T', i), money((i % 2 ? 20 : 60) + 4 * z())]));
}

/* 60 customers in four regions: one has twice the sales of the others, one region less than half. */
export function peers() {
  const z = normals(24);
  const regions = ['North', 'South', 'West', 'East'];
  const first = ['Acme', 'Borealis', 'Cobalt', 'Dovetail', 'Ember', 'Fathom'];
  const second = ['Corp', 'Foods', 'Traders', 'Mills', 'Works', 'Press', 'Labs', 'Lines', 'Farms', 'Glass'];

  return csv(['Customer', 'Region', 'Sales', 'Visits'], Array.from({ length: 60 }, (_, i) => [`${first[i % 6]} ${second[Math.floor(i / 6)]}`,
    regions[i % 4], money(i === 7 ? 2000 : i % 4 === 2 ? 400 + 30 * z() : 1000 + 80 * z()), Math.round(20 + z())]));
}

/* Units go by -1.2 % with each percent of the price. */
export function elasticity(n = 48) {
  const z = normals(25);

  return csv(['Order date', 'Price', 'Units'], Array.from({ length: n }, (_, i) => {
    const price = 10 * Math.exp(0.15 * z());
    return [month(i), money(price), Math.round(10000 * (price / 10) ** -1.2 * Math.exp(0.02 * z()))];
  }));
}

/* The same prices, and units that have nothing to do with them. */
export function unrelated(n = 48) {
  const z = normals(26);

  return csv(['Order date', 'Price', 'Units'], Array.from({ length: n }, (_, i) => [month(i), money(10 * Math.exp(0.15 * z())),
    Math.round(10000 * Math.exp(0.1 * z()))]));
}
