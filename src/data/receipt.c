/* Receipts: canonical JSON, hashes of its members, the hash chain, and verification. */
#include "vesper/receipt.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/json_out.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

#define SALT_BYTES 16
#define SALT_NAME  "_salt" /* sorts before all other members */

/* ---- canonical JSON ---- */

/* A member as written, with the brace or comma before it. */
struct member {
	struct str name;
	size_t from, len; /* position in the output */
};

/* Output text, and the members of open objects; those of inner objects follow those of outer
 * ones. */
struct canon {
	struct buf *out;
	struct member *members;
	size_t count, capacity;
	struct buf unsorted;
};

static void canon_init(struct canon *c, struct buf *out)
{
	*c = (struct canon){.out = out};
	buf_init(&c->unsorted, SIZE_MAX / 2);
}

static void canon_deinit(struct canon *c)
{
	mem_free(c->members);
	buf_deinit(&c->unsorted);
}

static bool comes_before(struct str a, struct str b)
{
	int order = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);

	return order < 0 || (order == 0 && a.n < b.n);
}

/* Insertion sort: there are few members, mostly in order. Returns true if any was moved. */
static bool sort(struct member *m, size_t count)
{
	bool moved = false;

	for (size_t i = 1; i < count; i++)
		for (size_t k = i; k > 0 && comes_before(m[k].name, m[k - 1].name); k--) {
			struct member item = m[k];

			m[k] = m[k - 1];
			m[k - 1] = item;
			moved = true;
		}
	return moved;
}

/* Sorts the members from `first` on by name; their text is from `start` to the end of the
 * output. */
static void sort_members(struct canon *c, size_t start, size_t first)
{
	if (c->count == first || !sort(c->members + first, c->count - first))
		return;
	buf_reset(&c->unsorted);
	buf_add(&c->unsorted, c->out->p + start, c->out->n - start);
	buf_cut(c->out, start);
	for (size_t i = first; i < c->count; i++) {
		struct member *item = &c->members[i];
		const char *text = c->unsorted.p + (item->from - start);

		item->from = c->out->n;
		buf_char(c->out, i > first ? ',' : '{');
		buf_add(c->out, text + 1, item->len - 1);
	}
}

/* Returns the position after the closing quote. */
static const char *string_end(const char *p, const char *end)
{
	for (const char *q = p + 1;; q++) {
		const char *escapes;

		q = memchr(q, '"', (size_t)(end - q));
		assert(q);
		for (escapes = q; escapes[-1] == '\\'; escapes--)
			;
		if ((q - escapes) % 2 == 0)
			return q + 1;
	}
}

static const char *write_value(struct canon *c, const char *p, const char *end);

/* Writes the members of the object at p; they are recorded from index `first` on. */
static const char *write_members(struct canon *c, const char *p, const char *end, size_t first)
{
	for (p++; *p != '}'; p += *p == ',') {
		const char *value = string_end(p, end) + 1;
		struct member item = {{p + 1, (size_t)(value - p) - 3}, c->out->n, 0};

		buf_char(c->out, c->count > first ? ',' : '{');
		buf_add(c->out, p, (size_t)(value - p));
		p = write_value(c, value, end);
		item.len = c->out->n - item.from;
		c->members = mem_grow(c->members, &c->capacity, c->count + 1, sizeof(*c->members));
		c->members[c->count++] = item;
	}
	return p + 1;
}

static const char *write_object(struct canon *c, const char *p, const char *end)
{
	size_t start = c->out->n, first = c->count;

	p = write_members(c, p, end, first);
	sort_members(c, start, first);
	buf_str(c->out, c->count > first ? "}" : "{}");
	c->count = first;
	return p;
}

static const char *write_array(struct canon *c, const char *p, const char *end)
{
	buf_char(c->out, '[');
	for (p++; *p != ']';) {
		p = write_value(c, p, end);
		if (*p == ',')
			buf_char(c->out, *p++);
	}
	buf_char(c->out, ']');
	return p + 1;
}

/* Writes one value and returns the position after it. */
static const char *write_value(struct canon *c, const char *p, const char *end)
{
	const char *after = p;

	assert(p < end);
	if (*p == '{')
		return write_object(c, p, end);
	if (*p == '[')
		return write_array(c, p, end);
	if (*p == '"')
		after = string_end(p, end);
	else
		while (after < end && !strchr(",]}", *after))
			after++;
	buf_add(c->out, p, (size_t)(after - p));
	return after;
}

void receipt_canonical(struct buf *b, struct str json)
{
	struct canon c;

	canon_init(&c, b);
	write_value(&c, json.p, json.p + json.n);
	canon_deinit(&c);
}

/* ---- hashes ---- */

static void hash_salted(struct hasher *h, struct str salt, struct str part,
			char out[HASH_HEX_BYTES])
{
	hasher_add(h, salt.p, salt.n);
	hasher_add(h, "\n", 1);
	hasher_add(h, part.p, part.n);
	hasher_end_hex(h, out);
}

static void hash_text(const char *text, char out[HASH_HEX_BYTES])
{
	hash_sha256_hex(text, strlen(text), out);
}

static void hash_record(const struct receipt *r, const char *content_hash,
			const char *previous_hash, char out[HASH_HEX_BYTES])
{
	char *text = mem_printf(RECEIPT_FORMAT "\n%s\n%" PRId64 "\n%s\n%s\n", r->tenant, r->number,
				content_hash, previous_hash);

	hash_text(text, out);
	mem_free(text);
}

/* ---- writing ---- */

static const char *salt_new(struct arena *a)
{
	unsigned char random[SALT_BYTES];
	char *text = arena_alloc(a, 2 * SALT_BYTES + 1);

	hash_random(random, sizeof(random));
	for (size_t i = 0; i < SALT_BYTES; i++) {
		text[2 * i] = "0123456789abcdef"[random[i] >> 4];
		text[2 * i + 1] = "0123456789abcdef"[random[i] & 15];
	}
	return text;
}

static void write_head_leaf(struct buf *leaves, const char *name, const char *value)
{
	char hash[HASH_HEX_BYTES];

	hash_text(value, hash);
	buf_str(leaves, name);
	buf_char(leaves, ' ');
	buf_str(leaves, hash);
	buf_char(leaves, '\n');
}

/* Each member is hashed separately; the last one includes the closing brace. */
static void write_leaves(struct buf *leaves, const struct canon *c, const char *salt)
{
	struct hasher *h = hasher_new();
	char hash[HASH_HEX_BYTES];

	for (size_t i = 0; i < c->count; i++) {
		const struct member *item = &c->members[i];
		size_t len = item->len + (i + 1 == c->count);

		hash_salted(h, str_of(salt), (struct str){c->out->p + item->from, len}, hash);
		buf_add(leaves, item->name.p, item->name.n);
		buf_char(leaves, ' ');
		buf_int(leaves, (int64_t)len);
		buf_char(leaves, ' ');
		buf_str(leaves, hash);
		buf_char(leaves, '\n');
	}
	hasher_free(&h);
}

/* Writes the members that every receipt has. */
static void write_head(struct buf *out, const struct receipt *r, const char *salt)
{
	struct json_out j;

	jo_init(&j, out);
	jo_object(&j);
	jo_set_str(&j, SALT_NAME, salt);
	jo_set_str(&j, "created_at", r->created_at);
	jo_set_str(&j, "format", RECEIPT_FORMAT);
	jo_set_str(&j, "message_id", r->message_id);
	jo_set_str(&j, "receipt_id", r->receipt_id);
	jo_set_str(&j, "session_id", r->session_id);
	jo_set_str(&j, "tenant", r->tenant);
	jo_set_str(&j, "user", r->user);
	jo_object_end(&j);
}

void receipt_seal(struct str content, struct arena *a, struct receipt *out)
{
	const char *salt = salt_new(a);
	struct buf head, text, leaves;
	struct canon c;
	char hash[HASH_HEX_BYTES];

	buf_init(&head, SIZE_MAX / 2);
	buf_init(&text, SIZE_MAX / 2);
	buf_init(&leaves, SIZE_MAX / 2);
	canon_init(&c, &text);
	write_head(&head, out, salt);
	write_members(&c, head.p, head.p + head.n, 0);
	write_members(&c, content.p, content.p + content.n, 0);
	sort_members(&c, 0, 0);
	buf_char(&text, '}');
	write_head_leaf(&leaves, "receipt_id", out->receipt_id);
	write_head_leaf(&leaves, "created_at", out->created_at);
	write_leaves(&leaves, &c, salt);
	hash_text(buf_text(&leaves), hash);
	out->content = arena_strndup(a, text.p, text.n);
	out->leaves = arena_strndup(a, leaves.p, leaves.n);
	out->content_hash = arena_strdup(a, hash);
	canon_deinit(&c);
	buf_deinit(&head);
	buf_deinit(&text);
	buf_deinit(&leaves);
}

void receipt_link(struct receipt *r, int64_t number, const char *previous_hash,
		  char hash[HASH_HEX_BYTES])
{
	r->number = number;
	r->previous_hash = previous_hash;
	hash_record(r, r->content_hash, previous_hash, hash);
	r->hash = hash;
}

/* ---- verification ---- */

struct check {
	const struct receipt *r;
	struct arena *arena;
	struct receipt_flaw *flaw;
};

static bool set_flaw(struct check *c, const char *field, const char *detail)
{
	*c->flaw = (struct receipt_flaw){field, -1, -1, detail};
	return false;
}

static bool set_content_flaw(struct check *c, const char *field, size_t from, size_t len)
{
	*c->flaw = (struct receipt_flaw){
		field, (int64_t)from, (int64_t)(from + len),
		arena_printf(c->arena, "bytes %zu to %zu of the content were changed", from,
			     from + len)};
	return false;
}

static bool check_chain(struct check *c, int64_t after_number, const char *after_hash)
{
	const struct receipt *r = c->r;
	char leaves[HASH_HEX_BYTES], hash[HASH_HEX_BYTES];

	if (r->number != after_number + 1)
		return set_flaw(c, "receipt_no",
				arena_printf(c->arena, "number %" PRId64 " is followed by %" PRId64,
					     after_number, r->number));
	if (strcmp(r->previous_hash, after_hash) != 0)
		return set_flaw(c, "previous_hash",
				"does not match the hash of the previous record");
	hash_text(r->leaves, leaves);
	hash_record(r, leaves, r->previous_hash, hash);
	if (strcmp(leaves, r->content_hash) != 0)
		return strcmp(hash, r->hash) == 0
			       ? set_flaw(c, "content_hash",
					  "does not match the hash of the leaves")
			       : set_flaw(c, "leaves", "the list of hashes was changed");
	return strcmp(hash, r->hash) == 0 ||
	       set_flaw(c, "hash", "does not match this record and the previous one");
}

static bool check_head(struct check *c, const char *name, const char *value, struct str *leaves)
{
	char hash[HASH_HEX_BYTES];
	struct str line;

	hash_text(value, hash);
	if (str_split(leaves, '\n', &line) &&
	    str_eq(line, str_of(arena_printf(c->arena, "%s %s", name, hash))))
		return true;
	return set_flaw(c, name, "the value was changed");
}

static bool read_leaf(struct str line, struct str *name, size_t *len, struct str *hash)
{
	struct str digits;

	if (!str_split(&line, ' ', name) || !str_split(&line, ' ', &digits) || !line.p)
		return false;
	*len = strtoull(digits.p, NULL, 10);
	*hash = line;
	return true;
}

/* The salt is the first member: {"_salt":"…". */
static struct str salt_of(const char *content)
{
	static const char before[] = "{\"" SALT_NAME "\":\"";
	size_t n = strlen(content);
	struct str salt = {content, 0};

	if (n >= sizeof(before) - 1 + 2 * SALT_BYTES) {
		salt.p += sizeof(before) - 1;
		salt.n = 2 * SALT_BYTES;
	}
	return salt;
}

static bool check_content_with(struct check *c, struct str leaves, struct hasher *h)
{
	const char *content = c->r->content;
	size_t at = 0, total = strlen(content);
	struct str salt = salt_of(content), line, name, expected;

	while (str_split(&leaves, '\n', &line) && line.n > 0) {
		char hash[HASH_HEX_BYTES];
		size_t len;

		if (!read_leaf(line, &name, &len, &expected))
			return set_flaw(c, "leaves", "a line is malformed");
		const char *field = arena_printf(c->arena, "content.%.*s", (int)name.n, name.p);
		if (len > total - at)
			return set_content_flaw(c, field, at, total - at);
		hash_salted(h, salt, (struct str){content + at, len}, hash);
		if (!str_eq(expected, str_of(hash)))
			return set_content_flaw(c, field, at, len);
		at += len;
	}
	return at == total || set_content_flaw(c, "content", at, total - at);
}

static bool check_content(struct check *c, struct str leaves)
{
	struct hasher *h = hasher_new();
	bool ok = check_content_with(c, leaves, h);

	hasher_free(&h);
	return ok;
}

static bool check_column(struct check *c, const json_t *content, const char *name,
			 const char *stored)
{
	const char *expected = json_string_value(json_object_get(content, name));

	if (!stored && !expected) /* a call by a program has no message */
		return true;
	return (stored && expected && strcmp(stored, expected) == 0) ||
	       set_flaw(c, name, "differs from the content");
}

static bool check_answer(struct check *c, const json_t *content)
{
	const char *expected = json_string_value(json_object_get(content, "answer_hash"));
	char hash[HASH_HEX_BYTES];

	if (!c->r->answer || !expected)
		return true;
	hash_text(c->r->answer, hash);
	return strcmp(hash, expected) == 0 ||
	       set_flaw(c, "answer", "the stored message differs from the answer");
}

static bool check_columns(struct check *c)
{
	const struct receipt *r = c->r;
	json_t *content;
	bool ok;

	if (!json_parse(r->content, strlen(r->content), DB_CELL_BYTES_MAX, &content, NULL))
		return set_flaw(c, "content", "not valid JSON");
	ok = check_column(c, content, "message_id", r->message_id) &&
	     check_column(c, content, "session_id", r->session_id) &&
	     check_column(c, content, "user", r->user) && check_answer(c, content);
	json_decref(content);
	return ok;
}

bool receipt_check(const struct receipt *r, int64_t after_number, const char *after_hash,
		   struct arena *a, struct receipt_flaw *flaw)
{
	struct check c = {r, a, flaw};
	struct str leaves = str_of(r->leaves);

	if (!check_chain(&c, after_number, after_hash) ||
	    !check_head(&c, "receipt_id", r->receipt_id, &leaves) ||
	    !check_head(&c, "created_at", r->created_at, &leaves))
		return false;
	if (r->content)
		return check_content(&c, leaves) && check_columns(&c);
	return (!r->message_id && !r->session_id && !r->user) ||
	       set_flaw(&c, "message_id", "the content was deleted, but references to it were not");
}
