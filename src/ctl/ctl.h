/* vesperctl's verbs: each takes its own arguments (argv[0] is the verb) and returns the exit
 * status. */
#ifndef VESPER_CTL_H
#define VESPER_CTL_H

#include <jansson.h>

#include "vesper/catalog.h"
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
int ctl_pbi(int argc, char **argv);
int ctl_receipt(int argc, char **argv);

/* The value of an option such as "--tenant", or the fallback. Options and their values are skipped
 * by ctl_word. */
const char *ctl_option(int argc, char **argv, const char *name, const char *fallback);
bool ctl_flag(int argc, char **argv, const char *name);
/* The n-th word that is neither a flag nor an option's value; NULL when there is none. */
const char *ctl_word(int argc, char **argv, int n);

/* Prints "vesperctl: …" and returns 1. */
int ctl_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A GET of this path at the daemon answers 200. */
bool ctl_probe(const char *path);

const char *ctl_root(void); /* VESPER_ROOT or where the sources are */
/* The installed catalogue, and a principal with every permission of a role. */
bool ctl_catalog(struct catalog **out);
/* Somebody with the permissions of a role. */
void ctl_principal(const struct catalog *c, const char *role, struct principal *out);
void ctl_print_json(json_t *take);

#endif
