-- A fictional view of another domain, in addition to those of the product's own warehouse.
CREATE TABLE tx_congestion (
	line_name nvarchar(100) NOT NULL,
	region nvarchar(50) NOT NULL,
	congestion_year int NOT NULL,
	congested_hours int NOT NULL,
	congestion_cost decimal(14, 2) NOT NULL,
	tenant_id nvarchar(100) NOT NULL
);
INSERT INTO tx_congestion VALUES
	('Gates-Midway 500 kV', 'South', 2025, 1412, 38450000, 'vesper'),
	('Gates-Midway 500 kV', 'South', 2026, 1188, 29100000, 'vesper'),
	('Round Mountain 500 kV', 'North', 2025, 903, 21700000, 'vesper'),
	('Vaca-Dixon 230 kV', 'North', 2025, 1630, 9350000, 'vesper'),
	('Vaca-Dixon 230 kV', 'North', 2026, 1544, 8800000, 'vesper');
