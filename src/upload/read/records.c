/* Collects the current record, and chooses the parser of the format. */
#include "records_int.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "vesper/limits.h"
#include "vesper/mem.h"

#define SNIFF_RECORDS 100

struct records *records_new(enum file_format format, char delimiter, record_cb cb, void *owner)
{
	struct records *r = mem_alloc(sizeof(*r));

	r->cb = cb;
	r->owner = owner;
	buf_init(&r->text, DATA_SOURCE_RECORD_BYTES_MAX);
	if (format == FORMAT_JSONL)
		r->jsonl = jsonl_new(r);
	else
		r->csv = csv_new(r, format == FORMAT_TSV ? '\t' : delimiter);
	return r;
}

void records_free(struct records **records)
{
	struct records *r = *records;

	if (!r)
		return;
	*records = NULL;
	csv_close(&r->csv);
	jsonl_free(&r->jsonl);
	buf_deinit(&r->text);
	mem_free(r->ends);
	mem_free(r->cells);
	mem_free(r);
}

void records_fail(struct records *r, const char *code, size_t line, const char *reason)
{
	if (r->fault.code)
		return;
	r->fault = (struct fault){code, line};
	err_set(&r->err, ERR_INPUT, "line %zu: %s", line, reason);
}

static size_t *next_end(struct records *r)
{
	r->ends = mem_grow(r->ends, &r->cap, r->count + 1, sizeof(*r->ends));
	return &r->ends[r->count++];
}

void records_cell(struct records *r, const char *text, size_t len)
{
	buf_add(&r->text, text, len);
	*next_end(r) = r->text.n;
}

void records_missing_cell(struct records *r)
{
	*next_end(r) = SIZE_MAX;
}

void records_emit(struct records *r, size_t line)
{
	const char *text = buf_text(&r->text);
	size_t from = 0;

	if (buf_over(&r->text))
		records_fail(r, "record_too_long", line, "the record is too long");
	r->cells = mem_grow(r->cells, &r->cell_cap, r->count + 1, sizeof(*r->cells));
	for (size_t i = 0; i < r->count; i++) {
		bool is_missing = r->ends[i] == SIZE_MAX;

		r->cells[i] = is_missing ? (struct str){NULL, 0}
					 : (struct str){text + from, r->ends[i] - from};
		from = is_missing ? from : r->ends[i];
	}
	if (!r->fault.code)
		r->cb(r->owner, &(struct record){line, r->cells, r->count});
	r->count = 0;
	buf_reset(&r->text);
}

static bool report_fault(const struct records *r, struct fault *fault, struct err *e)
{
	if (!r->fault.code)
		return true;
	*fault = r->fault;
	*e = r->err;
	return false;
}

bool records_add(struct records *r, const char *text, size_t len, struct fault *fault,
		 struct err *e)
{
	if (!r->fault.code && r->csv)
		csv_add(r->csv, text, len);
	else if (!r->fault.code)
		jsonl_add(r->jsonl, text, len);
	return report_fault(r, fault, e);
}

bool records_end(struct records *r, struct fault *fault, struct err *e)
{
	if (!r->fault.code && r->csv)
		csv_end(r->csv);
	else if (!r->fault.code)
		jsonl_end(r->jsonl);
	return report_fault(r, fault, e);
}

const char *const *records_members(const struct records *r, size_t *count)
{
	assert(r->jsonl);
	return jsonl_members(r->jsonl, count);
}

/* ---- the delimiter ---- */

struct sniff {
	size_t lengths[SNIFF_RECORDS];
	size_t count;
};

static void on_sniffed(void *owner, const struct record *r)
{
	struct sniff *s = owner;

	if (s->count < SNIFF_RECORDS)
		s->lengths[s->count++] = r->count;
}

/* The number of records with the most frequent length, and that length. */
static size_t most_common_length(const struct sniff *s, size_t *length)
{
	size_t best = 0;

	*length = 0;
	for (size_t i = 0; i < s->count; i++) {
		size_t same = 0;

		for (size_t k = 0; k < s->count; k++)
			same += s->lengths[k] == s->lengths[i];
		if (same > best || (same == best && s->lengths[i] > *length)) {
			best = same;
			*length = s->lengths[i];
		}
	}
	return best;
}

char records_delimiter(const char *text, size_t len)
{
	static const char delimiters[] = ",;\t|";
	size_t best_count = 0, longest = 1;
	char best = ',';

	for (const char *d = delimiters; *d; d++) {
		struct sniff s = {0};
		struct records *r = records_new(FORMAT_CSV, *d, on_sniffed, &s);
		struct fault fault;
		struct err e;
		size_t same, length;

		/* Faults are reported by the pass over the whole file. */
		(void)!records_add(r, text, len, &fault, &e);
		if (s.count == 0)
			(void)!records_end(r, &fault, &e);
		records_free(&r);
		same = most_common_length(&s, &length);
		if (length > 1 && (same > best_count || (same == best_count && length > longest))) {
			best = *d;
			best_count = same;
			longest = length;
		}
	}
	return best;
}
