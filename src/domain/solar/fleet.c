/* The list of loggers, the fleet's current state, and error codes. A device is a logger that is
 * commissioned and not retired. It is online when its newest reading is at most `online_minutes`
 * old. A reading further ahead of the clock than that means that the logger's clock is wrong, so it
 * does not count. */
#include "solar_int.h"

#include <math.h>
#include <string.h>

#include "domain_int.h"
#include "vesper/limits.h"
#include "vesper/str.h"
#include "vesper/utf8.h"

#define MINUTE_MS INT64_C(60000)
#define HOUR_MS   (60 * MINUTE_MS)

static int64_t online_ms(const struct solar *s)
{
	return (int64_t)solar_factor(s, FACTOR_ONLINE_MINUTES) * MINUTE_MS;
}

static bool is_ahead(const struct solar *s, int64_t ms)
{
	return ms - s->now_ms > online_ms(s);
}

static bool is_online(const struct solar *s, const struct table *t, size_t row)
{
	int64_t seen;

	return solar_time(t, row, "last_seen", &seen) && s->now_ms - seen <= online_ms(s) &&
	       !is_ahead(s, seen);
}

/* ISO dates compare as text; a missing date is never past. */
static bool is_past(const struct solar *s, const struct table *t, size_t row, const char *column)
{
	const struct zone *z = solar_zone(s, table_cell(t, row, "timezone"));
	const char *day = table_cell(t, row, column);

	return day && strcmp(day, solar_iso(s->a, solar_local_day(z, s->now_ms))) <= 0;
}

/* ---- list_loggers ---- */

static const char *status_of(const struct solar *s, const struct table *t, size_t row)
{
	if (is_past(s, t, row, "retired_on"))
		return "retired";
	if (!is_past(s, t, row, "commissioned_on"))
		return "planned";
	return is_online(s, t, row) ? "online" : "offline";
}

void solar_list(struct result *r, struct arena *a)
{
	struct solar s = solar_begin(r, a);
	struct table *t = r->tables[0];
	const char **status = arena_alloc(a, t->row_count * sizeof(*status));
	size_t online = 0;

	for (size_t i = 0; i < t->row_count; i++) {
		status[i] = status_of(&s, t, i);
		online += strcmp(status[i], "online") == 0;
	}
	table_add_column(t, "status", COLUMN_TEXT, status);
	domain_add_count(r, a, "count", "Loggers", t->row_count);
	domain_add_count(r, a, "online", "Online", online);
}

/* ---- get_fleet_overview ---- */

struct fleet {
	size_t devices, online, ahead;
	struct calc_sum power, energy, capacity;
};

static const char *local_seen(const struct solar *s, const struct table *t, size_t row,
			      const struct zone *z)
{
	int64_t seen;

	return solar_time(t, row, "last_seen", &seen) ? solar_local(s->a, z, seen) : NULL;
}

/* NAN unless the counter is of today. */
static double energy_today(const struct solar *s, const struct table *t, size_t row,
			   const struct zone *z)
{
	const char *today = solar_iso(s->a, solar_local_day(z, s->now_ms));

	if (!domain_cell_is(t, row, "last_day", today))
		return (double)NAN;
	return solar_cell(t, row, "energy_kwh");
}

static void add_device(struct solar *s, const struct table *t, size_t row, struct fleet *f,
		       struct solar_rows *devices, struct solar_rows *offline)
{
	const struct zone *z = solar_zone(s, table_cell(t, row, "timezone"));
	bool online = is_online(s, t, row);
	double power = online ? solar_cell(t, row, "power_w") / 1000 : (double)NAN;
	double energy = energy_today(s, t, row, z);
	double capacity = solar_cell(t, row, "capacity_kw");
	const char *id = table_cell(t, row, "logger_id"), *name = table_cell(t, row, "name");
	const char *seen = local_seen(s, t, row, z);
	int64_t ms;

	f->ahead += solar_time(t, row, "last_seen", &ms) && is_ahead(s, ms);
	f->devices++;
	f->online += online;
	if (!isnan(power))
		calc_sum_add(&f->power, power);
	if (!isnan(energy))
		calc_sum_add(&f->energy, energy);
	if (!isnan(capacity))
		calc_sum_add(&f->capacity, capacity);
	solar_rows_add(devices, (const char *const[]){id, name, online ? "online" : "offline", seen,
						      solar_digits(s->a, power, 1),
						      solar_digits(s->a, energy, 1)});
	if (!online)
		solar_rows_add(offline, (const char *const[]){id, name, seen});
}

/* True for current alerts: above severity "info", and open or from the last 24 hours. */
static bool is_alert(const struct solar *s, const struct table *t, size_t row)
{
	const char *severity = table_cell(t, row, "severity");
	const char *open = table_cell(t, row, "open_code");
	int64_t last;

	if (!severity || strcmp(severity, "info") == 0)
		return false;
	if (open && domain_cell_is(t, row, "code", open))
		return true;
	return solar_time(t, row, "last_event", &last) && s->now_ms - last <= 24 * HOUR_MS &&
	       !is_ahead(s, last);
}

static void list_alerts(struct solar *s, struct table *t)
{
	struct solar_rows w;

	solar_rows_begin(&w, s->a);
	solar_rows_column(&w, "logger_id", COLUMN_TEXT);
	solar_rows_column(&w, "severity", COLUMN_TEXT);
	solar_rows_column(&w, "title", COLUMN_TEXT);
	solar_rows_column(&w, "since", COLUMN_DATETIME);
	for (size_t i = 0; i < t->row_count; i++) {
		const struct zone *z = solar_zone(s, table_cell(t, i, "timezone"));
		int64_t last;

		if (is_alert(s, t, i) && solar_time(t, i, "last_event", &last))
			solar_rows_add(&w, (const char *const[]){table_cell(t, i, "logger_id"),
								 table_cell(t, i, "severity"),
								 table_cell(t, i, "title"),
								 solar_local(s->a, z, last)});
	}
	domain_add_count(s->r, s->a, "alertCount", "Alerts", w.rows);
	solar_rows_end(&w, t);
}

static void begin_devices(struct solar *s, struct solar_rows *devices, struct solar_rows *offline)
{
	solar_rows_begin(devices, s->a);
	solar_rows_column(devices, "logger_id", COLUMN_TEXT);
	solar_rows_column(devices, "name", COLUMN_TEXT);
	solar_rows_column(devices, "status", COLUMN_TEXT);
	solar_rows_column(devices, "last_seen", COLUMN_DATETIME);
	solar_rows_column(devices, "power_kw", COLUMN_DECIMAL);
	solar_rows_column(devices, "energy_today", COLUMN_DECIMAL);
	solar_rows_begin(offline, s->a);
	solar_rows_column(offline, "logger_id", COLUMN_TEXT);
	solar_rows_column(offline, "name", COLUMN_TEXT);
	solar_rows_column(offline, "last_seen", COLUMN_DATETIME);
}

void solar_fleet(struct result *r, struct arena *a)
{
	struct solar s = solar_begin(r, a);
	struct table *t = r->tables[0];
	struct solar_rows devices, offline;
	struct fleet f = {0};

	begin_devices(&s, &devices, &offline);
	for (size_t i = 0; i < t->row_count; i++)
		if (is_past(&s, t, i, "commissioned_on") && !is_past(&s, t, i, "retired_on"))
			add_device(&s, t, i, &f, &devices, &offline);
	solar_rows_end(&devices, t);
	solar_rows_end(&offline, solar_table(&s, "offline"));
	list_alerts(&s, solar_table(&s, "alerts"));
	domain_add_count(r, a, "deviceCount", "Devices", f.devices);
	domain_add_count(r, a, "onlineCount", "Online", f.online);
	if (f.ahead > 0)
		solar_note(&s,
			   "The newest readings of %zu devices are dated in the future: their "
			   "clocks are wrong, and they do not count as online.",
			   f.ahead);
	if (f.devices == 0) {
		solar_note(&s, "No device is in operation.");
		return;
	}
	solar_add(&s, "totalPower", "Power now", calc_sum_total(&f.power), 1, "kW",
		  "sum of the newest readings of the devices that are online");
	solar_add(&s, "totalEnergy", "Energy today", calc_sum_total(&f.energy), 1, "kWh", NULL);
	solar_add(&s, "totalCapacity", "Capacity", calc_sum_total(&f.capacity), 1, "kW", NULL);
	solar_add(&s, "percentOnline", "Online", 100.0 * (double)f.online / (double)f.devices, 1,
		  "%", arena_printf(a, "%zu / %zu", f.online, f.devices));
}

/* ---- diagnose_error_codes ---- */

#define MERGE_MS (60 * MINUTE_MS)

/* Consecutive events with the same code of one logger. */
struct episode {
	size_t device; /* row of the main table */
	const char *code, *title, *severity, *meaning, *action;
	int64_t first, last;
	size_t events;
	bool open;
};

static const char *word(const struct frame *f, const char *column, size_t row)
{
	const struct frame_column *c = frame_column(f, column);

	return c && !frame_is_null(c, row) ? frame_text(c, row) : NULL;
}

static bool same_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

static size_t device_of(const struct table *devices, const char *id)
{
	size_t i = 0;

	while (i < devices->row_count && !same_text(table_cell(devices, i, "logger_id"), id))
		i++;
	return i;
}

static bool is_continuation(const struct episode *p, size_t device, const char *code, int64_t at)
{
	return p->device == device && same_text(p->code, code) && at - p->last <= MERGE_MS;
}

/* Merges events, which are sorted by logger, code and time. */
static size_t merge(const struct frame *f, const struct table *devices, struct episode *out)
{
	const struct frame_column *ts = frame_column(f, "ts");
	size_t n = 0;

	for (size_t i = 0; i < f->rows; i++) {
		const char *code = word(f, "code", i);
		size_t device = device_of(devices, word(f, "logger_id", i));
		int64_t at = ts->v.i[i];

		if (device == devices->row_count || !code)
			continue;
		if (n > 0 && is_continuation(&out[n - 1], device, code, at)) {
			out[n - 1].last = at;
			out[n - 1].events++;
			continue;
		}
		out[n++] = (struct episode){.device = device,
					    .code = code,
					    .title = word(f, "title", i),
					    .severity = word(f, "severity", i),
					    .meaning = word(f, "meaning", i),
					    .action = word(f, "action", i),
					    .first = at,
					    .last = at,
					    .events = 1};
	}
	return n;
}

/* True if the newest reading has the code, even if the logger has been silent since. */
static bool is_open(const struct table *devices, const struct episode *p)
{
	int64_t newest;

	return solar_time(devices, p->device, "last_seen", &newest) && p->last == newest;
}

static void add_episode(struct solar *s, struct solar_rows *w, const struct table *devices,
			const struct episode *p)
{
	const struct zone *z = solar_zone(s, table_cell(devices, p->device, "timezone"));
	double hours = (double)(p->last - p->first + QUARTER_MS) / (double)HOUR_MS;

	solar_rows_add(w, (const char *const[]){table_cell(devices, p->device, "logger_id"),
						p->code, p->title ? p->title : "Unknown code",
						p->severity ? p->severity : "warning",
						solar_local(s->a, z, p->first),
						solar_local(s->a, z, p->last),
						arena_printf(s->a, "%zu", p->events),
						solar_digits(s->a, hours, 2),
						p->open ? "yes" : "no", p->meaning, p->action});
}

static void add_silent(struct solar *s, struct solar_rows *w, const struct table *t, size_t row)
{
	const struct zone *z = solar_zone(s, table_cell(t, row, "timezone"));
	const char *seen = local_seen(s, t, row, z), *what;
	int64_t ms = 0;

	(void)solar_time(t, row, "last_seen", &ms);
	what = is_ahead(s, ms) ? "Clock in the future, at" : "No data since";
	solar_rows_add(w,
		       (const char *const[]){
			       table_cell(t, row, "logger_id"), "none",
			       seen ? arena_printf(s->a, "%s %.*s %.*s", what, STR_CUT(seen, 10),
						   STR_CUT(seen + 11, 5))
				    : "No data yet",
			       "warning", seen, seen, "0", NULL, "yes",
			       "The logger sends no data, and its last reading has no error code.",
			       "Check its power supply and its connection."});
}

static void begin_errors(struct solar *s, struct solar_rows *w)
{
	static const char *const texts[] = {"logger_id", "code", "title", "severity"};

	solar_rows_begin(w, s->a);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		solar_rows_column(w, texts[i], COLUMN_TEXT);
	solar_rows_column(w, "first", COLUMN_DATETIME);
	solar_rows_column(w, "last", COLUMN_DATETIME);
	solar_rows_column(w, "events", COLUMN_INT);
	solar_rows_column(w, "hours", COLUMN_DECIMAL);
	solar_rows_column(w, "open", COLUMN_TEXT);
	solar_rows_column(w, "meaning", COLUMN_TEXT);
	solar_rows_column(w, "action", COLUMN_TEXT);
}

/* True if the logger has an open error code. */
static bool has_open(const struct episode *episodes, size_t n, size_t device)
{
	for (size_t i = 0; i < n; i++)
		if (episodes[i].device == device && episodes[i].open)
			return true;
	return false;
}

void solar_errors(struct result *r, struct arena *a)
{
	struct solar s = solar_begin(r, a);
	const struct frame *f = result_frame(r, "events");
	struct table *t = r->tables[0];
	struct episode *episodes = arena_alloc(a, (f->rows + 1) * sizeof(*episodes));
	size_t n = merge(f, t, episodes), critical = 0, warning = 0, events = 0;
	struct solar_rows w;

	begin_errors(&s, &w);
	for (size_t i = 0; i < n; i++)
		episodes[i].open = is_open(t, &episodes[i]);
	for (int open = 1; open >= 0; open--) { /* open ones first */
		for (size_t i = 0; i < n; i++) {
			if (episodes[i].open != (open == 1))
				continue;
			events += episodes[i].events;
			critical += open && same_text(episodes[i].severity, "critical");
			warning += open && !same_text(episodes[i].severity, "critical") &&
				   !same_text(episodes[i].severity, "info");
			add_episode(&s, &w, t, &episodes[i]);
		}
		for (size_t i = 0; open && i < t->row_count; i++) {
			if (is_online(&s, t, i) || has_open(episodes, n, i))
				continue;
			warning++;
			add_silent(&s, &w, t, i);
		}
	}
	domain_add_count(r, a, "loggers", "Loggers checked", t->row_count);
	domain_add_count(r, a, "openCritical", "Open, critical", critical);
	domain_add_count(r, a, "openWarning", "Open, warning", warning);
	domain_add_count(r, a, "events", "Readings with an error code", events);
	solar_rows_end(&w, t);
}

/* ---- health_check ---- */

void solar_ping(struct result *r, struct arena *a)
{
	struct solar s = solar_begin(r, a);
	int64_t newest;

	domain_add_text(r, a, "status", "Status", "ok");
	if (solar_time(r->tables[0], 0, "newest_ts", &newest))
		solar_add_words(&s, "newest", "Newest reading", solar_local(a, NULL, newest));
}
