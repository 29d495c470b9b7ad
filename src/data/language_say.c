/* Fixed sentences: split at their slots when read, and joined with values when used. */
#include "language_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/str.h"

#define SENTENCE_SLOTS_MAX 4
#define SENTENCE_BYTES_MAX 65536 /* includes the values */

/* Texts alternate with values, beginning and ending with a text. */
struct language_text {
	const char *texts[SENTENCE_SLOTS_MAX + 1];
	size_t slots[SENTENCE_SLOTS_MAX]; /* index of the value in each slot */
	size_t count;
};

static const struct {
	const char *key, *slots;
} keys[] = {
#define KEY(name, key, slots) [name] = {key, slots},
	LANGUAGE_SENTENCES(KEY)
#undef KEY
};

/* The index of the slot with this name, or -1. */
static int slot_number(const char *slots, struct str name)
{
	struct str rest = str_of(slots), slot;

	for (int i = 0; str_split(&rest, ' ', &slot); i++)
		if (slot.n > 0 && str_eq(slot, name))
			return i;
	return -1;
}

static size_t slot_count(const char *slots)
{
	struct str rest = str_of(slots), slot;
	size_t n = 0;

	while (str_split(&rest, ' ', &slot))
		n += slot.n > 0;
	return n;
}

static bool split_at_slots(const struct words_file *f, const char *member, const char *text,
			   const char *slots, struct language_text *out)
{
	unsigned seen = 0;

	for (const char *open; (open = strchr(text, '{'));) {
		const char *close = strchr(open, '}');
		int slot = close ? slot_number(slots,
					       (struct str){open + 1, (size_t)(close - open - 1)})
				 : -1;

		if (slot < 0)
			return words_fail(f, member, "allowed slots: %s", *slots ? slots : "none");
		if (out->count == SENTENCE_SLOTS_MAX)
			return words_fail(f, member, "at most %d slots", SENTENCE_SLOTS_MAX);
		seen |= 1u << slot;
		out->texts[out->count] = arena_strndup(f->arena, text, (size_t)(open - text));
		out->slots[out->count++] = (size_t)slot;
		text = close + 1;
	}
	out->texts[out->count] = arena_strdup(f->arena, text);
	return seen == (1u << slot_count(slots)) - 1 ||
	       words_fail(f, member, "required slots: %s", slots);
}

static bool is_key(const char *key)
{
	for (size_t i = 0; i < SENTENCE_COUNT; i++)
		if (strcmp(keys[i].key, key) == 0)
			return true;
	return false;
}

static bool check_keys(const struct words_file *f, const json_t *object)
{
	const char *group, *name;
	json_t *inner, *value;

	json_object_foreach((json_t *)object, group, inner)
		json_object_foreach(inner, name, value) {
			const char *key = arena_printf(words_scratch(f), "%s.%s", group, name);

			if (!is_key(key))
				return words_fail(
					f, arena_printf(words_scratch(f), "sentences.%s", key),
					"unknown sentence");
		}
	return true;
}

bool language_sentences_read(const struct words_file *f, const json_t *object,
			     const struct language_text **out)
{
	struct language_text *all = arena_alloc(f->arena, SENTENCE_COUNT * sizeof(*all));

	if (!check_keys(f, object))
		return false;
	for (size_t i = 0; i < SENTENCE_COUNT; i++) {
		const char *dot = strchr(keys[i].key, '.');
		const char *group =
			arena_strndup(words_scratch(f), keys[i].key, (size_t)(dot - keys[i].key));
		const char *text =
			json_string_value(json_object_get(json_object_get(object, group), dot + 1));
		const char *member = arena_printf(words_scratch(f), "sentences.%s", keys[i].key);

		if (!text || !*text)
			return words_fail(f, member, text ? "is empty" : "is missing");
		if (!split_at_slots(f, member, text, keys[i].slots, &all[i]))
			return false;
	}
	*out = all;
	return true;
}

void language_fill(struct buf *out, const struct language *l, enum sentence which,
		   void (*put)(void *owner, size_t slot), void *owner)
{
	const struct language_text *t = &l->sentences[which];

	for (size_t i = 0; i < t->count; i++) {
		buf_str(out, t->texts[i]);
		put(owner, t->slots[i]);
	}
	buf_str(out, t->texts[t->count]);
}

struct values {
	struct buf *out;
	const char *const *values;
};

static void put_value(void *owner, size_t slot)
{
	const struct values *v = owner;

	buf_str(v->out, v->values[slot]);
}

void language_put(struct buf *out, const struct language *l, enum sentence which,
		  const char *const *values)
{
	size_t count = 0;

	while (values[count])
		count++;
	assert(count == slot_count(keys[which].slots));
	language_fill(out, l, which, put_value, &(struct values){out, values});
}

const char *language_text(const struct language *l, enum sentence which)
{
	assert(!*keys[which].slots);
	return l->sentences[which].texts[0];
}

const char *language_say(const struct language *l, enum sentence which, const char *const *values,
			 struct arena *a)
{
	const char *text;
	struct buf b;

	if (!*values)
		return language_text(l, which);
	buf_init(&b, SENTENCE_BYTES_MAX);
	language_put(&b, l, which, values);
	text = arena_strdup(a, buf_text(&b));
	buf_deinit(&b);
	return text;
}
