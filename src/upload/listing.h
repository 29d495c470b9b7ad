/*
 * What a tenant has: its sources in the order of their ids, each with its versions. A listing is
 * never changed; the one after a change shares all with the one before but the blocks that the
 * change is in, so that a change costs as much in ten thousand documents as in ten. Loop thread
 * only, but for reading what is held.
 */
#ifndef VESPER_UPLOAD_LISTING_H
#define VESPER_UPLOAD_LISTING_H

#include "vesper/arena.h"
#include "vesper/store_sources.h"

struct known_source {
	size_t uses;
	unsigned parts; /* a bit for each enum listing_part that it is in */
	const struct stored_source *row;
	const char *permission;
	const struct stored_version *versions; /* by number */
	size_t version_count;
	const struct stored_version *newest;  /* NULL: no file came yet */
	const struct stored_version *current; /* in use; or NULL */
};

enum listing_part {
	LISTING_ALL,
	LISTING_TABLES,
	LISTING_UNSETTLED, /* deleted, or with a version that is not in use */
	LISTING_DATED,     /* their owners have set a day that they go */
	LISTING_PARTS
};

struct listing_sums {
	struct stored_tally rows;
	size_t parts[LISTING_PARTS]; /* sources in each */
	size_t under_way;            /* versions that are received, read or loaded */
	int64_t bytes;               /* of files that did not fail */
	int64_t passages;            /* of documents in use */
};

struct listing;

/* `before` (NULL: nothing) with the rows that were read since. */
struct listing *listing_update(const struct listing *before, const struct stored_sources *found);
/* Without that version; NULL: without the source. */
struct listing *listing_without(const struct listing *before, const char *source,
				const char *version);
struct listing *listing_hold(struct listing *l);
void listing_release(struct listing **l);

const struct listing_sums *listing_sums(const struct listing *l); /* NULL: zeroed ones */
/* NULL: there is none. */
const struct known_source *listing_source(const struct listing *l, const char *uid);
const struct stored_version *listing_version(const struct listing *l, const char *source,
					     const char *version);

/* Of one part, in order; zeroed at first. NULL: that was the last. Skips blocks without any. */
struct listing_at {
	size_t leaf, item;
};
const struct known_source *listing_next(const struct listing *l, enum listing_part part,
					struct listing_at *at);

/* Each source that is not as it was: `was` or `is` is NULL where there is none. Either listing may
 * be NULL. */
void listing_compare(const struct listing *before, const struct listing *now,
		     void (*cb)(void *owner, const struct known_source *was,
				const struct known_source *is),
		     void *owner);

/* Blocks that `now` does not share with `before`: what a change has cost. */
size_t listing_new_blocks(const struct listing *before, const struct listing *now);

#endif
