/*
 * Views of Power BI reports by user. Weights differ enough for rankings without ties, and the data
 * shows the working week, the turn of the year and slow growth.
 */
#include "demo_int.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { REPORT_COUNT = 8, USERS_MAX = 25 };

/* Weights per 1,000 events. Names and workspaces are those of the report catalogue. */
static const struct report {
	const char *name, *workspace;
	unsigned weight;
} reports[REPORT_COUNT] = {
	{"Day-Ahead Curves Dashboard", "Market Curves", 290},
	{"Project Overview", "Project Execution", 205},
	{"Portfolio View", "Project Execution", 150},
	{"Project Health Report", "Project Execution", 115},
	{"Hourly Price Curves", "Market Curves", 90},
	{"Budget Tracker", "Project Execution", 70},
	{"Hub-Zone Price Comparison", "Market Curves", 50},
	{"Power BI Usage Dashboard", "Operations", 30},
};

static const struct audience {
	const char *users[USERS_MAX];
	const char *domain;
	const char *workspace_prefix; /* identifies the tenant's workspaces */
	unsigned events_per_day;      /* on a working day */
} audiences[DEMO_TENANT_COUNT] = {
	[DEMO_VESPER] =
		{
			.users = {"maria.lopez",   "james.carter",   "wei.zhang",   "priya.nair",
				  "tom.becker",    "sofia.rossi",    "daniel.kim",  "amara.okafor",
				  "lucas.meyer",   "hannah.schmidt", "omar.haddad", "julia.novak",
				  "ethan.wright",  "chloe.martin",   "ivan.petrov", "nina.berg",
				  "carlos.mendez", "grace.lee",      "ben.fischer", "aisha.khan",
				  "peter.olsen",   "laura.conti",    "sam.taylor",  "yuki.tanaka",
				  "eva.horvat"},
			.domain = "vesper.example",
			.workspace_prefix = "",
			.events_per_day = 70,
		},
	[DEMO_ACME] =
		{
			.users = {"rosa.delgado", "walt.cooper", "dana.brooks", "felix.stone",
				  "iris.vale", "jack.marsh", "kate.field", "leo.forest",
				  "mona.rivers"},
			.domain = "acme.example",
			.workspace_prefix = "Acme ",
			.events_per_day = 22,
		},
};

static const struct activity {
	const char *type;
	unsigned weight;
} activities[] = {
	{"ViewReport", 880}, {"ExportReport", 65}, {"PrintReport", 35}, {"ShareReport", 20}};
enum { ACTIVITY_COUNT = DEMO_COUNT(activities) };

static const char first_day[] = "2025-10-01";
static const char holidays_begin[] = "2025-12-24", holidays_end[] = "2026-01-02";

static size_t user_count(const struct audience *audience)
{
	size_t n = 0;
	while (n < USERS_MAX && audience->users[n])
		n++;
	return n;
}

/* Each user is about a quarter more active than the next. */
static unsigned user_weight(size_t rank)
{
	unsigned weight = 1000;
	for (size_t i = 0; i < rank; i++)
		weight = weight * 4 / 5;
	return weight + 15;
}

static size_t pick_user(struct demo_random *random, size_t count)
{
	unsigned total = 0;
	for (size_t i = 0; i < count; i++)
		total += user_weight(i);
	unsigned at = demo_random_below(random, total);
	size_t user = 0;
	while (at >= user_weight(user))
		at -= user_weight(user++);
	assert(user < count);
	return user;
}

static size_t pick_report(struct demo_random *random)
{
	unsigned at = demo_random_below(random, 1000);
	size_t report = 0;
	while (at >= reports[report].weight)
		at -= reports[report++].weight;
	assert(report < REPORT_COUNT);
	return report;
}

static const char *pick_activity(struct demo_random *random)
{
	unsigned at = demo_random_below(random, 1000);
	size_t activity = 0;
	while (at >= activities[activity].weight)
		at -= activities[activity++].weight;
	assert(activity < ACTIVITY_COUNT);
	return activities[activity].type;
}

static unsigned events_of(const struct audience *audience, struct demo_random *random, int day)
{
	int weekday = demo_day_weekday(day);
	unsigned events = audience->events_per_day;
	events += (unsigned)(day - demo_day_parse(first_day)) * events / 600;
	if (weekday == 0 || weekday == 6)
		events /= 14;
	else if (day >= demo_day_parse(holidays_begin) && day <= demo_day_parse(holidays_end))
		events /= 5;
	return events + demo_random_below(random, 2 + events / 6);
}

/* A report has a different id for each tenant, in Power BI's format. */
static void report_id(char out[37], const struct demo_db *db, const char *name)
{
	uint64_t high = demo_hash(demo_hash(1, db->tenant_id), name);
	uint64_t low = demo_hash(high, name);
	char text[48];
	snprintf(text, sizeof(text), "%08x-%04x-4%03x-a%03x-%012llx", (unsigned)(high >> 32),
		 (unsigned)(high >> 16 & 0xffff), (unsigned)(high & 0xfff),
		 (unsigned)(low >> 48 & 0xfff), (unsigned long long)(low & 0xffffffffffffu));
	memcpy(out, text, 36);
	out[36] = '\0';
}

static bool write_event(const struct demo_db *db, struct demo_insert *insert,
			struct demo_random *random, int day, unsigned number, struct err *err)
{
	const struct audience *audience = &audiences[db->tenant];
	const struct report *report = &reports[pick_report(random)];
	const char *user = audience->users[pick_user(random, user_count(audience))];
	struct demo_date date = demo_day_text(day);
	unsigned second = 7 * 3600 + demo_random_below(random, 12 * 3600);

	char id[37], workspace[64], email[64], created[32], source[48];
	report_id(id, db, report->name);
	snprintf(workspace, sizeof(workspace), "%s%s", audience->workspace_prefix,
		 report->workspace);
	snprintf(email, sizeof(email), "%s@%s", user, audience->domain);
	snprintf(created, sizeof(created), "%s %02u:%02u:%02u", date.text, second / 3600,
		 second / 60 % 60, second % 60);
	snprintf(source, sizeof(source), "%s-%06u", db->tenant_id, number);
	return demo_insert(insert, err, demo_text(id), demo_text(report->name),
			   demo_text(workspace), demo_text(email), demo_text(pick_activity(random)),
			   demo_text(date.text), demo_text(created), demo_text(source));
}

static bool write_events(const struct demo_db *db, struct demo_insert *insert, struct err *err)
{
	struct demo_random random = {demo_hash(2, db->tenant_id)};
	unsigned number = 0;
	for (int day = demo_day_parse(first_day); day <= demo_day_parse(DEMO_TODAY); day++) {
		for (unsigned n = events_of(&audiences[db->tenant], &random, day); n > 0; n--) {
			if (!write_event(db, insert, &random, day, ++number, err))
				return false;
		}
	}
	return true;
}

bool demo_usage_write(const struct demo_db *db, struct err *err)
{
	struct demo_insert insert = {0};
	bool done =
		demo_insert_open(&insert, db,
				 "pbi_activity_events (report_id, report_name, workspace_name, "
				 "user_email, activity_type, activity_date, created_at, source_id)",
				 err) &&
		write_events(db, &insert, err);
	return demo_insert_close(&insert, done, err);
}
