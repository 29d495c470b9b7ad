-- The warehouse: tables in "base" that no login of Vesper reaches, and the nine approved views over them, which reach their
-- tables by having the same owner. All tenants share the tables; every key begins with the tenant, so that what one tenant
-- stores can't collide with what another did. What the tables mean is told in sql/warehouse/sqlite/schema.sql.

--# mc_vendor_files
CREATE TABLE base.mc_vendor_files (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	file_info_key int NOT NULL,
	hubzone_key int NOT NULL,
	composite_key nvarchar(50) NOT NULL,
	vendor nvarchar(100) NOT NULL,
	market nvarchar(50) NOT NULL,
	hubzone nvarchar(50) NOT NULL,
	asof nvarchar(50) NOT NULL,
	asof_date date NOT NULL,
	YR int NOT NULL,
	reference nvarchar(20) NOT NULL CONSTRAINT CK_mc_vendor_files_reference CHECK (reference IN ('Base', 'High', 'Low')),
	SELECTION nvarchar(200) NOT NULL,
	CONSTRAINT PK_mc_vendor_files PRIMARY KEY (tenant_id, file_info_key, hubzone_key),
	CONSTRAINT UQ_mc_vendor_files UNIQUE (tenant_id, composite_key)
);
GO

--# mc_vendor_files_curve
CREATE INDEX mc_vendor_files_curve ON base.mc_vendor_files (tenant_id, hubzone, vendor, reference, asof_date);
GO

--# mc_dayahead
CREATE TABLE base.mc_dayahead (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	FILE_INFO_KEY int NOT NULL,
	HUBZONE_KEY int NOT NULL,
	DATE date NOT NULL,
	YEAR int NOT NULL,
	MONTH int NOT NULL,
	HOUR int NOT NULL CONSTRAINT CK_mc_dayahead_HOUR CHECK (HOUR BETWEEN 0 AND 23),
	DAYAHEAD_PRICE decimal(10, 4) NOT NULL,
	CONSTRAINT PK_mc_dayahead PRIMARY KEY (tenant_id, FILE_INFO_KEY, HUBZONE_KEY, YEAR, DATE, HOUR)
);
GO

--# pbi_activity_events
CREATE TABLE base.pbi_activity_events (
	event_id bigint IDENTITY(1, 1) NOT NULL,
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	report_id nvarchar(200) NOT NULL,
	report_name nvarchar(500) NOT NULL,
	workspace_name nvarchar(500) NOT NULL,
	user_email nvarchar(500) NOT NULL,
	activity_type nvarchar(100) NOT NULL,
	activity_date date NOT NULL,
	created_at datetime2(0) NOT NULL,
	source_id nvarchar(100) NOT NULL,
	CONSTRAINT PK_pbi_activity_events PRIMARY KEY (event_id),
	CONSTRAINT UQ_pbi_activity_events UNIQUE (tenant_id, source_id)
);
GO

--# pbi_activity_events_day
CREATE INDEX pbi_activity_events_day ON base.pbi_activity_events (tenant_id, activity_date);
GO

--# per_project
CREATE TABLE base.per_project (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	gid nvarchar(50) NOT NULL,
	project_id nvarchar(50) NOT NULL,
	name nvarchar(200) NOT NULL,
	currentprojectstage nvarchar(100) NOT NULL,
	technology nvarchar(50) NOT NULL,
	market nvarchar(50) NOT NULL,
	location nvarchar(200),
	spa nvarchar(100),
	sponsor nvarchar(100),
	gencap decimal(10, 2),
	storecap decimal(10, 2),
	utility nvarchar(100),
	Status_Type nvarchar(20) NOT NULL CONSTRAINT CK_per_project_Status_Type
		CHECK (Status_Type IN ('on_track', 'at_risk', 'off_track', 'on_hold')),
	summary nvarchar(1000),
	Actuals_LTD decimal(18, 2),
	Total_Operating_Budget decimal(18, 2),
	Total_Operating_Forecast decimal(18, 2),
	IC_LC decimal(18, 2),
	PPA_LC decimal(18, 2),
	buyer nvarchar(200),
	tenor int,
	products nvarchar(200),
	price decimal(10, 2),
	revision_date date,
	is_archived bit,
	CONSTRAINT PK_per_project PRIMARY KEY (tenant_id, gid),
	CONSTRAINT UQ_per_project UNIQUE (tenant_id, project_id)
);
GO

--# per_projecthealth
CREATE TABLE base.per_projecthealth (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	project_gid nvarchar(50) NOT NULL,
	section nvarchar(100) NOT NULL,
	name nvarchar(100) NOT NULL,
	healthcolor nvarchar(20) CONSTRAINT CK_per_projecthealth_healthcolor
		CHECK (healthcolor IN ('green', 'yellow', 'red', 'blue')),
	notes nvarchar(1000),
	due_on date,
	pctcomplete int,
	sort int NOT NULL,
	CONSTRAINT PK_per_projecthealth PRIMARY KEY (tenant_id, project_gid, sort),
	CONSTRAINT FK_per_projecthealth FOREIGN KEY (tenant_id, project_gid) REFERENCES base.per_project (tenant_id, gid)
);
GO

-- Not clustered: the widest key of a clustered index is 900 bytes, and these names may take 1,200.
--# per_tasks
CREATE TABLE base.per_tasks (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	projectname nvarchar(200) NOT NULL,
	taskname nvarchar(300) NOT NULL,
	task_type nvarchar(50) NOT NULL,
	finishdate date,
	status nvarchar(50),
	risk nvarchar(20) CONSTRAINT CK_per_tasks_risk CHECK (risk IN ('High', 'Medium', 'Low', '')),
	notesforper nvarchar(1000),
	CONSTRAINT PK_per_tasks PRIMARY KEY NONCLUSTERED (tenant_id, projectname, taskname)
);
GO

--# per_project45
CREATE TABLE base.per_project45 (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	project_id nvarchar(50) NOT NULL,
	"group" nvarchar(100) NOT NULL,
	subgrouping nvarchar(100) NOT NULL,
	metric nvarchar(100) NOT NULL,
	value_numbers decimal(18, 4),
	value_dates date,
	MonthFromFileName nvarchar(20),
	CONSTRAINT FK_per_project45 FOREIGN KEY (tenant_id, project_id) REFERENCES base.per_project (tenant_id, project_id)
);
GO

--# per_project45_project
CREATE INDEX per_project45_project ON base.per_project45 (tenant_id, project_id);
GO

--# activeportfolio_mm
CREATE TABLE base.activeportfolio_mm (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	"Project Name" nvarchar(200) NOT NULL,
	"Current Project Stage" nvarchar(100) NOT NULL,
	"Project Status Color" nvarchar(20),
	"CommercializationStatus" nvarchar(100),
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
	monthlysnapshot bit NOT NULL,
	asofday date NOT NULL,
	CONSTRAINT PK_activeportfolio_mm PRIMARY KEY (tenant_id, "Project Name", asofday)
);
GO

--# changes
CREATE TABLE base.changes (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	dateofchange date NOT NULL,
	projectname nvarchar(200) NOT NULL,
	taskname nvarchar(300),
	fieldchanged nvarchar(100) NOT NULL,
	previousvalue nvarchar(500),
	newvalue nvarchar(500)
);
GO

--# changes_day
CREATE INDEX changes_day ON base.changes (tenant_id, dateofchange);
GO

--# tenant rows
CREATE SECURITY POLICY sec.warehouse_tenants
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.mc_vendor_files,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.mc_vendor_files AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.mc_vendor_files AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.mc_dayahead,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.mc_dayahead AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.mc_dayahead AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.pbi_activity_events,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.pbi_activity_events AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.pbi_activity_events AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.per_project,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.per_project AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.per_project AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.per_projecthealth,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.per_projecthealth AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.per_projecthealth AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.per_tasks,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.per_tasks AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.per_tasks AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.per_project45,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.per_project45 AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.per_project45 AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.activeportfolio_mm,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.activeportfolio_mm AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.activeportfolio_mm AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.changes,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.changes AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.changes AFTER UPDATE
WITH (STATE = ON, SCHEMABINDING = ON);
GO

--# view mc_vendor_files
CREATE OR ALTER VIEW Stage.mc_vendor_files AS
SELECT file_info_key, hubzone_key, composite_key, vendor, market, hubzone, asof, asof_date, YR, reference, SELECTION, tenant_id
FROM base.mc_vendor_files;
GO

--# view mc_dayahead
CREATE OR ALTER VIEW Stage.mc_dayahead AS
SELECT FILE_INFO_KEY, HUBZONE_KEY, DATE, YEAR, MONTH, HOUR, DAYAHEAD_PRICE, tenant_id
FROM base.mc_dayahead;
GO

--# view pbi_activity_events
CREATE OR ALTER VIEW Stage.pbi_activity_events AS
SELECT event_id, tenant_id, report_id, report_name, workspace_name, user_email, activity_type, activity_date, created_at, source_id
FROM base.pbi_activity_events;
GO

--# view per_project
CREATE OR ALTER VIEW dbo.per_project AS
SELECT gid, project_id, name, currentprojectstage, technology, market, location, spa, sponsor, gencap, storecap, utility,
	Status_Type, summary, Actuals_LTD, Total_Operating_Budget, Total_Operating_Forecast, IC_LC, PPA_LC, buyer, tenor, products,
	price, revision_date, is_archived, tenant_id
FROM base.per_project;
GO

--# view per_projecthealth
CREATE OR ALTER VIEW dbo.per_projecthealth AS
SELECT project_gid, section, name, healthcolor, notes, due_on, pctcomplete, sort, tenant_id
FROM base.per_projecthealth;
GO

--# view per_tasks
CREATE OR ALTER VIEW dbo.per_tasks AS
SELECT projectname, taskname, task_type, finishdate, status, risk, notesforper, tenant_id
FROM base.per_tasks;
GO

--# view per_project45
CREATE OR ALTER VIEW dbo.per_project45 AS
SELECT project_id, "group", subgrouping, metric, value_numbers, value_dates, MonthFromFileName, tenant_id
FROM base.per_project45;
GO

--# view activeportfolio_mm
CREATE OR ALTER VIEW dbo.activeportfolio_mm AS
SELECT "Project Name", "Current Project Stage", "Project Status Color", "CommercializationStatus", "Stage 1 Early Dev",
	"Stage 2 Mid Dev", "Stage 3 Late Dev", "Stage 4 Pre-Con & Finance", "Stage 5 Construction", "Stage 6 Operation",
	"Stage 7 Sale", "Stage 8 Closing", "Minimum Site Control", "Substantial Completion", "Mechanical Completion",
	"Project Finance", "EPC FNTP", "Execute Power Purchase Agreement", "Execute Interconnection Agreement",
	"Commercial Operation", "Decisioning Date", "COD Year", monthlysnapshot, asofday, tenant_id
FROM base.activeportfolio_mm;
GO

--# view changes
CREATE OR ALTER VIEW dbo.changes AS
SELECT dateofchange, projectname, taskname, fieldchanged, previousvalue, newvalue, tenant_id
FROM base.changes;
GO

--# right on Stage.mc_vendor_files
GRANT SELECT ON OBJECT::Stage.mc_vendor_files TO vesper_read_role;
GO

--# right on Stage.mc_dayahead
GRANT SELECT ON OBJECT::Stage.mc_dayahead TO vesper_read_role;
GO

--# right on Stage.pbi_activity_events
GRANT SELECT ON OBJECT::Stage.pbi_activity_events TO vesper_read_role;
GO

--# right on dbo.per_project
GRANT SELECT ON OBJECT::dbo.per_project TO vesper_read_role;
GO

--# right on dbo.per_projecthealth
GRANT SELECT ON OBJECT::dbo.per_projecthealth TO vesper_read_role;
GO

--# right on dbo.per_tasks
GRANT SELECT ON OBJECT::dbo.per_tasks TO vesper_read_role;
GO

--# right on dbo.per_project45
GRANT SELECT ON OBJECT::dbo.per_project45 TO vesper_read_role;
GO

--# right on dbo.activeportfolio_mm
GRANT SELECT ON OBJECT::dbo.activeportfolio_mm TO vesper_read_role;
GO

--# right on dbo.changes
GRANT SELECT ON OBJECT::dbo.changes TO vesper_read_role;
GO
