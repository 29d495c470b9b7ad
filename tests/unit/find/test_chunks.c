/* Splitting texts: at headings, paragraphs, sentences and blanks, never within a character. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "vesper/find.h"
#include "vesper/limits.h"

static struct arena *arena;

static int set_up(void **state)
{
	(void)state;
	arena = arena_new(64 << 20);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

struct cut {
	struct str text;
	struct find_chunk *chunks;
	size_t count;
};

static struct cut cut(struct str text)
{
	struct cut c = {.text = text};

	assert_true(find_split(text, arena, &c.chunks, &c.count));
	for (size_t i = 0; i < c.count; i++) {
		const struct find_chunk *k = &c.chunks[i];

		assert_true(k->from < k->to && k->to <= text.n);
		assert_true(k->to - k->from <= DOCUMENT_CHUNK_BYTES_MAX);
		assert_true(k->heading_from <= k->heading_to && k->heading_to <= text.n);
		assert_true(i == 0 || k->from > c.chunks[i - 1].from);
	}
	return c;
}

static void check_chunk(const struct cut *c, size_t i, const char *heading, const char *text)
{
	const struct find_chunk *k = &c->chunks[i];

	assert_true(i < c->count);
	assert_true(str_eq((struct str){c->text.p + k->heading_from,
					(size_t)(k->heading_to - k->heading_from)},
			   str_of(heading)));
	assert_true(
		str_eq((struct str){c->text.p + k->from, (size_t)(k->to - k->from)}, str_of(text)));
}

static void splits_passages_at_headings(void **state)
{
	struct cut c =
		cut(str_of("Before.\n\n# One ##\nFirst.\n\nSecond.\n## Two\n## Three\nThird.\n"));

	(void)state;
	assert_int_equal(c.count, 3);
	check_chunk(&c, 0, "", "Before.");
	check_chunk(&c, 1, "One", "First.\n\nSecond.");
	check_chunk(&c, 2, "Three", "Third.");
	assert_int_equal(cut(str_of("")).count, 0);
	assert_int_equal(cut(str_of("\n \n")).count, 0);
	assert_int_equal(cut(str_of("# Alone\n")).count, 0);
	c = cut(str_of("#no heading\n"));
	check_chunk(&c, 0, "", "#no heading");
}

static void ignores_heading_in_code_block(void **state)
{
	struct cut c = cut(str_of("Text.\n```\n# comment\n\ncode\n```\nMore.\n"));

	(void)state;
	assert_int_equal(c.count, 1);
	c = cut(str_of("~~~\n# never closed\n"));
	assert_int_equal(c.count, 1);
	check_chunk(&c, 0, "", "~~~\n# never closed");
}

static struct str repeated(const char *text, size_t times)
{
	struct buf b;
	char *all;

	buf_init(&b, 1 << 26);
	for (size_t i = 0; i < times; i++)
		buf_str(&b, text);
	all = arena_strndup(arena, b.p, b.n);
	buf_deinit(&b);
	return str_of(all);
}

static void splits_long_paragraphs_at_sentences_with_overlap(void **state)
{
	static const char sentence[] = "The quick brown fox jumps over the lazy dog today. ";
	struct cut c = cut(repeated(sentence, 100));

	(void)state;
	assert_true(c.count >= 5);
	for (size_t i = 0; i < c.count; i++) {
		const struct find_chunk *k = &c.chunks[i];

		assert_memory_equal(c.text.p + k->from, "The quick", 9);
		assert_int_equal(c.text.p[k->to - 1], '.');
		assert_true(k->to - k->from <= DOCUMENT_CHUNK_BYTES);
		if (i > 0) {
			assert_true(k->from < c.chunks[i - 1].to); /* the overlap */
			assert_true(c.chunks[i - 1].to - k->from <= DOCUMENT_OVERLAP_BYTES);
		}
	}
}

static void keeps_paragraphs_that_fit(void **state)
{
	static const char paragraph[] =
		"A paragraph of a few words that stays whole, whatever comes "
		"before it or after it in this text.\n\n";
	struct cut c = cut(repeated(paragraph, 40));

	(void)state;
	assert_true(c.count >= 3);
	for (size_t i = 0; i < c.count; i++) {
		assert_memory_equal(c.text.p + c.chunks[i].from, "A paragraph", 11);
		assert_memory_equal(c.text.p + c.chunks[i].to - 5, "text.", 5);
	}
}

static void splits_only_too_long_tables(void **state)
{
	struct cut c = cut(repeated("| cell | another cell |\n", 70)); /* 1,680 bytes */

	(void)state;
	assert_int_equal(c.count, 1);
	c = cut(repeated("| cell | another cell |\n", 300));
	assert_true(c.count >= 4);
}

/* 10 MB in one line; no character is split. */
static void splits_long_line(void **state)
{
	struct cut c = cut(repeated("\xe2\x82\xac", 1000));

	(void)state;
	for (size_t i = 0; i < c.count; i++)
		assert_int_equal((c.chunks[i].to - c.chunks[i].from) % 3, 0);
	c = cut(repeated("x", 10 << 20));
	assert_true(c.count > 5000 && c.count < DOCUMENT_CHUNKS_MAX);
}

static void rejects_too_many_passages(void **state)
{
	struct find_chunk *chunks;
	size_t count;

	(void)state;
	assert_true(find_split(repeated("# h\nx\n", DOCUMENT_CHUNKS_MAX), arena, &chunks, &count));
	assert_int_equal(count, DOCUMENT_CHUNKS_MAX);
	assert_false(
		find_split(repeated("# h\nx\n", DOCUMENT_CHUNKS_MAX + 1), arena, &chunks, &count));
}

static void check_normalized(const char *text, size_t n, const char *want)
{
	struct buf out;

	buf_init(&out, 1 << 16);
	find_normalize_text((struct str){text, n}, &out);
	assert_string_equal(buf_text(&out), want);
	buf_deinit(&out);
}

#define NORMALIZED(text, want) check_normalized(text, sizeof(text) - 1, want)

static void normalizes_line_ends_and_blank_lines(void **state)
{
	(void)state;
	NORMALIZED("a\r\nb\rc\n", "a\nb\nc\n");
	NORMALIZED("\n\n\na\n\n \t\n\nb\n\n\n", "a\n\nb\n");
	NORMALIZED("a  b\n  c", "a  b\n  c\n");
	NORMALIZED("a\0b", "a b\n");
	NORMALIZED("", "");
	NORMALIZED(" \n", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(splits_passages_at_headings),
		cmocka_unit_test(ignores_heading_in_code_block),
		cmocka_unit_test(splits_long_paragraphs_at_sentences_with_overlap),
		cmocka_unit_test(keeps_paragraphs_that_fit),
		cmocka_unit_test(splits_only_too_long_tables),
		cmocka_unit_test(splits_long_line),
		cmocka_unit_test(rejects_too_many_passages),
		cmocka_unit_test(normalizes_line_ends_and_blank_lines),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
