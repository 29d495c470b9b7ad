/*
 * The verbs of vesperctl and of vesper-demo, and what they share. A verb receives its command line,
 * which has only options that its usage names. It returns the exit status: 0 success, or the answer
 * is yes; 1 failure, or the answer is no; 2 the command line is wrong; 3 a clarifying question is
 * open; 4 (flow run --if) the condition could not be evaluated.
 */
#ifndef VESPER_CTL_H
#define VESPER_CTL_H

#include <jansson.h>
#include <stdbool.h>

#include "vesper/catalog.h"
#include "vesper/config.h"
#include "vesper/clock.h"
#include "vesper/principal.h"

#define OPTIONS_MAX       14
#define OPTION_NAME_BYTES 16

/* The command line of a verb. Texts are borrowed from main's arguments. */
struct command {
	const char *verb;
	const char *usage;
	char *const *words; /* arguments without options and their values */
	size_t word_count;
	struct command_option {
		char name[OPTION_NAME_BYTES]; /* without "--" */
		int has_value;                /* as for getopt_long */
		const char *value;            /* NULL: not given; "" for a flag */
	} options[OPTIONS_MAX];
	size_t option_count;
};

struct verb {
	const char *name;
	int (*run)(const struct command *cmd);
	const char *usage; /* words and options: "--json]" is a flag, "--role R" has a value */
	const char *about;
};

struct program {
	const char *name;
	const char *about;
	const struct verb *verbs; /* NULL name at the end */
};

/* Implements main. */
int ctl_main(const struct program *p, int argc, char **argv);
/* Prints a script for "bash" or "zsh" that completes verbs, their options and first words. */
int ctl_print_completion(const struct program *p, const char *shell);
/* Parses the arguments after argv[0], which is the verb; argv is reordered. Prints an error and
 * returns 2 for an option that `usage` does not name or that lacks its value; else returns 0. */
int ctl_read(int argc, char **argv, const char *usage, struct command *out);

int ctl_ask(const struct command *cmd);
int ctl_token(const struct command *cmd);
int ctl_tools(const struct command *cmd);
int ctl_tool(const struct command *cmd);
int ctl_tool_run(const struct command *cmd); /* tool [run] NAME */
int ctl_route(const struct command *cmd);
int ctl_flow(const struct command *cmd);
int ctl_flow_run(const struct command *cmd); /* flow run */
int ctl_probe_verb(const struct command *cmd);
int ctl_check_sql(const struct command *cmd);
int ctl_eval(const struct command *cmd);
int ctl_connect(const struct command *cmd);
int ctl_map_import(const struct command *cmd); /* map import */
int ctl_db(const struct command *cmd);
int ctl_db_ddl(const struct command *cmd); /* db ddl */
int ctl_pbi(const struct command *cmd);
int ctl_document(const struct command *cmd);
int ctl_map(const struct command *cmd);
int ctl_receipt(const struct command *cmd);
int ctl_source(const struct command *cmd);

/* The value of an option such as "tenant", or the fallback. */
const char *ctl_option(const struct command *cmd, const char *name, const char *fallback);
bool ctl_flag(const struct command *cmd, const char *name);
/* Today for this tenant: the day of --today, else the configured day or moment that the clock is
 * frozen to, else the date in the tenant's zone. `c` NULL: no configuration. */
MUST_CHECK bool ctl_today(const struct command *cmd, const struct config *c, const char *tenant,
			  struct date *out, struct err *e);
/* The n-th argument that is not an option; NULL if there are fewer. */
const char *ctl_arg(const struct command *cmd, size_t n);

/* Prints the program's name and the text, returns 1. */
int ctl_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same for a wrong command line: also refers to the verb's usage, and returns 2. */
int ctl_usage_error(const struct command *cmd, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Connects with --dsn (or VESPER_ADMIN_DSN) and --dialect. */
struct server;
MUST_CHECK bool ctl_server(const struct command *cmd, struct server **out, struct err *e);

/* Returns true when a GET of this path at the daemon answers 200. */
bool ctl_probe(const char *path);

const char *ctl_root(void); /* VESPER_ROOT or the source tree */
/* That root and those of packs.roots, NULL-terminated. */
MUST_CHECK bool ctl_roots(struct arena *a, const char *const **out, struct err *e);
/* Returns true for a valid name of a pack or source. */
bool ctl_is_name(const char *text);
/* The configuration that the daemon would use. */
MUST_CHECK bool ctl_config(struct arena *a, struct config **out, struct err *e);
/* The catalogue of a tenant's packs (NULL: the default packs). */
MUST_CHECK bool ctl_load_catalog(const struct config *config, const char *tenant,
				 struct catalog **out, struct err *e);
/* The same with the daemon's configuration; ctl_catalog prints the error. */
MUST_CHECK bool ctl_read_catalog(const char *tenant, struct catalog **out, struct err *e);
bool ctl_catalog(const char *tenant, struct catalog **out);
/* A principal with the permissions of a role. */
MUST_CHECK bool ctl_principal(const struct catalog *c, const char *role, const char *tenant,
			      struct principal *out, struct err *e);
/* Reads the n-th word and those after it, each name=value of a parameter of the tool, as a model
 * would pass them. A repeated name gives a list. Adds new members to `out`. */
MUST_CHECK bool ctl_tool_args(const struct command *cmd, size_t n, const struct tool_def *tool,
			      json_t *out, struct err *e);
void ctl_print_json(json_t *take);
/* Creates the parent folders of a path. */
MUST_CHECK bool ctl_make_folders(const char *path, struct arena *a, struct err *e);

#endif
