/* State of loading names: the position in the round, and the job of the worker. */
#ifndef VESPER_NAMES_REFRESH_INT_H
#define VESPER_NAMES_REFRESH_INT_H

#include <stdatomic.h>

#include "names_int.h"
#include "vesper/loop.h"
#include "vesper/pool.h"
#include "vesper/source.h"
#include "vesper/sql.h"

/* One worker job: adds a page to the build, or turns the build into a lexicon. */
struct names_job {
	struct pool_job job; /* must be first */
	struct name_refresh *refresh;
	struct lexicon_build *build;
	struct table *page;   /* NULL: no more pages */
	size_t repeated_rows; /* leading rows that repeat the previous page */
	bool fits;
	const struct lexicon *lexicon;
	atomic_bool cancelled;
};

/* The state of loading from one source. */
struct names_source {
	size_t failures;  /* consecutive transient failures */
	bool has_missing; /* some names could not be loaded, but may be later */
};

/* The names loaded for one tenant. */
struct names_tenant {
	struct entity_index *index; /* NULL: not in use yet */
	char **watermarks;          /* by dimension: watermark of the loaded names */
	size_t watermark_count;
	bool is_incomplete; /* some names could not be loaded, but may be later */
	bool is_new;        /* a new index: load it before the next round */
};

struct name_refresh {
	const struct source_table *sources;
	const char *const *tenants;
	uint64_t interval_ms;
	struct names_tenant *tenant_states;
	size_t tenant, dimension; /* currently loaded */
	struct timer *timer;
	struct pool *pool;
	struct op *query;      /* the running query, or NULL */
	struct names_job *job; /* the running worker job, or NULL */
	struct lexicon_build *build;
	char *after; /* last value of the previous page, or NULL */
	/* rows with that value on the previous page, which the next page repeats */
	size_t repeated_rows;
	char *watermark;                    /* watermark of the current dimension, or NULL */
	struct names_source *source_states; /* by source, for this tenant and round */
	bool has_failed;                    /* a source failed for this tenant in this round */
	int64_t due_ms; /* clock_mono_ms of the next full round; earlier rounds are retries */
	void (*on_round)(void *owner);
	void *owner;
};

/* The index of the current tenant. */
static inline struct entity_index *names_book(const struct name_refresh *r)
{
	return r->tenant_states[r->tenant].index;
}

static inline const struct dimension_def *names_dimension(const struct name_refresh *r)
{
	return &names_book(r)->catalog->dimensions[r->dimension];
}

static inline const char *names_tenant(const struct name_refresh *r)
{
	return r->tenants[r->tenant];
}

/* The source of the current dimension. Never NULL, since dimensions without a source are skipped.
 */
static inline struct source *names_source_of(const struct name_refresh *r)
{
	return source_find(r->sources, names_dimension(r)->source);
}

/* Starts loading the current dimension. It ends with one of the next two calls. */
void names_load(struct name_refresh *r);
void names_load_done(struct name_refresh *r);
void names_load_failed(struct name_refresh *r, const struct err *e);
/* Cancels the running query and job. */
void names_load_cancel(struct name_refresh *r);

#endif
