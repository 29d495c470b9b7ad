/* Names in the data, keyed by their words: "Jan_2025" and "Jan 2025" have the same key. A stream
 * of words needs one lookup per word. */
#include "names.h"

#include <ctype.h>
#include <string.h>

#include "vesper/hash.h"
#include "vesper/limits.h"

/* Ignores case. */
uint64_t name_word_key(const char *word, size_t len)
{
	uint64_t h = HASH_FNV_OFFSET_BASIS;

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)word[i];

		h = hash_fnv_byte(h, c >= 'A' && c <= 'Z' ? c | 0x20 : c);
	}
	return h | 1;
}

uint64_t name_join(uint64_t key, uint64_t word_key)
{
	return (key * 31 + word_key) * HASH_FNV_PRIME | 1;
}

uint64_t name_key(const char *text, size_t len, int *words)
{
	uint64_t key = 0;
	size_t i = 0;

	*words = 0;
	while (i < len) {
		size_t from;

		while (i < len && !is_word_byte(i ? text[i - 1] : ' ', text[i]))
			i++;
		from = i;
		while (i < len && is_word_byte(i ? text[i - 1] : ' ', text[i]))
			i++;
		if (i == from)
			break;
		key = name_join(key, name_word_key(text + from, i - from < WORD_BYTES_MAX
									? i - from
									: WORD_BYTES_MAX));
		++*words;
	}
	return key;
}

static struct name *find_slot(const struct names *n, uint64_t key)
{
	size_t i = key & (n->size - 1);

	while (n->table[i].key && n->table[i].key != key)
		i = (i + 1) & (n->size - 1);
	return &n->table[i];
}

const struct name *name_find(const struct names *n, uint64_t key)
{
	const struct name *found = n->size ? find_slot(n, key) : NULL;

	return found && found->key ? found : NULL;
}

static void grow(struct names *n, struct arena *a)
{
	struct names wider = {.size = n->size ? n->size * 2 : 64};

	wider.table = arena_alloc(a, sizeof(*wider.table) * wider.size);
	for (size_t i = 0; i < n->size; i++)
		if (n->table[i].key)
			*find_slot(&wider, n->table[i].key) = n->table[i];
	n->table = wider.table;
	n->size = wider.size;
}

static struct name *find_or_add_slot(struct names *n, struct arena *a, uint64_t key)
{
	struct name *at;

	if (n->used * 2 >= n->size)
		grow(n, a);
	at = find_slot(n, key);
	if (!at->key) {
		*at = (struct name){.key = key, .id = -1};
		n->used++;
	}
	return at;
}

static int count_words(const char *text)
{
	int words;

	(void)name_key(text, strlen(text), &words);
	return words;
}

/* Adds prefixes, so that a reader knows whether more words may follow. An unambiguous prefix
 * stands for its name. */
static void add_beginnings(struct names *n, struct arena *a, const char *text, int id)
{
	size_t len = strlen(text);
	uint64_t key = 0;
	int words;

	for (size_t i = 1; i < len; i++) {
		if (!is_word_byte(text[i - 1], text[i]) &&
		    is_word_byte(i > 1 ? text[i - 2] : ' ', text[i - 1])) {
			struct name *at;

			key = name_key(text, i, &words);
			at = find_or_add_slot(n, a, key);
			at->only = !at->begins || at->only == id ? id : -1;
			at->begins = true;
			at->cased = isupper((unsigned char)*text) != 0;
		}
	}
}

int name_add(struct names *n, struct arena *a, const char *text, uint64_t key, int slot,
	     bool with_prefixes)
{
	struct name *at = find_or_add_slot(n, a, key);

	if (at->id < 0) {
		add_beginnings(n, a, text, with_prefixes ? n->count : -1);
		at = find_slot(n, key);
		at->id = n->count;
		at->cased = isupper((unsigned char)*text) && count_words(text) == 1;
		n->slots_by_id = arena_grow(a, n->slots_by_id, (size_t)n->count, &n->slots_cap,
					    sizeof(*n->slots_by_id));
		n->slots_by_id[n->count++] = 0;
	}
	at->slots |= 1u << slot;
	n->slots_by_id[at->id] = at->slots;
	return at->id;
}

int name_add_foreign(struct names *n, struct arena *a, const char *text)
{
	int words, id;
	uint64_t key = name_key(text, strlen(text), &words);
	const struct name *known = words > 0 && words <= NAME_WORDS_MAX ? name_find(n, key) : NULL;

	if (words == 0 || words > NAME_WORDS_MAX || known)
		return -1;
	id = name_add(n, a, text, key, 0, false);
	find_slot(n, key)->slots = n->slots_by_id[id] = 0;
	return id;
}

void name_allow_lower_case(struct names *n, uint64_t key)
{
	find_slot(n, key)->cased = false;
}

void name_alias(struct names *n, struct arena *a, uint64_t key, int id)
{
	struct name *at = find_or_add_slot(n, a, key);

	if (at->id < 0) {
		at->id = id;
		at->slots = n->slots_by_id[id];
	}
}

/* "yes", "green": an ordinary word rather than a name. */
static bool is_common_word(const char *text)
{
	for (const char *p = text; *p; p++)
		if (!islower((unsigned char)*p))
			return false;
	return true;
}

bool text_is_number(const struct unit_words *u, const char *text, size_t len)
{
	struct lead lead = {0};
	struct shown s;
	bool more;

	return (isdigit((unsigned char)*text) || shown_prefix(u, text, len, true, &more)) &&
	       shown_scan(u, text, len, true, &lead, &s) == SCAN_DONE && s.len == len;
}

bool text_is_name(const struct unit_words *u, const char *text, int *words, uint64_t *key)
{
	size_t len = strlen(text);

	if (len < 2 || len > NAME_BYTES_MAX || is_common_word(text))
		return false;
	*key = name_key(text, len, words);
	return *words > 0 && *words <= NAME_WORDS_MAX && !text_is_number(u, text, len);
}
