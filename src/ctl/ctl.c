/* Shared by all verbs: command line, location of files, error messages, and main. */
#include "ctl.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "databases.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/zone.h"

#define FIRST_OPTION_VALUE 256 /* beyond the values of letters */

static const char *program = "vesperctl";

static struct command_option *find_option(struct command *cmd, const char *name, size_t len)
{
	for (size_t i = 0; i < cmd->option_count; i++)
		if (strncmp(cmd->options[i].name, name, len) == 0 && !cmd->options[i].name[len])
			return &cmd->options[i];
	return NULL;
}

/* "--tenant T" has a value; "--json]" and "--all [" have none. */
static void parse_usage_options(struct command *cmd)
{
	for (const char *p = cmd->usage; (p = strstr(p, "--"));) {
		size_t len = strspn(p += 2, "-abcdefghijklmnopqrstuvwxyz");
		struct command_option *o;

		if (find_option(cmd, p, len))
			continue;
		assert(cmd->option_count < OPTIONS_MAX && len < OPTION_NAME_BYTES);
		o = &cmd->options[cmd->option_count++];
		*o = (struct command_option){
			.has_value = p[len] == ' ' && !strchr("[|<", p[len + 1]) ? required_argument
										 : no_argument};
		memcpy(o->name, p, len);
	}
}

int ctl_read(int argc, char **argv, const char *usage, struct command *out)
{
	struct option options[OPTIONS_MAX + 1] = {0};
	int option_index;

	*out = (struct command){.verb = argv[0], .usage = usage};
	parse_usage_options(out);
	for (size_t i = 0; i < out->option_count; i++)
		options[i] = (struct option){.name = out->options[i].name,
					     .has_arg = out->options[i].has_value,
					     .val = FIRST_OPTION_VALUE + (int)i};
	opterr = 0;
	optind = 0; /* resets getopt */
	while ((option_index = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		if (option_index == ':')
			return ctl_usage_error(out, "%s needs a value", argv[optind - 1]);
		if (option_index < FIRST_OPTION_VALUE)
			return ctl_usage_error(out, "unknown option %s", argv[optind - 1]);
		out->options[option_index - FIRST_OPTION_VALUE].value = optarg ? optarg : "";
	}
	out->words = argv + optind;
	out->word_count = (size_t)(argc - optind);
	return 0;
}

const char *ctl_option(const struct command *cmd, const char *name, const char *fallback)
{
	for (size_t i = 0; i < cmd->option_count; i++)
		if (cmd->options[i].value && strcmp(cmd->options[i].name, name) == 0)
			return cmd->options[i].value;
	return fallback;
}

bool ctl_flag(const struct command *cmd, const char *name)
{
	return ctl_option(cmd, name, NULL) != NULL;
}

static const char *tenant_zone(const struct config *c, const char *tenant)
{
	const json_t *own = c ? json_object_get(config_json(c, "tenants"), tenant) : NULL;
	const char *name = json_string_value(json_object_get(own, "timezone"));

	return name ? name : c ? config_text(c, "calendar.timezone") : "";
}

bool ctl_today(const struct command *cmd, const struct config *c, const char *tenant,
	       struct date *out, struct err *e)
{
	const char *text = ctl_option(cmd, "today", c ? config_text(c, "today") : "");
	struct moment m = {0};
	struct zone *zone;

	if (*text && !moment_parse(text, &m))
		return err_set(e, ERR_INPUT,
			       "--today: \"%s\" is not a day or time like " MOMENT_FORMS, text);
	if (!zone_load(tenant_zone(c, tenant), &zone, e))
		return false;
	if (*text)
		moment_freeze(&m, zone);
	*out = zone_today(zone);
	zone_free(&zone);
	return true;
}

const char *ctl_arg(const struct command *cmd, size_t n)
{
	return n < cmd->word_count ? cmd->words[n] : NULL;
}

int ctl_fail(const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", program);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	return 1;
}

int ctl_usage_error(const struct command *cmd, const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "%s %s: ", program, cmd->verb);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fprintf(stderr, " (%s %s --help)\n", program, cmd->verb);
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

/* `tenant` NULL: the default packs. */
static bool check_tenant(const struct config *config, const char *tenant, struct err *e)
{
	const json_t *tenants = config_json(config, "tenants"), *unused;
	const char *name;
	struct buf b;

	if (!tenant || json_object_get(tenants, tenant))
		return true;
	buf_init(&b, sizeof(e->text));
	json_object_foreach((json_t *)tenants, name, unused)
		buf_printf(&b, "%s%s", b.n > 0 ? ", " : "", name);
	err_set(e, ERR_INPUT, "unknown tenant %s; known tenants: %s", tenant, buf_text(&b));
	buf_deinit(&b);
	return false;
}

bool ctl_load_catalog(const struct config *config, const char *tenant, struct catalog **out,
		      struct err *e)
{
	struct arena *a = arena_new(CATALOG_BYTES_MAX);
	const char *const *roots;
	struct pack_list packs;
	bool ok = check_tenant(config, tenant, e) &&
		  databases_read_packs(config, ctl_root(), tenant, a, &roots, &packs, e) &&
		  catalog_load(roots, &packs, out, e);

	arena_free(&a);
	return ok;
}

bool ctl_read_catalog(const char *tenant, struct catalog **out, struct err *e)
{
	struct arena *a = arena_new(CATALOG_BYTES_MAX);
	struct config *config = NULL;
	bool ok = ctl_config(a, &config, e) && ctl_load_catalog(config, tenant, out, e);

	config_free(&config);
	arena_free(&a);
	return ok;
}

bool ctl_catalog(const char *tenant, struct catalog **out)
{
	struct err e = {0};

	if (ctl_read_catalog(tenant, out, &e))
		return true;
	ctl_fail("%s", e.text);
	return false;
}

static bool fail_unknown_role(const struct catalog *c, const char *role, struct err *e)
{
	const char *name;
	struct buf b;

	buf_init(&b, sizeof(e->text));
	for (size_t i = 0; (name = catalog_role_name(c, i)); i++)
		buf_printf(&b, "%s%s", i ? ", " : "", name);
	err_set(e, ERR_INPUT, "unknown role %s; roles in config/permissions.json: %s", role,
		buf_text(&b));
	buf_deinit(&b);
	return false;
}

bool ctl_principal(const struct catalog *c, const char *role, const char *tenant,
		   struct principal *out, struct err *e)
{
	const char *const *permissions = catalog_role(c, role);

	if (!permissions)
		return fail_unknown_role(c, role, e);
	*out = (struct principal){
		.user = "vesperctl", .tenant = tenant, .permissions = permissions};
	while (permissions[out->permission_count])
		out->permission_count++;
	return true;
}

bool ctl_tool_args(const struct command *cmd, size_t n, const struct tool_def *tool, json_t *out,
		   struct err *e)
{
	for (const char *word; (word = ctl_arg(cmd, n)); n++) {
		const char *equals = strchr(word, '=');
		char *name = equals ? mem_strndup(word, (size_t)(equals - word)) : NULL;
		const struct param_def *p = name ? tool_param(tool, name) : NULL;

		mem_free(name);
		if (!p)
			return err_set(e, ERR_INPUT,
				       "%s: expected name=value with a parameter of %s", word,
				       tool->name);
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

bool ctl_make_folders(const char *path, struct arena *a, struct err *e)
{
	char *copy = arena_strdup(a, path);

	for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(copy, 0777) != 0 && errno != EEXIST)
			return err_set(e, ERR_UPSTREAM, "%s: %s", copy, strerror(errno));
		*slash = '/';
	}
	return true;
}

/* ---- The program ---- */

static void print_verb(FILE *out, const struct verb *v)
{
	fprintf(out, "  %s %s%s%s\n      %s\n", program, v->name, *v->usage ? " " : "", v->usage,
		v->about);
}

static void print_help(FILE *out, const struct program *p)
{
	fprintf(out,
		"%s Exit status: 0 for success or yes, 1 for failure or no, 2 for a wrong command\n"
		"line, 3 for an open clarifying question.\n\n",
		p->about);
	for (const struct verb *v = p->verbs; v->name; v++)
		print_verb(out, v);
}

#define COMPLETED_LETTERS "abcdefghijklmnopqrstuvwxyz-"

/* Prints the first words of one form of a verb's usage: "join|apart ID ID" gives two. A leading
 * name of the verb itself ("db ddl") is skipped. */
static void print_first_words(const struct verb *v, const char *form)
{
	size_t own = strlen(v->name), n;

	if (strncmp(form, v->name, own) == 0 && form[own] == ' ')
		form += own + 1;
	while (*form != '-' && (n = strspn(form, COMPLETED_LETTERS)) > 0) {
		printf("%.*s ", (int)n, form);
		form += n;
		form += *form == '|';
	}
}

/* Prints the options of a verb, and the first words of each form of its usage. Forms are separated
 * by " | " or "; ". A separator in brackets, or without spaces, separates values. */
static void print_choices(const struct verb *v)
{
	int depth = 0;

	for (const char *p = v->usage; (p = strstr(p, "--")); p += strspn(p, COMPLETED_LETTERS))
		printf("%.*s ", (int)strspn(p, COMPLETED_LETTERS), p);
	print_first_words(v, v->usage);
	for (const char *p = v->usage; *p; p++) {
		depth += (*p == '[') - (*p == ']');
		if (depth == 0 && strncmp(p, " | ", 3) == 0)
			print_first_words(v, p + 3);
		else if (depth == 0 && strncmp(p, "; ", 2) == 0)
			print_first_words(v, p + 2);
	}
}

int ctl_print_completion(const struct program *p, const char *shell)
{
	if (!shell || (strcmp(shell, "bash") != 0 && strcmp(shell, "zsh") != 0)) {
		fprintf(stderr, "%s: completion bash|zsh\n", program);
		return 2;
	}
	if (strcmp(shell, "zsh") == 0) /* zsh can read bash's functions */
		puts("autoload -U +X bashcompinit && bashcompinit");
	printf("_%s() {\n\tlocal word=${COMP_WORDS[COMP_CWORD]} choices\n"
	       "\tcase $COMP_CWORD,${COMP_WORDS[1]} in\n\t1,*) choices='help ",
	       program);
	for (const struct verb *v = p->verbs; v->name; v++)
		printf("%s ", v->name);
	puts("';;");
	for (const struct verb *v = p->verbs; v->name; v++) {
		printf("\t*,%s) choices='", v->name);
		print_choices(v);
		puts("';;");
	}
	printf("\tesac\n\tCOMPREPLY=($(compgen -W \"$choices\" -- \"$word\" | sort -u))\n}\n"
	       "complete -o default -F _%s %s\n",
	       program, program);
	return 0;
}

static bool is_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static int run_verb(const struct verb *v, int argc, char **argv)
{
	struct command cmd;
	int status;

	for (int i = 1; i < argc; i++)
		if (is_help(argv[i])) {
			print_verb(stdout, v);
			return 0;
		}
	status = ctl_read(argc, argv, v->usage, &cmd);
	if (!mem_disable_dumps())
		fprintf(stderr, "%s: cannot protect the process memory: %s\n", program,
			strerror(errno));
	return status ? status : v->run(&cmd);
}

int ctl_main(const struct program *p, int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	program = p->name;
	for (const struct verb *v = p->verbs; v->name; v++)
		if (strcmp(v->name, name) == 0)
			return run_verb(v, argc - 1, argv + 1);
	if (is_help(name) || strcmp(name, "help") == 0) {
		print_help(stdout, p);
		return 0;
	}
	if (strcmp(name, "--version") == 0) {
		printf("%s " VESPER_VERSION "\n", program);
		return 0;
	}
	if (*name)
		fprintf(stderr, "%s: unknown verb %s\n\n", program, name);
	print_help(stderr, p);
	return 2;
}
