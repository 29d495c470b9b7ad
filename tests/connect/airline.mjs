/*
 * Hansea Air, an invented airline with bases in Hamburg and Copenhagen: flights with scheduled and actual times, bookings, tickets with
 * one coupon a flight, crew and maintenance, from July 2023 to December 2025. The rows are made here, by a generator that gives the same
 * rows each time. airline.jsonl has 100 questions with SQL for those that the data can answer.
 */

const TABLES = `
CREATE TABLE airport (iata_code CHAR(3) NOT NULL, name VARCHAR(80) NOT NULL, city VARCHAR(60) NOT NULL, country VARCHAR(60) NOT NULL, is_base BOOLEAN NOT NULL DEFAULT FALSE,
  CONSTRAINT airport_pkey PRIMARY KEY (iata_code));
CREATE TABLE aircraft_model (model_id INT NOT NULL, manufacturer VARCHAR(40) NOT NULL, model_name VARCHAR(40) NOT NULL UNIQUE, seats INT NOT NULL, range_km INT NOT NULL,
  CONSTRAINT aircraft_model_pkey PRIMARY KEY (model_id));
CREATE TABLE aircraft (tail_number VARCHAR(8) NOT NULL, model_id INT NOT NULL REFERENCES aircraft_model, nickname VARCHAR(40), home_base CHAR(3) NOT NULL REFERENCES airport,
  delivered_on DATE NOT NULL, retired_on DATE, CONSTRAINT aircraft_pkey PRIMARY KEY (tail_number));
CREATE TABLE route (route_id INT NOT NULL, origin CHAR(3) NOT NULL REFERENCES airport, destination CHAR(3) NOT NULL REFERENCES airport, distance_km INT NOT NULL,
  block_minutes INT NOT NULL, CONSTRAINT route_pkey PRIMARY KEY (route_id), CONSTRAINT route_pair UNIQUE (origin, destination));
CREATE TABLE flight (flight_id INT NOT NULL, flight_no VARCHAR(6) NOT NULL, route_id INT NOT NULL REFERENCES route, tail_number VARCHAR(8) NOT NULL REFERENCES aircraft,
  scheduled_departure TIMESTAMP NOT NULL, scheduled_arrival TIMESTAMP NOT NULL, actual_departure TIMESTAMP, actual_arrival TIMESTAMP,
  status VARCHAR(10) NOT NULL CHECK (status IN ('landed', 'diverted', 'cancelled')), disruption_cause VARCHAR(30), diverted_to CHAR(3) REFERENCES airport,
  CONSTRAINT flight_pkey PRIMARY KEY (flight_id));
CREATE TABLE passenger (passenger_id INT NOT NULL, first_name VARCHAR(40) NOT NULL, last_name VARCHAR(40) NOT NULL, birth_date DATE NOT NULL, nationality VARCHAR(40) NOT NULL,
  email VARCHAR(80), CONSTRAINT passenger_pkey PRIMARY KEY (passenger_id));
CREATE TABLE frequent_flyer (card_number VARCHAR(10) NOT NULL, passenger_id INT NOT NULL UNIQUE REFERENCES passenger, tier VARCHAR(10) NOT NULL, enrolled_on DATE NOT NULL,
  miles_balance INT NOT NULL, CONSTRAINT frequent_flyer_pkey PRIMARY KEY (card_number));
CREATE TABLE fare_class (fare_code CHAR(1) NOT NULL, fare_name VARCHAR(30) NOT NULL, cabin VARCHAR(20) NOT NULL, refundable BOOLEAN NOT NULL, free_bags INT NOT NULL,
  CONSTRAINT fare_class_pkey PRIMARY KEY (fare_code));
CREATE TABLE booking (booking_ref CHAR(6) NOT NULL, booker_id INT NOT NULL REFERENCES passenger (passenger_id), booked_at TIMESTAMP NOT NULL, channel VARCHAR(20) NOT NULL,
  payment_method VARCHAR(20) NOT NULL, total_amount NUMERIC(10,2) NOT NULL, CONSTRAINT booking_pkey PRIMARY KEY (booking_ref));
CREATE TABLE ticket (ticket_no CHAR(13) NOT NULL, booking_ref CHAR(6) NOT NULL REFERENCES booking, passenger_id INT NOT NULL REFERENCES passenger,
  CONSTRAINT ticket_pkey PRIMARY KEY (ticket_no));
CREATE TABLE coupon (ticket_no CHAR(13) NOT NULL REFERENCES ticket, flight_id INT NOT NULL REFERENCES flight, fare_code CHAR(1) NOT NULL REFERENCES fare_class,
  price NUMERIC(10,2) NOT NULL, seat_no VARCHAR(4), checked_bags INT NOT NULL, status VARCHAR(10) NOT NULL CHECK (status IN ('flown', 'no-show', 'refunded')),
  CONSTRAINT coupon_pkey PRIMARY KEY (ticket_no, flight_id));
CREATE TABLE crew_member (employee_no INT NOT NULL, first_name VARCHAR(40) NOT NULL, last_name VARCHAR(40) NOT NULL, position VARCHAR(20) NOT NULL, base CHAR(3) NOT NULL REFERENCES airport,
  hired_on DATE NOT NULL, left_on DATE, CONSTRAINT crew_member_pkey PRIMARY KEY (employee_no));
CREATE TABLE flight_crew (flight_id INT NOT NULL REFERENCES flight, employee_no INT NOT NULL REFERENCES crew_member, CONSTRAINT flight_crew_pkey PRIMARY KEY (flight_id, employee_no));
CREATE TABLE maintenance_event (event_id INT NOT NULL, tail_number VARCHAR(8) NOT NULL REFERENCES aircraft, airport CHAR(3) NOT NULL REFERENCES airport, event_type VARCHAR(30) NOT NULL,
  contractor VARCHAR(40) NOT NULL, started_on DATE NOT NULL, finished_on DATE, cost NUMERIC(12,2), CONSTRAINT maintenance_event_pkey PRIMARY KEY (event_id));
`;

const AIRPORTS = [['HAM', 'Hamburg Airport', 'Hamburg', 'Germany', true], ['CPH', 'Copenhagen Kastrup', 'Copenhagen', 'Denmark', true], ['LIS', 'Humberto Delgado Airport', 'Lisbon', 'Portugal', false],
  ['BCN', 'Josep Tarradellas Barcelona–El Prat', 'Barcelona', 'Spain', false], ['PMI', 'Palma de Mallorca Airport', 'Palma', 'Spain', false], ['FCO', 'Rome Fiumicino', 'Rome', 'Italy', false],
  ['MXP', 'Milan Malpensa', 'Milan', 'Italy', false], ['ATH', 'Athens International', 'Athens', 'Greece', false], ['LHR', 'London Heathrow', 'London', 'United Kingdom', false],
  ['EDI', 'Edinburgh Airport', 'Edinburgh', 'United Kingdom', false], ['CDG', 'Paris Charles de Gaulle', 'Paris', 'France', false], ['OSL', 'Oslo Gardermoen', 'Oslo', 'Norway', false],
  ['ARN', 'Stockholm Arlanda', 'Stockholm', 'Sweden', false], ['VIE', 'Vienna International', 'Vienna', 'Austria', false], ['ZRH', 'Zurich Airport', 'Zurich', 'Switzerland', false],
  ['DUB', 'Dublin Airport', 'Dublin', 'Ireland', false], ['IST', 'Istanbul Airport', 'Istanbul', 'Turkey', false], ['JFK', 'John F. Kennedy International', 'New York', 'United States', false],
  ['YYZ', 'Toronto Pearson', 'Toronto', 'Canada', false], ['DXB', 'Dubai International', 'Dubai', 'United Arab Emirates', false], ['MLA', 'Malta International', 'Valletta', 'Malta', false],
  ['HAJ', 'Hannover Airport', 'Hannover', 'Germany', false]];
const MODELS = [['Airbus', 'A320neo', 180, 6300], ['Airbus', 'A321LR', 206, 7400], ['Airbus', 'A330-900', 287, 13300], ['Airbus', 'A350-900', 325, 15000], ['Boeing', '737-800', 189, 5400],
  ['Boeing', '787-9', 296, 14000], ['Embraer', 'E190', 106, 4500], ['ATR', 'ATR 72-600', 70, 1500]];
/* tail, model, nickname, base, delivered, retired */
const FLEET = [['D-AHSA', 1, 'Alster', 'HAM', '2018-03-14', null], ['D-AHSB', 1, 'Elbe', 'HAM', '2018-09-02', null], ['D-AHSC', 1, 'Trave', 'CPH', '2021-05-20', null], ['D-AHSD', 2, 'Lübeck', 'HAM', '2022-04-11', null],
  ['D-AHSE', 2, 'Visby', 'CPH', '2024-02-26', null], ['D-AHSF', 3, 'Störtebeker', 'HAM', '2020-11-05', null], ['D-AHSG', 6, 'Atlantic', 'HAM', '2019-06-17', null], ['D-AHSH', 6, null, 'CPH', '2023-11-30', null],
  ['D-AHSI', 5, 'Old Lady', 'HAM', '2006-02-08', '2024-10-31'], ['D-AHSJ', 5, null, 'CPH', '2009-07-23', '2025-03-30'], ['D-AHSK', 5, 'Seagull', 'HAM', '2012-05-09', null], ['D-AHSL', 7, 'Heron', 'CPH', '2014-10-01', null],
  ['D-AHSM', 7, 'Tern', 'HAM', '2015-03-18', null], ['D-AHSN', 8, 'Sandpiper', 'HAM', '2017-08-29', null], ['D-AHSO', 8, null, 'CPH', '2019-01-15', null], ['D-AHSP', 1, null, 'HAM', '2025-12-18', null]];
/* base, other end, km, minutes, weight */
const PAIRS = [['HAM', 'LIS', 2200, 210, 5], ['HAM', 'BCN', 1480, 155, 6], ['HAM', 'PMI', 1660, 165, 8], ['HAM', 'FCO', 1300, 140, 4], ['HAM', 'LHR', 745, 100, 8], ['HAM', 'VIE', 745, 90, 4], ['HAM', 'ZRH', 690, 85, 5],
  ['HAM', 'IST', 1980, 195, 3], ['HAM', 'CPH', 290, 60, 5], ['HAM', 'JFK', 6130, 510, 4], ['HAM', 'DXB', 4880, 380, 3], ['CPH', 'CDG', 1025, 115, 5], ['CPH', 'OSL', 520, 70, 4], ['CPH', 'ARN', 545, 75, 4],
  ['CPH', 'ATH', 2140, 200, 3], ['CPH', 'DUB', 1240, 140, 2], ['CPH', 'MXP', 1160, 130, 3], ['CPH', 'YYZ', 6260, 520, 3]];
const FARES = [['L', 'Economy Light', 'Economy', false, 0, 1], ['Y', 'Economy Classic', 'Economy', false, 1, 1.35], ['X', 'Economy Flex', 'Economy', true, 1, 1.9], ['P', 'Premium', 'Premium Economy', true, 2, 2.4],
  ['C', 'Business', 'Business', true, 2, 3.6]];
const CHANNELS = ['Website', 'Website', 'Website', 'Mobile app', 'Mobile app', 'Travel agency', 'Travel agency', 'Call centre'];
const PAYMENTS = ['Credit card', 'Credit card', 'Credit card', 'PayPal', 'PayPal', 'Bank transfer', 'Voucher'];
const CAUSES = ['Weather', 'Air traffic control', 'Technical', 'Late incoming aircraft', 'Late incoming aircraft', 'Crew', 'Ground handling', 'Strike'];
const NATIONS = ['German', 'German', 'German', 'German', 'Danish', 'Danish', 'Danish', 'Swedish', 'Norwegian', 'British', 'British', 'French', 'Italian', 'Spanish', 'Portuguese', 'Austrian', 'Swiss', 'Turkish', 'American', 'Canadian'];
const TIERS = ['Blue', 'Blue', 'Blue', 'Blue', 'Silver', 'Silver', 'Silver', 'Gold', 'Gold', 'Platinum'];
const WORKS = [['A check', 2, 18000], ['A check', 2, 18000], ['A check', 2, 18000], ['C check', 19, 310000], ['Engine repair', 6, 95000], ['Cabin refurbishment', 9, 70000], ['Landing gear', 4, 42000], ['Bird strike', 1, 9000]];
const CONTRACTORS = ['Lufthansa Technik', 'Lufthansa Technik', 'SR Technics', 'Nordic Aero Services', 'In-house'];
const FIRST = ['Anna', 'Lars', 'Mette', 'Jürgen', 'Sofia', 'João', 'Chloé', 'Emre', 'Ingrid', 'Oliver', 'Fatima', 'Giulia', 'Henrik', 'Katrin', 'Liam', 'Marta', 'Nils', 'Petra', 'Rasmus', 'Silke', 'Thomas', 'Ulrike', 'Victor',
  'Yasemin', 'Zoe', 'Björn', 'Carlos', 'Dagmar', 'Elena', 'Frederik'];
const LAST = ['Andersen', 'Brandt', 'Carvalho', 'Dahl', 'Eriksson', 'Fischer', 'García', 'Hoffmann', 'Iversen', 'Jensen', 'Krüger', 'Lindqvist', 'Moreau', 'Nielsen', "O'Brien", 'Petersen', 'Quandt', 'Rossi', 'Schmidt', 'Taylor',
  'Ulrich', 'Vogel', 'Wagner', 'Yılmaz', 'Zimmer', 'Bianchi', 'Claasen', 'Demir', 'Ferreira', 'Holm', 'Jørgensen', 'Lopes', 'Meyer', 'Novak', 'Olsen', 'Schulz', 'Svensson'];
const ROTATIONS = 330, PASSENGERS = 340, BOOKINGS = 720, CREW = 64, EVENTS = 150;
const DAY = 86400000, MINUTE = 60000, FIRST_DAY = Date.UTC(2023, 6, 1), LAST_DAY = Date.UTC(2025, 11, 31), DAYS = (LAST_DAY - FIRST_DAY) / DAY + 1;

function generator(seed) {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

const literal = (v) => (v === null ? 'NULL' : typeof v === 'string' ? `'${v.replaceAll("'", "''")}'` : String(v));
const insert = (table, rows) => `INSERT INTO ${table} VALUES\n${rows.map((row) => `(${row.map(literal).join(', ')})`).join(',\n')};\n`;
const day = (ms) => new Date(ms).toISOString().slice(0, 10);
const moment = (ms) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
const mail = (first, last, n) => `${`${first}.${last}`.normalize('NFD').replace(/[^A-Za-z.]/g, '').toLowerCase()}${n}@example.net`;

/* Rows of names, no two alike. */
function names(pick, count, taken) {
  const out = [];
  while (out.length < count) {
    const first = FIRST[pick(FIRST.length)], last = LAST[pick(LAST.length)];
    if (!taken.has(first + last)) { taken.add(first + last); out.push([first, last]); }
  }
  return out;
}

function people(pick) {
  const taken = new Set();
  const passengers = names(pick, PASSENGERS, taken).map(([first, last], i) => [i + 1, first, last, day(Date.UTC(1944, 0, 1) + pick(74 * 365) * DAY), NATIONS[pick(NATIONS.length)], pick(12) ? mail(first, last, i + 1) : null]);
  const cards = passengers.filter((p) => p[0] % 20 < 11).map((p) => {
    const tier = TIERS[pick(TIERS.length)], floor = { Blue: 0, Silver: 15000, Gold: 40000, Platinum: 90000 }[tier];
    return [`HS${String(7000000 + p[0] * 137)}`, p[0], tier, day(Date.UTC(2016, 0, 1) + pick(3600) * DAY), floor + pick(floor ? 50000 : 14000)];
  });
  const crew = names(pick, CREW, taken).map(([first, last], i) => {
    const hired = i >= CREW - 3 ? Date.UTC(2025, 10, 3 + i % 3) : Date.UTC(2004, 0, 1) + pick(19 * 365) * DAY;
    return [501 + i, first, last, ['Captain', 'First Officer', 'Purser', 'Flight Attendant', 'Flight Attendant'][i % 5], i % 3 === 2 ? 'CPH' : 'HAM', day(hired), i % 9 === 4 ? day(Date.UTC(2024, 1, 1) + pick(600) * DAY) : null];
  });
  return { passengers, cards, crew };
}

function timetable(pick, crew) {
  const routes = PAIRS.flatMap(([a, b, km, minutes], i) => [[2 * i + 1, a, b, km, minutes], [2 * i + 2, b, a, km, minutes + (km > 4000 ? -25 : 5)]]);
  const wheel = PAIRS.flatMap((p, i) => Array(p[4]).fill(i));
  const starts = Array.from({ length: ROTATIONS }, () => {
    let d = pick(DAYS);
    if (![5, 6, 7, 8].includes(new Date(FIRST_DAY + d * DAY).getUTCMonth()) && pick(3) === 0) d = pick(DAYS);
    return d;
  }).sort((a, b) => a - b);
  const flights = [], duties = [], busy = {};
  for (const start of starts) {
    const p = wheel[pick(wheel.length)], [base, , km, minutes] = PAIRS[p], date = day(FIRST_DAY + start * DAY);
    let out = FIRST_DAY + start * DAY + (330 + 5 * pick(km > 4000 ? 60 : 130)) * MINUTE, carried = 0;
    const able = FLEET.slice(0, -1).filter((f) => (km > 4000 ? [3, 6].includes(f[1]) : km > 1500 ? [1, 2, 5].includes(f[1]) : [1, 5, 7, ...(km < 1000 ? [8] : [])].includes(f[1])) && f[4] < date && (!f[5] || f[5] > date) && (busy[f[0]] ?? 0) < out);
    if (!able.length) continue;
    const own = able.filter((f) => f[3] === base), from = own.length && pick(4) ? own : able, tail = from[pick(from.length)][0];
    busy[tail] = out + (2 * minutes + 900) * MINUTE;
    for (let leg = 0; leg < 2; leg++) {
      const route = routes[2 * p + leg], land = out + route[4] * MINUTE, id = flights.length + 1, dice = pick(100), no = `HS${km > 4000 ? 900 + 2 * p + leg : 100 + 10 * p + leg}`;
      const winter = [0, 1, 11].includes(new Date(out).getUTCMonth()), causes = winter ? [...CAUSES, 'Weather', 'Weather', 'Weather'] : CAUSES;
      if (dice < (winter ? 8 : 4)) flights.push([id, no, route[0], tail, moment(out), moment(land), null, null, 'cancelled', causes[pick(causes.length)], null]);
      else {
        let late = dice < 55 ? pick(14) - 4 : dice < 78 ? 8 + pick(24) : dice < 93 ? 30 + pick(60) : 90 + pick(210);
        if (leg && carried > 45) late = Math.max(late, carried - 25);
        const off = out + late * MINUTE, on = land + (late - 8 + pick(14)) * MINUTE, diverted = dice === 77 ? ['HAJ', 'MLA', 'EDI'][pick(3)] : null;
        flights.push([id, no, route[0], tail, moment(out), moment(land), moment(off), moment(on), diverted ? 'diverted' : 'landed', diverted ? 'Weather' : late > 15 ? causes[pick(causes.length)] : null, diverted]);
        carried = late;
        for (const position of ['Captain', 'First Officer', 'Purser', 'Flight Attendant']) {
          const fit = crew.slice(0, -3).filter((c) => c[3] === position && c[5] < date && (!c[6] || c[6] > date) && (busy[c[0]] ?? 0) < out), near = fit.filter((c) => c[4] === base), free = near.length ? near : fit;
          const person = free[Math.min(pick(free.length), pick(free.length))][0];
          busy[person] = on;
          duties.push([id, person]);
        }
      }
      out = land + (km > 4000 ? 150 : 55) * MINUTE;
    }
  }
  return { routes, flights, duties };
}

function sales(pick, passengers, routes, flights) {
  const bookings = [], tickets = [], coupons = [], held = new Set(), time = (s) => Date.parse(`${s.replace(' ', 'T')}Z`);
  const kept = passengers.slice(0, -24);
  const coupon = (ticket, f, fare, factor) => {
    const route = routes[f[2] - 1], month = new Date(time(f[4])).getUTCMonth(), season = [6, 7, 11].includes(month) ? 1.25 : [0, 1, 10].includes(month) ? 0.9 : 1;
    const cents = Math.round((39 + route[3] * 0.062) * fare[5] * season * factor) * 100 + 90, refunded = f[8] === 'cancelled' || (fare[3] && pick(18) === 0), missed = !refunded && pick(30) === 0;
    coupons.push([ticket, f[0], fare[0], cents / 100, refunded ? null : `${1 + pick(28)}${'ABCDEF'[pick(6)]}`, refunded || missed ? 0 : pick(3) ? fare[4] && pick(fare[4] + 1) : pick(2), refunded ? 'refunded' : missed ? 'no-show' : 'flown']);
    return cents;
  };
  for (let i = 0; i < BOOKINGS; i++) {
    const out = flights[pick(flights.length)], there = routes[out[2] - 1], gone = time(out[4]);
    const backs = pick(10) < 7 ? flights.filter((f) => routes[f[2] - 1][1] === there[2] && routes[f[2] - 1][2] === there[1] && time(f[4]) > gone + DAY && time(f[4]) < gone + 50 * DAY) : [];
    const party = [1, 1, 1, 1, 1, 2, 2, 2, 3, 4][pick(10)], fare = FARES[[0, 0, 0, 1, 1, 1, 2, 2, 3, 4][pick(10)]], factor = 0.85 + pick(50) / 100;
    const lead = Math.max(0, Math.min(1 + Math.min(pick(150), pick(150)), Math.floor((gone - FIRST_DAY) / DAY))), booked = gone - lead * DAY - (120 + pick(400)) * MINUTE;
    const first = Math.min(pick(kept.length), pick(kept.length)), group = Array.from({ length: party }, (_, k) => kept[(first + k * 7) % kept.length][0]).filter((id) => !held.has(`${id}/${out[0]}`));
    if (!group.length || booked < FIRST_DAY) continue;
    const ref = Array.from({ length: 3 }, () => 'BCDFGHJKLMNPRSTVWXZ'[pick(19)]).join('') + String(100 + bookings.length), back = backs.length ? backs[pick(backs.length)] : null;
    let cents = 0;
    for (const id of group) {
      const ticket = String(4710000000000 + (tickets.length + 1) * 11);
      tickets.push([ticket, ref, id]);
      held.add(`${id}/${out[0]}`);
      cents += coupon(ticket, out, fare, factor) + (back ? coupon(ticket, back, fare, factor) : 0);
    }
    bookings.push([ref, group[0], moment(booked), CHANNELS[pick(CHANNELS.length)], PAYMENTS[pick(PAYMENTS.length)], cents / 100]);
  }
  return { bookings, tickets, coupons };
}

function workshop(pick) {
  const fleet = FLEET.slice(0, -1), events = [];
  const begun = [...Array.from({ length: EVENTS - 5 }, () => FIRST_DAY + pick(DAYS) * DAY), ...[9, 6, 4, 2, 1].map((n) => LAST_DAY - n * DAY)].sort((a, b) => a - b);
  for (const start of begun) {
    const able = fleet.filter((f) => f[4] < day(start) && (!f[5] || f[5] > day(start))), f = able[pick(able.length)], [type, days, cost] = WORKS[pick(WORKS.length)], end = start + (days + pick(days + 2)) * DAY, open = end > LAST_DAY;
    events.push([events.length + 1, f[0], pick(5) ? f[3] : ['ZRH', 'LHR'][pick(2)], type, CONTRACTORS[pick(CONTRACTORS.length)], day(start), open ? null : day(end), open ? null : Math.round(cost * (0.7 + pick(70) / 100)) + pick(900)]);
  }
  return events;
}

/* Everything as one script for psql. */
export function airline() {
  const pick = generator(19550301);
  const { passengers, cards, crew } = people(pick), { routes, flights, duties } = timetable(pick, crew), { bookings, tickets, coupons } = sales(pick, passengers, routes, flights);
  const fares = FARES.map((f) => f.slice(0, 5)), models = MODELS.map((m, i) => [i + 1, ...m]);
  return TABLES + insert('airport', AIRPORTS) + insert('aircraft_model', models) + insert('aircraft', FLEET) + insert('route', routes) + insert('flight', flights)
    + insert('passenger', passengers) + insert('frequent_flyer', cards) + insert('fare_class', fares) + insert('booking', bookings) + insert('ticket', tickets)
    + insert('coupon', coupons) + insert('crew_member', crew) + insert('flight_crew', duties) + insert('maintenance_event', workshop(pick));
}
