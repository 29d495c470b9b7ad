/* `vesperctl flow`: the flows of a tenant's packs, and what is wrong with one. */
#include <stdio.h>
#include <string.h>

#include "ctl.h"
#include "vesper/file.h"
#include "vesper/json.h"
#include "vesper/limits.h"

#define FLOW_ARENA_BYTES (16 << 20)

/* ---- list ---- */

static json_t *flow_json(const struct flow_def *f)
{
	json_t *out = json_object(), *examples = json_array(), *slots = json_array();

	for (const char *const *x = f->examples; *x; x++)
		json_push_take(examples, json_str(*x));
	for (size_t i = 0; i < f->line_count; i++)
		if (f->lines[i].kind == FLOW_ASK)
			json_push_take(slots, json_str(f->lines[i].filter));
	json_set_str(out, "name", f->name);
	json_set_str(out, "origin", "file");
	json_set_str(out, "path", f->path);
	json_set_str(out, "about", f->about);
	json_set_take(out, "examples", examples);
	json_set_take(out, "slots", slots);
	json_set_str(out, "hash", f->hash);
	return out;
}

static void print_flow(const struct flow_def *f)
{
	const char *before = "  asks for ";

	printf("%s: %s\n", f->name, f->about);
	for (size_t i = 0; i < f->line_count; i++) {
		if (f->lines[i].kind != FLOW_ASK)
			continue;
		printf("%s%s", before, f->lines[i].filter);
		before = ", ";
	}
	if (*before == ',')
		putchar('\n');
}

static bool list(const struct catalog *c, const struct command *cmd, struct arena *a, struct err *e)
{
	json_t *all = json_own(a, json_array());
	struct catalog_view view;
	struct principal who;

	if (!ctl_principal(c, ctl_option(cmd, "role", "admin"), ctl_option(cmd, "tenant", "vesper"),
			   &who, e))
		return false;
	catalog_for(c, &who, a, &view);
	for (size_t i = 0; i < view.flow_count; i++)
		if (ctl_flag(cmd, "json"))
			json_push_take(all, flow_json(view.flows[i]));
		else
			print_flow(view.flows[i]);
	if (ctl_flag(cmd, "json"))
		ctl_print_json(json_incref(all));
	return true;
}

/* ---- check ---- */

static bool check_file(const struct catalog *c, const char *path, struct arena *a, struct err *e)
{
	const char *text;
	struct flow_def f;

	return file_read(path, FLOW_BYTES_MAX, a, &text, e) &&
	       flow_read(c, "", path, text, a, &f, e);
}

/* One line for each fault, or an object. */
static void print_check(bool as_json, const char *path, const struct err *e)
{
	json_t *out;

	if (!as_json) {
		printf("%s\n", e ? e->text : path);
		return;
	}
	out = json_object();
	json_set_str(out, "path", path);
	json_set_bool(out, "ok", !e);
	json_set_str(out, "what", e ? e->text : NULL);
	ctl_print_json(out);
}

/* Without a file those of the catalogue: it holds none that is wrong. */
static int check(const struct catalog *c, const struct command *cmd, struct arena *a)
{
	bool as_json = ctl_flag(cmd, "json");
	const char *path;
	int status = 0;

	for (size_t i = 0; !ctl_word(cmd, 1) && i < c->flow_count; i++)
		print_check(as_json, c->flows[i].path, NULL);
	for (size_t i = 1; (path = ctl_word(cmd, i)); i++) {
		struct err e = {0};
		bool good = check_file(c, path, a, &e);

		print_check(as_json, path, good ? NULL : &e);
		if (!good)
			status = 1;
	}
	return status;
}

int ctl_flow(const struct command *cmd)
{
	const char *verb = ctl_word(cmd, 0);
	bool checks = verb && strcmp(verb, "check") == 0;
	struct arena *a;
	struct catalog *c;
	struct err e = {0};
	int status;

	if (verb && strcmp(verb, "run") == 0)
		return ctl_flow_run(cmd);
	if (!verb || (!checks && strcmp(verb, "list") != 0))
		return ctl_misused(cmd, "list, check or run?");
	if (!ctl_catalog(ctl_option(cmd, "tenant", "vesper"), &c))
		return 1;
	a = arena_new(FLOW_ARENA_BYTES);
	if (checks)
		status = check(c, cmd, a);
	else
		status = list(c, cmd, a, &e) ? 0 : ctl_fail("%s", e.text);
	arena_free(&a);
	catalog_unref(&c);
	return status;
}
