/*
 * Cached tool results. A call gets here only after the gate, and its key contains everything that
 * its result depends on. A hit is therefore what the query would have returned, at most cache_s
 * ago. On any problem with the cache or its data, the query runs.
 */
#include "tool_int.h"

#include <string.h>

#include "vesper/limits.h"
#include "vesper/metric.h"

#define KEY_TEXT_BYTES_MAX (256 * 1024) /* before hashing: TOOL_ARGS_MAX lists of long texts */

static void count_use(const char *outcome)
{
	static const struct metric uses = {
		.name = "vesper_tool_cache_total",
		.help = "Lookups in the tool result cache, by outcome.",
		.labels = {"outcome"},
	};

	metric_add(&uses, &outcome, 1);
}

/* ---- cache key ---- */

static void add_value(struct buf *b, const struct value *v)
{
	const struct str text = str_of(v->text);

	buf_int(b, (int64_t)v->type);
	buf_char(b, ':');
	if (v->type == VALUE_INT || v->type == VALUE_BOOL) {
		buf_int(b, v->number);
	} else {
		buf_int(b, (int64_t)text.n);
		buf_char(b, ':');
		buf_add(b, text.p, text.n);
	}
	buf_char(b, ',');
}

static void add_arg(struct buf *b, const struct arg *arg)
{
	buf_str(b, arg->name);
	buf_str(b, arg->is_list ? "[]=" : "=");
	for (size_t i = 0; i < arg->count; i++)
		add_value(b, &arg->values[i]);
	buf_char(b, '\n');
}

static void add_line(struct buf *b, const char *text)
{
	buf_str(b, text);
	buf_char(b, '\n');
}

/* Adds the permissions that select columns. The gate has checked the tool's own permission. */
static void add_permissions(struct buf *b, const struct tool_call *call)
{
	for (size_t i = 0; i < call->tool->column_count; i++) {
		const char *permission = call->tool->columns[i].permission;
		if (permission && may(call->who, permission))
			buf_printf(b, "%s %s\n", call->tool->columns[i].name, permission);
	}
}

/* The key without the tenant, which is its prefix. The catalogue's hash covers the statements, the
 * calendar and the tool's header. NULL: too long to cache. */
static const char *key_name(const struct tool_call *call)
{
	char hash[HASH_HEX_BYTES], today[DATE_ISO_BYTES];
	const struct catalog *catalog = call->box->options.catalog;
	const struct source *s = call->source;
	const char *name = NULL;
	struct buf b;

	date_iso(call->today, today);
	buf_init(&b, KEY_TEXT_BYTES_MAX);
	add_line(&b, catalog->hash);
	add_line(&b, s->name);
	add_line(&b, s->identity ? s->identity : "");
	add_line(&b, call->tool->name);
	add_line(&b, today);
	add_permissions(&b, call);
	for (size_t i = 0; i < call->tool->param_count; i++) {
		const struct arg *arg = args_find(&call->args, call->tool->params[i].name);
		if (arg)
			add_arg(&b, arg);
	}
	if (!buf_over(&b)) {
		hash_sha256_hex(b.p, b.n, hash);
		name = arena_printf(call->arena, "tool:%s", hash);
	}
	buf_deinit(&b);
	return name;
}

/* ---- reading and writing ---- */

static void on_cached(void *owner, struct str value)
{
	struct tool_call *call = owner;

	call->query = NULL;
	if (value.p && tool_result_unpack(value, call->arena, call->result)) {
		count_use("hit");
		call->args = call->result->args;
		call->is_cacheable = false; /* storing it again would extend its lifetime */
		tool_call_end(call);
		return;
	}
	count_use(value.p ? "corrupt" : "miss");
	tool_call_run(call);
}

void tool_call_run_cached(struct tool_call *call)
{
	struct cache *cache = call->box->options.cache;

	if (cache && call->tool->cache_s > 0 && !call->rows_max)
		call->cache_name = key_name(call);
	if (!call->cache_name) {
		tool_call_run(call);
		return;
	}
	call->is_cacheable = true;
	call->query = cache_get(cache, (struct cache_key){call->who->tenant, call->cache_name},
				on_cached, call);
}

void tool_call_cache(const struct tool_call *call)
{
	enum outcome_kind kind = call->result->outcome.kind;
	struct buf b;

	if (!call->is_cacheable || (kind != OUTCOME_ROWS && kind != OUTCOME_EMPTY) ||
	    call->result->table_count == 0)
		return;
	buf_init(&b, CACHE_VALUE_BYTES_MAX);
	tool_result_pack(&b, call->result);
	if (!buf_over(&b))
		cache_set(call->box->options.cache,
			  (struct cache_key){call->who->tenant, call->cache_name}, b.p, b.n,
			  call->tool->cache_s * 1000);
	buf_deinit(&b);
}
