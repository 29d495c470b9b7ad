/* Content of the city's tables: columns in the order of sql/city/tables.json, and the join
 * tables. */
#include "demo_city.h"

static const struct city_column ent_projects[] = {
	{.name = "program_id", .kind = CITY_REF, .of = "ent_programs"},
	{.name = "status", .kind = CITY_WORD, .of = "planned|active|on hold|completed"},
	{.name = "priority", .kind = CITY_WORD, .of = "low|medium|high"},
	{.name = "progress_pct", .kind = CITY_INT, .min = 0, .max = 100},
	{.name = "budget_total", .kind = CITY_DECIMAL, .min = 50000, .max = 6000000},
	{.name = "start_date", .kind = CITY_DAY},
	{.name = "end_date", .kind = CITY_DAY},
};
static const struct city_column ent_programs[] = {
	{.name = "status", .kind = CITY_WORD, .of = "planned|active|closed"},
	{.name = "sponsor", .kind = CITY_WORD, .of = "Mayor|Council|Treasurer"},
};
static const struct city_column ent_change_adoption[] = {
	{.name = "stage", .kind = CITY_WORD, .of = "aware|trained|adopted"},
	{.name = "adoption_pct", .kind = CITY_INT, .min = 5, .max = 95},
};
static const struct city_column ent_risks[] = {
	{.name = "category",
	 .kind = CITY_WORD,
	 .of = "Financial|Operational|Legal|Environmental|Reputational"},
	{.name = "score", .kind = CITY_INT, .min = 1, .max = 25},
	{.name = "status", .kind = CITY_WORD, .of = "open|mitigated|accepted"},
};
static const struct city_column ent_it_systems[] = {
	{.name = "level", .kind = CITY_LEVEL},
	{.name = "parent_id", .kind = CITY_PARENT},
	{.name = "status", .kind = CITY_WORD, .of = "operational|degraded|retired"},
	{.name = "criticality", .kind = CITY_WORD, .of = "low|medium|high"},
	{.name = "annual_cost", .kind = CITY_DECIMAL, .min = 5000, .max = 900000},
};
static const struct city_column ent_vendors[] = {
	{.name = "country", .kind = CITY_WORD, .of = "Norway|Portugal|Japan|Canada|Kenya"},
	{.name = "rating", .kind = CITY_INT, .min = 1, .max = 5},
};
static const struct city_column ent_contracts[] = {
	{.name = "vendor_id", .kind = CITY_REF, .of = "ent_vendors"},
	{.name = "status", .kind = CITY_WORD, .of = "draft|in force|expired"},
	{.name = "amount", .kind = CITY_DECIMAL, .min = 500, .max = 400000},
	{.name = "signed_on", .kind = CITY_DAY},
};
static const struct city_column ent_processes[] = {
	{.name = "level", .kind = CITY_LEVEL},
	{.name = "parent_id", .kind = CITY_PARENT},
	{.name = "maturity", .kind = CITY_INT, .min = 1, .max = 5},
	{.name = "automation_pct", .kind = CITY_INT, .min = 0, .max = 90},
};
static const struct city_column ent_capabilities[] = {
	{.name = "level", .kind = CITY_LEVEL},
	{.name = "parent_id", .kind = CITY_PARENT},
	{.name = "maturity", .kind = CITY_INT, .min = 1, .max = 5},
	{.name = "target_maturity", .kind = CITY_INT, .min = 3, .max = 5},
};
static const struct city_column ent_org_units[] = {
	{.name = "level", .kind = CITY_LEVEL},
	{.name = "parent_id", .kind = CITY_PARENT},
	{.name = "headcount", .kind = CITY_INT, .min = 3, .max = 60},
	{.name = "location", .kind = CITY_WORD, .of = "Old Town|Harbour|Hillside|Riverside"},
};
static const struct city_column ent_positions[] = {
	{.name = "org_unit_id", .kind = CITY_REF, .of = "ent_org_units"},
	{.name = "grade", .kind = CITY_INT, .min = 1, .max = 12},
	{.name = "is_filled", .kind = CITY_WORD, .of = "yes|yes|yes|no"},
};
static const struct city_column ent_culture_health[] = {
	{.name = "culture_score", .kind = CITY_DECIMAL, .min = 2, .max = 5},
	{.name = "respondents", .kind = CITY_INT, .min = 20, .max = 400},
	{.name = "taken_on", .kind = CITY_DAY},
};
static const struct city_column ent_budgets[] = {
	{.name = "project_id", .kind = CITY_REF, .of = "ent_projects"},
	{.name = "kind", .kind = CITY_WORD, .of = "capital|operating"},
	{.name = "planned", .kind = CITY_DECIMAL, .min = 10000, .max = 2000000},
	{.name = "spent", .kind = CITY_DECIMAL, .min = 5000, .max = 1900000},
};
static const struct city_column ent_milestones[] = {
	{.name = "project_id", .kind = CITY_REF, .of = "ent_projects"},
	{.name = "status", .kind = CITY_WORD, .of = "due|reached|missed"},
	{.name = "due_on", .kind = CITY_DAY},
};
static const struct city_column ent_services[] = {
	{.name = "satisfaction", .kind = CITY_DECIMAL, .min = 1, .max = 5},
	{.name = "requests", .kind = CITY_INT, .min = 100, .max = 9000},
};
static const struct city_column ent_data_sets[] = {
	{.name = "classification", .kind = CITY_WORD, .of = "public|internal|confidential"},
	{.name = "records", .kind = CITY_INT, .min = 1000, .max = 900000},
};
static const struct city_column ent_controls[] = {
	{.name = "kind", .kind = CITY_WORD, .of = "preventive|detective|corrective"},
	{.name = "effectiveness", .kind = CITY_INT, .min = 1, .max = 5},
};
static const struct city_column ent_incidents[] = {
	{.name = "it_system_id", .kind = CITY_REF, .of = "ent_it_systems"},
	{.name = "severity", .kind = CITY_WORD, .of = "minor|major|severe"},
	{.name = "opened_on", .kind = CITY_DAY},
	{.name = "outage_hours", .kind = CITY_INT, .min = 0, .max = 48},
};
static const struct city_column ent_suppliers_sites[] = {
	{.name = "vendor_id", .kind = CITY_REF, .of = "ent_vendors"},
	{.name = "country", .kind = CITY_WORD, .of = "Norway|Portugal|Japan|Canada|Kenya"},
};
static const struct city_column ent_trainings[] = {
	{.name = "kind", .kind = CITY_WORD, .of = "classroom|online"},
	{.name = "attendees", .kind = CITY_INT, .min = 4, .max = 60},
};
static const struct city_column ent_audits[] = {
	{.name = "finding", .kind = CITY_WORD, .of = "none|minor|major"},
	{.name = "audited_on", .kind = CITY_DAY},
};
static const struct city_column ent_assets[] = {
	{.name = "org_unit_id", .kind = CITY_REF, .of = "ent_org_units"},
	{.name = "kind", .kind = CITY_WORD, .of = "building|vehicle|equipment"},
	{.name = "value_amount", .kind = CITY_DECIMAL, .min = 1000, .max = 3000000},
};
static const struct city_column ent_channels[] = {
	{.name = "kind", .kind = CITY_WORD, .of = "counter|web|phone|app"},
	{.name = "visits", .kind = CITY_INT, .min = 200, .max = 40000},
};
static const struct city_column ent_policies[] = {
	{.name = "status", .kind = CITY_WORD, .of = "draft|in force|repealed"},
	{.name = "effective_on", .kind = CITY_DAY},
};
static const struct city_column sec_objectives[] = {
	{.name = "level", .kind = CITY_LEVEL},
	{.name = "parent_id", .kind = CITY_PARENT},
	{.name = "pillar", .kind = CITY_WORD, .of = "Liveability|Prosperity|Sustainability"},
	{.name = "achieved_pct", .kind = CITY_INT, .min = 0, .max = 100},
};
static const struct city_column sec_performance_indicators[] = {
	{.name = "target", .kind = CITY_INT, .min = 50, .max = 100},
	{.name = "actual", .kind = CITY_INT, .min = 30, .max = 110},
};
static const struct city_column sec_citizen_districts[] = {
	{.name = "zone", .kind = CITY_WORD, .of = "north|south|east|west"},
	{.name = "population", .kind = CITY_INT, .min = 4000, .max = 60000},
};
static const struct city_column sec_business_partners[] = {
	{.name = "sector", .kind = CITY_WORD, .of = "Transport|Energy|Health|Education|Housing"},
	{.name = "country", .kind = CITY_WORD, .of = "Norway|Portugal|Japan|Canada|Kenya"},
};
static const struct city_column sec_transactions[] = {
	{.name = "business_partner_id", .kind = CITY_REF, .of = "sec_business_partners"},
	{.name = "budget_id", .kind = CITY_REF, .of = "ent_budgets"},
	{.name = "amount", .kind = CITY_DECIMAL, .min = 500, .max = 400000},
	{.name = "booked_on", .kind = CITY_DAY},
};
static const struct city_column sec_admin_records[] = {
	{.name = "org_unit_id", .kind = CITY_REF, .of = "ent_org_units"},
	{.name = "kind", .kind = CITY_WORD, .of = "decision|permit|notice"},
	{.name = "recorded_on", .kind = CITY_DAY},
};
static const struct city_column sec_data_records[] = {
	{.name = "data_set_id", .kind = CITY_REF, .of = "ent_data_sets"},
	{.name = "quality_pct", .kind = CITY_INT, .min = 60, .max = 100},
	{.name = "loaded_on", .kind = CITY_DAY},
};
static const struct city_column sec_surveys[] = {
	{.name = "citizen_district_id", .kind = CITY_REF, .of = "sec_citizen_districts"},
	{.name = "responses", .kind = CITY_INT, .min = 40, .max = 900},
	{.name = "held_on", .kind = CITY_DAY},
};
static const struct city_column sec_complaints[] = {
	{.name = "citizen_district_id", .kind = CITY_REF, .of = "sec_citizen_districts"},
	{.name = "service_id", .kind = CITY_REF, .of = "ent_services"},
	{.name = "topic", .kind = CITY_WORD, .of = "noise|waste|roads|parking|water"},
	{.name = "status", .kind = CITY_WORD, .of = "new|answered|closed"},
	{.name = "received_on", .kind = CITY_DAY},
};
static const struct city_column sec_sector_plans[] = {
	{.name = "sector", .kind = CITY_WORD, .of = "Transport|Energy|Health|Education|Housing"},
	{.name = "status", .kind = CITY_WORD, .of = "draft|adopted"},
};
static const struct city_column sec_regulations[] = {
	{.name = "authority", .kind = CITY_WORD, .of = "Parliament|Ministry|Council"},
	{.name = "effective_on", .kind = CITY_DAY},
};
static const struct city_column sec_outcomes[] = {
	{.name = "benefit", .kind = CITY_WORD, .of = "time saved|money saved|satisfaction"},
	{.name = "achieved_pct", .kind = CITY_INT, .min = 0, .max = 100},
};

const struct city_table demo_city_tables[] = {
	{"ent_projects", 480, "Tramway|Library|Waterfront|Market Hall|Cycle Network|Clinic",
	 ent_projects, DEMO_COUNT(ent_projects)},
	{"ent_programs", 48, "Renewal|Mobility", ent_programs, DEMO_COUNT(ent_programs)},
	{"ent_change_adoption", 120, "Permit Desk|Paperless Office|Service Hub",
	 ent_change_adoption, DEMO_COUNT(ent_change_adoption)},
	{"ent_risks", 640, "Flooding|Fraud|Outage|Strike|Overrun|Lawsuit|Leak|Delay", ent_risks,
	 DEMO_COUNT(ent_risks)},
	{"ent_it_systems", 312, "Registry|Portal|Ledger|Mapper", ent_it_systems,
	 DEMO_COUNT(ent_it_systems)},
	{"ent_vendors", 320, "Works|Systems|Logistics|Partners", ent_vendors,
	 DEMO_COUNT(ent_vendors)},
	{"ent_contracts", 800, "Supply|Maintenance|Licence|Building|Cleaning", ent_contracts,
	 DEMO_COUNT(ent_contracts)},
	{"ent_processes", 312, "Licensing|Billing|Inspection|Archiving", ent_processes,
	 DEMO_COUNT(ent_processes)},
	{"ent_capabilities", 312, "Planning|Engineering|Outreach|Stewardship", ent_capabilities,
	 DEMO_COUNT(ent_capabilities)},
	{"ent_org_units", 312, "Roads|Housing|Finance|Parks", ent_org_units,
	 DEMO_COUNT(ent_org_units)},
	{"ent_positions", 1600, "Engineer|Clerk|Inspector|Planner|Analyst", ent_positions,
	 DEMO_COUNT(ent_positions)},
	{"ent_culture_health", 80, "Pulse", ent_culture_health, DEMO_COUNT(ent_culture_health)},
	{"ent_budgets", 1440, "Line", ent_budgets, DEMO_COUNT(ent_budgets)},
	{"ent_milestones", 2400, "Tender|Design|Handover|Opening|Permit", ent_milestones,
	 DEMO_COUNT(ent_milestones)},
	{"ent_services", 320, "Parking|Waste|Permits|Childcare", ent_services,
	 DEMO_COUNT(ent_services)},
	{"ent_data_sets", 640, "Cadastre|Census|Traffic|Water", ent_data_sets,
	 DEMO_COUNT(ent_data_sets)},
	{"ent_controls", 480, "Review|Reconciliation|Access Check", ent_controls,
	 DEMO_COUNT(ent_controls)},
	{"ent_incidents", 1600, "Incident", ent_incidents, DEMO_COUNT(ent_incidents)},
	{"ent_suppliers_sites", 480, "Depot|Yard|Office", ent_suppliers_sites,
	 DEMO_COUNT(ent_suppliers_sites)},
	{"ent_trainings", 320, "Course|Workshop", ent_trainings, DEMO_COUNT(ent_trainings)},
	{"ent_audits", 640, "Audit", ent_audits, DEMO_COUNT(ent_audits)},
	{"ent_assets", 1200, "Hall|Van|Pump|Bridge", ent_assets, DEMO_COUNT(ent_assets)},
	{"ent_channels", 160, "Desk|Hotline", ent_channels, DEMO_COUNT(ent_channels)},
	{"ent_policies", 240, "Policy", ent_policies, DEMO_COUNT(ent_policies)},
	{"sec_objectives", 156, "Greener Streets|Safer Nights", sec_objectives,
	 DEMO_COUNT(sec_objectives)},
	{"sec_performance_indicators", 320, "Index|Rate|Share", sec_performance_indicators,
	 DEMO_COUNT(sec_performance_indicators)},
	{"sec_citizen_districts", 96, "District", sec_citizen_districts,
	 DEMO_COUNT(sec_citizen_districts)},
	{"sec_business_partners", 320, "Trading|Foundation|Holding", sec_business_partners,
	 DEMO_COUNT(sec_business_partners)},
	{"sec_transactions", 8000, "Payment", sec_transactions, DEMO_COUNT(sec_transactions)},
	{"sec_admin_records", 3200, "Record", sec_admin_records, DEMO_COUNT(sec_admin_records)},
	{"sec_data_records", 2400, "Load", sec_data_records, DEMO_COUNT(sec_data_records)},
	{"sec_surveys", 480, "Survey", sec_surveys, DEMO_COUNT(sec_surveys)},
	{"sec_complaints", 4000, "Complaint", sec_complaints, DEMO_COUNT(sec_complaints)},
	{"sec_sector_plans", 80, "Plan", sec_sector_plans, DEMO_COUNT(sec_sector_plans)},
	{"sec_regulations", 160, "Ordinance", sec_regulations, DEMO_COUNT(sec_regulations)},
	{"sec_outcomes", 240, "Result", sec_outcomes, DEMO_COUNT(sec_outcomes)},
};
const size_t demo_city_table_count = DEMO_COUNT(demo_city_tables);

const struct city_link demo_city_links[] = {
	{"ent_projects", "ent_change_adoption", "project_id", "change_adoption_id", 3},
	{"ent_projects", "ent_risks", "project_id", "risk_id", 230},
	{"ent_projects", "ent_it_systems", "project_id", "it_system_id", 230},
	{"ent_projects", "ent_capabilities", "project_id", "capability_id", 230},
	{"ent_projects", "ent_org_units", "project_id", "org_unit_id", 230},
	{"ent_projects", "sec_objectives", "project_id", "objective_id", 230},
	{"ent_capabilities", "sec_objectives", "capability_id", "objective_id", 230},
	{"ent_capabilities", "ent_processes", "capability_id", "process_id", 230},
	{"ent_processes", "ent_it_systems", "process_id", "it_system_id", 230},
	{"ent_processes", "ent_services", "process_id", "service_id", 230},
	{"ent_it_systems", "ent_data_sets", "it_system_id", "data_set_id", 230},
	{"ent_it_systems", "ent_controls", "it_system_id", "control_id", 230},
	{"ent_it_systems", "ent_contracts", "it_system_id", "contract_id", 230},
	{"ent_controls", "ent_audits", "control_id", "audit_id", 230},
	{"ent_controls", "ent_policies", "control_id", "policy_id", 230},
	{"ent_controls", "ent_risks", "control_id", "risk_id", 230},
	{"ent_org_units", "ent_culture_health", "org_unit_id", "culture_health_id", 230},
	{"ent_positions", "ent_trainings", "position_id", "training_id", 230},
	{"ent_services", "ent_channels", "service_id", "channel_id", 230},
	{"ent_policies", "sec_regulations", "policy_id", "regulation_id", 230},
	{"sec_performance_indicators", "sec_objectives", "performance_indicator_id", "objective_id",
	 230},
	{"ent_programs", "sec_sector_plans", "program_id", "sector_plan_id", 230},
	{"sec_outcomes", "sec_objectives", "outcome_id", "objective_id", 230},
	{"ent_assets", "ent_incidents", "asset_id", "incident_id", 230},
};
const size_t demo_city_link_count = DEMO_COUNT(demo_city_links);
