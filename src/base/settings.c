/* Reference counting of settings. */
#include "vesper/settings.h"

#include <assert.h>
#include <string.h>

void *settings_new(struct arena *take, size_t bytes)
{
	struct settings *s = arena_alloc(take, bytes);

	assert(bytes >= sizeof(*s));
	s->refs = 1;
	s->arena = take;
	return s;
}

/* Settings are const outside this file; changing the reference count is not visible to readers. */
void *settings_ref(const void *settings)
{
	struct settings *s = (void *)settings;

	s->refs++;
	return s;
}

void settings_release(const void *settings)
{
	struct settings *s = (void *)settings;
	struct arena *arena;

	if (!s || --s->refs > 0)
		return;
	assert(s->refs == 0);
	arena = s->arena; /* contains s */
	arena_free(&arena);
}

void settings_replace(void *place, const void *settings)
{
	const void *old, *now = settings ? settings_ref(settings) : NULL;

	memcpy(&old, place, sizeof(old)); /* a pointer to the settings struct of any folder */
	memcpy(place, &now, sizeof(now));
	settings_release(old);
}
