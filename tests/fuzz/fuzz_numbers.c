/* Any answer, cut anywhere: the checks must say the same as when it comes in one piece. The first
 * byte seeds the cuts, and chooses the policy. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "shipped_units.h"
#include "vesper/guard.h"
#include "vesper/str.h"

static const char *const hosts[] = {"app.powerbi.com", "a.b", NULL};
static const char *const secrets[] = {"a b c d e f g h i j k l m n o p q r s t u v w x y z", NULL};

struct run {
	struct buf *seen;
	bool waits;
	struct guard_links *links;
};

static void on_answer_chunk(void *owner, const struct guard_chunk *p)
{
	struct buf *seen = ((struct run *)owner)->seen;

	if (p->marked)
		buf_printf(seen, "<%s:", guard_kind_name(p->kind));
	buf_add(seen, p->text, p->len);
	if (p->marked)
		buf_char(seen, '>');
}

static bool on_unbound(void *owner, const struct guard_unbound *d)
{
	struct run *r = owner;

	buf_printf(r->seen, "<doubt:%.*s:%s>", (int)d->len, d->text, d->numbers);
	r->waits = true;
	return true;
}

static size_t next_cut(size_t at, size_t len, unsigned step)
{
	size_t n = step ? 1 + (at * 7 + step) % step : len;

	return n < len - at ? n : len - at;
}

/* Odd doubts are corrected, even ones are not. */
static void correct(struct guard_numbers *g, struct run *r)
{
	while (r->waits) {
		r->waits = false;
		if (r->seen->n % 2)
			guard_numbers_rewrite(g, "2025 is right.", 14);
		else
			guard_numbers_rewrite(g, "", 0);
	}
}

static void run_numbers(const char *data, size_t len, unsigned step, enum guard_policy policy,
			struct buf *seen)
{
	struct run r = {.seen = seen};
	const struct guard_input in = {
		.units = shipped_units(),
		.question =
			"Compare Ascend and Hitachi for NP15 in 2025, HE 16-21, above $48.73/MWh",
		.today = {2026, 2, 27},
		.policy = policy,
		.sink = {on_answer_chunk, on_unbound, &r},
	};
	static const struct guard_passage_row cited[] = {{"c1", 0}, {"c1", 1}};
	struct guard_numbers *g = guard_numbers_new(&in);

	for (size_t at = 0, n; at < len; at += n) {
		n = next_cut(at, len, step);
		if (step % 3 == 1)
			guard_numbers_cite(g, cited, at % 3); /* nothing of it says a number */
		guard_numbers_feed(g, data + at, n);
		if (step % 2)
			correct(g, &r);
	}
	guard_numbers_end(g);
	correct(g, &r);
	guard_numbers_free(&g);
}

static void to_links(void *owner, const char *text, size_t len)
{
	guard_links_feed(((struct run *)owner)->links, text, len);
}

static void add(void *owner, const char *text, size_t len)
{
	buf_add(((struct run *)owner)->seen, text, len);
}

static void run_text(const char *data, size_t len, unsigned step, struct buf *seen)
{
	struct run r = {.seen = seen};
	struct guard_secret *secret = guard_secret_new(secrets);
	struct guard_leakage *leakage = guard_leakage_new(secret, to_links, &r);

	r.links = guard_links_new(hosts, add, &r);
	for (size_t at = 0, n; at < len; at += n) {
		char ascii[256];

		n = next_cut(at, len, step);
		n = n < sizeof(ascii) ? n : sizeof(ascii);
		for (size_t i = 0; i < n; i++)
			ascii[i] = (char)(data[at + i] & 0x7F);
		guard_leakage_feed(leakage, ascii, n);
	}
	guard_leakage_end(leakage);
	guard_links_end(r.links);
	guard_leakage_free(&leakage);
	guard_links_free(&r.links);
	guard_secret_free(&secret);
	for (size_t i = 0; seen->n >= 2 && i + 2 <= seen->n; i++)
		if (memcmp(seen->p + i, "](", 2) == 0 || memcmp(seen->p + i, "![", 2) == 0)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data + 1;
	struct buf whole, cut;

	if (size < 2)
		return 0;
	buf_init(&whole, 1 << 24);
	buf_init(&cut, 1 << 24);
	run_numbers(text, size - 1, 0, (enum guard_policy)(data[0] / 16 % 3), &whole);
	run_numbers(text, size - 1, data[0] % 16 + 1u, (enum guard_policy)(data[0] / 16 % 3), &cut);
	if (whole.n != cut.n || (whole.n && memcmp(whole.p, cut.p, whole.n) != 0))
		abort();
	buf_reset(&whole);
	buf_reset(&cut);
	run_text(text, size - 1, 0, &whole);
	run_text(text, size - 1, data[0] % 16 + 1u, &cut);
	if (whole.n != cut.n || (whole.n && memcmp(whole.p, cut.p, whole.n) != 0))
		abort();
	buf_deinit(&whole);
	buf_deinit(&cut);
	return 0;
}
