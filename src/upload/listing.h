/*
 * The data sources of a tenant, sorted by ID, each with its versions. A listing is immutable. A
 * new one shares all blocks that did not change with the previous one. So the cost of a change
 * hardly depends on the number of sources. Loop thread only, except for reading a held listing.
 */
#ifndef VESPER_UPLOAD_LISTING_H
#define VESPER_UPLOAD_LISTING_H

#include "vesper/arena.h"
#include "vesper/store_sources.h"

struct listed_source {
	size_t ref_count;
	unsigned parts; /* one bit per enum listing_part that contains it */
	const struct stored_source *row;
	const char *permission;
	const struct stored_version *versions; /* sorted by number */
	size_t version_count;
	const struct stored_version *newest;  /* NULL: no file was received yet */
	const struct stored_version *current; /* the version in use; or NULL */
};

enum listing_part {
	LISTING_ALL,
	LISTING_TABLES,
	LISTING_INCOMPLETE, /* deleted, or a version is not ready */
	LISTING_EXPIRING,   /* the owner has set an expiry */
	LISTING_PARTS
};

struct listing_sums {
	struct stored_tally rows;
	size_t parts[LISTING_PARTS]; /* number of sources in each */
	size_t in_progress_count;    /* versions being received, read or loaded */
	int64_t bytes;               /* of files whose version did not fail */
	int64_t passages;            /* of documents in use */
};

struct listing;

/* Returns `before` (NULL: empty) with the rows that were read since applied. */
struct listing *listing_update(const struct listing *before, const struct stored_sources *found);
/* A listing of exactly the rows that were read; unchanged sources are shared with `before`. */
struct listing *listing_reread(const struct listing *before, const struct stored_sources *found);
/* Returns `before` without that version; `version` NULL: without the source. */
struct listing *listing_without(const struct listing *before, const char *source,
				const char *version);
struct listing *listing_hold(struct listing *l);
void listing_release(struct listing **l);

const struct listing_sums *listing_sums(const struct listing *l); /* NULL: zeroed sums */
/* NULL: does not exist. */
const struct listed_source *listing_source(const struct listing *l, const char *uid);
const struct stored_version *listing_version(const struct listing *l, const char *source,
					     const char *version);

/* Iterates over one part, in order; start with a zeroed position. NULL: the end. Skips blocks with
 * no source of the part. */
struct listing_at {
	size_t leaf, item;
};
const struct listed_source *listing_next(const struct listing *l, enum listing_part part,
					 struct listing_at *at);

/* Calls `cb` for each source that differs; `old` or `updated` is NULL if it does not exist. Either
 * listing may be NULL. */
void listing_compare(const struct listing *before, const struct listing *now,
		     void (*cb)(void *owner, const struct listed_source *old,
				const struct listed_source *updated),
		     void *owner);

/* Number of blocks that `now` does not share with `before`: the cost of a change. */
size_t listing_new_blocks(const struct listing *before, const struct listing *now);

#endif
