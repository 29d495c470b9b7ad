/* Holding and letting go of settings. */
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

/* Settings are const to all but this file: holding them changes nothing that anybody reads. */
void *settings_hold(const void *settings)
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
	arena = s->arena; /* s lies in it */
	arena_free(&arena);
}

void settings_use(void *place, const void *settings)
{
	const void *old, *now = settings ? settings_hold(settings) : NULL;

	memcpy(&old, place, sizeof(old)); /* a pointer to settings of whatever folder */
	memcpy(place, &now, sizeof(now));
	settings_release(old);
}
