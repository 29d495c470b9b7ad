/*
 * Reads TZif files (RFC 8536): a table of times at which the offset changes, and a POSIX rule for
 * all times after the last of them ("PST8PDT,M3.2.0,M11.1.0").
 */
#include "vesper/zone.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/arena.h"
#include "vesper/file.h"
#include "vesper/mem.h"

#define ZONE_FOLDER     "/usr/share/zoneinfo"
#define ZONE_NAME_MAX   64
#define ZONE_FILE_BYTES (256 * 1024)
#define TZIF_HEADER     44
#define DAY_S           INT64_C(86400)

/* Yearly date of a change: the n-th weekday of a month, or a day of the year. */
struct yearly {
	enum { YEARLY_WEEKDAY, YEARLY_JULIAN, YEARLY_DAY } kind;
	int month, week, weekday; /* week 5: the last; weekday 0 = Sunday */
	int day;                  /* JULIAN: 1-365 without 29 February; DAY: 0-365 */
	int at_s;                 /* local seconds after midnight */
};

struct rule {
	bool is_set, has_summer;
	int offset_s, summer_offset_s;
	struct yearly begins, ends;
};

struct zone {
	struct arena *arena;
	const int64_t *transitions; /* times of the offset changes, ascending */
	const int *offsets;         /* in effect from that time */
	size_t count;
	int first_offset; /* before the first transition */
	struct rule rule; /* after the last one */
};

/* ---- the rule ---- */

static bool take(const char **p, char c)
{
	if (**p != c)
		return false;
	(*p)++;
	return true;
}

static bool take_int(const char **p, int min, int max, int *out)
{
	char *end;
	long n;

	if (!isdigit((unsigned char)**p))
		return false;
	n = strtol(*p, &end, 10);
	if (n < min || n > max)
		return false;
	*p = end;
	*out = (int)n;
	return true;
}

/* "PST", "<-03>" */
static bool skip_name(const char **p)
{
	const char *from = *p;

	if (take(p, '<')) {
		while (**p && **p != '>')
			(*p)++;
		return take(p, '>');
	}
	while (isalpha((unsigned char)**p))
		(*p)++;
	return *p > from;
}

/* "8", "-3:30", "+2:00:00", as seconds. */
static bool take_time(const char **p, int *out)
{
	int sign = take(p, '-') ? -1 : 1, hours, minutes = 0, seconds = 0;

	if (sign > 0)
		(void)take(p, '+');
	if (!take_int(p, 0, 167, &hours) || (take(p, ':') && !take_int(p, 0, 59, &minutes)) ||
	    (take(p, ':') && !take_int(p, 0, 59, &seconds)))
		return false;
	*out = sign * (hours * 3600 + minutes * 60 + seconds);
	return true;
}

static bool take_yearly(const char **p, struct yearly *out)
{
	*out = (struct yearly){.at_s = 2 * 3600};
	if (take(p, 'M')) {
		if (!take_int(p, 1, 12, &out->month) || !take(p, '.') ||
		    !take_int(p, 1, 5, &out->week) || !take(p, '.') ||
		    !take_int(p, 0, 6, &out->weekday))
			return false;
	} else {
		out->kind = take(p, 'J') ? YEARLY_JULIAN : YEARLY_DAY;
		if (!take_int(p, out->kind == YEARLY_JULIAN, 365, &out->day))
			return false;
	}
	return !take(p, '/') || take_time(p, &out->at_s);
}

static bool parse_rule(const char *text, struct rule *out)
{
	const char *p = text;
	int west;

	*out = (struct rule){.is_set = true};
	if (!skip_name(&p) || !take_time(&p, &west))
		return false;
	out->offset_s = -west;
	if (!*p)
		return true;
	out->has_summer = true;
	out->summer_offset_s = out->offset_s + 3600;
	if (!skip_name(&p))
		return false;
	if (*p != ',') {
		if (!take_time(&p, &west))
			return false;
		out->summer_offset_s = -west;
	}
	return take(&p, ',') && take_yearly(&p, &out->begins) && take(&p, ',') &&
	       take_yearly(&p, &out->ends) && !*p;
}

/* The local time of a yearly change, in seconds without regard to the zone. */
static int64_t yearly_at(const struct yearly *y, int year)
{
	struct date first = {year, y->kind == YEARLY_WEEKDAY ? y->month : 1, 1};
	int64_t day = date_to_days(first);

	if (y->kind == YEARLY_WEEKDAY) {
		int sunday_based = (date_weekday(first) + 1) % 7, last;

		day += (y->weekday - sunday_based + 7) % 7 + (y->week - 1) * 7;
		last = date_days_in_month(year, y->month);
		while (day >= date_to_days(first) + last)
			day -= 7;
	} else if (y->kind == YEARLY_JULIAN) {
		day += y->day - 1 + (date_days_in_month(year, 2) == 29 && y->day > 59);
	} else {
		day += y->day;
	}
	return day * DAY_S + y->at_s;
}

static int rule_offset(const struct rule *r, int64_t unix_s)
{
	int64_t local = unix_s + r->offset_s;
	int64_t day = local / DAY_S - (local % DAY_S < 0);
	int year = date_from_days(day).year;
	int64_t begins, ends;
	bool summer;

	if (!r->has_summer)
		return r->offset_s;
	begins = yearly_at(&r->begins, year) - r->offset_s;
	ends = yearly_at(&r->ends, year) - r->summer_offset_s;
	/* in the southern hemisphere, summer spans the end of the year */
	summer = begins < ends ? unix_s >= begins && unix_s < ends
			       : unix_s >= begins || unix_s < ends;
	return summer ? r->summer_offset_s : r->offset_s;
}

/* ---- the file ---- */

struct header {
	size_t is_ut, is_std, leaps, transitions, types, name_bytes;
};

static int64_t big_endian(const unsigned char *p, size_t n)
{
	uint64_t out = 0;

	for (size_t i = 0; i < n; i++)
		out = out << 8 | p[i];
	return n == 4 ? (int32_t)(uint32_t)out : (int64_t)out;
}

static bool read_header(struct str bytes, struct header *out)
{
	const unsigned char *p = (const unsigned char *)bytes.p;
	size_t *const counts[] = {&out->is_ut,       &out->is_std, &out->leaps,
				  &out->transitions, &out->types,  &out->name_bytes};

	if (bytes.n < TZIF_HEADER || memcmp(p, "TZif", 4) != 0)
		return false;
	for (size_t i = 0; i < 6; i++)
		*counts[i] = (size_t)(uint32_t)big_endian(p + 20 + i * 4, 4);
	return out->types > 0 && out->types <= 256 && out->transitions < ZONE_FILE_BYTES &&
	       out->leaps < ZONE_FILE_BYTES && out->name_bytes < ZONE_FILE_BYTES &&
	       out->is_ut <= 256 && out->is_std <= 256;
}

static size_t block_bytes(const struct header *h, size_t time_bytes)
{
	return h->transitions * (time_bytes + 1) + h->types * 6 + h->name_bytes +
	       h->leaps * (time_bytes + 4) + h->is_std + h->is_ut;
}

static bool read_block(struct zone *z, const struct header *h, const unsigned char *p)
{
	int64_t *transitions = arena_alloc(z->arena, (h->transitions + 1) * sizeof(*transitions));
	int *offsets = arena_alloc(z->arena, (h->transitions + 1) * sizeof(*offsets));
	const unsigned char *kinds = p + h->transitions * 8, *types = kinds + h->transitions;

	for (size_t i = 0; i < h->transitions; i++) {
		transitions[i] = big_endian(p + i * 8, 8);
		if (kinds[i] >= h->types || (i > 0 && transitions[i] <= transitions[i - 1]))
			return false;
		offsets[i] = (int)big_endian(types + (size_t)kinds[i] * 6, 4);
	}
	z->transitions = transitions;
	z->offsets = offsets;
	z->count = h->transitions;
	z->first_offset = (int)big_endian(types, 4);
	return true;
}

/* Version 2 and later: a block with 32-bit times for old readers, then the block that is used. */
static bool read_file(struct zone *z, struct str bytes)
{
	struct header h;
	size_t skip;
	char *rule;

	if (!read_header(bytes, &h) || bytes.p[4] < '2')
		return false;
	skip = TZIF_HEADER + block_bytes(&h, 4);
	if (skip > bytes.n)
		return false;
	bytes = (struct str){bytes.p + skip, bytes.n - skip};
	if (!read_header(bytes, &h))
		return false;
	skip = TZIF_HEADER + block_bytes(&h, 8);
	if (skip + 2 > bytes.n || bytes.p[skip] != '\n' || bytes.p[bytes.n - 1] != '\n')
		return false;
	rule = arena_strndup(z->arena, bytes.p + skip + 1, bytes.n - skip - 2);
	return read_block(z, &h, (const unsigned char *)bytes.p + TZIF_HEADER) &&
	       (!*rule || parse_rule(rule, &z->rule));
}

/* True for names like "America/Argentina/Buenos_Aires", which cannot leave the folder. */
static bool is_name(const char *name)
{
	if (strlen(name) > ZONE_NAME_MAX || !isalpha((unsigned char)name[0]))
		return false;
	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("_+-/", *c))
			return false;
	return true;
}

bool zone_load(const char *name, struct zone **out, struct err *e)
{
	struct zone *z;
	struct err ignored;
	struct str bytes = {0};
	const char *path;

	if (*name && !is_name(name))
		return err_set(e, ERR_INPUT, "\"%.*s\" is not a time zone name", STR_CUT(name, 64));
	z = mem_alloc(sizeof(*z));
	*z = (struct zone){.arena = arena_new(ZONE_FILE_BYTES * 8)};
	path = arena_printf(z->arena, "%s/%s", ZONE_FOLDER, name);
	if (*name && strcmp(name, "UTC") != 0 &&
	    (!file_read_bytes(path, ZONE_FILE_BYTES, z->arena, &bytes, &ignored) ||
	     !read_file(z, bytes))) {
		zone_free(&z);
		return err_set(e, ERR_INPUT,
			       "time zone \"%s\" not found in %s; install Debian's package tzdata",
			       name, ZONE_FOLDER);
	}
	*out = z;
	return true;
}

void zone_free(struct zone **z)
{
	if (!*z)
		return;
	arena_free(&(*z)->arena);
	mem_free(*z);
	*z = NULL;
}

int zone_offset_s(const struct zone *z, int64_t unix_s)
{
	size_t low = 0, high = z ? z->count : 0;

	if (!z)
		return 0;
	if (z->rule.is_set && (z->count == 0 || unix_s >= z->transitions[z->count - 1]))
		return rule_offset(&z->rule, unix_s);
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (z->transitions[mid] <= unix_s)
			low = mid + 1;
		else
			high = mid;
	}
	return low > 0 ? z->offsets[low - 1] : z->first_offset;
}

struct date zone_date(const struct zone *z, int64_t wall_ms)
{
	int64_t s = wall_ms / 1000 - (wall_ms % 1000 < 0);

	s += zone_offset_s(z, s);
	return date_from_days(s / DAY_S - (s % DAY_S < 0));
}

/* An ambiguous local time gives the earlier moment. A skipped one is read with the offset before
 * the change. */
static int64_t unix_of(const struct zone *z, int64_t local_s)
{
	int before = zone_offset_s(z, local_s - DAY_S), after = zone_offset_s(z, local_s + DAY_S);
	bool has_changed = zone_offset_s(z, local_s - before) != before &&
			   zone_offset_s(z, local_s - after) == after;

	return local_s - (has_changed ? after : before);
}

int64_t zone_local_ms(const struct zone *z, int64_t wall_ms)
{
	return wall_ms + zone_offset_s(z, wall_ms / 1000) * INT64_C(1000);
}

int64_t zone_day_ms(const struct zone *z, int64_t day)
{
	return unix_of(z, day * DAY_S) * 1000;
}

struct date zone_today(const struct zone *z)
{
	return clock_today_is_frozen() ? clock_today() : zone_date(z, clock_question_ms());
}

/* ---- a day or a time in text form ---- */

/* Reads "12:30"; hours up to `hours`. */
static bool read_hours(const char *text, int hours, int *minutes)
{
	static const char form[] = "dd:dd";

	for (size_t i = 0; i < sizeof(form) - 1; i++)
		if (form[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
			return false;
	int h = (text[0] - '0') * 10 + text[1] - '0', m = (text[3] - '0') * 10 + text[4] - '0';
	*minutes = h * 60 + m;
	return h <= hours && m < 60;
}

bool moment_parse(const char *text, struct moment *out)
{
	static const int DAY = DATE_ISO_BYTES - 1, TIME = 6, ZONE_HOURS_MAX = 14;
	char day[DATE_ISO_BYTES] = "";
	struct moment m = {0};
	size_t n = text ? strlen(text) : 0;
	const char *p;

	memcpy(day, text ? text : "", n < sizeof(day) ? n : sizeof(day) - 1);
	if (!date_parse_iso(day, &m.day))
		return false;
	p = text + DAY;
	if (*p == 'T') {
		m.has_time = true;
		if (strlen(p) < (size_t)TIME || !read_hours(p + 1, 23, &m.minute))
			return false;
		p += TIME;
		m.has_offset = *p != '\0';
	}
	if (m.has_offset && strcmp(p, "Z") != 0) {
		if ((*p != '+' && *p != '-') || strlen(p) != (size_t)TIME ||
		    !read_hours(p + 1, ZONE_HOURS_MAX, &m.offset_minutes))
			return false;
		if (*p == '-')
			m.offset_minutes = -m.offset_minutes;
	} else if (*p && !m.has_offset) {
		return false;
	}
	*out = m;
	return true;
}

void moment_freeze(const struct moment *m, const struct zone *z)
{
	int64_t s = date_to_days(m->day) * DAY_S + (int64_t)m->minute * 60;

	if (!m->has_time) {
		clock_freeze_today(m->day);
		return;
	}
	s = m->has_offset ? s - (int64_t)m->offset_minutes * 60 : unix_of(z, s);
	clock_freeze_question_ms(s * 1000);
}
