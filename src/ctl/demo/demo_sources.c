/* The demo's sources other than its warehouse: tenants, tables and writers. */
#include <string.h>

#include "demo_city.h"
#include "demo_data.h"
#include "demo_solar.h"

static const char *const plant_tables[] = {"measurements", "error_codes", "loggers", NULL};

static const char *const city_tables[] = {"jt_ent_projects_ent_change_adoption_join",
					  "jt_ent_projects_ent_risks_join",
					  "jt_ent_projects_ent_it_systems_join",
					  "jt_ent_projects_ent_capabilities_join",
					  "jt_ent_projects_ent_org_units_join",
					  "jt_ent_projects_sec_objectives_join",
					  "jt_ent_capabilities_sec_objectives_join",
					  "jt_ent_capabilities_ent_processes_join",
					  "jt_ent_processes_ent_it_systems_join",
					  "jt_ent_processes_ent_services_join",
					  "jt_ent_it_systems_ent_data_sets_join",
					  "jt_ent_it_systems_ent_controls_join",
					  "jt_ent_it_systems_ent_contracts_join",
					  "jt_ent_controls_ent_audits_join",
					  "jt_ent_controls_ent_policies_join",
					  "jt_ent_controls_ent_risks_join",
					  "jt_ent_org_units_ent_culture_health_join",
					  "jt_ent_positions_ent_trainings_join",
					  "jt_ent_services_ent_channels_join",
					  "jt_ent_policies_sec_regulations_join",
					  "jt_sec_performance_indicators_sec_objectives_join",
					  "jt_ent_programs_sec_sector_plans_join",
					  "jt_sec_outcomes_sec_objectives_join",
					  "jt_ent_assets_ent_incidents_join",
					  "ent_projects",
					  "ent_programs",
					  "ent_change_adoption",
					  "ent_risks",
					  "ent_it_systems",
					  "ent_vendors",
					  "ent_contracts",
					  "ent_processes",
					  "ent_capabilities",
					  "ent_org_units",
					  "ent_positions",
					  "ent_culture_health",
					  "ent_budgets",
					  "ent_milestones",
					  "ent_services",
					  "ent_data_sets",
					  "ent_controls",
					  "ent_incidents",
					  "ent_suppliers_sites",
					  "ent_trainings",
					  "ent_audits",
					  "ent_assets",
					  "ent_channels",
					  "ent_policies",
					  "sec_objectives",
					  "sec_performance_indicators",
					  "sec_citizen_districts",
					  "sec_business_partners",
					  "sec_transactions",
					  "sec_admin_records",
					  "sec_data_records",
					  "sec_surveys",
					  "sec_complaints",
					  "sec_sector_plans",
					  "sec_regulations",
					  "sec_outcomes",
					  NULL};

static const struct demo_source sources[] = {
	{
		.name = "solar",
		.files = (const char *const[]){"mesa", "acme", NULL},
		.tenants = (const char *const[]){"mesa", "acme", NULL},
		.tables = plant_tables,
		.largest_table = "measurements",
		.write = demo_plant_write,
	},
	{
		.name = "city",
		.files = (const char *const[]){"noor", NULL},
		.tenants = (const char *const[]){"noor", "acme", NULL},
		.tables = city_tables,
		.largest_table = "sec_transactions",
		.write = demo_city_write,
	},
};

const struct demo_source *demo_source_find(const char *name)
{
	for (size_t i = 0; i < DEMO_COUNT(sources); i++)
		if (strcmp(sources[i].name, name) == 0)
			return &sources[i];
	return NULL;
}

bool demo_data_has_source(const char *source)
{
	return demo_source_find(source) != NULL;
}
