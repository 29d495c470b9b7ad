/*
 * The demo projects as facts. The rows of all project tables are derived from these facts, so that
 * they are consistent. Milestone dates follow from the COD and the date changes, health and tasks
 * from status and problem area.
 */
#ifndef DEMO_PROJECTS_H
#define DEMO_PROJECTS_H

#include <stddef.h>

#include "demo_int.h"

enum demo_status { DEMO_ON_TRACK, DEMO_AT_RISK, DEMO_OFF_TRACK, DEMO_ON_HOLD };

enum demo_area {
	DEMO_SITE,
	DEMO_PERMITS,
	DEMO_INTERCONNECTION,
	DEMO_ENGINEERING,
	DEMO_PROCUREMENT,
	DEMO_OFFTAKE,
	DEMO_FINANCING,
	DEMO_CONSTRUCTION,
	DEMO_SCHEDULE,
	DEMO_AREA_COUNT,
};

enum demo_archived { DEMO_ACTIVE, DEMO_ACTIVE_UNMARKED /* the column is absent */, DEMO_ARCHIVED };

struct demo_project {
	const char *name;
	int stage; /* 1 .. 6 */
	const char *technology, *market, *location, *utility;
	int gen_mw, store_mw;
	enum demo_status status;
	enum demo_area problem_area; /* the area with problems, unless on track */
	const char *summary;
	const char *spa, *sponsor;
	int budget, actuals, forecast, ic_lc, ppa_lc; /* dollars */
	const char *cod;                              /* ISO; the latest plan */
	const char *buyer; /* NULL: no contract, and the next three members are unused */
	int tenor_years;
	const char *products;
	int price_cents; /* per MWh, or per kW-month for storage */
	enum demo_archived archived;
};

/* One changed field of a task, or of the project if `task` is NULL. FinishDate has ISO dates. */
struct demo_change {
	const char *day, *project, *task, *field, *before, *after;
};

struct demo_portfolio {
	const struct demo_project *projects;
	size_t project_count;
	const struct demo_change *changes; /* newest first */
	size_t change_count;
	const char *gid_prefix; /* 12 digits; followed by the project's number */
	const char *id_prefix;
};

extern const struct demo_portfolio demo_portfolios[DEMO_TENANT_COUNT];

/* The keys of a project, derived from its number in the portfolio. */
struct demo_project_key {
	char gid[32];
	char project_id[32];
};
struct demo_project_key demo_project_key(const struct demo_portfolio *portfolio, size_t number);

extern const char *const demo_stage_names[]; /* by stage, 1 .. 6 */
extern const char *const demo_status_names[];

/* The status of a project at the end of a day, derived from the later ProjectStatus changes. */
const char *demo_status_on(const struct demo_portfolio *portfolio,
			   const struct demo_project *project, int day);

#endif
