/*
 * Receipts: a provable record of how an answer was made.
 *
 * A receipt's content (question, filters, calls with their SQL and result hashes, model, …) is
 * canonical JSON: members sorted by name, no blanks. The content is split into one piece per
 * member, including its punctuation, so that every byte belongs to exactly one piece. `leaves`
 * lists the hash of each piece. The content's hash is the hash of the leaves. The record's hash
 * covers tenant, number, the content's hash and the hash of the previous record.
 * So any changed byte is detected and located, and content can be deleted later while the chain
 * still verifies. A random salt in the content prevents guessing deleted content from its hash.
 * Pure.
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
/* The previous hash of a tenant's first record. */
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
	/* These are NULL after the content was deleted. */
	const char *content;
	const char *message_id;
	const char *session_id;
	const char *user;
	/* Of a record that was read: the answer in its message; NULL if it was deleted. */
	const char *answer;
};

/* Appends the JSON with the members of each object sorted by name. The text must be written by this
 * program: no blanks, no duplicate names. */
void receipt_canonical(struct buf *b, struct str json);

/* Makes an unchained record of this content (an object, see above): sets content, leaves and
 * content_hash. Adds to the content the format, a salt, and receipt_id, created_at, message_id,
 * session_id, user and tenant of *out, which are borrowed. */
void receipt_seal(struct str content, struct arena *a, struct receipt *out);

/* Chains the record after the one with `previous_hash`. `hash` gets the record's hash. */
void receipt_link(struct receipt *r, int64_t number, const char *previous_hash,
		  char hash[HASH_HEX_BYTES]);

/* A fault in a record. */
struct receipt_flaw {
	const char *field;  /* "content.calls", "leaves", "hash", … */
	int64_t from, to;   /* byte range in the content (or leaves); -1: not in a part */
	const char *detail; /* a sentence */
};

/* Returns true if the record is unchanged and follows the one with that number and hash. False:
 * *flaw describes what was changed; its texts are in the arena. */
bool receipt_check(const struct receipt *r, int64_t after_number, const char *after_hash,
		   struct arena *a, struct receipt_flaw *flaw);

#endif
