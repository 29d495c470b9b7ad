/*
 * A map for tests of the gate: a city's projects and related entities, in the grammar of
 * vesper/schema.h. Keys are (id, year). A join table has two edges; there are 24 edges in total.
 */
#ifndef FAKES_GATE_MAP_H
#define FAKES_GATE_MAP_H

#include "vesper/gate.h"

#define GATE_MAP_VIEW(view, ...)                                                                   \
	{                                                                                          \
		.name = "city." view,                                                              \
		.columns = (const char *const[]){__VA_ARGS__, "tenant_id", NULL},                  \
		.tenant_column = "tenant_id",                                                      \
	}

static const struct gate_view gate_map_views[] = {
	GATE_MAP_VIEW("ent_projects", "id", "year", "name", "status", "program_id", "unit_id",
		      "start_date", "budget"),
	GATE_MAP_VIEW("ent_programs", "id", "year", "name", "status"),
	GATE_MAP_VIEW("ent_risks", "id", "year", "name", "category", "score"),
	GATE_MAP_VIEW("ent_change_adoption", "id", "year", "name", "status"),
	GATE_MAP_VIEW("ent_it_systems", "id", "year", "name", "level", "parent_id", "vendor_id"),
	GATE_MAP_VIEW("ent_vendors", "id", "year", "name", "market"),
	GATE_MAP_VIEW("ent_contracts", "id", "year", "name", "vendor_id", "amount"),
	GATE_MAP_VIEW("ent_milestones", "id", "year", "name", "project_id", "due_date"),
	GATE_MAP_VIEW("ent_budgets", "id", "year", "project_id", "budget", "spent"),
	GATE_MAP_VIEW("ent_org_units", "id", "year", "name", "parent_id"),
	GATE_MAP_VIEW("ent_incidents", "id", "year", "name", "system_id", "severity"),
	GATE_MAP_VIEW("ent_processes", "id", "year", "name"),
	GATE_MAP_VIEW("sec_objectives", "id", "year", "name", "level"),
	GATE_MAP_VIEW("sec_complaints", "id", "year", "name", "district_id"),
	GATE_MAP_VIEW("sec_citizen_districts", "id", "year", "name", "\"Full Name\""),
	GATE_MAP_VIEW("sec_surveys", "survey_no", "district_id", "year", "score"),
	GATE_MAP_VIEW("jt_projects_risks", "project_id", "risk_id", "year"),
	GATE_MAP_VIEW("jt_projects_change_adoption", "project_id", "change_adoption_id", "year"),
	GATE_MAP_VIEW("jt_projects_it_systems", "project_id", "it_system_id", "year"),
	GATE_MAP_VIEW("jt_projects_objectives", "project_id", "objective_id", "year"),
	GATE_MAP_VIEW("jt_processes_it_systems", "process_id", "it_system_id", "year"),
	GATE_MAP_VIEW("hourly", "zone", "day", "hour", "price", "file_key"),
	GATE_MAP_VIEW("files", "file_key", "zone", "vendor", "asof_date"),
};

#define GATE_MAP_EDGE(from, to, ...)                                                               \
	{                                                                                          \
		"city." from, "city." to, (const char *const[][2]){__VA_ARGS__},                   \
			sizeof((const char *const[][2]){__VA_ARGS__}) /                            \
				sizeof(const char *const[2])                                       \
	}

static const struct gate_edge gate_map_edges[] = {
	GATE_MAP_EDGE("ent_projects", "ent_programs", {"program_id", "id"}, {"year", "year"}),
	GATE_MAP_EDGE("ent_projects", "ent_org_units", {"unit_id", "id"}, {"year", "year"}),
	GATE_MAP_EDGE("ent_milestones", "ent_projects", {"project_id", "id"}, {"year", "year"}),
	GATE_MAP_EDGE("ent_budgets", "ent_projects", {"project_id", "id"}, {"year", "year"}),
	GATE_MAP_EDGE("ent_contracts", "ent_vendors", {"vendor_id", "id"}, {"year", "year"}),
	GATE_MAP_EDGE("ent_it_systems", "ent_vendors", {"vendor_id", "id"}, {"year", "year"}),
	GATE_MAP_EDGE("ent_it_systems", "ent_it_systems", {"parent_id", "id"}, {"year", "year"}),
	GATE_MAP_EDGE("ent_org_units", "ent_org_units", {"parent_id", "id"}, {"year", "year"}),
	GATE_MAP_EDGE("ent_incidents", "ent_it_systems", {"system_id", "id"}, {"year", "year"}),
	GATE_MAP_EDGE("sec_complaints", "sec_citizen_districts", {"district_id", "id"},
		      {"year", "year"}),
	GATE_MAP_EDGE("sec_surveys", "sec_citizen_districts", {"district_id", "id"},
		      {"year", "year"}),
	GATE_MAP_EDGE("jt_projects_risks", "ent_projects", {"project_id", "id"}, {"year", "year"}),
	GATE_MAP_EDGE("jt_projects_risks", "ent_risks", {"risk_id", "id"}, {"year", "year"}),
	GATE_MAP_EDGE("jt_projects_change_adoption", "ent_projects", {"project_id", "id"},
		      {"year", "year"}),
	GATE_MAP_EDGE("jt_projects_change_adoption", "ent_change_adoption",
		      {"change_adoption_id", "id"}, {"year", "year"}),
	GATE_MAP_EDGE("jt_projects_it_systems", "ent_projects", {"project_id", "id"},
		      {"year", "year"}),
	GATE_MAP_EDGE("jt_projects_it_systems", "ent_it_systems", {"it_system_id", "id"},
		      {"year", "year"}),
	GATE_MAP_EDGE("jt_projects_objectives", "ent_projects", {"project_id", "id"},
		      {"year", "year"}),
	GATE_MAP_EDGE("jt_projects_objectives", "sec_objectives", {"objective_id", "id"},
		      {"year", "year"}),
	GATE_MAP_EDGE("jt_processes_it_systems", "ent_processes", {"process_id", "id"},
		      {"year", "year"}),
	GATE_MAP_EDGE("jt_processes_it_systems", "ent_it_systems", {"it_system_id", "id"},
		      {"year", "year"}),
	GATE_MAP_EDGE("hourly", "files", {"file_key", "file_key"}, {"zone", "zone"}),
	GATE_MAP_EDGE("ent_risks", "ent_org_units", {"category", "name"}),
	GATE_MAP_EDGE("ent_budgets", "sec_surveys", {"id", "survey_no"}),
};

/* The policy of every installation with the views and edges of this map. */
static inline struct gate_policy gate_map_policy(struct arena *a)
{
	struct gate_policy policy = gate_policy_of((const char *const[]){NULL}, a);

	policy.views = gate_map_views;
	policy.view_count = sizeof(gate_map_views) / sizeof(*gate_map_views);
	policy.edges = gate_map_edges;
	policy.edge_count = sizeof(gate_map_edges) / sizeof(*gate_map_edges);
	return policy;
}

#endif
