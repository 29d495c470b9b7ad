/* vesperctl: the tools around the daemon, one verb each. */
#include <stdio.h>
#include <string.h>

#include "ctl.h"

static const struct verb {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *usage;
} verbs[] = {
	{"ask", ctl_ask,
	 "ask \"QUESTION\" [--json] [--session ID]   one turn against a running daemon "
	 "(VESPER_URL, VESPER_TOKEN)"},
	{"token", ctl_token,
	 "token --sub U --tenant T --perms a,b [--life-s N]   mints a development token "
	 "(VESPER_JWT_SECRET)"},
	{"tools", ctl_tools, "tools [--role R]   the catalogue as JSON"},
	{"tool", ctl_tool,
	 "tool sql|run NAME [--dialect D] [--tenant T] [--role R] [name=value …]   a tool's SQL, "
	 "or what it gives on the configured warehouse (run may be left out)"},
	{"route", ctl_route,
	 "route \"QUESTION\" [--history FILE] [--today D] [--tenant T] | --batch FILE   what code "
	 "makes of a question"},
	{"check-sql", ctl_check_sql,
	 "check-sql [--dialect mssql|postgres|sqlite] [--json] < FILE   what the gate says to "
	 "statements"},
	{"eval", ctl_eval,
	 "eval DIR|FILE [--json | --junit FILE]   holds recorded conversations again, without "
	 "network, "
	 "and compares rows and facts"},
	{"probe", ctl_probe_verb,
	 "probe [PATH]   ends with 0 when that path of the daemon answers 200"},
	{"demo-data", ctl_demo_data,
	 "demo-data DIR [--small]   makes the demo databases there, if they are not"},
	{"db", ctl_db,
	 "db init|migrate|seed --dsn DSN   schema, logins and demo data on SQL Server or "
	 "PostgreSQL"},
	{"pbi", ctl_pbi,
	 "pbi ingest --tenant T --file FILE|--dsn DSN [--workspace ID,…] [--from D] [--to D] "
	 "[--state FILE]   who used which Power BI report, day by day"},
	{"receipt", ctl_receipt,
	 "receipt verify [--tenant T] | show ID | rerun ID …|--all   whether the records of how "
	 "answers came about are untouched, what one says, whether its calls give the same now"},
	{"demo-check", ctl_demo_check,
	 "demo-check   starts the demo, asks the reference question, prints the answer, stops"},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (strcmp(verbs[i].name, argv[1]) == 0)
			return verbs[i].run(argc - 1, argv + 1);
	fputs("usage: vesperctl VERB …\n", stderr);
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		fprintf(stderr, "  %s\n", verbs[i].usage);
	return 2;
}
