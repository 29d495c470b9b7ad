-- Made by vesperctl db ddl --pack city --source city --dialect postgres from sql/city/tables.json.

--# schemas
DO $$
DECLARE
	s text;
BEGIN
	FOREACH s IN ARRAY ARRAY['city'] LOOP
		IF NOT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = s) THEN
			EXECUTE pg_catalog.format('CREATE SCHEMA %I AUTHORIZATION vesper_owner', s);
		END IF;
	END LOOP;
END
$$

--# owner
SET LOCAL ROLE vesper_owner

-- projects of the city, one row a project and year
--# ent_projects
CREATE TABLE base.ent_projects (
	tenant_id varchar(100) NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name varchar(200) NOT NULL,
	program_id int,
	status varchar(20) NOT NULL,
	priority varchar(10) NOT NULL,
	progress_pct int NOT NULL,
	budget_total decimal(14, 2) NOT NULL,
	start_date date NOT NULL,
	end_date date NOT NULL,
	PRIMARY KEY (tenant_id, id, year)
)

-- programs that bundle projects
--# ent_programs
CREATE TABLE base.ent_programs (
	tenant_id varchar(100) NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name varchar(200) NOT NULL,
	status varchar(20) NOT NULL,
	sponsor varchar(100) NOT NULL,
	PRIMARY KEY (tenant_id, id, year)
)

-- how far people have taken up a change
--# ent_change_adoption
CREATE TABLE base.ent_change_adoption (
	tenant_id varchar(100) NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name varchar(200) NOT NULL,
	stage varchar(20) NOT NULL,
	adoption_pct int NOT NULL,
	PRIMARY KEY (tenant_id, id, year)
)

-- risks of the city with category and score
--# ent_risks
CREATE TABLE base.ent_risks (
	tenant_id varchar(100) NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name varchar(200) NOT NULL,
	category varchar(30) NOT NULL,
	score int NOT NULL,
	status varchar(20) NOT NULL,
	PRIMARY KEY (tenant_id, id, year)
)

-- IT systems at three levels: platforms, modules, features
--# ent_it_systems
CREATE TABLE base.ent_it_systems (
	tenant_id varchar(100) NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name varchar(200) NOT NULL,
	level varchar(2) NOT NULL,
	parent_id int,
	status varchar(20) NOT NULL,
	criticality varchar(10) NOT NULL,
	annual_cost decimal(14, 2) NOT NULL,
	PRIMARY KEY (tenant_id, id, year)
)

-- companies that deliver to the city
--# ent_vendors
CREATE TABLE base.ent_vendors (
	tenant_id varchar(100) NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name varchar(200) NOT NULL,
	country varchar(60) NOT NULL,
	rating int NOT NULL,
	PRIMARY KEY (tenant_id, id, year)
)

-- contracts with vendors
--# ent_contracts
CREATE TABLE base.ent_contracts (
	tenant_id varchar(100) NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name varchar(200) NOT NULL,
	vendor_id int NOT NULL,
	status varchar(20) NOT NULL,
	amount decimal(14, 2) NOT NULL,
	signed_on date NOT NULL,
	PRIMARY KEY (tenant_id, id, year)
)

-- processes of the administration at three levels
--# ent_processes
CREATE TABLE base.ent_processes (
	tenant_id varchar(100) NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name varchar(200) NOT NULL,
	level varchar(2) NOT NULL,
	parent_id int,
	maturity int NOT NULL,
	automation_pct int NOT NULL,
	PRIMARY KEY (tenant_id, id, year)
)

-- what the city is able to do, at three levels
--# ent_capabilities
CREATE TABLE base.ent_capabilities (
	tenant_id varchar(100) NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name varchar(200) NOT NULL,
	level varchar(2) NOT NULL,
	parent_id int,
	maturity int NOT NULL,
	target_maturity int NOT NULL,
	PRIMARY KEY (tenant_id, id, year)
)

-- departments, sections and teams
--# ent_org_units
CREATE TABLE base.ent_org_units (
	tenant_id varchar(100) NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name varchar(200) NOT NULL,
	level varchar(2) NOT NULL,
	parent_id int,
	headcount int NOT NULL,
	location varchar(60) NOT NULL,
	PRIMARY KEY (tenant_id, id, year)
)

-- positions of organisational units
--# ent_positions
CREATE TABLE base.ent_positions (
	tenant_id varchar(100) NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name varchar(200) NOT NULL,
	org_unit_id int NOT NULL,
	grade int NOT NULL,
	is_filled varchar(3) NOT NULL,
	PRIMARY KEY (tenant_id, id, year)
)

-- yearly snapshot of how staff see their work
--# ent_culture_health
CREATE TABLE base.ent_culture_health (
	tenant_id varchar(100) NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name varchar(200) NOT NULL,
	culture_score decimal(5, 2) NOT NULL,
	respondents int NOT NULL,
	taken_on date NOT NULL,
	PRIMARY KEY (tenant_id, id, year)
)

-- planned and spent amounts of projects
--# ent_budgets
CREATE TABLE base.ent_budgets (
	tenant_id varchar(100) NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name varchar(200) NOT NULL,
	project_id int NOT NULL,
	kind varchar(20) NOT NULL,
	planned decimal(14, 2) NOT NULL,
	spent decimal(14, 2) NOT NULL,
	PRIMARY KEY (tenant_id, id, year)
)

-- milestones of projects
--# ent_milestones
CREATE TABLE base.ent_milestones (
	tenant_id varchar(100) NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name varchar(200) NOT NULL,
	project_id int NOT NULL,
	status varchar(20) NOT NULL,
	due_on date NOT NULL,
	PRIMARY KEY (tenant_id, id, year)
)

-- services that the city gives its citizens
--# ent_services
CREATE TABLE base.ent_services (
	tenant_id varchar(100) NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name varchar(200) NOT NULL,
	satisfaction decimal(5, 2) NOT NULL,
	requests int NOT NULL,
	PRIMARY KEY (tenant_id, id, year)
)

-- data sets that IT systems keep
--# ent_data_sets
CREATE TABLE base.ent_data_sets (
	tenant_id varchar(100) NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name varchar(200) NOT NULL,
	classification varchar(20) NOT NULL,
	records int NOT NULL,
	PRIMARY KEY (tenant_id, id, year)
)

-- controls that hold risks down
--# ent_controls
CREATE TABLE base.ent_controls (
	tenant_id varchar(100) NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name varchar(200) NOT NULL,
	kind varchar(20) NOT NULL,
	effectiveness int NOT NULL,
	PRIMARY KEY (tenant_id, id, year)
)

-- outages and failures of IT systems
--# ent_incidents
CREATE TABLE base.ent_incidents (
	tenant_id varchar(100) NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name varchar(200) NOT NULL,
	it_system_id int NOT NULL,
	severity varchar(10) NOT NULL,
	opened_on date NOT NULL,
	outage_hours int NOT NULL,
	PRIMARY KEY (tenant_id, id, year)
)

-- sites of vendors
--# ent_suppliers_sites
CREATE TABLE base.ent_suppliers_sites (
	tenant_id varchar(100) NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name varchar(200) NOT NULL,
	vendor_id int NOT NULL,
	country varchar(60) NOT NULL,
	PRIMARY KEY (tenant_id, id, year)
)

-- trainings for positions
--# ent_trainings
CREATE TABLE base.ent_trainings (
	tenant_id varchar(100) NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name varchar(200) NOT NULL,
	kind varchar(20) NOT NULL,
	attendees int NOT NULL,
	PRIMARY KEY (tenant_id, id, year)
)

-- audits of controls
--# ent_audits
CREATE TABLE base.ent_audits (
	tenant_id varchar(100) NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name varchar(200) NOT NULL,
	finding varchar(20) NOT NULL,
	audited_on date NOT NULL,
	PRIMARY KEY (tenant_id, id, year)
)

-- buildings, vehicles and equipment
--# ent_assets
CREATE TABLE base.ent_assets (
	tenant_id varchar(100) NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name varchar(200) NOT NULL,
	org_unit_id int NOT NULL,
	kind varchar(20) NOT NULL,
	value_amount decimal(14, 2) NOT NULL,
	PRIMARY KEY (tenant_id, id, year)
)

-- ways to reach a service
--# ent_channels
CREATE TABLE base.ent_channels (
	tenant_id varchar(100) NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name varchar(200) NOT NULL,
	kind varchar(20) NOT NULL,
	visits int NOT NULL,
	PRIMARY KEY (tenant_id, id, year)
)

-- policies of the city
--# ent_policies
CREATE TABLE base.ent_policies (
	tenant_id varchar(100) NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name varchar(200) NOT NULL,
	status varchar(20) NOT NULL,
	effective_on date NOT NULL,
	PRIMARY KEY (tenant_id, id, year)
)

-- strategic objectives at three levels
--# sec_objectives
CREATE TABLE base.sec_objectives (
	tenant_id varchar(100) NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name varchar(200) NOT NULL,
	level varchar(2) NOT NULL,
	parent_id int,
	pillar varchar(40) NOT NULL,
	achieved_pct int NOT NULL,
	PRIMARY KEY (tenant_id, id, year)
)

-- indicators of objectives
--# sec_performance_indicators
CREATE TABLE base.sec_performance_indicators (
	tenant_id varchar(100) NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name varchar(200) NOT NULL,
	target int NOT NULL,
	actual int NOT NULL,
	PRIMARY KEY (tenant_id, id, year)
)

-- districts and the people who live there
--# sec_citizen_districts
CREATE TABLE base.sec_citizen_districts (
	tenant_id varchar(100) NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name varchar(200) NOT NULL,
	zone varchar(20) NOT NULL,
	population int NOT NULL,
	PRIMARY KEY (tenant_id, id, year)
)

-- companies that deal with the city
--# sec_business_partners
CREATE TABLE base.sec_business_partners (
	tenant_id varchar(100) NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name varchar(200) NOT NULL,
	sector varchar(40) NOT NULL,
	country varchar(60) NOT NULL,
	PRIMARY KEY (tenant_id, id, year)
)

-- payments of budgets to business partners
--# sec_transactions
CREATE TABLE base.sec_transactions (
	tenant_id varchar(100) NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name varchar(200) NOT NULL,
	business_partner_id int NOT NULL,
	budget_id int NOT NULL,
	amount decimal(14, 2) NOT NULL,
	booked_on date NOT NULL,
	PRIMARY KEY (tenant_id, id, year)
)

-- files of organisational units
--# sec_admin_records
CREATE TABLE base.sec_admin_records (
	tenant_id varchar(100) NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name varchar(200) NOT NULL,
	org_unit_id int NOT NULL,
	kind varchar(20) NOT NULL,
	recorded_on date NOT NULL,
	PRIMARY KEY (tenant_id, id, year)
)

-- loads of data sets
--# sec_data_records
CREATE TABLE base.sec_data_records (
	tenant_id varchar(100) NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name varchar(200) NOT NULL,
	data_set_id int NOT NULL,
	quality_pct int NOT NULL,
	loaded_on date NOT NULL,
	PRIMARY KEY (tenant_id, id, year)
)

-- surveys in districts
--# sec_surveys
CREATE TABLE base.sec_surveys (
	tenant_id varchar(100) NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name varchar(200) NOT NULL,
	citizen_district_id int NOT NULL,
	responses int NOT NULL,
	held_on date NOT NULL,
	PRIMARY KEY (tenant_id, id, year)
)

-- complaints of citizens about services
--# sec_complaints
CREATE TABLE base.sec_complaints (
	tenant_id varchar(100) NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name varchar(200) NOT NULL,
	citizen_district_id int NOT NULL,
	service_id int NOT NULL,
	topic varchar(30) NOT NULL,
	status varchar(20) NOT NULL,
	received_on date NOT NULL,
	PRIMARY KEY (tenant_id, id, year)
)

-- plans of a sector
--# sec_sector_plans
CREATE TABLE base.sec_sector_plans (
	tenant_id varchar(100) NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name varchar(200) NOT NULL,
	sector varchar(40) NOT NULL,
	status varchar(20) NOT NULL,
	PRIMARY KEY (tenant_id, id, year)
)

-- rules that policies follow
--# sec_regulations
CREATE TABLE base.sec_regulations (
	tenant_id varchar(100) NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name varchar(200) NOT NULL,
	authority varchar(60) NOT NULL,
	effective_on date NOT NULL,
	PRIMARY KEY (tenant_id, id, year)
)

-- what objectives have brought about
--# sec_outcomes
CREATE TABLE base.sec_outcomes (
	tenant_id varchar(100) NOT NULL,
	id int NOT NULL,
	year int NOT NULL,
	name varchar(200) NOT NULL,
	benefit varchar(30) NOT NULL,
	achieved_pct int NOT NULL,
	PRIMARY KEY (tenant_id, id, year)
)

-- which projects belong to which change adoptions
--# jt_ent_projects_ent_change_adoption_join
CREATE TABLE base.jt_ent_projects_ent_change_adoption_join (
	tenant_id varchar(100) NOT NULL,
	project_id int NOT NULL,
	change_adoption_id int NOT NULL,
	year int NOT NULL,
	PRIMARY KEY (tenant_id, project_id, change_adoption_id, year)
)

-- which projects belong to which risks
--# jt_ent_projects_ent_risks_join
CREATE TABLE base.jt_ent_projects_ent_risks_join (
	tenant_id varchar(100) NOT NULL,
	project_id int NOT NULL,
	risk_id int NOT NULL,
	year int NOT NULL,
	PRIMARY KEY (tenant_id, project_id, risk_id, year)
)

-- which projects belong to which IT systems
--# jt_ent_projects_ent_it_systems_join
CREATE TABLE base.jt_ent_projects_ent_it_systems_join (
	tenant_id varchar(100) NOT NULL,
	project_id int NOT NULL,
	it_system_id int NOT NULL,
	year int NOT NULL,
	PRIMARY KEY (tenant_id, project_id, it_system_id, year)
)

-- which projects belong to which capabilities
--# jt_ent_projects_ent_capabilities_join
CREATE TABLE base.jt_ent_projects_ent_capabilities_join (
	tenant_id varchar(100) NOT NULL,
	project_id int NOT NULL,
	capability_id int NOT NULL,
	year int NOT NULL,
	PRIMARY KEY (tenant_id, project_id, capability_id, year)
)

-- which projects belong to which organisational units
--# jt_ent_projects_ent_org_units_join
CREATE TABLE base.jt_ent_projects_ent_org_units_join (
	tenant_id varchar(100) NOT NULL,
	project_id int NOT NULL,
	org_unit_id int NOT NULL,
	year int NOT NULL,
	PRIMARY KEY (tenant_id, project_id, org_unit_id, year)
)

-- which projects belong to which objectives
--# jt_ent_projects_sec_objectives_join
CREATE TABLE base.jt_ent_projects_sec_objectives_join (
	tenant_id varchar(100) NOT NULL,
	project_id int NOT NULL,
	objective_id int NOT NULL,
	year int NOT NULL,
	PRIMARY KEY (tenant_id, project_id, objective_id, year)
)

-- which capabilities belong to which objectives
--# jt_ent_capabilities_sec_objectives_join
CREATE TABLE base.jt_ent_capabilities_sec_objectives_join (
	tenant_id varchar(100) NOT NULL,
	capability_id int NOT NULL,
	objective_id int NOT NULL,
	year int NOT NULL,
	PRIMARY KEY (tenant_id, capability_id, objective_id, year)
)

-- which capabilities belong to which processes
--# jt_ent_capabilities_ent_processes_join
CREATE TABLE base.jt_ent_capabilities_ent_processes_join (
	tenant_id varchar(100) NOT NULL,
	capability_id int NOT NULL,
	process_id int NOT NULL,
	year int NOT NULL,
	PRIMARY KEY (tenant_id, capability_id, process_id, year)
)

-- which processes belong to which IT systems
--# jt_ent_processes_ent_it_systems_join
CREATE TABLE base.jt_ent_processes_ent_it_systems_join (
	tenant_id varchar(100) NOT NULL,
	process_id int NOT NULL,
	it_system_id int NOT NULL,
	year int NOT NULL,
	PRIMARY KEY (tenant_id, process_id, it_system_id, year)
)

-- which processes belong to which services
--# jt_ent_processes_ent_services_join
CREATE TABLE base.jt_ent_processes_ent_services_join (
	tenant_id varchar(100) NOT NULL,
	process_id int NOT NULL,
	service_id int NOT NULL,
	year int NOT NULL,
	PRIMARY KEY (tenant_id, process_id, service_id, year)
)

-- which IT systems belong to which data sets
--# jt_ent_it_systems_ent_data_sets_join
CREATE TABLE base.jt_ent_it_systems_ent_data_sets_join (
	tenant_id varchar(100) NOT NULL,
	it_system_id int NOT NULL,
	data_set_id int NOT NULL,
	year int NOT NULL,
	PRIMARY KEY (tenant_id, it_system_id, data_set_id, year)
)

-- which IT systems belong to which controls
--# jt_ent_it_systems_ent_controls_join
CREATE TABLE base.jt_ent_it_systems_ent_controls_join (
	tenant_id varchar(100) NOT NULL,
	it_system_id int NOT NULL,
	control_id int NOT NULL,
	year int NOT NULL,
	PRIMARY KEY (tenant_id, it_system_id, control_id, year)
)

-- which IT systems belong to which contracts
--# jt_ent_it_systems_ent_contracts_join
CREATE TABLE base.jt_ent_it_systems_ent_contracts_join (
	tenant_id varchar(100) NOT NULL,
	it_system_id int NOT NULL,
	contract_id int NOT NULL,
	year int NOT NULL,
	PRIMARY KEY (tenant_id, it_system_id, contract_id, year)
)

-- which controls belong to which audits
--# jt_ent_controls_ent_audits_join
CREATE TABLE base.jt_ent_controls_ent_audits_join (
	tenant_id varchar(100) NOT NULL,
	control_id int NOT NULL,
	audit_id int NOT NULL,
	year int NOT NULL,
	PRIMARY KEY (tenant_id, control_id, audit_id, year)
)

-- which controls belong to which policies
--# jt_ent_controls_ent_policies_join
CREATE TABLE base.jt_ent_controls_ent_policies_join (
	tenant_id varchar(100) NOT NULL,
	control_id int NOT NULL,
	policy_id int NOT NULL,
	year int NOT NULL,
	PRIMARY KEY (tenant_id, control_id, policy_id, year)
)

-- which controls belong to which risks
--# jt_ent_controls_ent_risks_join
CREATE TABLE base.jt_ent_controls_ent_risks_join (
	tenant_id varchar(100) NOT NULL,
	control_id int NOT NULL,
	risk_id int NOT NULL,
	year int NOT NULL,
	PRIMARY KEY (tenant_id, control_id, risk_id, year)
)

-- which organisational units belong to which culture health surveys
--# jt_ent_org_units_ent_culture_health_join
CREATE TABLE base.jt_ent_org_units_ent_culture_health_join (
	tenant_id varchar(100) NOT NULL,
	org_unit_id int NOT NULL,
	culture_health_id int NOT NULL,
	year int NOT NULL,
	PRIMARY KEY (tenant_id, org_unit_id, culture_health_id, year)
)

-- which positions belong to which trainings
--# jt_ent_positions_ent_trainings_join
CREATE TABLE base.jt_ent_positions_ent_trainings_join (
	tenant_id varchar(100) NOT NULL,
	position_id int NOT NULL,
	training_id int NOT NULL,
	year int NOT NULL,
	PRIMARY KEY (tenant_id, position_id, training_id, year)
)

-- which services belong to which channels
--# jt_ent_services_ent_channels_join
CREATE TABLE base.jt_ent_services_ent_channels_join (
	tenant_id varchar(100) NOT NULL,
	service_id int NOT NULL,
	channel_id int NOT NULL,
	year int NOT NULL,
	PRIMARY KEY (tenant_id, service_id, channel_id, year)
)

-- which policies belong to which regulations
--# jt_ent_policies_sec_regulations_join
CREATE TABLE base.jt_ent_policies_sec_regulations_join (
	tenant_id varchar(100) NOT NULL,
	policy_id int NOT NULL,
	regulation_id int NOT NULL,
	year int NOT NULL,
	PRIMARY KEY (tenant_id, policy_id, regulation_id, year)
)

-- which performance indicators belong to which objectives
--# jt_sec_performance_indicators_sec_objectives_join
CREATE TABLE base.jt_sec_performance_indicators_sec_objectives_join (
	tenant_id varchar(100) NOT NULL,
	performance_indicator_id int NOT NULL,
	objective_id int NOT NULL,
	year int NOT NULL,
	PRIMARY KEY (tenant_id, performance_indicator_id, objective_id, year)
)

-- which programs belong to which sector plans
--# jt_ent_programs_sec_sector_plans_join
CREATE TABLE base.jt_ent_programs_sec_sector_plans_join (
	tenant_id varchar(100) NOT NULL,
	program_id int NOT NULL,
	sector_plan_id int NOT NULL,
	year int NOT NULL,
	PRIMARY KEY (tenant_id, program_id, sector_plan_id, year)
)

-- which outcomes belong to which objectives
--# jt_sec_outcomes_sec_objectives_join
CREATE TABLE base.jt_sec_outcomes_sec_objectives_join (
	tenant_id varchar(100) NOT NULL,
	outcome_id int NOT NULL,
	objective_id int NOT NULL,
	year int NOT NULL,
	PRIMARY KEY (tenant_id, outcome_id, objective_id, year)
)

-- which assets belong to which incidents
--# jt_ent_assets_ent_incidents_join
CREATE TABLE base.jt_ent_assets_ent_incidents_join (
	tenant_id varchar(100) NOT NULL,
	asset_id int NOT NULL,
	incident_id int NOT NULL,
	year int NOT NULL,
	PRIMARY KEY (tenant_id, asset_id, incident_id, year)
)

--# tenant rows
DO $$
DECLARE
	t text;
BEGIN
	FOREACH t IN ARRAY ARRAY['ent_projects', 'ent_programs', 'ent_change_adoption', 'ent_risks', 'ent_it_systems', 'ent_vendors', 'ent_contracts', 'ent_processes', 'ent_capabilities', 'ent_org_units', 'ent_positions', 'ent_culture_health', 'ent_budgets', 'ent_milestones', 'ent_services', 'ent_data_sets', 'ent_controls', 'ent_incidents', 'ent_suppliers_sites', 'ent_trainings', 'ent_audits', 'ent_assets', 'ent_channels', 'ent_policies', 'sec_objectives', 'sec_performance_indicators', 'sec_citizen_districts', 'sec_business_partners', 'sec_transactions', 'sec_admin_records', 'sec_data_records', 'sec_surveys', 'sec_complaints', 'sec_sector_plans', 'sec_regulations', 'sec_outcomes', 'jt_ent_projects_ent_change_adoption_join', 'jt_ent_projects_ent_risks_join', 'jt_ent_projects_ent_it_systems_join', 'jt_ent_projects_ent_capabilities_join', 'jt_ent_projects_ent_org_units_join', 'jt_ent_projects_sec_objectives_join', 'jt_ent_capabilities_sec_objectives_join', 'jt_ent_capabilities_ent_processes_join', 'jt_ent_processes_ent_it_systems_join', 'jt_ent_processes_ent_services_join', 'jt_ent_it_systems_ent_data_sets_join', 'jt_ent_it_systems_ent_controls_join', 'jt_ent_it_systems_ent_contracts_join', 'jt_ent_controls_ent_audits_join', 'jt_ent_controls_ent_policies_join', 'jt_ent_controls_ent_risks_join', 'jt_ent_org_units_ent_culture_health_join', 'jt_ent_positions_ent_trainings_join', 'jt_ent_services_ent_channels_join', 'jt_ent_policies_sec_regulations_join', 'jt_sec_performance_indicators_sec_objectives_join', 'jt_ent_programs_sec_sector_plans_join', 'jt_sec_outcomes_sec_objectives_join', 'jt_ent_assets_ent_incidents_join'] LOOP
		EXECUTE pg_catalog.format('ALTER TABLE base.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', t);
		EXECUTE pg_catalog.format('CREATE POLICY own_tenant ON base.%I
			USING (tenant_id = pg_catalog.current_setting(''vesper.tenant_id'', true))
			WITH CHECK (tenant_id = pg_catalog.current_setting(''vesper.tenant_id'', true))', t);
	END LOOP;
END
$$

--# view ent_projects
CREATE VIEW city.ent_projects AS
SELECT tenant_id, id, year, name, program_id, status, priority, progress_pct, budget_total, start_date, end_date
FROM base.ent_projects

--# view ent_programs
CREATE VIEW city.ent_programs AS
SELECT tenant_id, id, year, name, status, sponsor
FROM base.ent_programs

--# view ent_change_adoption
CREATE VIEW city.ent_change_adoption AS
SELECT tenant_id, id, year, name, stage, adoption_pct
FROM base.ent_change_adoption

--# view ent_risks
CREATE VIEW city.ent_risks AS
SELECT tenant_id, id, year, name, category, score, status
FROM base.ent_risks

--# view ent_it_systems
CREATE VIEW city.ent_it_systems AS
SELECT tenant_id, id, year, name, level, parent_id, status, criticality, annual_cost
FROM base.ent_it_systems

--# view ent_vendors
CREATE VIEW city.ent_vendors AS
SELECT tenant_id, id, year, name, country, rating
FROM base.ent_vendors

--# view ent_contracts
CREATE VIEW city.ent_contracts AS
SELECT tenant_id, id, year, name, vendor_id, status, amount, signed_on
FROM base.ent_contracts

--# view ent_processes
CREATE VIEW city.ent_processes AS
SELECT tenant_id, id, year, name, level, parent_id, maturity, automation_pct
FROM base.ent_processes

--# view ent_capabilities
CREATE VIEW city.ent_capabilities AS
SELECT tenant_id, id, year, name, level, parent_id, maturity, target_maturity
FROM base.ent_capabilities

--# view ent_org_units
CREATE VIEW city.ent_org_units AS
SELECT tenant_id, id, year, name, level, parent_id, headcount, location
FROM base.ent_org_units

--# view ent_positions
CREATE VIEW city.ent_positions AS
SELECT tenant_id, id, year, name, org_unit_id, grade, is_filled
FROM base.ent_positions

--# view ent_culture_health
CREATE VIEW city.ent_culture_health AS
SELECT tenant_id, id, year, name, culture_score, respondents, taken_on
FROM base.ent_culture_health

--# view ent_budgets
CREATE VIEW city.ent_budgets AS
SELECT tenant_id, id, year, name, project_id, kind, planned, spent
FROM base.ent_budgets

--# view ent_milestones
CREATE VIEW city.ent_milestones AS
SELECT tenant_id, id, year, name, project_id, status, due_on
FROM base.ent_milestones

--# view ent_services
CREATE VIEW city.ent_services AS
SELECT tenant_id, id, year, name, satisfaction, requests
FROM base.ent_services

--# view ent_data_sets
CREATE VIEW city.ent_data_sets AS
SELECT tenant_id, id, year, name, classification, records
FROM base.ent_data_sets

--# view ent_controls
CREATE VIEW city.ent_controls AS
SELECT tenant_id, id, year, name, kind, effectiveness
FROM base.ent_controls

--# view ent_incidents
CREATE VIEW city.ent_incidents AS
SELECT tenant_id, id, year, name, it_system_id, severity, opened_on, outage_hours
FROM base.ent_incidents

--# view ent_suppliers_sites
CREATE VIEW city.ent_suppliers_sites AS
SELECT tenant_id, id, year, name, vendor_id, country
FROM base.ent_suppliers_sites

--# view ent_trainings
CREATE VIEW city.ent_trainings AS
SELECT tenant_id, id, year, name, kind, attendees
FROM base.ent_trainings

--# view ent_audits
CREATE VIEW city.ent_audits AS
SELECT tenant_id, id, year, name, finding, audited_on
FROM base.ent_audits

--# view ent_assets
CREATE VIEW city.ent_assets AS
SELECT tenant_id, id, year, name, org_unit_id, kind, value_amount
FROM base.ent_assets

--# view ent_channels
CREATE VIEW city.ent_channels AS
SELECT tenant_id, id, year, name, kind, visits
FROM base.ent_channels

--# view ent_policies
CREATE VIEW city.ent_policies AS
SELECT tenant_id, id, year, name, status, effective_on
FROM base.ent_policies

--# view sec_objectives
CREATE VIEW city.sec_objectives AS
SELECT tenant_id, id, year, name, level, parent_id, pillar, achieved_pct
FROM base.sec_objectives

--# view sec_performance_indicators
CREATE VIEW city.sec_performance_indicators AS
SELECT tenant_id, id, year, name, target, actual
FROM base.sec_performance_indicators

--# view sec_citizen_districts
CREATE VIEW city.sec_citizen_districts AS
SELECT tenant_id, id, year, name, zone, population
FROM base.sec_citizen_districts

--# view sec_business_partners
CREATE VIEW city.sec_business_partners AS
SELECT tenant_id, id, year, name, sector, country
FROM base.sec_business_partners

--# view sec_transactions
CREATE VIEW city.sec_transactions AS
SELECT tenant_id, id, year, name, business_partner_id, budget_id, amount, booked_on
FROM base.sec_transactions

--# view sec_admin_records
CREATE VIEW city.sec_admin_records AS
SELECT tenant_id, id, year, name, org_unit_id, kind, recorded_on
FROM base.sec_admin_records

--# view sec_data_records
CREATE VIEW city.sec_data_records AS
SELECT tenant_id, id, year, name, data_set_id, quality_pct, loaded_on
FROM base.sec_data_records

--# view sec_surveys
CREATE VIEW city.sec_surveys AS
SELECT tenant_id, id, year, name, citizen_district_id, responses, held_on
FROM base.sec_surveys

--# view sec_complaints
CREATE VIEW city.sec_complaints AS
SELECT tenant_id, id, year, name, citizen_district_id, service_id, topic, status, received_on
FROM base.sec_complaints

--# view sec_sector_plans
CREATE VIEW city.sec_sector_plans AS
SELECT tenant_id, id, year, name, sector, status
FROM base.sec_sector_plans

--# view sec_regulations
CREATE VIEW city.sec_regulations AS
SELECT tenant_id, id, year, name, authority, effective_on
FROM base.sec_regulations

--# view sec_outcomes
CREATE VIEW city.sec_outcomes AS
SELECT tenant_id, id, year, name, benefit, achieved_pct
FROM base.sec_outcomes

--# view jt_ent_projects_ent_change_adoption_join
CREATE VIEW city.jt_ent_projects_ent_change_adoption_join AS
SELECT tenant_id, project_id, change_adoption_id, year
FROM base.jt_ent_projects_ent_change_adoption_join

--# view jt_ent_projects_ent_risks_join
CREATE VIEW city.jt_ent_projects_ent_risks_join AS
SELECT tenant_id, project_id, risk_id, year
FROM base.jt_ent_projects_ent_risks_join

--# view jt_ent_projects_ent_it_systems_join
CREATE VIEW city.jt_ent_projects_ent_it_systems_join AS
SELECT tenant_id, project_id, it_system_id, year
FROM base.jt_ent_projects_ent_it_systems_join

--# view jt_ent_projects_ent_capabilities_join
CREATE VIEW city.jt_ent_projects_ent_capabilities_join AS
SELECT tenant_id, project_id, capability_id, year
FROM base.jt_ent_projects_ent_capabilities_join

--# view jt_ent_projects_ent_org_units_join
CREATE VIEW city.jt_ent_projects_ent_org_units_join AS
SELECT tenant_id, project_id, org_unit_id, year
FROM base.jt_ent_projects_ent_org_units_join

--# view jt_ent_projects_sec_objectives_join
CREATE VIEW city.jt_ent_projects_sec_objectives_join AS
SELECT tenant_id, project_id, objective_id, year
FROM base.jt_ent_projects_sec_objectives_join

--# view jt_ent_capabilities_sec_objectives_join
CREATE VIEW city.jt_ent_capabilities_sec_objectives_join AS
SELECT tenant_id, capability_id, objective_id, year
FROM base.jt_ent_capabilities_sec_objectives_join

--# view jt_ent_capabilities_ent_processes_join
CREATE VIEW city.jt_ent_capabilities_ent_processes_join AS
SELECT tenant_id, capability_id, process_id, year
FROM base.jt_ent_capabilities_ent_processes_join

--# view jt_ent_processes_ent_it_systems_join
CREATE VIEW city.jt_ent_processes_ent_it_systems_join AS
SELECT tenant_id, process_id, it_system_id, year
FROM base.jt_ent_processes_ent_it_systems_join

--# view jt_ent_processes_ent_services_join
CREATE VIEW city.jt_ent_processes_ent_services_join AS
SELECT tenant_id, process_id, service_id, year
FROM base.jt_ent_processes_ent_services_join

--# view jt_ent_it_systems_ent_data_sets_join
CREATE VIEW city.jt_ent_it_systems_ent_data_sets_join AS
SELECT tenant_id, it_system_id, data_set_id, year
FROM base.jt_ent_it_systems_ent_data_sets_join

--# view jt_ent_it_systems_ent_controls_join
CREATE VIEW city.jt_ent_it_systems_ent_controls_join AS
SELECT tenant_id, it_system_id, control_id, year
FROM base.jt_ent_it_systems_ent_controls_join

--# view jt_ent_it_systems_ent_contracts_join
CREATE VIEW city.jt_ent_it_systems_ent_contracts_join AS
SELECT tenant_id, it_system_id, contract_id, year
FROM base.jt_ent_it_systems_ent_contracts_join

--# view jt_ent_controls_ent_audits_join
CREATE VIEW city.jt_ent_controls_ent_audits_join AS
SELECT tenant_id, control_id, audit_id, year
FROM base.jt_ent_controls_ent_audits_join

--# view jt_ent_controls_ent_policies_join
CREATE VIEW city.jt_ent_controls_ent_policies_join AS
SELECT tenant_id, control_id, policy_id, year
FROM base.jt_ent_controls_ent_policies_join

--# view jt_ent_controls_ent_risks_join
CREATE VIEW city.jt_ent_controls_ent_risks_join AS
SELECT tenant_id, control_id, risk_id, year
FROM base.jt_ent_controls_ent_risks_join

--# view jt_ent_org_units_ent_culture_health_join
CREATE VIEW city.jt_ent_org_units_ent_culture_health_join AS
SELECT tenant_id, org_unit_id, culture_health_id, year
FROM base.jt_ent_org_units_ent_culture_health_join

--# view jt_ent_positions_ent_trainings_join
CREATE VIEW city.jt_ent_positions_ent_trainings_join AS
SELECT tenant_id, position_id, training_id, year
FROM base.jt_ent_positions_ent_trainings_join

--# view jt_ent_services_ent_channels_join
CREATE VIEW city.jt_ent_services_ent_channels_join AS
SELECT tenant_id, service_id, channel_id, year
FROM base.jt_ent_services_ent_channels_join

--# view jt_ent_policies_sec_regulations_join
CREATE VIEW city.jt_ent_policies_sec_regulations_join AS
SELECT tenant_id, policy_id, regulation_id, year
FROM base.jt_ent_policies_sec_regulations_join

--# view jt_sec_performance_indicators_sec_objectives_join
CREATE VIEW city.jt_sec_performance_indicators_sec_objectives_join AS
SELECT tenant_id, performance_indicator_id, objective_id, year
FROM base.jt_sec_performance_indicators_sec_objectives_join

--# view jt_ent_programs_sec_sector_plans_join
CREATE VIEW city.jt_ent_programs_sec_sector_plans_join AS
SELECT tenant_id, program_id, sector_plan_id, year
FROM base.jt_ent_programs_sec_sector_plans_join

--# view jt_sec_outcomes_sec_objectives_join
CREATE VIEW city.jt_sec_outcomes_sec_objectives_join AS
SELECT tenant_id, outcome_id, objective_id, year
FROM base.jt_sec_outcomes_sec_objectives_join

--# view jt_ent_assets_ent_incidents_join
CREATE VIEW city.jt_ent_assets_ent_incidents_join AS
SELECT tenant_id, asset_id, incident_id, year
FROM base.jt_ent_assets_ent_incidents_join

--# schema right
GRANT USAGE ON SCHEMA city TO vesper_read

--# view rights
GRANT SELECT ON city.ent_projects, city.ent_programs, city.ent_change_adoption, city.ent_risks, city.ent_it_systems,
	city.ent_vendors, city.ent_contracts, city.ent_processes, city.ent_capabilities, city.ent_org_units, city.ent_positions,
	city.ent_culture_health, city.ent_budgets, city.ent_milestones, city.ent_services, city.ent_data_sets,
	city.ent_controls, city.ent_incidents, city.ent_suppliers_sites, city.ent_trainings, city.ent_audits, city.ent_assets,
	city.ent_channels, city.ent_policies, city.sec_objectives, city.sec_performance_indicators, city.sec_citizen_districts,
	city.sec_business_partners, city.sec_transactions, city.sec_admin_records, city.sec_data_records, city.sec_surveys,
	city.sec_complaints, city.sec_sector_plans, city.sec_regulations, city.sec_outcomes,
	city.jt_ent_projects_ent_change_adoption_join, city.jt_ent_projects_ent_risks_join,
	city.jt_ent_projects_ent_it_systems_join, city.jt_ent_projects_ent_capabilities_join,
	city.jt_ent_projects_ent_org_units_join, city.jt_ent_projects_sec_objectives_join,
	city.jt_ent_capabilities_sec_objectives_join, city.jt_ent_capabilities_ent_processes_join,
	city.jt_ent_processes_ent_it_systems_join, city.jt_ent_processes_ent_services_join,
	city.jt_ent_it_systems_ent_data_sets_join, city.jt_ent_it_systems_ent_controls_join,
	city.jt_ent_it_systems_ent_contracts_join, city.jt_ent_controls_ent_audits_join, city.jt_ent_controls_ent_policies_join,
	city.jt_ent_controls_ent_risks_join, city.jt_ent_org_units_ent_culture_health_join,
	city.jt_ent_positions_ent_trainings_join, city.jt_ent_services_ent_channels_join,
	city.jt_ent_policies_sec_regulations_join, city.jt_sec_performance_indicators_sec_objectives_join,
	city.jt_ent_programs_sec_sector_plans_join, city.jt_sec_outcomes_sec_objectives_join,
	city.jt_ent_assets_ent_incidents_join TO vesper_read
