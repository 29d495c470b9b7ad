/* Limits that several files share, each with its reason. The suffix of a name is its unit (_BYTES,
 * _MS milliseconds, _S seconds, _PERCENT); a limit without one is a count. A limit of a single file
 * may be defined in that file; limits of the configuration are in src/config/config_keys.c. */
#ifndef VESPER_LIMITS_H
#define VESPER_LIMITS_H

/* base */
#define JSON_DEPTH_MAX                                                                             \
	32 /* real frames have at most 6 levels; jansson's recursion must not exhaust the stack */
#define LANGUAGE_IMPOSSIBLE_MAX 16 /* patterns of impossible values; English has one */
#define PHRASE_WORDS_MAX        8  /* words in one phrase of a language; the longest has five */
#define JSON_FILE_BYTES_MAX                                                                        \
	(4 * 1024 * 1024) /* configuration and catalogue files have a few hundred KiB at most */
#define RX_STEPS_MAX           100000 /* steps of one match, which takes 1 to 2 ms at most */
#define LOG_LINE_BYTES_MAX     16384  /* what log collectors accept as one line */
#define METRICS_MAX            2048   /* series come from code and catalogue, not from users */
#define METRIC_VALUE_BYTES_MAX 120    /* a label's value; the longest are names of queries */
/* METRICS_MAX histograms of 14 lines, 130 bytes each. */
#define METRICS_BYTES_MAX (4 * 1024 * 1024)

/* the socket and HTTP */
#define MESSAGE_BYTES_MAX 16384 /* a chat message; announced in session.ready */
/* A client's WebSocket message; a larger one closes the connection with 1009. */
#define FRAME_BYTES_MAX       65536
#define HEADER_BYTES_MAX      16384  /* request headers; an Entra ID token with groups fits */
#define BODY_BYTES_MAX        131072 /* a REST body: a message with JSON escapes, with spare room */
#define TOKEN_BYTES_MAX       16384  /* a JWT */
#define CONNECTIONS_MAX       12000 /* open sockets of all kinds; well below the descriptor limit */
#define UNAUTHENTICATED_SHARE 4     /* one connection in 4 is for clients not signed in yet */
#define ADMIN_CONNECTIONS_MAX 64    /* connections to the admin address: probes and scrapers */
#define WS_DESCRIPTORS        3     /* of a WebSocket: the client's socket and a socket pair */
/* RLIMIT_NOFILE at startup: CONNECTIONS_MAX WebSockets of WS_DESCRIPTORS each, files and outgoing
 * connections. */
#define DESCRIPTORS_MAX  65536
#define RELAY_READ_BYTES 16384 /* one read of a relay; unaccepted bytes are buffered */
#define RELAY_IN_BYTES   32768 /* kernel buffer for a client's bytes, before libwebsockets */
/* Kernel buffer for bytes to a client; a socket with a quarter unread is choked. */
#define RELAY_OUT_BYTES 131072
#define AUTH_FRAME_MS   5000 /* a client must send its auth frame by then */
#define HEADER_DEADLINE_MS                                                                         \
	10000 /* a request's headers must be complete by then, even from a slow client */
#define FRAME_DEADLINE_MS 30000 /* a client's message must be complete by then */
/* A REST body must be complete by then; less than SEND_BLOCKED_MS. */
#define BODY_DEADLINE_MS 20000
#define PEEK_DEADLINE_MS 3000  /* a new connection must send its first bytes by then */
#define PING_EVERY_MS    25000 /* below the 60 s idle limit of common proxies */
#define PING_MISSED_MAX  2     /* ping intervals without a byte; then the client is dropped */
#define SEND_BATCH_BYTES 16384 /* frames in one write; then the socket is polled again */
#define SEND_QUEUE_PAUSE_BYTES                                                                     \
	(256 * 1024) /* unsent answers above which the server stops reading from the client */
#define SEND_QUEUE_RESUME_BYTES (64 * 1024) /* unsent answers below which it reads again */
/* The connection of a client that reads nothing for this long is closed with 1013. */
#define SEND_BLOCKED_MS 30000
#define LISTEN_PAUSE_MS                                                                            \
	100 /* pause before accepting again when no descriptor is free; avoids a busy loop */
#define CLOSE_WAIT_MS                                                                              \
	5000 /* time for a client to read the close frame; then the socket is closed anyway */
#define DRAIN_MS     5000  /* at shutdown: connections still open by then are closed */
#define AUTH_WARN_MS 60000 /* auth.expiring is sent this long before the token expires */
#define TOKEN_MERGE_BYTES_MAX                                                                      \
	16384 /* text of one merged token frame, sent to a socket that was choked */
#define EXTERNAL_ID_BYTES_MAX   200 /* a conversation's ID in another client */
#define TASK_EXAMPLES_MAX       3   /* suggested follow-up questions; pages show three */
#define TASK_TITLE_BYTES_MAX    60  /* a conversation's title, for a chat page that asks for one */
#define CLIENT_MSG_ID_BYTES_MAX 100 /* a UUID, or a longer format that a client uses */
#define FILTERS_MAX             64  /* edited filters of one message; about thirty names exist */
#define PING_TEXT_BYTES_MAX     100 /* text of a client's ping that is echoed */
#define PAGE_DEFAULT            50  /* rows of one page of a REST list */
#define PAGE_MAX                200
#define PAGE_BYTES              (4 * 1024 * 1024) /* a page of messages ends at this size */
#define DEMO_TOKEN_LIFE_S       (8 * 3600)        /* a working day */
/* Interval of comment lines that make proxies keep the stream open. */
#define SSE_KEEPALIVE_MS 15000
#define TICKET_LIFE_MS   30000 /* a one-time ticket is used at once or never */
#define DOWNLOADS_MAX    4     /* complete results in memory, of at most DB_RESULT_BYTES_MAX each */
#define DOWNLOAD_TIME_MS                                                                           \
	5000 /* a download older than this may be cancelled in favor of a new one */
#define DOWNLOAD_BLOCK_BYTES 65536 /* text generated at a time for a download */
#define RATE_SLACK_PERCENT   1     /* of the limit: a shared count may lag by half a second */
#define TOKEN_BUCKETS_MAX    20000 /* users and tenants whose token buckets are in memory */
#define JWKS_BYTES_MAX       (256 * 1024) /* an issuer's key set; that of Entra ID is 10 KiB */
/* Keys in a set: several are valid at once, real sets have up to ten. */
#define JWKS_KEYS_MAX 64
#define JWKS_FETCH_MS 10000 /* one request for keys */
#define JWKS_RETRY_MS 15000 /* delay after a failed request */
#define JWKS_UNKNOWN_MS                                                                            \
	15000 /* interval between fetches for unknown key IDs; the longest wait for a new key */
#define TOKENS_PER_USER_MAX  20  /* personal access tokens: one for each client and machine */
#define TOKEN_NAME_BYTES_MAX 100 /* the width of its database column */
#define TOKEN_LIFE_S         (30 * 24 * 3600) /* default of a personal access token */
#define TOKEN_LIFE_S_MAX     (90 * 24 * 3600) /* a forgotten token expires within 90 days */
/* A store lookup is cached this long: the delay of a revocation. */
#define TOKEN_CACHE_MS  2000
#define TOKEN_CACHE_MAX 10000 /* cached lookups in memory; as CACHE_ENTRIES_MAX */
/* Concurrent lookups; guessed tokens must not fill the store's queue. */
#define TOKEN_LOOKUPS_MAX 64
/* Interval at which an open stream's personal access token is checked. */
#define TOKEN_CHECK_MS 2000
#define TOKEN_TOUCH_MS 60000 /* shortest interval between two writes of a token's last use */
#define SIGN_INS_MAX   20000 /* users whose latest sign-in is in memory; as TOKEN_BUCKETS_MAX */
#define TICKETS_MAX    10000 /* outstanding tickets in memory; as CACHE_ENTRIES_MAX */

/* the loop */
/* loop_defer_last() waits this many iterations at most, for deferred callbacks that queue others.
 */
#define LOOP_LAST_ITERATIONS 8

/* a turn */
#define TURN_ARENA_BYTES (32 * 1024 * 1024) /* rows, prompts and messages of one turn */
#define TURN_MAX_HOPS    64     /* state changes of one turn; a real one takes about 12 */
#define TURN_DEADLINE_MS 120000 /* the whole turn */
#define TURNS_MAX        4000   /* running turns in one process */
/* Smallest fair share of a tenant; below its share, load from other tenants does not exclude it. */
#define TURNS_SHARE_MIN 8
#define TURNS_SHARE_PERCENT                                                                        \
	110 /* of the limit: turns of a tenant below its share are admitted up to this */
#define HANDOVER_VERSION  1   /* of the messages between the old and the new process */
#define OVERLOAD_EVERY_MS 100 /* interval at which load is measured */
#define OVERLOAD_LOOP_MS  50  /* loop delay at which the process is overloaded */
/* Queue wait at which it is overloaded; a turn waits once for each of several requests. */
#define OVERLOAD_QUEUE_MS 500
#define OVERLOAD_LOG_BYTES                                                                         \
	201326592 /* logs of running turns: 75 % of 256 MiB; the rest is for their growth */
#define OVERLOAD_RETRY_MS  1000 /* shortest retry-after of a question refused under overload */
#define OVERLOAD_SPREAD_MS 4000 /* largest random addition to it, which spreads the retries */
#define TURNS_QUEUED_MAX   4 /* questions queued in one session; further ones are refused as busy */
/* Between two attempts to get a session's lease from another replica. */
#define TURN_LEASE_RETRY_MS 200
#define TURN_INTERRUPT_MS   2000 /* wait for an interrupted turn to end; then the session is busy */
#define TURNS_PER_USER_MAX  8    /* running turns of one user in all sessions */
#define TURN_GRACE_MS       30000 /* grace period in which an unwatched turn can be resumed */
/* Grace period while the turn's model is paused because logs are full. */
#define TURN_PAUSED_GRACE_MS 10000
/* Messages without a summary; above this, older messages are summarized. */
#define SUMMARY_MESSAGES 30
#define SUMMARY_TOKENS   100000 /* tokens in these messages; above this, they are summarized too */
#define SUMMARY_KEEP     6      /* newest messages; not summarized, as prompts have them in full */
#define SUMMARY_READ     200    /* messages read for one summary */
/* Rows of an answer that a follow-up can refer to ("the second one"); more do not fit a screen. */
#define ROWS_NAMED_MAX 20
/* Longest title of such a row: names of all packs are shorter. */
#define ROW_TITLE_BYTES    160
#define SUMMARY_ITEMS_MAX  40   /* questions in a summary; the oldest are dropped */
#define SUMMARY_TEXT_BYTES 240  /* of a question, and of the text of its answer */
#define SUMMARY_MODEL_MS   8000 /* time limit for a model to write a summary */
#define SUMMARY_BYTES_MAX  4000 /* of a model's summary */
/* History sent by a client: what common clients send in a day. */
#define CLIENT_HISTORY_MESSAGES_MAX 1000
/* All messages of such a history; the limit of the request's body. */
#define CLIENT_HISTORY_BYTES_MAX (1024 * 1024)
#define MCP_LIST_MAX                                                                               \
	100 /* tools in one MCP list: a whole catalogue, since most clients read one list only */
#define MCP_LIST_LIFE_MS                                                                           \
	60000 /* time a client may cache such a list: switches and permissions change */
#define MCP_STATE_LIFE_MS                                                                          \
	(24 * 3600 * 1000) /* state of a form: a clarifying question can be answered for a day */
#define CLIENT_HISTORY_READ_MAX     12   /* newest messages of a client's history that are read */
#define CLIENT_HISTORY_PER_ROLE     6    /* messages of each role among them */
#define CLIENT_HISTORY_ANSWER_BYTES 2000 /* of an answer: enough to show its subject */
/* Of the client's own system messages: enough for tone and form. */
#define CLIENT_HISTORY_RULES_BYTES 4000
#define HISTORY_MESSAGES_MAX                                                                       \
	12 /* messages read from a session; a prompt contains the newest half of them */
#define ANSWER_BYTES_MAX                                                                           \
	(256 * 1024) /* text of one answer; a longer answer is ended and marked incomplete */
/* Entries of one turn's log: an answer of 10,000 tokens, with spare room. */
#define EVENTS_PER_TURN_MAX  20000
#define EVENT_LOG_BYTES_MAX  (8 * 1024 * 1024) /* of one turn's log */
#define MARKDOWN_ROWS_MAX    40  /* of a table in text: one screen; the table view has all rows */
#define WIRE_STATE_BYTES_MAX 512 /* of one log reader: open steps, IDs, a pending number */
/* Wait for missing events: a lost write is retried by then, and a page waits 3 s for a pong. */
#define STREAM_BEHIND_MS 2500
#define EVENT_LOG_TTL_MS 600000 /* a finished turn can be resumed for this long */
#define EVENT_LOGS_MAX   20000  /* finished logs in memory */
#define EVENT_LOGS_BYTES_MAX                                                                       \
	(40 * 1024 * 1024) /* finished logs; those of the tenant with the most are evicted first   \
			    */

/* views and prompts */
#define VIEW_BYTES_MAX                                                                             \
	(512 * 1024) /* cells of one table for a client; 500 rows of 40 columns are smaller */
#define PROMPT_TOKENS                                                                              \
	16000 /* data in one model call, in tokens; 100 rows of 10 columns take 5,000 tokens */
/* The question, the date and the outcomes of one plan need this many. */
#define PROMPT_TOKENS_MIN     1000
#define PROMPT_ROWS_MAX       40 /* rows of one result; its statistics cover all rows */
#define PROMPT_VALUES_MAX     20 /* known values of a dimension; code resolves the other values */
#define PROMPT_FULL_TOOLS_MAX 3  /* tools described in full; for others the prompt has one line */
#define PROMPT_EXAMPLES_MAX                                                                        \
	1 /* examples per domain in a supervisor's prompt: 150 tokens for twelve domains */
#define PROMPT_SIMILAR_MAX 3 /* similar example questions in a prompt, with their calls */
/* Minimum share of words that a similar question has in common; names rarely match. */
#define PROMPT_SIMILARITY_MIN 0.4
/* Longer cells are truncated, so that one cell does not fill the prompt. */
#define PROMPT_CELL_BYTES_MAX 1000

/* plans and agents */
#define PLAN_TASKS_MAX 16 /* tasks of one plan */
/* Waves of a planner's plan: each waits for the queries of the previous one. */
#define PLAN_WAVES_MAX 4
/* Clauses of a question; with fewer the supervisor's steps suffice. */
#define PLANNER_CLAUSES_MIN 3
/* The planner's answer: PLAN_TASKS_MAX steps of 60 tokens, and a margin. */
#define PLANNER_TOKENS_MAX 1200
/* The planner's time limit; then the steps found by code are run. */
#define PLANNER_MS          20000
#define PLANNER_DOMAINS_MAX 3  /* domains whose tools are in the planner's prompt */
#define PLAN_TERMS_MAX      8  /* comparisons in one condition; more are hard to read */
#define PLAN_DEPTH_MAX      8  /* nested brackets in one condition; its parser is recursive */
#define PLAN_LINES_MAX      32 /* questions, sentences and suggestions of one flow */
#define FLOW_LINES_MAX      (PLAN_TASKS_MAX + PLAN_LINES_MAX)
#define FLOW_EACH_MAX       5     /* tasks of one "each"; the list is truncated after these */
#define FLOW_BYTES_MAX      16384 /* one file: forty lines of 400 bytes */
#define FLOWS_MAX           500   /* flows of all packs in a list */
#define OVERLAY_FLOWS_MAX   500   /* flows that a tenant adds to those of its packs */
/* Order of approved answers among flows: after those of packs. */
#define APPROVED_ORDER         1000
#define APPROVED_EXAMPLES_MAX  10  /* further example questions of one approved answer */
#define REF_NAME_MAX           63  /* bytes of a name in a reference to an earlier result */
#define AGENT_ROUNDS_MAX       8   /* model calls in one agent's loop */
#define AGENT_TOOL_CALLS_MAX   16  /* tool calls in one model answer */
#define AGENT_ROWS_MAX         40  /* rows of one result in an agent's prompt */
#define ASK_OPTIONS_MAX        12  /* options of a clarifying question that a model writes */
#define ASK_RESULT_OPTIONS_MAX 200 /* options of one made from rows: the longest usable list */
#define ASK_ATTEMPTS_MAX                                                                           \
	3 /* times in a row that one clarifying question is asked; then the turn ends */
#define RECOVER_OPTIONS_MAX    40 /* years offered; the latest ones, if there are more */
#define RECOVER_OTHERS_MAX     8 /* values with data that are offered instead of one without data */
#define RECOVER_PROBES_MAX     5 /* alternative questions that are tried when nothing was found */
#define RECOVER_PROBE_MS       2000  /* a question without a result by then is not suggested */
#define ASK_TEXT_BYTES_MAX     500   /* each text of a clarifying question */
#define STATUS_ABOUT_BYTES_MAX 240   /* the running step, in one line for the user */
#define STATUS_ARGS_BYTES_MAX  16384 /* arguments of a call; longer ones are not shown */

/* components */
#define COMPONENTS_MAX     64  /* components of all packs in a list: a page loads them at once */
#define PROPS_MAX          24  /* props of a component, and parts of its layout */
#define COMPONENT_ROWS_MAX 500 /* rows of a table in a component; as DB_ROWS_MAX */
/* A component's view: two full tables and their charts. */
#define COMPONENT_BYTES_MAX (4 * 1024 * 1024)

/* guardrail checks of questions */
/* Time limit, after which code decides; supervisors rarely take so long. */
#define GUARDRAIL_MS         2000
#define GUARDRAIL_TOKENS_MAX 512 /* of the model's answer: one of five words, and some thinking */

/* the number check */
#define CHECKED_ITEMS_MAX                                                                          \
	2000 /* numbers of an answer that are listed one by one; a long table has 500 */
#define SENTENCE_BYTES_MAX                                                                         \
	4096 /* of a sentence that is held back for its number check; real ones are below 500 */

#define REWRITES_MAX                                                                               \
	4 /* sentences rewritten in one turn; a model that needs more ignores the instructions */
#define REWRITE_MS         10000 /* time limit of one rewrite; the reader waits in mid-sentence */
#define REWRITE_TOKENS_MAX 1024  /* of one rewrite: a sentence, and some thinking */

#define PROMPT_LEAKAGE_WORDS                                                                       \
	12 /* consecutive words of a prompt that count as leakage; a color legend has 10 */

/* approved answers */
/* Bytes for the names of all approved answers of a tenant. */
#define APPROVED_SCRATCH_MAX (1 << 20)
#define FLOW_WORDS_BYTES_MAX (64 << 20) /* index of 1,000 flows with ten examples each */

/* the catalogue */
#define PACKS_MAX           64 /* packs of all roots */
#define PACK_NAME_BYTES_MAX 31
/* Words of one name in a question; each run of up to this many is looked up. */
#define ASKED_NAME_WORDS_MAX 8
#define ALIAS_BYTES_MAX      120  /* half of the compared part of a name (TEXT_KEY_BYTES_MAX) */
#define MAP_ENTITIES_MAX     500  /* entities of one catalogue */
#define MAP_EDGES_MAX        2000 /* a path search visits each edge at most once per hop */
/* 50 uploaded files of 50 columns: a sum of each, and derived measures. */
#define MAP_MEASURES_MAX   10000
#define MAP_METRICS_MAX    20000 /* metrics, derived ones included */
#define MAP_CONDITIONS_MAX 500   /* each is compared with the words of a question */
#define MAP_CONDITION_PARTS_MAX                                                                    \
	8 /* comparisons in one condition; named conditions need only a few */
#define MAP_NAME_BYTES_MAX    63 /* an entity, edge, measure or metric; the limit of PostgreSQL */
#define MAP_HOPS_MAX          4  /* edges of a path; longer paths mean nothing to users */
#define MAP_METRICS_ASKED_MAX 6  /* metrics of one query, as many as a table shows well */
/* Neighbors listed for each of two entities without a path between them. */
#define MAP_NEIGHBOURS_MAX 3
#define MAP_FACETS_MAX     4  /* dimensions by which a list that is too long is counted */
#define MAP_CHOICES_MAX    20 /* values of these dimensions that are offered */
#define MAP_SHOWN_MAX      12 /* columns of a list */
#define MAP_BY_MAX         4
/* MAP_BY_MAX, and the keys that separate entities with equal titles. */
#define MAP_GROUPS_MAX        16
#define MAP_WHERE_MAX         24 /* conditions of a query, those of definitions included */
#define MAP_HAVING_MAX        4
#define MAP_ORDER_MAX         3
#define MAP_VALUES_MAX        50    /* values of one condition */
#define MAP_TOP_MAX           500   /* rows; as DB_ROWS_MAX */
#define MAP_QUERY_BYTES_MAX   16384 /* a query as text */
#define MAP_SCHEMA_TABLES_MAX 8     /* tables whose columns one request asks for */
#define MAP_TEXT_BYTES_MAX    65536 /* a statement, or a compact map */
#define MAP_PAIRS_MAX         16    /* column pairs of an edge, columns of a key */
/* All files of a catalogue; real ones are below 1 MiB. */
#define CATALOG_BYTES_MAX     (64 * 1024 * 1024)
#define PROMPT_FILE_BYTES_MAX 65536 /* one prompt; models read it in every turn */
/* Rules of one pack for one prompt: each costs tokens in every turn. */
#define RULES_MAX         16
#define RULE_BYTES_MAX    400 /* a longer text belongs in the prompt of a domain */
#define STARTERS_MAX      24  /* starter questions of one pack; a first screen fits no more */
#define STARTER_BYTES_MAX 200 /* one question, read at a glance */
#define ENUM_VALUES_MAX   40  /* values listed in a tool's schema; more only cost tokens */

#define NLU_CALLS_MAX          12   /* tool calls of one question that names several values */
#define FILTER_VALUES_MAX      40   /* known values offered for a filter at once */
#define FILTER_VALUES_SCAN_MAX 5000 /* values searched one by one, in less than 1 ms */
#define NLU_UNUSED_MAX         8    /* unused words listed in a reply; more do not help the user */
#define NLU_WORDS_MAX                                                                              \
	400 /* words of a question that are read; a longer text is a document, not a question */
#define NLU_VALUES_MAX                                                                             \
	2000000 /* values of one dimension in a tenant's entity index; further ones are not        \
		   indexed */
#define NLU_TEXT_BYTES_MAX (256 * 1024 * 1024) /* total length of these values */
#define NLU_PAGE_ROWS      50000 /* values read by one query; the next query continues from there */
#define ENTITY_INDEX_WAIT_MS                                                                       \
	4000 /* time a question waits for the entity index: loading at startup takes 1 s, users    \
		accept 4 s */
/* Between attempts to load an incomplete entity index; two fit into ENTITY_INDEX_WAIT_MS. */
#define ENTITY_INDEX_RETRY_MS 1500
#define NLU_DAYS_WORDS_MAX                                                                         \
	16 /* words of a text that contains only a time, as typed into a date field */
#define NLU_SLICE_TOOLS   8 /* tools in a supervisor's prompt: about 450 tokens */
#define NLU_SLICE_DOMAINS 3 /* domains of these tools; other domains have one line each */
/* Interpretations offered for an unclear question; more do not help. */
#define NLU_READINGS_MAX    3
#define UNKNOWN_WORDS_MAX   16 /* unknown words that are looked up as misspelled */
#define NLU_CONSTRAINTS_MAX 16 /* bounds, amounts and exclusions of one question */

/* tools and SQL */
#define XLSX_ROWS_MAX 1048576 /* rows of a sheet; spreadsheet programs open no more */
#define XLSX_CELL_CHARS_MAX                                                                        \
	32767 /* UTF-16 units of a cell; a longer cell makes the whole file invalid */
/* Links listed at the end of an exported session; the messages contain all links. */
#define EXPORT_LINKS_MAX  500
#define TURN_LINKS_MAX    4  /* reports that one answer links to; more would be a menu */
#define TOOL_ARGS_MAX     24 /* parameters of one tool */
#define TOOL_COLUMNS_MAX  64 /* declared columns of one tool */
#define TOOL_QUERIES_MAX  6  /* result sets of one tool, those used only for derivations included */
#define TOOL_LOOKBACK_MAX 400 /* days before the requested ones: somewhat more than a year */
#define TOOL_DERIVES_MAX  4   /* derivations in one tool's file; three exist */
/* Rows whose facts and hashes the loop thread computes; more use a worker. */
#define TOOL_LOOP_ROWS 200
#define TOOL_WORKERS                                                                               \
	2 /* threads for these; a thread processes 200,000 rows in less than a second */
#define TOOL_WORK_ARENA_BYTES                                                                      \
	(64 * 1024 * 1024) /* facts are bounded; working memory is freed with the result */
/* Concurrent API tool calls in one process: each holds an arena. */
#define TOOL_CALLS_MAX          64
#define TOOL_CALLS_PER_USER_MAX 8    /* the same for one user; as TURNS_PER_USER_MAX */
#define TOOL_ARG_FAULTS_MAX     20   /* invalid arguments listed in one refusal */
#define LIST_ARG_MAX            64   /* values of one list argument, unless the tool allows fewer */
#define TEXT_ARG_BYTES_MAX      1000 /* one text argument */
#define SQL_FILE_BYTES_MAX      65536 /* one tool file */
#define SQL_MARKERS_MAX         128   /* bound parameters of one statement */
/* Fragments of one pack, or one file; readers of a tool must know them. */
#define SQL_FRAGMENTS_MAX 64

/* configuration */
#define CONFIG_YEAR_MIN                                                                            \
	1002 /* earliest year of a date such as VESPER_TODAY; "1000 years ago" must exist */
#define CONFIG_YEAR_MAX 8998 /* dates computed from it must have four-digit years */
#define CONFIG_VALUE_BYTES_MAX                                                                     \
	65536 /* one variable, or the file it names; a list of tenants has a few thousand bytes */

/* databases */
#define RESULT_FACTS_MAX 64 /* derived facts of one result; users compare fewer */
/* One fact's text, such as a list of names; longer texts are truncated. */
#define FACT_TEXT_BYTES_MAX 4096
#define FACT_ITEM_BYTES_MAX 300 /* one cell in such a list, such as a note */
#define CHART_ROWS_MAX      500 /* rows of a chart; as DB_ROWS_MAX */
#define CHART_BARS_MAX      40  /* with more, bars are thinner than their labels */
/* Bars of a chart; two numbers are written as text unless a chart was requested. */
#define CHART_NAMES_MIN        3
#define CHART_SERIES_COUNT_MAX 8   /* as many colors as readers can distinguish */
#define CHART_LINE_POINTS_MIN  3   /* points of a line; two points are shown as bars */
#define SVG_WIDTH_PX           720 /* of a chart; as wide as an answer's text */
#define SVG_HEIGHT_PX          400
#define SVG_SIDE_MIN_PX        200          /* a smaller picture has no room for an axis */
#define SVG_SIDE_MAX_PX        2000         /* a larger picture does not fit into a text */
#define SVG_BYTES_MAX          (64 * 1024)  /* 500 points of 8 series take 60 KB */
#define SVG_ARENA_BYTES        (512 * 1024) /* points and names of the largest chart */
#define DB_ROWS_MAX            500          /* rows of one result; statistics count further rows */
#define DB_FETCH_ROWS_MAX                                                                          \
	200000 /* rows read for statistics; a driver may hold all of them in memory */
#define DB_CELL_BYTES_MAX   (1024 * 1024)      /* one cell */
#define DB_RESULT_BYTES_MAX (64 * 1024 * 1024) /* stored bytes of one result */
#define DB_COLUMNS_MAX      256                /* columns of one result */
/* SQLite: a value or row of a statement that reads; bounds the time of a function call. */
#define DB_VALUE_BYTES_MAX (2 * DB_CELL_BYTES_MAX)
#define DB_LIKE_BYTES_MAX  1000 /* SQLite: a pattern; with the limit above, bounds a LIKE */
#define DB_SUM_SCALE       6 /* digits after the point in exact sums of a file: two more than prices */
/* 2^53: whole numbers below it are exact as doubles, and sums use them. */
#define DB_EXACT_BELOW    9007199254740992.0
#define DB_EXPR_DEPTH_MAX 500 /* SQLite: depth of an expression, which it walks recursively */
#define DB_COMPOUND_MAX   100 /* SQLite: SELECTs in one UNION */
#define DB_PROGRAM_STEPS_MAX                                                                       \
	250000 /* SQLite: instructions of a compiled statement; real ones have hundreds */
#define DB_STATEMENT_BYTES_MAX                                                                     \
	(256 * 1024 * 1024)         /* SQLite: one reading statement; sorts 3 million rows */
#define DB_QUERY_TIMEOUT_MS   10000 /* one statement; then it is cancelled on the server */
#define SOURCES_MAX           16    /* databases of one deployment besides the warehouse */
#define SOURCE_NAME_BYTES_MAX 31
#define DB_SCHEMAS_MAX                                                                             \
	8 /* schemas of a source; SQLite attaches its file once for each, at most 10 times */
#define SOURCE_STATEMENTS_MAX                                                                      \
	10 /* statements of one source call: passages of a search, queries of a tool */
#define FRAME_ROWS_MAX 200000 /* rows kept from one statement; larger results are sampled */
/* Rows read from one statement; more cannot be read in ten seconds. */
#define FRAME_READ_ROWS_MAX 5000000
#define FRAME_CELLS_MAX     4000000 /* rows times columns; above it fewer rows are kept */
/* One frame, in bytes: 4,000,000 numbers of 8 bytes. */
#define FRAME_MEMORY_MAX    (32 * 1024 * 1024)
#define FRAMES_MEMORY_MAX   (256 * 1024 * 1024) /* all frames of the process, in bytes */
#define FRAME_DECIMAL_SCALE 6 /* digits after the point; nine trillion fit before it */
/* Waiting queries of one named source: as many turns as run at once, each with its tool calls and
 * the writes of its answer. A turn that has begun does not fail because the queue is full. */
#define DB_QUEUE_MAX   16000
#define DB_WORKERS_MAX 64 /* threads of one named source */
/* Open SQLite files of a store in addition to its workers', 2 MB each. */
#define DB_WRITTEN_FILES    8
#define DB_PREPARED_MAX     64 /* prepared statements of one connection */
#define DB_GROUP_COMMIT_MAX 64 /* writes of one group commit */
/* Wait for group commit: a tool call's write waits for that of its answer. */
#define DB_GROUP_COMMIT_MS  100
#define DB_CONNECT_RETRY_MS 3000 /* between attempts to connect to an unavailable database */
#define DB_FETCH_BLOCK_ROWS 500  /* rows per round trip through a cursor */
#define DB_LOGIN_TIMEOUT_MS 5000 /* connecting to a server */
#define DB_SERVER_GRACE_MS                                                                         \
	500 /* added to the client's time limit; the sum is the server's time limit */
/* A server ends a transaction whose client is idle for this long. */
#define DB_TX_IDLE_MS 60000
/* The store's: a replica that takes over from a stopped one needs the locked rows. */
#define STORE_TX_IDLE_MS 5000
/* Setting the tenant on an idle connection; then its worker is abandoned. */
#define DB_CHECKOUT_MS 2000
#define DB_CANCEL_GRACE_MS                                                                         \
	1000 /* a cancel must take effect by then, or the worker is abandoned                      \
	      */
#define DB_CANCEL_HARD_MS       3000 /* a cancel must be sent by then, or the worker is abandoned */
#define DB_CANCEL_THREADS       2    /* threads that call the driver's cancel, which may block */
#define DB_REPLACED_WORKERS_MAX 16   /* abandoned workers that are replaced by new ones */
#define DB_CLOSE_MS             2000 /* closing a pool waits this long for cancelled statements */
#define DB_CLOSE_WRITE_MS       5000 /* the same for writes to a file: DB_BUSY_MS, and a slow disk */
#define DB_BREAKER_FAILURES     5    /* failures in a row that open a server's circuit breaker */
/* Time it stays open: a recovered server is noticed within five seconds. */
#define DB_BREAKER_MS 3000
/* Older connections are reopened, before an access token expires. */
#define DB_CONNECTION_AGE_MS 1800000
#define DB_CANCEL_RETRY_MS   200   /* between two attempts to cancel the same statement */
#define DB_BUSY_MS           2000  /* wait for a SQLite file that another process has locked */
#define DB_BUSY_STEP_MS      5     /* polling interval where SQLite does not wait for that lock */
#define STATS_DISTINCT_EXACT 10000 /* distinct values; above this, the count is a lower bound */

/* the SQL gate */
#define GATE_SQL_BYTES_MAX                                                                         \
	65536 /* ad hoc SQL; the longest sensible statements are a tenth of this */
#define GATE_WRITTEN_BYTES_MAX                                                                     \
	(512 * 1024)            /* the rewritten statement: each view with its columns and tenant */
#define GATE_TIMEOUT_MS   5000  /* an ad hoc statement; half of a tool's time limit */
#define GATE_TOKENS_MAX   16384 /* tokens of a statement: four bytes each on average */
#define GATE_LIST_MAX     1000  /* items of a list: columns, values of IN, rows of VALUES, joins */
#define GATE_SOURCES_MAX  32    /* tables of a statement; each name is looked up in all of them */
#define GATE_DEPTH_MAX    64 /* nesting; each level uses up to a dozen stack frames of the parser */
#define GATE_CELL_BYTES   8000          /* of a view: nvarchar(4000) */
#define GATE_JOINED_BYTES (1024 * 1024) /* many cells aggregated into one string */
#define GATE_VALUE_BYTES_MAX                                                                       \
	(16 * 1024 * 1024) /* the largest value an expression may build from cells and literals */
/* A format string of FORMAT; the longest sensible ones have 30. */
#define GATE_FORMAT_BYTES_MAX 40
#define GATE_WIDTH_DIGITS_MAX 2   /* digits of a width in a format or in STR */
#define GATE_SUFFIXES_MAX     8   /* COLLATE, AT TIME ZONE or :: after one operand */
#define GATE_DIVISIONS_MAX    64  /* divisions in one product; real ones have three */
#define GATE_NAME_BYTES_MAX   128 /* the limit of SQL Server */
#define GATE_NAME_BYTES_PG                                                                         \
	63 /* PostgreSQL truncates longer names, which can make two names equal */
#define GATE_NUMBER_BYTES_MAX 60 /* a decimal(38) with sign, point and exponent */

/* classifying values of a column by a model (tool_point.c) */
#define CLASSIFY_VALUES_MAX                                                                        \
	2000 /* with the largest measures: eight calls of a model, each retried at most once */
#define CLASSIFY_BATCH_LINES                                                                       \
	250                     /* lines of one call: models answer longer lists less carefully    \
				 */
#define CLASSIFY_CLASSES_MAX 12 /* classes of one call; users cannot compare more at a glance */
/* Of a value in a model's prompt: the first sentences of a comment. */
#define CLASSIFY_VALUE_BYTES 200
/* For totals of the values of FRAME_ROWS_MAX rows on a worker: the weight and row of each. */
#define CLASSIFY_SCRATCH_BYTES (16 * 1024 * 1024)
#define CLASSIFY_TOKENS_MAX                                                                        \
	4096 /* of its answer: CLASSIFY_BATCH_LINES numbers and their separators */
#define CLASSIFY_CACHE_MS                                                                          \
	(24 * 3600 * 1000)    /* a model's classes of the same values are cached this long */
#define CLASSIFY_WORDS_MAX 64 /* words of a description or a class, synonyms included */

/* computation over frames */
#define CALC_VALUES_MAX FRAME_ROWS_MAX /* values of one column: the rows of a frame */
#define CALC_PAIRS_MAX                                                                             \
	2000 /* values of a method that compares all pairs: two million slopes, 16 MiB, 20 ms */
#define CALC_VALUE_MAX 1e100 /* the sum of CALC_VALUES_MAX squares is still a finite double */
#define CALC_SERIES_MAX                                                                            \
	5000 /* periods of a series: thirteen years of daily values are decomposed in one second   \
	      */
#define CALC_PERIOD_MAX  366 /* periods of a season: a year of daily values */
#define CALC_HORIZON_MAX 366 /* periods ahead; beyond a year no interval is useful */
#define CALC_ORIGINS_MAX 90  /* origins of a backtest: three months of daily values */
/* Random permutations: the error of a p-value of 0.05 is half a percentage point. */
#define CALC_SHIFT_PERMUTATIONS 2000
/* Values in the window of a filter; each window is sorted by insertion. */
#define CALC_WINDOW_MAX         101
#define CALC_BINS_MAX           50   /* bins of a distribution; a chart fits no more */
#define CALC_CANCEL_CHECK_STEPS 4096 /* steps between two checks of the cancel flag: 0.1 ms */
#define CALC_GROUPS_MAX                                                                            \
	1000000 /* groups that one analysis reads within the statement time limit; it keeps        \
		   200,000 */
/* Cells of a crosstab; 200,000 squared would not fit in memory. */
#define CALC_CROSSTAB_MAX 100000
/* Entities of one k-means, which takes a worker two seconds. */
#define CALC_CLUSTER_ENTITIES 50000
#define CALC_GAPS_PERCENT     20 /* of a series that may be NULL; above this, no result is given */
#define CALC_SEED             UINT64_C(0x5eed0003) /* random numbers are the same in each run */

/* the cache */
#define CACHE_ENTRIES_MAX 10000 /* values in memory: distinct questions of a few hours */
/* Memory of values; those of the largest tenant are evicted first. */
#define CACHE_BYTES_MAX (32 * 1024 * 1024)
#define CACHE_VALUE_BYTES_MAX                                                                      \
	(1024 * 1024)            /* one value; 500 rows of 20 columns are a tenth of this */
#define CACHE_KEY_BYTES_MAX 1024 /* tenant and name; names are short or hashes */
#define CACHE_LOCKS_MAX     4096 /* locks held at a time; more are refused */

/* Redis: a turn waits for it at most 250 ms. That is the wait budget (100 ms), its refill during
 * one turn (100 ms), and the due time of ten calls in a row (50 ms). */
#define REDIS_WAIT_BUDGET_MS        100   /* wait beyond the due time, for all calls together */
#define REDIS_WAIT_BUDGET_MAX_MS    10000 /* of the setting; for replicas that need shared counts */
#define REDIS_WAIT_BUDGET_WINDOW_MS 120000 /* time in which an empty budget refills */
/* Due time of each call, which is not charged: a busy machine can take that long. */
#define REDIS_DUE_MS       5
#define REDIS_GREETING_MS  1000  /* connection, login and first reply; no turn waits for it */
#define REDIS_PAUSE_MIN_MS 100   /* first delay before reconnecting; doubles */
#define REDIS_PAUSE_MAX_MS 1500  /* longest delay: a recovered server is used within two seconds */
#define REDIS_STEADY_MS    10000 /* uptime after which delays start at the minimum again */
/* Interval at which an idle connection is checked, before a turn uses it. */
#define REDIS_PING_MS        5000
#define REDIS_ARGS_MAX       1040 /* words of one command: 512 streams with their start IDs */
#define REDIS_UNANSWERED_MAX 4096 /* commands without a reply; further ones are not sent */
#define REDIS_UNANSWERED_BYTES_MAX                                                                 \
	(16 * 1024 * 1024) /* of these commands: bounds memory when a server reads nothing */
#define REDIS_REPLY_BYTES_MAX (4 * 1024 * 1024) /* 16 of the largest entries of a stream */
/* Elements in arrays of one reply: 512 streams with an entry each. */
#define REDIS_REPLY_ELEMENTS_MAX 4096
/* Nesting: streams, a stream, its entries, an entry, its fields. */
#define REDIS_REPLY_LEVELS_MAX 5

/* several replicas */
#define CLUSTER_BEAT_MS 500 /* heartbeat interval; a replica that misses five is dead */
/* Heartbeats in a row that find more turns in this replica's set than run here; then the
 * set is read. A turn that begins or ends between two heartbeats affects only one of them. */
#define CLUSTER_SURPLUS_BEATS 4
#define CLUSTER_LEASE_MS      300000 /* a session's lease; longer than any turn */
#define CLUSTER_STREAM_TTL_MS 720000 /* expiry of a stream; as long as an event log */
/* Between writes of a turn: below 20 a second, and text still flows evenly. */
#define CLUSTER_FLUSH_MS 60
#define CLUSTER_DUE_MS   1500 /* a write without a reply by then counts as lost */
#define CLUSTER_BLOCK_MS 1000 /* one blocking read of other replicas' streams */
#define CLUSTER_ENTRY_BYTES                                                                        \
	65536           /* events of one entry; a larger event is the only one in its entry */
#define CLUSTER_PAGE 64 /* entries per reply */
/* Streams read in one call; more streams are read in rotation. */
#define CLUSTER_FOLLOWED           480
#define CLUSTER_REPLY_BYTES_MAX    (64 * 1024 * 1024) /* CLUSTER_PAGE entries of 1 MiB each */
#define CLUSTER_REPLY_ELEMENTS_MAX 262144             /* 512 streams with a page each */
/* Another replica's log is dropped this long after its last watcher. */
#define CLUSTER_UNWATCHED_MS    5000
#define CLUSTER_FINAL_EVENTS_MS 10000 /* retry time for the last events of a finished turn */
/* Other replicas' viewer counts expire after this; they are sent every 10 s. */
#define CLUSTER_WATCHED_MS 30000
/* Followed logs end if nothing was read for this long; a Redis restart is shorter. */
#define CLUSTER_READ_SILENCE_MS 15000
#define CLUSTER_INBOX_MAX       1000 /* signals queued for a replica; older ones are useless */
#define CLUSTER_REPLICAS_MAX    100  /* replicas that receive signals */
#define CLUSTER_NAME_BYTES      32   /* a replica's name, without the boot ID that is appended */
_Static_assert(CLUSTER_STREAM_TTL_MS >= TURN_DEADLINE_MS + EVENT_LOG_TTL_MS,
	       "a stream must live as long as its event log");
_Static_assert(6 + 2 * (CLUSTER_FOLLOWED + 1) <= REDIS_ARGS_MAX,
	       "one call must be able to read all followed streams");

_Static_assert(REDIS_REPLY_BYTES_MAX > CACHE_VALUE_BYTES_MAX + 64,
	       "a reply must be able to hold the largest cache value");

/* JSON of other services (Power BI, the identity provider) */
#define JSON_FETCH_BYTES_MAX                                                                       \
	(4 * 1024 * 1024)               /* a page of activity events; all other replies are small */
#define JSON_FETCH_PAUSE_MAX_MS 3600000 /* a longer retry-after is cut to this */

/* sign-in of browsers */
#define SIGNIN_CALL_MS 10000 /* one request to the provider, while a user waits */
#define SIGNIN_LOGIN_MS                                                                            \
	600000 /* from the provider's first page to the code; allows a password reset */
#define SIGNIN_KEYS_MS  10000 /* wait for the provider's new keys */
#define SIGNIN_POLL_MS  250   /* polling interval for keys or for another tab's renewal */
#define SIGNIN_EARLY_MS 60000 /* a token with less time left is renewed; as AUTH_WARN_MS */
#define SIGNIN_FRESH_MS 2000  /* a younger token is not renewed: several tabs ask at once */
#define SIGNIN_RUNNING_MAX                                                                         \
	512 /* concurrent requests to the provider; further callers are told to retry */
#define SIGNIN_CODE_BYTES_MAX                                                                      \
	8192                   /* the code in the address; that of Entra ID is about 1,500 bytes */
#define SIGNIN_COOKIE_BYTES 44 /* 32 random bytes as base64url */

/* Power BI */
#define PBI_CALL_MS 5000 /* one call, the wait for a token included */
/* A token is replaced this long before it expires: clocks differ, pages stay open. */
#define PBI_EARLY_MS      300000
#define PBI_EMBED_MINUTES 60   /* life of a report's token; the service allows no more */
#define PBI_EMBEDS_MAX    1000 /* cached tokens of about 3 KiB; one in use is never evicted */
/* Requests for activity events; the service's limit for a directory. */
#define PBI_CALLS_PER_HOUR 200
#define PBI_ACTIVITY_DAYS  28 /* days for which the service keeps them */

/* the store */
#define TITLE_CHARS_MAX      80  /* a session's generated title: one line of a list */
#define TITLE_EDIT_CHARS_MAX 200 /* a title that the user wrote */
#define REPORT_DAYS_MAX      366 /* days in an administrator's totals: a year */
#define STORE_PAGE_MAX       200 /* messages or sessions of one page */
/* Numbered files; the statements of all of them form one request. */
#define STORE_MIGRATIONS_MAX 500
/* Tenant stores prepared or maintained at a time; each holds 100 KB meanwhile. */
#define STORES_AT_ONCE 4
/* Delay before a store that was unavailable at startup is retried. */
#define PREPARE_RETRY_MS      1000
#define PREPARE_BUSY_RETRY_MS 100 /* delay before a locked file is retried at startup */
/* Time for such retries; then startup continues without the file. */
#define PREPARE_BUSY_TIMEOUT_MS 5000
#define SWITCHES_MAX            500  /* tool switches of one tenant: agents times tools */
#define SWITCHES_REFRESH_MS     2000 /* a switch takes effect on all replicas within five seconds */
#define RETAIN_EVERY_MS         3600000 /* interval at which expired data is deleted */
#define RETAIN_ROUNDS_MAX                                                                          \
	20000 /* delete requests in a row; a damaged file could return the same rows forever */
/* Messages deleted by one request, so that turns can write in between. */
#define RETAIN_BATCH       50
#define FEEDBACK_BYTES_MAX 4000 /* a comment or a correction */
/* An idempotent retry gets the first request's answer for this long. */
#define IDEMPOTENT_LIFE_MS 86400000
#define IDEMPOTENT_STALE_MS                                                                        \
	300000 /* a request without an answer by then was lost together with its process */
#define RECEIPTS_PAGE_MAX 100 /* records read at once, with their content */
/* Conflicts in a row with other replicas that append to the receipt chain. */
#define RECEIPT_ATTEMPTS_MAX 32
#define TURNS_ALIVE_MS       2000 /* interval at which a replica records its running turns */
#define TURNS_ALIVE_MAX      200  /* turns recorded by one statement */
/* Five missed records: the replica is dead and no other took over the turn. */
#define TURN_SILENT_MS       10000
#define TURN_SILENT_EVERY_MS 5000 /* interval of the search for these turns */
/* The row of a finished turn: its last writers have ended by then. */
#define TURN_ROW_TTL_MS 86400000
/* Orphaned turns closed by one request; startup repeats it until none is left. */
#define STORE_ORPHANS_MAX 64

/* the model */
#define BUDGET_WARN_PERCENT 80    /* of a limit; above this, each answer carries a warning */
#define BUDGET_READ_MS      10000 /* delay until other replicas' spending is known */
#define BUDGET_READ_SOON_MS 1000  /* the same when a limit is nearly reached */
#define BUDGET_LIMITS_MAX   100 /* limits of one configuration; all are checked before each call */
#define BUDGET_SUMS_MAX                                                                            \
	20000 /* running sums in memory; when there are more, those of past periods are evicted */
/* This and the next two end the call with a timeout that names the limit. */
#define LLM_CONNECT_MS       5000
#define LLM_FIRST_BYTE_MS    30000
#define LLM_IDLE_MS          30000
#define LLM_DEADLINE_LAG_MS  10   /* of a turn's time; with less left no attempt starts */
#define LLM_ATTEMPTS_MAX     3    /* as in the vendor's own clients: 2 retries */
#define LLM_CONTINUE_MAX     2    /* providers that continue one answer; more would be patchwork */
#define LLM_CONTINUE_LEFT_MS 3000 /* of a turn's time; with less left a call is not worthwhile */
#define LLM_PAUSES_MAX       4    /* times that a paused answer is continued; each is a request */
#define LLM_RETRY_WAIT_MAX_MS                                                                      \
	20000 /* with a longer retry-after the call fails over to another provider */
#define LLM_RETRY_BASE_MS        500  /* first wait without a retry-after; doubles */
#define LLM_RETRY_BACKOFF_MAX_MS 8000 /* longest such wait */
#define LLM_BREAKER_FAILURES     5    /* failures in a row that open a provider's circuit breaker */
#define LLM_BREAKER_OPEN_MS      30000 /* time until a half-open breaker admits one probe */
#define LLM_BLOCKS_MAX           64    /* content blocks of one answer */
#define LLM_TEXT_BYTES_MAX                                                                         \
	(1024 * 1024) /* one block of text; an answer of 128K tokens is about half of this */
#define LLM_TOOL_INPUT_BYTES_MAX 65536 /* arguments of one tool call */
/* Token count in a service's reply; a larger one is invalid. */
#define LLM_COUNT_MAX         1000000000
#define LLM_MAX_TOKENS        4096               /* of an answer, unless configured */
#define LLM_REQUEST_BYTES_MAX (32 * 1024 * 1024) /* the limit of the Messages API */
#define LLM_ERROR_BYTES_MAX   65536              /* bytes read from an error's body */
#define LLM_CHECK_MS          30000              /* request for the list of models at startup */
#define LLM_MODELS_BYTES_MAX  (4 * 1024 * 1024)  /* that list; real ones are below 100 KiB */
/* Wait for the end of the body after the last event; then the transfer is closed. */
#define LLM_LINGER_MS 250
#define EMBED_BATCH   128 /* texts of one request; services accept a few hundred */
#define EMBED_TEXT_BYTES                                                                           \
	8000                /* bytes sent from each text; more than a passage with its heading     \
			     */
#define EMBED_DIMS_MAX 4096 /* numbers of a vector: the largest of today's models */
#define EMBED_RESPONSE_BYTES                                                                       \
	(16 * 1024 * 1024)             /* EMBED_BATCH vectors of EMBED_DIMS_MAX decimal numbers */
#define EMBED_QUESTION_MS         3000 /* for a question's vector; then the search uses words only */
#define SSE_EVENT_BYTES_MAX       (10 * 1024 * 1024) /* one server-sent event */
#define HTTP_IDLE_CONNECTIONS_MAX 256                /* idle connections kept for reuse */
#define HTTP_CONNECTIONS_MAX      4096 /* outgoing connections; further requests wait for one */
/* Receive buffer of one transfer: some forty deltas per read. */
#define HTTP_BUFFER_BYTES       8192
#define HTTP_RESPONSE_BYTES_MAX (16 * 1024 * 1024) /* a response that is not a stream */

/* vesperctl map import */
#define IMPORT_BYTES_MAX      (16 * 1024 * 1024) /* a model with 1,000 tables is about 10 MiB */
#define IMPORT_TABLES_MAX     1000
#define IMPORT_METRICS_MAX    2000 /* a tenth of MAP_METRICS_MAX */
#define IMPORT_NAME_BYTES_MAX 128  /* the limit of databases */

/* vesperctl connect */
#define CONNECT_TABLES_MAX                                                                         \
	400 /* tables of one pack: a larger database covers several subjects; less than            \
	       MAP_ENTITIES_MAX */
#define CONNECT_COLUMNS_MAX                                                                        \
	200 /* columns of a table; a wider one is an export, unsuitable for questions */
#define CONNECT_SAMPLE_ROWS 10000 /* rows sampled per table: one percent is still 100 rows */
#define CONNECT_EXACT_ROWS_MAX                                                                     \
	10000000 /* rows above which the server's estimate is used, as counting takes too long */
/* Time limit of one statement: a database in use must not be slowed down. */
#define CONNECT_STATEMENT_S     10
#define CONNECT_STATEMENTS_MAX  8     /* statements per table */
#define CONNECT_VALUES_MAX      200   /* values of a dimension, as many as a user can choose from */
#define CONNECT_VALUE_BYTES_MAX 80    /* one value; longer ones are sentences */
#define CONNECT_PAIRS_MAX       20000 /* column pairs that are tested as an edge */
#define CONNECT_OVERLAP_VALUES  1000  /* values of a column that are looked up in the other one */
#define CONNECT_MEMORY_BYTES                                                                       \
	(512 * 1024 * 1024) /* samples of CONNECT_TABLES_MAX tables of usual width */

/* data that users upload */
#define BODY_DROPPED_MAX                                                                           \
	(1024 * 1024) /* bytes of a refused body that are read and discarded, so that the sender   \
			 reads the reply */
/* Longest pause in a streamed body; after it, the sender is considered disconnected. */
#define BODY_SILENT_MS     30000
#define BODY_RATE_AFTER_MS 10000 /* after this time a body must average BODY_RATE_BYTES_S */
/* A slow line; a slower body would hold its connection for hours. */
#define BODY_RATE_BYTES_S     16384
#define BODY_BLOCK_BYTES      65536 /* of a body passed to a sink; each request has two in memory */
#define DATA_SOURCE_BYTES_MAX (100 * 1024 * 1024) /* a file; spreadsheet exports are smaller */
/* Rows of a file; a question over them is answered in a second. */
#define DATA_SOURCE_ROWS_MAX       2000000
#define DATA_SOURCE_COLUMNS_MAX    500   /* twice the widest tables in common use */
#define DATA_SOURCE_CELL_BYTES_MAX 65536 /* a cell; a longer one is an unclosed quote */
#define DATA_SOURCES_PER_TENANT_MAX                                                                \
	50 /* each adds to the map with which questions are understood */
#define DATA_SOURCE_VERSIONS_MAX                                                                   \
	30000 /* versions of all sources and documents of a tenant, failed ones included */
#define DATA_SOURCE_LINE_BYTES_MAX                                                                 \
	(1024 * 1024) /* a line of JSON, or one that is read to detect the encoding */
#define DATA_SOURCE_RECORD_BYTES_MAX                                                               \
	(4 * 1024 * 1024) /* all cells of one record; tables have few long ones */
/* One cell of the store; if a profile is larger, its list of invalid lines is dropped first. */
#define DATA_SOURCE_PROFILE_BYTES_MAX (1024 * 1024)
/* Lines with invalid rows or cells: enough to see the cause. */
#define DATA_SOURCE_LINES_LISTED 1000
#define UPLOAD_GRANTS_MAX        16 /* callers per tenant with cached grants: those that send requests */
#define UPLOAD_GRANT_BYTES                                                                         \
	(16 * 1024 * 1024) /* of one caller: 10,000 permissions of 100 bytes fit */
#define DATA_SOURCE_TENANT_BYTES (INT64_C(1024) * 1024 * 1024) /* files in use of one tenant */
#define DATA_SOURCE_WAITING_MAX  4 /* loads of a tenant that wait for the running one */
/* Of one user: a file every few minutes, as when trying delimiters. */
#define DATA_SOURCE_LOADS_PER_HOUR 10
/* Without a heartbeat for this long, another replica's load is considered dead. */
#define DATA_SOURCE_SILENT_MS 60000
/* Added to a turn's time limit before the data it may read is deleted. */
#define UPLOADS_TURN_MARGIN_MS 5000
#define DATA_SOURCE_ASK_MS                                                                         \
	86400000 /* a clarifying question about a file can be answered for a day */
#define DATA_SOURCE_FREE_BYTES (INT64_C(1024) * 1024 * 1024) /* left free on the spool's disk */
#define DATA_SOURCE_LOAD_MS    600000 /* one statement of a load: an index over two million rows */
/* Rows per transaction, so that the log of a SQLite file stays small. */
#define DATA_SOURCE_DELETE_ROWS 20000
#define DATA_SOURCE_INDEXES_MAX 8   /* indexes of one table */
#define DATA_SOURCE_ROWS_SHOWN  500 /* unprocessed rows of a table in one reply */
/* Descriptions by owners: 500 columns of 500 bytes. */
#define DATA_SOURCE_MEANING_BYTES_MAX (256 * 1024)
#define DATA_SOURCE_SYNONYMS_MAX                                                                   \
	10                      /* synonyms of one column; more would belong to other columns      \
				 */
#define DATA_SOURCE_JOINS_MAX 8 /* joins declared by one source; a table has few keys */
#define DATA_SOURCE_FIT_PER_MILLE                                                                  \
	995 /* of a column's cells that must fit its type; the others are errors */

/* documents */
#define DOCUMENT_BYTES_MAX (10 * 1024 * 1024) /* a file; a book of 1,000 pages is 3 MiB */
#define DOCUMENTS_PER_TENANT_MAX                                                                   \
	10000 /* a company's policies and a wiki, as tests/bench/documents-many.mjs loads them */
#define DOCUMENT_TENANT_CHUNKS 100000 /* chunks of a tenant: all are searched within 10 ms */
#define DOCUMENT_LOADS_PER_HOUR                                                                    \
	12000 /* of one user: all documents that a tenant may have, and some of them again */
#define DOCUMENTS_LISTED_MAX 500 /* documents on one page of a list */
/* Of one document: DOCUMENT_BYTES_MAX in chunks of half their size. */
#define DOCUMENT_CHUNKS_MAX 20000
/* A passage: enough context for an answer, and five fit into a prompt. */
#define DOCUMENT_CHUNK_BYTES 1200
#define DOCUMENT_CHUNK_BYTES_MAX                                                                   \
	2000 /* a table or a listing, which is kept in one passage up to this size */
#define DOCUMENT_OVERLAP_BYTES 150 /* repeated where a paragraph is cut: one or two sentences */
/* Passages of a turn: PLAN_TASKS_MAX searches of ten, with spare room. */
#define CITE_PASSAGES_MAX 200
#define CITE_BYTES_MAX    24  /* a bracket of citations: six of two digits */
#define HTML_DEPTH_MAX    256 /* nesting within dropped elements; pages are some 30 deep */
#define FIND_STEMS_MAX    64  /* stems of a question; a text of 16 KiB has no more relevant ones */
#define DOCUMENT_COVERAGE_MIN                                                                      \
	0.3 /* share of a question's words in the best passage; below this, nothing was found */
#define FIND_REACH_MAX 64 /* sets of words that occur together in a chunk; the best are kept */
#define FIND_LOOP_CHUNKS                                                                           \
	2000 /* chunks searched on the loop thread, which takes 0.2 ms; more use a worker */
#define DOCUMENT_PASSAGES_MAX 10 /* passages of a search, as many as an answer can quote */
#define FIND_SPREAD           5  /* first hits, which are spread over documents */
#define FIND_PER_DOCUMENT     2  /* hits of one document among the first FIND_SPREAD */
#define FIND_FUSED            50 /* hits by words, and hits by vectors, that are merged */
#define FIND_FUSED_RANK       60 /* added to each rank before the merge: Cormack et al., 2009 */
/* Rows compared between two checks of the cancel flag: below 1 ms. */
#define VECTORS_CANCEL_CHECK_ROWS 1024
#define FIND_ARENA_BYTES                                                                           \
	(32 * 1024 * 1024) /* a search: scores of the longest document, stems times documents */

#endif
