-- The warehouse of one tenant, as one SQLite file. Readers attach the file twice, read-only, as `dbo` and as `Stage`, so
-- that the names of the warehouse (Stage.mc_dayahead, dbo.per_project, ...) work unchanged; here the names are plain.
-- The declared types are the contract of the columns: SQLite itself only derives an affinity from them.
-- Dates are ISO text (2026-02-27), timestamps "2026-02-27 09:00:00" in UTC, absent values are NULL.
--
--   vesper_tenant        one row: whose file this is. A connection is used only after this row was compared.
--   mc_vendor_files      the price files: one row a (file, hub-zone). A file holds one case (reference) of one vendor and
--                        market and covers two forecast years, YR and the one after it.
--   mc_dayahead          the hourly prices of those files in $/MWh; 8,760 hours a year, 29 February left out; HOUR 0 is
--                        the hour ending at 1
--   pbi_activity_events  who viewed, exported, printed or shared which Power BI report, one row an event
--   per_project          the projects as they stand today, with budget and commercial terms in US dollars
--   per_projecthealth    nine health areas a project; an absent healthcolor means "not applicable"
--   per_tasks            milestones and work items of the projects; risk is High, Medium, Low, empty or absent
--   per_project45        budget lines; MonthFromFileName is absent on the current ones and names the month of archived ones
--   activeportfolio_mm   milestone dates of the active projects, one row a (project, load day); monthlysnapshot is 1 on the
--                        load that stands for its month, the newest of which is the current one
--   changes              audit trail of single fields; values are text, dates among them in ISO form

CREATE TABLE vesper_tenant (
	tenant_id nvarchar(100) NOT NULL PRIMARY KEY
) WITHOUT ROWID;

CREATE TABLE mc_vendor_files (
	file_info_key int NOT NULL,
	hubzone_key int NOT NULL,
	composite_key nvarchar(50) NOT NULL UNIQUE,
	vendor nvarchar(100) NOT NULL,
	market nvarchar(50) NOT NULL,
	hubzone nvarchar(50) NOT NULL,
	asof nvarchar(50) NOT NULL,
	asof_date date NOT NULL,
	YR int NOT NULL,
	reference nvarchar(20) NOT NULL CHECK (reference IN ('Base', 'High', 'Low')),
	SELECTION nvarchar(200) NOT NULL,
	tenant_id nvarchar(100) NOT NULL,
	PRIMARY KEY (file_info_key, hubzone_key)
) WITHOUT ROWID;

CREATE INDEX mc_vendor_files_curve ON mc_vendor_files (hubzone, vendor, reference, asof_date);

CREATE TABLE mc_dayahead (
	FILE_INFO_KEY int NOT NULL,
	HUBZONE_KEY int NOT NULL,
	DATE date NOT NULL,
	YEAR int NOT NULL,
	MONTH int NOT NULL,
	HOUR int NOT NULL CHECK (HOUR BETWEEN 0 AND 23),
	DAYAHEAD_PRICE decimal(10,4) NOT NULL,
	tenant_id nvarchar(100) NOT NULL,
	PRIMARY KEY (FILE_INFO_KEY, HUBZONE_KEY, YEAR, DATE, HOUR)
) WITHOUT ROWID;

CREATE TABLE pbi_activity_events (
	event_id integer PRIMARY KEY,
	tenant_id nvarchar(100) NOT NULL,
	report_id nvarchar(200) NOT NULL,
	report_name nvarchar(500) NOT NULL,
	workspace_name nvarchar(500) NOT NULL,
	user_email nvarchar(500) NOT NULL,
	activity_type nvarchar(100) NOT NULL,
	activity_date date NOT NULL,
	created_at datetime NOT NULL,
	source_id nvarchar(100) NOT NULL UNIQUE
);

CREATE INDEX pbi_activity_events_day ON pbi_activity_events (activity_date);

CREATE TABLE per_project (
	gid nvarchar(50) NOT NULL PRIMARY KEY,
	project_id nvarchar(50) NOT NULL UNIQUE,
	name nvarchar(200) NOT NULL,
	currentprojectstage nvarchar(100) NOT NULL,
	technology nvarchar(50) NOT NULL,
	market nvarchar(50) NOT NULL,
	location nvarchar(200),
	spa nvarchar(100),
	sponsor nvarchar(100),
	gencap decimal(10,2),
	storecap decimal(10,2),
	utility nvarchar(100),
	Status_Type nvarchar(20) NOT NULL
		CHECK (Status_Type IN ('on_track', 'at_risk', 'off_track', 'on_hold')),
	summary nvarchar(1000),
	Actuals_LTD decimal(18,2),
	Total_Operating_Budget decimal(18,2),
	Total_Operating_Forecast decimal(18,2),
	IC_LC decimal(18,2),
	PPA_LC decimal(18,2),
	buyer nvarchar(200),
	tenor int,
	products nvarchar(200),
	price decimal(10,2),
	revision_date date,
	is_archived bit,
	tenant_id nvarchar(100) NOT NULL
);

CREATE TABLE per_projecthealth (
	project_gid nvarchar(50) NOT NULL REFERENCES per_project (gid),
	section nvarchar(100) NOT NULL,
	name nvarchar(100) NOT NULL,
	healthcolor nvarchar(20) CHECK (healthcolor IN ('green', 'yellow', 'red', 'blue')),
	notes nvarchar(1000),
	due_on date,
	pctcomplete int,
	sort int NOT NULL,
	tenant_id nvarchar(100) NOT NULL,
	PRIMARY KEY (project_gid, sort)
);

CREATE TABLE per_tasks (
	projectname nvarchar(200) NOT NULL,
	taskname nvarchar(300) NOT NULL,
	task_type nvarchar(50) NOT NULL,
	finishdate date,
	status nvarchar(50),
	risk nvarchar(20) CHECK (risk IN ('High', 'Medium', 'Low', '')),
	notesforper nvarchar(1000),
	tenant_id nvarchar(100) NOT NULL,
	PRIMARY KEY (projectname, taskname)
);

CREATE TABLE per_project45 (
	project_id nvarchar(50) NOT NULL REFERENCES per_project (project_id),
	"group" nvarchar(100) NOT NULL,
	subgrouping nvarchar(100) NOT NULL,
	metric nvarchar(100) NOT NULL,
	value_numbers decimal(18,4),
	value_dates date,
	MonthFromFileName nvarchar(20),
	tenant_id nvarchar(100) NOT NULL
);

CREATE INDEX per_project45_project ON per_project45 (project_id);

CREATE TABLE activeportfolio_mm (
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
	tenant_id nvarchar(100) NOT NULL,
	PRIMARY KEY ("Project Name", asofday)
);

CREATE TABLE changes (
	dateofchange date NOT NULL,
	projectname nvarchar(200) NOT NULL,
	taskname nvarchar(300),
	fieldchanged nvarchar(100) NOT NULL,
	previousvalue nvarchar(500),
	newvalue nvarchar(500),
	tenant_id nvarchar(100) NOT NULL
);

CREATE INDEX changes_day ON changes (dateofchange);
