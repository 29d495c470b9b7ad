/*
 * Any question, alone and after another one, any standing object and any edited filters: reading
 * ends, and what it says holds together: every call has all required arguments, every value of a
 * dimension that is known beforehand is one of them.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/nlu.h"
#include "vesper/mem.h"

static struct catalog *catalog;
static struct nlu *nlu;
static struct principal who = {.user = "u", .tenant = "t"};

/* Names of the tenant's data: nothing else may become a project. */
static const char *const projects[] = {"Nazareth Solar", "Sierra Wind",   "Sierra Solar",
				       "O'Brien Solar",  "100% Solar",    "project_7",
				       "Kern Wind Farm", "Kern Wind Park"};
#define PROJECTS (sizeof(projects) / sizeof(projects[0]))

static void start(void)
{
	struct err e;

	if (!catalog_load((const char *const[]){VESPER_SOURCE_DIR, NULL}, NULL, &catalog, &e))
		abort();
	who.permissions = catalog_role(catalog, "admin");
	while (who.permissions && who.permissions[who.permission_count])
		who.permission_count++;
	nlu = nlu_new(catalog);
	if (!entity_index_load(nlu_names(nlu), who.tenant, "project_name", projects, PROJECTS))
		abort();
}

static bool is_project(const char *text)
{
	for (size_t i = 0; i < PROJECTS; i++)
		if (strcmp(projects[i], text) == 0)
			return true;
	return false;
}

static bool is_value(const struct dimension_def *d, const char *text)
{
	if (d && strcmp(d->name, "project_name") == 0)
		return is_project(text);
	if (!d || !d->values || !d->values[0])
		return true;
	for (size_t i = 0; d->values[i]; i++)
		if (strcmp(d->values[i], text) == 0)
			return true;
	return false;
}

static void check_call(const struct nlu_call *call)
{
	for (size_t i = 0; i < call->tool->param_count; i++) {
		const struct param_def *p = &call->tool->params[i];
		const struct arg *arg = args_find(&call->args, p->name);

		if (!arg && (p->required || p->default_text))
			abort();
		for (size_t v = 0; arg && v < arg->count; v++) {
			const struct value *value = &arg->values[v];

			if (p->type == PARAM_INT && value->type != VALUE_INT)
				abort();
			if (p->type == PARAM_INT && p->has_max && value->number > p->max)
				abort();
			if (p->entity &&
			    !is_value(catalog_dimension(catalog, p->entity), value->text))
				abort();
		}
	}
}

static void ask(const char *question, const json_t *standing, const json_t *edited, struct arena *a,
		struct understanding *u)
{
	struct catalog_view may;
	struct buf filters;
	struct json_out j;
	json_t *json;

	catalog_for(catalog, &who, a, &may);
	nlu_understand(nlu,
		       &(struct nlu_input){.question = question,
					   .tenant = who.tenant,
					   .may = &may,
					   .today = {2026, 2, 27},
					   .session_context = standing,
					   .edited_filters = edited},
		       a, u);
	for (size_t i = 0; i < u->tool_count; i++)
		check_call(&u->tools[i]);
	if (u->tool_count > 0 && u->ask.text)
		abort();
	if (u->confidence < 0 || u->confidence > 1)
		abort();
	json = nlu_route_json(u);
	json_decref(json);
	buf_init(&filters, SIZE_MAX / 2);
	jo_init(&j, &filters);
	nlu_filters_write(u, catalog->language, &j);
	buf_deinit(&filters);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_strndup((const char *)data, size), *second, *third;
	struct arena *a = arena_new(1 << 26);
	struct understanding u;
	json_t *standing, *edited = NULL;
	struct err e;

	if (!nlu)
		start();
	second = strchr(text, '\n');
	if (second)
		*second++ = '\0';
	third = second ? strchr(second, '\n') : NULL;
	if (third)
		*third++ = '\0';
	ask(text, NULL, NULL, a, &u);
	standing = nlu_session_context(&u);
	if (second)
		ask(second, standing, NULL, a, &u);
	if (third && json_parse(third, strlen(third), 65536, &edited, &e)) {
		if (json_is_object(edited)) {
			ask(text, standing, edited, a, &u);
			ask(text, edited, NULL, a, &u);
		}
		json_decref(edited);
	}
	json_decref(standing);
	arena_free(&a);
	mem_free(text);
	return 0;
}
