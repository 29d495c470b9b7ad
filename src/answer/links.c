/*
 * Links into reports, filtered to the answer's values. The filter is part of the URL: names and
 * values are escaped first as Power BI requires in filters, then for the URL.
 */
#include "vesper/answer.h"

#include <string.h>

#define FILTERS_IN_LINK_MAX 10 /* limit of the service */
#define LINK_BYTES_MAX      4000

/* Escapes ASCII characters other than letters, digits and underscores: a blank becomes _x0020_.
 * Non-ASCII characters are kept. */
static void add_name(struct buf *out, const char *name)
{
	static const char hex[] = "0123456789ABCDEF";

	for (const unsigned char *c = (const unsigned char *)name; *c; c++)
		if (*c >= 0x80 || *c == '_' || (*c >= '0' && *c <= '9') ||
		    (*c >= 'A' && *c <= 'Z') || (*c >= 'a' && *c <= 'z'))
			buf_char(out, (char)*c);
		else
			buf_add(out, (char[]){'_', 'x', '0', '0', hex[*c >> 4], hex[*c & 15], '_'},
				7);
}

static void add_value(struct buf *out, const struct value *v)
{
	if (v->type == VALUE_INT) {
		buf_int(out, v->number);
	} else if (v->type == VALUE_BOOL) {
		buf_str(out, v->number ? "true" : "false");
	} else if (v->type != VALUE_TEXT) {
		buf_str(out, v->text); /* digits or a date */
	} else {
		buf_char(out, '\'');
		for (const char *c = v->text; *c; c++) {
			if (*c == '\'')
				buf_char(out, '\'');
			buf_char(out, *c);
		}
		buf_char(out, '\'');
	}
}

static void add_filter(struct buf *out, const struct report_filter *f, const struct arg *arg)
{
	buf_str(out, out->n ? " and " : "");
	add_name(out, f->table);
	buf_char(out, '/');
	add_name(out, f->field);
	buf_str(out, arg->is_list ? " in (" : " eq ");
	for (size_t i = 0; i < arg->count; i++) {
		buf_str(out, i ? ", " : "");
		add_value(out, &arg->values[i]);
	}
	buf_str(out, arg->is_list ? ")" : "");
}

static const struct report_filter *filter_find(const struct report_def *report, const char *name)
{
	for (size_t i = 0; i < report->filter_count; i++)
		if (strcmp(report->filters[i].filter, name) == 0)
			return &report->filters[i];
	return NULL;
}

static void add_hex(struct buf *out, unsigned char c)
{
	static const char digits[] = "0123456789ABCDEF";
	const char text[3] = {'%', digits[c >> 4], digits[c & 15]};

	buf_add(out, text, sizeof(text));
}

static void add_escaped(struct buf *out, const char *text)
{
	for (const unsigned char *c = (const unsigned char *)text; *c; c++)
		if ((*c >= '0' && *c <= '9') || (*c >= 'A' && *c <= 'Z') ||
		    (*c >= 'a' && *c <= 'z') || strchr("-._~/", *c))
			buf_char(out, (char)*c);
		else
			add_hex(out, *c);
}

const char *link_url(const struct report_def *report, const struct tool_def *tool,
		     const struct args *args, struct arena *a)
{
	const char *url = report->url;
	struct buf filter, whole;
	size_t count = 0;

	buf_init(&filter, LINK_BYTES_MAX);
	buf_init(&whole, LINK_BYTES_MAX);
	for (size_t i = 0; tool && i < args->count && count < FILTERS_IN_LINK_MAX; i++) {
		const struct param_def *p = tool_param(tool, args->items[i].name);
		const struct report_filter *f = p ? filter_find(report, p->filter) : NULL;

		if (!f || args->items[i].count == 0 || args->items[i].values[0].type == VALUE_NULL)
			continue;
		add_filter(&filter, f, &args->items[i]);
		count++;
	}
	buf_printf(&whole, "%s%sfilter=", url, strchr(url, '?') ? "&" : "?");
	add_escaped(&whole, buf_text(&filter));
	/* An incomplete filter would show other data, so it is left out. */
	if (*url && count > 0 && !buf_over(&filter) && !buf_over(&whole))
		url = arena_strdup(a, buf_text(&whole));
	buf_deinit(&filter);
	buf_deinit(&whole);
	return url;
}
