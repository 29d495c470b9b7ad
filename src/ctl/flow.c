/* `vesperctl flow`: lists the flows of a tenant's packs and checks them. */
#include <stdio.h>
#include <string.h>

#include "ctl.h"
#include "vesper/file.h"
#include "vesper/json.h"
#include "vesper/nlu.h"
#include "vesper/limits.h"
#include "vesper/ref.h"

#define FLOW_ARENA_BYTES (16 << 20)
#define SAMPLE_DAY       "2026-02-01"

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

static bool list_flows(const struct catalog *c, const struct command *cmd, struct arena *a,
		       struct err *e)
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

/* ---- checking suggestions ---- */

/* A sample value of the kind from the catalogue; "" for names that only the data has. */
static const char *sample_value(const struct catalog *c, const char *entity, bool is_day)
{
	const struct dimension_def *d = entity ? catalog_dimension(c, entity) : NULL;

	return is_day ? SAMPLE_DAY : d && d->values && *d->values ? *d->values : "";
}

static const char *filter_sample(const struct catalog *c, const struct flow_def *f,
				 const char *filter)
{
	const struct param_def *p = NULL;

	for (size_t i = 0; i < f->line_count && !p; i++)
		p = flow_line_param(&f->lines[i], filter);
	return p ? sample_value(c, p->entity, p->type == PARAM_DATE) : "";
}

static const char *column_sample(const struct catalog *c, const struct flow_def *f,
				 const struct ref *r)
{
	const struct flow_line *l = flow_task(f, r->source);

	for (size_t i = 0; l && l->tool && r->kind == REF_CELL && i < l->tool->column_count; i++)
		if (ref_names_match(l->tool->columns[i].name, r->name))
			return sample_value(c, l->tool->columns[i].entity,
					    l->tool->columns[i].type == COLUMN_DATE);
	return "";
}

/* The text with a sample value for each placeholder. */
static const char *fill_placeholders(const struct catalog *c, const struct flow_def *f,
				     const char *text, struct arena *a)
{
	const char *out = "", *open;

	for (; (open = strchr(text, '{')) && strchr(open, '}'); text = strchr(open, '}') + 1) {
		const char *placeholder =
			arena_strndup(a, open + 1, (size_t)(strchr(open, '}') - open) - 1);
		struct err e;
		struct ref r;

		out = arena_printf(a, "%s%.*s%s", out, (int)(open - text), text,
				   strncmp(placeholder, "filter.", 7) == 0
					   ? filter_sample(c, f, placeholder + 7)
				   : ref_parse(placeholder, &r, &e) ? column_sample(c, f, &r)
								    : "");
	}
	return arena_printf(a, "%s%s", out, text);
}

/* Returns true when code reads the text as a question that this pack answers, or that lacks only a
 * name. */
static bool is_answerable(const struct catalog *c, const struct nlu *k, const char *question,
			  struct arena *a)
{
	struct catalog_view may;
	const struct nlu_input in = {.question = question, .may = &may, .today = {2026, 2, 27}};
	struct understanding u;

	catalog_for_all(c, a, &may);
	nlu_understand(k, &in, a, &u);
	return u.flow ||
	       (u.kind == NLU_DATA && u.unused_count == 0 && (u.tool_count > 0 || u.ask_tool));
}

/* ---- check ---- */

static bool check_suggestions(const struct catalog *c, const struct nlu *k,
			      const struct flow_def *f, struct arena *a, struct err *e)
{
	for (size_t i = 0; i < f->line_count; i++) {
		const struct flow_line *l = &f->lines[i];

		if (l->kind == FLOW_SUGGEST &&
		    !is_answerable(c, k, fill_placeholders(c, f, l->text, a), a))
			return err_set(e, ERR_INPUT,
				       "%s:%d: no tool or flow answers the suggestion \"%s\"",
				       f->path, l->line, l->text);
	}
	return true;
}

static bool check_file(const struct catalog *c, const struct nlu *k, const char *path,
		       struct arena *a, struct err *e)
{
	const char *text;
	struct flow_def f;

	return file_read(path, FLOW_BYTES_MAX, a, &text, e) &&
	       flow_read(c, "", path, text, a, &f, e) && check_suggestions(c, k, &f, a, e);
}

/* Prints one line per fault, or an object. */
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

/* Without a file, checks the flows of the catalogue, of which only suggestions can be wrong. */
static int check_flows(const struct catalog *c, const struct command *cmd, struct arena *a)
{
	struct nlu *k = nlu_new(c);
	bool as_json = ctl_flag(cmd, "json"), all = !ctl_arg(cmd, 1);
	int status = 0;

	for (size_t i = 0; all ? i < c->flow_count : ctl_arg(cmd, i + 1) != NULL; i++) {
		const char *path = all ? c->flows[i].path : ctl_arg(cmd, i + 1);
		struct err e = {0};

		bool ok = all ? check_suggestions(c, k, &c->flows[i], a, &e)
			      : check_file(c, k, path, a, &e);
		print_check(as_json, path, ok ? NULL : &e);
		if (!ok)
			status = 1;
	}
	nlu_free(&k);
	return status;
}

int ctl_flow(const struct command *cmd)
{
	const char *verb = ctl_arg(cmd, 0);
	bool is_check = verb && strcmp(verb, "check") == 0;
	struct arena *a;
	struct catalog *c;
	struct err e = {0};
	int status;

	if (verb && strcmp(verb, "run") == 0)
		return ctl_flow_run(cmd);
	if (!verb || (!is_check && strcmp(verb, "list") != 0))
		return ctl_usage_error(cmd, "the verb must be list, check or run");
	if (!ctl_catalog(ctl_option(cmd, "tenant", "vesper"), &c))
		return 1;
	a = arena_new(FLOW_ARENA_BYTES);
	if (is_check)
		status = check_flows(c, cmd, a);
	else
		status = list_flows(c, cmd, a, &e) ? 0 : ctl_fail("%s", e.text);
	arena_free(&a);
	catalog_unref(&c);
	return status;
}
