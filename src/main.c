/* The command line of vesperd: reads the configuration, then serves, checks or prints. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon.h"
#include "vesper/catalog.h"
#include "vesper/clock.h"
#include "vesper/log.h"
#include "vesper/tool.h"

static const char usage[] =
	"vesperd               serves with the settings of config/vesper.json (or VESPER_CONFIG) "
	"and of VESPER_... variables\n"
	"vesperd --take-over   the same, with the sockets of the running vesperd (handover), which "
	"then exits\n"
	"vesperd --record DIR  serves, and writes every model exchange and turn to DIR\n"
	"vesperd --check       loads everything, checks it against the databases, and reports "
	"errors\n"
	"vesperd --print-config | --print-keys | --print-turn | --version\n"
	"VESPER_DEMO=1 starts the demo: users without passwords, for this machine only.\n";

static int print_with(void (*print)(struct buf *out))
{
	struct buf b;

	buf_init(&b, 65536);
	print(&b);
	fputs(buf_text(&b), stdout);
	buf_deinit(&b);
	return 0;
}

static int print_config(const struct config *c)
{
	json_t *json = config_print(c);

	json_dumpf(json, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(json);
	return 0;
}

/* ---- --check ---- */

struct checking {
	struct daemon *daemon;
	size_t left; /* pending checks of tenants */
	int problems;
};

static void on_problem(void *owner, const char *text)
{
	struct checking *c = owner;

	c->problems++;
	fprintf(stderr, "vesperd: %s\n", text);
}

static void on_tenant_checked(void *owner)
{
	struct checking *c = owner;

	if (--c->left == 0)
		loop_stop(c->daemon->loop);
}

static void on_store_checked(void *owner, const struct err *e)
{
	if (e)
		on_problem(owner, e->text);
	on_tenant_checked(owner);
}

/* Only checks stores on a server. For a file, the store's check would migrate it, which --check
 * must not do. */
static void check_stores(struct checking *c)
{
	struct daemon *d = c->daemon;

	if (d->databases.store_dialect == DIALECT_SQLITE)
		return;
	c->left += d->databases.tenant_count;
	for (size_t i = 0; i < d->databases.tenant_count; i++)
		store_migrate(d->store, d->databases.tenant_ids[i], on_store_checked, c);
}

/* Loads everything that a start loads, compares it with the live schema of each tenant, and prints
 * the errors, or a summary. */
static int check(struct daemon *d)
{
	struct checking c = {.daemon = d};
	const struct turn_knowledge *k;
	struct err e = {0};
	size_t tenants;

	if (!daemon_build(d, &e)) {
		fprintf(stderr, "vesperd: %s\n", e.text);
		return 1;
	}
	c.left = d->databases.tenant_count;
	check_stores(&c);
	for (size_t i = 0; i < d->databases.tenant_count; i++)
		toolbox_check(turns_knowledge(d->turns, d->databases.tenant_ids[i])->tools,
			      d->databases.tenant_ids[i], on_problem, on_tenant_checked, &c);
	loop_run(d->loop);
	if (c.problems > 0) {
		fprintf(stderr, "vesperd: %d problems\n", c.problems);
		return 1;
	}
	for (size_t i = 0; (k = daemon_knowledge(d, i, &tenants)) != NULL; i++)
		printf("ok: %zu domains, %zu tools, %zu dimensions, %zu reports, %zu tenants, "
		       "catalogue %.*s of packs %s\n",
		       k->catalog->domain_count, k->catalog->tool_count,
		       k->catalog->dimension_count, k->catalog->report_count, tenants,
		       STR_CUT(k->catalog->hash, 12), k->catalog->packs);
	return 0;
}

int main(int argc, char **argv)
{
	struct daemon d = {0};
	struct err e = {0};
	const char *verb = argc > 1 ? argv[1] : "";
	int status = 2;

	if (strcmp(verb, "--version") == 0) {
		puts("vesperd " VESPER_VERSION);
		return 0;
	}
	if (strcmp(verb, "--help") == 0 || strcmp(verb, "-h") == 0) {
		fputs(usage, stdout);
		return 0;
	}
	if (strcmp(verb, "--print-turn") == 0)
		return print_with(turn_print);
	if (strcmp(verb, "--print-keys") == 0)
		return print_with(config_print_keys);
	if (argc == 3 && strcmp(verb, "--record") == 0) {
		d.record.folder = argv[2];
	} else if (argc > 2 ||
		   (*verb && strcmp(verb, "--take-over") != 0 && strcmp(verb, "--check") != 0 &&
		    strcmp(verb, "--print-config") != 0)) {
		fprintf(stderr, "vesperd: unexpected argument %s\nusage:\n%s", argv[argc - 1],
			usage);
		return 2;
	}
	if (!daemon_setup(&d, &e)) {
		fprintf(stderr, "vesperd: %s\n", e.text);
		status = 1;
	} else if (strcmp(verb, "--print-config") == 0) {
		status = print_config(d.config);
	} else if (strcmp(verb, "--check") == 0) {
		status = check(&d);
	} else {
		status = daemon_serve(&d, strcmp(verb, "--take-over") == 0);
	}
	daemon_limit_shutdown();
	daemon_free_parts(&d);
	config_free(&d.config);
	return status;
}
