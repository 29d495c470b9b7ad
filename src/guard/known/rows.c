/* The set of data rows that a row of the answer's table may show. Each cell reduces the set, which
 * exposes a correct number in the wrong row. */
#include <string.h>

#include "guard_int.h"

void row_set_clear(struct row_set *s)
{
	s->table = -1;
}

void row_set_add(struct row_set *s, int table, int64_t row)
{
	if (row >= (int64_t)ROW_WORDS * 64)
		return;
	if (s->table < 0)
		memset(s->rows, 0, sizeof(s->rows));
	s->table = table;
	s->rows[row / 64] |= (uint64_t)1 << (row % 64);
}

bool row_set_has(const struct row_set *s, int table, int64_t row)
{
	return s->table != table || row >= (int64_t)ROW_WORDS * 64 ||
	       (s->rows[row / 64] >> (row % 64) & 1);
}

void row_set_narrow(struct row_set *s, const struct row_set *to)
{
	if (s->table < 0)
		*s = *to;
	else if (s->table == to->table)
		for (size_t i = 0; i < ROW_WORDS; i++)
			s->rows[i] &= to->rows[i];
}
