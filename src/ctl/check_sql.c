/*
 * check-sql: checks a statement, or each of a file, against the SQL gate, without a database. An
 * input line is `id<TAB>sql` or, with --json, an object. The output is
 * `id<TAB>accept|reject<TAB>reason`; with --written, the statement that would be sent replaces the
 * reason.
 */
#include "ctl.h"

#include <stdio.h>
#include <string.h>

#include "vesper/gate.h"
#include "vesper/json.h"

#define INPUT_BYTES_MAX (256 * 1024 * 1024)

struct statement {
	struct str id;
	struct str sql;
	const char *fault; /* why the statement is missing */
};

/* Replaces control characters, so that ids and reasons stay in their column. */
static void print_field(struct str text)
{
	for (size_t i = 0; i < text.n; i++)
		putchar((unsigned char)text.p[i] < 0x20 || text.p[i] == 0x7f ? ' ' : text.p[i]);
}

static void print_result(const struct gate_policy *policy, enum dialect dialect, bool written,
			 const struct statement *s)
{
	struct arena *a = arena_new(16 << 20);
	struct gate_result result;
	struct err e = {0};
	bool accepted = !s->fault && gate_check(policy, dialect, s->sql, a, &result, &e);

	print_field(s->id);
	fputs(accepted ? "\taccept\t" : "\treject\t", stdout);
	if (accepted && written)
		print_field(str_of(result.sql));
	if (!accepted)
		print_field(str_of(s->fault ? s->fault : e.text));
	putchar('\n');
	arena_free(&a);
}

static void read_plain(struct str line, struct statement *out)
{
	const char *tab = memchr(line.p, '\t', line.n);

	*out = (struct statement){.id = line, .fault = tab ? NULL : "the line has no tab"};
	if (!tab)
		return;
	out->id.n = (size_t)(tab - line.p);
	out->sql = (struct str){tab + 1, line.n - out->id.n - 1};
}

/* The id of an object that cannot be parsed, if it is recognizable. */
static struct str find_id(struct str line)
{
	const char *p = memmem(line.p, line.n, "\"id\"", 4), *end = line.p + line.n, *begin;

	if (!p)
		return STR("");
	for (p += 4; p < end && strchr(" \t:", *p); p++)
		;
	bool quoted = p < end && *p == '"';
	begin = p += quoted;
	while (p < end && *p != '"' && (quoted || (*p != ',' && *p != '}')))
		p++;
	return (struct str){begin, (size_t)(p - begin)};
}

/* *owner owns what the statement borrows. NUL is accepted here: the SQL gate rejects it. */
static void read_object(struct str line, json_t **owner, char number[32], struct statement *out)
{
	json_t *object = json_loadb(line.p, line.n, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
	json_t *id = json_object_get(object, "id"), *sql = json_object_get(object, "sql");

	*owner = object;
	*out = (struct statement){.id = find_id(line)};
	if (json_is_string(id)) {
		out->id = (struct str){json_string_value(id), json_string_length(id)};
	} else if (json_is_integer(id)) {
		snprintf(number, 32, "%lld", (long long)json_integer_value(id));
		out->id = str_of(number);
	}
	if (!object)
		out->fault = "not a JSON object in UTF-8";
	else if (!json_is_string(sql))
		out->fault = "\"sql\" must be a string";
	else
		out->sql = (struct str){json_string_value(sql), json_string_length(sql)};
}

struct output_style {
	bool json;    /* lines are objects */
	bool written; /* print the statement that would be sent */
};

static void check_line(const struct gate_policy *policy, enum dialect dialect,
		       struct output_style output_style, struct str line)
{
	struct statement s;
	char number[32];
	json_t *owner = NULL;

	if (str_trim(line).n == 0)
		return;
	if (output_style.json)
		read_object(line, &owner, number, &s);
	else
		read_plain(line, &s);
	print_result(policy, dialect, output_style.written, &s);
	json_decref(owner);
}

/* Reads all of the input; statements may contain any byte, so only a line feed ends a line. */
static bool read_input(struct buf *out)
{
	char chunk[65536];
	size_t n;

	buf_init(out, INPUT_BYTES_MAX);
	while ((n = fread(chunk, 1, sizeof(chunk), stdin)) > 0)
		buf_add(out, chunk, n);
	return !ferror(stdin) && !buf_over(out);
}

static bool check_lines(const struct gate_policy *policy, enum dialect dialect,
			struct output_style output_style)
{
	struct buf input;
	bool is_complete = read_input(&input);
	struct str rest = {buf_text(&input), input.n}, line;

	while (is_complete && str_split(&rest, '\n', &line))
		check_line(policy, dialect, output_style, line);
	buf_deinit(&input);
	return is_complete;
}

/* Checks one statement of the command line: prints the statement that would be sent, or the
 * fault. */
static int check_one(const struct gate_policy *policy, enum dialect dialect, const char *sql)
{
	struct arena *a = arena_new(16 << 20);
	struct gate_result result;
	struct err e = {0};
	bool accepted = gate_check(policy, dialect, str_of(sql), a, &result, &e);

	if (accepted)
		puts(result.sql);
	else
		fprintf(stderr, "refused: %s\n", e.text);
	arena_free(&a);
	return accepted ? 0 : 1;
}

int ctl_check_sql(const struct command *cmd)
{
	enum dialect dialect;
	struct catalog *c;

	if (!dialect_parse(ctl_option(cmd, "dialect", "mssql"), &dialect))
		return ctl_usage_error(cmd, "--dialect must be mssql, postgres or sqlite");
	if (ctl_arg(cmd, 1))
		return ctl_usage_error(cmd, "put the statement in quotes");
	if (!ctl_catalog(NULL, &c))
		return 1;

	struct arena *a = arena_new(1 << 20);
	struct gate_policy policy = gate_policy_of(catalog_views(c), a);
	const struct output_style output_style = {ctl_flag(cmd, "json"), ctl_flag(cmd, "written")};
	const char *one = ctl_arg(cmd, 0);
	int status = one ? check_one(&policy, dialect, one)
			 : !check_lines(&policy, dialect, output_style);
	arena_free(&a);
	catalog_unref(&c);
	return one || !status ? status : ctl_fail("the input cannot be read or is too long");
}
