/*
 * Inside of uploads:
 *
 *   sources  -> what a tenant's rows say, who may use it
 *   overlay  -> the same as a part of the tenant's catalogue
 *   spool    -> a file that comes
 *   load     -> from the spool into a table
 *   sweep    -> what is to go: dead loads, versions that retired, sources that were deleted
 */
#ifndef VESPER_UPLOAD_INT_H
#define VESPER_UPLOAD_INT_H

#include "vesper/upload.h"

#include "listing.h"
#include "read/shape.h"
#include "vesper/hashmap.h"
#include "vesper/limits.h"
#include "vesper/list.h"
#include "vesper/pool.h"
#include "vesper/sql_upload.h"

#include <stdatomic.h>

#define RECENT_LOADS 16384 /* begun lately, of a tenant; more are forgotten */

struct load;
struct sweep;

/* Who waits until the rows have been read again, or can be asked. Zeroed: nobody. */
struct look_wait {
	struct list node;
	int looks; /* that have to end: one under way may have begun too early */
	void (*cb)(void *owner);
	void *owner;
};

struct tenant_uploads {
	struct uploads *all;
	const char *name;
	const char *file; /* of the tables; NULL on a server */
	/* as they were read last */
	struct listing *listing; /* NULL: not yet; held by searches, which may end after it */
	struct {
		struct arena *arena;
		const struct stored_join *items;
		size_t count;
	} joins;
	struct grants *grants; /* of callers who came lately */
	char *stamp;           /* of the store then; NULL: not read yet */
	bool known;
	struct {
		struct arena *arena; /* of the rows that are being read; or NULL */
		bool whole;          /* all of them are */
		int64_t whole_ms;    /* when they were last */
	} next;
	struct op *op;
	struct op *warm;     /* makes what documents are found by, after the start */
	struct op *beat;     /* tells other replicas that a load here lives */
	bool again;          /* something changed meanwhile */
	bool stale;          /* something changed here since they were read */
	struct list looking; /* struct look_wait */
	struct look_wait first;
	/* the overlay */
	char *shown;         /* what the newest one is made of */
	char *in_use;        /* and the one that questions are read with; NULL: none is */
	struct list showing; /* struct look_wait, of overlay_then */
	uint64_t overlays;
	bool making;
	struct load *load;     /* runs now; or NULL */
	struct sweep *sweep;   /* the same */
	struct list receiving; /* struct upload */
	struct list waiting;   /* struct waiting_load */
	struct hashmap runs;   /* struct load_run */
	struct {
		struct {
			uint64_t user; /* a hash */
			int64_t at_ms;
			enum source_kind kind;
		} * items; /* RECENT_LOADS of them; NULL: none was begun */
		size_t at;
	} recent;
};

struct uploads {
	struct uploads_options options;
	enum dialect dialect;
	struct pool *spooling, *loading, *finding;
	struct tenant_uploads *tenants;
	struct rounds *refresh;
	bool alone, ending;
	size_t unknown; /* tenants whose rows were not looked for yet */
	void (*started)(void *owner);
	void *started_owner;
	/* documents */
	struct source *documents, *own;
	size_t vector_bytes;
	struct list segments; /* struct held_segment; the one that was asked last at the end */
	struct hashmap by_version;
	size_t index_bytes;
	struct search *making; /* that reads tables just now; or NULL */
	struct list wanting;   /* struct search: those that wait for their turn to */
};

/* ---- grants.c ---- */

struct grants *grants_new(struct tenant_uploads *t);
void grants_free(struct grants **g);
/* What callers were given is no longer all that they have. */
void grants_changed(struct grants *g, const struct known_source *was,
		    const struct known_source *is);
/* "doc:" */
const char *uploads_permission_prefix(enum source_kind kind);

/* ---- sources.c ---- */

struct tenant_uploads *uploads_tenant(const struct uploads *u, const char *tenant);
const struct stored_source *uploads_source(const struct tenant_uploads *t, const char *uid);
const struct stored_version *uploads_version(const struct tenant_uploads *t, const char *source,
					     const char *version);
bool version_is_under_way(const struct stored_version *v);
/* Its rows are gone, and those that are in memory say so before they are read again. Version NULL:
 * those of the source. */
void uploads_forget(struct tenant_uploads *t, const char *source, const char *version);
const char *uploads_permission(const struct stored_source *s, struct arena *a);
bool uploads_may_use(const struct tenant_uploads *t, const struct stored_source *s,
		     const struct principal *who, struct arena *a);
/* The rows have changed. */
void uploads_look(struct tenant_uploads *t);
/* The same, and tells when they are read, be it in vain. Not called where the process ends. */
void uploads_look_then(struct tenant_uploads *t, struct look_wait *w, void (*cb)(void *owner),
		       void *owner);
void uploads_look_forget(struct look_wait *w);
const struct language *uploads_language(const struct tenant_uploads *t);
const char *uploads_spool(const struct uploads *u, const char *version, struct arena *a);

/* ---- overlay.c ---- */

/* A source's name as questions have it: "hotel bookings". */
const char *overlay_label(const struct stored_source *s, struct arena *a);
/* What tells it from others of its name: label, owner, rows and the day of the last change. */
const char *overlay_told(const struct language *l, const char *label, const char *owner,
			 int64_t rows, const char *updated_at, struct arena *a);
/* From the rows of now, where they differ from those that it shows. */
void overlay_update(struct tenant_uploads *t);
/* Tells when nothing is left to be made of the rows of now. Not called where the process ends. */
void overlay_then(struct tenant_uploads *t, struct look_wait *w, void (*cb)(void *owner),
		  void *owner);
/* Of a source: the version that can be asked, or NULL. A new one is stored before it is. */
const struct stored_version *overlay_version(const struct tenant_uploads *t,
					     const struct known_source *k);

/* ---- naming.c; `l`: of the tenant's catalogue, labels as the file has them ---- */

/* What its rows are called, as texts: "order", "bookings". */
json_t *naming_rows(const struct language *l, const char *name, const json_t *columns,
		    struct arena *a);
/* The last word of a label of several, where no other column has it; or NULL. */
const char *naming_head(const struct language *l, const char *label, const json_t *columns,
			struct arena *a);
enum naming_sum { NAMING_SUM, NAMING_MEAN, NAMING_NEITHER };
/* What makes sense of a number that is called so. */
enum naming_sum naming_sums(const struct language *l, const char *label, struct arena *a);

/* ---- meaning.c ---- */

/* The columns of a profile become what their owner calls them and uses them for. */
void meaning_use(json_t *profile, const char *meaning, struct arena *a);
/* Of such a column of numbers. */
enum naming_sum meaning_sums(const struct language *l, const json_t *column, struct arena *a);

/* ---- joins.c ---- */

/* A source that can be asked. */
struct joined {
	const char *uid, *entity;
	const json_t *columns; /* of its profile */
	int64_t rows;
};
bool join_is_unique(const json_t *column, int64_t rows);
/* "1:n": each value stands once on the left, and often on the right. "n:m": is no join. */
const char *join_cardinality(const json_t *left, int64_t left_rows, const json_t *right,
			     int64_t right_rows);
/* Further keys of an entity that joins lead to, and the edges. */
json_t *joins_also(const struct tenant_uploads *t, const struct joined *one);
json_t *joins_edges(const struct tenant_uploads *t, const struct joined *list, size_t count,
		    struct arena *a);

/* ---- load.c ---- */

/* The log of a new run of the source's load, for its owner. */
struct stream_log *load_log(struct tenant_uploads *t, const char *source, const char *user);
/* Closes it. */
void load_said_failed(struct stream_log *log, const char *code, const char *text, size_t line);
/* A version whose file is in the spool. Takes the log. */
void load_queue(struct tenant_uploads *t, const char *source, const char *version,
		struct stream_log **log_take);
/* Begins the oldest one that waits, unless one runs. */
void load_next(struct tenant_uploads *t);
/* One that another replica was given the answer for, and whose file is here. */
void load_adopt(struct tenant_uploads *t, const struct stored_version *v);
/* Waits or runs here. */
bool load_is_here(const struct tenant_uploads *t, const char *version);
void load_cancel(struct tenant_uploads *t); /* it ends as a failed one */
void loads_end(struct tenant_uploads *t);   /* with the process; no job runs any more */

/* ---- load_table.c: what a load does on a worker and with the database ---- */

/* What makes rows of a file. Both run on a worker; false: the load's err says why. */
struct load_kind {
	const char *prefix;              /* of its tables' names */
	bool (*open)(struct load *l);    /* on the loop: the table is there */
	bool (*next)(struct load *l);    /* the next block; count 0: there are no more */
	void (*read)(struct load *l);    /* what the file is */
	void (*profile)(struct load *l); /* profile_text, after the last row */
	/* On the loop, after a block was read; calls `then`. NULL: nothing is to be done. */
	void (*complete)(struct load *l, void (*then)(struct load *l));
};
extern const struct load_kind load_of_table, load_of_document;

struct load {
	struct pool_job job; /* first */
	const struct load_kind *kind;
	struct tenant_uploads *tenant;
	char source[UUID_BYTES], version[UUID_BYTES], user[201];
	char holder[UUID_BYTES]; /* this run of it, among replicas */
	struct stream_log *log;
	struct arena *arena;
	atomic_bool cancelled;
	struct op *op;
	void (*run)(struct load *l);  /* on a worker */
	void (*then)(struct load *l); /* on the loop, without an error */
	/* of the file */
	struct shape_options options;
	struct shape shape;
	const char *answers; /* JSON, or NULL */
	struct fault fault;
	struct err err;
	/* of the table */
	struct upload_table table;
	const char
		*inserts[UPLOAD_INSERTS]; /* by the binary logarithm of their rows; NULL: later */
	struct {
		const char *texts[UPLOAD_INDEXES_MAX];
		size_t count, done;
	} indexes;
	struct shape_reader *reader;
	struct profile *profile;
	struct document *document; /* of a document, or NULL */
	struct shape_rows block;
	struct {
		struct source_statement *items;
		size_t count;
	} statements; /* of the block, in its arena */
	int64_t rows, bytes;
	const char *profile_text;
	struct look_wait look; /* at its end */
};

/* A job; then `then`, or the load fails. */
void load_run(struct load *l, void (*run)(struct load *l), void (*then)(struct load *l));
void load_fail(struct load *l);
/* The first column whose question nobody has answered; NULL: there is none. */
const struct shape_column *load_asks(const struct load *l);
void load_make_table(struct load *l); /* on the loop; goes on to load_finish */
void load_finish(struct load *l);     /* load.c: all rows are there */

/* ---- document_load.c ---- */

#define DOCUMENT_HEADING "heading"
#define DOCUMENT_START   "start_at" /* the passage's first byte in the document's text */
#define DOCUMENT_PASSAGE "passage"
#define DOCUMENT_VECTOR  "vector" /* of heading and passage, as vectors_text has it */

/* Of a version's profile: what its passages' vectors are made with, in the arena. False: it has
 * none. */
bool document_vectors(const char *profile, struct arena *a, const char **model, size_t *dims);
/* On the loop, between the block's read and its statements: its passages get their vectors, then
 * `then`. Without a model, or after a failure, at once. */
void document_embed(struct load *l, void (*then)(struct load *l));

struct document;
void document_free(struct document **d);

/* ---- segments.c ---- */

struct held_segment;
const struct find_segment *segment_of(const struct held_segment *h);
const struct vectors *segment_vectors(const struct held_segment *h); /* NULL: none */
/* Held until it is released. `model`: of the vectors that are wanted; NULL: none are. NULL: it is
 * not in memory, or was made for another model. */
struct held_segment *segment_find(struct uploads *u, const char *version, const char *model);
/* `vectors` may be NULL: it has none of this model. */
struct held_segment *segment_add(const struct tenant_uploads *t, const char *source,
				 const char *version, const char *model, struct find_segment *take,
				 struct vectors *vectors_take);
void segment_release(struct held_segment **h);
/* After some were released: what is beyond the index's bytes goes. */
void segments_make_room(struct uploads *u);
/* What is no longer in use of a source that has changed goes. */
void segments_changed(struct uploads *u, const struct known_source *was,
		      const struct known_source *is);
void segments_free(struct uploads *u);

/* ---- search.c ---- */

struct source *search_source_new(struct uploads *u);
/* Makes what is searched of a tenant, so that its first question need not wait for it. Not to be
 * called twice. */
struct op *search_warm(struct tenant_uploads *t);

/* ---- discover.c ---- */

struct source *discover_source_new(struct uploads *u);

/* ---- sweep.c ---- */

void sweep_next(struct tenant_uploads *t);
void sweep_free(struct sweep **s);

/* ---- spool.c ---- */

/* Its file is on this replica's disk. */
bool spool_has(const struct tenant_uploads *t, const char *version);
bool spool_is_receiving(const struct tenant_uploads *t, const char *version);
void spool_end(struct tenant_uploads *t); /* with the process; no job runs any more */

/* ---- profile.c ---- */

struct profile;
struct profile *profile_new(const struct shape *s);
void profile_free(struct profile **p);
void profile_misfit(void *profile, size_t column, size_t line);
/* Of a row's values. */
void profile_row(struct profile *p, const struct value *values);
/* Once, after the last row. Text in the arena. */
const char *profile_json(struct profile *p, struct arena *a);
/* An index of a SQLite table that holds what is summed of each value of a column. */
struct upload_cover {
	size_t column, sums[UPLOAD_SUMS_MAX], sum_count;
};
/* Those that a table of these columns has, in the order of the columns; returns how many. */
size_t profile_covers(const json_t *columns, int64_t rows,
		      struct upload_cover out[UPLOAD_COVERS_MAX]);
/* The column of that name; or NULL. Borrowed. */
json_t *profile_column(const json_t *columns, const char *name);

#endif
