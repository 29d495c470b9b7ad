/* vesperctl: the command-line tools for the daemon, one verb each. */
#include "ctl.h"

static int completion(const struct command *cmd);

static const struct verb verbs[] = {
	{"ask", ctl_ask, "\"QUESTION\" [--role R] [--tenant T] [--session ID] [--json] [--svg DIR]",
	 "asks a running daemon, streams the answer, and writes its charts as pictures to DIR. "
	 "VESPER_URL is the daemon's address, VESPER_TOKEN the user's token; a demo signs in role "
	 "R of tenant T (manager of vesper)"},
	{"token", ctl_token, "[--sub U] [--tenant T] [--role R | --perms a,b] [--life-s N]",
	 "mints a development token with the daemon's VESPER_JWT_SECRET"},
	{"tools", ctl_tools, "[--role R] [--tenant T]", "lists what a role may use, as JSON"},
	{"tool", ctl_tool,
	 "sql|run NAME [name=value ...] [--tenant T] [--role R] [--dialect "
	 "mssql|postgres|sqlite] [--today D] | run --batch FILE",
	 "prints a tool's SQL, or runs it on the configured warehouse; run may be omitted"},
	{"route", ctl_route,
	 "\"QUESTION\" [--history FILE] [--today D] [--tenant T] | --batch FILE",
	 "shows how the rules read a question, without a model"},
	{"flow", ctl_flow,
	 "list [--tenant T] [--role R] [--json] | check [FILE ...] [--tenant T] [--json] | run "
	 "NAME "
	 "[filter=value ...] [--today D] [--tenant T] [--role R] [--json] [--md] [--if CONDITION]",
	 "lists the flows of the packs for a role; reports errors as path:line: text; runs a flow "
	 "without a model, and exits with 3 if it asks a question; with --if it exits with 0 if "
	 "the "
	 "condition holds, 1 if not, 4 if it cannot be evaluated"},
	{"map", ctl_map,
	 "check [--live] [--pack P] [--tenant T] [--json] | import FILE --pack NAME [--out DIR] "
	 "[--replace] "
	 "[--json] | path A B [--tenant T] [--json] | query '{...}' [--tenant T] [--role R] "
	 "[--dialect mssql|postgres|sqlite] [--run] [--today D]",
	 "checks the entities, joins and metrics that the packs declare, and counts them; imports "
	 "a model of Apache Ossie, dbt or Power BI as a pack; shows how two entities are joined; "
	 "prints the SQL of a query, or runs it"},
	{"check-sql", ctl_check_sql,
	 "[\"SELECT …\"] [--dialect mssql|postgres|sqlite] [--json] [--written] < FILE",
	 "checks a statement, or those of a file, against the SQL gate; a line is id<TAB>sql, or "
	 "{\"id\",\"sql\"}"},
	{"eval", ctl_eval, "DIR|FILE [--json] [--junit FILE]",
	 "runs recorded conversations again, without network, and compares rows and facts"},
	{"receipt", ctl_receipt,
	 "verify | show ID | rerun ID ... | rerun --all [--tenant T] [--json]",
	 "verifies that receipts are unchanged, shows one, or runs its calls again and compares "
	 "the results"},
	{"source", ctl_source,
	 "list | upload FILE [--name N] | profile ID | rows ID | share ID private|tenant|ROLE,... "
	 "| join|apart ID ID [COLUMN[=COLUMN]] | mean ID COLUMN [--label L] [--unit U] [--about "
	 "TEXT] [--words W,...] [--as measure|dimension|date|id|text] [--sum yes|no] | expire ID "
	 "TIME|never | delete ID [--tenant T] [--role R] [--json]",
	 "manages uploaded data at a running daemon, by id or name; exits with 3 if a column is "
	 "ambiguous and a question is open"},
	{"document", ctl_document,
	 "add FILE [--name N] | list | search WORDS | rows ID | share ID private|tenant|ROLE,... | "
	 "rm ID [--tenant T] [--role R] [--json]",
	 "manages documents at a running daemon, by id or name: text, Markdown or HTML that "
	 "answers quote"},
	{"probe", ctl_probe_verb, "[PATH]",
	 "exits with 0 if this path of the daemon (/readyz) answers 200"},
	{"connect", ctl_connect,
	 "DSN --pack NAME [--tenant T] [--schema S,...] [--tables GLOB,...] [--out DIR] "
	 "[--golden N] [--limit-s N] [--no-values] [--allow-writer] [--replace] [--json] | "
	 "--score FILE [--tenant T] [--json]",
	 "writes a pack for a live database, with questions and their SQL; with --score runs those "
	 "questions and compares the results"},
	{"db", ctl_db,
	 "init|migrate --dsn DSN [--dialect mssql|postgres] [--only warehouse|store|SOURCE]; "
	 "db ddl --pack P --dialect D [--source S] [--write]",
	 "creates the schema and logins on SQL Server or PostgreSQL; prints the DDL of a pack's "
	 "tables.json"},
	{"pbi", ctl_pbi,
	 "ingest --tenant T --file FILE|--dsn DSN [--workspace ID,...] [--from D] [--to D] "
	 "[--state FILE]",
	 "imports who used which Power BI report, by day"},
	{"completion", completion, "bash|zsh",
	 "prints a script that completes verbs and options: source <(vesperctl completion bash)"},
	{0},
};

static const struct program vesperctl = {"vesperctl", "Tools for vesperd.", verbs};

static int completion(const struct command *cmd)
{
	return ctl_print_completion(&vesperctl, ctl_arg(cmd, 0));
}

int main(int argc, char **argv)
{
	return ctl_main(&vesperctl, argc, argv);
}
