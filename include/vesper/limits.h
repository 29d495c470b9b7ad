/* Limits that more than one file or reader needs to know, each with its reason. A limit that only
 * one file uses may stand at the top of that file; those of the configuration stand in
 * src/config/config_keys.c. */
#ifndef VESPER_LIMITS_H
#define VESPER_LIMITS_H

/* base */
#define JSON_DEPTH_MAX                                                                             \
	32 /* deepest real frame is 6; jansson's recursion stays far from the stack's end */
#define LANGUAGE_IMPOSSIBLE_MAX 16 /* patterns of what cannot be; English has one */
#define PHRASE_WORDS_MAX        8  /* of one phrase of a language; the longest has five */
#define JSON_FILE_BYTES_MAX                                                                        \
	(4 * 1024 * 1024) /* configuration and catalogue files are hundreds of KiB at most */
#define RX_STEPS_MAX           100000 /* keeps one match under a millisecond or two */
#define LOG_LINE_BYTES_MAX     16384  /* what log collectors accept as one line */
#define METRICS_MAX            2048   /* series are made from code and catalogue, not from users */
#define METRIC_VALUE_BYTES_MAX 120    /* of a label: the longest are names of queries */
#define METRICS_BYTES_MAX      (4 * 1024 * 1024) /* METRICS_MAX histograms of 14 lines and 130 bytes */

/* the socket and HTTP */
#define MESSAGE_BYTES_MAX     16384  /* a chat message; announced in session.ready */
#define FRAME_BYTES_MAX       65536  /* one WebSocket message from a client; larger closes 1009 */
#define HEADER_BYTES_MAX      16384  /* request headers: an Entra token with groups fits */
#define BODY_BYTES_MAX        131072 /* a REST body: a message with escapes, and room */
#define TOKEN_BYTES_MAX       16384  /* a JWT */
#define CONNECTIONS_MAX       12000 /* open sockets of all kinds; well below the descriptor limit */
#define STRANGERS_SHARE       4  /* one in so many of them may be without a user: room to sign in */
#define ADMIN_CONNECTIONS_MAX 64 /* of the admin address: probes and scrapers */
#define WS_DESCRIPTORS        3  /* of a WebSocket: the client's socket and a pair */
#define DESCRIPTORS_MAX       65536 /* raised to at the start: all of them WebSockets, and a quarter */
#define RELAY_READ_BYTES      16384 /* one read of a relay; what one side does not take of it waits */
#define RELAY_IN_BYTES        32768 /* of a client's, in the kernel before libwebsockets reads them */
#define RELAY_OUT_BYTES       131072 /* and for a client; a quarter of it unread is a choked socket */
#define AUTH_FRAME_MS         5000   /* that long may they wait */
#define HEADER_DEADLINE_MS                                                                         \
	10000                   /* a request's headers must be whole by then, however they drip    \
				 */
#define FRAME_DEADLINE_MS 30000 /* a client's message must be whole by then */
#define BODY_DEADLINE_MS  20000 /* a REST body must be whole by then; less than SEND_BLOCKED_MS */
#define PEEK_DEADLINE_MS  3000  /* a connection must show its first bytes by then */
#define PING_EVERY_MS     25000 /* below the 60 s idle limit of common proxies */
#define PING_MISSED_MAX   2     /* silent that many intervals: gone */
#define SEND_BATCH_BYTES  16384 /* frames of one write; then the socket is asked again */
#define SEND_QUEUE_PAUSE_BYTES                                                                     \
	(256 * 1024) /* answers a client leaves unread: above, it is not listened to */
#define SEND_QUEUE_RESUME_BYTES (64 * 1024) /* below: it is again */
#define SEND_BLOCKED_MS         30000 /* a client that reads nothing for that long is closed with 1013 */
#define LISTEN_PAUSE_MS                                                                            \
	100 /* no descriptor left: accept nothing for that long instead of spinning */
#define CLOSE_WAIT_MS                                                                              \
	5000 /* a closing frame that a client does not read by then is not waited for */
#define DRAIN_MS     5000  /* at the end: whatever is still open by then is cut */
#define AUTH_WARN_MS 60000 /* auth.expiring comes that long before the token's end */
#define TOKEN_MERGE_BYTES_MAX                                                                      \
	16384 /* text of one merged token frame, for a socket that was choked */
#define EXTERNAL_ID_BYTES_MAX   200 /* another client's name for a conversation */
#define TASK_EXAMPLES_MAX       3   /* questions to follow up with, as many as pages show */
#define TASK_TITLE_BYTES_MAX    60  /* of a conversation, for a chat page that asks for one */
#define CLIENT_MSG_ID_BYTES_MAX 100 /* a UUID, and room for other habits */
#define FILTERS_MAX             64  /* edited filters of one message; there are some thirty names */
#define PING_TEXT_BYTES_MAX     100 /* what a client may ask to have sent back */
#define PAGE_DEFAULT            50  /* rows of one page of a REST list */
#define PAGE_MAX                200
#define PAGE_BYTES              (4 * 1024 * 1024) /* a page of messages ends when it has them */
#define DEMO_TOKEN_LIFE_S       (8 * 3600)        /* a working day */
#define SSE_KEEPALIVE_MS        15000 /* comment line, so that proxies keep the stream open */
#define TICKET_LIFE_MS          30000 /* a one-time ticket is used at once or not at all */
#define DOWNLOADS_MAX           4     /* whole results in memory, DB_RESULT_BYTES_MAX each */
#define DOWNLOAD_TIME_MS        5000  /* to send one in; then it may be ended for the next one */
#define DOWNLOAD_BLOCK_BYTES    65536 /* of one is made text at a time */
#define RATE_SLACK_PERCENT      1     /* a shared count is half a second older than ours at most */
#define METERS_MAX              20000 /* users and tenants whose rates are in memory */
#define JWKS_BYTES_MAX          (256 * 1024) /* an issuer's keys: Entra ID's are 10 KiB */
#define JWKS_KEYS_MAX           64    /* several are valid at once; real sets have up to ten */
#define JWKS_FETCH_MS           10000 /* one request for keys */
#define JWKS_RETRY_MS           15000 /* after a request that failed */
#define JWKS_UNKNOWN_MS                                                                            \
	15000                   /* unknown kids ask for keys that often: a new key waits no longer \
				 */
#define TOKENS_PER_USER_MAX  20 /* personal access tokens: one a client and machine */
#define TOKEN_NAME_BYTES_MAX 100              /* as wide as its column */
#define TOKEN_LIFE_S         (30 * 24 * 3600) /* of one, where nothing else is said */
#define TOKEN_LIFE_S_MAX     (90 * 24 * 3600) /* a forgotten one expires within a quarter */
#define TOKENS_KNOWN_MS      2000  /* what the store said of one: revoking it is in force by then */
#define TOKENS_KNOWN_MAX     10000 /* of them in memory; as the cache */
#define TOKEN_LOOKUPS_MAX    64    /* at once: guessing must not fill the store's queue */
#define TOKEN_CHECK_MS       2000 /* a stream that one opened looks that often if it is still good */
#define TOKEN_TOUCH_MS       60000 /* its last use is written that often at most */
#define SIGN_INS_MAX         20000 /* users whose newest sign-in is in memory; as their rates */
#define TICKETS_MAX          10000 /* outstanding tickets in memory; as the cache */

/* the loop */
#define LOOP_LAST_ITERATIONS 8 /* a chain of steps has fewer, those of many turns never end */

/* a turn */
#define TURN_ARENA_BYTES    (32 * 1024 * 1024) /* rows, prompts and messages of one turn */
#define TURN_MAX_HOPS       64     /* state changes of one turn; a real one takes about 12 */
#define TURN_DEADLINE_MS    120000 /* the whole turn */
#define TURNS_MAX           4000   /* running turns in one process */
#define TURNS_SHARE_MIN     8      /* of a tenant: still begun while others have too many */
#define TURNS_SHARE_PERCENT 110    /* ... unless it is this far over the bound */
#define HANDOVER_VERSION    1      /* of what two processes say to each other */
#define OVERLOAD_EVERY_MS   100    /* how much there is to do is looked at that often */
#define OVERLOAD_LOOP_MS    50     /* a loop that late answers nobody in time */
#define OVERLOAD_QUEUE_MS   500    /* a turn has several requests: each waits as long */
#define OVERLOAD_LOG_BYTES                                                                         \
	201326592                  /* of running turns: 75 % of 256 MiB, the rest is their growth */
#define OVERLOAD_RETRY_MS    1000  /* a refused question may come again after that, and up to ... */
#define OVERLOAD_SPREAD_MS   4000  /* ... so much later, so that they do not come back together */
#define TURNS_QUEUED_MAX     4     /* questions that wait in one session; more is no conversation */
#define TURN_LEASE_AGAIN_MS  200   /* between two looks for the end of a turn on another replica */
#define TURN_INTERRUPT_MS    2000  /* for one that was told to stop: then the session is busy */
#define TURNS_PER_USER_MAX   8     /* running turns of one user over all sessions */
#define TURN_GRACE_MS        30000 /* grace period of a turn without a watcher, to be resumed */
#define TURN_HELD_MS         10000 /* of one whose model is not read on while logs are full */
#define SUMMARY_MESSAGES     30    /* messages without a summary: then the older ones get one */
#define SUMMARY_TOKENS       100000 /* or that many tokens written in them */
#define SUMMARY_KEEP         6      /* the newest stay out of it: prompts repeat them whole */
#define SUMMARY_READ         200    /* messages that one summary takes in */
#define SUMMARY_ITEMS_MAX    40     /* questions that a summary remembers; the oldest go first */
#define SUMMARY_TEXT_BYTES   240    /* of a question, and of what answered it */
#define SUMMARY_MODEL_MS     8000   /* a model has that long to word it */
#define SUMMARY_BYTES_MAX    4000   /* of a model's summary */
#define OUTSIDE_MESSAGES_MAX 1000   /* a client's own history: what common clients send in a day */
#define OUTSIDE_BYTES_MAX    (1024 * 1024) /* and as much of it as a request's body may hold */
#define MCP_LIST_MAX                                                                               \
	100 /* tools of one list of MCP: a catalogue's, for most clients read one list */
#define MCP_LIST_LIFE_MS                                                                           \
	60000 /* a client may keep a list that long: switches and permissions change */
#define MCP_STATE_LIFE_MS                                                                          \
	(24 * 3600 * 1000)      /* of what a form brings back: a clarifying question stands a day */
#define OUTSIDE_LOOKED_AT    12 /* its newest: as many as a session's own */
#define OUTSIDE_OF_ROLE      6  /* texts of each speaker among them */
#define OUTSIDE_ANSWER_BYTES 2000 /* of an answer: what it was about */
#define OUTSIDE_RULES_BYTES  4000 /* of the client's own rules: tone and form need no more */
#define HISTORY_MESSAGES_MAX                                                                       \
	12 /* read of a session: a prompt repeats half, what stands is near                        \
	    */
#define ANSWER_BYTES_MAX                                                                           \
	(256 * 1024)               /* text of one answer; past it the answer is ended and marked */
#define EVENTS_PER_TURN_MAX  20000 /* entries of one turn's log: a 10,000 token answer, and room */
#define EVENT_LOG_BYTES_MAX  (8 * 1024 * 1024) /* bytes of one turn's log */
#define MARKDOWN_ROWS_MAX    40   /* of one table in a text: a screen; the table itself has all */
#define WIRE_STATE_BYTES_MAX 512  /* of one reader of a log: open steps, ids, a run of numbers */
#define STREAM_BEHIND_MS     2500 /* a lost write is repeated by then; a page waits 3 s for a pong */
#define EVENT_LOG_KEPT_MS    600000 /* a finished turn can be resumed that long */
#define EVENT_LOGS_MAX       20000  /* finished logs kept at all */
#define EVENT_LOGS_BYTES_MAX                                                                       \
	(40 * 1024 * 1024) /* memory of finished logs; those of the largest tenant go first */

/* views and prompts */
#define VIEW_BYTES_MAX                                                                             \
	(512 * 1024) /* cells of one table for a client; 500 rows of 40 columns are below */
#define PROMPT_TOKENS                                                                              \
	16000 /* what one call of a model is told about data; 100 rows of 10 columns are 5,000 */
#define PROMPT_TOKENS_LEAST 1000 /* question, date and the outcomes of one plan need as much */
#define PROMPT_ROWS_MAX     40   /* of one result; statistics cover all of them */
#define PROMPT_VALUES_MAX   20   /* known values of a dimension; code resolves the others, too */
#define PROMPT_TOOLS_WHOLE  3    /* with all that is said about them; the others by their subject */
#define PROMPT_EXAMPLES_MAX                                                                        \
	1 /* of a domain, for supervisors: where there are twelve each costs 150 tokens */
#define PROMPT_LIKE_MAX       3    /* questions like the one that is asked, with their calls */
#define PROMPT_LIKE_LEAST     0.4  /* of a question's words: the names in it are seldom the same */
#define PROMPT_CELL_BYTES_MAX 1000 /* a longer text is cut, so that one cell takes not all room */

/* plans and agents */
#define PLAN_TASKS_MAX         16    /* tasks of one plan */
#define PLAN_WAVES_MAX         4     /* of a planner's: each waits for a query of the one before */
#define PLANNER_CLAUSES_LEAST  3     /* of a question: with fewer the supervisor's own steps do */
#define PLANNER_TOKENS_MAX     1200  /* of its answer: PLAN_TASKS_MAX steps of 60 and a margin */
#define PLANNER_MS             20000 /* then the steps that code found alone are run */
#define PLANNER_DOMAINS_MAX    3     /* whose tools it is told */
#define PLAN_TERMS_MAX         8     /* comparisons of one condition; a reader can't follow more */
#define PLAN_DEPTH_MAX         8     /* brackets in brackets of one; reading it is recursive */
#define PLAN_LINES_MAX         32    /* questions, sentences and suggestions of one flow */
#define FLOW_LINES_MAX         (PLAN_TASKS_MAX + PLAN_LINES_MAX)
#define FLOW_EACH_MAX          5     /* tasks of one "each"; more values are left out */
#define FLOW_BYTES_MAX         16384 /* of one file; forty lines of 400 bytes */
#define FLOWS_MAX              500   /* of all packs of a list */
#define OVERLAY_FLOWS_MAX      500   /* that a tenant adds to those of its packs */
#define APPROVED_ORDER         1000  /* of approved answers among flows: behind those of packs */
#define APPROVED_EXAMPLES_MAX  10    /* further questions for one approved answer */
#define REF_NAME_MAX           63    /* bytes of a name in a reference to an earlier result */
#define AGENT_ROUNDS_MAX       8     /* model calls in one agent's loop */
#define AGENT_TOOL_CALLS_MAX   16    /* tool calls of one model answer */
#define AGENT_ROWS_MAX         40    /* rows of one result that an agent's model is shown */
#define ASK_OPTIONS_MAX        12    /* choices of a clarifying question that a model makes */
#define ASK_RESULT_OPTIONS_MAX 200   /* and when they are rows: what a list can be chosen from */
#define ASK_ATTEMPTS_MAX       3     /* times that the same is asked back in a row, then it ends */
#define RECOVER_OPTIONS_MAX    40    /* years to choose from; the latest, where there are more */
#define RECOVER_OTHERS_MAX     8     /* values with data that are offered for one without */
#define RECOVER_PROBES_MAX     5     /* questions tried where nothing was found */
#define RECOVER_PROBE_MS       2000  /* what finds nothing by then is not suggested */
#define ASK_TEXT_BYTES_MAX     500   /* and each of its texts */
#define STATUS_ABOUT_BYTES_MAX 240   /* what runs, in one line for the user */
#define STATUS_ARGS_BYTES_MAX  16384 /* what a call was asked for with; longer is not told */

/* components */
#define COMPONENTS_MAX      64  /* of all packs of a list: a page loads them at once */
#define PROPS_MAX           24  /* of a component, and parts of its layout */
#define COMPONENT_ROWS_MAX  500 /* of a table in one: as many as an answer keeps */
#define COMPONENT_BYTES_MAX (4 * 1024 * 1024) /* its view: two full tables and their charts */

/* questions that a model judges */
#define VET_MS         2000 /* then code's word stands; the supervisor rarely takes that long */
#define VET_TOKENS_MAX 512  /* of its answer: one of five words, and a thought before it */

/* the number check */
#define CHECKED_ITEMS_MAX                                                                          \
	2000 /* numbers of an answer that are listed one by one; a long table has 500 */
#define SENTENCE_BYTES_MAX                                                                         \
	4096 /* that much of a sentence waits for its numbers; real ones are below 500 */

#define REWRITES_MAX                                                                               \
	4 /* sentences of one turn that are asked for again; more is a model that does not read */
#define REWRITE_MS         10000 /* for one of them; a reader waits for it in mid-sentence */
#define REWRITE_TOKENS_MAX 1024  /* and the model may write that much: a sentence, and a thought */

#define QUOTE_WORDS_MAX                                                                            \
	12 /* in a row as a prompt has them: then it is a verbatim copy. A legend of colors has 10 \
	    */

/* approved answers */
#define APPROVED_SCRATCH_MAX (1 << 20)  /* names of all of a tenant */
#define FLOW_WORDS_BYTES_MAX (64 << 20) /* index of 1,000 flows with ten examples each */

/* the catalogue */
#define PACKS_MAX            64 /* packs of all roots */
#define PACK_NAME_BYTES_MAX  31
#define ASKED_NAME_WORDS_MAX 8     /* of one name in a question; reading tries each run up to it */
#define ALIAS_BYTES_MAX      120   /* half of what is compared of a name (TEXT_KEY_BYTES_MAX) */
#define MAP_ENTITIES_MAX     500   /* of one catalogue, as each of the next three */
#define MAP_EDGES_MAX        2000  /* a path search looks at each at most once a hop */
#define MAP_MEASURES_MAX     10000 /* with 50 files of 50 columns: a sum, and what it implies */
#define MAP_METRICS_MAX      20000 /* with those that are derived */
#define MAP_CONDITIONS_MAX   500   /* a word of a question is compared with each */
#define MAP_CONDITION_PARTS_MAX                                                                    \
	8                        /* comparisons of one of them: more are no word that people have */
#define MAP_NAME_BYTES_MAX    63 /* of an entity, edge, measure or metric: what PostgreSQL takes */
#define MAP_HOPS_MAX          4  /* edges of a path: longer ones mean nothing to people */
#define MAP_METRICS_ASKED_MAX 6  /* of one query, as many as a table shows well */
#define MAP_NEIGHBOURS_MAX    3  /* told of each of two things that do not belong together */
#define MAP_FACETS_MAX        4  /* by which a list that is too long is counted */
#define MAP_CHOICES_MAX       20 /* values of them that are offered */
#define MAP_SHOWN_MAX         12 /* columns of a list */
#define MAP_BY_MAX            4
#define MAP_GROUPS_MAX        16 /* these, and keys that tell things of one title apart */
#define MAP_WHERE_MAX         24 /* with those of definitions */
#define MAP_HAVING_MAX        4
#define MAP_ORDER_MAX         3
#define MAP_VALUES_MAX        50                 /* of one condition */
#define MAP_TOP_MAX           500                /* as many rows as a result keeps */
#define MAP_QUERY_BYTES_MAX   16384              /* of a query as text */
#define MAP_SCHEMA_TABLES_MAX 8                  /* whose columns are asked for at once */
#define MAP_TEXT_BYTES_MAX    65536              /* of a statement, of a compact map */
#define MAP_PAIRS_MAX         16                 /* column pairs of an edge, columns of a key */
#define CATALOG_BYTES_MAX     (64 * 1024 * 1024) /* all of its files; real ones are below 1 MiB */
#define PROMPT_FILE_BYTES_MAX 65536              /* one prompt; a model reads it in every turn */
#define RULES_MAX             16 /* of one pack for one prompt: each costs tokens in every turn */
#define RULE_BYTES_MAX        400 /* longer is no rule but a chapter, which a domain's prompt holds */
#define STARTERS_MAX          24  /* of one pack; a first screen of more is no start but a list */
#define STARTER_BYTES_MAX     200 /* one question, read at a glance */
#define ENUM_VALUES_MAX       40  /* values that a tool's schema lists; more only cost tokens */

#define KNOW_CALLS_MAX         12   /* calls that one question makes by naming several values */
#define FILTER_VALUES_MAX      40   /* known values that are offered for a filter at once */
#define FILTER_VALUES_SCAN_MAX 5000 /* values that are searched one by one, below a millisecond */
#define KNOW_UNUSED_MAX        8 /* unused words that a reply names; more tell the user no more */
#define KNOW_WORDS_MAX                                                                             \
	400 /* words of a question that are read; a pasted document is no question                 \
	     */
#define KNOW_VALUES_MAX                                                                            \
	2000000 /* names of one dimension that a tenant's data hold; more are not indexed */
#define KNOW_TEXT_BYTES_MAX (256 * 1024 * 1024) /* all of their letters */
#define KNOW_PAGE_ROWS      50000 /* names that one query reads; more come with the next one */
#define NAMES_WAIT_MS                                                                              \
	4000 /* a question waits for the names of its data: a start takes a second, a user four */
#define NAMES_RETRY_MS      1500 /* between tries to load missing names: a question sees two of them */
#define KNOW_DAYS_WORDS_MAX 16 /* words of an answer that is a day or two */
#define KNOW_SLICE_TOOLS    8  /* tools that a supervisor is told: about 450 tokens */
#define KNOW_SLICE_DOMAINS  3  /* they are of; the others stand in a line each */
#define KNOW_READINGS_MAX   3  /* that an unclear question is asked about: more are no help */
#define KNOW_STRANGE_MAX    16 /* unknown words that are looked up as misspelled */
#define KNOW_SAID_MAX       16 /* bounds, amounts and exclusions of one question */

/* tools and SQL */
#define XLSX_ROWS_MAX 1048576 /* of a sheet; spreadsheets open no more */
#define XLSX_CELL_CHARS_MAX                                                                        \
	32767                 /* UTF-16 units of a cell; a longer one makes the file a broken one */
#define EXPORT_LINKS_MAX  500 /* addresses that end an exported session; messages have all */
#define TURN_LINKS_MAX    4   /* reports that one answer links to; more are a menu */
#define TOOL_ARGS_MAX     24  /* parameters of one tool */
#define TOOL_COLUMNS_MAX  64  /* declared columns of one tool */
#define TOOL_QUERIES_MAX  6   /* result sets of one tool, with those for its derivation alone */
#define TOOL_LOOKBACK_MAX 400 /* days before those asked for: a year and some */
#define TOOL_DERIVES_MAX  4   /* derivations that one tool's file names; there are three */
#define TOOL_LOOP_ROWS    200 /* the loop derives facts and hashes of so many; more take a worker */
#define TOOL_WORKERS      2   /* of these; 200,000 rows take one for less than a second */
#define TOOL_WORK_ARENA_BYTES                                                                      \
	(64 * 1024 * 1024)         /* facts are bounded, what finds them is freed with the result */
#define TOOL_CALLS_MAX          64 /* of programs at once, in one process: each holds an arena */
#define TOOL_CALLS_PER_USER_MAX 8  /* and one user's, as of turns */
#define TOOL_ARG_FAULTS_MAX     20 /* wrong arguments that one refusal names */
#define LIST_ARG_MAX            64 /* values of one list argument, unless the tool says less */
#define TEXT_ARG_BYTES_MAX      1000  /* one text argument */
#define SQL_FILE_BYTES_MAX      65536 /* one tool file */
#define SQL_MARKERS_MAX         128   /* bound places of one statement */
#define SQL_FRAGMENTS_MAX       64 /* of one pack, or of one file; who reads a tool has to know them */

/* configuration */
#define CONFIG_YEAR_MIN                                                                            \
	1002 /* of a date, as VESPER_TODAY: "1000 years ago" and what follows of it */
#define CONFIG_YEAR_MAX 8998 /* stay in the calendar of four digits */
#define CONFIG_VALUE_BYTES_MAX                                                                     \
	65536 /* one variable, or the file it names; a list of tenants has some thousand */

/* databases */
#define RESULT_FACTS_MAX       64   /* derived facts of one result; more than anybody compares */
#define FACT_TEXT_BYTES_MAX    4096 /* one fact's text, as a list of names; longer ones are cut */
#define FACT_ITEM_BYTES_MAX    300  /* one cell inside of such a list, as a note */
#define CHART_ROWS_MAX         500  /* rows of a chart: what one result shows at most */
#define CHART_BARS_MAX         40   /* beyond it bars are thinner than their labels */
#define CHART_NAMES_MIN        3    /* two numbers are said in words; bars only when asked for */
#define CHART_SERIES_COUNT_MAX 8    /* as many colors as people tell apart */
#define CHART_LINE_POINTS_MIN  3    /* two points are two bars, not a line */
#define SVG_WIDTH_PX           720  /* a chart's picture; as wide as an answer's text */
#define SVG_HEIGHT_PX          400
#define SVG_SIDE_MIN_PX        200          /* smaller ones have no room for an axis */
#define SVG_SIDE_MAX_PX        2000         /* larger ones are no picture within a text */
#define SVG_BYTES_MAX          (64 * 1024)  /* 500 points of 8 series take 60 KB */
#define SVG_ARENA_BYTES        (512 * 1024) /* points and names of the largest chart */
#define DB_ROWS_MAX            500 /* rows of one result; more are counted by statistics, not shown */
#define DB_FETCH_ROWS_MAX                                                                          \
	200000 /* rows read for statistics; drivers may hold them all in memory                    \
		*/
#define DB_CELL_BYTES_MAX   (1024 * 1024)      /* one cell */
#define DB_RESULT_BYTES_MAX (64 * 1024 * 1024) /* kept bytes of one result */
#define DB_COLUMNS_MAX      256                /* columns of one result */
#define DB_VALUE_BYTES_MAX                                                                         \
	(2 * DB_CELL_BYTES_MAX) /* SQLite: a value or row inside of a statement that reads; bounds \
				   what one function call can take */
#define DB_LIKE_BYTES_MAX 1000  /* SQLite: a pattern; with the above, the work of one LIKE */
#define DB_EXPR_DEPTH_MAX 500   /* SQLite: an expression, which it walks by recursion */
#define DB_COMPOUND_MAX   100   /* SQLite: SELECTs in one UNION */
#define DB_PROGRAM_STEPS_MAX                                                                       \
	250000 /* SQLite: what a statement is compiled to; real ones have hundreds */
#define DB_STATEMENT_BYTES_MAX                                                                     \
	(256 * 1024 * 1024) /* SQLite: memory of one statement that reads; sorting 3 million rows  \
			       takes less */
#define DB_QUERY_TIMEOUT_MS   10000 /* one statement; then it is cancelled on the server */
#define SOURCES_MAX           16    /* beside the warehouse: databases of one deployment */
#define SOURCE_NAME_BYTES_MAX 31
#define DB_SCHEMAS_MAX                                                                             \
	8 /* schemas of a source; SQLite attaches its file once for each, 10 at most */
#define SOURCE_STATEMENTS_MAX                                                                      \
	10 /* of one call to a source: the passages of a search, the queries of a tool */
#define FRAME_ROWS_MAX       200000  /* kept of one statement; more are thinned out */
#define FRAME_READ_ROWS_MAX  5000000 /* read of one; ten seconds give no more */
#define FRAME_CELLS_MAX      4000000 /* rows times columns; beyond it fewer rows are kept */
#define FRAME_MEMORY_MAX     (32 * 1024 * 1024)  /* of one: 4,000,000 numbers of 8 bytes */
#define FRAMES_MEMORY_MAX    (256 * 1024 * 1024) /* of all that the process has at a time */
#define FRAME_DECIMAL_SCALE  6     /* digits kept after the point: nine trillion fit before it */
#define DB_QUEUE_MAX         2000  /* waiting queries of one data source */
#define DB_WORKERS_MAX       64    /* threads of one data source */
#define DB_WRITTEN_FILES     8     /* open SQLite files of a store beyond its workers, 2 MB each */
#define DB_STATEMENTS_KEPT   64    /* prepared statements of one connection; store.sql has 65 */
#define DB_GROUP_COMMIT_MAX  64    /* writes of one transaction */
#define DB_PATIENCE_MS       100   /* for company: the answer that a tool call is for is near */
#define DB_CONNECT_RETRY_MS  3000  /* pause between attempts to reach a database that is away */
#define DB_FETCH_BLOCK_ROWS  500   /* rows that one round trip brings through a cursor */
#define DB_LOGIN_TIMEOUT_MS  5000  /* connecting to a server */
#define DB_SERVER_GRACE_MS   500   /* the server's own time limit behind ours */
#define DB_TX_IDLE_MS        60000 /* a server ends a transaction whose client is silent that long */
#define STORE_TX_IDLE_MS     5000 /* its rows are wanted by who takes over from a stopped replica */
#define DB_CHECKOUT_MS       2000 /* asking an idle connection for its tenant; then it is given up */
#define DB_STOP_GRACE_MS     1000    /* for a cancel to take effect; then the worker is given up */
#define DB_STOP_HARD_MS      3000    /* for a cancel to be made at all */
#define DB_STOP_THREADS      2       /* call the driver's cancel, which may block */
#define DB_LOST_MAX          16      /* workers given up that were replaced by new ones */
#define DB_CLOSE_MS          2000    /* closing waits that long for statements that were stopped */
#define DB_CLOSE_WRITE_MS    5000    /* ... for writes to a file: DB_BUSY_MS, and a slow disk */
#define DB_BREAKER_FAILURES  5       /* in a row; then a server is left alone */
#define DB_BREAKER_MS        3000    /* ... so long, that its return is seen within five seconds */
#define DB_CONNECTION_AGE_MS 1800000 /* older ones are opened anew: before an access token ends */
#define DB_STOP_REPEAT_MS    200     /* between two attempts to stop the same statement */
#define DB_BUSY_MS           2000 /* a statement waits that long for another process to let go of a file */
#define DB_BUSY_STEP_MS      5     /* and looks that often, where SQLite does not wait itself */
#define STATS_DISTINCT_EXACT 10000 /* distinct values are exact up to here */

/* the SQL gate */
#define GATE_SQL_BYTES_MAX 65536 /* ad hoc SQL; the longest sensible statements are a tenth */
#define GATE_WRITTEN_BYTES_MAX                                                                     \
	(512 * 1024)            /* and as it is sent: each view with its columns and tenant */
#define GATE_TIMEOUT_MS   5000  /* an ad hoc statement runs half as long as a tool's */
#define GATE_TOKENS_MAX   16384 /* words and signs of it: four bytes each on average */
#define GATE_LIST_MAX     1000 /* items of one list: columns, values of IN, rows of VALUES, joins */
#define GATE_SOURCES_MAX  32   /* sources of a statement: a name is looked for in all of them */
#define GATE_DEPTH_MAX    64   /* nesting; a level is at most a dozen frames of the parser */
#define GATE_CELL_BYTES   8000 /* of a view's cell: nvarchar(4000) */
#define GATE_JOINED_BYTES (1024 * 1024) /* of many cells that are joined to one */
#define GATE_VALUE_BYTES_MAX                                                                       \
	(16 * 1024 * 1024)        /* what an expression may make of cells and literals at most */
#define GATE_FORMAT_BYTES_MAX 40  /* of FORMAT; the longest sensible ones have 30 */
#define GATE_WIDTH_DIGITS_MAX 2   /* of a width in a format or of STR */
#define GATE_SUFFIXES_MAX     8   /* COLLATE, AT TIME ZONE or :: after one operand */
#define GATE_DIVISIONS_MAX    64  /* in one product; real ones have three */
#define GATE_NAME_BYTES_MAX   128 /* what SQL Server takes */
#define GATE_NAME_BYTES_PG    63  /* PostgreSQL cuts longer names, and two may become one */
#define GATE_NUMBER_BYTES_MAX 60  /* a decimal(38) with sign, point and exponent */

/* computation over frames */
#define CALC_VALUES_MAX FRAME_ROWS_MAX /* of one column: the rows of a frame */
#define CALC_PAIRS_MAX                                                                             \
	2000 /* values that are compared pair by pair: two million slopes, 16 MiB, 20 ms */
#define CALC_VALUE_MAX 1e100 /* the sum of as many squares still is a double */
#define CALC_SERIES_MAX                                                                            \
	5000 /* periods of a series: thirteen years of days, a season of them in a second */
#define CALC_PERIOD_MAX   366  /* of a season: a year of days */
#define CALC_HORIZON_MAX  366  /* periods ahead; no interval is of use beyond a year */
#define CALC_ORIGINS_MAX  90   /* of a backtest: three months of days */
#define CALC_SHIFT_ORDERS 2000 /* random ones; a p of 0.05 is known to half a percent */
#define CALC_WINDOW_MAX   101  /* of a filter; sorted by insertion for each value */
#define CALC_BINS_MAX     50   /* of a distribution: more do not fit a chart */
#define CALC_LOOK_STEPS   4096 /* between two looks at the cancel flag: a tenth of a millisecond */
#define CALC_GROUPS_MAX                                                                            \
	1000000 /* read of one analysis: what a database groups within its time; 200,000 are kept  \
		 */
#define CALC_CROSSTAB_MAX     100000 /* pairs of two groupings: the square of 200,000 is no memory */
#define CALC_CLUSTER_ENTITIES 50000  /* k-means of so many takes two seconds of a worker */
#define CALC_GAPS_PERCENT     20 /* of a series that may be NULL; then nothing is said about it */
#define CALC_SEED             UINT64_C(0x5eed0003) /* of random numbers: the same bytes every time */

/* the cache */
#define CACHE_ENTRIES_MAX     10000              /* values in memory: hours of distinct questions */
#define CACHE_BYTES_MAX       (32 * 1024 * 1024) /* of them; those of the largest tenant go first */
#define CACHE_VALUE_BYTES_MAX (1024 * 1024)      /* one value: 500 rows of 20 columns are a tenth */
#define CACHE_KEY_BYTES_MAX   1024               /* tenant and name; names are short or hashes */
#define CACHE_LOCKS_MAX       4096               /* held at a time; more are refused */

/* Redis: a turn waits for it 250 ms at most. A turn of two minutes can lose the whole
 * patience, what comes back of it meanwhile, and the due time of ten calls in a row. */
#define REDIS_PATIENCE_MS        100    /* waiting beyond the due time, of all calls together */
#define REDIS_PATIENCE_MAX_MS    10000  /* of the setting: for replicas that must count together */
#define REDIS_PATIENCE_WINDOW_MS 120000 /* an empty patience is full again after that */
#define REDIS_DUE_MS             5      /* a call's own time: a busy machine beside is no reason */
#define REDIS_GREETING_MS        1000 /* connection, login and first answer; no turn waits for it */
#define REDIS_PAUSE_MIN_MS       100  /* between connections; doubles */
#define REDIS_PAUSE_MAX_MS       1500 /* so that one that is back is used within two seconds */
#define REDIS_STEADY_MS          10000 /* up for that long: pauses begin small again */
#define REDIS_PING_MS            5000 /* an idle connection is tried, so that no turn finds it dead */
#define REDIS_ARGS_MAX           1040 /* words of one command: 512 streams, and from where on */
#define REDIS_UNANSWERED_MAX     4096 /* commands on their way; more are not sent */
#define REDIS_UNANSWERED_BYTES_MAX                                                                 \
	(16 * 1024 * 1024) /* of them: a server that reads nothing fills no memory */
#define REDIS_REPLY_BYTES_MAX    (4 * 1024 * 1024) /* 16 of the largest entries of a stream */
#define REDIS_REPLY_ELEMENTS_MAX 4096 /* arrays of one reply: 512 streams with an entry each */
#define REDIS_REPLY_LEVELS_MAX   5    /* streams, one, its entries, one, its fields */

/* several replicas */
#define CLUSTER_BEAT_MS            500    /* five are missed before a replica is dead */
#define CLUSTER_LEASE_MS           300000 /* of a session: longer than any turn */
#define CLUSTER_KEPT_MS            720000 /* a stream is kept as long as a log */
#define CLUSTER_FLUSH_MS           60    /* < 20 writes a second and turn; a reader sees no steps */
#define CLUSTER_DUE_MS             1500  /* a write that is not answered by then is lost */
#define CLUSTER_BLOCK_MS           1000  /* one wait for news of other replicas */
#define CLUSTER_ENTRY_BYTES        65536 /* events of one entry; a larger event stands alone */
#define CLUSTER_PAGE               64    /* entries of one reply */
#define CLUSTER_FOLLOWED           480   /* streams read in one call; further ones take turns */
#define CLUSTER_REPLY_BYTES_MAX    (64 * 1024 * 1024) /* a page of full entries of every size */
#define CLUSTER_REPLY_ELEMENTS_MAX 262144             /* 512 streams with a page each */
#define CLUSTER_UNWATCHED_MS       5000  /* a log of elsewhere that nobody watches goes */
#define CLUSTER_LAST_WORDS_MS      10000 /* a turn is over: what was said last is tried that long */
#define CLUSTER_WATCHED_MS         30000 /* viewers elsewhere are believed that long; said every 10 s */
#define CLUSTER_CUT_MS                                                                             \
	15000 /* without news of others: who watches theirs is told; a restart is shorter */
#define CLUSTER_INBOX_MAX    1000 /* signals that wait for a replica; older ones are of no use */
#define CLUSTER_REPLICAS_MAX 100  /* that signals go to */
#define CLUSTER_NAME_BYTES   32   /* of a replica; a boot id is added */
_Static_assert(CLUSTER_KEPT_MS >= TURN_DEADLINE_MS + EVENT_LOG_KEPT_MS, "as long as a log");
_Static_assert(6 + 2 * (CLUSTER_FOLLOWED + 1) <= REDIS_ARGS_MAX, "one call for all");

_Static_assert(REDIS_REPLY_BYTES_MAX > CACHE_VALUE_BYTES_MAX + 64, "a value in its envelope");

/* JSON of other services (Power BI, the identity provider) */
#define JSON_FETCH_BYTES_MAX                                                                       \
	(4 * 1024 * 1024)               /* a page of activity events; the rest is small            \
					 */
#define JSON_FETCH_PAUSE_MAX_MS 3600000 /* a longer retry-after is looked into again after that */

/* sign-in of browsers */
#define SIGNIN_CALL_MS 10000 /* one request to the provider: a user waits for it */
#define SIGNIN_LOGIN_MS                                                                            \
	600000 /* from the first page of the provider to the code: a password reset */
#define SIGNIN_KEYS_MS  10000 /* the provider's new keys are waited for that long */
#define SIGNIN_LOOK_MS  250   /* between two looks, for keys or for another tab's renewal */
#define SIGNIN_EARLY_MS 60000 /* a token with less than that left is renewed: AUTH_WARN_MS */
#define SIGNIN_FRESH_MS 2000  /* a token younger than that is fresh: tabs ask side by side */
#define SIGNIN_RUNNING_MAX                                                                         \
	512 /* requests to the provider at a time; more are told to try again                      \
	     */
#define SIGNIN_CODE_BYTES_MAX 8192 /* of a code in the address: Entra ID's have about 1,500 */
#define SIGNIN_COOKIE_BYTES   44   /* 32 random bytes as base64url */

/* Power BI */
#define PBI_CALL_MS        5000   /* one call in all, the wait for a token included */
#define PBI_EARLY_MS       300000 /* a token is not used to its end: clocks differ, pages stay open */
#define PBI_EMBED_MINUTES  60     /* a report's token lives that long; the service allows no more */
#define PBI_EMBEDS_MAX     1000   /* tokens kept, about 3 KiB each; one in use is never forgotten */
#define PBI_CALLS_PER_HOUR 200    /* of activity events: what the service allows a directory */
#define PBI_ACTIVITY_DAYS  28     /* so far back the service has them */

/* the store */
#define TITLE_CHARS_MAX      80   /* of a session's title: one line of a list */
#define TITLE_EDIT_CHARS_MAX 200  /* of one that its user gave */
#define REPORT_DAYS_MAX      366  /* that administrators see sums of: a year */
#define STORE_PAGE_MAX       200  /* messages or sessions of one page */
#define STORE_MIGRATIONS_MAX 500  /* numbered files; statements of all of them share one request */
#define STORES_AT_ONCE       4    /* prepared or looked after: each holds 100 KB meanwhile */
#define PREPARE_AGAIN_MS     1000 /* a store that was unavailable at the start is tried again */
#define PREPARE_BUSY_MS      100  /* a file that another connection holds is tried again ... */
#define PREPARE_BUSY_END_MS  5000 /* ... until then: after that the others are served without it */
#define SWITCHES_MAX         500  /* tool switches of one tenant: agents times tools */
#define SWITCHES_REFRESH_MS  2000 /* a switch is in force everywhere within five seconds */
#define RETAIN_EVERY_MS      3600000 /* what got too old is looked for that often */
#define RETAIN_ROUNDS_MAX                                                                          \
	20000                 /* of deleting at once: a damaged file gives the same rows for ever */
#define RETAIN_BATCH       50 /* rows deleted by one request, so that turns get in between */
#define FEEDBACK_BYTES_MAX 4000     /* a comment, a correction */
#define IDEMPOTENT_LIFE_MS 86400000 /* a repeated request gets the first one's answer that long */
#define IDEMPOTENT_STALE_MS                                                                        \
	300000                    /* a request that is not answered by then died with its process */
#define RECEIPTS_PAGE_MAX    100  /* records with their content that are read at once */
#define RECEIPT_ATTEMPTS_MAX 32   /* places that an answer may lose to other processes in a row */
#define TURNS_ALIVE_MS       2000 /* a replica says that often which turns it runs ... */
#define TURNS_ALIVE_MAX      200  /* ... so many in one statement */
#define TURN_SILENT_MS       10000    /* five were missed: it is dead, and nobody took them over */
#define TURN_SILENT_EVERY_MS 5000     /* looked for */
#define TURN_ROW_KEPT_MS     86400000 /* of one that is done: its last writers are over */
#define STORE_ORPHANS_MAX    64 /* turns closed by one request; a start goes on until none is left */

/* the model */
#define BUDGET_WARN_PERCENT 80    /* of a limit used: the caller is told with each answer */
#define BUDGET_READ_MS      10000 /* what other processes spent is known by then */
#define BUDGET_READ_SOON_MS 1000  /* the same where a limit is nearly used up */
#define BUDGET_LIMITS_MAX   100   /* of one configuration; each is looked at before each call */
#define BUDGET_SUMS_MAX                                                                            \
	20000 /* running sums, then those of periods that are over are forgotten                   \
	       */
#define LLM_CONNECT_MS       5000 /* each limit ends the call with a timeout that names it */
#define LLM_FIRST_BYTE_MS    30000
#define LLM_IDLE_MS          30000
#define LLM_DEADLINE_LAG_MS  10 /* of a turn's time: too little to begin another attempt */
#define LLM_ATTEMPTS_MAX     3  /* as the vendor's own clients: 2 retries */
#define LLM_CONTINUE_MAX     2  /* providers that go on with one answer: more would be patchwork */
#define LLM_CONTINUE_LEFT_MS 3000 /* of the turn's time: less is not worth a call */
#define LLM_PAUSES_MAX       4    /* an answer that pauses is asked to go on; each is a request */
#define LLM_RETRY_WAIT_MAX_MS                                                                      \
	20000                        /* a longer retry-after is not worth a user's wait: fail over \
				      */
#define LLM_RETRY_BASE_MS        500 /* first wait without a retry-after; doubles */
#define LLM_RETRY_BACKOFF_MAX_MS 8000  /* up to here */
#define LLM_BREAKER_FAILURES     5     /* in a row, then the provider is left alone */
#define LLM_BREAKER_OPEN_MS      30000 /* until one probe is let through */
#define LLM_BLOCKS_MAX           64    /* content blocks of one answer */
#define LLM_TEXT_BYTES_MAX                                                                         \
	(1024 * 1024)                  /* one block of text: a 128K token answer is about half     \
					*/
#define LLM_TOOL_INPUT_BYTES_MAX 65536 /* arguments of one tool call */
#define LLM_COUNT_MAX            1000000000 /* tokens of one answer as a service counts; more is no count */
#define LLM_MAX_TOKENS           4096 /* of an answer, when the configuration says nothing */
#define LLM_REQUEST_BYTES_MAX    (32 * 1024 * 1024) /* what the Messages API takes */
#define LLM_ERROR_BYTES_MAX      65536              /* of an error's body are read */
#define LLM_CHECK_MS             30000              /* the list of models, asked for at the start */
#define LLM_MODELS_BYTES_MAX     (4 * 1024 * 1024)  /* that list; real ones are below 100 KiB */
#define LLM_LINGER_MS            250 /* a body goes on that long after its last event; then we leave */
#define EMBED_BATCH              128  /* texts of one request: services take some hundreds */
#define EMBED_TEXT_BYTES         8000 /* of a text that are sent: beyond a passage and its heading */
#define EMBED_DIMS_MAX           4096 /* of a vector: the largest of today's models */
#define EMBED_RESPONSE_BYTES                                                                       \
	(16 * 1024 * 1024)           /* EMBED_BATCH vectors of EMBED_DIMS_MAX as decimal numbers   \
				      */
#define EMBED_QUESTION_MS       3000 /* of a question's vector: then words alone search */
#define SSE_EVENT_BYTES_MAX     (10 * 1024 * 1024) /* one server-sent event */
#define HTTP_CONNECTIONS_KEPT   256                /* idle connections kept for reuse */
#define HTTP_CONNECTIONS_MAX    4096 /* outgoing connections at all; further requests wait for one */
#define HTTP_BUFFER_BYTES       8192 /* receive buffer of one transfer: some forty deltas a read */
#define HTTP_RESPONSE_BYTES_MAX (16 * 1024 * 1024) /* a response that is not a stream */

/* vesperctl map import */
#define IMPORT_BYTES_MAX      (16 * 1024 * 1024) /* a model with 1,000 tables is about 10 MiB */
#define IMPORT_TABLES_MAX     1000
#define IMPORT_METRICS_MAX    2000 /* as MAP_METRICS_MAX */
#define IMPORT_NAME_BYTES_MAX 128  /* what databases allow */

/* vesperctl connect */
#define CONNECT_TABLES_MAX                                                                         \
	400 /* of one pack: more are several subjects; MAP_ENTITIES_MAX is above */
#define CONNECT_COLUMNS_MAX                                                                        \
	200 /* of one table: a wider one is an export, not a table to ask about */
#define CONNECT_SAMPLE_ROWS 10000 /* of one table: a percent of them is still 100 rows */
#define CONNECT_EXACT_ROWS_MAX                                                                     \
	10000000 /* above, the server's estimate: counting takes longer than a statement may */
#define CONNECT_STATEMENT_S     10    /* of one statement: a database in use must not feel it */
#define CONNECT_STATEMENTS_MAX  8     /* of one table */
#define CONNECT_VALUES_MAX      200   /* of a dimension: what a person chooses from */
#define CONNECT_VALUE_BYTES_MAX 80    /* of one value: longer ones are sentences */
#define CONNECT_PAIRS_MAX       20000 /* pairs of columns that are tried as an edge */
#define CONNECT_OVERLAP_VALUES  1000  /* of a column that must be found in the other one */
#define CONNECT_MEMORY_BYTES                                                                       \
	(512 * 1024 * 1024) /* samples of CONNECT_TABLES_MAX tables of usual width */

/* data that users upload */
#define BODY_DROPPED_MAX                                                                           \
	(1024 * 1024)                /* of a body that was refused, so that its sender reads why */
#define BODY_SILENT_MS         30000 /* without a byte of a streamed body: its sender is gone */
#define BODY_RATE_AFTER_MS     10000 /* from then on it must come at BODY_RATE_BYTES_S on average */
#define BODY_RATE_BYTES_S      16384 /* a slow line; below it a body would hold its place for hours */
#define BODY_BLOCK_BYTES       65536 /* of a body that goes to a sink; two a request are in memory */
#define SOURCE_BYTES_MAX       (100 * 1024 * 1024) /* a file; a spreadsheet's export has less */
#define SOURCE_ROWS_MAX        2000000 /* of one; a question over them is answered in a second */
#define SOURCE_COLUMNS_MAX     500     /* twice the widest tables that people keep */
#define SOURCE_CELL_BYTES_MAX  65536   /* a cell; what is longer is a quote that was not closed */
#define SOURCES_PER_TENANT_MAX 50 /* each is a part of the map that its questions are read with */
#define SOURCE_VERSIONS_MAX                                                                        \
	30000 /* of all sources and documents of a tenant: one in use, some that failed */
#define SOURCE_LINE_BYTES_MAX                                                                      \
	(1024 * 1024) /* a line of JSON, or one whose encoding is looked for */
#define SOURCE_RECORD_BYTES_MAX                                                                    \
	(4 * 1024 * 1024) /* all cells of one record: a table has few long ones */
#define SOURCE_PROFILE_BYTES_MAX (1024 * 1024) /* a cell of the store; lines at fault go first */
#define SOURCE_LINES_LISTED      1000 /* of rows or cells that are at fault: enough to see why */
#define SOURCE_TENANT_BYTES      (INT64_C(1024) * 1024 * 1024) /* files in use of one tenant */
#define SOURCE_WAITING_MAX       4  /* loads of a tenant that wait for the one that runs */
#define SOURCE_LOADS_HOUR        10 /* of one user: a file a few minutes, as people try delimiters */
#define SOURCE_SILENT_MS         60000 /* of another replica's load without a word; then it is dead */
#define UPLOADS_TURN_MARGIN_MS   5000     /* beyond a turn's limit, until what it reads may go */
#define SOURCE_ASK_MS            86400000 /* a question about a file waits for a day */
#define SOURCE_FREE_BYTES        (INT64_C(1024) * 1024 * 1024) /* that stay free on the spool's disk */
#define SOURCE_LOAD_MS           600000 /* one statement of a load: an index over two million rows */
#define SOURCE_DELETE_ROWS       20000  /* of one transaction: the log of a file stays small */
#define SOURCE_INDEXES_MAX       8      /* of one table */
#define SOURCE_ROWS_SHOWN        500    /* of a table, as they are */
#define SOURCE_MEANING_BYTES_MAX (256 * 1024) /* what owners say of 500 columns, 500 bytes each */
#define SOURCE_SYNONYMS_MAX      10           /* of one column: more are words of other columns */
#define SOURCE_JOINS_MAX         8            /* that one source states: a table has few keys */
#define SOURCE_FIT_PER_MILLE                                                                       \
	995 /* of a column's cells that fit its type; the others are errors                        \
	     */

/* documents */
#define DOCUMENT_BYTES_MAX (10 * 1024 * 1024) /* a file; a book of 1,000 pages has 3 MiB */
#define DOCUMENTS_PER_TENANT_MAX                                                                   \
	10000 /* a company's policies and a wiki's pages, as tests/bench/documents-many.mjs loads  \
	       */
#define DOCUMENT_TENANT_CHUNKS 100000 /* of a tenant: all are searched within 10 ms */
#define DOCUMENT_LOADS_HOUR                                                                        \
	12000 /* of one user: all that a tenant may have at once, and some of it again */
#define DOCUMENTS_LISTED_MAX 500   /* of one answer that lists them; the next page has the others */
#define DOCUMENT_CHUNKS_MAX  20000 /* of one: DOCUMENT_BYTES_MAX in chunks of half their size */
#define DOCUMENT_CHUNK_BYTES 1200  /* of a passage: an answer's context, and five fit a prompt */
#define DOCUMENT_CHUNK_BYTES_MAX                                                                   \
	2000                       /* of a table or a listing, which is not cut before             \
				    */
#define DOCUMENT_OVERLAP_BYTES 150 /* said again where a paragraph is cut: a sentence or two */
#define CITE_PASSAGES_MAX      200 /* of a turn: PLAN_TASKS_MAX searches of ten, and room */
#define CITE_BYTES_MAX         24  /* of a bracket of citations: six of two digits */
#define HTML_DEPTH_MAX         256 /* of what is dropped; pages are some 30 deep */
#define FIND_STEMS_MAX         64  /* of a question: one of 16 KiB has no more that matter */
#define DOCUMENT_COVERAGE_LEAST                                                                    \
	0.3 /* of a question's words by the best passage; below it nothing was found */
#define FIND_REACH_MAX 64 /* sets of words that chunks hold together: the best of them */
#define FIND_LOOP_CHUNKS                                                                           \
	2000 /* searched on the loop, in a fifth of a millisecond; more on a worker */
#define DOCUMENT_PASSAGES_MAX 10   /* of a search: what an answer can quote from */
#define FIND_SPREAD           5    /* of the first hits so many are spread over documents: */
#define FIND_PER_DOCUMENT     2    /* as many may be of one */
#define FIND_FUSED            50   /* by words and by vectors: so many of each are joined */
#define FIND_FUSED_RANK       60   /* added to a rank before they are: Cormack et al., 2009 */
#define VECTORS_LOOK_ROWS     1024 /* compared between two looks at the cancel flag: below a ms */
#define FIND_ARENA_BYTES                                                                           \
	(32 * 1024 * 1024) /* of a search: scores of the longest document, stems times documents   \
			    */

#endif
