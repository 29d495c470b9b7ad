/* The limits of one transfer, as a pure function: finds the running limit that expires next. */
#include <stddef.h>

#include "http_int.h"

const char *limits_next(const struct limits *l, uint64_t *due_ms, int64_t *limit_ms)
{
	const struct {
		const char *name;
		bool is_running;
		uint64_t from_ms;
		int64_t ms;
	} all[] = {
		{"total time", true, l->started_ms, l->total_ms},
		{"first byte", !l->got_byte, l->started_ms, l->first_byte_ms},
		{"idle", l->got_byte && !l->is_suspended, l->last_ms, l->idle_ms},
	};
	const char *name = NULL;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		uint64_t due = all[i].from_ms + (uint64_t)all[i].ms;

		if (!all[i].is_running || all[i].ms <= 0 || (name && due >= *due_ms))
			continue;
		name = all[i].name;
		*due_ms = due;
		*limit_ms = all[i].ms;
	}
	return name;
}
