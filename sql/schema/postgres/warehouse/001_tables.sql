-- The warehouse: tables in "base" that only their owner reaches, and the nine approved views over them. All tenants share
-- the tables; every key begins with the tenant, so that what one tenant stores can't collide with what another did.
-- What the tables mean is told in sql/warehouse/sqlite/schema.sql.

--# owner
SET LOCAL ROLE vesper_owner

--# mc_vendor_files
CREATE TABLE base.mc_vendor_files (
	tenant_id varchar(100) NOT NULL,
	file_info_key int NOT NULL,
	hubzone_key int NOT NULL,
	composite_key varchar(50) NOT NULL,
	vendor varchar(100) NOT NULL,
	market varchar(50) NOT NULL,
	hubzone varchar(50) NOT NULL,
	asof varchar(50) NOT NULL,
	asof_date date NOT NULL,
	YR int NOT NULL,
	reference varchar(20) NOT NULL CHECK (reference IN ('Base', 'High', 'Low')),
	SELECTION varchar(200) NOT NULL,
	PRIMARY KEY (tenant_id, file_info_key, hubzone_key),
	UNIQUE (tenant_id, composite_key)
)

--# mc_vendor_files_curve
CREATE INDEX mc_vendor_files_curve ON base.mc_vendor_files (tenant_id, hubzone, vendor, reference, asof_date)

--# mc_dayahead
CREATE TABLE base.mc_dayahead (
	tenant_id varchar(100) NOT NULL,
	FILE_INFO_KEY int NOT NULL,
	HUBZONE_KEY int NOT NULL,
	DATE date NOT NULL,
	YEAR int NOT NULL,
	MONTH int NOT NULL,
	HOUR int NOT NULL CHECK (HOUR BETWEEN 0 AND 23),
	DAYAHEAD_PRICE decimal(10, 4) NOT NULL,
	PRIMARY KEY (tenant_id, FILE_INFO_KEY, HUBZONE_KEY, YEAR, DATE, HOUR)
)

--# pbi_activity_events
CREATE TABLE base.pbi_activity_events (
	event_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	tenant_id varchar(100) NOT NULL,
	report_id varchar(200) NOT NULL,
	report_name varchar(500) NOT NULL,
	workspace_name varchar(500) NOT NULL,
	user_email varchar(500) NOT NULL,
	activity_type varchar(100) NOT NULL,
	activity_date date NOT NULL,
	created_at timestamp(0) NOT NULL,
	source_id varchar(100) NOT NULL,
	UNIQUE (tenant_id, source_id)
)

--# pbi_activity_events_day
CREATE INDEX pbi_activity_events_day ON base.pbi_activity_events (tenant_id, activity_date)

-- Flags are numbers, as in the other dialects: statements compare them with 0 and 1.
--# per_project
CREATE TABLE base.per_project (
	tenant_id varchar(100) NOT NULL,
	gid varchar(50) NOT NULL,
	project_id varchar(50) NOT NULL,
	name varchar(200) NOT NULL,
	currentprojectstage varchar(100) NOT NULL,
	technology varchar(50) NOT NULL,
	market varchar(50) NOT NULL,
	location varchar(200),
	spa varchar(100),
	sponsor varchar(100),
	gencap decimal(10, 2),
	storecap decimal(10, 2),
	utility varchar(100),
	Status_Type varchar(20) NOT NULL CHECK (Status_Type IN ('on_track', 'at_risk', 'off_track', 'on_hold')),
	summary varchar(1000),
	Actuals_LTD decimal(18, 2),
	Total_Operating_Budget decimal(18, 2),
	Total_Operating_Forecast decimal(18, 2),
	IC_LC decimal(18, 2),
	PPA_LC decimal(18, 2),
	buyer varchar(200),
	tenor int,
	products varchar(200),
	price decimal(10, 2),
	revision_date date,
	is_archived smallint CHECK (is_archived IN (0, 1)),
	PRIMARY KEY (tenant_id, gid),
	UNIQUE (tenant_id, project_id)
)

--# per_projecthealth
CREATE TABLE base.per_projecthealth (
	tenant_id varchar(100) NOT NULL,
	project_gid varchar(50) NOT NULL,
	section varchar(100) NOT NULL,
	name varchar(100) NOT NULL,
	healthcolor varchar(20) CHECK (healthcolor IN ('green', 'yellow', 'red', 'blue')),
	notes varchar(1000),
	due_on date,
	pctcomplete int,
	sort int NOT NULL,
	PRIMARY KEY (tenant_id, project_gid, sort),
	FOREIGN KEY (tenant_id, project_gid) REFERENCES base.per_project (tenant_id, gid)
)

--# per_tasks
CREATE TABLE base.per_tasks (
	tenant_id varchar(100) NOT NULL,
	projectname varchar(200) NOT NULL,
	taskname varchar(300) NOT NULL,
	task_type varchar(50) NOT NULL,
	finishdate date,
	status varchar(50),
	risk varchar(20) CHECK (risk IN ('High', 'Medium', 'Low', '')),
	notesforper varchar(1000),
	PRIMARY KEY (tenant_id, projectname, taskname)
)

--# per_project45
CREATE TABLE base.per_project45 (
	tenant_id varchar(100) NOT NULL,
	project_id varchar(50) NOT NULL,
	"group" varchar(100) NOT NULL,
	subgrouping varchar(100) NOT NULL,
	metric varchar(100) NOT NULL,
	value_numbers decimal(18, 4),
	value_dates date,
	MonthFromFileName varchar(20),
	FOREIGN KEY (tenant_id, project_id) REFERENCES base.per_project (tenant_id, project_id)
)

--# per_project45_project
CREATE INDEX per_project45_project ON base.per_project45 (tenant_id, project_id)

--# activeportfolio_mm
CREATE TABLE base.activeportfolio_mm (
	tenant_id varchar(100) NOT NULL,
	"Project Name" varchar(200) NOT NULL,
	"Current Project Stage" varchar(100) NOT NULL,
	"Project Status Color" varchar(20),
	"CommercializationStatus" varchar(100),
	"Stage 1 Early Dev" date,
	"Stage 2 Mid Dev" date,
	"Stage 3 Late Dev" date,
	"Stage 4 Pre-Con & Finance" date,
	"Stage 5 Construction" date,
	"Stage 6 Operation" date,
	"Stage 7 Sale" date,
	"Stage 8 Closing" date,
	"Minimum Site Control" date,
	"Substantial Completion" date,
	"Mechanical Completion" date,
	"Project Finance" date,
	"EPC FNTP" date,
	"Execute Power Purchase Agreement" date,
	"Execute Interconnection Agreement" date,
	"Commercial Operation" date,
	"Decisioning Date" date,
	"COD Year" int,
	monthlysnapshot smallint NOT NULL CHECK (monthlysnapshot IN (0, 1)),
	asofday date NOT NULL,
	PRIMARY KEY (tenant_id, "Project Name", asofday)
)

--# changes
CREATE TABLE base.changes (
	tenant_id varchar(100) NOT NULL,
	dateofchange date NOT NULL,
	projectname varchar(200) NOT NULL,
	taskname varchar(300),
	fieldchanged varchar(100) NOT NULL,
	previousvalue varchar(500),
	newvalue varchar(500)
)

--# changes_day
CREATE INDEX changes_day ON base.changes (tenant_id, dateofchange)

--# tenant rows
DO $$
DECLARE
	t text;
BEGIN
	FOREACH t IN ARRAY ARRAY['mc_vendor_files', 'mc_dayahead', 'pbi_activity_events', 'per_project', 'per_projecthealth',
		'per_tasks', 'per_project45', 'activeportfolio_mm', 'changes'] LOOP
		EXECUTE pg_catalog.format('ALTER TABLE base.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', t);
		EXECUTE pg_catalog.format('CREATE POLICY own_tenant ON base.%I
			USING (tenant_id = pg_catalog.current_setting(''vesper.tenant_id'', true))
			WITH CHECK (tenant_id = pg_catalog.current_setting(''vesper.tenant_id'', true))', t);
	END LOOP;
END
$$

--# view mc_vendor_files
CREATE VIEW stage.mc_vendor_files AS
SELECT file_info_key, hubzone_key, composite_key, vendor, market, hubzone, asof, asof_date, YR, reference, SELECTION, tenant_id
FROM base.mc_vendor_files

--# view mc_dayahead
CREATE VIEW stage.mc_dayahead AS
SELECT FILE_INFO_KEY, HUBZONE_KEY, DATE, YEAR, MONTH, HOUR, DAYAHEAD_PRICE, tenant_id
FROM base.mc_dayahead

--# view pbi_activity_events
CREATE VIEW stage.pbi_activity_events AS
SELECT event_id, tenant_id, report_id, report_name, workspace_name, user_email, activity_type, activity_date, created_at, source_id
FROM base.pbi_activity_events

--# view per_project
CREATE VIEW dbo.per_project AS
SELECT gid, project_id, name, currentprojectstage, technology, market, location, spa, sponsor, gencap, storecap, utility,
	Status_Type, summary, Actuals_LTD, Total_Operating_Budget, Total_Operating_Forecast, IC_LC, PPA_LC, buyer, tenor, products,
	price, revision_date, is_archived, tenant_id
FROM base.per_project

--# view per_projecthealth
CREATE VIEW dbo.per_projecthealth AS
SELECT project_gid, section, name, healthcolor, notes, due_on, pctcomplete, sort, tenant_id
FROM base.per_projecthealth

--# view per_tasks
CREATE VIEW dbo.per_tasks AS
SELECT projectname, taskname, task_type, finishdate, status, risk, notesforper, tenant_id
FROM base.per_tasks

--# view per_project45
CREATE VIEW dbo.per_project45 AS
SELECT project_id, "group", subgrouping, metric, value_numbers, value_dates, MonthFromFileName, tenant_id
FROM base.per_project45

--# view activeportfolio_mm
CREATE VIEW dbo.activeportfolio_mm AS
SELECT "Project Name", "Current Project Stage", "Project Status Color", "CommercializationStatus", "Stage 1 Early Dev",
	"Stage 2 Mid Dev", "Stage 3 Late Dev", "Stage 4 Pre-Con & Finance", "Stage 5 Construction", "Stage 6 Operation",
	"Stage 7 Sale", "Stage 8 Closing", "Minimum Site Control", "Substantial Completion", "Mechanical Completion",
	"Project Finance", "EPC FNTP", "Execute Power Purchase Agreement", "Execute Interconnection Agreement",
	"Commercial Operation", "Decisioning Date", "COD Year", monthlysnapshot, asofday, tenant_id
FROM base.activeportfolio_mm

--# view changes
CREATE VIEW dbo.changes AS
SELECT dateofchange, projectname, taskname, fieldchanged, previousvalue, newvalue, tenant_id
FROM base.changes

--# schema right
GRANT USAGE ON SCHEMA stage TO vesper_read

--# view rights
GRANT SELECT ON stage.mc_vendor_files, stage.mc_dayahead, stage.pbi_activity_events, dbo.per_project, dbo.per_projecthealth,
	dbo.per_tasks, dbo.per_project45, dbo.activeportfolio_mm, dbo.changes TO vesper_read
