/* What one result was, as a hash: the same data gives the same one on every machine and day. Each
 * text goes in with its length before it, so that no two results are written alike. */
#include <string.h>

#include "vesper/result.h"
#include "vesper/str.h"

#define FORMAT "vesper-result/1"

/* The lowest byte first. */
static void put_int(struct buf *b, int64_t number)
{
	char bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (char)(((uint64_t)number >> (8 * i)) & 0xff);
	buf_add(b, bytes, sizeof(bytes));
}

static void put_text(struct buf *b, const char *text)
{
	size_t n = text ? strlen(text) : 0;

	put_int(b, text ? (int64_t)n : -1);
	buf_add(b, text ? text : "", n);
}

/* Of everything that was read, also behind the rows that were kept. */
static void put_stats(struct buf *b, const struct column_stats *s)
{
	char sum[DECIMAL_TEXT_BYTES];

	put_int(b, s->count);
	put_int(b, s->nulls);
	if (s->sum_exact)
		decimal_text(s->sum, sum);
	put_text(b, s->sum_exact ? sum : NULL);
	put_text(b, s->min);
	put_text(b, s->max);
}

static void put_table(struct buf *b, const struct table *t)
{
	put_text(b, t->name);
	put_int(b, t->total_rows);
	put_int(b, t->truncated);
	put_int(b, (int64_t)t->column_count);
	for (size_t c = 0; c < t->column_count; c++) {
		put_text(b, t->columns[c].name);
		put_text(b, column_type_name(t->columns[c].type));
		if (t->stats)
			put_stats(b, &t->stats[c]);
	}
	put_int(b, (int64_t)t->row_count);
	for (size_t r = 0; r < t->row_count; r++)
		for (size_t c = 0; c < t->column_count; c++)
			put_text(b, t->rows[r][c]);
}

void result_hash(const struct result *r, char out[HASH_HEX_BYTES])
{
	struct buf b;

	buf_init(&b, SIZE_MAX / 2); /* the rows that are kept have a limit of their own */
	put_text(&b, FORMAT);
	put_text(&b, outcome_name(r->outcome.kind));
	put_text(&b, r->outcome.param);
	put_text(&b, r->outcome.range_min);
	put_text(&b, r->outcome.range_max);
	put_int(&b, (int64_t)r->table_count);
	for (size_t i = 0; i < r->table_count; i++)
		put_table(&b, r->tables[i]);
	hash_sha256_hex(buf_text(&b), b.n, out);
	buf_deinit(&b);
}
