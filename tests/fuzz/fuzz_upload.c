/* Any bytes as an uploaded file: encodings, records of each format, and types of their cells. A
 * file that is cut anywhere gives the same records, and a value that a type took is within its
 * bounds. The first byte is the format and where the cut is. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "../../src/upload/read/encoding.h"
#include "../../src/upload/read/header.h"
#include "../../src/upload/read/records.h"
#include "../../src/upload/read/types.h"
#include "vesper/hash.h"

#define COLUMNS 8

struct sum {
	uint64_t hash;
	struct type_counts counts[COLUMNS];
	struct arena *arena;
};

static void on_record(void *owner, const struct record *r)
{
	struct sum *s = owner;

	s->hash = hash_fnv_byte(s->hash, (unsigned char)r->line);
	for (size_t i = 0; i < r->count; i++) {
		s->hash = hash_fnv(s->hash, r->cells[i].p ? r->cells[i].p : "", r->cells[i].n);
		if (i >= COLUMNS || !r->cells[i].p)
			continue;
		types_count(&s->counts[i], r->cells[i]);
		header_prompt_label(header_label(r->cells[i], s->arena), "x", s->arena);
	}
}

static void check_types(struct sum *s, struct str cell)
{
	for (size_t i = 0; i < COLUMNS; i++) {
		enum type_question question;
		struct cell_form f = types_decide(&s->counts[i], &question);
		struct value v;

		assert(f.digits <= 15 && f.scale <= f.digits);
		if (types_value(&f, cell, s->arena, &v) && v.type == VALUE_DECIMAL)
			assert(strlen(v.text) <= 18);
	}
}

static uint64_t read_with_cut(enum file_format format, const struct buf *text, size_t cut)
{
	struct sum s = {.hash = HASH_FNV_OFFSET_BASIS, .arena = arena_new(1 << 20)};
	struct records *r = records_new(format, ',', on_record, &s);
	struct fault fault;
	struct err e;

	(void)(records_add(r, buf_text(text), cut, &fault, &e) &&
	       records_add(r, buf_text(text) + cut, text->n - cut, &fault, &e) &&
	       records_end(r, &fault, &e));
	records_free(&r);
	check_types(&s, (struct str){buf_text(text), text->n < 40 ? text->n : 40});
	arena_free(&s.arena);
	return s.hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct encoding_scan scan = {0};
	enum encoding encoding;
	struct decoder *d;
	struct buf text;
	struct err e;

	if (size < 2 || size > 65536)
		return 0;
	encoding_scan_add(&scan, data + 1, size - 1);
	if (!encoding_scan_end(&scan, &encoding, &e))
		return 0;
	buf_init(&text, 8 * 65536);
	d = decoder_new(encoding);
	decoder_add(d, data + 1, size - 1, &text);
	decoder_end(d, &text);
	decoder_free(&d);
	assert(utf8_valid(buf_text(&text), text.n));
	assert(read_with_cut(data[0] % 3, &text, 0) ==
	       read_with_cut(data[0] % 3, &text, data[0] * text.n / 256));
	(void)records_delimiter(buf_text(&text), text.n);
	buf_deinit(&text);
	return 0;
}
