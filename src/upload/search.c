/*
 * Searches the documents that one caller may read. It chooses the documents, builds segments that
 * are not in memory from their tables, and then searches. The passages of hits are read from the
 * tables afterwards, so that a document deleted meanwhile is not found.
 */
#include "upload_int.h"

#include <stdlib.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/embed.h"
#include "vesper/find.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/result.h"
#include "vesper/vectors.h"

#define SEARCH_BYTES (32 * 1024 * 1024)
#define TABLE_BYTES  (1024 * 1024) /* of the found passages */
#define PAGE_ROWS    DB_ROWS_MAX

enum search_work { WORK_ADD, WORK_SEARCH };

/* A document to search. Texts are borrowed from the listing. */
struct candidate {
	const char *uid, *version, *table, *name, *permission, *profile;
	size_t passages;
	struct held_segment *held;
};

/* A segment being built. */
struct segment_build {
	size_t doc;
	struct find_builder *builder;
	struct vectors *vectors; /* NULL: it has none that can be compared */
	struct table *page;
	int64_t row;      /* the last one added */
	bool is_complete; /* all rows were read */
};

struct search {
	struct op op;
	struct pool_job job;
	struct deferred deferred;
	struct tenant_uploads *tenant;
	struct listing *listing;
	struct arena *arena;
	struct principal *who;
	const char *text, *document_name; /* `document_name` NULL: all */
	size_t top;
	atomic_bool cancelled; /* set while a job runs; on_job then frees the search */
	bool running;
	struct op *query;
	/* the documents; segments before `at` are in memory, tables before `single_before` are read
	 * one at a time */
	struct candidate *docs;
	size_t count, at, single_before;
	/* the segments being built */
	struct {
		struct segment_build items[SOURCE_STATEMENTS_MAX];
		size_t count;
		struct arena *arena; /* of its statements; or NULL */
		size_t vector_bytes; /* of all segments that this search holds */
	} round;
	struct {
		struct list node;
		bool is_waiting;
	} turn;
	bool is_warm_up; /* only builds segments; has no callback */
	/* the question's vector */
	const char *model; /* the current one; NULL: none */
	struct find_vector vector;
	/* the result */
	enum search_work work;
	struct catalog *catalog; /* a reference; owns the language that workers read */
	struct find_index index;
	struct find_results found;
	struct find_reach *reach; /* requested instead of hits; or NULL */
	source_cb cb;
	uploads_reach_cb reach_cb;
	void *owner;
};

static const char *const column_names[] = {"N", "Document", "Heading", "Text"};
static const enum column_type column_types[] = {COLUMN_INT, COLUMN_TEXT, COLUMN_TEXT, COLUMN_TEXT};
#define COLUMNS 4

static void release_turn(struct search *s);
static void round_free(struct search *s);

static void search_free(struct search *s)
{
	op_cancel(&s->query);
	deferred_cancel(&s->deferred);
	if (s->turn.is_waiting)
		list_remove(&s->turn.node);
	if (s->is_warm_up)
		s->tenant->warm = NULL;
	round_free(s);
	for (size_t i = 0; i < s->count; i++)
		segment_release(&s->docs[i].held);
	if (s->tenant) {
		release_turn(s);
		segments_evict(s->tenant->all);
	}
	listing_release(&s->listing);
	arena_free(&s->round.arena);
	if (s->catalog)
		catalog_unref(&s->catalog);
	principal_free(&s->who);
	arena_free(&s->arena);
	mem_free(s);
}

static void on_cancel(struct op *op)
{
	struct search *s = list_item(op, struct search, op);

	if (s->running)
		atomic_store(&s->cancelled, true);
	else
		search_free(s);
}

static void end(struct search *s, struct source_batch *batch, const struct err *e)
{
	if (s->reach)
		s->reach_cb(s->owner, s->reach);
	else if (s->cb)
		s->cb(s->owner, batch, batch ? 1 : 0, e);
	search_free(s);
}

/* ---- which documents ---- */

/* Matches the ID, and each name that contains `document_name` or is contained in it. */
static bool matches_name(const struct search *s, const struct stored_source *source)
{
	return !s->document_name || strcmp(s->document_name, source->uid) == 0 ||
	       str_find_nocase(source->name, s->document_name) ||
	       (*source->name && str_find_nocase(s->document_name, source->name));
}

/* A warm-up builds segments for all callers. */
static bool is_selected(const struct search *s, const struct listed_source *k)
{
	return s->is_warm_up ||
	       (matches_name(s, k->row) && uploads_may_use(s->tenant, k->row, s->who, s->arena) &&
		may(s->who, k->permission)); /* false if shared after the turn began */
}

static void choose_documents(struct search *s)
{
	struct listing *l = s->listing = listing_hold(s->tenant->listing);
	struct listing_at at = {0};
	const struct listed_source *k;

	s->docs =
		arena_alloc(s->arena, (listing_sums(l)->parts[LISTING_ALL] + 1) * sizeof(*s->docs));
	while ((k = listing_next(l, LISTING_ALL, &at))) {
		const struct stored_version *v = k->current;

		if (k->row->kind != SOURCE_DOCUMENT || k->row->deleted_at || !v ||
		    v->state != VERSION_READY || !v->table || !sql_upload_is_table(v->table) ||
		    !is_selected(s, k))
			continue;
		s->docs[s->count++] = (struct candidate){.uid = k->row->uid,
							 .version = v->uid,
							 .table = v->table,
							 .name = k->row->name,
							 .permission = k->permission,
							 .passages = (size_t)v->rows,
							 .profile = s->model ? v->profile : NULL};
	}
}

static void remove_candidate(struct search *s, size_t i)
{
	segment_release(&s->docs[i].held);
	memmove(&s->docs[i], &s->docs[i + 1], (s->count - i - 1) * sizeof(*s->docs));
	s->count--;
}

/* ---- reading tables ---- */

static struct source_statement rows_of(const struct search *s, const char *table, int64_t after,
				       size_t limit, bool vectors, struct arena *a)
{
	static const struct upload_column columns[] = {{.name = DOCUMENT_HEADING},
						       {.name = DOCUMENT_START},
						       {.name = DOCUMENT_PASSAGE},
						       {.name = DOCUMENT_VECTOR}};
	const struct upload_table t = {.name = table,
				       .columns = columns,
				       .count = sizeof(columns) / sizeof(columns[0]) - !vectors};
	struct value *bound = arena_alloc(a, 2 * sizeof(*bound));

	bound[0] = value_text(s->tenant->name);
	bound[1] = value_int(after);
	return (struct source_statement){
		.name = "uploads/passages",
		.text = sql_upload_rows(&t, limit, s->tenant->all->dialect, a),
		.values = bound,
		.count = 2,
		.bounded_rows = true,
		.sink = {.rows_max = limit}};
}

static void run_query(struct search *s, const struct source_statement *statements, size_t count,
		      source_cb cb)
{
	struct source *reader = s->tenant->all->options.reader;
	const struct source_call call = {
		.tenant = s->tenant->name, .statements = statements, .count = count};

	s->query = reader->start(reader, &call, cb, s);
}

static const char *cell(const struct table *t, size_t row, const char *column)
{
	const char *text = table_cell(t, row, column);

	return text ? text : "";
}

/* ---- the worker ---- */

static void add_page(struct segment_build *m)
{
	for (size_t i = 0; i < m->page->row_count; i++) {
		find_builder_add(m->builder, str_of(cell(m->page, i, DOCUMENT_HEADING)),
				 str_of(cell(m->page, i, DOCUMENT_PASSAGE)));
		if (m->vectors &&
		    !vectors_add_text(m->vectors, str_of(cell(m->page, i, DOCUMENT_VECTOR))))
			vectors_free(&m->vectors); /* all passages have one, or none is used */
	}
}

static void add_pages(struct search *s)
{
	for (size_t i = 0; i < s->round.count && !atomic_load(&s->cancelled); i++)
		if (s->round.items[i].page)
			add_page(&s->round.items[i]);
}

static void search_now(struct search *s)
{
	const struct find_query q = {.text = s->text,
				     .top = s->top,
				     .least = DOCUMENT_COVERAGE_MIN,
				     .who = s->who,
				     .vector = s->vector.values ? &s->vector : NULL,
				     .cancelled = &s->cancelled};

	if (s->reach)
		find_reach(&s->index, s->text, s->who, s->reach);
	else
		find_search(&s->index, &q, s->arena, &s->found);
}

static void run_job(struct pool_job *job)
{
	struct search *s = list_item(job, struct search, job);

	if (s->work == WORK_ADD)
		add_pages(s);
	else
		search_now(s);
}

static void read_next(struct search *s);
static void read_hits(struct search *s);
static void on_added(struct search *s);
static void on_turn(void *owner);
static struct vectors *vectors_for(struct search *s, size_t doc);
static void begin_search(struct search *s);

static void on_job(struct pool_job *job)
{
	struct search *s = list_item(job, struct search, job);

	s->running = false;
	if (atomic_load(&s->cancelled) || s->tenant->all->ending)
		search_free(s);
	else if (s->work == WORK_ADD)
		on_added(s);
	else
		read_hits(s);
}

static void run(struct search *s, enum search_work work)
{
	s->work = work;
	s->running = true;
	s->job = (struct pool_job){.run = run_job, .done = on_job};
	pool_submit(s->tenant->all->finding, &s->job);
}

/* ---- making segments ---- */

static void read_pages(struct search *s);

static void begin_segment(struct search *s, size_t doc)
{
	struct segment_build *m = &s->round.items[s->round.count++];

	*m = (struct segment_build){.doc = doc,
				    .builder = find_builder_new(s->catalog->language),
				    .vectors = vectors_for(s, doc)};
}

static void end_segment(struct search *s, struct segment_build *m)
{
	struct candidate *doc = &s->docs[m->doc];

	doc->held = segment_add(s->tenant, doc->uid, doc->version, s->model,
				find_builder_finish(&m->builder), m->vectors);
	m->vectors = NULL;
	s->round.vector_bytes += vectors_bytes(segment_vectors(doc->held));
}

/* Passes the turn to the search that has waited longest. */
static void release_turn(struct search *s)
{
	struct uploads *u = s->tenant->all;
	struct search *next;

	if (u->active_search != s)
		return;
	u->active_search = NULL;
	if (list_empty(&u->waiting_searches))
		return;
	next = list_item(u->waiting_searches.next, struct search, turn.node);
	list_remove(&next->turn.node);
	next->turn.is_waiting = false;
	u->active_search = next;
	loop_defer(u->options.loop, &next->deferred, on_turn, next);
}

/* Lets one search at a time read tables, one round each, since after a start all searches need the
 * same ones. False: it has to wait. */
static bool acquire_turn(struct search *s)
{
	struct uploads *u = s->tenant->all;

	if (!u->active_search)
		u->active_search = s;
	if (u->active_search == s)
		return true;
	s->turn.is_waiting = true;
	list_append(&u->waiting_searches, &s->turn.node);
	return false;
}

static void on_added(struct search *s)
{
	bool more = false;

	for (size_t i = 0; i < s->round.count; i++) {
		struct segment_build *m = &s->round.items[i];

		if (!m->page)
			continue;
		m->is_complete = m->page->row_count < PAGE_ROWS;
		m->row += (int64_t)m->page->row_count;
		table_free(&m->page);
		more = more || !m->is_complete;
	}
	if (more) {
		read_pages(s);
		return;
	}
	for (size_t i = 0; i < s->round.count; i++)
		end_segment(s, &s->round.items[i]);
	s->round.count = 0;
	release_turn(s);
	read_next(s);
}

static void round_free(struct search *s)
{
	for (size_t i = 0; i < s->round.count; i++) {
		find_builder_free(&s->round.items[i].builder);
		vectors_free(&s->round.items[i].vectors);
		table_free(&s->round.items[i].page);
	}
	s->round.count = 0;
}

/* A document of the round was deleted meanwhile. Each one is then read alone, and the missing one
 * is left out. */
static void on_missing(struct search *s)
{
	bool alone = s->round.count == 1;
	size_t doc = s->round.items[0].doc;

	s->single_before = s->round.items[s->round.count - 1].doc + 1;
	round_free(s);
	if (alone) {
		remove_candidate(s, doc);
		s->single_before--;
	}
	read_next(s);
}

static void on_pages(void *owner, struct source_batch *batches, size_t count, const struct err *e)
{
	struct search *s = owner;
	size_t n = 0;

	s->query = NULL;
	if (e && e->code == ERR_NOT_FOUND) {
		on_missing(s);
		return;
	}
	if (e) {
		end(s, NULL, e);
		return;
	}
	for (size_t i = 0; i < s->round.count; i++)
		if (!s->round.items[i].is_complete) {
			s->round.items[i].page =
				n < count ? batches[n].table : table_new(TABLE_BYTES);
			n++;
		}
	run(s, WORK_ADD);
}

static void read_pages(struct search *s)
{
	struct source_statement list[SOURCE_STATEMENTS_MAX];
	size_t n = 0;

	arena_free(&s->round.arena);
	s->round.arena = arena_new(SEARCH_BYTES);
	for (size_t i = 0; i < s->round.count; i++)
		if (!s->round.items[i].is_complete)
			list[n++] = rows_of(s, s->docs[s->round.items[i].doc].table,
					    s->round.items[i].row, PAGE_ROWS,
					    s->round.items[i].vectors != NULL, s->round.arena);
	run_query(s, list, n, on_pages);
}

static void search_all(struct search *s)
{
	struct find_doc *docs = arena_alloc(s->arena, (s->count + 1) * sizeof(*docs));
	size_t chunks = 0;

	for (size_t i = 0; i < s->count; i++) {
		docs[i] = (struct find_doc){.uid = s->docs[i].uid,
					    .permission = s->docs[i].permission,
					    .segment = segment_of(s->docs[i].held),
					    .vectors = segment_vectors(s->docs[i].held)};
		chunks += find_segment_chunks(docs[i].segment);
	}
	s->index = (struct find_index){s->catalog->language, docs, s->count};
	if (chunks > FIND_LOOP_CHUNKS || s->vector.values) {
		run(s, WORK_SEARCH);
		return;
	}
	search_now(s);
	read_hits(s);
}

/* ---- the question's vector ---- */

static void on_vector(void *owner, const float *values, size_t dims, const struct err *e)
{
	struct search *s = owner;

	s->query = NULL;
	if (e)
		log_warn("uploads.vectors", "searching by words only: %s", e->text);
	else
		s->vector = (struct find_vector){
			s->model, values, dims,
			(double)s->tenant->all->options.embed_min_hundredths / 100};
	search_all(s);
}

static bool any_vectors(const struct search *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (segment_vectors(s->docs[i].held))
			return true;
	return false;
}

/* Embeds the question if a document has vectors to compare. Otherwise only words are searched. */
static void embed_question(struct search *s)
{
	const struct uploads *u = s->tenant->all;
	struct llm *llm = u->options.llm(u->options.owner);
	const char *current_model = embed_model(llm);

	if (!s->model || !current_model || strcmp(current_model, s->model) != 0 ||
	    !any_vectors(s)) {
		search_all(s);
		return;
	}
	s->query = embed_start(
		llm,
		&(struct embed_call){
			.texts = &s->text,
			.count = 1,
			.deadline_ms = clock_mono_ms() + EMBED_QUESTION_MS,
			.budget_owner =
				&(struct budget_owner){s->who->tenant, s->who->user,
						       catalog_role_of(s->catalog, s->who)}},
		s->arena, on_vector, s);
}

/* Makes vectors of the current model; NULL: it has none, or the memory limit is reached. */
static struct vectors *vectors_for(struct search *s, size_t doc)
{
	const struct candidate *d = &s->docs[doc];
	const char *model;
	size_t dims, bytes;

	if (!s->model || !document_vectors(d->profile, s->arena, &model, &dims) ||
	    strcmp(model, s->model) != 0)
		return NULL;
	bytes = d->passages * dims * sizeof(float);
	if (s->round.vector_bytes + bytes > (size_t)s->tenant->all->options.embed_bytes) {
		log_warn("uploads.vectors", "%s: %zu bytes of vectors exceed embed.max_bytes",
			 d->version, s->round.vector_bytes + bytes);
		return NULL;
	}
	return vectors_new(model, dims, d->passages);
}

static void begin_search(struct search *s)
{
	if (s->is_warm_up)
		end(s, NULL, NULL);
	else
		embed_question(s);
}

static void on_turn(void *owner)
{
	read_next(owner);
}

static bool is_full(const struct search *s)
{
	return s->is_warm_up &&
	       s->tenant->all->index_bytes >= (size_t)s->tenant->all->options.index_bytes;
}

static bool is_round_complete(const struct search *s)
{
	return s->round.count == SOURCE_STATEMENTS_MAX ||
	       (s->round.count == 1 && s->round.items[0].doc < s->single_before);
}

static bool hold_segment(struct search *s, struct candidate *doc)
{
	if (!doc->held) {
		doc->held = segment_find(s->tenant->all, doc->version, s->model);
		if (doc->held)
			s->round.vector_bytes += vectors_bytes(segment_vectors(doc->held));
	}
	return doc->held != NULL;
}

/* Holds segments that are in memory, and reads one round of the others. */
static void read_next(struct search *s)
{
	for (size_t i = s->at; i < s->count && !is_round_complete(s); i++) {
		if (hold_segment(s, &s->docs[i])) {
			s->at = s->round.count == 0 ? i + 1 : s->at;
			continue;
		}
		if (is_full(s))
			break;
		if (!acquire_turn(s))
			return;
		begin_segment(s, i);
	}
	if (s->round.count > 0) {
		read_pages(s);
		return;
	}
	release_turn(s);
	begin_search(s);
}

/* ---- passages ---- */

static const struct candidate *doc_of(const struct search *s, const struct find_hit *hit)
{
	return &s->docs[hit->doc - s->index.docs]; /* `index.docs` has the order of `docs` */
}

static struct passage passage_of(const struct search *s, const struct find_hit *hit,
				 const struct table *t, struct arena *a)
{
	const struct candidate *doc = doc_of(s, hit);

	return (struct passage){
		.document = arena_strdup(a, doc->name),
		.uid = arena_strdup(a, doc->uid),
		.version = arena_strdup(a, doc->version),
		.heading = arena_strdup(a, cell(t, 0, DOCUMENT_HEADING)),
		.text = str_of(arena_strdup(a, cell(t, 0, DOCUMENT_PASSAGE))),
		.start = (uint32_t)strtoul(cell(t, 0, DOCUMENT_START), NULL, 10),
	};
}

/* Joins two passages of one document if they overlap; false: they do not. */
static bool join(struct passage *into, const struct passage *p, struct arena *a)
{
	const struct passage *first = into->start <= p->start ? into : p;
	const struct passage *second = first == into ? p : into;
	size_t ahead = second->start - first->start;
	const char *text;

	if (strcmp(into->version, p->version) != 0 || ahead >= first->text.n)
		return false;
	if (ahead + second->text.n <= first->text.n) {
		*into = *first;
		return true;
	}
	text = arena_printf(a, "%.*s%s", (int)ahead, first->text.p, second->text.p);
	*into = *first;
	into->text = str_of(text);
	return true;
}

static size_t collect(const struct search *s, const struct source_batch *batches, struct arena *a,
		      struct passage *out)
{
	size_t n = 0;

	for (size_t i = 0; i < s->found.count; i++) {
		struct passage p;
		size_t k = 0;

		if (batches[i].table->row_count == 0)
			continue;
		p = passage_of(s, &s->found.hits[i], batches[i].table, a);
		while (k < n && !join(&out[k], &p, a))
			k++;
		if (k == n)
			out[n++] = p;
	}
	return n;
}

/* The permissions of the shown documents, each once. */
static const char *const *needs_of(const struct search *s, const struct passage *passages,
				   size_t count, struct arena *a)
{
	const char **needs = arena_alloc(a, (count + 1) * sizeof(*needs));
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		const struct listed_source *k = listing_source(s->listing, passages[i].uid);
		size_t at = 0;

		while (at < n && strcmp(needs[at], k->permission) != 0)
			at++;
		if (at == n)
			needs[n++] = arena_strdup(a, k->permission);
	}
	return needs;
}

static void end_found(struct search *s, const struct source_batch *batches)
{
	struct table *t = table_new(TABLE_BYTES);
	struct passage *passages = arena_alloc(t->arena, (s->found.count + 1) * sizeof(*passages));
	size_t n = collect(s, batches, t->arena, passages);
	const char **cells = arena_alloc(t->arena, (n + 1) * COLUMNS * sizeof(*cells));
	struct source_batch out = {.table = t, .passages = passages, .passage_count = n};

	for (size_t i = 0; i < n; i++) {
		cells[i * COLUMNS] = arena_printf(t->arena, "%zu", i + 1);
		cells[i * COLUMNS + 1] = passages[i].document;
		cells[i * COLUMNS + 2] = passages[i].heading;
		cells[i * COLUMNS + 3] = passages[i].text.p;
	}
	table_replace(t, column_names, column_types, COLUMNS, cells, n);
	out.needs = needs_of(s, passages, n, t->arena);
	end(s, &out, NULL);
}

static void on_hits(void *owner, struct source_batch *batches, size_t count, const struct err *e)
{
	struct search *s = owner;

	s->query = NULL;
	if (e)
		end(s, NULL, e);
	else
		end_found(s, batches);
	source_batches_free(batches, count);
}

static void read_hits(struct search *s)
{
	struct source_statement *list = arena_alloc(s->arena, (s->found.count + 1) * sizeof(*list));

	if (s->reach) {
		end(s, NULL, NULL);
		return;
	}
	for (size_t i = 0; i < s->found.count; i++)
		list[i] = rows_of(s, doc_of(s, &s->found.hits[i])->table, s->found.hits[i].chunk, 1,
				  false, s->arena);
	if (s->found.count > 0)
		run_query(s, list, s->found.count, on_hits);
	else
		end_found(s, NULL);
}

/* ---- beginning ---- */

static void on_begin(void *owner)
{
	struct search *s = owner;

	if (s->tenant)
		read_next(s);
	else
		read_hits(s);
}

/* `vectors`: also searches by vectors. */
static struct search *begin(struct uploads *u, const struct principal *who, const char *text,
			    const char *document_name, bool vectors)
{
	struct search *s = mem_alloc(sizeof(*s));

	*s = (struct search){.op = {.cancel = on_cancel},
			     .tenant = uploads_tenant(u, who->tenant),
			     .arena = arena_new(SEARCH_BYTES),
			     .who = principal_copy(who)};
	s->text = arena_strdup(s->arena, text);
	s->document_name = arena_strdup(s->arena, document_name);
	if (vectors)
		s->model = arena_strdup(s->arena, embed_model(u->options.llm(u->options.owner)));
	if (s->tenant) {
		s->catalog = catalog_ref(u->options.catalog(u->options.owner, who->tenant));
		choose_documents(s);
	}
	loop_defer(u->options.loop, &s->deferred, on_begin, s);
	return s;
}

struct op *search_warm(struct tenant_uploads *t)
{
	struct uploads *u = t->all;
	struct search *s = mem_alloc(sizeof(*s));

	*s = (struct search){.op = {.cancel = on_cancel},
			     .tenant = t,
			     .arena = arena_new(SEARCH_BYTES),
			     .is_warm_up = true};
	s->model = arena_strdup(s->arena, embed_model(u->options.llm(u->options.owner)));
	s->catalog = catalog_ref(u->options.catalog(u->options.owner, t->name));
	choose_documents(s);
	loop_defer(u->options.loop, &s->deferred, on_begin, s);
	return &s->op;
}

struct documents_source {
	struct source source; /* first */
	struct uploads *uploads;
};

static struct op *start(struct source *source, const struct source_call *call, source_cb cb,
			void *owner)
{
	struct documents_source *d = (struct documents_source *)source;
	struct arena *a = arena_new(SEARCH_BYTES);
	const struct arg *top = args_find(call->args, DOCUMENT_PARAM_TOP);
	const char *text = args_text(call->args, DOCUMENT_PARAM_QUESTION, a);
	struct search *s = begin(d->uploads, call->who, text ? text : "",
				 args_text(call->args, DOCUMENT_PARAM_DOCUMENT, a), true);

	s->top = top && top->count > 0 ? (size_t)top->values[0].number : FIND_SPREAD;
	if (s->top > DOCUMENT_PASSAGES_MAX)
		s->top = DOCUMENT_PASSAGES_MAX;
	s->cb = cb;
	s->owner = owner;
	arena_free(&a);
	return &s->op;
}

static void close_source(struct source *source)
{
	mem_free(source);
}

struct source *search_source_new(struct uploads *u)
{
	struct documents_source *d = mem_alloc(sizeof(*d));

	*d = (struct documents_source){
		.source = {.name = SOURCE_DOCUMENTS, .start = start, .close = close_source},
		.uploads = u};
	return &d->source;
}

struct op *uploads_reach(struct uploads *u, const struct principal *who, const char *text,
			 struct arena *a, uploads_reach_cb cb, void *owner)
{
	struct search *s = begin(u, who, text, NULL, false);

	s->reach = arena_alloc(a, sizeof(*s->reach));
	s->reach_cb = cb;
	s->owner = owner;
	return &s->op;
}
