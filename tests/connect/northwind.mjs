/*
 * Northwind, Microsoft's public sample schema of a trader in foods, in the spelling of its PostgreSQL port
 * (https://github.com/pthom/northwind_psql): tables, columns, keys and foreign keys as published, without pictures and notes.
 * The rows are made here, by a generator that gives the same rows each time. northwind.jsonl has 100 questions with SQL for each;
 * both were written from the published schema before anything was connected to it.
 */

const TABLES = `
CREATE TABLE categories (category_id SMALLINT NOT NULL PRIMARY KEY, category_name VARCHAR(15) NOT NULL, description TEXT);
CREATE TABLE customers (customer_id VARCHAR(5) NOT NULL PRIMARY KEY, company_name VARCHAR(40) NOT NULL, contact_name VARCHAR(30), contact_title VARCHAR(30), address VARCHAR(60),
  city VARCHAR(15), region VARCHAR(15), postal_code VARCHAR(10), country VARCHAR(15), phone VARCHAR(24), fax VARCHAR(24));
CREATE TABLE employees (employee_id SMALLINT NOT NULL PRIMARY KEY, last_name VARCHAR(20) NOT NULL, first_name VARCHAR(10) NOT NULL, title VARCHAR(30), birth_date DATE, hire_date DATE,
  address VARCHAR(60), city VARCHAR(15), country VARCHAR(15), home_phone VARCHAR(24), reports_to SMALLINT REFERENCES employees);
CREATE TABLE suppliers (supplier_id SMALLINT NOT NULL PRIMARY KEY, company_name VARCHAR(40) NOT NULL, contact_name VARCHAR(30), address VARCHAR(60), city VARCHAR(15), country VARCHAR(15),
  phone VARCHAR(24));
CREATE TABLE shippers (shipper_id SMALLINT NOT NULL PRIMARY KEY, company_name VARCHAR(40) NOT NULL, phone VARCHAR(24));
CREATE TABLE products (product_id SMALLINT NOT NULL PRIMARY KEY, product_name VARCHAR(40) NOT NULL, supplier_id SMALLINT REFERENCES suppliers, category_id SMALLINT REFERENCES categories,
  quantity_per_unit VARCHAR(20), unit_price NUMERIC(10,2), units_in_stock SMALLINT, units_on_order SMALLINT, reorder_level SMALLINT, discontinued INTEGER NOT NULL);
CREATE TABLE region (region_id SMALLINT NOT NULL PRIMARY KEY, region_description VARCHAR(60) NOT NULL);
CREATE TABLE territories (territory_id VARCHAR(20) NOT NULL PRIMARY KEY, territory_description VARCHAR(60) NOT NULL, region_id SMALLINT NOT NULL REFERENCES region);
CREATE TABLE employee_territories (employee_id SMALLINT NOT NULL REFERENCES employees, territory_id VARCHAR(20) NOT NULL REFERENCES territories, PRIMARY KEY (employee_id, territory_id));
CREATE TABLE orders (order_id SMALLINT NOT NULL PRIMARY KEY, customer_id VARCHAR(5) REFERENCES customers, employee_id SMALLINT REFERENCES employees, order_date DATE, required_date DATE,
  shipped_date DATE, ship_via SMALLINT REFERENCES shippers, freight NUMERIC(10,2), ship_name VARCHAR(40), ship_city VARCHAR(15), ship_country VARCHAR(15));
CREATE TABLE order_details (order_id SMALLINT NOT NULL REFERENCES orders, product_id SMALLINT NOT NULL REFERENCES products, unit_price NUMERIC(10,2) NOT NULL, quantity SMALLINT NOT NULL,
  discount NUMERIC(4,2) NOT NULL, PRIMARY KEY (order_id, product_id));
`;

const CATEGORIES = ['Beverages', 'Condiments', 'Confections', 'Dairy Products', 'Grains/Cereals', 'Meat/Poultry', 'Produce', 'Seafood'];
const SHIPPERS = ['Speedy Express', 'United Package', 'Federal Shipping'];
const REGIONS = ['Eastern', 'Western', 'Northern', 'Southern'];
const PLACES = [['Berlin', 'Germany'], ['Aachen', 'Germany'], ['México D.F.', 'Mexico'], ['London', 'UK'], ['Luleå', 'Sweden'], ['Strasbourg', 'France'], ['Nantes', 'France'], ['Madrid', 'Spain'],
  ['Marseille', 'France'], ['Tsawassen', 'Canada'], ['Buenos Aires', 'Argentina'], ['Bern', 'Switzerland'], ['Sao Paulo', 'Brazil'], ['Graz', 'Austria'], ['Lisboa', 'Portugal'], ['Seattle', 'USA'],
  ['Portland', 'USA'], ['Boise', 'USA'], ['Torino', 'Italy'], ['Helsinki', 'Finland']];
const EMPLOYEES = [['Davolio', 'Nancy', 'Sales Representative', 2], ['Fuller', 'Andrew', 'Vice President, Sales', null], ['Leverling', 'Janet', 'Sales Representative', 2],
  ['Peacock', 'Margaret', 'Sales Representative', 2], ['Buchanan', 'Steven', 'Sales Manager', 2], ['Suyama', 'Michael', 'Sales Representative', 5], ['King', 'Robert', 'Sales Representative', 5],
  ['Callahan', 'Laura', 'Inside Sales Coordinator', 2], ['Dodsworth', 'Anne', 'Sales Representative', 5]];
const GOODS = ['Chai', 'Chang', 'Aniseed Syrup', 'Cajun Seasoning', 'Boysenberry Spread', 'Dried Pears', 'Cranberry Sauce', 'Mishi Kobe Niku', 'Ikura', 'Queso Cabrales', 'Konbu', 'Tofu', 'Genen Shouyu',
  'Pavlova', 'Alice Mutton', 'Carnarvon Tigers', 'Chocolade', 'Gumbär', 'Geitost', 'Sasquatch Ale', 'Steeleye Stout', 'Inlagd Sill', 'Gravad Lax', 'Chartreuse verte', 'Boston Crab Meat', 'Clam Chowder',
  'Ipoh Coffee', 'Gula Malacca', 'Spegesild', 'Filo Mix', 'Tourtière', 'Pâté chinois', 'Ravioli Angelo', 'Camembert Pierrot', 'Maple Syrup', 'Tarte au sucre', 'Vegie-spread', 'Louisiana Hot Spice', 'Laughing Lumberjack Lager', 'Scottish Longbreads'];
const FIRST_DAY = Date.UTC(2023, 0, 2), ORDERS = 830, CUSTOMERS = 91, SUPPLIERS = 29;

function generator(seed) {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

const literal = (v) => (v === null ? 'NULL' : typeof v === 'number' ? String(v) : `'${v.replaceAll("'", "''")}'`);
const insert = (table, rows) => `INSERT INTO ${table} VALUES\n${rows.map((row) => `(${row.map(literal).join(', ')})`).join(',\n')};\n`;
const day = (n) => new Date(FIRST_DAY + n * 86400000).toISOString().slice(0, 10);
const code = (i) => String.fromCharCode(65 + (i % 26), 65 + (Math.floor(i / 26) % 26), 76, 70, 75);

/* Everything as one script for psql. */
export function northwind() {
  const pick = generator(19960704);
  const customers = Array.from({ length: CUSTOMERS }, (_, i) => {
    const [city, country] = PLACES[pick(PLACES.length)];
    return [code(i), `Company ${i + 1} Foods`, `Contact ${i + 1}`, ['Owner', 'Sales Manager', 'Order Administrator'][pick(3)], `${i + 1} Main Street`, city, null, String(10000 + i), country, `030-00${i}`, null];
  });
  const employees = EMPLOYEES.map(([last, first, title, boss], i) => [i + 1, last, first, title, `196${i}-03-11`, `201${i % 4}-05-01`, `${i} Hill Road`, i % 2 ? 'London' : 'Seattle', i % 2 ? 'UK' : 'USA', `(71) 555-0${i}`, boss]);
  const suppliers = Array.from({ length: SUPPLIERS }, (_, i) => {
    const [city, country] = PLACES[pick(PLACES.length)];
    return [i + 1, `Supplier ${i + 1} Trading`, `Seller ${i + 1}`, `${i + 1} Dock Road`, city, country, `040-00${i}`];
  });
  const products = GOODS.map((name, i) => [i + 1, name, 1 + pick(SUPPLIERS), 1 + pick(8), `${1 + pick(24)} boxes`, 2 + pick(9000) / 100, pick(120), pick(3) ? 0 : 10 * (1 + pick(7)), 5 * pick(6), pick(9) ? 0 : 1]);
  const territories = Array.from({ length: 24 }, (_, i) => [String(10000 + 37 * i), `Territory ${i + 1}`, 1 + (i % 4)]);
  const pairs = employees.flatMap(([id]) => territories.filter((_, i) => i % 9 === id - 1 || (i * id) % 11 === 3).map(([t]) => [id, t]));
  const orders = [], details = [];
  for (let i = 0; i < ORDERS; i++) {
    const c = customers[pick(CUSTOMERS)], at = Math.floor((i * 1090) / ORDERS), ordered = 10248 + i;
    orders.push([ordered, c[0], 1 + pick(9), day(at), day(at + 28), pick(20) ? day(at + 2 + pick(12)) : null, 1 + pick(3), pick(30000) / 100, c[1], c[5], c[8]]);
    for (const p of new Set(Array.from({ length: 1 + pick(5) }, () => pick(products.length))))
      details.push([ordered, p + 1, products[p][5], 1 + pick(60), [0, 0, 0, 0.05, 0.1, 0.25][pick(6)]]);
  }
  const named = (list) => list.map((name, i) => [i + 1, name]);
  return TABLES + insert('categories', CATEGORIES.map((name, i) => [i + 1, name, `${name} of all kinds`])) + insert('customers', customers) + insert('employees', [employees[1], ...employees.filter((e) => e[0] !== 2).sort((a, b) => (a[10] ?? 0) - (b[10] ?? 0))])
    + insert('suppliers', suppliers) + insert('shippers', SHIPPERS.map((name, i) => [i + 1, name, `(503) 555-98${i}`])) + insert('products', products) + insert('region', named(REGIONS))
    + insert('territories', territories) + insert('employee_territories', pairs) + insert('orders', orders) + insert('order_details', details);
}
