/* The reading of names: where in the round it is, and what a worker has in hand. */
#ifndef VESPER_NAMES_REFRESH_INT_H
#define VESPER_NAMES_REFRESH_INT_H

#include <stdatomic.h>

#include "names_int.h"
#include "vesper/loop.h"
#include "vesper/pool.h"
#include "vesper/source.h"
#include "vesper/sql.h"

/* One step on the worker: a page into the build, or the build into a lexicon. */
struct names_job {
	struct pool_job job; /* first */
	struct name_refresh *refresh;
	struct lexicon_build *build;
	struct table *page; /* NULL: there is no more */
	size_t again;       /* rows at its beginning that the page before had */
	bool fits;
	const struct lexicon *made;
	atomic_bool cancelled;
};

/* How the reading from one source went. */
struct names_source {
	size_t failures; /* one after the other, that may pass */
	bool missing;    /* any of these: names could not be loaded, and may be later */
};

/* What is known of one tenant's names, and where. */
struct names_tenant {
	struct name_book *book; /* NULL: none is used yet */
	char **marks;           /* watermarks of what is known, by dimension */
	size_t mark_count;
	bool incomplete; /* names could not be loaded, and may be later */
	bool is_new;     /* the book: it is read before the next round is due */
};

struct name_refresh {
	const struct source_table *sources;
	const char *const *tenants;
	uint64_t interval_ms;
	struct names_tenant *of_tenant;
	size_t tenant, dimension; /* what is being read */
	struct timer *timer;
	struct pool *pool;
	struct op *query;      /* what runs now, or NULL */
	struct names_job *job; /* the same on the worker */
	struct lexicon_build *build;
	char *after;                    /* last value of the page before, or NULL */
	size_t again;                   /* rows of it at that page's end that come once more */
	char *mark;                     /* watermark of what is being read, or NULL */
	struct names_source *of_source; /* one for each, of this tenant in this round */
	bool failed;                    /* any of this tenant, in this round */
	int64_t due_ms; /* clock_mono_ms of the next round of all tenants; before: a retry */
	void (*on_round)(void *owner);
	void *owner;
};

/* The book of the tenant at hand. */
static inline struct name_book *names_book(const struct name_refresh *r)
{
	return r->of_tenant[r->tenant].book;
}

static inline const struct dimension_def *names_dimension(const struct name_refresh *r)
{
	return &names_book(r)->catalog->dimensions[r->dimension];
}

static inline const char *names_tenant(const struct name_refresh *r)
{
	return r->tenants[r->tenant];
}

/* The dimension's; there is one, or it is not read at all. */
static inline struct source *names_source_of(const struct name_refresh *r)
{
	return source_find(r->sources, names_dimension(r)->source);
}

/* Begins to read the dimension that it is at; then one of these is called. */
void names_read(struct name_refresh *r);
void names_read_done(struct name_refresh *r);
void names_read_failed(struct name_refresh *r, const struct err *e);
/* Nothing of it goes on. */
void names_read_stop(struct name_refresh *r);

#endif
