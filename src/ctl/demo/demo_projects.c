/*
 * Current state of the projects: the overview, the nine health areas, and the budget lines, current
 * and archived.
 */
#include "demo_projects.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { UNITS_PER_DOLLAR = 10000, UNITS_PER_CENT = 100 };

struct demo_project_key demo_project_key(const struct demo_portfolio *portfolio, size_t number)
{
	struct demo_project_key key;
	snprintf(key.gid, sizeof(key.gid), "%s%04zu", portfolio->gid_prefix, number + 1);
	snprintf(key.project_id, sizeof(key.project_id), "%s%03zu", portfolio->id_prefix,
		 number + 1);
	return key;
}

const char *demo_status_on(const struct demo_portfolio *portfolio,
			   const struct demo_project *project, int day)
{
	const char *status = demo_status_names[project->status];
	for (size_t i = 0; i < portfolio->change_count; i++) { /* newest first, backwards in time */
		const struct demo_change *change = &portfolio->changes[i];
		if (demo_day_parse(change->day) <= day)
			break;
		if (strcmp(change->field, "ProjectStatus") == 0 &&
		    strcmp(change->project, project->name) == 0)
			status = change->before;
	}
	return status;
}

static struct demo_value dollars(int amount)
{
	return demo_decimal((int64_t)amount * UNITS_PER_DOLLAR);
}

/* ---- the overview ---- */

static bool write_project(struct demo_insert *insert, const struct demo_project *project,
			  const struct demo_project_key *key, struct err *err)
{
	bool sold = project->buyer != NULL;
	struct demo_value archived = project->archived == DEMO_ACTIVE_UNMARKED
					     ? demo_null()
					     : demo_int(project->archived == DEMO_ARCHIVED);
	struct demo_date revised =
		demo_day_text(demo_day_add_months(demo_day_parse(project->cod), -30));
	return demo_insert(
		insert, err, demo_text(key->gid), demo_text(key->project_id),
		demo_text(project->name), demo_text(demo_stage_names[project->stage]),
		demo_text(project->technology), demo_text(project->market),
		demo_text(project->location), demo_text(project->spa), demo_text(project->sponsor),
		dollars(project->gen_mw), dollars(project->store_mw), demo_text(project->utility),
		demo_text(demo_status_names[project->status]), demo_text(project->summary),
		dollars(project->actuals), dollars(project->budget), dollars(project->forecast),
		dollars(project->ic_lc), dollars(project->ppa_lc), demo_text(project->buyer),
		sold ? demo_int(project->tenor_years) : demo_null(), demo_text(project->products),
		sold ? demo_decimal((int64_t)project->price_cents * UNITS_PER_CENT) : demo_null(),
		demo_text(sold ? revised.text : NULL), archived);
}

/* ---- health ---- */

struct health {
	const char *color; /* NULL: not applicable */
	int percent;       /* -1: not measured */
	const char *due;   /* NULL: none */
	const char *notes;
};

static const struct {
	const char *section, *name;
} areas[DEMO_AREA_COUNT] = {
	[DEMO_SITE] = {"Site", "Site Control"},
	[DEMO_PERMITS] = {"Permits", "Permits"},
	[DEMO_INTERCONNECTION] = {"Interconnection", "Interconnection"},
	[DEMO_ENGINEERING] = {"Engineering", "Engineering"},
	[DEMO_PROCUREMENT] = {"Procurement", "Procurement"},
	[DEMO_OFFTAKE] = {"Offtake", "Offtake"},
	[DEMO_FINANCING] = {"Financing", "Financing"},
	[DEMO_CONSTRUCTION] = {"Construction", "Construction"},
	[DEMO_SCHEDULE] = {"Schedule", "Schedule"},
};

static const struct health nazareth_health[DEMO_AREA_COUNT] = {
	[DEMO_SITE] = {"green", 100, NULL, "Site secured"},
	[DEMO_PERMITS] = {"yellow", 65, "2025-06-30", "CEQA review pending"},
	[DEMO_INTERCONNECTION] = {"red", 40, "2025-09-30", "Phase II study delayed"},
	[DEMO_ENGINEERING] = {"green", 80, NULL, NULL},
	[DEMO_PROCUREMENT] = {"yellow", 30, "2025-08-31", "Panel pricing TBD"},
	[DEMO_OFFTAKE] = {"green", 100, NULL, "PPA executed"},
	[DEMO_FINANCING] = {"red", 20, "2025-10-31", "Term sheet not yet received"},
	[DEMO_CONSTRUCTION] = {NULL, 0, NULL, "Not started"},
	[DEMO_SCHEDULE] = {"yellow", -1, NULL, "COD at risk by ~3 months"},
};

/* Percent complete by stage. The schedule is never measured. */
static const int area_progress[DEMO_AREA_COUNT][7] = {
	[DEMO_SITE] = {0, 25, 70, 100, 100, 100, 100},
	[DEMO_PERMITS] = {0, 0, 30, 65, 90, 100, 100},
	[DEMO_INTERCONNECTION] = {0, 10, 35, 60, 85, 100, 100},
	[DEMO_ENGINEERING] = {0, 0, 15, 40, 75, 95, 100},
	[DEMO_PROCUREMENT] = {0, 0, 0, 20, 60, 95, 100},
	[DEMO_OFFTAKE] = {0, 0, 10, 45, 100, 100, 100},
	[DEMO_FINANCING] = {0, 0, 0, 15, 50, 100, 100},
	[DEMO_CONSTRUCTION] = {0, 0, 0, 0, 0, 55, 100},
	[DEMO_SCHEDULE] = {-1, -1, -1, -1, -1, -1, -1},
};

static struct health health_of(const struct demo_project *project, enum demo_area area,
			       struct demo_date *due)
{
	static const char *const colors[] = {
		[DEMO_ON_TRACK] = "green",
		[DEMO_AT_RISK] = "yellow",
		[DEMO_OFF_TRACK] = "red",
		[DEMO_ON_HOLD] = "blue",
	};
	struct health health = {.percent = area_progress[area][project->stage]};
	if (area == project->problem_area && project->status != DEMO_ON_TRACK) {
		health.color = colors[project->status];
		health.notes = project->summary;
	} else if (health.percent == 0) {
		health.notes = "Not started";
	} else if (health.percent == 100) {
		health.color = "green";
		health.notes = "Complete";
	} else if (project->status == DEMO_ON_HOLD) {
		health.color = "blue";
		health.notes = "Paused";
	} else if (project->status == DEMO_OFF_TRACK && area == DEMO_SCHEDULE) {
		health.color = "yellow";
		health.notes = "COD under review";
	} else {
		health.color = "green";
	}
	if (health.percent > 0 && health.percent < 100 && project->status != DEMO_ON_HOLD) {
		*due = demo_day_text(
			demo_day_add_months(demo_day_parse(project->cod), -20 + 2 * (int)area));
		health.due = due->text;
	}
	return health;
}

static bool write_health(struct demo_insert *insert, const struct demo_project *project,
			 const struct demo_project_key *key, struct err *err)
{
	bool is_nazareth = strcmp(project->name, "Nazareth Solar") == 0;
	for (enum demo_area area = 0; area < DEMO_AREA_COUNT; area++) {
		struct demo_date due;
		struct health health =
			is_nazareth ? nazareth_health[area] : health_of(project, area, &due);
		if (!demo_insert(insert, err, demo_text(key->gid), demo_text(areas[area].section),
				 demo_text(areas[area].name), demo_text(health.color),
				 demo_text(health.notes), demo_text(health.due),
				 health.percent < 0 ? demo_null() : demo_int(health.percent),
				 demo_int(area + 1)))
			return false;
	}
	return true;
}

/* ---- budget lines ---- */

/* The amounts of a month, per mille of the current ones. */
static const struct budget_month {
	const char *month; /* NULL: current */
	int budget_permille, actuals_permille;
} budget_months[] = {{NULL, 1000, 1000}, {"2026-01", 980, 960}, {"2025-12", 980, 915}};

/* Split of the capital budget in percent; the lines add up to the project's totals. */
static const struct {
	const char *subgrouping;
	int percent;
} budget_parts[] = {{"Development", 55}, {"Interconnection", 30}, {"Permitting", 15}};

struct line {
	const char *group, *subgrouping, *metric;
	struct demo_value number, date;
};

static bool write_line(struct demo_insert *insert, const char *project_id, const char *month,
		       const struct line *line, struct err *err)
{
	return demo_insert(insert, err, demo_text(project_id), demo_text(line->group),
			   demo_text(line->subgrouping), demo_text(line->metric), line->number,
			   line->date, demo_text(month));
}

static bool write_capital(struct demo_insert *insert, const struct demo_project *project,
			  const char *project_id, const struct budget_month *month, struct err *err)
{
	const int64_t unit = UNITS_PER_DOLLAR / 100; /* per percent */
	for (size_t i = 0; i < DEMO_COUNT(budget_parts); i++) {
		int64_t percent = budget_parts[i].percent;
		const struct {
			const char *metric;
			int amount, permille;
		} metrics[] = {
			{"Budget", project->budget, month->budget_permille},
			{"Actuals LTD", project->actuals, month->actuals_permille},
			{"Forecast", project->forecast, month->budget_permille},
		};
		for (size_t m = 0; m < DEMO_COUNT(metrics); m++) {
			int64_t amount = (int64_t)metrics[m].amount * metrics[m].permille / 1000;
			struct line line = {"Capital Budget", budget_parts[i].subgrouping,
					    metrics[m].metric,
					    demo_decimal(amount * percent * unit), demo_null()};
			if (!write_line(insert, project_id, month->month, &line, err))
				return false;
		}
	}
	return true;
}

static bool write_other_lines(struct demo_insert *insert, const struct demo_project *project,
			      const char *project_id, const struct budget_month *month,
			      struct err *err)
{
	int cod = demo_day_parse(project->cod);
	struct demo_date cod_text = demo_day_text(cod);
	struct demo_date decision = demo_day_text(demo_day_add_months(cod, -20));
	struct demo_random random = {demo_hash(3, project->name)};
	int64_t irr = 72000 + 100 * demo_random_around(&random, 150); /* percent, 4 decimals */
	int64_t npv = (int64_t)project->budget * 3 + 1000 * demo_random_around(&random, 400);
	int exposure = (int)((int64_t)project->actuals * month->actuals_permille / 1000) +
		       project->ic_lc + project->ppa_lc;
	const struct line lines[] = {
		{"Capital At Risk", "Security", "IC_LC", dollars(project->ic_lc), demo_null()},
		{"Capital At Risk", "Security", "PPA_LC", dollars(project->ppa_lc), demo_null()},
		{"Capital At Risk", "Total", "Capital At Risk", dollars(exposure), demo_null()},
		{"Project Return", "Returns", "Unlevered IRR (%)", demo_decimal(irr), demo_null()},
		{"Project Return", "Returns", "NPV", demo_decimal(npv * UNITS_PER_DOLLAR),
		 demo_null()},
		{"Schedule", "Milestones", "Commercial Operation", demo_null(),
		 demo_text(cod_text.text)},
		{"Schedule", "Milestones", "Decisioning Date", demo_null(),
		 demo_text(decision.text)},
	};
	for (size_t i = 0; i < DEMO_COUNT(lines); i++) {
		if (!write_line(insert, project_id, month->month, &lines[i], err))
			return false;
	}
	return true;
}

static bool write_budget(struct demo_insert *insert, const struct demo_project *project,
			 const struct demo_project_key *key, struct err *err)
{
	for (size_t i = 0; i < DEMO_COUNT(budget_months); i++) {
		if (!write_capital(insert, project, key->project_id, &budget_months[i], err) ||
		    !write_other_lines(insert, project, key->project_id, &budget_months[i], err))
			return false;
	}
	return true;
}

bool demo_projects_write(const struct demo_db *db, struct err *err)
{
	const struct demo_portfolio *portfolio = &demo_portfolios[db->tenant];
	struct demo_insert project = {0}, health = {0}, budget = {0};
	bool done =
		demo_insert_open(
			&project, db,
			"per_project (gid, project_id, name, currentprojectstage, technology, "
			"market, location, spa, sponsor, gencap, storecap, utility, Status_Type, "
			"summary, Actuals_LTD, Total_Operating_Budget, Total_Operating_Forecast, "
			"IC_LC, PPA_LC, buyer, tenor, products, price, revision_date, is_archived)",
			err) &&
		demo_insert_open(
			&health, db,
			"per_projecthealth (project_gid, section, name, healthcolor, notes, "
			"due_on, pctcomplete, sort)",
			err) &&
		demo_insert_open(&budget, db,
				 "per_project45 (project_id, \"group\", subgrouping, metric, "
				 "value_numbers, value_dates, MonthFromFileName)",
				 err);
	for (size_t i = 0; done && i < portfolio->project_count; i++) {
		struct demo_project_key key = demo_project_key(portfolio, i);
		done = write_project(&project, &portfolio->projects[i], &key, err);
	}
	done = demo_insert_close(&project, done, err); /* the following rows refer to them */
	for (size_t i = 0; done && i < portfolio->project_count; i++) {
		struct demo_project_key key = demo_project_key(portfolio, i);
		done = write_health(&health, &portfolio->projects[i], &key, err) &&
		       write_budget(&budget, &portfolio->projects[i], &key, err);
	}
	done = demo_insert_close(&health, done, err);
	return demo_insert_close(&budget, done, err);
}
