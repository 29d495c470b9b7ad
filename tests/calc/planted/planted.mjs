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

/* 60 accounts, of which 5 come often and buy little; visits and sales go together else. */
export function accounts() {
  const z = normals(27);

  return csv(['Account', 'Sales', 'Visits', 'Calls'], Array.from({ length: 60 }, (_, i) => {
    const size = 10 + i;
    return [id('Account', i), money(i % 12 === 5 ? 150 + 10 * z() : 100 * size + 30 * z()), Math.round(i % 12 === 5 ? 90 : size + z()),
      Math.round(size / 2 + z())];
  }));
}

/* 60 accounts, of which 4 come and call like the best and buy little. */
export function alikes() {
  const z = normals(33);

  return csv(['Account', 'Sales', 'Visits', 'Calls'], Array.from({ length: 60 }, (_, i) => {
    const best = i >= 54, alike = i % 15 === 4;
    return [id('Account', i), money(best ? 9000 + 200 * z() : (alike ? 1000 : 1000 + 20 * i) + 30 * z()), alike ? 80 : Math.round((best ? 80 : 20) + 3 * z()),
      alike ? 40 : Math.round((best ? 40 : 10) + z())];
  }));
}

/* 80 customers, of which 16 were lost: those come seldom, and so do 6 of the others. */
export function losses() {
  const z = normals(28);

  return csv(['Customer', 'Churned', 'Sales', 'Visits'], Array.from({ length: 80 }, (_, i) => {
    const seldom = i % 5 === 0 || (i % 10 === 3 && i < 60);
    return [id('Customer', i), i % 5 === 0 ? 'yes' : 'no', money((seldom ? 200 : 900) + 30 * z()), Math.round((seldom ? 3 : 20) + z())];
  }));
}

/* 30 customers that order each week over a year; 4 stop three months before its end. */
export function quiet() {
  const unit = random(29);
  const rows = [];

  for (let c = 0; c < 30; c += 1)
    for (let week = 0; week < (c < 4 ? 39 : 52); week += 1)
      rows.push([id('Customer', c), new Date(Date.UTC(2024, 0, 1 + 7 * week + (c % 5))).toISOString().slice(0, 10), money(100 + 50 * unit())]);
  return csv(['Customer', 'Order date', 'Sales'], rows);
}

/* 40 customers over 18 months: of 8 that decline 6 are in the West. With other seeds
 * a ninth may be named by chance: one of ten is allowed to be false. */
export function places() {
  const z = normals(34);
  const rows = [];

  for (let c = 0; c < 40; c += 1)
    for (let i = 0; i < 18; i += 1)
      rows.push([id('Customer', c), c < 6 ? 'West' : ['North', 'South', 'East'][c % 3], month(i, 2023),
        money(1000 * (c < 8 ? 1 - 0.05 * i : 1) * (1 + 0.05 * z()))]);
  return csv(['Customer', 'Region', 'Order date', 'Sales'], rows);
}

/* 40 customers over two years: one climbs from the lower third to the top. */
export function climber() {
  const z = normals(31);
  const rows = [];

  for (let c = 0; c < 40; c += 1)
    for (let i = 0; i < 24; i += 1)
      rows.push([c === 12 ? 'Juniper Works' : id('Customer', c), month(i, 2023),
        money((c === 12 ? 300 + 60 * i : 500 + 20 * c) * (1 + 0.01 * z()))]);
  return csv(['Customer', 'Order date', 'Sales'], rows);
}

/* 120 customers in four regions: of the large ones most are in the West. */
export function mix() {
  const unit = random(32);

  return csv(['Customer', 'Region', 'Channel', 'Sales'], Array.from({ length: 120 }, (_, i) => {
    const region = ['North', 'South', 'West', 'East'][i % 4];
    const large = region === 'West' ? i % 8 === 2 : i % 24 === 1;
    return [id('Customer', i), region, unit() < 0.5 ? 'Web' : 'Shop', money(large ? 5000 + 100 * unit() : 500 + 100 * unit())];
  }));
}

/* Eight products of three kinds. */
export function products() {
  const names = ['Espresso machine', 'Blender', 'Garden hose', 'Lawn mower', 'Toaster', 'Rake', 'Bread knife', 'Garden chair'];

  return csv(['Product', 'Sales'], names.map((name, i) => [name, money(100 + i * 10.25)]));
}

/* 34 comments in seven texts: complaints, praise, questions, and some that are none of these. */
export function feedback() {
  const texts = { 'Complaint: the parcel came late': 7, 'A complaint about the box': 5, 'Praise for the team': 9, 'All praise to the driver': 2,
    'One question on the invoice': 6, 'Blue': 3, 'See above': 2 };

  return csv(['Comment', 'Stars'], Object.entries(texts).flatMap(([text, n]) => Array.from({ length: n }, (_, i) => [text, money(1 + (i % 5))])));
}
