/*
 * The whole path from a client's frame to the stored answer in one process: the real turn,
 * catalogue, understanding, tools, SQL gate, plans and store, with SQLite below the store and below
 * the warehouse. A line of the input is a letter and its rest:
 *
 *   F json    a frame as it came                 Q text    a message          A text|text  an
 * answer to the last chat.ask T text    the model's next reply: text       C name json    a tool
 * call   S sql        a call of the tool for SQL E n       the reply fails with error n       N the
 * next reply begins   W n          why it stopped D ckvalue cell of the warehouse: which (c), kind
 * (k: text, blob, real, integer, null), value P n       who asks                           X n
 * cancels the next turn at its n-th entry
 *
 * Every entry of a turn must be a frame of valid JSON, its answer must be stored and readable, and
 * no cell of another tenant, or of a column beyond the caller's permissions, may be in either.
 */
#include <assert.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../src/transport/ws/client_frame.h"
#include "sources_of.h"
#include "vesper/clock.h"
#include "vesper/domain.h"
#include "vesper/file.h"
#include "vesper/health.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/metric.h"
#include "vesper/store.h"
#include "vesper/turn.h"
#include "vesper/utf8.h"
#include "vesper/uuid.h"
#include "vesper/wire.h"

#define INPUTS_OF_A_STAGE 400 /* then everything is made anew, so that nothing grows for ever */
#define PARTS_MAX         200
#define TURNS_OF_AN_INPUT 6
#define INPUT_ARENA_BYTES (64 << 20)
#define FRAMES_BYTES_MAX  (64 << 20)
#define FOREIGN           "of another tenant 7c1e"
#define SECRET_CELL       "of the budget 7c1e"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

struct part {
	char kind; /* the line's letter */
	struct str text;
};

static struct stage {
	struct arena *files;
	struct loop *loop;
	struct db *stored, *warehouse;
	struct store *store;
	struct llm *llm;
	struct stream_hub *streams;
	struct turns *turns;
	struct catalog *catalog;
	sqlite3 *rows;
	const char *seed; /* SQL that makes the warehouse's rows anew */
	char folder[64];
	bool dirty;
	unsigned inputs;
	/* this input */
	struct arena *arena;
	struct part replies[PARTS_MAX];
	size_t reply_count, reply_at;
	struct principal who;
	struct uuid session;
	char ask_id[UUID_BYTES], turn_id[UUID_BYTES];
	struct wire_reader *frames_of;
	struct buf frames;
	uint64_t seq;
	size_t cancel_at;
	bool closed, knows_canaries, done;
	struct deferred model_later;
} stage;

/* ---- the warehouse ---- */

static const char seed_text[] =
	"INSERT INTO mc_vendor_files VALUES"
	" (1,1,'1-1','Ascend','CAISO','NP15','Jan_2026','2026-01-15',2025,'Base','a','vesper'),"
	" (2,2,'2-2','Ascend','CAISO','SP15','Jan_2026','2026-01-15',2025,'Base','a','vesper'),"
	" (3,2,'3-2','Hitachi','CAISO','SP15','Jan_2026','2026-01-16',2025,'Base','b','vesper'),"
	" (4,9,'4-9','" FOREIGN "','CAISO','SP15','Jan_2026','2026-01-16',2025,'Base','b','acme');"
	"WITH RECURSIVE h(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM h WHERE i < 47)"
	"INSERT INTO mc_dayahead SELECT f.file_info_key, f.hubzone_key, '2025-0' || (1 + i / 24) "
	"|| '-01', 2025, 1 + i / 24, i % 24,"
	" 40 + i / 7.0 + f.file_info_key, f.tenant_id FROM h, mc_vendor_files f;"
	"INSERT INTO per_project (gid, project_id, name, currentprojectstage, technology, market, "
	"Status_Type, summary, gencap, Actuals_LTD,"
	" Total_Operating_Budget, Total_Operating_Forecast, IC_LC, PPA_LC, sponsor, tenant_id) "
	"VALUES"
	" ('g1','P-1','Nazareth Solar','Stage "
	"3','Solar','CAISO','on_track','fine',100,5,6,7,8,9,'Helios','vesper'),"
	" ('g2','P-2','Sierra Wind','Stage "
	"2','Wind','ERCOT','off_track','late',50.5,5,6,7,8,9,NULL,'vesper'),"
	" ('g3','P-3','" FOREIGN "','Stage 2','Wind','ERCOT','off_track','" FOREIGN
	"',1,5,6,7,8,9,NULL,'acme');"
	"WITH RECURSIVE h(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM h WHERE i < 9)"
	"INSERT INTO per_projecthealth SELECT gid, 'site', 'Area ' || i, 'red', CASE tenant_id "
	"WHEN 'acme' THEN '" FOREIGN "' ELSE 'note' END,"
	" '2026-03-01', i * 10, i, tenant_id FROM h, per_project;"
	"INSERT INTO per_tasks SELECT name, 'Permit', 'milestone', '2026-05-01', 'open', 'High', "
	"summary, tenant_id FROM per_project;"
	"INSERT INTO per_project45 SELECT project_id, 'Budget', 'DevEx', '" SECRET_CELL
	"', 1.5, NULL, NULL, tenant_id FROM per_project;"
	"INSERT INTO changes SELECT '2026-02-20', name, 'Permit', 'FinishDate', '2026-05-01', "
	"'2026-06-01', tenant_id FROM per_project;"
	"INSERT INTO changes SELECT '2026-02-21', name, NULL, 'Budget', '" SECRET_CELL
	"', '" SECRET_CELL "', tenant_id FROM per_project;"
	"INSERT INTO activeportfolio_mm (\"Project Name\", \"Current Project Stage\", \"Project "
	"Finance\", \"Commercial Operation\", monthlysnapshot, asofday, tenant_id)"
	" SELECT name, currentprojectstage, '2026-04-01', '2027-01-01', 1, '2026-02-01', tenant_id "
	"FROM per_project;"
	"INSERT INTO pbi_activity_events SELECT rowid, tenant_id, 'r', CASE tenant_id WHEN 'acme' "
	"THEN '" FOREIGN "' ELSE 'Portfolio' END, 'w', 'ann@x', 'ViewReport',"
	" '2026-02-20', '2026-02-20 09:00:00', 's' || rowid FROM per_project;";

/* What an input may write to: rows of the tenant's alone. */
static const struct cell {
	const char *table, *column;
} cells[] = {
	{"mc_dayahead", "DAYAHEAD_PRICE"},
	{"mc_vendor_files", "vendor"},
	{"mc_vendor_files", "asof"},
	{"mc_vendor_files", "asof_date"},
	{"per_project", "name"},
	{"per_project", "summary"},
	{"per_project", "gencap"},
	{"per_project", "Status_Type"},
	{"per_project", "sponsor"},
	{"per_project", "Total_Operating_Budget"},
	{"per_project", "Actuals_LTD"},
	{"per_projecthealth", "notes"},
	{"per_projecthealth", "name"},
	{"per_projecthealth", "pctcomplete"},
	{"per_projecthealth", "healthcolor"},
	{"per_projecthealth", "due_on"},
	{"per_tasks", "notesforper"},
	{"per_tasks", "taskname"},
	{"per_tasks", "finishdate"},
	{"per_tasks", "risk"},
	{"changes", "newvalue"},
	{"changes", "dateofchange"},
	{"changes", "projectname"},
	{"activeportfolio_mm", "\"Project Finance\""},
	{"activeportfolio_mm", "monthlysnapshot"},
	{"pbi_activity_events", "report_name"},
	{"pbi_activity_events", "activity_date"},
	{"pbi_activity_events", "user_email"},
};
#define CELLS (sizeof(cells) / sizeof(cells[0]))

static void must(bool done, const char *what, const struct err *e)
{
	if (done)
		return;
	fprintf(stderr, "fuzz_turn: %s: %s\n", what, e ? e->text : sqlite3_errmsg(stage.rows));
	abort();
}

static void seed_rows(void)
{
	static const char *const tables[] = {
		"mc_vendor_files",   "mc_dayahead",        "per_project",
		"per_projecthealth", "per_tasks",          "per_project45",
		"changes",           "activeportfolio_mm", "pbi_activity_events"};
	struct buf text;

	buf_init(&text, 1 << 20);
	buf_str(&text, "BEGIN;");
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		buf_printf(&text, "DELETE FROM %s;", tables[i]);
	buf_printf(&text, "%s COMMIT;", seed_text);
	must(sqlite3_exec(stage.rows, buf_text(&text), NULL, NULL, NULL) == SQLITE_OK, "rows",
	     NULL);
	buf_deinit(&text);
	stage.dirty = false;
}

static void make_warehouse(const char *path)
{
	const char *schema;
	struct err e = {0};

	must(file_read(VESPER_SOURCE_DIR "/sql/warehouse/sqlite/schema.sql", 1 << 20, stage.files,
		       &schema, &e),
	     "schema", &e);
	must(sqlite3_open(path, &stage.rows) == SQLITE_OK, path, NULL);
	must(sqlite3_exec(stage.rows, schema, NULL, NULL, NULL) == SQLITE_OK, "schema", NULL);
	must(sqlite3_exec(stage.rows,
			  "PRAGMA synchronous = OFF; PRAGMA ignore_check_constraints = 1; INSERT "
			  "INTO vesper_tenant VALUES ('vesper')",
			  NULL, NULL, NULL) == SQLITE_OK,
	     "tenant", NULL);
	seed_rows();
}

static void bind_cell(sqlite3_stmt *stmt, char kind, struct str value)
{
	char *text = mem_printf("%.*s", (int)value.n, value.p);

	switch (kind) {
	case 'b':
		sqlite3_bind_blob(stmt, 1, value.p, (int)value.n, SQLITE_TRANSIENT);
		break;
	case 'r':
		sqlite3_bind_double(stmt, 1, strtod(text, NULL));
		break;
	case 'i':
		sqlite3_bind_int64(stmt, 1, strtoll(text, NULL, 10));
		break;
	case 'n':
		sqlite3_bind_null(stmt, 1);
		break;
	default:
		sqlite3_bind_text(stmt, 1, value.p, (int)value.n, SQLITE_TRANSIENT);
		break;
	}
	mem_free(text);
}

/* A value that the schema refuses stays out. */
static void write_cell(struct str line)
{
	const struct cell *c;
	sqlite3_stmt *stmt;
	char *sql;

	if (line.n < 2)
		return;
	c = &cells[(unsigned char)line.p[0] % CELLS];
	sql = mem_printf("UPDATE OR IGNORE %s SET %s = ? WHERE tenant_id = 'vesper'", c->table,
			 c->column);
	must(sqlite3_prepare_v2(stage.rows, sql, -1, &stmt, NULL) == SQLITE_OK, sql, NULL);
	bind_cell(stmt, line.p[1], (struct str){line.p + 2, line.n - 2});
	sqlite3_step(stmt);
	sqlite3_finalize(stmt);
	mem_free(sql);
	stage.dirty = true;
}

/* ---- the model ---- */

struct call {
	struct op op;
	struct deferred deferred;
	struct arena *arena;
	struct llm_handler handler;
	void *owner;
	struct llm_block blocks[LLM_BLOCKS_MAX];
	size_t count;
	bool shown, *dead;
	enum llm_stop stop;
	struct err err;
	bool stops;
};

static json_t *arguments(struct str text)
{
	json_t *input = NULL;

	if (!json_parse(text.p, text.n, LLM_TOOL_INPUT_BYTES_MAX, &input, NULL))
		return NULL;
	if (json_is_object(input))
		return input;
	json_decref(input);
	return NULL;
}

static void add_call(struct call *c, struct str name, json_t *input)
{
	c->blocks[c->count] = (struct llm_block){
		.kind = LLM_TOOL_USE,
		.id = arena_printf(c->arena, "toolu_%zu_%zu", stage.reply_at, c->count),
		.name = arena_strndup(c->arena, name.p, name.n),
		.input = json_own(c->arena, input)};
	c->count++;
}

/* One line of a reply. False: the reply is over. */
static bool add_part(struct call *c, const struct part *p)
{
	struct str rest = p->text, name;
	json_t *input;

	switch (p->kind) {
	case 'T':
		c->blocks[c->count++] = (struct llm_block){
			.kind = LLM_TEXT, .text = arena_strndup(c->arena, rest.p, rest.n)};
		return true;
	case 'C':
		if (str_split(&rest, ' ', &name))
			add_call(c, name, arguments(rest));
		return true;
	case 'S':
		input = json_object();
		json_set_take(input, "sql", json_strn(rest.p, rest.n));
		add_call(c, STR("general_sql_query"), input);
		return true;
	case 'W':
		c->stops = true;
		c->stop =
			rest.n ? (enum llm_stop)((unsigned char)rest.p[0] % (LLM_STOP_CONTEXT + 1))
			       : LLM_STOP_END;
		return true;
	case 'E':
		err_set(&c->err,
			(enum err_code)(ERR_INPUT + (rest.n ? (unsigned char)rest.p[0] : 0) %
							    (ERR_INTERNAL - ERR_INPUT + 1)),
			"the model fails");
		return false;
	default:
		return false;
	}
}

static void on_call(void *owner)
{
	struct call *c = owner;
	struct llm_answer answer = {.provider = "fuzz",
				    .model = "fuzz-model",
				    .stop = LLM_STOP_END,
				    .usage = {.input_tokens = 10, .output_tokens = 10}};
	bool dead = false;

	for (size_t i = 0; i < c->count; i++)
		if (c->blocks[i].kind == LLM_TOOL_USE)
			answer.stop = LLM_STOP_TOOL_USE;
	if (c->stops)
		answer.stop = c->stop;
	c->dead = &dead;
	for (size_t i = 0; i < c->count && !dead; i++)
		if (c->blocks[i].kind == LLM_TEXT && *c->blocks[i].text && c->handler.on_text) {
			c->shown = true;
			c->handler.on_text(c->owner, c->blocks[i].text, strlen(c->blocks[i].text));
		}
	if (dead)
		return;
	struct llm_handler handler = c->handler;
	void *to = c->owner;
	bool shown = c->shown;
	struct err e = c->err;

	answer.blocks = arena_alloc(c->arena, (c->count + 1) * sizeof(c->blocks[0]));
	memcpy((void *)answer.blocks, c->blocks, c->count * sizeof(c->blocks[0]));
	answer.count = e.code == ERR_NONE ? c->count : 0;
	mem_free(c);
	handler.on_end(to, &answer, shown, e.code == ERR_NONE ? NULL : &e);
}

static void on_cancel(struct op *op)
{
	struct call *c = (struct call *)op;

	if (c->dead)
		*c->dead = true;
	deferred_cancel(&c->deferred);
	mem_free(c);
}

static struct op *model_start(void *self, const struct llm_call *call, struct arena *a,
			      const struct llm_handler *handler, void *owner)
{
	struct call *c = mem_alloc(sizeof(*c));

	(void)self;
	(void)call;
	*c = (struct call){.op.cancel = on_cancel, .arena = a, .handler = *handler, .owner = owner};
	while (stage.reply_at < stage.reply_count && c->count < LLM_BLOCKS_MAX - 1 &&
	       add_part(c, &stage.replies[stage.reply_at++]))
		;
	if (c->count == 0 && c->err.code == ERR_NONE)
		c->blocks[c->count++] = (struct llm_block){.kind = LLM_TEXT, .text = "done"};
	loop_defer(stage.loop, &c->deferred, on_call, c);
	return &c->op;
}

static const struct llm_driver model = {"fuzz", model_start, NULL};

/* ---- the stage ---- */

static void on_migrated(void *owner, const struct err *e)
{
	(void)owner;
	must(!e, "store", e);
	loop_stop(stage.loop);
}

static void open_databases(void)
{
	struct db_tenant store = {"vesper", arena_printf(stage.files, "%s/store.db", stage.folder)};
	struct db_tenant rows = {"vesper", arena_printf(stage.files, "%s/rows.db", stage.folder)};
	struct db_options o = {.name = "store",
			       .dialect = DIALECT_SQLITE,
			       .dsn = "",
			       .create = true,
			       .workers = 1,
			       .tenants = &store,
			       .tenant_count = 1};
	struct err e = {0};

	make_warehouse(rows.file);
	must(db_open(stage.loop, &o, &stage.stored, &e) &&
		     store_new(stage.loop, stage.stored, VESPER_SOURCE_DIR, &stage.store, &e),
	     "store", &e);
	store_migrate(stage.store, "vesper", on_migrated, NULL);
	loop_run(stage.loop);
	o = (struct db_options){.name = "warehouse",
				.dialect = DIALECT_SQLITE,
				.dsn = "",
				.read_only = true,
				.schemas = (const char *const[]){"dbo", "Stage", NULL},
				.workers = 1,
				.tenants = &rows,
				.tenant_count = 1,
				.timeout_ms = 500};
	must(db_open(stage.loop, &o, &stage.warehouse, &e), "warehouse", &e);
}

static void open_stage(void)
{
	struct turn_knowledge k = {0};
	struct knowledge_set *set;
	struct knowledge *all;
	struct toolbox_options tools = {.modules = domain_modules,
					.derivations = domain_derivations};
	static struct turn_settings settings = {
		.base.refs = 1, .deadline_ms = 3000, .grace_ms = 1000};
	struct turns_options o = {.settings = &settings};
	struct err e = {0};

	snprintf(stage.folder, sizeof(stage.folder), "%s/fuzz-turn-XXXXXX",
		 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	must(mkdtemp(stage.folder) != NULL, "folder", &e);
	stage.files = arena_new(16 << 20);
	must(loop_new(&stage.loop, &e), "loop", &e);
	clock_freeze_today((struct date){2026, 2, 27});
	open_databases();
	stage.llm = llm_from_driver(stage.loop, &model, NULL);
	stage.streams = stream_hub_new(stage.loop);
	o.loop = tools.loop = stage.loop;
	o.streams = stage.streams;
	o.store = tools.store = stage.store;
	o.llm = stage.llm;
	stage.turns = turns_new(&o);
	must(catalog_load((const char *const[]){VESPER_SOURCE_DIR, NULL}, NULL, &k.catalog, &e),
	     "catalogue", &e);
	k.nlu = nlu_new(k.catalog);
	tools.catalog = stage.catalog = k.catalog;
	tools.names = nlu_names(k.nlu);
	tools.sources = sources_of(stage.warehouse);
	must(toolbox_new(&tools, &k.tools, &e), "tools", &e);
	k.key = "all";
	set = knowledge_set_new();
	all = knowledge_new(&k, NULL);
	knowledge_set_add(set, NULL, all);
	knowledge_unref(&all);
	turns_set_knowledge(stage.turns, set);
}

static void close_stage(void)
{
	static const char *const names[] = {"store.db", "store.db-wal", "store.db-shm", "rows.db",
					    "rows.db-journal"};

	turns_free(&stage.turns);
	stream_hub_free(&stage.streams);
	llm_free(&stage.llm);
	store_free(&stage.store);
	db_close(&stage.stored);
	db_close(&stage.warehouse);
	sources_free();
	loop_free(&stage.loop);
	sqlite3_close(stage.rows);
	health_reset();
	metric_reset();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(arena_printf(stage.files, "%s/%s", stage.folder, names[i]));
	rmdir(stage.folder);
	arena_free(&stage.files);
}

/* ---- turns ---- */

static bool may_see_budgets(void)
{
	return may(&stage.who, "chat:read_budget");
}

/* An input that holds a canary itself proves nothing. */
static void check_canaries(struct str text)
{
	if (stage.knows_canaries)
		return;
	assert(!memmem(text.p, text.n, FOREIGN, strlen(FOREIGN)));
	assert(may_see_budgets() || !memmem(text.p, text.n, SECRET_CELL, strlen(SECRET_CELL)));
}

/* Keeps what has to be known of it. */
static void check_frame(struct str text)
{
	json_t *frame;
	bool valid = json_parse(text.p, text.n, FRAMES_BYTES_MAX, &frame, NULL);
	const char *type, *ask_id;

	assert(valid && json_is_object(frame));
	assert(json_integer_value(json_object_get(frame, "seq")) == (json_int_t)++stage.seq);
	type = json_string_value(json_object_get(frame, "type"));
	ask_id = json_string_value(json_object_get(frame, "ask_id"));
	if (ask_id)
		snprintf(stage.ask_id, sizeof(stage.ask_id), "%s", ask_id);
	stage.closed = stage.closed || strcmp(type, "chat.complete") == 0 ||
		       strcmp(type, "chat.error") == 0;
	json_decref(frame);
	buf_add(&stage.frames, text.p, text.n);
	assert(!buf_over(&stage.frames));
	check_canaries(text);
}

static void on_entries(void *owner)
{
	struct str frame;

	(void)owner;
	while (stage.frames_of && wire_next(stage.frames_of, false, &frame)) {
		check_frame(frame);
		if (stage.cancel_at && --stage.cancel_at == 0)
			turn_cancel(stage.turns, stage.turn_id, &stage.who, CANCEL_USER, NULL,
				    NULL);
	}
	if (stage.closed)
		loop_stop(stage.loop);
}

static void on_look(void *owner)
{
	(void)owner;
	if (turns_running(stage.turns) == 0)
		loop_stop(stage.loop);
}

static void on_messages(void *owner, const struct message *messages, size_t count, bool has_more,
			const struct err *e)
{
	(void)owner;
	(void)has_more;
	must(!e || e->code == ERR_NOT_FOUND, "history", e);
	for (size_t i = 0; i < count; i++) {
		check_canaries(str_of(messages[i].content));
		check_canaries(str_of(messages[i].texts.views));
	}
	stage.done = true;
	loop_stop(stage.loop);
}

static void read_back(void)
{
	stage.done = false;
	store_messages(stage.store, &stage.who, stage.session.text, NULL, 100, stage.arena,
		       on_messages, NULL);
	while (!stage.done)
		loop_run(stage.loop);
}

struct started {
	struct stream_log *log;
	bool done;
};

static void on_started(void *owner, struct stream_log *log, const struct err *e)
{
	struct started *started = owner;

	(void)e;
	started->log = log;
	started->done = true;
}

static void play(const struct client_frame *f)
{
	struct turn_request r = {.who = &stage.who,
				 .session_id = stage.session.text,
				 .content = f->content,
				 .filters = f->filters,
				 .ask_id = f->ask_id,
				 .values = f->values,
				 .client_msg_id = f->client_msg_id};
	struct started started = {0};
	struct timer *look;

	turn_start(stage.turns, &r, on_started, &started);
	while (!started.done)
		loop_run_once(stage.loop);
	if (!started.log)
		return;
	snprintf(stage.turn_id, sizeof(stage.turn_id), "%s", stream_turn_id(started.log));
	stage.closed = false;
	stage.seq = 0;
	buf_reset(&stage.frames);
	stage.frames_of = wire_reader_new(started.log, &wire_chat, 0, on_entries, NULL);
	look = timer_new(stage.loop, on_look, NULL);
	timer_repeat(look, 1);
	while (turns_running(stage.turns) > 0 || !stage.closed)
		loop_run(stage.loop);
	timer_free(&look);
	wire_reader_free(&stage.frames_of);
	read_back();
}

static void frame(struct str text)
{
	struct client_frame f;
	struct err e;

	if (!wire_parse(text.p, text.n, &f, &e))
		return;
	if (f.type == FRAME_MESSAGE || f.type == FRAME_SELECT)
		play(&f);
	client_frame_deinit(&f);
}

static void say(json_t *take)
{
	char *text = json_dumps(take, JSON_COMPACT);

	if (text)
		frame(str_of(text));
	free(text);
	json_decref(take);
}

static void message(struct str text)
{
	json_t *root = json_object();

	json_set_str(root, "type", "chat.message");
	json_set_take(root, "content", json_strn(text.p, text.n));
	say(root);
}

static void answer(struct str text)
{
	json_t *root = json_object(), *values = json_array();
	struct str value;

	while (json_array_size(values) < LIST_ARG_MAX + 1 && str_split(&text, '|', &value))
		json_push_take(values, json_strn(value.p, value.n));
	json_set_str(root, "type", "chat.select");
	json_set_str(root, "ask_id", stage.ask_id);
	json_set_take(root, "values", values);
	say(root);
}

/* ---- an input ---- */

static void principal(struct str line)
{
	static const char *const all[] = {"chat:use",
					  "chat:read_projects",
					  "chat:read_market_data",
					  "chat:read_pbi_metrics",
					  "chat:view_sql",
					  "chat:advanced_sql",
					  "chat:read_budget"};
	static const size_t counts[] = {6, 7, 2, 3};

	stage.who = (struct principal){.user = "ann",
				       .tenant = "vesper",
				       .permissions = all,
				       .permission_count =
					       counts[line.n ? (unsigned char)line.p[0] % 4 : 0]};
}

static bool is_reply(char kind)
{
	return strchr("TCSEWN", kind) && kind;
}

static void prepare(struct str line)
{
	struct str text = {line.p + 1, line.n - 1};

	if (line.p[0] == 'D')
		write_cell(text);
	else if (is_reply(line.p[0]) && stage.reply_count < PARTS_MAX &&
		 utf8_valid(text.p, text.n) && !memchr(text.p, '\0', text.n))
		stage.replies[stage.reply_count++] = (struct part){line.p[0], text};
}

static bool act(struct str line)
{
	struct str text = {line.p + 1, line.n - 1};

	switch (line.p[0]) {
	case 'F':
		frame(text);
		return true;
	case 'Q':
		message(text);
		return true;
	case 'A':
		answer(text);
		return true;
	case 'P':
		principal(text);
		stage.session = uuid_new();
		return false;
	case 'X':
		stage.cancel_at = text.n ? (unsigned char)text.p[0] % 16 + 1u : 1;
		return false;
	default:
		return false;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str whole = {(const char *)data, size}, rest = whole, line;
	int turns = 0;

	if (stage.inputs++ % INPUTS_OF_A_STAGE == 0) {
		if (stage.loop)
			close_stage();
		log_setup(LOG_ERROR, LOG_TEXT);
		open_stage();
	}
	if (stage.dirty)
		seed_rows();
	stage.arena = arena_new(INPUT_ARENA_BYTES);
	buf_init(&stage.frames, FRAMES_BYTES_MAX);
	stage.reply_count = stage.reply_at = stage.cancel_at = 0;
	stage.session = uuid_new();
	snprintf(stage.ask_id, sizeof(stage.ask_id), "%s", stage.session.text);
	stage.knows_canaries = memmem(data, size, "7c1e", 4) != NULL;
	principal((struct str){"", 0});
	while (str_split(&rest, '\n', &line))
		if (line.n > 0)
			prepare(line);
	for (rest = whole; turns < TURNS_OF_AN_INPUT && str_split(&rest, '\n', &line);)
		if (line.n > 0)
			turns += act(line);
	buf_deinit(&stage.frames);
	arena_free(&stage.arena);
	return 0;
}

/* ---- lines as they may be, for the mutator to begin with ---- */

static const char *const templates[] = {
	"QWhat was the average day-ahead price for NP15 in CAISO for 2025 from Ascend?",
	"QWhat was the average day-ahead price for NP15 in CAISO for 2039 from Ascend?",
	"QCompare Ascend vs Hitachi day-ahead prices for SP15 in CAISO for 2025",
	"QWhat is the health status of Nazareth Solar?",
	"QShow the overview of Sierra Wind",
	"QWhat are the milestone dates of Nazareth Solar?",
	"QWhich tasks are at high risk?",
	"QWhat changed since 2026-01-01?",
	"QWhat changed between 2019-01-01 and 2019-01-10?",
	"QShow the portfolio summary",
	"QShow the hourly price distribution for SP15 in CAISO for 2025 from Hitachi",
	"QWhich reports were viewed most in the last 90 days?",
	"QHow is our work spread, in a way that no report shows?",
	"Qand for SP15?",
	"Q2",
	"A2025",
	"A2025-03-04|2025-03-05",
	"F{\"type\":\"chat.message\",\"content\":\"Show the portfolio "
	"summary\",\"filters\":{\"market\":\"CAISO\",\"year\":2025}}",
	"T{\"do\":[{\"Run\":\"per_agent\"}]}\nN",
	"T{\"do\":[{\"Run\":\"get_project_health\"},{\"project_name\":\"Nazareth Solar\"}]}\nN",
	"T{\"do\":[{\"Step\":\"t1\",\"Run\":\"get_color_ranking\",\"With\":[],\"From\":[],"
	"\"After\":[],\"If\":\"\"},{\"Step\":\"t2\",\"Run\":\"get_project_health\",\"With\":[],"
	"\"From\":[{\"project_name\":\"t1.rows[0].ProjectName\"}],\"After\":[\"t1\"],\"If\":\"t1."
	"row_count > 0\"}]}\nN",
	"T{\"do\":[{\"Ask\":\"Which?\"},{\"Option\":\"a\"},{\"Option\":\"b\"}]}\nN",
	"TThe average is $48.73/MWh, 1e999 of 2025.\nN",
	"N",
	"E3",
	"W2",
	"SSELECT technology, COUNT(*) AS n FROM per_project GROUP BY technology\nN",
	"SSELECT name AS \"x\", 1e999 AS y FROM per_project\nN",
	"SSELECT metric FROM per_project45\nN",
	"SSELECT a.name FROM (SELECT * FROM dbo.per_project) a WHERE a.name LIKE '%x' ORDER BY "
	"1\nN",
	"Cget_project_overview {\"project_name\":\"Sierra Wind\"}\nN",
	"Cask_user {\"question\":\"Which?\",\"options\":[\"a\",\"b\"]}\nN",
	"Cget_average_annual_price {\"vendor\":{\"$ref\":\"c1.rows[0].Vendor\"},\"year\":2025}\nN",
	"D\001r1e999",
	"D\004t=1+1",
	"D\006t1e999",
	"D\013b\377\376",
	"D\020n",
	"D\030i1",
	"P1",
	"P2",
	"X3",
};
#define TEMPLATES (sizeof(templates) / sizeof(templates[0]))

static size_t insert(uint8_t *data, size_t size, size_t max, size_t at, const char *text)
{
	size_t n = strlen(text);

	if (size + n + 1 > max)
		return size;
	memmove(data + at + n + 1, data + at, size - at);
	memcpy(data + at, text, n);
	data[at + n] = '\n';
	return size + n + 1;
}

static size_t line_from(const uint8_t *data, size_t size, size_t at)
{
	while (at > 0 && at <= size && data[at - 1] != '\n')
		at--;
	return at;
}

/* Whole lines come and go; the rest of one line is changed by the library. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	size_t from = line_from(data, size, size ? seed / 7 % size : 0);
	const uint8_t *end = size > from ? memchr(data + from, '\n', size - from) : NULL;
	size_t n = (end ? (size_t)(end - data) : size) - from, left;

	switch (size < 2 ? 0 : seed % 6) {
	case 0:
	case 1:
		return insert(data, size, max, from, templates[seed / 13 % TEMPLATES]);
	case 2:
		memmove(data + from, data + from + n, size - from - n);
		return size - n;
	default:
		if (n < 2)
			return insert(data, size, max, from, templates[seed / 13 % TEMPLATES]);
		uint8_t *body = mem_alloc(max);

		memcpy(body, data + from + 1, n - 1);
		left = LLVMFuzzerMutate(body, n - 1, max - size + n - 1);
		memmove(data + from + 1 + left, data + from + n, size - from - n);
		memcpy(data + from + 1, body, left);
		mem_free(body);
		return size - n + 1 + left;
	}
}
