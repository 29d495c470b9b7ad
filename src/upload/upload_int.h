/*
 * Internal header of uploads:
 *
 *   sources  -> reads a tenant's rows, decides who may use a source
 *   overlay  -> makes the part of the tenant's catalogue that shows them
 *   spool    -> receives a file
 *   load     -> loads a file from the spool into a table
 *   sweep    -> deletes dead loads, retired versions and deleted sources
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

#define RECENT_LOADS 16384 /* loads remembered per tenant; the oldest is overwritten */

struct load;
struct sweep;

/* A callback that waits until the rows are read again, or their overlay is in use. Zeroed: not
 * waiting. */
struct refresh_wait {
	struct list node;
	int reads_left; /* reads that must end first; a running one may have started too early */
	void (*cb)(void *owner);
	void *owner;
};

struct tenant_uploads {
	struct uploads *all;
	const char *name;
	const char *file; /* database file of the tables; NULL on a server */
	/* as of the last read */
	struct listing *listing; /* NULL: not read yet; searches hold references to it */
	struct {
		struct arena *arena;
		const struct stored_join *items;
		size_t count;
	} joins;
	struct grants *grants; /* cache of callers' permissions */
	char *stamp;           /* of the store at that read; NULL: unknown */
	bool is_read;
	struct {
		struct arena *arena;  /* of the rows being read; or NULL */
		bool is_full;         /* all rows are read, not only changed ones */
		int64_t full_read_ms; /* time of the last such read */
	} next;
	struct op *op;
	struct op *warm;           /* builds the index of documents after the start */
	struct op *heartbeat;      /* heartbeat of a file received or loaded here */
	bool read_again;           /* a read was requested while `op` ran */
	bool stale;                /* rows changed here since the last read started */
	struct list refresh_waits; /* struct refresh_wait */
	struct refresh_wait first;
	/* the overlay */
	char *newest_state;        /* the state that the newest overlay is made from */
	char *active_state;        /* the state that questions are read with; NULL: none */
	struct list overlay_waits; /* struct refresh_wait of overlay_then */
	uint64_t overlays;
	bool is_building;      /* an overlay is being built */
	struct load *load;     /* the running one; or NULL */
	struct sweep *sweep;   /* the running one; or NULL */
	struct list receiving; /* struct upload */
	struct list waiting;   /* struct waiting_load */
	struct hashmap runs;   /* struct load_run */
	struct {
		struct {
			uint64_t user; /* hash */
			int64_t at_ms;
			enum source_kind kind;
		} * items; /* RECENT_LOADS of them; NULL: no load so far */
		size_t at;
	} recent;
};

struct uploads {
	struct uploads_options options;
	enum dialect dialect;
	struct pool *spooling, *loading, *finding;
	struct tenant_uploads *tenants;
	struct rounds *refresh;
	bool is_exclusive, ending;
	size_t unread_count; /* tenants whose first read has not ended */
	void (*started)(void *owner);
	void *started_owner;
	/* documents */
	struct source *documents, *discovery;
	size_t vector_bytes;
	struct list segments; /* struct held_segment, least recently used first */
	struct hashmap by_version;
	size_t index_bytes;
	struct search *active_search; /* the search that reads tables now; or NULL */
	struct list waiting_searches; /* struct search: those waiting for their turn to read */
};

/* ---- grants.c ---- */

struct grants *grants_new(struct tenant_uploads *t);
void grants_free(struct grants **g);
/* Drops the cached permissions of callers who gained or lost the use of a source. */
void grants_changed(struct grants *g, const struct listed_source *old,
		    const struct listed_source *updated);
/* "doc:" */
const char *uploads_permission_prefix(enum source_kind kind);

/* ---- sources.c ---- */

struct tenant_uploads *uploads_tenant(const struct uploads *u, const char *tenant);
const struct stored_source *uploads_source(const struct tenant_uploads *t, const char *uid);
const struct stored_version *uploads_version(const struct tenant_uploads *t, const char *source,
					     const char *version);
bool version_is_in_progress(const struct stored_version *v);
/* Removes a version whose rows were deleted from the listing, without another read. Version NULL:
 * removes the source. */
void uploads_remove_listed(struct tenant_uploads *t, const char *source, const char *version);
const char *uploads_permission(const struct stored_source *s, struct arena *a);
bool uploads_may_use(const struct tenant_uploads *t, const struct stored_source *s,
		     const struct principal *who, struct arena *a);
/* Reads the rows again after a change. */
void uploads_refresh(struct tenant_uploads *t);
/* The same, and calls `cb` when the read has ended, even if it failed. Not called at shutdown. */
void uploads_refresh_then(struct tenant_uploads *t, struct refresh_wait *w, void (*cb)(void *owner),
			  void *owner);
void refresh_wait_cancel(struct refresh_wait *w);
const struct language *uploads_language(const struct tenant_uploads *t);
const char *uploads_spool(const struct uploads *u, const char *version, struct arena *a);

/* ---- overlay.c ---- */

/* A source's name as used in questions: "hotel bookings". */
const char *overlay_label(const struct stored_source *s, struct arena *a);
/* Tells sources of the same name apart: label, owner, rows and the day of the last change. */
const char *overlay_description(const struct language *l, const char *label, const char *owner,
				int64_t rows, const char *updated_at, struct arena *a);
/* Makes a new overlay if the rows differ from those of the newest one. */
void overlay_update(struct tenant_uploads *t);
/* Calls `cb` once no overlay is being made. Not called at shutdown. */
void overlay_then(struct tenant_uploads *t, struct refresh_wait *w, void (*cb)(void *owner),
		  void *owner);
/* The version of a source that questions use, or NULL. A new version is stored before its overlay
 * is in use. */
const struct stored_version *overlay_version(const struct tenant_uploads *t,
					     const struct listed_source *k);

/* ---- naming.c; `l`: language of the tenant's catalogue; labels as in the file ---- */

/* Names of its rows, as an array of texts: "order", "bookings". */
json_t *naming_rows(const struct language *l, const char *name, const json_t *columns,
		    struct arena *a);
/* The last word of a label of several words, if no other column's label has it; or NULL. */
const char *naming_head(const struct language *l, const char *label, const json_t *columns,
			struct arena *a);
enum naming_aggregate { NAMING_SUM, NAMING_MEAN, NAMING_NONE };
/* The aggregate that suits a number with this label. */
enum naming_aggregate naming_choose_aggregate(const struct language *l, const char *label,
					      struct arena *a);

/* ---- meaning.c ---- */

/* Applies the owner's descriptions of columns to a profile. */
void meaning_apply(json_t *profile, const char *meaning, struct arena *a);
/* The same as naming_choose_aggregate, for a column of numbers with its descriptions applied. */
enum naming_aggregate meaning_choose_aggregate(const struct language *l, const json_t *column,
					       struct arena *a);

/* ---- joins.c ---- */

/* A source that is in use. */
struct joined_source {
	const char *uid, *entity;
	const json_t *columns; /* of its profile */
	int64_t rows;
};
bool join_is_unique(const json_t *column, int64_t rows);
/* "1:n": each value is unique on the left, but not on the right. "n:m": not usable as a join. */
const char *join_cardinality(const json_t *left, int64_t left_rows, const json_t *right,
			     int64_t right_rows);
/* The further keys of an entity that joins refer to, and the edges. */
json_t *joins_members(const struct tenant_uploads *t, const struct joined_source *one);
json_t *joins_edges(const struct tenant_uploads *t, const struct joined_source *list, size_t count,
		    struct arena *a);

/* ---- load.c ---- */

/* Opens the event log of a new run of the source's load, for its owner. */
struct stream_log *load_log(struct tenant_uploads *t, const char *source, const char *user);
/* Emits the error, which closes the log. */
void load_log_failure(struct stream_log *log, const char *code, const char *text, size_t line);
/* Queues a version whose file is in the spool. Takes ownership of the log. */
void load_queue(struct tenant_uploads *t, const char *source, const char *version,
		struct stream_log **log_take);
/* Starts the oldest waiting load that is ready, unless one runs. */
void load_next(struct tenant_uploads *t);
/* Queues a version whose answer arrived at another replica, while its file is here. */
void load_adopt(struct tenant_uploads *t, const struct stored_version *v);
/* The version waits or runs here. */
bool load_is_local(const struct tenant_uploads *t, const char *version);
void load_cancel(struct tenant_uploads *t); /* it ends as failed */
void loads_end(struct tenant_uploads *t);   /* at shutdown, when no job runs */

/* ---- load_table.c: the work of a load on a worker and in the database ---- */

/* How a kind of file becomes rows. `read`, `next` and `profile` run on a worker. On failure they
 * set the load's err. */
struct load_kind {
	const char *prefix;              /* of its tables' names */
	bool (*open)(struct load *l);    /* on the loop, after the table was made */
	bool (*next)(struct load *l);    /* reads the next block; count 0: no more rows */
	void (*read)(struct load *l);    /* finds out the file's columns */
	void (*profile)(struct load *l); /* sets profile_text, after the last row */
	/* On the loop, after a block was read; calls `then`. NULL: not needed. */
	void (*complete)(struct load *l, void (*then)(struct load *l));
};
extern const struct load_kind table_load_kind, document_load_kind;

struct load {
	struct pool_job job; /* first */
	const struct load_kind *kind;
	struct tenant_uploads *tenant;
	char source[UUID_BYTES], version[UUID_BYTES], user[201];
	char holder[UUID_BYTES]; /* identifies this run among replicas */
	struct stream_log *log;
	struct arena *arena;
	atomic_bool cancelled;
	struct op *op;
	void (*run)(struct load *l);  /* on a worker */
	void (*then)(struct load *l); /* on the loop, after `run` */
	/* of the file */
	struct shape_options options;
	struct shape shape;
	const char *answers; /* JSON, or NULL */
	struct fault fault;
	struct err err;
	/* of the table */
	struct upload_table table;
	const char *inserts[UPLOAD_INSERTS]; /* by log2 of their rows; NULL: not made yet */
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
	} statements; /* of the block; in its arena */
	int64_t rows, bytes;
	const char *profile_text;
	struct refresh_wait refresh; /* for the new version to come into use */
};

/* Runs `run` as a job, then `then`. On an error the load fails instead. */
void load_run(struct load *l, void (*run)(struct load *l), void (*then)(struct load *l));
void load_fail(struct load *l);
/* The first column with an unanswered question; NULL: none. */
const struct shape_column *load_open_question(const struct load *l);
void load_make_table(struct load *l); /* on the loop; continues to load_finish */
void load_finish(struct load *l);     /* load.c: after all rows are written */

/* ---- document_load.c ---- */

#define DOCUMENT_HEADING "heading"
#define DOCUMENT_START   "start_at" /* offset of the passage in the document's text, in bytes */
#define DOCUMENT_PASSAGE "passage"
#define DOCUMENT_VECTOR  "vector" /* of heading and passage, in the format of vectors_text */

/* Gets the model and length of a version's vectors from its profile, in the arena. False: it has
 * none. */
bool document_vectors(const char *profile, struct arena *a, const char **model, size_t *dims);
/* Loop thread only, after a block was read and before its statements are made: computes the vectors
 * of its passages, then calls `then`. Without a model or on failure the passages get none. */
void document_embed(struct load *l, void (*then)(struct load *l));

struct document;
void document_free(struct document **d);

/* ---- segments.c ---- */

struct held_segment;
const struct find_segment *segment_of(const struct held_segment *h);
const struct vectors *segment_vectors(const struct held_segment *h); /* NULL: none */
/* Finds a segment and holds it until it is released. `model`: the model of the required vectors;
 * NULL: no vectors are required. Returns NULL if it is not in memory or was made for another model.
 */
struct held_segment *segment_find(struct uploads *u, const char *version, const char *model);
/* `vectors` may be NULL: none of this model exist. Takes ownership of both. */
struct held_segment *segment_add(const struct tenant_uploads *t, const char *source,
				 const char *version, const char *model, struct find_segment *take,
				 struct vectors *vectors_take);
void segment_release(struct held_segment **h);
/* Evicts segments beyond the memory limits; called after segments were released. */
void segments_evict(struct uploads *u);
/* Removes segments of versions that a changed source no longer uses. */
void segments_changed(struct uploads *u, const struct listed_source *old,
		      const struct listed_source *updated);
void segments_free(struct uploads *u);

/* ---- search.c ---- */

struct source *search_source_new(struct uploads *u);
/* Builds the index of a tenant's documents, so that the first question need not wait. Call it
 * once. */
struct op *search_warm(struct tenant_uploads *t);

/* ---- discover.c ---- */

struct source *discover_source_new(struct uploads *u);

/* ---- sweep.c ---- */

void sweep_next(struct tenant_uploads *t);
void sweep_free(struct sweep **s);

/* ---- spool.c ---- */

/* The version's file is on this replica's disk. */
bool spool_has(const struct tenant_uploads *t, const char *version);
bool spool_is_receiving(const struct tenant_uploads *t, const char *version);
void spool_end(struct tenant_uploads *t); /* at shutdown, when no job runs */

/* ---- profile.c ---- */

struct profile;
struct profile *profile_new(const struct shape *s);
void profile_free(struct profile **p);
void profile_add_mismatch(void *profile, size_t column, size_t line);
/* Adds the values of a row. */
void profile_row(struct profile *p, const struct value *values);
/* Call it once, after the last row. Text in the arena. */
const char *profile_json(struct profile *p, struct arena *a);
/* A covering index of a SQLite table: a column and the columns that are summed for it. */
struct upload_cover {
	size_t column, sums[UPLOAD_SUMS_MAX], sum_count;
};
/* The covering indexes of a table with these columns, in the order of the columns; returns how
 * many. */
size_t profile_covers(const json_t *columns, int64_t rows,
		      struct upload_cover out[UPLOAD_COVERING_INDEXES_MAX]);
/* The column with this name; or NULL. Borrowed. */
json_t *profile_column(const json_t *columns, const char *name);

#endif
