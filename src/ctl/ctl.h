/*
 * vesperctl's verbs. Each takes its own arguments (argv[0] is the verb), which hold only options
 * that its usage names, and returns the exit status: 0 it is done, or the answer is yes; 1 it
 * failed, or the answer is no; 2 it was asked in a way that can't be understood.
 */
#ifndef VESPER_CTL_H
#define VESPER_CTL_H

#include <jansson.h>
#include <stdbool.h>

#include "vesper/catalog.h"
#include "vesper/config.h"
#include "vesper/principal.h"

int ctl_ask(int argc, char **argv);
int ctl_token(int argc, char **argv);
int ctl_tools(int argc, char **argv);
int ctl_tool(int argc, char **argv);
int ctl_tool_run(int argc, char **argv); /* tool [run] NAME */
int ctl_route(int argc, char **argv);
int ctl_probe_verb(int argc, char **argv);
int ctl_demo_data(int argc, char **argv);
int ctl_demo_check(int argc, char **argv);
int ctl_check_sql(int argc, char **argv);
int ctl_eval(int argc, char **argv);
int ctl_db(int argc, char **argv);
int ctl_db_ddl(int argc, char **argv); /* db ddl */
int ctl_pbi(int argc, char **argv);
int ctl_receipt(int argc, char **argv);

/* Refuses options that `usage` does not name, and those without the value that they need: says so
 * and returns 2, else 0. */
int ctl_check_options(int argc, char **argv, const char *usage);

/* The value of an option such as "--tenant", or the fallback. Options and their values are skipped
 * by ctl_word. */
const char *ctl_option(int argc, char **argv, const char *name, const char *fallback);
bool ctl_flag(int argc, char **argv, const char *name);
/* The n-th word that is neither a flag nor an option's value; NULL when there is none. */
const char *ctl_word(int argc, char **argv, int n);

/* Prints "vesperctl: …" and returns 1. */
int ctl_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same for a command line that can't be understood: says where the verb's usage is, returns 2.
 */
int ctl_misused(char **argv, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A GET of this path at the daemon answers 200. */
bool ctl_probe(const char *path);

const char *ctl_root(void); /* VESPER_ROOT or where the sources are */
/* That root and those of packs.roots, NULL-ended. */
MUST_CHECK bool ctl_roots(struct arena *a, const char *const **out, struct err *e);
/* Whether a text is a name as packs and sources have. */
bool ctl_is_name(const char *text);
/* The configuration that the daemon would have. */
MUST_CHECK bool ctl_config(struct arena *a, struct config **out, struct err *e);
/* The catalogue of the packs of a tenant (NULL: those that are default). */
MUST_CHECK bool ctl_load(const struct config *config, const char *tenant, struct catalog **out,
			 struct err *e);
/* The same with the configuration of the daemon; ctl_catalog says what is wrong with it. */
MUST_CHECK bool ctl_catalog_of(const char *tenant, struct catalog **out, struct err *e);
bool ctl_catalog(const char *tenant, struct catalog **out);
/* Somebody with the permissions of a role. */
MUST_CHECK bool ctl_principal(const struct catalog *c, const char *role, const char *tenant,
			      struct principal *out, struct err *e);
/* Reads the n-th word and those behind it, each name=value of a parameter of the tool, as a model
 * would give them. A list is given by repeating its name. New members of `out`. */
MUST_CHECK bool ctl_tool_args(int argc, char **argv, int n, const struct tool_def *tool,
			      json_t *out, struct err *e);
void ctl_print_json(json_t *take);

#endif
