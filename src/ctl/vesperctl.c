/* vesperctl: the tools around the daemon, one verb each. */
#include <stdio.h>
#include <string.h>

#include "ctl.h"
#include "vesper/mem.h"

static const struct verb {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *usage; /* its words and every option that it knows */
	const char *about;
} verbs[] = {
	{"ask", ctl_ask, "\"QUESTION\" [--role R] [--tenant T] [--session ID] [--json]",
	 "asks a running daemon and writes the answer as it comes. VESPER_URL says where it is, "
	 "VESPER_TOKEN who asks; a demo signs in R of T (manager of vesper)"},
	{"token", ctl_token, "[--sub U] [--tenant T] [--role R | --perms a,b] [--life-s N]",
	 "mints a development token with the daemon's VESPER_JWT_SECRET"},
	{"tools", ctl_tools, "[--role R] [--tenant T]", "what a role may use, as JSON"},
	{"tool", ctl_tool,
	 "sql|run NAME [name=value ...] [--tenant T] [--role R] [--dialect "
	 "mssql|postgres|sqlite] [--today D] | run --batch FILE",
	 "a tool's SQL, or what it gives on the configured warehouse; run may be left out"},
	{"route", ctl_route,
	 "\"QUESTION\" [--history FILE] [--today D] [--tenant T] | --batch FILE",
	 "what code alone makes of a question"},
	{"check-sql", ctl_check_sql,
	 "[--dialect mssql|postgres|sqlite] [--json] [--written] < FILE",
	 "what the gate says to statements; a line is id<TAB>sql, or {\"id\",\"sql\"}"},
	{"eval", ctl_eval, "DIR|FILE [--json] [--junit FILE]",
	 "runs recorded conversations again, without network, and compares rows and facts"},
	{"receipt", ctl_receipt,
	 "verify | show ID | rerun ID ... | rerun --all [--tenant T] [--json]",
	 "whether the records of how answers came about are untouched, what one says, whether its "
	 "calls give the same now"},
	{"probe", ctl_probe_verb, "[PATH]",
	 "ends with 0 when that path of the daemon (/readyz) answers 200"},
	{"db", ctl_db,
	 "init|migrate|seed --dsn DSN [--dialect mssql|postgres] [--only warehouse|store|SOURCE] "
	 "[--small] [--replace]; db ddl --pack P --dialect D [--source S] [--write]",
	 "schema, logins and demo data on SQL Server or PostgreSQL; DDL of a pack's tables.json"},
	{"pbi", ctl_pbi,
	 "ingest --tenant T --file FILE|--dsn DSN [--workspace ID,...] [--from D] [--to D] "
	 "[--state FILE]",
	 "who used which Power BI report, day by day"},
	{"demo-data", ctl_demo_data, "DIR [--small]",
	 "makes the demo databases there, if they are not"},
	{"demo-check", ctl_demo_check, "",
	 "starts the daemon, asks the reference question, prints the answer, stops"},
};

#define VERBS (sizeof(verbs) / sizeof(verbs[0]))

static void print_verb(FILE *out, const struct verb *v)
{
	fprintf(out, "  vesperctl %s%s%s\n      %s\n", v->name, *v->usage ? " " : "", v->usage,
		v->about);
}

static void print_all(FILE *out)
{
	fputs("The tools around vesperd. It ends with 0 when it is done or the answer is yes, 1 "
	      "when it failed or the\nanswer is no, 2 when it was asked wrongly.\n\n",
	      out);
	for (size_t i = 0; i < VERBS; i++)
		print_verb(out, &verbs[i]);
}

static bool is_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static int run_verb(const struct verb *v, int argc, char **argv)
{
	int status;

	for (int i = 1; i < argc; i++)
		if (is_help(argv[i])) {
			print_verb(stdout, v);
			return 0;
		}
	status = ctl_check_options(argc, argv, v->usage);
	if (!mem_keep_private())
		perror("vesperctl: its memory stays readable");
	return status ? status : v->run(argc, argv);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	for (size_t i = 0; i < VERBS; i++)
		if (strcmp(verbs[i].name, name) == 0)
			return run_verb(&verbs[i], argc - 1, argv + 1);
	if (is_help(name) || strcmp(name, "help") == 0) {
		print_all(stdout);
		return 0;
	}
	if (strcmp(name, "--version") == 0) {
		puts("vesperctl " VESPER_VERSION);
		return 0;
	}
	if (*name)
		fprintf(stderr, "vesperctl: there is no verb %s\n\n", name);
	print_all(stderr);
	return 2;
}
