/*
 * Runs loads. The version's state is stored before each step, so that the rows show what a dead
 * process left behind. A tenant runs one load at a time. Each load has an event log.
 */
#include "upload_int.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/language.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"

#define LOAD_BYTES (64 * 1024 * 1024) /* of a load: shape, statements and profile */
#define NUMBER_HEX 12

struct waiting_load {
	struct list node;
	char source[UUID_BYTES], version[UUID_BYTES];
	struct stream_log *log;
	bool was_listed; /* its row was listed; if the row is missing later, it was deleted */
};

/* The log ID of a source's newest run. */
struct load_run {
	struct hashmap_node node; /* by the source */
	char source[UUID_BYTES], id[UUID_BYTES];
};

/* ---- events ---- */

static void emit_phase(struct stream_log *log, enum version_state state)
{
	const struct event e = {.kind = EVENT_STATUS,
				.u.status = {.phase = version_state_name(state),
					     .text = version_state_name(state)}};

	event_emit(stream_sink(log), &e);
}

void load_log_failure(struct stream_log *log, const char *code, const char *text, size_t line)
{
	struct event e = {.kind = EVENT_ERROR, .u.error = {.code = code, .message = text}};
	char *view = mem_printf("{\"line\":%zu}", line);

	if (line > 0)
		e.u.error.view = str_of(view);
	event_emit(stream_sink(log), &e);
	mem_free(view);
}

static void emit_end(struct load *l, const char *status, json_t *outcomes_take)
{
	char *text = json_text(outcomes_take);
	const struct event e = {.kind = EVENT_RUN_FINISHED,
				.u.run_finished = {.session_id = l->source,
						   .message_id = l->version,
						   .status = status,
						   .outcomes = str_of(text)}};

	event_emit(stream_sink(l->log), &e);
	json_decref(outcomes_take);
	mem_free(text);
}

static struct load_run *find_run(const struct tenant_uploads *t, const char *source)
{
	struct hashmap_node *node = hashmap_find(&t->runs, str_of(source));

	return node ? hashmap_item(node, struct load_run, node) : NULL;
}

const char *uploads_newest_load(const struct uploads *u, const char *tenant, const char *source)
{
	const struct tenant_uploads *t = uploads_tenant(u, tenant);
	const struct load_run *r = t ? find_run(t, source) : NULL;

	return r ? r->id : NULL;
}

struct stream_log *load_log(struct tenant_uploads *t, const char *source, const char *user)
{
	const struct principal who = {.user = user, .tenant = t->name};
	struct load_run *r = find_run(t, source);

	if (!r) {
		r = mem_alloc(sizeof(*r));
		memcpy(r->source, source, UUID_BYTES);
		hashmap_add(&t->runs, &r->node, str_of(r->source));
	}
	memcpy(r->id, uuid_new().text, UUID_BYTES);
	return stream_open(t->all->options.streams, r->id, source, &who, NULL, NULL);
}

/* ---- the queue ---- */

void load_queue(struct tenant_uploads *t, const char *source, const char *version,
		struct stream_log **log_take)
{
	struct waiting_load *w = mem_alloc(sizeof(*w));

	memcpy(w->source, source, UUID_BYTES);
	memcpy(w->version, version, UUID_BYTES);
	w->log = *log_take;
	w->was_listed = false;
	*log_take = NULL;
	list_append(&t->waiting, &w->node);
}

void load_adopt(struct tenant_uploads *t, const struct stored_version *v)
{
	const struct stored_source *s = uploads_source(t, v->source);
	struct stream_log *log = load_log(t, v->source, s ? s->owner : "");

	load_queue(t, v->source, v->uid, &log);
	load_next(t);
}

bool load_is_local(const struct tenant_uploads *t, const char *version)
{
	if (t->load && strcmp(t->load->version, version) == 0)
		return true;
	list_each(node, &t->waiting)
		if (strcmp(list_item(node, struct waiting_load, node)->version, version) == 0)
			return true;
	return false;
}

/* ---- jobs ---- */

static void run_job(struct pool_job *job)
{
	struct load *l = (struct load *)job;

	l->run(l);
}

static void on_job(struct pool_job *job)
{
	struct load *l = (struct load *)job;

	if (l->tenant->all->ending)
		return;
	if (l->err.code == ERR_NONE && atomic_load(&l->cancelled))
		err_set(&l->err, ERR_CANCELLED, "the load was cancelled");
	if (l->err.code == ERR_NONE)
		l->then(l);
	else
		load_fail(l);
}

void load_run(struct load *l, void (*run)(struct load *l), void (*then)(struct load *l))
{
	l->run = run;
	l->then = then;
	l->job = (struct pool_job){.run = run_job, .done = on_job};
	pool_submit(l->tenant->all->loading, &l->job);
}

/* Frees the data that only jobs use. */
static void release_job_data(struct load *l)
{
	shape_reader_free(&l->reader);
	document_free(&l->document);
	profile_free(&l->profile);
}

static void load_free(struct load *l)
{
	op_cancel(&l->op);
	refresh_wait_cancel(&l->refresh);
	release_job_data(l);
	arena_free(&l->arena);
	mem_free(l);
}

static void run_delete_file(struct pool_job *job)
{
	struct load *l = (struct load *)job;

	unlink(l->options.path);
	release_job_data(l);
}

static void on_file_deleted(struct pool_job *job)
{
	struct load *l = (struct load *)job;

	if (!l->tenant->all->ending)
		l->then(l);
}

/* Deletes the file after any outcome. Runs on a worker, since freeing the pages of a large file
 * takes time. Calls `then` even if the load was cancelled. */
static void delete_spool_file(struct load *l, void (*then)(struct load *l))
{
	l->then = then;
	l->job = (struct pool_job){.run = run_delete_file, .done = on_file_deleted};
	pool_submit(l->tenant->all->loading, &l->job);
}

/* Its log must be closed. */
static void end(struct load *l)
{
	struct tenant_uploads *t = l->tenant;

	t->load = NULL;
	stream_release(&l->log);
	load_free(l);
	uploads_refresh(t);
	load_next(t);
}

/* ---- failures ---- */

static const char *code_of(const struct load *l)
{
	if (l->fault.code)
		return l->fault.code;
	switch (l->err.code) {
	case ERR_LIMIT:
		return "too_long";
	case ERR_CANCELLED:
		return "interrupted";
	default:
		return "upstream";
	}
}

static void report_failed(struct load *l)
{
	load_log_failure(l->log, code_of(l), l->err.text, l->fault.line);
	end(l);
}

static void on_failed(void *owner, const struct err *e)
{
	struct load *l = owner;

	l->op = NULL;
	if (e)
		log_warn("uploads.store", "%s: %s", l->version, e->text);
	delete_spool_file(l, report_failed);
}

static void store_failure(struct load *l)
{
	const struct stored_version v = {
		.uid = l->version,
		.state = VERSION_FAILED,
		.fault = {code_of(l), l->err.text, (int64_t)l->fault.line}};

	log_info("uploads.failed", "%s: %s: %s", l->version, code_of(l), l->err.text);
	l->op = store_version_set(l->tenant->all->options.store, l->tenant->name, &v, on_failed, l);
}

static void on_dropped(void *owner, struct table **tables, size_t count, const struct err *e)
{
	struct load *l = owner;

	(void)tables;
	(void)count;
	l->op = NULL;
	if (e) /* the sweep finds the table by the version's row */
		log_warn("uploads.drop", "%s: %s", l->table.name, e->text);
	store_failure(l);
}

void load_fail(struct load *l)
{
	const struct source_statement drop_it = {
		.name = "uploads/drop",
		.text = sql_upload_drop(l->table.name, l->tenant->all->dialect, l->arena)};
	const struct db_request r = {.tenant = l->tenant->name,
				     .statements = &drop_it,
				     .statement_count = 1,
				     .write = true,
				     .secure_delete = true,
				     .timeout_ms = DATA_SOURCE_LOAD_MS};

	if (!l->table.count) { /* no table was made */
		store_failure(l);
		return;
	}
	l->op = db_query(l->tenant->all->options.loader, &r, on_dropped, l);
}

/* ---- the question ---- */

static json_t *option_json(const struct language *lang, const char *value, enum sentence label)
{
	return json_make({"value", json_str(value)},
			 {"label", json_str(language_text(lang, label))});
}

static json_t *ask_json(struct load *l, const struct shape_column *c)
{
	const struct language *lang = uploads_language(l->tenant);
	bool day = c->question == QUESTION_DAY_OR_MONTH;
	json_t *options = json_array();

	json_push_take(options, option_json(lang, day ? "dmy" : "point",
					    day ? SAY_UPLOAD_DAYS_FIRST : SAY_UPLOAD_POINT));
	json_push_take(options, option_json(lang, day ? "mdy" : "comma",
					    day ? SAY_UPLOAD_MONTHS_FIRST : SAY_UPLOAD_COMMA));
	return json_make(
		{"ask_id", json_str(uuid_new().text)},
		{"prompt",
		 json_str(day ? sentence(lang, SAY_UPLOAD_ASK_DAY, l->arena, c->example, c->label)
			      : sentence(lang, SAY_UPLOAD_ASK_NUMBER, l->arena, c->example,
					 c->label))},
		{"input", json_str("single")}, {"filter", json_str(c->name)}, {"options", options},
		{"skip", option_json(lang, "text", SAY_UPLOAD_KEEP_TEXT)});
}

static void on_asked(void *owner, const struct err *e)
{
	struct load *l = owner;

	l->op = NULL;
	if (e) {
		l->err = *e;
		load_fail(l);
		return;
	}
	emit_end(l, "ask",
		 json_make({"id", json_str(l->source)}, {"version", json_str(l->version)}));
	end(l);
}

static void ask(struct load *l, const struct shape_column *c)
{
	json_t *body = ask_json(l, c);
	char *text = json_text(body);
	const struct stored_version v = {
		.uid = l->version, .state = VERSION_ASKING, .ask = arena_strdup(l->arena, text)};
	const struct event e = {
		.kind = EVENT_ASK,
		.u.ask = {.prompt = json_string_value(json_object_get(body, "prompt")),
			  .body = str_of(text)}};

	event_emit(stream_sink(l->log), &e);
	json_decref(body);
	mem_free(text);
	l->op = store_version_set(l->tenant->all->options.store, l->tenant->name, &v, on_asked, l);
}

/* ---- the steps ---- */

static void on_loading(void *owner, const struct err *e)
{
	struct load *l = owner;

	l->op = NULL;
	if (e && e->code == ERR_CANCELLED) { /* another replica writes its rows */
		l->err = *e;
		report_failed(l);
		return;
	}
	if (e) {
		l->err = *e;
		load_fail(l);
		return;
	}
	emit_phase(l->log, VERSION_LOADING);
	load_make_table(l);
}

static void on_read(struct load *l)
{
	const struct shape_column *ambiguous = load_open_question(l);
	const struct stored_version v = {.uid = l->version, .table = l->table.name};

	if (ambiguous)
		ask(l, ambiguous);
	else
		l->op = store_version_claim(l->tenant->all->options.store, l->tenant->name, &v,
					    l->holder, on_loading, l);
}

static json_t *score_of(const char *profile_text)
{
	json_t *profile, *score;
	struct err ignored;

	if (!json_parse(profile_text, strlen(profile_text), DATA_SOURCE_PROFILE_BYTES_MAX, &profile,
			&ignored))
		return NULL;
	score = json_incref(json_object_get(json_object_get(profile, "quality"), "score"));
	json_decref(profile);
	return score;
}

static void on_overlay_updated(void *owner)
{
	struct load *l = owner;

	l->refresh.cb = NULL;
	emit_end(l, "ok",
		 json_make({"id", json_str(l->source)}, {"version", json_str(l->version)},
			   {"rows", json_int(l->rows)},
			   {"columns", json_int((int64_t)l->shape.column_count)},
			   {"quality", score_of(l->profile_text)}));
	log_info("uploads.ready", "%s: %" PRId64 " rows, %zu columns", l->version, l->rows,
		 l->shape.column_count);
	end(l);
}

static void on_refreshed(void *owner)
{
	struct load *l = owner;

	overlay_then(l->tenant, &l->refresh, on_overlay_updated, l);
}

/* Reports success only after questions can use the new version. */
static void report_ready(struct load *l)
{
	uploads_refresh_then(l->tenant, &l->refresh, on_refreshed, l);
}

static void on_published(void *owner, const struct err *e)
{
	struct load *l = owner;

	l->op = NULL;
	if (e) {
		l->err = *e;
		load_fail(l);
		return;
	}
	delete_spool_file(l, report_ready);
}

void load_finish(struct load *l)
{
	const struct stored_version v = {.uid = l->version,
					 .source = l->source,
					 .state = VERSION_READY,
					 .rows = l->rows,
					 .profile = l->profile_text};

	l->op = store_version_publish(l->tenant->all->options.store, l->tenant->name, &v, l->holder,
				      on_published, l);
}

/* ---- beginning ---- */

/* Parses a stored format: "csv 59 yes". */
static void read_format(struct load *l, const char *format)
{
	struct str rest = str_of(format), name, delimiter = {0};

	str_split(&rest, ' ', &name);
	str_split(&rest, ' ', &delimiter);
	l->options.format = str_eq(name, STR("jsonl"))  ? FORMAT_JSONL
			    : str_eq(name, STR("tsv"))  ? FORMAT_TSV
			    : str_eq(name, STR("html")) ? FORMAT_HTML
			    : str_eq(name, STR("text")) ? FORMAT_TEXT
							: FORMAT_CSV;
	l->options.delimiter =
		(char)strtol(arena_strndup(l->arena, delimiter.p, delimiter.n), NULL, 10);
	l->options.header = str_eq(rest, STR("yes"))  ? HEADER_YES
			    : str_eq(rest, STR("no")) ? HEADER_NO
						      : HEADER_BY_CONTENT;
}

static void begin(struct tenant_uploads *t, struct waiting_load *w, const struct stored_version *v)
{
	const struct stored_source *s = uploads_source(t, w->source);
	struct load *l = mem_alloc(sizeof(*l));

	*l = (struct load){.tenant = t,
			   .kind = s && s->kind == SOURCE_DOCUMENT ? &document_load_kind
								   : &table_load_kind,
			   .log = w->log,
			   .arena = arena_new(LOAD_BYTES)};
	memcpy(l->source, w->source, UUID_BYTES);
	memcpy(l->version, w->version, UUID_BYTES);
	memcpy(l->holder, uuid_new().text, UUID_BYTES);
	atomic_init(&l->cancelled, false);
	l->options.path = uploads_spool(t->all, l->version, l->arena);
	l->options.cancelled = &l->cancelled;
	read_format(l, v->format);
	l->answers = arena_strdup(l->arena, v->answers);
	l->table.name = arena_printf(l->arena, "%s_%s_%" PRId64, l->kind->prefix,
				     l->source + strlen(l->source) - NUMBER_HEX, v->number);
	t->load = l;
	emit_phase(l->log, VERSION_READING);
	load_run(l, l->kind->read, on_read);
}

static void close_log(struct stream_log **log, const char *reason)
{
	if (!stream_is_closed(*log))
		load_log_failure(*log, "interrupted", reason, 0);
	stream_release(log);
}

/* Its log must be closed, or passed to the load. */
static void remove_from_queue(struct waiting_load *w)
{
	list_remove(&w->node);
	mem_free(w);
}

/* Starts the first load whose row is ready to be read. A row that is not ready yet does not block
 * later loads. A load whose version failed elsewhere or was deleted leaves the queue. */
void load_next(struct tenant_uploads *t)
{
	list_each_safe(node, &t->waiting) {
		struct waiting_load *w = list_item(node, struct waiting_load, node);
		const struct stored_version *v = uploads_version(t, w->source, w->version);

		if (t->all->ending)
			return;
		if (v ? v->state > VERSION_ASKING : w->was_listed) {
			close_log(&w->log,
				  "the load was abandoned while it waited. Upload the file again");
		} else if (v && v->state == VERSION_READING && !t->load) {
			begin(t, w, v);
		} else {
			w->was_listed = w->was_listed || v;
			continue;
		}
		remove_from_queue(w);
	}
}

void load_cancel(struct tenant_uploads *t)
{
	if (t->load)
		atomic_store(&t->load->cancelled, true);
}

void loads_end(struct tenant_uploads *t)
{
	list_each_safe(node, &t->waiting) {
		struct waiting_load *w = list_item(node, struct waiting_load, node);

		close_log(&w->log, "the server is shutting down");
		remove_from_queue(w);
	}
	hashmap_each(node, &t->runs) {
		hashmap_remove(&t->runs, node);
		mem_free(hashmap_item(node, struct load_run, node));
	}
	hashmap_deinit(&t->runs);
	if (t->load) {
		close_log(&t->load->log, "the server is shutting down");
		load_free(t->load);
	}
	t->load = NULL;
}
