/*
 * `vesperctl connect DSN`: generates a pack for a live database, as text. All data stays on this
 * machine, and the connection string is never stored.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "connect_int.h"
#include "ctl.h"
#include "map/pack_files.h"
#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/limits.h"

#define GOLDEN_DEFAULT 50
#define GOLDEN_MAX     500
#define LIMIT_S        300
#define LIMIT_S_MAX    3600

/* "a,b" as a list; NULL for none. */
static const char *const *split_list(const char *text, struct arena *a)
{
	struct strlist list = {0};
	struct str rest = str_of(text), part;

	if (!text)
		return NULL;
	strlist_add(&list, a, NULL);
	while (str_split(&rest, ',', &part))
		if (part.n > 0)
			strlist_add(&list, a, arena_strndup(a, part.p, part.n));
	return list.items;
}

static bool read_number(const struct command *cmd, const char *name, long fallback, long max,
			long *out)
{
	const char *text = ctl_option(cmd, name, NULL);
	char *end = NULL;

	*out = text ? strtol(text, &end, 10) : fallback;
	return !text || (end != text && !*end && *out >= 0 && *out <= max);
}

/* Fails when no table can be read, because the pack would answer nothing. */
static bool check_readable(const struct connect *c, struct err *e)
{
	for (size_t i = 0; i < c->table_count; i++)
		if (!c->tables[i].profile_error)
			return true;
	return c->table_count == 0 ||
	       err_set(e, ERR_DENIED, "none of the %zu tables can be read by this login: %.*s",
		       c->table_count, STR_CUT(c->tables[0].profile_error, 120));
}

static bool read_all(struct connect *c, struct ctl_pack *pack, struct err *e)
{
	if (!connect_read_tables(c, e) || !connect_read_edges(c, e) || !connect_profile(c, e) ||
	    !check_readable(c, e))
		return false;
	connect_find_keys(c);
	if (!connect_infer_edges(c, e))
		return false;
	connect_decide(c);
	connect_name_edges(c);
	connect_write_pack(c, pack);
	return c->golden_max == 0 || connect_golden(c, pack, e);
}

static size_t count_role(const struct connect *c, enum connect_role role)
{
	size_t count = 0;

	for (size_t i = 0; i < c->table_count; i++)
		for (size_t k = 0; k < c->tables[i].column_count; k++)
			count += c->tables[i].columns[k].role == role;
	return count;
}

static size_t count_lines(const char *text)
{
	size_t count = 0;

	for (; text && *text; text++)
		count += *text == '\n';
	return count;
}

static void print_json(const struct connect *c, const struct ctl_pack *pack,
		       const struct strlist *written)
{
	json_t *files = json_array();

	for (size_t i = 0; i < written->count; i++)
		json_push_take(files, json_str(written->items[i]));
	ctl_print_json(json_make(
		{"pack", json_str(c->pack)}, {"tables", json_int((int64_t)c->table_count)},
		{"edges", json_int((int64_t)c->edge_count)},
		{"dimensions", json_int((int64_t)json_array_size(pack->dimensions))},
		{"measures", json_int((int64_t)count_role(c, ROLE_MEASURE))},
		{"golden", json_int((int64_t)count_lines(pack->golden))},
		{"review", json_incref(pack->review)}, {"files", files}));
}

/* Prints the next steps: the settings, and the variable that must hold the connection string, which
 * is secret. */
static void print_next_steps(const struct connect *c)
{
	const char *dialect = dialect_name(server_dialect(c->server));
	char *variable = arena_printf(c->a, "VESPER_SOURCES_%s_DSN", c->pack);

	for (char *p = variable; *p; p++)
		*p = (char)toupper((unsigned char)*p);

	printf("\nAdd to vesper.json (and the pack to config/packs.json of %s, if it is not "
	       "there):\n"
	       "  \"packs\": {\"roots\": [\"%s\"]},\n"
	       "  \"sources\": {\"%s\": {\"dialect\": \"%s\", \"only_tenant\": \"%s\"}},\n"
	       "  \"tenants\": {\"%s\": {\"warehouse\": \"%s.db\", \"store\": \"%s.db\", "
	       "\"packs\": "
	       "[\"%s\"]}}\n"
	       "The connection string is read from %s (or …_FILE).\n"
	       "Then: vesperctl connect --score %s/config/%s/golden.jsonl --tenant %s\n",
	       c->out_dir, c->out_dir, c->pack, dialect, c->tenant, c->tenant, c->tenant, c->tenant,
	       c->pack, variable, c->out_dir, c->pack, c->tenant);
}

static void print_text(const struct connect *c, const struct ctl_pack *pack,
		       const struct strlist *written)
{
	printf("%zu tables, %zu edges, %zu dimensions, %zu measures; %zu items to review, %zu "
	       "golden questions\n",
	       c->table_count, c->edge_count, json_array_size(pack->dimensions),
	       count_role(c, ROLE_MEASURE), json_array_size(pack->review),
	       count_lines(pack->golden));
	for (size_t i = 0; i < written->count; i++)
		printf("  %s\n", written->items[i]);
	print_next_steps(c);
}

static bool run(struct connect *c, const char *dsn, struct err *e)
{
	struct strlist written = {0};
	struct ctl_pack pack;

	if (!connect_words_read(ctl_root(), c->a, &c->words, e) ||
	    !server_connect(dsn, &c->server, e) || !connect_check_login(c, e))
		return false;
	ctl_pack_init(&pack, c->pack, c->a);
	pack.source = c->pack;
	if (!read_all(c, &pack, e) ||
	    !ctl_pack_write(&pack, c->out_dir, c->replaces, c->a, &written, e))
		return false;
	if (c->as_json)
		print_json(c, &pack, &written);
	else
		print_text(c, &pack, &written);
	return true;
}

static int run_score(const struct command *cmd)
{
	struct err e = {0};
	bool ok = false;

	if (ctl_arg(cmd, 0))
		return ctl_usage_error(
			cmd, "--score takes no DSN; it queries the source of the tenant's pack");
	if (!connect_score(ctl_option(cmd, "score", NULL), ctl_option(cmd, "tenant", "vesper"),
			   ctl_flag(cmd, "json"), &ok, &e))
		return ctl_fail("%s", e.text);
	return ok ? 0 : 1;
}

static int run_connect(const struct command *cmd, struct connect *c)
{
	const char *dsn = ctl_arg(cmd, 0);
	struct err e = {0};
	bool ok = run(c, dsn, &e);
	int status = 0;

	if (!ok) {
		status = ctl_fail("%s", e.text);
		if (e.code == ERR_DENIED)
			fprintf(stderr, "To create a read-only login:\n%s\n",
				connect_reader_sql(c));
	}
	server_close(&c->server);
	return status;
}

int ctl_connect(const struct command *cmd)
{
	struct connect c = {.pack = ctl_option(cmd, "pack", NULL),
			    .out_dir = ctl_option(cmd, "out", "packs"),
			    .keeps_values = !ctl_flag(cmd, "no-values"),
			    .allows_writer = ctl_flag(cmd, "allow-writer"),
			    .replaces = ctl_flag(cmd, "replace"),
			    .as_json = ctl_flag(cmd, "json"),
			    .began_us = clock_mono_us()};
	long limit_s, golden;
	int status;

	if (ctl_option(cmd, "score", NULL))
		return run_score(cmd);
	if (!ctl_arg(cmd, 0) || ctl_arg(cmd, 1))
		return ctl_usage_error(cmd, "give exactly one ODBC connection string");
	if (!c.pack || !ctl_is_name(c.pack))
		return ctl_usage_error(cmd,
				       "--pack must be a name of lower-case letters, digits and _");
	if (!read_number(cmd, "limit-s", LIMIT_S, LIMIT_S_MAX, &limit_s) ||
	    !read_number(cmd, "golden", GOLDEN_DEFAULT, GOLDEN_MAX, &golden))
		return ctl_usage_error(cmd, "--limit-s must be 0 to %d, and --golden 0 to %d",
				       LIMIT_S_MAX, GOLDEN_MAX);
	c.tenant = ctl_option(cmd, "tenant", c.pack);
	c.limit_s = (int)limit_s;
	c.golden_max = (size_t)golden;
	c.a = arena_new(CONNECT_MEMORY_BYTES);
	c.schemas = split_list(ctl_option(cmd, "schema", NULL), c.a);
	c.globs = split_list(ctl_option(cmd, "tables", NULL), c.a);
	status = run_connect(cmd, &c);
	arena_free(&c.a);
	return status;
}
