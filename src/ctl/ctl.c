/* What the verbs of vesperctl share: their small command line, the place of the files, and one way
 * to fail. */
#include "ctl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "databases.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

/* Options without a value; every other one has one. */
static const char *const flags[] = {"--json",    "--small", "--replace", "--all",
				    "--written", "--write", NULL};

static bool is_flag(const char *word)
{
	for (size_t i = 0; flags[i]; i++)
		if (strcmp(flags[i], word) == 0)
			return true;
	return false;
}

const char *ctl_option(int argc, char **argv, const char *name, const char *fallback)
{
	for (int i = 1; i + 1 < argc; i++)
		if (strcmp(argv[i], name) == 0)
			return argv[i + 1];
	return fallback;
}

static bool is_named(const char *usage, const char *option)
{
	size_t n = strlen(option);

	for (const char *p = strstr(usage, option); p; p = strstr(p + n, option))
		if (!p[n] || !strchr("-abcdefghijklmnopqrstuvwxyz", p[n]))
			return true;
	return false;
}

int ctl_check_options(int argc, char **argv, const char *usage)
{
	for (int i = 1; i < argc; i++) {
		if (strncmp(argv[i], "--", 2) != 0)
			continue;
		if (!is_named(usage, argv[i]))
			return ctl_misused(argv, "there is no option %s", argv[i]);
		if (is_flag(argv[i]))
			continue;
		if (++i == argc)
			return ctl_misused(argv, "%s needs a value", argv[i - 1]);
	}
	return 0;
}

bool ctl_flag(int argc, char **argv, const char *name)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], name) == 0)
			return true;
	return false;
}

const char *ctl_word(int argc, char **argv, int n)
{
	for (int i = 1; i < argc; i++) {
		if (is_flag(argv[i]))
			continue;
		if (strncmp(argv[i], "--", 2) == 0) {
			i++;
			continue;
		}
		if (n-- == 0)
			return argv[i];
	}
	return NULL;
}

int ctl_fail(const char *fmt, ...)
{
	va_list args;

	fputs("vesperctl: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	return 1;
}

int ctl_misused(char **argv, const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "vesperctl %s: ", argv[0]);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fprintf(stderr, " (vesperctl %s --help)\n", argv[0]);
	return 2;
}

const char *ctl_root(void)
{
	const char *root = getenv("VESPER_ROOT");

	return root && *root ? root : VESPER_ROOT;
}

bool ctl_config(struct arena *a, struct config **out, struct err *e)
{
	const char *path = getenv("VESPER_CONFIG");

	if (!path || !*path)
		path = arena_printf(a, "%s/config/vesper.json", ctl_root());
	return config_load(path, environ, out, e);
}

bool ctl_load(const struct config *config, const char *tenant, struct catalog **out, struct err *e)
{
	struct arena *a = arena_new(CATALOG_BYTES_MAX);
	const char *const *roots;
	struct pack_list packs;
	bool good = databases_packs(config, ctl_root(), tenant, a, &roots, &packs, e) &&
		    catalog_load(roots, &packs, out, e);

	arena_free(&a);
	return good;
}

bool ctl_catalog_of(const char *tenant, struct catalog **out, struct err *e)
{
	struct arena *a = arena_new(CATALOG_BYTES_MAX);
	struct config *config = NULL;
	bool good = ctl_config(a, &config, e) && ctl_load(config, tenant, out, e);

	config_free(&config);
	arena_free(&a);
	return good;
}

bool ctl_catalog(const char *tenant, struct catalog **out)
{
	struct err e = {0};

	if (ctl_catalog_of(tenant, out, &e))
		return true;
	ctl_fail("%s", e.text);
	return false;
}

bool ctl_principal(const struct catalog *c, const char *role, const char *tenant,
		   struct principal *out, struct err *e)
{
	const char *const *permissions = catalog_role(c, role);

	if (!permissions)
		return err_set(e, ERR_INPUT, "there is no role %s in config/permissions.json",
			       role);
	*out = (struct principal){
		.user = "vesperctl", .tenant = tenant, .permissions = permissions};
	while (permissions[out->permission_count])
		out->permission_count++;
	return true;
}

bool ctl_tool_args(int argc, char **argv, int n, const struct tool_def *tool, json_t *out,
		   struct err *e)
{
	for (const char *word; (word = ctl_word(argc, argv, n)); n++) {
		const char *equals = strchr(word, '=');
		char *name = equals ? mem_strndup(word, (size_t)(equals - word)) : NULL;
		const struct param_def *p = name ? tool_param(tool, name) : NULL;

		mem_free(name);
		if (!p)
			return err_set(e, ERR_INPUT, "%s: not name=value of a parameter of %s",
				       word, tool->name);
		if (!p->is_list) {
			json_set_take(out, p->name, json_str(equals + 1));
			continue;
		}
		if (!json_object_get(out, p->name))
			json_set_take(out, p->name, json_array());
		json_push_take(json_object_get(out, p->name), json_str(equals + 1));
	}
	return true;
}

void ctl_print_json(json_t *take)
{
	char *text = json_text(take);

	puts(text);
	mem_free(text);
	json_decref(take);
}
