/* Who is asking, and the one function that every permission question goes through. */
#include "vesper/principal.h"

#include <string.h>

#include "vesper/mem.h"
#include "vesper/str.h"

bool may(const struct principal *who, const char *permission)
{
	if (!permission)
		return true;
	for (size_t i = 0; i < who->permission_count; i++)
		if (strcmp(who->permissions[i], permission) == 0)
			return true;
	return false;
}

bool may_all(const struct principal *who, const char *permissions, struct arena *scratch)
{
	struct str rest = str_of(permissions);
	struct str one;

	while (permissions && str_split(&rest, ' ', &one))
		if (one.n > 0 && !may(who, arena_strndup(scratch, one.p, one.n)))
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

struct principal *principal_copy(const struct principal *who)
{
	struct principal *copy = mem_alloc(sizeof(*copy));
	const char **permissions = mem_alloc(who->permission_count * sizeof(*permissions));
	for (size_t i = 0; i < who->permission_count; i++)
		permissions[i] = mem_strdup(who->permissions[i]);
	*copy = *who;
	copy->user = mem_strdup(who->user);
	copy->tenant = mem_strdup(who->tenant);
	copy->permissions = permissions;
	return copy;
}

void principal_free(struct principal **who)
{
	struct principal *p = *who;
	if (!p)
		return;
	for (size_t i = 0; i < p->permission_count; i++)
		mem_free((char *)p->permissions[i]);
	mem_free((void *)p->permissions);
	mem_free((char *)p->user);
	mem_free((char *)p->tenant);
	mem_free(p);
	*who = NULL;
}

bool principal_same_user(const struct principal *a, const struct principal *b)
{
	return strcmp(a->tenant, b->tenant) == 0 && strcmp(a->user, b->user) == 0;
}
