/* Read access to frames, and accounting of the memory of all frames. */
#include "vesper/frame.h"

#include <math.h>
#include <string.h>

#include "frame_int.h"
#include "vesper/mem.h"

static atomic_llong bytes_in_use;

int64_t frames_memory_bytes(void)
{
	return atomic_load(&bytes_in_use);
}

bool frames_reserve(int64_t bytes)
{
	if (atomic_fetch_add(&bytes_in_use, bytes) + bytes <= FRAMES_MEMORY_MAX)
		return true;
	atomic_fetch_sub(&bytes_in_use, bytes);
	return false;
}

void frames_release(int64_t bytes)
{
	atomic_fetch_sub(&bytes_in_use, bytes);
}

void frame_free(struct frame **f)
{
	struct arena *a = *f ? (*f)->arena : NULL;

	*f = NULL;
	arena_free(&a); /* its deferred callbacks return the memory */
}

const struct frame_column *frame_column(const struct frame *f, const char *name)
{
	for (size_t i = 0; i < f->column_count; i++)
		if (strcmp(f->columns[i].name, name) == 0)
			return &f->columns[i];
	return NULL;
}

bool frame_is_null(const struct frame_column *c, size_t row)
{
	return c->valid && !(c->valid[row / 64] >> (row % 64) & 1);
}

const char *frame_text(const struct frame_column *c, size_t row)
{
	return c->type != FRAME_TEXT || frame_is_null(c, row) ? NULL : c->words[c->v.code[row]];
}

static double power_of_ten(int n)
{
	double power = 1;

	while (n-- > 0)
		power *= 10;
	return power;
}

double frame_number(const struct frame_column *c, size_t row)
{
	if (frame_is_null(c, row))
		return NAN;
	switch (c->type) {
	case FRAME_INT:
	case FRAME_TIME:
		return (double)c->v.i[row];
	case FRAME_DECIMAL:
		return (double)c->v.i[row] / power_of_ten(c->scale);
	case FRAME_REAL:
		return c->v.r[row];
	case FRAME_DAY:
		return c->v.day[row];
	case FRAME_BOOL:
		return c->v.b[row];
	case FRAME_TEXT:
		break;
	}
	return NAN;
}

enum frame_type frame_type_of(enum column_type type)
{
	static const enum frame_type types[] = {
		[COLUMN_TEXT] = FRAME_TEXT,       [COLUMN_INT] = FRAME_INT,
		[COLUMN_DECIMAL] = FRAME_DECIMAL, [COLUMN_DATE] = FRAME_DAY,
		[COLUMN_DATETIME] = FRAME_TIME,   [COLUMN_BOOL] = FRAME_BOOL,
	};

	return types[type];
}
