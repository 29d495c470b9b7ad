/* Runs answers through the number check and records the output as one line: the text with each mark
 * as <kind:number>. */
#ifndef VESPER_GUARD_ANSWERS_H
#define VESPER_GUARD_ANSWERS_H

#include <string.h>

#include "sample_results.h"
#include "shipped_units.h"
#include "vesper/guard.h"
#include "vesper/str.h"
#include "vesper/mem.h"
#include "vesper/utf8.h"

struct check_output {
	struct buf line; /* "The price is <bound:$48.73/MWh>." */
	struct buf text;
	size_t bound, unbound, withheld;
	struct guard_ref first;
	char first_formula[200];
};

/* Returns the length in bytes of the first n code points. */
static size_t prefix_bytes(const char *text, size_t len, size_t n)
{
	size_t at = 0;

	while (at < len && n > 0) {
		at++;
		while (at < len && ((unsigned char)text[at] & 0xC0) == 0x80)
			at++;
		n--;
	}
	return at;
}

static void record_chunk(void *owner, const struct guard_chunk *p)
{
	struct check_output *o = owner;
	size_t from, to;

	buf_add(&o->text, p->text, p->len);
	if (!utf8_valid(p->text, p->len))
		buf_str(&o->line, "<bad UTF-8>");
	if (!p->marked) {
		buf_add(&o->line, p->text, p->len);
		return;
	}
	from = prefix_bytes(p->text, p->len, p->start);
	to = prefix_bytes(p->text, p->len, p->start + p->count);
	buf_add(&o->line, p->text, from);
	buf_printf(&o->line, "<%s:", guard_kind_name(p->kind));
	buf_add(&o->line, p->text + from, to - from);
	buf_char(&o->line, '>');
	buf_add(&o->line, p->text + to, p->len - to);
	if (o->bound + o->unbound + o->withheld == 0) {
		o->first = p->ref;
		snprintf(o->first_formula, sizeof(o->first_formula), "%s",
			 p->ref.formula ? p->ref.formula : "");
		o->first.formula = o->first_formula;
	}
	o->bound += p->kind == GUARD_BOUND;
	o->unbound += p->kind == GUARD_UNBOUND;
	o->withheld += p->kind == GUARD_WITHHELD;
}

static void check_output_free(struct check_output *o)
{
	buf_deinit(&o->line);
	buf_deinit(&o->text);
}

/* step: bytes per chunk; 0: one chunk */
static void check_answer(struct guard_input *in, const char *answer, size_t step,
			 struct check_output *o)
{
	struct guard_numbers *g;
	size_t len = strlen(answer);

	*o = (struct check_output){0};
	buf_init(&o->line, 1 << 20);
	buf_init(&o->text, 1 << 20);
	in->sink = (struct guard_sink){.on_answer_chunk = record_chunk, .owner = o};
	g = guard_numbers_new(in);
	for (size_t at = 0; at < len; at += step ? step : len)
		guard_numbers_feed(g, answer + at, !step || step > len - at ? len - at : step);
	guard_numbers_end(g);
	guard_numbers_free(&g);
}

#endif
