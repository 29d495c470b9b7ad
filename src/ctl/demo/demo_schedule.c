/*
 * Milestones, tasks and the audit trail. All are derived from the changes: the date of a milestone
 * on a day is its latest plan, with later changes reverted.
 */
#include "demo_projects.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "vesper/limits.h"
#include "vesper/str.h"

/* Columns of the portfolio's snapshots; months relative to the COD. */
static const struct milestone {
	const char *name;
	int months;
	bool is_task; /* also a task */
} milestones[] = {
	{"Stage 1 Early Dev", -60, false},
	{"Stage 2 Mid Dev", -48, false},
	{"Stage 3 Late Dev", -34, false},
	{"Stage 4 Pre-Con & Finance", -22, false},
	{"Stage 5 Construction", -14, false},
	{"Stage 6 Operation", 0, false},
	{"Stage 7 Sale", 3, false},
	{"Stage 8 Closing", 6, false},
	{"Minimum Site Control", -50, true},
	{"Substantial Completion", -1, true},
	{"Mechanical Completion", -2, true},
	{"Project Finance", -16, true},
	{"EPC FNTP", -14, true},
	{"Execute Power Purchase Agreement", -30, true},
	{"Execute Interconnection Agreement", -26, true},
	{"Commercial Operation", 0, true},
	{"Decisioning Date", -20, true},
};
enum { MILESTONE_COUNT = DEMO_COUNT(milestones), COD = 15 };

static bool is_move(const struct demo_change *change, const struct demo_project *project,
		    const char *milestone)
{
	return change->task && strcmp(change->field, "FinishDate") == 0 &&
	       strcmp(change->project, project->name) == 0 && strcmp(change->task, milestone) == 0;
}

/* The last move of a milestone; NULL: it never moved. */
static const struct demo_change *last_move(const struct demo_portfolio *portfolio,
					   const struct demo_project *project,
					   const char *milestone)
{
	for (size_t i = 0; i < portfolio->change_count; i++) {
		if (is_move(&portfolio->changes[i], project, milestone))
			return &portfolio->changes[i];
	}
	return NULL;
}

/* The planned date at the end of `day`. */
static int milestone_on(const struct demo_portfolio *portfolio, const struct demo_project *project,
			size_t index, int day)
{
	const struct milestone *milestone = &milestones[index];
	/* From mechanical completion on, milestones move with the COD. */
	bool follows_cod = index != COD && milestone->months >= -2;
	int cod = follows_cod ? milestone_on(portfolio, project, COD, day)
			      : demo_day_parse(project->cod);
	int planned = demo_day_add_months(cod, milestone->months);
	const struct demo_change *last = last_move(portfolio, project, milestone->name);
	if (last)
		planned = demo_day_parse(last->after);
	for (size_t i = 0; i < portfolio->change_count; i++) { /* newest first, backwards in time */
		const struct demo_change *change = &portfolio->changes[i];
		if (demo_day_parse(change->day) <= day)
			break;
		if (is_move(change, project, milestone->name))
			planned = demo_day_parse(change->before);
	}
	return planned;
}

/* ---- the portfolio's snapshots ---- */

static const struct snapshot {
	const char *day;
	bool monthly; /* represents its month; the newest one is the current plan */
} snapshots[] = {
	{"2025-11-30", true},  {"2025-12-31", true},  {"2026-01-31", true},
	{"2026-02-13", false}, {"2026-02-20", false}, {DEMO_TODAY, true},
};

static const char *status_color(const char *status)
{
	static const char *const colors[][2] = {{"on_track", "green"},
						{"at_risk", "yellow"},
						{"off_track", "red"},
						{"on_hold", "blue"}};
	size_t i = 0;
	while (strcmp(colors[i][0], status) != 0) {
		i++;
		assert(i < DEMO_COUNT(colors));
	}
	return colors[i][1];
}

static const char *commercialization(const struct demo_project *project)
{
	if (project->buyer)
		return "Contracted";
	return project->stage >= 3 ? "Shortlisted" : "Uncontracted";
}

static bool write_snapshot(struct demo_insert *insert, const struct demo_portfolio *portfolio,
			   const struct demo_project *project, const struct snapshot *snapshot,
			   struct err *err)
{
	enum { BEFORE = 4, AFTER = 3 };
	int day = demo_day_parse(snapshot->day);
	struct demo_value row[BEFORE + MILESTONE_COUNT + AFTER] = {
		demo_text(project->name),
		demo_text(demo_stage_names[project->stage]),
		demo_text(status_color(demo_status_on(portfolio, project, day))),
		demo_text(commercialization(project)),
	};
	struct demo_date dates[MILESTONE_COUNT];
	for (size_t i = 0; i < MILESTONE_COUNT; i++) {
		dates[i] = demo_day_text(milestone_on(portfolio, project, i, day));
		row[BEFORE + i] = demo_text(dates[i].text);
	}
	int year = 0;
	sscanf(dates[COD].text, "%4d", &year);
	row[BEFORE + MILESTONE_COUNT] = demo_int(year);
	row[BEFORE + MILESTONE_COUNT + 1] = demo_int(snapshot->monthly);
	row[BEFORE + MILESTONE_COUNT + 2] = demo_text(snapshot->day);
	return demo_insert_row(insert, row, DEMO_COUNT(row), err);
}

static bool write_snapshots(struct demo_insert *insert, const struct demo_portfolio *portfolio,
			    const struct demo_project *project, struct err *err)
{
	if (project->archived == DEMO_ARCHIVED)
		return true;
	for (size_t i = 0; i < DEMO_COUNT(snapshots); i++) {
		if (!write_snapshot(insert, portfolio, project, &snapshots[i], err))
			return false;
	}
	return true;
}

/* ---- tasks ---- */

struct task {
	const char *name, *type;
	int finish; /* day number */
	const char *status, *risk, *notes;
};

static bool write_task(struct demo_insert *insert, const struct demo_project *project,
		       const struct task *task, struct err *err)
{
	struct demo_date finish = demo_day_text(task->finish);
	return demo_insert(insert, err, demo_text(project->name), demo_text(task->name),
			   demo_text(task->type), demo_text(finish.text), demo_text(task->status),
			   demo_text(task->risk), demo_text(task->notes));
}

static bool write_milestone_tasks(struct demo_insert *insert,
				  const struct demo_portfolio *portfolio,
				  const struct demo_project *project, struct err *err)
{
	int today = demo_day_parse(DEMO_TODAY);
	for (size_t i = 0; i < MILESTONE_COUNT; i++) {
		if (!milestones[i].is_task)
			continue;
		struct task task = {.name = milestones[i].name, .type = "Milestone"};
		task.finish = milestone_on(portfolio, project, i, today);
		const struct demo_change *move = last_move(portfolio, project, task.name);
		if (move) { /* a milestone that moved recently is not done, even if its date has
			       passed */
			bool confirmed = strcmp(move->before, move->after) == 0;
			task.status = task.finish <= today ? "Delayed" : "In Progress";
			task.risk = confirmed ? "Low" : task.finish <= today ? "High" : "Medium";
			task.notes = confirmed ? "Date re-confirmed" : "Date moved out";
		} else if (task.finish <= today) {
			task.status = "Completed";
		} else {
			task.status = "Not Started";
			task.risk = ""; /* assessed as none, unlike NULL (not assessed) */
		}
		if (!write_task(insert, project, &task, err))
			return false;
	}
	return true;
}

/* The work in each area, in months relative to the COD. */
static const struct {
	const char *name, *type;
	int months;
} work[DEMO_AREA_COUNT] = {
	[DEMO_SITE] = {"Title and survey", "Site", -52},
	[DEMO_PERMITS] = {"Land use permit", "Permitting", -24},
	[DEMO_INTERCONNECTION] = {"System impact study", "Interconnection", -28},
	[DEMO_ENGINEERING] = {"30% design package", "Engineering", -20},
	[DEMO_PROCUREMENT] = {"Main equipment supply agreement", "Procurement", -16},
	[DEMO_OFFTAKE] = {"Offtake term sheet", "Commercial", -32},
	[DEMO_FINANCING] = {"Lender due diligence", "Finance", -17},
	[DEMO_CONSTRUCTION] = {"Substation energization", "Construction", -3},
	[DEMO_SCHEDULE] = {"Schedule baseline review", "Controls", -13},
};

/* Individual tasks, which replace the usual work of their type. */
static const struct {
	const char *project, *name, *type, *finish, *status, *risk, *notes;
} individual_tasks[] = {
	{"Nazareth Solar", "Phase II interconnection study", "Interconnection", "2025-09-30",
	 "Delayed", "High", "Study delayed by the grid operator; on the critical path"},
	{"Nazareth Solar", "CEQA review", "Permitting", "2025-06-30", "In Progress", "Medium",
	 "CEQA review pending"},
	{"Nazareth Solar", "Panel supply pricing", "Procurement", "2025-08-31", "In Progress",
	 "Medium", "Panel pricing TBD"},
	{"Nazareth Solar", "Lender term sheet", "Finance", "2025-10-31", "Delayed", "High",
	 "Term sheet not yet received"},
	{"Nazareth Solar", "Gen-tie easements", "Site", "2026-03-31", "In Progress", "Low",
	 "Two of 14 still open"},
	{"Sierra Wind", "Airspace clearance", "Permitting", "2026-05-31", "Delayed", "High",
	 "Radar study requested"},
	{"Sierra Wind", "Avian mitigation plan", "Permitting", "2026-04-30", "In Progress",
	 "Medium", NULL},
	{"Mojave BESS", "EPC contract settlement", "Construction", "2026-03-20", "Delayed", "High",
	 "Mediation scheduled"},
	{"Mojave BESS", "Fire code inspection", "Construction", "2026-09-30", "Not Started",
	 "Medium", NULL},
	{"Pecos Ridge Wind", "Blade transport permits", "Procurement", "2026-06-30", "In Progress",
	 "Medium", NULL},
	{"Green River Solar", "Tax equity term sheet", "Finance", "2026-04-15", "In Progress",
	 "High", "Terms reopened by the investor"},
	{"Acme Mesa Solar", "Acme tortoise survey", "Permitting", "2026-04-10", "Delayed", "High",
	 "Acme: repeat in spring"},
	{"Acme Ridge Wind", "Acme crane replacement", "Construction", "2026-03-25", "In Progress",
	 "High", "Acme: second crane on its way"},
};

static bool has_individual_task(const struct demo_project *project, const char *type)
{
	for (size_t i = 0; i < DEMO_COUNT(individual_tasks); i++) {
		if (strcmp(individual_tasks[i].project, project->name) == 0 &&
		    strcmp(individual_tasks[i].type, type) == 0)
			return true;
	}
	return false;
}

static bool write_work_tasks(struct demo_insert *insert, const struct demo_project *project,
			     struct err *err)
{
	static const char *const risks[] = {
		[DEMO_ON_TRACK] = "Low",
		[DEMO_AT_RISK] = "Medium",
		[DEMO_OFF_TRACK] = "High",
		[DEMO_ON_HOLD] = "Medium",
	};
	int today = demo_day_parse(DEMO_TODAY);
	for (enum demo_area area = 0; area < DEMO_AREA_COUNT; area++) {
		if (has_individual_task(project, work[area].type))
			continue;
		struct task task = {.name = work[area].name, .type = work[area].type};
		task.finish = demo_day_add_months(demo_day_parse(project->cod), work[area].months);
		if (area == project->problem_area && project->stage < 6) {
			task.risk = risks[project->status];
			task.notes = project->summary;
			task.status = project->status == DEMO_ON_HOLD    ? "On Hold"
				      : project->status == DEMO_ON_TRACK ? "In Progress"
									 : "Delayed";
		} else {
			task.status = task.finish <= today ? "Completed" : "Not Started";
		}
		if (!write_task(insert, project, &task, err))
			return false;
	}
	return true;
}

static bool write_individual_tasks(struct demo_insert *insert, const struct demo_project *project,
				   struct err *err)
{
	for (size_t i = 0; i < DEMO_COUNT(individual_tasks); i++) {
		if (strcmp(individual_tasks[i].project, project->name) != 0)
			continue;
		struct task task = {individual_tasks[i].name,
				    individual_tasks[i].type,
				    demo_day_parse(individual_tasks[i].finish),
				    individual_tasks[i].status,
				    individual_tasks[i].risk,
				    individual_tasks[i].notes};
		if (!write_task(insert, project, &task, err))
			return false;
	}
	return true;
}

/* ---- the audit trail ---- */

static bool write_changes(struct demo_insert *insert, const struct demo_portfolio *portfolio,
			  struct err *err)
{
	for (size_t i = portfolio->change_count; i-- > 0;) {
		const struct demo_change *change = &portfolio->changes[i];
		if (!demo_insert(insert, err, demo_text(change->day), demo_text(change->project),
				 demo_text(change->task), demo_text(change->field),
				 demo_text(change->before), demo_text(change->after)))
			return false;
	}
	return true;
}

/* Milestones are columns of this table. */
static bool open_snapshots(struct demo_insert *insert, const struct demo_db *db, struct err *err)
{
	struct buf target;
	buf_init(&target, SQL_FILE_BYTES_MAX);
	buf_str(&target, "activeportfolio_mm (\"Project Name\", \"Current Project Stage\", "
			 "\"Project Status Color\", \"CommercializationStatus\", ");
	for (size_t i = 0; i < MILESTONE_COUNT; i++)
		buf_printf(&target, "\"%s\", ", milestones[i].name);
	buf_str(&target, "\"COD Year\", monthlysnapshot, asofday)");
	bool done = demo_insert_open(insert, db, buf_text(&target), err);
	buf_deinit(&target);
	return done;
}

bool demo_schedule_write(const struct demo_db *db, struct err *err)
{
	const struct demo_portfolio *portfolio = &demo_portfolios[db->tenant];
	struct demo_insert plan = {0}, task = {0}, change = {0};
	bool done =
		open_snapshots(&plan, db, err) &&
		demo_insert_open(
			&task, db,
			"per_tasks (projectname, taskname, task_type, finishdate, status, risk, "
			"notesforper)",
			err) &&
		demo_insert_open(&change, db,
				 "changes (dateofchange, projectname, taskname, fieldchanged, "
				 "previousvalue, newvalue)",
				 err) &&
		write_changes(&change, portfolio, err);
	for (size_t i = 0; done && i < portfolio->project_count; i++) {
		const struct demo_project *project = &portfolio->projects[i];
		done = write_snapshots(&plan, portfolio, project, err) &&
		       write_milestone_tasks(&task, portfolio, project, err) &&
		       write_work_tasks(&task, project, err) &&
		       write_individual_tasks(&task, project, err);
	}
	done = demo_insert_close(&plan, done, err);
	done = demo_insert_close(&task, done, err);
	return demo_insert_close(&change, done, err);
}
