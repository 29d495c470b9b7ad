/* Reproducible hash of a result: equal data has the same hash on every machine. Strings are
 * length-prefixed, so that different results have different encodings. */
#include <stdlib.h>
#include <string.h>

#include "vesper/mem.h"
#include "vesper/result.h"
#include "vesper/str.h"

#define FORMAT           "vesper-result/1"
#define FORMAT_ANY_ORDER "vesper-result/1 in any order"

/* Little-endian. */
static void write_int(struct buf *b, int64_t number)
{
	char bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (char)(((uint64_t)number >> (8 * i)) & 0xff);
	buf_add(b, bytes, sizeof(bytes));
}

static void write_text(struct buf *b, const char *text)
{
	size_t n = text ? strlen(text) : 0;

	write_int(b, text ? (int64_t)n : -1);
	buf_add(b, text ? text : "", n);
}

/* Statistics of all rows read, including rows that were not kept. */
static void write_stats(struct buf *b, const struct column_stats *s)
{
	char sum[DECIMAL_TEXT_BYTES];

	write_int(b, s->count);
	write_int(b, s->nulls);
	if (s->is_sum_exact)
		decimal_text(s->sum, sum);
	write_text(b, s->is_sum_exact ? sum : NULL);
	write_text(b, s->min);
	write_text(b, s->max);
}

static void write_row(struct buf *b, const struct table *t, size_t row)
{
	for (size_t c = 0; c < t->column_count; c++)
		write_text(b, t->rows[row][c]);
}

struct row_hash {
	uint8_t bytes[HASH_SHA256_BYTES];
};

static int by_bytes(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct row_hash));
}

/* Hashes each row and sorts the hashes, so that row order does not matter. */
static void write_rows_sorted(struct buf *b, const struct table *t)
{
	struct row_hash *rows = mem_alloc((t->row_count + 1) * sizeof(*rows));
	struct buf row;

	buf_init(&row, SIZE_MAX / 2);
	for (size_t r = 0; r < t->row_count; r++) {
		buf_reset(&row);
		write_row(&row, t, r);
		hash_sha256(buf_text(&row), row.n, rows[r].bytes);
	}
	qsort(rows, t->row_count, sizeof(*rows), by_bytes);
	buf_add(b, rows, t->row_count * sizeof(*rows));
	buf_deinit(&row);
	mem_free(rows);
}

static void write_table(struct buf *b, const struct table *t, bool any_order)
{
	write_text(b, t->name);
	write_int(b, t->total_rows);
	write_int(b, t->truncated);
	write_int(b, (int64_t)t->column_count);
	for (size_t c = 0; c < t->column_count; c++) {
		write_text(b, t->columns[c].name);
		write_text(b, column_type_name(t->columns[c].type));
		if (t->stats)
			write_stats(b, &t->stats[c]);
	}
	write_int(b, (int64_t)t->row_count);
	if (any_order)
		write_rows_sorted(b, t);
	for (size_t r = 0; !any_order && r < t->row_count; r++)
		write_row(b, t, r);
}

void result_hash(const struct result *r, char out[HASH_HEX_BYTES])
{
	struct buf b;

	buf_init(&b, SIZE_MAX / 2); /* the number of kept rows is limited */
	write_text(&b, r->any_order ? FORMAT_ANY_ORDER : FORMAT);
	write_text(&b, outcome_name(r->outcome.kind));
	write_text(&b, r->outcome.param);
	write_text(&b, r->outcome.range_min);
	write_text(&b, r->outcome.range_max);
	write_int(&b, (int64_t)r->table_count);
	for (size_t i = 0; i < r->table_count; i++)
		write_table(&b, r->tables[i], r->any_order);
	hash_sha256_hex(buf_text(&b), b.n, out);
	buf_deinit(&b);
}
