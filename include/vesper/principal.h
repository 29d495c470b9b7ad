/* The caller. Made only from a verified token, never from a message or a model's output. */
#ifndef VESPER_PRINCIPAL_H
#define VESPER_PRINCIPAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/arena.h"

struct principal {
	const char *user; /* the token's sub, at most 200 characters */
	const char *tenant;
	const char *const *permissions;
	size_t permission_count;
	bool sorted;        /* the permissions are sorted by strcmp; principal_copy sorts many */
	int64_t expires_ms; /* Unix time of the token's exp */
	int64_t issued_ms;  /* Unix time of its iat; 0: none */
	/* SHA-256 (hexadecimal) of a personal access token. NULL: a token of the provider. */
	const char *token_hash;
	/* The personal access token may use its user's data sources. */
	bool token_uses_sources;
	const struct principal
		*copy; /* points to this struct only if it was made by principal_copy */
};

/* The only permission test of the program. NULL requires no permission and is always true. */
bool may(const struct principal *who, const char *permission);
/* True if `who` has all of these permissions, separated by one blank. NULL and "" require none. */
bool principal_has_all(const struct principal *who, const char *permissions, struct arena *scratch);

/* Held by users who may use at least one data source. It is granted with the first one and never by
 * a provider's token. */
#define PERMISSION_SOURCES "data:use"

/* Prefix of the permissions for single documents; a caller may have thousands. */
#define PERMISSION_DOCUMENT "doc:"

/* Permission to upload files. */
#define PERMISSION_UPLOAD "chat:upload"

/* Prefix of the permissions that packs share. */
#define PERMISSION_SHARED "chat:"

/* "read market data" for "chat:read_market_data"; a pack's "clinic:read" is unchanged. */
const char *permission_words(const char *permission, struct arena *a);

/* Deep copy on the heap, for owners that outlive the token (a connection, a turn). Copying a copy
 * returns a new reference to it, since a caller may have thousands of permissions. A copy must not
 * be changed. Any thread. */
struct principal *principal_copy(const struct principal *who);
void principal_free(struct principal **who);

bool principal_same_user(const struct principal *a,
			 const struct principal *b); /* compares tenant and user */

#endif
