/*
 * Builds a frame. Columns grow on the heap and are handed to the finished frame. Rows that are not
 * kept are not parsed. When the frame is full, every second kept row is dropped.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frame_int.h"
#include "vesper/clock.h"
#include "vesper/decimal.h"
#include "vesper/frame.h"
#include "vesper/hashmap.h"
#include "vesper/mem.h"

#define FIRST_ROWS 64
#define WORD_BYTES 96 /* per dictionary word, besides its text */
#define TIME_BYTES 19 /* 2025-01-31 09:00:00 */

struct word {
	struct hashmap_node node; /* must be the first member */
	uint32_t code;
};

struct column_builder {
	const char *name;
	enum frame_type type;
	void *values; /* array of value_bytes() each */
	uint64_t *valid;
	struct hashmap codes; /* for FRAME_TEXT */
	const char **words;
	size_t word_count, word_cap;
};

struct frame_builder {
	struct arena *arena;
	struct frame *frame; /* allocated in arena */
	struct column_builder *columns;
	size_t column_count;
	size_t rows_max, rows_cap; /* maximum of kept rows, and current capacity */
	size_t rows;
	int64_t total, step, invalid_cell_count;
	int64_t bytes; /* reserved with frames_reserve */
	int64_t needed_bytes;
};

/* ---- memory ---- */

static size_t value_bytes(enum frame_type type)
{
	switch (type) {
	case FRAME_BOOL:
		return sizeof(uint8_t);
	case FRAME_DAY:
		return sizeof(int32_t);
	case FRAME_TEXT:
		return sizeof(uint32_t);
	case FRAME_INT:
	case FRAME_DECIMAL:
	case FRAME_TIME:
	case FRAME_REAL:
		break;
	}
	return sizeof(int64_t);
}

static size_t bit_words(size_t rows)
{
	return (rows + 63) / 64;
}

/* Memory for this many rows. */
static int64_t bytes_of(const struct frame_builder *b, size_t rows)
{
	size_t bytes = 0;

	for (size_t i = 0; i < b->column_count; i++)
		bytes +=
			rows * value_bytes(b->columns[i].type) + bit_words(rows) * sizeof(uint64_t);
	return (int64_t)bytes;
}

/* Grows the columns to this many rows. */
static void grow(struct frame_builder *b, size_t rows)
{
	for (size_t i = 0; i < b->column_count; i++) {
		struct column_builder *c = &b->columns[i];
		size_t value_size = value_bytes(c->type);
		void *values = mem_alloc(rows * value_size);
		uint64_t *valid = mem_alloc(bit_words(rows) * sizeof(*valid));

		if (b->rows_cap > 0) {
			memcpy(values, c->values, b->rows * value_size);
			memcpy(valid, c->valid, bit_words(b->rows) * sizeof(*valid));
		}
		mem_free(c->values);
		mem_free(c->valid);
		c->values = values;
		c->valid = valid;
	}
	b->rows_cap = rows;
}

/* Resources freed with the frame's arena. */
struct frame_resources {
	struct column_builder *columns;
	size_t count;
	int64_t bytes;
};

static void columns_free(struct column_builder *columns, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		mem_free(columns[i].values);
		mem_free(columns[i].valid);
		hashmap_deinit(&columns[i].codes);
	}
}

static void frame_resources_free(void *object)
{
	struct frame_resources *h = object;

	columns_free(h->columns, h->count);
	frames_release(h->bytes);
}

/* ---- lifecycle ---- */

struct frame_builder *frame_builder_new(const char *name, const struct frame_declared *columns,
					size_t count, size_t rows_max)
{
	struct arena *a = arena_new(FRAME_MEMORY_MAX);
	struct frame_builder *b = mem_alloc(sizeof(*b));
	size_t by_cells = count > 0 ? FRAME_CELLS_MAX / count : rows_max;

	b->arena = a;
	b->frame = arena_alloc(a, sizeof(*b->frame));
	b->frame->arena = a;
	b->frame->name = arena_strdup(a, name);
	b->columns = arena_alloc(a, (count + 1) * sizeof(*b->columns));
	b->column_count = count;
	b->rows_max = rows_max < by_cells ? rows_max : by_cells;
	b->step = 1;
	for (size_t i = 0; i < count; i++) {
		b->columns[i].name = arena_strdup(a, columns[i].name);
		b->columns[i].type = columns[i].type;
		hashmap_init(&b->columns[i].codes);
	}
	grow(b, FIRST_ROWS);
	b->needed_bytes = bytes_of(b, FIRST_ROWS);
	return b;
}

void frame_builder_free(struct frame_builder **build)
{
	struct frame_builder *b = *build;

	if (!b)
		return;
	*build = NULL;
	columns_free(b->columns, b->column_count);
	frames_release(b->bytes);
	arena_free(&b->arena);
	mem_free(b);
}

/* ---- cells ---- */

static bool read_int(const char *text, int64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoll(text, &end, 10);
	return *text && !*end && errno == 0;
}

/* Parses an exact number with FRAME_DECIMAL_SCALE fractional digits. */
static bool read_decimal(const char *text, int64_t *out)
{
	struct decimal d;
	__int128 units;

	if (!decimal_parse(text, &d))
		return false;
	if (d.scale > FRAME_DECIMAL_SCALE)
		d = decimal_round(d, FRAME_DECIMAL_SCALE);
	units = d.units;
	for (int i = d.scale; i < FRAME_DECIMAL_SCALE; i++)
		if (__builtin_mul_overflow(units, 10, &units))
			return false;
	*out = (int64_t)units;
	return *out == units;
}

static bool read_day(const char *text, int32_t *out)
{
	struct date d;

	if (!date_parse_start(text, &d))
		return false;
	*out = (int32_t)date_to_days(d);
	return true;
}

static bool two_digits(const char *text, int max, int *out)
{
	if (text[0] < '0' || text[0] > '9' || text[1] < '0' || text[1] > '9')
		return false;
	*out = (text[0] - '0') * 10 + text[1] - '0';
	return *out <= max;
}

/* Parses the offset after a time: nothing and "Z" mean UTC, else "+02" or "-03:30". */
static bool read_offset(const char *text, int *minutes)
{
	int hour = 0, minute = 0;

	*minutes = 0;
	if (!*text || strcmp(text, "Z") == 0)
		return true;
	if (!strchr("+-", *text) || !two_digits(text + 1, 23, &hour) ||
	    (text[3] && (text[3] != ':' || !two_digits(text + 4, 59, &minute) || text[6])))
		return false;
	*minutes = (hour * 60 + minute) * (*text == '-' ? -1 : 1);
	return true;
}

/* Parses "2025-01-31 09:00:00.250"; a date alone means its midnight. */
static bool read_time(const char *text, int64_t *out)
{
	int hour = 0, minute = 0, second = 0, ms = 0, unit = 100, offset = 0;
	int32_t day;

	if (!read_day(text, &day))
		return false;
	text += 10;
	if (*text) {
		if (strlen(text) < TIME_BYTES - 10 || !strchr(" T", text[0]) ||
		    !two_digits(text + 1, 23, &hour) || text[3] != ':' ||
		    !two_digits(text + 4, 59, &minute) || text[6] != ':' ||
		    !two_digits(text + 7, 59, &second))
			return false;
		text += TIME_BYTES - 10;
		if (*text == '.')
			for (text++; *text >= '0' && *text <= '9'; text++, unit /= 10)
				ms += (*text - '0') * unit;
		if (!read_offset(text, &offset))
			return false;
	}
	*out = (((int64_t)day * 24 + hour) * 60 + minute - offset) * 60000 +
	       (int64_t)second * 1000 + ms;
	return true;
}

/* Accepts plain numbers only, since strtod also reads "nan", "0x1p3" and leading blanks. */
static bool read_real(const char *text, double *out)
{
	char *end;

	if (text[strspn(text, "+-.0123456789eE")])
		return false;
	*out = strtod(text, &end);
	return *text && !*end && isfinite(*out);
}

static bool read_bool(const char *text, uint8_t *out)
{
	static const char *const yes[] = {"1", "t", "true", NULL}, *const no[] = {"0", "f", "false",
										  NULL};

	for (size_t i = 0; yes[i]; i++) {
		if (strcmp(text, yes[i]) != 0 && strcmp(text, no[i]) != 0)
			continue;
		*out = strcmp(text, yes[i]) == 0;
		return true;
	}
	return false;
}

static uint32_t code_of(struct frame_builder *b, struct column_builder *c, const char *text)
{
	struct hashmap_node *found = hashmap_find(&c->codes, str_of(text));
	struct word *w;

	if (found)
		return ((struct word *)found)->code;
	w = arena_alloc(b->arena, sizeof(*w));
	c->words = arena_grow(b->arena, c->words, c->word_count, &c->word_cap, sizeof(char *));
	c->words[c->word_count] = arena_strdup(b->arena, text);
	w->code = (uint32_t)c->word_count;
	hashmap_add(&c->codes, &w->node, str_of(c->words[c->word_count++]));
	b->needed_bytes += (int64_t)strlen(text) + WORD_BYTES;
	return w->code;
}

static bool read_value(struct frame_builder *b, struct column_builder *c, const char *text)
{
	void *at = (char *)c->values + b->rows * value_bytes(c->type);

	switch (c->type) {
	case FRAME_INT:
		return read_int(text, at);
	case FRAME_DECIMAL:
		return read_decimal(text, at);
	case FRAME_REAL:
		return read_real(text, at);
	case FRAME_DAY:
		return read_day(text, at);
	case FRAME_TIME:
		return read_time(text, at);
	case FRAME_BOOL:
		return read_bool(text, at);
	case FRAME_TEXT:
		*(uint32_t *)at = code_of(b, c, text);
		return true;
	}
	return false;
}

static void set_valid(struct column_builder *c, size_t row, bool yes)
{
	uint64_t bit = (uint64_t)1 << (row % 64);

	if (yes)
		c->valid[row / 64] |= bit;
	else
		c->valid[row / 64] &= ~bit;
}

void frame_builder_cell(struct frame_builder *b, size_t column, const char *text)
{
	struct column_builder *c = &b->columns[column];
	size_t value_size = value_bytes(c->type);
	bool is_ok = text && read_value(b, c, text);

	b->invalid_cell_count += text && !is_ok;
	if (!is_ok)
		memset((char *)c->values + b->rows * value_size, 0, value_size);
	set_valid(c, b->rows, is_ok);
}

/* ---- rows ---- */

static bool is_valid(const struct column_builder *c, size_t row)
{
	return c->valid[row / 64] >> (row % 64) & 1;
}

/* Keeps the first, third, fifth, … row. */
static void halve_rows(struct frame_builder *b)
{
	size_t kept = (b->rows + 1) / 2;

	for (size_t i = 0; i < b->column_count; i++) {
		struct column_builder *c = &b->columns[i];
		size_t value_size = value_bytes(c->type);

		for (size_t row = 1; row < kept; row++) {
			memcpy((char *)c->values + row * value_size,
			       (char *)c->values + 2 * row * value_size, value_size);
			set_valid(c, row, is_valid(c, 2 * row));
		}
	}
	b->rows = kept;
	b->step *= 2;
}

static bool reserve_memory(struct frame_builder *b, struct err *e)
{
	if (b->needed_bytes == b->bytes)
		return true;
	if (b->needed_bytes > FRAME_MEMORY_MAX)
		return err_set(e, ERR_LIMIT, "the rows of %s need more than %d MB", b->frame->name,
			       FRAME_MEMORY_MAX / (1024 * 1024));
	if (!frames_reserve(b->needed_bytes - b->bytes))
		return err_set_retry(e, ERR_LIMIT,
				     "the rows of all running computations need more than %d MB",
				     FRAMES_MEMORY_MAX / (1024 * 1024));
	b->bytes = b->needed_bytes;
	return true;
}

static bool reserve_row(struct frame_builder *b, struct err *e)
{
	size_t rows = b->rows_cap * 2 < b->rows_max ? b->rows_cap * 2 : b->rows_max;

	if (b->rows < b->rows_cap)
		return true;
	b->needed_bytes += bytes_of(b, rows) - bytes_of(b, b->rows_cap);
	if (!reserve_memory(b, e))
		return false;
	grow(b, rows);
	return true;
}

bool frame_builder_next(struct frame_builder *b, bool *is_kept, struct err *e)
{
	if (b->total % b->step == 0 && b->rows == b->rows_max)
		halve_rows(b);
	*is_kept = b->total % b->step == 0;
	b->total++;
	return !*is_kept || reserve_row(b, e);
}

bool frame_builder_row(struct frame_builder *b, struct err *e)
{
	b->rows++;
	return reserve_memory(b, e);
}

/* ---- finishing ---- */

/* The validity bits; NULL: the column has no NULL. */
static const uint64_t *valid_of(struct frame_builder *b, struct column_builder *c)
{
	for (size_t row = 0; row < b->rows; row++)
		if (!is_valid(c, row))
			return c->valid;
	return NULL;
}

static void finish_column(struct frame_builder *b, struct column_builder *c,
			  struct frame_column *out)
{
	*out = (struct frame_column){
		.name = c->name,
		.type = c->type,
		.scale = c->type == FRAME_DECIMAL ? FRAME_DECIMAL_SCALE : 0,
		.valid = valid_of(b, c),
		.words = c->words,
		.word_count = c->word_count,
	};
	out->v.i = c->values;
}

struct frame *frame_builder_finish(struct frame_builder **build)
{
	struct frame_builder *b = *build;
	struct frame *f = b->frame;
	struct frame_resources *resources = arena_alloc(b->arena, sizeof(*resources));

	*build = NULL;
	f->rows = b->rows;
	f->total_rows = b->total;
	f->step = b->step;
	f->sampled = b->step > 1;
	f->invalid_cell_count = b->invalid_cell_count;
	f->column_count = b->column_count;
	f->columns = arena_alloc(b->arena, (b->column_count + 1) * sizeof(*f->columns));
	for (size_t i = 0; i < b->column_count; i++)
		finish_column(b, &b->columns[i], &f->columns[i]);
	*resources = (struct frame_resources){b->columns, b->column_count, b->bytes};
	arena_defer(b->arena, frame_resources_free, resources);
	mem_free(b);
	return f;
}
