/*
 * The Chinook music store, the public sample schema of a digital media shop (https://github.com/lerocha/chinook-database, MIT): its
 * tables, columns, keys and foreign keys as published, in its PostgreSQL spelling. The rows are made here, by a generator that gives
 * the same rows each time. chinook.jsonl has 100 questions with SQL for each; both were written from the published schema alone.
 */

const TABLES = `
CREATE TABLE artist (artist_id INT NOT NULL, name VARCHAR(120), CONSTRAINT artist_pkey PRIMARY KEY (artist_id));
CREATE TABLE album (album_id INT NOT NULL, title VARCHAR(160) NOT NULL, artist_id INT NOT NULL REFERENCES artist, CONSTRAINT album_pkey PRIMARY KEY (album_id));
CREATE TABLE employee (employee_id INT NOT NULL, last_name VARCHAR(20) NOT NULL, first_name VARCHAR(20) NOT NULL, title VARCHAR(30), reports_to INT REFERENCES employee,
  birth_date TIMESTAMP, hire_date TIMESTAMP, address VARCHAR(70), city VARCHAR(40), state VARCHAR(40), country VARCHAR(40), postal_code VARCHAR(10),
  phone VARCHAR(24), fax VARCHAR(24), email VARCHAR(60), CONSTRAINT employee_pkey PRIMARY KEY (employee_id));
CREATE TABLE customer (customer_id INT NOT NULL, first_name VARCHAR(40) NOT NULL, last_name VARCHAR(20) NOT NULL, company VARCHAR(80), address VARCHAR(70), city VARCHAR(40),
  state VARCHAR(40), country VARCHAR(40), postal_code VARCHAR(10), phone VARCHAR(24), fax VARCHAR(24), email VARCHAR(60) NOT NULL, support_rep_id INT REFERENCES employee,
  CONSTRAINT customer_pkey PRIMARY KEY (customer_id));
CREATE TABLE genre (genre_id INT NOT NULL, name VARCHAR(120), CONSTRAINT genre_pkey PRIMARY KEY (genre_id));
CREATE TABLE invoice (invoice_id INT NOT NULL, customer_id INT NOT NULL REFERENCES customer, invoice_date TIMESTAMP NOT NULL, billing_address VARCHAR(70), billing_city VARCHAR(40),
  billing_state VARCHAR(40), billing_country VARCHAR(40), billing_postal_code VARCHAR(10), total NUMERIC(10,2) NOT NULL, CONSTRAINT invoice_pkey PRIMARY KEY (invoice_id));
CREATE TABLE media_type (media_type_id INT NOT NULL, name VARCHAR(120), CONSTRAINT media_type_pkey PRIMARY KEY (media_type_id));
CREATE TABLE track (track_id INT NOT NULL, name VARCHAR(200) NOT NULL, album_id INT REFERENCES album, media_type_id INT NOT NULL REFERENCES media_type, genre_id INT REFERENCES genre,
  composer VARCHAR(220), milliseconds INT NOT NULL, bytes INT, unit_price NUMERIC(10,2) NOT NULL, CONSTRAINT track_pkey PRIMARY KEY (track_id));
CREATE TABLE invoice_line (invoice_line_id INT NOT NULL, invoice_id INT NOT NULL REFERENCES invoice, track_id INT NOT NULL REFERENCES track, unit_price NUMERIC(10,2) NOT NULL,
  quantity INT NOT NULL, CONSTRAINT invoice_line_pkey PRIMARY KEY (invoice_line_id));
CREATE TABLE playlist (playlist_id INT NOT NULL, name VARCHAR(120), CONSTRAINT playlist_pkey PRIMARY KEY (playlist_id));
CREATE TABLE playlist_track (playlist_id INT NOT NULL REFERENCES playlist, track_id INT NOT NULL REFERENCES track, CONSTRAINT playlist_track_pkey PRIMARY KEY (playlist_id, track_id));
`;

const GENRES = ['Rock', 'Jazz', 'Metal', 'Alternative & Punk', 'Rock And Roll', 'Blues', 'Latin', 'Reggae', 'Pop', 'Soundtrack', 'Bossa Nova', 'Easy Listening', 'Heavy Metal',
  'R&B/Soul', 'Electronica/Dance', 'World', 'Hip Hop/Rap', 'Science Fiction', 'TV Shows', 'Sci Fi & Fantasy', 'Drama', 'Comedy', 'Alternative', 'Classical', 'Opera'];
const MEDIA_TYPES = ['MPEG audio file', 'Protected AAC audio file', 'Protected MPEG-4 video file', 'Purchased AAC audio file', 'AAC audio file'];
const PLAYLISTS = ['Music', 'Movies', 'TV Shows', 'Audiobooks', '90’s Music', 'Brazilian Music', 'Classical', 'Grunge', 'Heavy Metal Classic', 'On-The-Go 1'];
const ARTISTS = ['AC/DC', 'Accept', 'Aerosmith', 'Alanis Morissette', 'Alice In Chains', 'Antônio Carlos Jobim', 'Apocalyptica', 'Audioslave', 'Billy Cobham', 'Black Sabbath',
  'Buddy Guy', 'Chico Buarque', 'Deep Purple', 'Eric Clapton', 'Faith No More', 'Foo Fighters', 'Gilberto Gil', 'Green Day', 'Iron Maiden', 'Jamiroquai', 'Kiss', 'Led Zeppelin',
  'Lenny Kravitz', 'Metallica', 'Miles Davis', 'Milton Nascimento', 'Nirvana', 'Os Mutantes', 'Pearl Jam', 'Queen', 'R.E.M.', 'Red Hot Chili Peppers', 'Santana', 'Skank', 'Soundgarden',
  'The Cult', 'Tim Maia', 'U2', 'Van Halen', 'Zeca Pagodinho'];
const ALBUM_WORDS = ['Live', 'Greatest Hits', 'Unplugged', 'Sessions', 'Volume 1', 'Volume 2', 'Collection'];
const FIRST = ['Luís', 'Leonie', 'François', 'Bjørn', 'Helena', 'Astrid', 'Daan', 'Kara', 'Eduardo', 'Alexandre', 'Roberto', 'Fernanda', 'Mark', 'Jennifer', 'Frank', 'Jack', 'Michelle', 'Tim', 'Dan', 'Kathy'];
const LAST = ['Gonçalves', 'Köhler', 'Tremblay', 'Hansen', 'Holý', 'Gruber', 'Peeters', 'Nielsen', 'Martins', 'Rocha', 'Almeida', 'Ramos', 'Philips', 'Peterson', 'Harris', 'Smith', 'Brooks', 'Goyer', 'Miller', 'Chase',
  'Leacock', 'Gordon', 'Stevens', 'Cunningham', 'Gray', 'Barnett', 'Francis', 'Silk', 'Brown', 'Sullivan', 'Fernandes', 'Sampaio', 'Schneider', 'Zimmermann', 'Schröder', 'Bernard', 'Lefebvre', 'Mercier', 'Dubois'];
const CITIES = [['São Paulo', 'SP', 'Brazil'], ['Rio de Janeiro', 'RJ', 'Brazil'], ['Stuttgart', null, 'Germany'], ['Berlin', null, 'Germany'], ['Frankfurt', null, 'Germany'], ['Montréal', 'QC', 'Canada'],
  ['Edmonton', 'AB', 'Canada'], ['Toronto', 'ON', 'Canada'], ['Oslo', null, 'Norway'], ['Prague', null, 'Czech Republic'], ['Vienne', null, 'Austria'], ['Brussels', null, 'Belgium'], ['Copenhagen', null, 'Denmark'],
  ['Mountain View', 'CA', 'USA'], ['Redmond', 'WA', 'USA'], ['New York', 'NY', 'USA'], ['Cupertino', 'CA', 'USA'], ['Reno', 'NV', 'USA'], ['Chicago', 'IL', 'USA'], ['Paris', null, 'France'], ['Lyon', null, 'France'],
  ['Dublin', 'Dublin', 'Ireland'], ['Rome', 'RM', 'Italy'], ['Amsterdam', 'VV', 'Netherlands'], ['Warsaw', null, 'Poland'], ['Lisbon', null, 'Portugal'], ['London', null, 'United Kingdom'], ['Delhi', null, 'India'],
  ['Bangalore', null, 'India'], ['Santiago', null, 'Chile']];
const EMPLOYEES = [['Adams', 'Andrew', 'General Manager', null], ['Edwards', 'Nancy', 'Sales Manager', 1], ['Peacock', 'Jane', 'Sales Support Agent', 2], ['Park', 'Margaret', 'Sales Support Agent', 2],
  ['Johnson', 'Steve', 'Sales Support Agent', 2], ['Mitchell', 'Michael', 'IT Manager', 1], ['King', 'Robert', 'IT Staff', 6], ['Callahan', 'Laura', 'IT Staff', 6]];
export const CUSTOMERS = 59;
const ALBUMS = 90, TRACKS = 900, INVOICES = 412;
const FIRST_DAY = Date.UTC(2021, 0, 1), DAYS = 5 * 365;

function generator(seed) {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

const literal = (v) => (v === null ? 'NULL' : typeof v === 'number' ? String(v) : `'${v.replaceAll("'", "''")}'`);
const insert = (table, rows) => `INSERT INTO ${table} VALUES\n${rows.map((row) => `(${row.map(literal).join(', ')})`).join(',\n')};\n`;
const day = (ms) => new Date(ms).toISOString().slice(0, 10);
const mail = (first, last, n) => `${`${first}.${last}`.normalize('NFD').replace(/[^A-Za-z.]/g, '').toLowerCase()}${n}@example.org`;

function people(pick) {
  const employees = EMPLOYEES.map(([last, first, title, boss], i) => [i + 1, last, first, title, boss, day(Date.UTC(1960 + 3 * i, i, 11)), day(Date.UTC(2002 + (i % 3), 4 + i, 1)),
    `${7 + i} Jasper Ave`, i % 3 ? 'Calgary' : 'Edmonton', 'AB', 'Canada', `T2P 2T${i}`, `+1 (403) 262-34${40 + i}`, `+1 (403) 262-33${20 + i}`, mail(first, last, '')]);
  const customers = Array.from({ length: CUSTOMERS }, (_, i) => {
    const first = FIRST[pick(FIRST.length)], last = LAST[i % LAST.length], [city, state, country] = CITIES[pick(CITIES.length)];
    return [i + 1, first, last, i % 6 ? null : `${last} & Co.`, `${1 + pick(999)} Long Street`, city, state, country, String(10000 + pick(80000)), `+49 0711 28${10000 + i}`, null,
      mail(first, last, i), 3 + pick(3)];
  });
  return { employees, customers };
}

function songs(pick) {
  const albums = Array.from({ length: ALBUMS }, (_, i) => {
    const artist = i < ARTISTS.length ? i : Math.min(pick(ARTISTS.length), pick(ARTISTS.length));
    return [i + 1, `${ARTISTS[artist]} ${ALBUM_WORDS[i % ALBUM_WORDS.length]} ${1970 + (i * 7) % 50}`, artist + 1];
  });
  const tracks = Array.from({ length: TRACKS }, (_, i) => {
    const genre = Math.min(pick(GENRES.length), pick(GENRES.length), pick(GENRES.length)), film = genre >= 17 && genre <= 21;
    const long = film ? 1200000 + pick(1500000) : 120000 + pick(360000);
    return [i + 1, `Song ${i + 1}`, 1 + (i * 7) % ALBUMS, film ? 3 : 1 + [0, 0, 0, 1, 3, 4][pick(6)], genre + 1, i % 3 ? `${LAST[pick(LAST.length)]}, ${FIRST[pick(FIRST.length)]}` : null, long,
      long * 33, film ? 1.99 : 0.99];
  });
  return { albums, tracks };
}

function sales(pick, customers, tracks) {
  const invoices = [], lines = [];
  for (let i = 0; i < INVOICES; i++) {
    const c = customers[pick(customers.length)], count = [1, 2, 2, 4, 6, 9, 14][pick(7)];
    let cents = 0;
    for (let k = 0; k < count; k++) {
      const t = tracks[pick(tracks.length)], quantity = pick(9) === 0 ? 2 : 1;
      lines.push([lines.length + 1, i + 1, t[0], t[8], quantity]);
      cents += Math.round(t[8] * 100) * quantity;
    }
    invoices.push([i + 1, c[0], day(FIRST_DAY + Math.floor((i * DAYS) / INVOICES) * 86400000), c[4], c[5], c[6], c[7], c[8], cents / 100]);
  }
  return { invoices, lines };
}

/* Everything as one script for psql. */
export function chinook() {
  const pick = generator(20091026);
  const { employees, customers } = people(pick), { albums, tracks } = songs(pick), { invoices, lines } = sales(pick, customers, tracks);
  const pairs = PLAYLISTS.flatMap((_, p) => tracks.filter((t) => (t[0] * (p + 3)) % (p * 5 + 2) === 0).map((t) => [p + 1, t[0]]));
  const named = (list) => list.map((name, i) => [i + 1, name]);
  return TABLES + insert('artist', named(ARTISTS)) + insert('album', albums) + insert('employee', employees) + insert('customer', customers)
    + insert('genre', named(GENRES)) + insert('media_type', named(MEDIA_TYPES)) + insert('playlist', named(PLAYLISTS)) + insert('track', tracks)
    + insert('invoice', invoices) + insert('invoice_line', lines) + insert('playlist_track', pairs);
}
