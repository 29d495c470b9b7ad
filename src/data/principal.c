/* The caller's identity, and the only function that tests permissions. */
#include "vesper/principal.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/mem.h"
#include "vesper/str.h"

#define SORTED_MIN 64 /* below this number, a linear search is as fast */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool may(const struct principal *who, const char *permission)
{
	if (!permission)
		return true;
	if (who->sorted)
		return bsearch(&permission, who->permissions, who->permission_count,
			       sizeof(permission), by_name) != NULL;
	for (size_t i = 0; i < who->permission_count; i++)
		if (strcmp(who->permissions[i], permission) == 0)
			return true;
	return false;
}

bool principal_has_all(const struct principal *who, const char *permissions, struct arena *scratch)
{
	struct str rest = str_of(permissions);
	struct str name;

	while (permissions && str_split(&rest, ' ', &name))
		if (name.n > 0 && !may(who, arena_strndup(scratch, name.p, name.n)))
			return false;
	return true;
}

const char *permission_words(const char *permission, struct arena *a)
{
	static const char shared[] = PERMISSION_SHARED;
	char *words;

	if (strncmp(permission, shared, sizeof(shared) - 1) != 0)
		return permission;
	words = arena_strdup(a, permission + sizeof(shared) - 1);
	for (char *c = words; *c; c++)
		if (*c == '_')
			*c = ' ';
	return words;
}

static size_t texts_bytes(const struct principal *who)
{
	size_t bytes = strlen(who->user) + 1 + strlen(who->tenant) + 1;

	if (who->token_hash)
		bytes += strlen(who->token_hash) + 1;
	for (size_t i = 0; i < who->permission_count; i++)
		bytes += strlen(who->permissions[i]) + 1;
	return bytes;
}

/* Copies the text to *at and moves *at to its end. */
static const char *copy_text(char **at, const char *text)
{
	size_t bytes = strlen(text) + 1;
	const char *copied = memcpy(*at, text, bytes);

	*at += bytes;
	return copied;
}

/* Sorted for binary search: a caller may have one permission for each of thousands of documents. */
static void sort(struct principal *who, const char **permissions)
{
	size_t i = 1;

	while (i < who->permission_count && strcmp(permissions[i - 1], permissions[i]) <= 0)
		i++;
	if (i < who->permission_count)
		qsort(permissions, who->permission_count, sizeof(*permissions), by_name);
	who->sorted = true;
}

/* Followed by the permissions and all texts. */
struct block {
	struct principal who; /* first */
	atomic_size_t refs;
};

/* Allocates one block, since each turn makes several copies. */
static struct principal *copy_new(const struct principal *who)
{
	size_t list_bytes = who->permission_count * sizeof(*who->permissions);
	struct block *b = mem_alloc(sizeof(*b) + list_bytes + texts_bytes(who));
	const char **permissions = (const char **)(b + 1);
	char *at = (char *)(b + 1) + list_bytes;
	struct principal *copy = &b->who;

	atomic_init(&b->refs, 1);
	*copy = *who;
	copy->copy = copy;
	copy->user = copy_text(&at, who->user);
	copy->tenant = copy_text(&at, who->tenant);
	for (size_t i = 0; i < who->permission_count; i++)
		permissions[i] = copy_text(&at, who->permissions[i]);
	if (who->token_hash)
		copy->token_hash = copy_text(&at, who->token_hash);
	copy->permissions = permissions;
	if (who->permission_count >= SORTED_MIN)
		sort(copy, permissions);
	return copy;
}

struct principal *principal_copy(const struct principal *who)
{
	struct block *b;

	if (who->copy != who)
		return copy_new(who);
	b = (struct block *)who;
	atomic_fetch_add(&b->refs, 1);
	return &b->who;
}

void principal_free(struct principal **who)
{
	struct block *b = (struct block *)*who;

	*who = NULL;
	if (b && atomic_fetch_sub(&b->refs, 1) == 1)
		mem_free(b);
}

bool principal_same_user(const struct principal *a, const struct principal *b)
{
	return strcmp(a->tenant, b->tenant) == 0 && strcmp(a->user, b->user) == 0;
}
