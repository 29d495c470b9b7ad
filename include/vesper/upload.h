/*
 * Data sources: files that users upload. A file is received into a spool, parsed, typed, loaded
 * into a table of the source `uploads`, profiled, and added to the tenant's catalogue. A document
 * is a source whose rows are its passages. Using a source requires a permission, source:<uid> or
 * doc:<uid>, which this folder adds to those of the token.
 *
 * Lists are made from the tenant's rows in the store, which are read again when they change. Each
 * tenant has at most one running load; further files wait. A version is put into use as a whole or
 * not at all; until then the previous one is used. Loop thread only.
 */
#ifndef VESPER_UPLOAD_H
#define VESPER_UPLOAD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/arena.h"
#include "vesper/catalog.h"
#include "vesper/clock.h"
#include "vesper/db.h"
#include "vesper/err.h"
#include "vesper/find.h"
#include "vesper/llm.h"
#include "vesper/loop.h"
#include "vesper/op.h"
#include "vesper/overlay.h"
#include "vesper/principal.h"
#include "vesper/store_sources.h"
#include "vesper/stream.h"
#include "vesper/uuid.h"

#define SOURCE_UPLOADS "uploads" /* the named source with the tables */

struct uploads;

struct uploads_options {
	struct loop *loop;
	struct store *store;
	struct db *loader;     /* writes the tables */
	struct source *reader; /* reads the tables */
	struct stream_hub *streams;
	const char *spool_dir;
	const struct db_tenant *tenants; /* borrowed */
	size_t tenant_count;
	bool exclusive;                  /* ignored: see the parameter of uploads_start */
	int64_t turn_ms;                 /* how long a turn may read the version it began with */
	int64_t retention_ms;            /* sources unchanged for this long are deleted; 0: never */
	int64_t max_bytes, tenant_bytes; /* of one file; of all files of a tenant */
	int64_t index_bytes; /* limit of document indexes in memory; above, the least recently used
				are evicted, and rebuilt on use */
	int64_t embed_bytes; /* limit of their vectors, in addition */
	int64_t embed_min_hundredths;    /* see struct find_vector, in hundredths */
	struct llm *(*llm)(void *owner); /* the current model; NULL, or a model without embeddings:
					    no vectors */
	/* Sets the tenant's overlay; `done` as in daemon_use_overlay. */
	void (*use)(void *owner, const struct catalog_overlay *o,
		    void (*done)(void *owner, const struct err *e), void *done_owner);
	struct catalog *(*catalog)(void *owner, const char *tenant); /* the current one */
	void *owner;
};

/* Creates the spool folder. Not usable before uploads_start. */
MUST_CHECK bool uploads_new(const struct uploads_options *options, struct uploads **out,
			    struct err *e);
/* `is_exclusive`: no other process loads for these tenants, so a load not running here is dead.
 * `then` is called after the rows of each tenant were read, or could not be read; from then on
 * files are accepted. */
void uploads_start(struct uploads *u, bool is_exclusive, void (*then)(void *owner), void *owner);
/* Cancels running loads; they are treated as interrupted at the next start. */
void uploads_free(struct uploads **u);

/* A copy of the principal, with the permissions for sources added. Free with principal_free. */
struct principal *uploads_principal(const struct uploads *u, const struct principal *who);

/* ---- lists ---- */

struct upload_view {
	const struct stored_source *source;
	const struct stored_version *current; /* NULL: none is ready */
	const struct stored_version *newest;  /* NULL: no file yet */
	bool is_owner;
};
/* The sources that the caller may use; `all` (for administrators): all of the tenant. In the arena;
 * texts are borrowed until the next iteration of the loop. */
size_t uploads_list(const struct uploads *u, const struct principal *who, bool all, struct arena *a,
		    const struct upload_view **out);
/* Finds a source that the caller may use. False: not permitted, or it does not exist. */
bool uploads_find(const struct uploads *u, const struct principal *who, const char *uid,
		  struct upload_view *out);
/* Progress of a running load: bytes read and rows loaded. False: it is not running here. */
bool uploads_progress(const struct uploads *u, const char *tenant, const char *version,
		      int64_t *bytes, int64_t *rows);

/* The log ID of this process's newest load of the source; NULL: none. */
const char *uploads_newest_load(const struct uploads *u, const char *tenant, const char *source);

typedef void (*uploads_rows_cb)(void *owner, struct table *take, const struct err *e);
/* Reads the first rows of the version in use. ERR_NOT_FOUND: none is in use. */
MUST_CHECK bool uploads_rows(struct uploads *u, const char *tenant, const struct upload_view *v,
			     size_t limit, uploads_rows_cb cb, void *owner, struct op **out,
			     struct err *e);

/* ---- documents ---- */

/* The source of document tools: it finds passages that the caller may read, best first. Borrowed
 * from the uploads; every search must have ended before they are freed. */
struct source *uploads_documents(const struct uploads *u);
/* The source of tools for data sources: it lists the caller's sources, their contents and quality,
 * and columns of two sources with common values. Borrowed as uploads_documents. */
struct source *uploads_discovery_source(const struct uploads *u);
/* Gets the reach of the caller's documents for a text; in the arena. On error the reach is
 * empty. */
typedef void (*uploads_reach_cb)(void *owner, const struct find_reach *reach);
struct op *uploads_reach(struct uploads *u, const struct principal *who, const char *text,
			 struct arena *a, uploads_reach_cb cb, void *owner);

/* ---- changes; the caller of these functions has checked that the user owns the source ---- */

struct op *uploads_edit(struct uploads *u, const char *tenant, const char *uid,
			const struct source_edit *edit, store_done_cb cb, void *owner);
/* Computes `meaning` of an edit: the current value with a patch (RFC 7396) by column name. Text in
 * the arena. ERR_INPUT: an invalid patch. ERR_LIMIT: the result is too long. */
MUST_CHECK bool uploads_meaning_edit(const struct upload_view *v, const json_t *patch,
				     struct arena *a, const char **out, struct err *e);
/* Names and uses of columns, as found by code and as described by the owner; NULL: no version is in
 * use. */
json_t *uploads_meaning(const struct uploads *u, const char *tenant, const struct upload_view *v);

struct upload_join {
	const char *to;
	const char *column, *other_column;
	const char *cardinality; /* the expected one: "n:1"; NULL: any */
};
/* Checks that the owner may declare these joins. ERR_INPUT: the reason why not. */
MUST_CHECK bool uploads_joins_check(const struct uploads *u, const struct principal *who,
				    const struct upload_view *v, const struct upload_join *list,
				    size_t count, struct err *e);
/* The joins with sources that the caller may use, as an array. */
json_t *uploads_joins(const struct uploads *u, const struct principal *who,
		      const struct upload_view *v);

/* The wall time at which the source is deleted if it stays unchanged; false: never. */
bool uploads_expires(const struct uploads *u, const struct stored_source *s, int64_t *wall_ms);
/* Marks the source as deleted: it cannot be used any more, and its data is deleted in the
 * background. */
struct op *uploads_delete(struct uploads *u, const char *tenant, const char *uid, store_done_cb cb,
			  void *owner);
struct upload_answer {
	const char *tenant, *source;
	const char *ask_id, *value;
};
/* Answers a version's `ask`: how to parse a column. ERR_BUSY: no question is pending, or another
 * one. ERR_INPUT: the value is not one of its options. */
MUST_CHECK bool uploads_answer(struct uploads *u, const struct upload_answer *answer,
			       store_done_cb cb, void *owner, struct op **out, struct err *e);

/* ---- receiving a file ---- */

struct upload_file {
	const struct principal *who;
	enum source_kind kind;
	const char *source; /* source that gets a new version; NULL: a new source with: */
	const char *name, *description;
	const char *format; /* "csv", "tsv", "jsonl"; for a document "text", "html" */
	char delimiter;     /* '\0': detect */
	const char *header; /* "yes", "no"; NULL: detect */
};

struct upload;
/* Starts to receive a file. ERR_UPSTREAM: the tenant's rows were not read yet. ERR_BUSY: a file of
 * this source is being loaded. ERR_LIMIT: too many are waiting, or the user loaded too many in the
 * last hour. ERR_QUOTA: the tenant's data has reached its limit. `wake` is called when bytes can be
 * accepted, first after its rows are stored, and after an error. */
MUST_CHECK bool upload_begin(struct uploads *u, const struct upload_file *file,
			     void (*wake)(void *owner), void *owner, struct upload **out,
			     struct err *e);
/* False: not yet; `wake` will be called. */
bool upload_is_ready(const struct upload *up);
/* The error that stopped the upload; NULL: none. */
const struct err *upload_error(const struct upload *up);
/* Adds at most BODY_BLOCK_BYTES, which are copied. Call it only when the upload is ready. */
void upload_take(struct upload *up, const char *bytes, size_t len);
/* Ends the file; `wake` is called when it is durable on disk and its load is queued, or after an
 * error. */
void upload_end(struct upload *up);
bool upload_is_done(const struct upload *up);
const char *upload_source(const struct upload *up);
const char *upload_version(const struct upload *up);
/* Before upload_end or after an error, the file is discarded. Otherwise it is still loaded. */
void upload_free(struct upload **up);

#endif
