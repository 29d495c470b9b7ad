-- Views of both packs; each tenant's file holds rows of its own alone.
CREATE TABLE lib_loans (branch nvarchar(50) NOT NULL, genre nvarchar(50) NOT NULL, loan_year int NOT NULL, loans int NOT NULL, tenant_id nvarchar(100) NOT NULL);
INSERT INTO lib_loans VALUES
	('Oldtown', 'Whodunit', 2025, 4117, 'lantern'), ('Oldtown', 'Sagas', 2025, 2903, 'lantern'),
	('Riverside', 'Whodunit', 2025, 1188, 'lantern'), ('Oldtown', 'Sagas', 2024, 2714, 'lantern');
CREATE TABLE bak_batches (oven nvarchar(50) NOT NULL, bread nvarchar(50) NOT NULL, batch_year int NOT NULL, loaves int NOT NULL, tenant_id nvarchar(100) NOT NULL);
INSERT INTO bak_batches VALUES
	('Stonehearth', 'Pumpernickel', 2025, 51260, 'crumb'), ('Stonehearth', 'Brioche', 2025, 18044, 'crumb'),
	('Copperdeck', 'Brioche', 2025, 9377, 'crumb');
