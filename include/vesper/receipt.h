/*
 * Receipts: how an answer came about, written down so that it can be proved later.
 *
 * A receipt has content (question, filters, calls with their SQL and result hashes, model, …) as
 * canonical JSON: members in the order of their names, no blanks. The content is cut into one piece
 * a member, with the punctuation around it, so that every byte belongs to exactly one piece.
 * `leaves` lists the hash of each piece; the content's hash is that of the leaves, and the record's
 * hash covers tenant, number, the content's hash and the hash of the record before it. So a changed
 * byte anywhere is found and its place named, and content can be taken away later while everything
 * that was chained still verifies. A random salt in the content keeps what is gone from being
 * guessed by its hash. Pure.
 */
#ifndef VESPER_RECEIPT_H
#define VESPER_RECEIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/arena.h"
#include "vesper/hash.h"
#include "vesper/str.h"

#define RECEIPT_FORMAT "vesper-receipt/1"
/* The hash before the first record of a tenant. */
#define RECEIPT_GENESIS "0000000000000000000000000000000000000000000000000000000000000000"

struct receipt {
	const char *tenant;
	int64_t number; /* 1, 2, 3, … within the tenant */
	const char *receipt_id;
	const char *created_at;
	const char *leaves;
	const char *content_hash;
	const char *previous_hash;
	const char *hash;
	/* NULL once the content was deleted */
	const char *content;
	const char *message_id;
	const char *session_id;
	const char *user;
	/* of a record that was read: the answer as it stands in its message, NULL when it is gone
	 */
	const char *answer;
};

/* The same JSON with the members of each object in the order of their names. The text is one that
 * the program wrote: without blanks, and no name twice. */
void receipt_canonical(struct buf *b, struct str json);

/* Makes a record of this content (an object, as above), not chained yet: sets content, leaves and
 * content_hash. The content gets format, salt, and receipt_id, created_at, message_id, session_id,
 * user and tenant of *out, which are borrowed. */
void receipt_seal(struct str content, struct arena *a, struct receipt *out);

/* Puts it behind the record with this hash. `hash` is the record's own. */
void receipt_link(struct receipt *r, int64_t number, const char *previous_hash,
		  char hash[HASH_HEX_BYTES]);

/* What is wrong with a record. */
struct receipt_flaw {
	const char *field;  /* "content.calls", "leaves", "hash", … */
	int64_t from, to;   /* the bytes of the content (or leaves) that hold it; -1: no part */
	const char *detail; /* a sentence */
};

/* Whether this record is untouched and follows the one with that number and hash. False: *flaw says
 * what was changed; its texts are in the arena. */
bool receipt_check(const struct receipt *r, int64_t after_number, const char *after_hash,
		   struct arena *a, struct receipt_flaw *flaw);

#endif
