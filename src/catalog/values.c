/*
 * Inserts values of the catalogue into other texts. Statements, tool descriptions and prompts that
 * list all values of a dimension take them from catalogue.json, so lists cannot differ.
 */
#include "catalog_int.h"

#include <string.h>

#include "vesper/str.h"

#define VALUES "{values."
#define PEAK   "{peak_hours}"

/* Returns true when p is in an SQL comment or not in SQL. Values are not quoted there. */
static bool is_plain_text(const char *text, const char *p, bool sql)
{
	while (sql && p > text && p[-1] != '\n')
		p--;
	return !sql || (strncmp(p, "-- ", 3) == 0);
}

static const char *first_alias(const struct dimension_def *d, const char *value)
{
	for (size_t i = 0; i < d->alias_count; i++)
		if (strcmp(d->aliases[i].value, value) == 0 && !d->aliases[i].when)
			return d->aliases[i].text;
	return NULL;
}

static void write_quoted(struct buf *out, const char *value)
{
	buf_char(out, '\'');
	for (; *value; value++) {
		if (*value == '\'')
			buf_char(out, '\'');
		buf_char(out, *value);
	}
	buf_char(out, '\'');
}

static void write_with_alias(struct buf *out, const struct dimension_def *d, const char *value)
{
	const char *alias = first_alias(d, value);

	buf_str(out, value);
	if (alias)
		buf_printf(out, " (%s)", alias);
}

static bool is_in_group(const struct dimension_def *d, const char *value, const char *group)
{
	for (const char *const *g = d->groups; g && *g; g += 2)
		if (strcmp(g[0], value) == 0 && strcmp(g[1], group) == 0)
			return true;
	return false;
}

/* Writes the list for "health_domain" or "field_changed.money". */
static bool write_list(const struct loader *l, struct buf *out, const char *name, bool plain,
		       struct err *e)
{
	const char *dot = strchr(name, '.');
	const char *dimension = dot ? arena_strndup(l->arena, name, (size_t)(dot - name)) : name;
	const struct dimension_def *d = catalog_dimension(&l->impl->public, dimension);
	size_t n = 0;

	for (size_t i = 0; d && d->values && d->values[i]; i++) {
		if (dot && !is_in_group(d, d->values[i], dot + 1))
			continue;
		buf_str(out, n++ ? ", " : "");
		if (!plain)
			write_quoted(out, d->values[i]);
		else if (dot)
			buf_str(out, d->values[i]);
		else
			write_with_alias(out, d, d->values[i]);
	}
	return n > 0 || err_set(e, ERR_INPUT, "{values.%s} refers to no known values", name);
}

static bool expand(const struct loader *l, const char *text, bool sql, struct buf *out,
		   struct err *e)
{
	const struct calendar *c = &l->impl->public.calendar;

	for (const char *p = text; *p;) {
		size_t name = strlen(VALUES), end;

		if (strncmp(p, PEAK, strlen(PEAK)) == 0) {
			if (!l->has_calendar)
				return err_set(e, ERR_INPUT,
					       PEAK " without a calendar in the packs");
			buf_printf(out, "%d-%d", c->peak_first_hour, c->peak_last_hour);
			p += strlen(PEAK);
			continue;
		}
		if (strncmp(p, VALUES, name) != 0) {
			buf_char(out, *p++);
			continue;
		}
		end = strcspn(p, "}\n");
		if (p[end] != '}')
			return err_set(e, ERR_INPUT, "{values. is not closed");
		if (!write_list(l, out, arena_strndup(l->arena, p + name, end - name),
				is_plain_text(text, p, sql), e))
			return false;
		p += end + 1;
	}
	return true;
}

bool load_text_with_values(struct loader *l, const char *path, size_t cap_bytes, const char **out,
			   struct err *e)
{
	struct arena *scratch = arena_new(cap_bytes);
	size_t n = strlen(path);
	const char *text;
	struct buf filled;
	bool ok;

	if (!load_text(l, path, cap_bytes, scratch, &text, e)) {
		arena_free(&scratch);
		return false;
	}
	buf_init(&filled, cap_bytes * 2);
	ok = expand(l, text, n > 4 && strcmp(path + n - 4, ".sql") == 0, &filled, e);
	if (ok && buf_over(&filled))
		ok = err_set(e, ERR_LIMIT, "too long with the catalogue's values");
	if (ok)
		*out = arena_strdup(l->arena, buf_text(&filled));
	buf_deinit(&filled);
	arena_free(&scratch);
	return ok || err_prefix(e, "%s", path);
}
