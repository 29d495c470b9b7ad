/* vesperctl: the command-line tools for the daemon, one verb each. */
#include "ctl.h"

static int completion(const struct command *cmd);

static const struct verb verbs[] = {
	{"ask", ctl_ask, "\"QUESTION\" [--role R] [--tenant T] [--session ID] [--json] [--svg DIR]",
	 "asks a running daemon and writes the answer as it comes, its charts as pictures into "
	 "DIR. VESPER_URL says where it is, "
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
	{"flow", ctl_flow,
	 "list [--tenant T] [--role R] [--json] | check [FILE ...] [--tenant T] [--json] | run "
	 "NAME "
	 "[filter=value ...] [--today D] [--tenant T] [--role R] [--json] [--md] [--if CONDITION]",
	 "the flows of the packs, for a role; what is wrong with one, as path:line: what; what one "
	 "gives without a model, 3 where it has a question; with --if 0 where the condition holds, "
	 "1 where it does not, 4 where that could not be told"},
	{"map", ctl_map,
	 "check [--live] [--pack P] [--tenant T] [--json] | import FILE --pack NAME [--out DIR] "
	 "[--replace] "
	 "[--json] | path A B [--tenant T] [--json] | query '{...}' [--tenant T] [--role R] "
	 "[--dialect mssql|postgres|sqlite] [--run] [--today D]",
	 "what the packs declare of entities, joins and metrics: whether it loads, and how much "
	 "there is; a pack of a model of Apache Ossie, dbt or Power BI; how two entities are "
	 "joined; the SQL that code writes for a query, or what it gives"},
	{"check-sql", ctl_check_sql,
	 "[\"SELECT …\"] [--dialect mssql|postgres|sqlite] [--json] [--written] < FILE",
	 "what the gate says to a statement, or to those of a file; a line is id<TAB>sql, or "
	 "{\"id\",\"sql\"}"},
	{"eval", ctl_eval, "DIR|FILE [--json] [--junit FILE]",
	 "runs recorded conversations again, without network, and compares rows and facts"},
	{"receipt", ctl_receipt,
	 "verify | show ID | rerun ID ... | rerun --all [--tenant T] [--json]",
	 "whether the records of how answers came about are untouched, what one says, whether its "
	 "calls give the same now"},
	{"source", ctl_source,
	 "list | upload FILE [--name N] | profile ID | rows ID | share ID private|tenant|ROLE,... "
	 "| join|apart ID ID [COLUMN[=COLUMN]] | mean ID COLUMN [--label L] [--unit U] [--about "
	 "TEXT] [--words W,...] [--as measure|dimension|date|id|text] [--sum yes|no] | expire ID "
	 "TIME|never | delete ID [--tenant T] [--role R] [--json]",
	 "data of one's own at a running daemon, by id or name; 3 where a column can be read two "
	 "ways and its owner is asked"},
	{"document", ctl_document,
	 "add FILE [--name N] | list | search WORDS | rows ID | share ID private|tenant|ROLE,... | "
	 "rm ID [--tenant T] [--role R] [--json]",
	 "documents at a running daemon, by id or name: text, Markdown or HTML that answers quote"},
	{"probe", ctl_probe_verb, "[PATH]",
	 "ends with 0 when that path of the daemon (/readyz) answers 200"},
	{"connect", ctl_connect,
	 "DSN --pack NAME [--tenant T] [--schema S,...] [--tables GLOB,...] [--out DIR] "
	 "[--golden N] [--limit-s N] [--no-values] [--allow-writer] [--replace] [--json] | "
	 "--score FILE [--tenant T] [--json]",
	 "writes a pack of a live database, with questions and their SQL; asks those questions and "
	 "compares"},
	{"db", ctl_db,
	 "init|migrate --dsn DSN [--dialect mssql|postgres] [--only warehouse|store|SOURCE]; "
	 "db ddl --pack P --dialect D [--source S] [--write]",
	 "schema and logins on SQL Server or PostgreSQL; DDL of a pack's tables.json"},
	{"pbi", ctl_pbi,
	 "ingest --tenant T --file FILE|--dsn DSN [--workspace ID,...] [--from D] [--to D] "
	 "[--state FILE]",
	 "who used which Power BI report, day by day"},
	{"completion", completion, "bash|zsh",
	 "a script that completes verbs and options: source <(vesperctl completion bash)"},
	{0},
};

static const struct program vesperctl = {"vesperctl", "The tools around vesperd.", verbs};

static int completion(const struct command *cmd)
{
	return ctl_print_completion(&vesperctl, ctl_word(cmd, 0));
}

int main(int argc, char **argv)
{
	return ctl_main(&vesperctl, argc, argv);
}
