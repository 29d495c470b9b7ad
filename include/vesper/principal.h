/* Who is asking. Made from a verified token only; never from a message or a model. */
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
	bool sorted;        /* the permissions, by strcmp: as a copy of many has them */
	int64_t expires_ms; /* Unix time of the token's exp */
	int64_t issued_ms;  /* and of its iat; 0: it has none */
	/* Of a personal access token: its SHA-256, hexadecimal. NULL: the identity provider's. */
	const char *token_hash;
	/* And it may use the data sources that its user may. */
	bool token_uses_sources;
};

/* The one permission question of the program. NULL asks for nothing and is always yes. */
bool may(const struct principal *who, const char *permission);
/* Every one of these permissions, one blank between them; NULL and "" are none. */
bool may_all(const struct principal *who, const char *permissions, struct arena *scratch);

/* Of who may use any data source; it is given with the first, and no token of a provider gives it.
 */
#define PERMISSION_SOURCES "data:use"

/* The area of the permissions of single documents, which a caller may have thousands of. */
#define PERMISSION_DOCUMENT "doc:"

/* To load files of one's own. */
#define PERMISSION_UPLOAD "chat:upload"

/* The area of the permissions that packs share. */
#define PERMISSION_SHARED "chat:"

/* "read market data" of "chat:read_market_data"; a pack's own ("clinic:read") as it is. */
const char *permission_words(const char *permission, struct arena *a);

/* Deep copy on the heap, for owners that outlive the token (a connection, a turn). */
struct principal *principal_copy(const struct principal *who);
void principal_free(struct principal **who);

bool principal_same_user(const struct principal *a,
			 const struct principal *b); /* tenant and user */

#endif
