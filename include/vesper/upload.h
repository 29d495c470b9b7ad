/*
 * Data sources: files that users bring. A file is received into a spool, read, typed, loaded into a
 * table of the source `uploads`, profiled, and added to what its tenant may ask about. A document
 * is a source whose rows are its passages. Who may use a source is a permission, source:<uid> or
 * doc:<uid>, which this part adds to the token's.
 *
 * What is listed is of the tenant's rows in the store, read again when they change. One load a
 * tenant runs at a time; those that are received meanwhile wait. A version is in use whole or not
 * at all; the one before serves until then. Loop thread only.
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
	struct source *reader; /* reads them */
	struct stream_hub *streams;
	const char *spool_dir;
	const struct db_tenant *tenants; /* borrowed */
	size_t tenant_count;
	bool alone; /* no other process loads for these tenants: what nobody here runs is dead */
	int64_t turn_ms;      /* a turn that began with a version may read it for so long */
	int64_t retention_ms; /* what nobody changed for so long is deleted; 0: nothing is */
	int64_t max_bytes;
	int64_t index_bytes; /* of documents in memory; beyond it the oldest are made anew */
	int64_t embed_bytes; /* of their vectors beside it */
	int64_t embed_least; /* struct find_vector, in hundredths */
	struct llm *(*llm)(void *owner); /* of now; NULL, or one that makes no vectors: none are */
	/* Makes the overlay the tenant's; `done` as of daemon_use_overlay. */
	void (*use)(void *owner, const struct catalog_overlay *o,
		    void (*done)(void *owner, const struct err *e), void *done_owner);
	struct catalog *(*catalog)(void *owner, const char *tenant); /* of now */
	void *owner;
};

/* Makes the folder of the spool. Serves nobody before uploads_start. */
MUST_CHECK bool uploads_new(const struct uploads_options *options, struct uploads **out,
			    struct err *e);
/* `alone`: no other process loads for these tenants, so that what nobody here runs is dead. `then`
 * once the rows of each tenant were read, be it in vain: from then on files are taken. */
void uploads_start(struct uploads *u, bool alone, void (*then)(void *owner), void *owner);
/* What runs is cancelled, and goes on as interrupted at the next start. */
void uploads_free(struct uploads **u);

/* The caller with the permissions that sources give. Free with principal_free. */
struct principal *uploads_principal(const struct uploads *u, const struct principal *who);

/* ---- what there is ---- */

struct upload_view {
	const struct stored_source *source;
	const struct stored_version *current; /* NULL: none is ready */
	const struct stored_version *newest;  /* NULL: no file came yet */
	bool is_owner;
};
/* Those that the caller may use; `all` (administrators): all of the tenant. In the arena, texts
 * until the next turn of the loop. */
size_t uploads_list(const struct uploads *u, const struct principal *who, bool all, struct arena *a,
		    const struct upload_view **out);
/* One of them; false: none that the caller may use. */
bool uploads_find(const struct uploads *u, const struct principal *who, const char *uid,
		  struct upload_view *out);
/* Of a load that runs: bytes read and rows loaded. False: it does not run here. */
bool uploads_progress(const struct uploads *u, const char *tenant, const char *version,
		      int64_t *bytes, int64_t *rows);

/* The id of the log of the newest load that this process ran of the source; NULL: none. */
const char *uploads_run(const struct uploads *u, const char *tenant, const char *source);

typedef void (*uploads_rows_cb)(void *owner, struct table *take, const struct err *e);
/* The first rows of what is in use. ERR_NOT_FOUND: nothing is. */
MUST_CHECK bool uploads_rows(struct uploads *u, const char *tenant, const struct upload_view *v,
			     size_t limit, uploads_rows_cb cb, void *owner, struct op **out,
			     struct err *e);

/* ---- documents ---- */

/* What tools of documents search: passages that the caller may read, best first. It lives as long
 * as the uploads, and every search must have ended by then. */
struct source *uploads_documents(const struct uploads *u);
/* What tools of data sources ask: which there are for the caller, what they hold, how good they are
 * and which columns of two have values in common. Lives as those of documents. */
struct source *uploads_own(const struct uploads *u);
/* How far the caller's documents reach; in the arena. An error reaches nothing. */
typedef void (*uploads_reach_cb)(void *owner, const struct find_reach *reach);
struct op *uploads_reach(struct uploads *u, const struct principal *who, const char *text,
			 struct arena *a, uploads_reach_cb cb, void *owner);

/* ---- changes; of the owner's sources alone, as the caller has looked ---- */

struct op *uploads_edit(struct uploads *u, const char *tenant, const char *uid,
			const struct source_edit *edit, store_done_cb cb, void *owner);
/* What `meaning` of an edit is to be, from what it is and a patch of it (RFC 7396) by the names of
 * columns. Text in the arena; ERR_INPUT, ERR_LIMIT. */
MUST_CHECK bool uploads_meaning_edit(const struct upload_view *v, const json_t *patch,
				     struct arena *a, const char **out, struct err *e);
/* What columns are called and used for, by code and as its owner says; NULL: nothing is in use. */
json_t *uploads_meaning(const struct uploads *u, const char *tenant, const struct upload_view *v);

struct upload_join {
	const char *to;
	const char *column, *other_column;
	const char *cardinality; /* that is expected: "n:1"; NULL: whatever it is */
};
/* Whether its owner may state these. ERR_INPUT says why not. */
MUST_CHECK bool uploads_joins_check(const struct uploads *u, const struct principal *who,
				    const struct upload_view *v, const struct upload_join *list,
				    size_t count, struct err *e);
/* Those with sources that the caller may use, as an array. */
json_t *uploads_joins(const struct uploads *u, const struct principal *who,
		      const struct upload_view *v);

/* When it is deleted if nobody changes it, in wall time; false: it stays. */
bool uploads_expires(const struct uploads *u, const struct stored_source *s, int64_t *wall_ms);
/* Nobody may use it from now on; its data goes in the background. */
struct op *uploads_delete(struct uploads *u, const char *tenant, const char *uid, store_done_cb cb,
			  void *owner);
struct upload_answer {
	const char *tenant, *source;
	const char *ask_id, *value;
};
/* How a column is to be read, as its `ask` offers it. ERR_BUSY: nothing is asked. */
MUST_CHECK bool uploads_answer(struct uploads *u, const struct upload_answer *answer,
			       store_done_cb cb, void *owner, struct op **out, struct err *e);

/* ---- a file that comes ---- */

struct upload_file {
	const struct principal *who;
	enum source_kind kind;
	const char *source; /* that it is a new version of; NULL: a new one, with these: */
	const char *name, *description;
	const char *format; /* "csv", "tsv", "jsonl"; of a document "text", "html" */
	char delimiter;     /* '\0': by the content */
	const char *header; /* "yes", "no"; NULL: by the content */
};

struct upload;
/* Refused at once: ERR_LIMIT (so many wait), ERR_INPUT. `wake` is called when bytes may come, and
 * after an error; the first time once the rows are stored. */
MUST_CHECK bool upload_begin(struct uploads *u, const struct upload_file *file,
			     void (*wake)(void *owner), void *owner, struct upload **out,
			     struct err *e);
/* False: not now, `wake` tells when. */
bool upload_is_ready(const struct upload *up);
/* Why nothing more is taken; NULL: nothing is wrong. */
const struct err *upload_error(const struct upload *up);
/* At most BODY_BLOCK_BYTES, copied; only when it is ready. */
void upload_take(struct upload *up, const char *bytes, size_t len);
/* All of it came; `wake` when it is safe on the disk and queued for its load. */
void upload_end(struct upload *up);
bool upload_is_done(const struct upload *up);
const char *upload_source(const struct upload *up);
const char *upload_version(const struct upload *up);
/* Of one that is not done: what came is given up. */
void upload_free(struct upload **up);

#endif
