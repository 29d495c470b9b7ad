/* Any bytes as a SQL file: parsed, every query filled in each dialect; the number of ? is the
 * number of values. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/mem.h"
#include "vesper/sql.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void give_all(const struct sql_query *q, struct args *args, struct arena *a)
{
	const struct value list[] = {value_text("a'b"), value_text("?")};

	for (size_t i = 0; i < q->marker_count; i++) {
		if (q->markers[i].is_list)
			args_set_list(args, a, q->markers[i].name, list, 2);
		else
			args_set(args, a, q->markers[i].name, value_int(7));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(1 << 24);
	char *text = mem_strndup((const char *)data, size);
	struct sql_file *f = NULL;
	struct err e;

	if (sql_file_parse("fuzz.sql", text, a, &f, &e)) {
		for (size_t i = 0; i < f->query_count; i++) {
			struct args args = {0};
			struct sql_bound out;
			const char *literal;

			give_all(&f->queries[i], &args, a);
			sql_query_references(&f->queries[i], "dbo.changes");
			sql_query_is_select(&f->queries[i]);
			for (int d = 0; d < DIALECT_COUNT; d++) {
				if (!sql_render(&f->queries[i], &args, (enum dialect)d, a, &out,
						&e))
					continue;
				/* What was rendered is itself a file; every ? of ours is outside
				 * its quotes. */
				struct sql_file *again = NULL;
				if (out.count == 0 && *out.text &&
				    !sql_file_parse("again.sql", out.text, a, &again, &e))
					abort();
				if (sql_render_literal(&f->queries[i], &args, (enum dialect)d, a,
						       &literal, &e))
					continue;
			}
		}
	}
	mem_free(text);
	arena_free(&a);
	return 0;
}
