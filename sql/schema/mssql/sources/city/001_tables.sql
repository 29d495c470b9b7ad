-- Made by vesperctl db ddl --pack city --source city --dialect mssql from sql/city/tables.json.

--# schema city
IF SCHEMA_ID(N'city') IS NULL
	EXEC (N'CREATE SCHEMA city AUTHORIZATION dbo');
GO

-- projects of the city, one row a project and year
--# ent_projects
CREATE TABLE base.ent_projects (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name nvarchar(200) NOT NULL,
	program_id int,
	status nvarchar(20) NOT NULL,
	priority nvarchar(10) NOT NULL,
	progress_pct int NOT NULL,
	budget_total decimal(14, 2) NOT NULL,
	start_date date NOT NULL,
	end_date date NOT NULL,
	CONSTRAINT PK_ent_projects PRIMARY KEY (tenant_id, id, year)
);
GO

-- programs that bundle projects
--# ent_programs
CREATE TABLE base.ent_programs (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name nvarchar(200) NOT NULL,
	status nvarchar(20) NOT NULL,
	sponsor nvarchar(100) NOT NULL,
	CONSTRAINT PK_ent_programs PRIMARY KEY (tenant_id, id, year)
);
GO

-- how far people have taken up a change
--# ent_change_adoption
CREATE TABLE base.ent_change_adoption (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name nvarchar(200) NOT NULL,
	stage nvarchar(20) NOT NULL,
	adoption_pct int NOT NULL,
	CONSTRAINT PK_ent_change_adoption PRIMARY KEY (tenant_id, id, year)
);
GO

-- risks of the city with category and score
--# ent_risks
CREATE TABLE base.ent_risks (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name nvarchar(200) NOT NULL,
	category nvarchar(30) NOT NULL,
	score int NOT NULL,
	status nvarchar(20) NOT NULL,
	CONSTRAINT PK_ent_risks PRIMARY KEY (tenant_id, id, year)
);
GO

-- IT systems at three levels: platforms, modules, features
--# ent_it_systems
CREATE TABLE base.ent_it_systems (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name nvarchar(200) NOT NULL,
	level nvarchar(2) NOT NULL,
	parent_id int,
	status nvarchar(20) NOT NULL,
	criticality nvarchar(10) NOT NULL,
	annual_cost decimal(14, 2) NOT NULL,
	CONSTRAINT PK_ent_it_systems PRIMARY KEY (tenant_id, id, year)
);
GO

-- companies that deliver to the city
--# ent_vendors
CREATE TABLE base.ent_vendors (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name nvarchar(200) NOT NULL,
	country nvarchar(60) NOT NULL,
	rating int NOT NULL,
	CONSTRAINT PK_ent_vendors PRIMARY KEY (tenant_id, id, year)
);
GO

-- contracts with vendors
--# ent_contracts
CREATE TABLE base.ent_contracts (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name nvarchar(200) NOT NULL,
	vendor_id int NOT NULL,
	status nvarchar(20) NOT NULL,
	amount decimal(14, 2) NOT NULL,
	signed_on date NOT NULL,
	CONSTRAINT PK_ent_contracts PRIMARY KEY (tenant_id, id, year)
);
GO

-- processes of the administration at three levels
--# ent_processes
CREATE TABLE base.ent_processes (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name nvarchar(200) NOT NULL,
	level nvarchar(2) NOT NULL,
	parent_id int,
	maturity int NOT NULL,
	automation_pct int NOT NULL,
	CONSTRAINT PK_ent_processes PRIMARY KEY (tenant_id, id, year)
);
GO

-- what the city is able to do, at three levels
--# ent_capabilities
CREATE TABLE base.ent_capabilities (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name nvarchar(200) NOT NULL,
	level nvarchar(2) NOT NULL,
	parent_id int,
	maturity int NOT NULL,
	target_maturity int NOT NULL,
	CONSTRAINT PK_ent_capabilities PRIMARY KEY (tenant_id, id, year)
);
GO

-- departments, sections and teams
--# ent_org_units
CREATE TABLE base.ent_org_units (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name nvarchar(200) NOT NULL,
	level nvarchar(2) NOT NULL,
	parent_id int,
	headcount int NOT NULL,
	location nvarchar(60) NOT NULL,
	CONSTRAINT PK_ent_org_units PRIMARY KEY (tenant_id, id, year)
);
GO

-- positions of organisational units
--# ent_positions
CREATE TABLE base.ent_positions (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name nvarchar(200) NOT NULL,
	org_unit_id int NOT NULL,
	grade int NOT NULL,
	is_filled nvarchar(3) NOT NULL,
	CONSTRAINT PK_ent_positions PRIMARY KEY (tenant_id, id, year)
);
GO

-- yearly snapshot of how staff see their work
--# ent_culture_health
CREATE TABLE base.ent_culture_health (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name nvarchar(200) NOT NULL,
	culture_score decimal(5, 2) NOT NULL,
	respondents int NOT NULL,
	taken_on date NOT NULL,
	CONSTRAINT PK_ent_culture_health PRIMARY KEY (tenant_id, id, year)
);
GO

-- planned and spent amounts of projects
--# ent_budgets
CREATE TABLE base.ent_budgets (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name nvarchar(200) NOT NULL,
	project_id int NOT NULL,
	kind nvarchar(20) NOT NULL,
	planned decimal(14, 2) NOT NULL,
	spent decimal(14, 2) NOT NULL,
	CONSTRAINT PK_ent_budgets PRIMARY KEY (tenant_id, id, year)
);
GO

-- milestones of projects
--# ent_milestones
CREATE TABLE base.ent_milestones (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name nvarchar(200) NOT NULL,
	project_id int NOT NULL,
	status nvarchar(20) NOT NULL,
	due_on date NOT NULL,
	CONSTRAINT PK_ent_milestones PRIMARY KEY (tenant_id, id, year)
);
GO

-- services that the city gives its citizens
--# ent_services
CREATE TABLE base.ent_services (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name nvarchar(200) NOT NULL,
	satisfaction decimal(5, 2) NOT NULL,
	requests int NOT NULL,
	CONSTRAINT PK_ent_services PRIMARY KEY (tenant_id, id, year)
);
GO

-- data sets that IT systems keep
--# ent_data_sets
CREATE TABLE base.ent_data_sets (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name nvarchar(200) NOT NULL,
	classification nvarchar(20) NOT NULL,
	records int NOT NULL,
	CONSTRAINT PK_ent_data_sets PRIMARY KEY (tenant_id, id, year)
);
GO

-- controls that hold risks down
--# ent_controls
CREATE TABLE base.ent_controls (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name nvarchar(200) NOT NULL,
	kind nvarchar(20) NOT NULL,
	effectiveness int NOT NULL,
	CONSTRAINT PK_ent_controls PRIMARY KEY (tenant_id, id, year)
);
GO

-- outages and failures of IT systems
--# ent_incidents
CREATE TABLE base.ent_incidents (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name nvarchar(200) NOT NULL,
	it_system_id int NOT NULL,
	severity nvarchar(10) NOT NULL,
	opened_on date NOT NULL,
	outage_hours int NOT NULL,
	CONSTRAINT PK_ent_incidents PRIMARY KEY (tenant_id, id, year)
);
GO

-- sites of vendors
--# ent_suppliers_sites
CREATE TABLE base.ent_suppliers_sites (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name nvarchar(200) NOT NULL,
	vendor_id int NOT NULL,
	country nvarchar(60) NOT NULL,
	CONSTRAINT PK_ent_suppliers_sites PRIMARY KEY (tenant_id, id, year)
);
GO

-- trainings for positions
--# ent_trainings
CREATE TABLE base.ent_trainings (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name nvarchar(200) NOT NULL,
	kind nvarchar(20) NOT NULL,
	attendees int NOT NULL,
	CONSTRAINT PK_ent_trainings PRIMARY KEY (tenant_id, id, year)
);
GO

-- audits of controls
--# ent_audits
CREATE TABLE base.ent_audits (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name nvarchar(200) NOT NULL,
	finding nvarchar(20) NOT NULL,
	audited_on date NOT NULL,
	CONSTRAINT PK_ent_audits PRIMARY KEY (tenant_id, id, year)
);
GO

-- buildings, vehicles and equipment
--# ent_assets
CREATE TABLE base.ent_assets (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name nvarchar(200) NOT NULL,
	org_unit_id int NOT NULL,
	kind nvarchar(20) NOT NULL,
	value_amount decimal(14, 2) NOT NULL,
	CONSTRAINT PK_ent_assets PRIMARY KEY (tenant_id, id, year)
);
GO

-- ways to reach a service
--# ent_channels
CREATE TABLE base.ent_channels (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name nvarchar(200) NOT NULL,
	kind nvarchar(20) NOT NULL,
	visits int NOT NULL,
	CONSTRAINT PK_ent_channels PRIMARY KEY (tenant_id, id, year)
);
GO

-- policies of the city
--# ent_policies
CREATE TABLE base.ent_policies (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name nvarchar(200) NOT NULL,
	status nvarchar(20) NOT NULL,
	effective_on date NOT NULL,
	CONSTRAINT PK_ent_policies PRIMARY KEY (tenant_id, id, year)
);
GO

-- strategic objectives at three levels
--# sec_objectives
CREATE TABLE base.sec_objectives (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name nvarchar(200) NOT NULL,
	level nvarchar(2) NOT NULL,
	parent_id int,
	pillar nvarchar(40) NOT NULL,
	achieved_pct int NOT NULL,
	CONSTRAINT PK_sec_objectives PRIMARY KEY (tenant_id, id, year)
);
GO

-- indicators of objectives
--# sec_performance_indicators
CREATE TABLE base.sec_performance_indicators (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name nvarchar(200) NOT NULL,
	target int NOT NULL,
	actual int NOT NULL,
	CONSTRAINT PK_sec_performance_indicators PRIMARY KEY (tenant_id, id, year)
);
GO

-- districts and the people who live there
--# sec_citizen_districts
CREATE TABLE base.sec_citizen_districts (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name nvarchar(200) NOT NULL,
	zone nvarchar(20) NOT NULL,
	population int NOT NULL,
	CONSTRAINT PK_sec_citizen_districts PRIMARY KEY (tenant_id, id, year)
);
GO

-- companies that deal with the city
--# sec_business_partners
CREATE TABLE base.sec_business_partners (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name nvarchar(200) NOT NULL,
	sector nvarchar(40) NOT NULL,
	country nvarchar(60) NOT NULL,
	CONSTRAINT PK_sec_business_partners PRIMARY KEY (tenant_id, id, year)
);
GO

-- payments of budgets to business partners
--# sec_transactions
CREATE TABLE base.sec_transactions (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name nvarchar(200) NOT NULL,
	business_partner_id int NOT NULL,
	budget_id int NOT NULL,
	amount decimal(14, 2) NOT NULL,
	booked_on date NOT NULL,
	CONSTRAINT PK_sec_transactions PRIMARY KEY (tenant_id, id, year)
);
GO

-- files of organisational units
--# sec_admin_records
CREATE TABLE base.sec_admin_records (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name nvarchar(200) NOT NULL,
	org_unit_id int NOT NULL,
	kind nvarchar(20) NOT NULL,
	recorded_on date NOT NULL,
	CONSTRAINT PK_sec_admin_records PRIMARY KEY (tenant_id, id, year)
);
GO

-- loads of data sets
--# sec_data_records
CREATE TABLE base.sec_data_records (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name nvarchar(200) NOT NULL,
	data_set_id int NOT NULL,
	quality_pct int NOT NULL,
	loaded_on date NOT NULL,
	CONSTRAINT PK_sec_data_records PRIMARY KEY (tenant_id, id, year)
);
GO

-- surveys in districts
--# sec_surveys
CREATE TABLE base.sec_surveys (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name nvarchar(200) NOT NULL,
	citizen_district_id int NOT NULL,
	responses int NOT NULL,
	held_on date NOT NULL,
	CONSTRAINT PK_sec_surveys PRIMARY KEY (tenant_id, id, year)
);
GO

-- complaints of citizens about services
--# sec_complaints
CREATE TABLE base.sec_complaints (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name nvarchar(200) NOT NULL,
	citizen_district_id int NOT NULL,
	service_id int NOT NULL,
	topic nvarchar(30) NOT NULL,
	status nvarchar(20) NOT NULL,
	received_on date NOT NULL,
	CONSTRAINT PK_sec_complaints PRIMARY KEY (tenant_id, id, year)
);
GO

-- plans of a sector
--# sec_sector_plans
CREATE TABLE base.sec_sector_plans (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name nvarchar(200) NOT NULL,
	sector nvarchar(40) NOT NULL,
	status nvarchar(20) NOT NULL,
	CONSTRAINT PK_sec_sector_plans PRIMARY KEY (tenant_id, id, year)
);
GO

-- rules that policies follow
--# sec_regulations
CREATE TABLE base.sec_regulations (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name nvarchar(200) NOT NULL,
	authority nvarchar(60) NOT NULL,
	effective_on date NOT NULL,
	CONSTRAINT PK_sec_regulations PRIMARY KEY (tenant_id, id, year)
);
GO

-- what objectives have brought about
--# sec_outcomes
CREATE TABLE base.sec_outcomes (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name nvarchar(200) NOT NULL,
	benefit nvarchar(30) NOT NULL,
	achieved_pct int NOT NULL,
	CONSTRAINT PK_sec_outcomes PRIMARY KEY (tenant_id, id, year)
);
GO

-- which projects belong to which change adoptions
--# jt_ent_projects_ent_change_adoption_join
CREATE TABLE base.jt_ent_projects_ent_change_adoption_join (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	project_id int NOT NULL,
	change_adoption_id int NOT NULL,
	year int NOT NULL,
	CONSTRAINT PK_jt_ent_projects_ent_change_adoption_join PRIMARY KEY (tenant_id, project_id, change_adoption_id, year)
);
GO

-- which projects belong to which risks
--# jt_ent_projects_ent_risks_join
CREATE TABLE base.jt_ent_projects_ent_risks_join (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	project_id int NOT NULL,
	risk_id int NOT NULL,
	year int NOT NULL,
	CONSTRAINT PK_jt_ent_projects_ent_risks_join PRIMARY KEY (tenant_id, project_id, risk_id, year)
);
GO

-- which projects belong to which IT systems
--# jt_ent_projects_ent_it_systems_join
CREATE TABLE base.jt_ent_projects_ent_it_systems_join (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	project_id int NOT NULL,
	it_system_id int NOT NULL,
	year int NOT NULL,
	CONSTRAINT PK_jt_ent_projects_ent_it_systems_join PRIMARY KEY (tenant_id, project_id, it_system_id, year)
);
GO

-- which projects belong to which capabilities
--# jt_ent_projects_ent_capabilities_join
CREATE TABLE base.jt_ent_projects_ent_capabilities_join (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	project_id int NOT NULL,
	capability_id int NOT NULL,
	year int NOT NULL,
	CONSTRAINT PK_jt_ent_projects_ent_capabilities_join PRIMARY KEY (tenant_id, project_id, capability_id, year)
);
GO

-- which projects belong to which organisational units
--# jt_ent_projects_ent_org_units_join
CREATE TABLE base.jt_ent_projects_ent_org_units_join (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	project_id int NOT NULL,
	org_unit_id int NOT NULL,
	year int NOT NULL,
	CONSTRAINT PK_jt_ent_projects_ent_org_units_join PRIMARY KEY (tenant_id, project_id, org_unit_id, year)
);
GO

-- which projects belong to which objectives
--# jt_ent_projects_sec_objectives_join
CREATE TABLE base.jt_ent_projects_sec_objectives_join (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	project_id int NOT NULL,
	objective_id int NOT NULL,
	year int NOT NULL,
	CONSTRAINT PK_jt_ent_projects_sec_objectives_join PRIMARY KEY (tenant_id, project_id, objective_id, year)
);
GO

-- which capabilities belong to which objectives
--# jt_ent_capabilities_sec_objectives_join
CREATE TABLE base.jt_ent_capabilities_sec_objectives_join (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	capability_id int NOT NULL,
	objective_id int NOT NULL,
	year int NOT NULL,
	CONSTRAINT PK_jt_ent_capabilities_sec_objectives_join PRIMARY KEY (tenant_id, capability_id, objective_id, year)
);
GO

-- which capabilities belong to which processes
--# jt_ent_capabilities_ent_processes_join
CREATE TABLE base.jt_ent_capabilities_ent_processes_join (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	capability_id int NOT NULL,
	process_id int NOT NULL,
	year int NOT NULL,
	CONSTRAINT PK_jt_ent_capabilities_ent_processes_join PRIMARY KEY (tenant_id, capability_id, process_id, year)
);
GO

-- which processes belong to which IT systems
--# jt_ent_processes_ent_it_systems_join
CREATE TABLE base.jt_ent_processes_ent_it_systems_join (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	process_id int NOT NULL,
	it_system_id int NOT NULL,
	year int NOT NULL,
	CONSTRAINT PK_jt_ent_processes_ent_it_systems_join PRIMARY KEY (tenant_id, process_id, it_system_id, year)
);
GO

-- which processes belong to which services
--# jt_ent_processes_ent_services_join
CREATE TABLE base.jt_ent_processes_ent_services_join (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	process_id int NOT NULL,
	service_id int NOT NULL,
	year int NOT NULL,
	CONSTRAINT PK_jt_ent_processes_ent_services_join PRIMARY KEY (tenant_id, process_id, service_id, year)
);
GO

-- which IT systems belong to which data sets
--# jt_ent_it_systems_ent_data_sets_join
CREATE TABLE base.jt_ent_it_systems_ent_data_sets_join (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	it_system_id int NOT NULL,
	data_set_id int NOT NULL,
	year int NOT NULL,
	CONSTRAINT PK_jt_ent_it_systems_ent_data_sets_join PRIMARY KEY (tenant_id, it_system_id, data_set_id, year)
);
GO

-- which IT systems belong to which controls
--# jt_ent_it_systems_ent_controls_join
CREATE TABLE base.jt_ent_it_systems_ent_controls_join (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	it_system_id int NOT NULL,
	control_id int NOT NULL,
	year int NOT NULL,
	CONSTRAINT PK_jt_ent_it_systems_ent_controls_join PRIMARY KEY (tenant_id, it_system_id, control_id, year)
);
GO

-- which IT systems belong to which contracts
--# jt_ent_it_systems_ent_contracts_join
CREATE TABLE base.jt_ent_it_systems_ent_contracts_join (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	it_system_id int NOT NULL,
	contract_id int NOT NULL,
	year int NOT NULL,
	CONSTRAINT PK_jt_ent_it_systems_ent_contracts_join PRIMARY KEY (tenant_id, it_system_id, contract_id, year)
);
GO

-- which controls belong to which audits
--# jt_ent_controls_ent_audits_join
CREATE TABLE base.jt_ent_controls_ent_audits_join (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	control_id int NOT NULL,
	audit_id int NOT NULL,
	year int NOT NULL,
	CONSTRAINT PK_jt_ent_controls_ent_audits_join PRIMARY KEY (tenant_id, control_id, audit_id, year)
);
GO

-- which controls belong to which policies
--# jt_ent_controls_ent_policies_join
CREATE TABLE base.jt_ent_controls_ent_policies_join (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	control_id int NOT NULL,
	policy_id int NOT NULL,
	year int NOT NULL,
	CONSTRAINT PK_jt_ent_controls_ent_policies_join PRIMARY KEY (tenant_id, control_id, policy_id, year)
);
GO

-- which controls belong to which risks
--# jt_ent_controls_ent_risks_join
CREATE TABLE base.jt_ent_controls_ent_risks_join (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	control_id int NOT NULL,
	risk_id int NOT NULL,
	year int NOT NULL,
	CONSTRAINT PK_jt_ent_controls_ent_risks_join PRIMARY KEY (tenant_id, control_id, risk_id, year)
);
GO

-- which organisational units belong to which culture health surveys
--# jt_ent_org_units_ent_culture_health_join
CREATE TABLE base.jt_ent_org_units_ent_culture_health_join (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	org_unit_id int NOT NULL,
	culture_health_id int NOT NULL,
	year int NOT NULL,
	CONSTRAINT PK_jt_ent_org_units_ent_culture_health_join PRIMARY KEY (tenant_id, org_unit_id, culture_health_id, year)
);
GO

-- which positions belong to which trainings
--# jt_ent_positions_ent_trainings_join
CREATE TABLE base.jt_ent_positions_ent_trainings_join (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	position_id int NOT NULL,
	training_id int NOT NULL,
	year int NOT NULL,
	CONSTRAINT PK_jt_ent_positions_ent_trainings_join PRIMARY KEY (tenant_id, position_id, training_id, year)
);
GO

-- which services belong to which channels
--# jt_ent_services_ent_channels_join
CREATE TABLE base.jt_ent_services_ent_channels_join (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	service_id int NOT NULL,
	channel_id int NOT NULL,
	year int NOT NULL,
	CONSTRAINT PK_jt_ent_services_ent_channels_join PRIMARY KEY (tenant_id, service_id, channel_id, year)
);
GO

-- which policies belong to which regulations
--# jt_ent_policies_sec_regulations_join
CREATE TABLE base.jt_ent_policies_sec_regulations_join (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	policy_id int NOT NULL,
	regulation_id int NOT NULL,
	year int NOT NULL,
	CONSTRAINT PK_jt_ent_policies_sec_regulations_join PRIMARY KEY (tenant_id, policy_id, regulation_id, year)
);
GO

-- which performance indicators belong to which objectives
--# jt_sec_performance_indicators_sec_objectives_join
CREATE TABLE base.jt_sec_performance_indicators_sec_objectives_join (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	performance_indicator_id int NOT NULL,
	objective_id int NOT NULL,
	year int NOT NULL,
	CONSTRAINT PK_jt_sec_performance_indicators_sec_objectives_join PRIMARY KEY (tenant_id, performance_indicator_id, objective_id, year)
);
GO

-- which programs belong to which sector plans
--# jt_ent_programs_sec_sector_plans_join
CREATE TABLE base.jt_ent_programs_sec_sector_plans_join (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	program_id int NOT NULL,
	sector_plan_id int NOT NULL,
	year int NOT NULL,
	CONSTRAINT PK_jt_ent_programs_sec_sector_plans_join PRIMARY KEY (tenant_id, program_id, sector_plan_id, year)
);
GO

-- which outcomes belong to which objectives
--# jt_sec_outcomes_sec_objectives_join
CREATE TABLE base.jt_sec_outcomes_sec_objectives_join (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	outcome_id int NOT NULL,
	objective_id int NOT NULL,
	year int NOT NULL,
	CONSTRAINT PK_jt_sec_outcomes_sec_objectives_join PRIMARY KEY (tenant_id, outcome_id, objective_id, year)
);
GO

-- which assets belong to which incidents
--# jt_ent_assets_ent_incidents_join
CREATE TABLE base.jt_ent_assets_ent_incidents_join (
	tenant_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
	asset_id int NOT NULL,
	incident_id int NOT NULL,
	year int NOT NULL,
	CONSTRAINT PK_jt_ent_assets_ent_incidents_join PRIMARY KEY (tenant_id, asset_id, incident_id, year)
);
GO

--# tenant rows
CREATE SECURITY POLICY sec.city_tenants
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.ent_projects,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_projects AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_projects AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.ent_programs,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_programs AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_programs AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.ent_change_adoption,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_change_adoption AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_change_adoption AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.ent_risks,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_risks AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_risks AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.ent_it_systems,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_it_systems AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_it_systems AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.ent_vendors,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_vendors AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_vendors AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.ent_contracts,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_contracts AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_contracts AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.ent_processes,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_processes AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_processes AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.ent_capabilities,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_capabilities AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_capabilities AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.ent_org_units,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_org_units AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_org_units AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.ent_positions,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_positions AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_positions AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.ent_culture_health,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_culture_health AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_culture_health AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.ent_budgets,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_budgets AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_budgets AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.ent_milestones,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_milestones AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_milestones AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.ent_services,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_services AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_services AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.ent_data_sets,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_data_sets AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_data_sets AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.ent_controls,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_controls AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_controls AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.ent_incidents,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_incidents AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_incidents AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.ent_suppliers_sites,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_suppliers_sites AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_suppliers_sites AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.ent_trainings,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_trainings AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_trainings AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.ent_audits,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_audits AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_audits AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.ent_assets,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_assets AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_assets AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.ent_channels,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_channels AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_channels AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.ent_policies,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_policies AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.ent_policies AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.sec_objectives,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.sec_objectives AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.sec_objectives AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.sec_performance_indicators,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.sec_performance_indicators AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.sec_performance_indicators AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.sec_citizen_districts,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.sec_citizen_districts AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.sec_citizen_districts AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.sec_business_partners,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.sec_business_partners AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.sec_business_partners AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.sec_transactions,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.sec_transactions AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.sec_transactions AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.sec_admin_records,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.sec_admin_records AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.sec_admin_records AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.sec_data_records,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.sec_data_records AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.sec_data_records AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.sec_surveys,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.sec_surveys AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.sec_surveys AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.sec_complaints,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.sec_complaints AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.sec_complaints AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.sec_sector_plans,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.sec_sector_plans AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.sec_sector_plans AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.sec_regulations,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.sec_regulations AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.sec_regulations AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.sec_outcomes,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.sec_outcomes AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.sec_outcomes AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_projects_ent_change_adoption_join,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_projects_ent_change_adoption_join AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_projects_ent_change_adoption_join AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_projects_ent_risks_join,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_projects_ent_risks_join AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_projects_ent_risks_join AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_projects_ent_it_systems_join,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_projects_ent_it_systems_join AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_projects_ent_it_systems_join AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_projects_ent_capabilities_join,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_projects_ent_capabilities_join AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_projects_ent_capabilities_join AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_projects_ent_org_units_join,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_projects_ent_org_units_join AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_projects_ent_org_units_join AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_projects_sec_objectives_join,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_projects_sec_objectives_join AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_projects_sec_objectives_join AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_capabilities_sec_objectives_join,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_capabilities_sec_objectives_join AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_capabilities_sec_objectives_join AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_capabilities_ent_processes_join,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_capabilities_ent_processes_join AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_capabilities_ent_processes_join AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_processes_ent_it_systems_join,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_processes_ent_it_systems_join AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_processes_ent_it_systems_join AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_processes_ent_services_join,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_processes_ent_services_join AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_processes_ent_services_join AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_it_systems_ent_data_sets_join,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_it_systems_ent_data_sets_join AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_it_systems_ent_data_sets_join AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_it_systems_ent_controls_join,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_it_systems_ent_controls_join AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_it_systems_ent_controls_join AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_it_systems_ent_contracts_join,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_it_systems_ent_contracts_join AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_it_systems_ent_contracts_join AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_controls_ent_audits_join,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_controls_ent_audits_join AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_controls_ent_audits_join AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_controls_ent_policies_join,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_controls_ent_policies_join AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_controls_ent_policies_join AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_controls_ent_risks_join,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_controls_ent_risks_join AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_controls_ent_risks_join AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_org_units_ent_culture_health_join,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_org_units_ent_culture_health_join AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_org_units_ent_culture_health_join AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_positions_ent_trainings_join,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_positions_ent_trainings_join AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_positions_ent_trainings_join AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_services_ent_channels_join,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_services_ent_channels_join AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_services_ent_channels_join AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_policies_sec_regulations_join,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_policies_sec_regulations_join AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_policies_sec_regulations_join AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.jt_sec_performance_indicators_sec_objectives_join,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_sec_performance_indicators_sec_objectives_join AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_sec_performance_indicators_sec_objectives_join AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_programs_sec_sector_plans_join,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_programs_sec_sector_plans_join AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_programs_sec_sector_plans_join AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.jt_sec_outcomes_sec_objectives_join,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_sec_outcomes_sec_objectives_join AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_sec_outcomes_sec_objectives_join AFTER UPDATE,
	ADD FILTER PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_assets_ent_incidents_join,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_assets_ent_incidents_join AFTER INSERT,
	ADD BLOCK PREDICATE sec.fn_tenant(tenant_id) ON base.jt_ent_assets_ent_incidents_join AFTER UPDATE
WITH (STATE = ON, SCHEMABINDING = ON);
GO

--# view ent_projects
CREATE OR ALTER VIEW city.ent_projects AS
SELECT tenant_id, id, year, name, program_id, status, priority, progress_pct, budget_total, start_date, end_date
FROM base.ent_projects;
GO

--# view ent_programs
CREATE OR ALTER VIEW city.ent_programs AS
SELECT tenant_id, id, year, name, status, sponsor
FROM base.ent_programs;
GO

--# view ent_change_adoption
CREATE OR ALTER VIEW city.ent_change_adoption AS
SELECT tenant_id, id, year, name, stage, adoption_pct
FROM base.ent_change_adoption;
GO

--# view ent_risks
CREATE OR ALTER VIEW city.ent_risks AS
SELECT tenant_id, id, year, name, category, score, status
FROM base.ent_risks;
GO

--# view ent_it_systems
CREATE OR ALTER VIEW city.ent_it_systems AS
SELECT tenant_id, id, year, name, level, parent_id, status, criticality, annual_cost
FROM base.ent_it_systems;
GO

--# view ent_vendors
CREATE OR ALTER VIEW city.ent_vendors AS
SELECT tenant_id, id, year, name, country, rating
FROM base.ent_vendors;
GO

--# view ent_contracts
CREATE OR ALTER VIEW city.ent_contracts AS
SELECT tenant_id, id, year, name, vendor_id, status, amount, signed_on
FROM base.ent_contracts;
GO

--# view ent_processes
CREATE OR ALTER VIEW city.ent_processes AS
SELECT tenant_id, id, year, name, level, parent_id, maturity, automation_pct
FROM base.ent_processes;
GO

--# view ent_capabilities
CREATE OR ALTER VIEW city.ent_capabilities AS
SELECT tenant_id, id, year, name, level, parent_id, maturity, target_maturity
FROM base.ent_capabilities;
GO

--# view ent_org_units
CREATE OR ALTER VIEW city.ent_org_units AS
SELECT tenant_id, id, year, name, level, parent_id, headcount, location
FROM base.ent_org_units;
GO

--# view ent_positions
CREATE OR ALTER VIEW city.ent_positions AS
SELECT tenant_id, id, year, name, org_unit_id, grade, is_filled
FROM base.ent_positions;
GO

--# view ent_culture_health
CREATE OR ALTER VIEW city.ent_culture_health AS
SELECT tenant_id, id, year, name, culture_score, respondents, taken_on
FROM base.ent_culture_health;
GO

--# view ent_budgets
CREATE OR ALTER VIEW city.ent_budgets AS
SELECT tenant_id, id, year, name, project_id, kind, planned, spent
FROM base.ent_budgets;
GO

--# view ent_milestones
CREATE OR ALTER VIEW city.ent_milestones AS
SELECT tenant_id, id, year, name, project_id, status, due_on
FROM base.ent_milestones;
GO

--# view ent_services
CREATE OR ALTER VIEW city.ent_services AS
SELECT tenant_id, id, year, name, satisfaction, requests
FROM base.ent_services;
GO

--# view ent_data_sets
CREATE OR ALTER VIEW city.ent_data_sets AS
SELECT tenant_id, id, year, name, classification, records
FROM base.ent_data_sets;
GO

--# view ent_controls
CREATE OR ALTER VIEW city.ent_controls AS
SELECT tenant_id, id, year, name, kind, effectiveness
FROM base.ent_controls;
GO

--# view ent_incidents
CREATE OR ALTER VIEW city.ent_incidents AS
SELECT tenant_id, id, year, name, it_system_id, severity, opened_on, outage_hours
FROM base.ent_incidents;
GO

--# view ent_suppliers_sites
CREATE OR ALTER VIEW city.ent_suppliers_sites AS
SELECT tenant_id, id, year, name, vendor_id, country
FROM base.ent_suppliers_sites;
GO

--# view ent_trainings
CREATE OR ALTER VIEW city.ent_trainings AS
SELECT tenant_id, id, year, name, kind, attendees
FROM base.ent_trainings;
GO

--# view ent_audits
CREATE OR ALTER VIEW city.ent_audits AS
SELECT tenant_id, id, year, name, finding, audited_on
FROM base.ent_audits;
GO

--# view ent_assets
CREATE OR ALTER VIEW city.ent_assets AS
SELECT tenant_id, id, year, name, org_unit_id, kind, value_amount
FROM base.ent_assets;
GO

--# view ent_channels
CREATE OR ALTER VIEW city.ent_channels AS
SELECT tenant_id, id, year, name, kind, visits
FROM base.ent_channels;
GO

--# view ent_policies
CREATE OR ALTER VIEW city.ent_policies AS
SELECT tenant_id, id, year, name, status, effective_on
FROM base.ent_policies;
GO

--# view sec_objectives
CREATE OR ALTER VIEW city.sec_objectives AS
SELECT tenant_id, id, year, name, level, parent_id, pillar, achieved_pct
FROM base.sec_objectives;
GO

--# view sec_performance_indicators
CREATE OR ALTER VIEW city.sec_performance_indicators AS
SELECT tenant_id, id, year, name, target, actual
FROM base.sec_performance_indicators;
GO

--# view sec_citizen_districts
CREATE OR ALTER VIEW city.sec_citizen_districts AS
SELECT tenant_id, id, year, name, zone, population
FROM base.sec_citizen_districts;
GO

--# view sec_business_partners
CREATE OR ALTER VIEW city.sec_business_partners AS
SELECT tenant_id, id, year, name, sector, country
FROM base.sec_business_partners;
GO

--# view sec_transactions
CREATE OR ALTER VIEW city.sec_transactions AS
SELECT tenant_id, id, year, name, business_partner_id, budget_id, amount, booked_on
FROM base.sec_transactions;
GO

--# view sec_admin_records
CREATE OR ALTER VIEW city.sec_admin_records AS
SELECT tenant_id, id, year, name, org_unit_id, kind, recorded_on
FROM base.sec_admin_records;
GO

--# view sec_data_records
CREATE OR ALTER VIEW city.sec_data_records AS
SELECT tenant_id, id, year, name, data_set_id, quality_pct, loaded_on
FROM base.sec_data_records;
GO

--# view sec_surveys
CREATE OR ALTER VIEW city.sec_surveys AS
SELECT tenant_id, id, year, name, citizen_district_id, responses, held_on
FROM base.sec_surveys;
GO

--# view sec_complaints
CREATE OR ALTER VIEW city.sec_complaints AS
SELECT tenant_id, id, year, name, citizen_district_id, service_id, topic, status, received_on
FROM base.sec_complaints;
GO

--# view sec_sector_plans
CREATE OR ALTER VIEW city.sec_sector_plans AS
SELECT tenant_id, id, year, name, sector, status
FROM base.sec_sector_plans;
GO

--# view sec_regulations
CREATE OR ALTER VIEW city.sec_regulations AS
SELECT tenant_id, id, year, name, authority, effective_on
FROM base.sec_regulations;
GO

--# view sec_outcomes
CREATE OR ALTER VIEW city.sec_outcomes AS
SELECT tenant_id, id, year, name, benefit, achieved_pct
FROM base.sec_outcomes;
GO

--# view jt_ent_projects_ent_change_adoption_join
CREATE OR ALTER VIEW city.jt_ent_projects_ent_change_adoption_join AS
SELECT tenant_id, project_id, change_adoption_id, year
FROM base.jt_ent_projects_ent_change_adoption_join;
GO

--# view jt_ent_projects_ent_risks_join
CREATE OR ALTER VIEW city.jt_ent_projects_ent_risks_join AS
SELECT tenant_id, project_id, risk_id, year
FROM base.jt_ent_projects_ent_risks_join;
GO

--# view jt_ent_projects_ent_it_systems_join
CREATE OR ALTER VIEW city.jt_ent_projects_ent_it_systems_join AS
SELECT tenant_id, project_id, it_system_id, year
FROM base.jt_ent_projects_ent_it_systems_join;
GO

--# view jt_ent_projects_ent_capabilities_join
CREATE OR ALTER VIEW city.jt_ent_projects_ent_capabilities_join AS
SELECT tenant_id, project_id, capability_id, year
FROM base.jt_ent_projects_ent_capabilities_join;
GO

--# view jt_ent_projects_ent_org_units_join
CREATE OR ALTER VIEW city.jt_ent_projects_ent_org_units_join AS
SELECT tenant_id, project_id, org_unit_id, year
FROM base.jt_ent_projects_ent_org_units_join;
GO

--# view jt_ent_projects_sec_objectives_join
CREATE OR ALTER VIEW city.jt_ent_projects_sec_objectives_join AS
SELECT tenant_id, project_id, objective_id, year
FROM base.jt_ent_projects_sec_objectives_join;
GO

--# view jt_ent_capabilities_sec_objectives_join
CREATE OR ALTER VIEW city.jt_ent_capabilities_sec_objectives_join AS
SELECT tenant_id, capability_id, objective_id, year
FROM base.jt_ent_capabilities_sec_objectives_join;
GO

--# view jt_ent_capabilities_ent_processes_join
CREATE OR ALTER VIEW city.jt_ent_capabilities_ent_processes_join AS
SELECT tenant_id, capability_id, process_id, year
FROM base.jt_ent_capabilities_ent_processes_join;
GO

--# view jt_ent_processes_ent_it_systems_join
CREATE OR ALTER VIEW city.jt_ent_processes_ent_it_systems_join AS
SELECT tenant_id, process_id, it_system_id, year
FROM base.jt_ent_processes_ent_it_systems_join;
GO

--# view jt_ent_processes_ent_services_join
CREATE OR ALTER VIEW city.jt_ent_processes_ent_services_join AS
SELECT tenant_id, process_id, service_id, year
FROM base.jt_ent_processes_ent_services_join;
GO

--# view jt_ent_it_systems_ent_data_sets_join
CREATE OR ALTER VIEW city.jt_ent_it_systems_ent_data_sets_join AS
SELECT tenant_id, it_system_id, data_set_id, year
FROM base.jt_ent_it_systems_ent_data_sets_join;
GO

--# view jt_ent_it_systems_ent_controls_join
CREATE OR ALTER VIEW city.jt_ent_it_systems_ent_controls_join AS
SELECT tenant_id, it_system_id, control_id, year
FROM base.jt_ent_it_systems_ent_controls_join;
GO

--# view jt_ent_it_systems_ent_contracts_join
CREATE OR ALTER VIEW city.jt_ent_it_systems_ent_contracts_join AS
SELECT tenant_id, it_system_id, contract_id, year
FROM base.jt_ent_it_systems_ent_contracts_join;
GO

--# view jt_ent_controls_ent_audits_join
CREATE OR ALTER VIEW city.jt_ent_controls_ent_audits_join AS
SELECT tenant_id, control_id, audit_id, year
FROM base.jt_ent_controls_ent_audits_join;
GO

--# view jt_ent_controls_ent_policies_join
CREATE OR ALTER VIEW city.jt_ent_controls_ent_policies_join AS
SELECT tenant_id, control_id, policy_id, year
FROM base.jt_ent_controls_ent_policies_join;
GO

--# view jt_ent_controls_ent_risks_join
CREATE OR ALTER VIEW city.jt_ent_controls_ent_risks_join AS
SELECT tenant_id, control_id, risk_id, year
FROM base.jt_ent_controls_ent_risks_join;
GO

--# view jt_ent_org_units_ent_culture_health_join
CREATE OR ALTER VIEW city.jt_ent_org_units_ent_culture_health_join AS
SELECT tenant_id, org_unit_id, culture_health_id, year
FROM base.jt_ent_org_units_ent_culture_health_join;
GO

--# view jt_ent_positions_ent_trainings_join
CREATE OR ALTER VIEW city.jt_ent_positions_ent_trainings_join AS
SELECT tenant_id, position_id, training_id, year
FROM base.jt_ent_positions_ent_trainings_join;
GO

--# view jt_ent_services_ent_channels_join
CREATE OR ALTER VIEW city.jt_ent_services_ent_channels_join AS
SELECT tenant_id, service_id, channel_id, year
FROM base.jt_ent_services_ent_channels_join;
GO

--# view jt_ent_policies_sec_regulations_join
CREATE OR ALTER VIEW city.jt_ent_policies_sec_regulations_join AS
SELECT tenant_id, policy_id, regulation_id, year
FROM base.jt_ent_policies_sec_regulations_join;
GO

--# view jt_sec_performance_indicators_sec_objectives_join
CREATE OR ALTER VIEW city.jt_sec_performance_indicators_sec_objectives_join AS
SELECT tenant_id, performance_indicator_id, objective_id, year
FROM base.jt_sec_performance_indicators_sec_objectives_join;
GO

--# view jt_ent_programs_sec_sector_plans_join
CREATE OR ALTER VIEW city.jt_ent_programs_sec_sector_plans_join AS
SELECT tenant_id, program_id, sector_plan_id, year
FROM base.jt_ent_programs_sec_sector_plans_join;
GO

--# view jt_sec_outcomes_sec_objectives_join
CREATE OR ALTER VIEW city.jt_sec_outcomes_sec_objectives_join AS
SELECT tenant_id, outcome_id, objective_id, year
FROM base.jt_sec_outcomes_sec_objectives_join;
GO

--# view jt_ent_assets_ent_incidents_join
CREATE OR ALTER VIEW city.jt_ent_assets_ent_incidents_join AS
SELECT tenant_id, asset_id, incident_id, year
FROM base.jt_ent_assets_ent_incidents_join;
GO

--# right on city.ent_projects
GRANT SELECT ON OBJECT::city.ent_projects TO vesper_read_role;
GO

--# right on city.ent_programs
GRANT SELECT ON OBJECT::city.ent_programs TO vesper_read_role;
GO

--# right on city.ent_change_adoption
GRANT SELECT ON OBJECT::city.ent_change_adoption TO vesper_read_role;
GO

--# right on city.ent_risks
GRANT SELECT ON OBJECT::city.ent_risks TO vesper_read_role;
GO

--# right on city.ent_it_systems
GRANT SELECT ON OBJECT::city.ent_it_systems TO vesper_read_role;
GO

--# right on city.ent_vendors
GRANT SELECT ON OBJECT::city.ent_vendors TO vesper_read_role;
GO

--# right on city.ent_contracts
GRANT SELECT ON OBJECT::city.ent_contracts TO vesper_read_role;
GO

--# right on city.ent_processes
GRANT SELECT ON OBJECT::city.ent_processes TO vesper_read_role;
GO

--# right on city.ent_capabilities
GRANT SELECT ON OBJECT::city.ent_capabilities TO vesper_read_role;
GO

--# right on city.ent_org_units
GRANT SELECT ON OBJECT::city.ent_org_units TO vesper_read_role;
GO

--# right on city.ent_positions
GRANT SELECT ON OBJECT::city.ent_positions TO vesper_read_role;
GO

--# right on city.ent_culture_health
GRANT SELECT ON OBJECT::city.ent_culture_health TO vesper_read_role;
GO

--# right on city.ent_budgets
GRANT SELECT ON OBJECT::city.ent_budgets TO vesper_read_role;
GO

--# right on city.ent_milestones
GRANT SELECT ON OBJECT::city.ent_milestones TO vesper_read_role;
GO

--# right on city.ent_services
GRANT SELECT ON OBJECT::city.ent_services TO vesper_read_role;
GO

--# right on city.ent_data_sets
GRANT SELECT ON OBJECT::city.ent_data_sets TO vesper_read_role;
GO

--# right on city.ent_controls
GRANT SELECT ON OBJECT::city.ent_controls TO vesper_read_role;
GO

--# right on city.ent_incidents
GRANT SELECT ON OBJECT::city.ent_incidents TO vesper_read_role;
GO

--# right on city.ent_suppliers_sites
GRANT SELECT ON OBJECT::city.ent_suppliers_sites TO vesper_read_role;
GO

--# right on city.ent_trainings
GRANT SELECT ON OBJECT::city.ent_trainings TO vesper_read_role;
GO

--# right on city.ent_audits
GRANT SELECT ON OBJECT::city.ent_audits TO vesper_read_role;
GO

--# right on city.ent_assets
GRANT SELECT ON OBJECT::city.ent_assets TO vesper_read_role;
GO

--# right on city.ent_channels
GRANT SELECT ON OBJECT::city.ent_channels TO vesper_read_role;
GO

--# right on city.ent_policies
GRANT SELECT ON OBJECT::city.ent_policies TO vesper_read_role;
GO

--# right on city.sec_objectives
GRANT SELECT ON OBJECT::city.sec_objectives TO vesper_read_role;
GO

--# right on city.sec_performance_indicators
GRANT SELECT ON OBJECT::city.sec_performance_indicators TO vesper_read_role;
GO

--# right on city.sec_citizen_districts
GRANT SELECT ON OBJECT::city.sec_citizen_districts TO vesper_read_role;
GO

--# right on city.sec_business_partners
GRANT SELECT ON OBJECT::city.sec_business_partners TO vesper_read_role;
GO

--# right on city.sec_transactions
GRANT SELECT ON OBJECT::city.sec_transactions TO vesper_read_role;
GO

--# right on city.sec_admin_records
GRANT SELECT ON OBJECT::city.sec_admin_records TO vesper_read_role;
GO

--# right on city.sec_data_records
GRANT SELECT ON OBJECT::city.sec_data_records TO vesper_read_role;
GO

--# right on city.sec_surveys
GRANT SELECT ON OBJECT::city.sec_surveys TO vesper_read_role;
GO

--# right on city.sec_complaints
GRANT SELECT ON OBJECT::city.sec_complaints TO vesper_read_role;
GO

--# right on city.sec_sector_plans
GRANT SELECT ON OBJECT::city.sec_sector_plans TO vesper_read_role;
GO

--# right on city.sec_regulations
GRANT SELECT ON OBJECT::city.sec_regulations TO vesper_read_role;
GO

--# right on city.sec_outcomes
GRANT SELECT ON OBJECT::city.sec_outcomes TO vesper_read_role;
GO

--# right on city.jt_ent_projects_ent_change_adoption_join
GRANT SELECT ON OBJECT::city.jt_ent_projects_ent_change_adoption_join TO vesper_read_role;
GO

--# right on city.jt_ent_projects_ent_risks_join
GRANT SELECT ON OBJECT::city.jt_ent_projects_ent_risks_join TO vesper_read_role;
GO

--# right on city.jt_ent_projects_ent_it_systems_join
GRANT SELECT ON OBJECT::city.jt_ent_projects_ent_it_systems_join TO vesper_read_role;
GO

--# right on city.jt_ent_projects_ent_capabilities_join
GRANT SELECT ON OBJECT::city.jt_ent_projects_ent_capabilities_join TO vesper_read_role;
GO

--# right on city.jt_ent_projects_ent_org_units_join
GRANT SELECT ON OBJECT::city.jt_ent_projects_ent_org_units_join TO vesper_read_role;
GO

--# right on city.jt_ent_projects_sec_objectives_join
GRANT SELECT ON OBJECT::city.jt_ent_projects_sec_objectives_join TO vesper_read_role;
GO

--# right on city.jt_ent_capabilities_sec_objectives_join
GRANT SELECT ON OBJECT::city.jt_ent_capabilities_sec_objectives_join TO vesper_read_role;
GO

--# right on city.jt_ent_capabilities_ent_processes_join
GRANT SELECT ON OBJECT::city.jt_ent_capabilities_ent_processes_join TO vesper_read_role;
GO

--# right on city.jt_ent_processes_ent_it_systems_join
GRANT SELECT ON OBJECT::city.jt_ent_processes_ent_it_systems_join TO vesper_read_role;
GO

--# right on city.jt_ent_processes_ent_services_join
GRANT SELECT ON OBJECT::city.jt_ent_processes_ent_services_join TO vesper_read_role;
GO

--# right on city.jt_ent_it_systems_ent_data_sets_join
GRANT SELECT ON OBJECT::city.jt_ent_it_systems_ent_data_sets_join TO vesper_read_role;
GO

--# right on city.jt_ent_it_systems_ent_controls_join
GRANT SELECT ON OBJECT::city.jt_ent_it_systems_ent_controls_join TO vesper_read_role;
GO

--# right on city.jt_ent_it_systems_ent_contracts_join
GRANT SELECT ON OBJECT::city.jt_ent_it_systems_ent_contracts_join TO vesper_read_role;
GO

--# right on city.jt_ent_controls_ent_audits_join
GRANT SELECT ON OBJECT::city.jt_ent_controls_ent_audits_join TO vesper_read_role;
GO

--# right on city.jt_ent_controls_ent_policies_join
GRANT SELECT ON OBJECT::city.jt_ent_controls_ent_policies_join TO vesper_read_role;
GO

--# right on city.jt_ent_controls_ent_risks_join
GRANT SELECT ON OBJECT::city.jt_ent_controls_ent_risks_join TO vesper_read_role;
GO

--# right on city.jt_ent_org_units_ent_culture_health_join
GRANT SELECT ON OBJECT::city.jt_ent_org_units_ent_culture_health_join TO vesper_read_role;
GO

--# right on city.jt_ent_positions_ent_trainings_join
GRANT SELECT ON OBJECT::city.jt_ent_positions_ent_trainings_join TO vesper_read_role;
GO

--# right on city.jt_ent_services_ent_channels_join
GRANT SELECT ON OBJECT::city.jt_ent_services_ent_channels_join TO vesper_read_role;
GO

--# right on city.jt_ent_policies_sec_regulations_join
GRANT SELECT ON OBJECT::city.jt_ent_policies_sec_regulations_join TO vesper_read_role;
GO

--# right on city.jt_sec_performance_indicators_sec_objectives_join
GRANT SELECT ON OBJECT::city.jt_sec_performance_indicators_sec_objectives_join TO vesper_read_role;
GO

--# right on city.jt_ent_programs_sec_sector_plans_join
GRANT SELECT ON OBJECT::city.jt_ent_programs_sec_sector_plans_join TO vesper_read_role;
GO

--# right on city.jt_sec_outcomes_sec_objectives_join
GRANT SELECT ON OBJECT::city.jt_sec_outcomes_sec_objectives_join TO vesper_read_role;
GO

--# right on city.jt_ent_assets_ent_incidents_join
GRANT SELECT ON OBJECT::city.jt_ent_assets_ent_incidents_join TO vesper_read_role;
GO
