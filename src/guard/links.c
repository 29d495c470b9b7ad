/*
 * Removes links to unlisted hosts from outgoing text. Markdown has many link forms that hide their
 * target, so a space is inserted to break every link, image and HTML tag. That leaves bare
 * addresses, whose host is checked.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "vesper/guard.h"
#include "vesper/mem.h"
#include "vesper/str.h"

#define HOST_BYTES_MAX 300 /* "://", host and port; names have at most 253 bytes */
#define WORD_LETTERS   8   /* maximum letters of a scheme */

static const char removed[] = " (link removed)";

enum place {
	IN_TEXT,
	AT_COLON,   /* ":" after a letter, and the start of "//" */
	IN_HOST,    /* inside an address, which is held back */
	IN_REMOVED, /* the rest of a removed address */
};

struct guard_links {
	const char *const *hosts;
	void (*on_text)(void *owner, const char *text, size_t len);
	void *owner;
	enum place place;
	char held[HOST_BYTES_MAX];
	size_t held_len;
	char word[WORD_LETTERS]; /* letters right before, lower case */
	size_t word_len;         /* WORD_LETTERS + 1: longer */
	char prev;
};

struct guard_links *guard_links_new(const char *const *hosts,
				    void (*on_text)(void *owner, const char *text, size_t len),
				    void *owner)
{
	struct guard_links *l = mem_alloc(sizeof(*l));

	l->hosts = hosts;
	l->on_text = on_text;
	l->owner = owner;
	l->prev = '\n';
	return l;
}

void guard_links_free(struct guard_links **l)
{
	mem_free(*l);
	*l = NULL;
}

static void pass(struct guard_links *l, const char *text, size_t len)
{
	if (len > 0)
		l->on_text(l->owner, text, len);
}

/* ---- hosts ---- */

static bool word_is(const struct guard_links *l, const char *word)
{
	return l->word_len == strlen(word) && memcmp(l->word, word, l->word_len) == 0;
}

static bool is_listed(const struct guard_links *l, const char *host, size_t len)
{
	for (const char *const *h = l->hosts; h && *h; h++)
		if (strlen(*h) == len && strncasecmp(*h, host, len) == 0)
			return true;
	return false;
}

/* Checks the held text: "://host" after a scheme, or ".host" after "www". */
static bool link_is_allowed(const struct guard_links *l)
{
	char host[HOST_BYTES_MAX + 3];
	size_t n = l->held_len;

	while (n > 0 && strchr(".,;:!?*", l->held[n - 1]))
		n--;
	if (l->held[0] == '.') {
		memcpy(host, "www", 3);
		memcpy(host + 3, l->held, n);
		return is_listed(l, host, n + 3);
	}
	return n > 3 && (word_is(l, "http") || word_is(l, "https")) &&
	       is_listed(l, l->held + 3, n - 3);
}

/* ---- bytes ---- */

static bool ends_address(char c)
{
	return (unsigned char)c <= ' ' || strchr("<>\"`|)]*", c) != NULL;
}

static bool ends_host(char c)
{
	return ends_address(c) || c == '/' || c == '?' || c == '#' || c == '\\';
}

/* Returns true when a space must separate the bytes to break a link, an image or a tag. */
static bool needs_space(char prev, char c)
{
	return (prev == ']' && (c == '(' || c == ':')) || (prev == '!' && c == '[') ||
	       (prev == '<' && (isalpha((unsigned char)c) || c == '/' || c == '!' || c == '?'));
}

static void read_text_byte(struct guard_links *l, char c)
{
	if (isalpha((unsigned char)c)) {
		if (l->word_len < WORD_LETTERS)
			l->word[l->word_len] = (char)tolower((unsigned char)c);
		l->word_len += l->word_len <= WORD_LETTERS;
	} else {
		l->word_len = isalnum((unsigned char)c) ? WORD_LETTERS + 1 : 0;
	}
	l->prev = c;
}

static void release_held(struct guard_links *l)
{
	for (size_t i = 0; i < l->held_len; i++)
		read_text_byte(l, l->held[i]);
	pass(l, l->held, l->held_len);
	l->held_len = 0;
	l->place = IN_TEXT;
}

static void decide_host(struct guard_links *l)
{
	if (link_is_allowed(l)) {
		release_held(l);
		return;
	}
	pass(l, removed, sizeof(removed) - 1);
	l->word_len = 0;
	l->prev = ')';
	l->held_len = 0;
	l->place = IN_REMOVED;
}

static void hold(struct guard_links *l, char c, enum place place)
{
	l->held[l->held_len++] = c;
	l->place = place;
}

/* Returns true when the byte was consumed, false when it follows the held text. */
static bool consume_held_byte(struct guard_links *l, char c)
{
	switch (l->place) {
	case AT_COLON:
		if (c != '/') {
			release_held(l);
			return false;
		}
		hold(l, c, l->held_len == 2 ? IN_HOST : AT_COLON);
		return true;
	case IN_HOST:
		if (!ends_host(c) && l->held_len < HOST_BYTES_MAX) {
			hold(l, c, IN_HOST);
			return true;
		}
		decide_host(l);
		return false;
	case IN_REMOVED:
		if (!ends_address(c))
			return true;
		l->place = IN_TEXT;
		return false;
	case IN_TEXT:
		break;
	}
	return false;
}

/* The length of a bidirectional control: it could make "48.73" appear as "37.84". */
static size_t bidi_control_bytes(const char *p, size_t n)
{
	const unsigned char *u = (const unsigned char *)p;

	if (n < 3 || u[0] != 0xE2)
		return 0;
	return (u[1] == 0x80 && u[2] >= 0xAA && u[2] <= 0xAE) ||
			       (u[1] == 0x81 && u[2] >= 0xA6 && u[2] <= 0xA9)
		       ? 3
		       : 0;
}

/* Passes text up to a byte that must be held or dropped. Returns the bytes consumed. */
static size_t consume_text(struct guard_links *l, const char *p, size_t n)
{
	size_t i = 0;

	for (; i < n; i++) {
		size_t skipped = bidi_control_bytes(p + i, n - i);

		if (skipped) {
			pass(l, p, i);
			return i + skipped;
		}
		if (needs_space(l->prev, p[i])) {
			pass(l, p, i);
			pass(l, " ", 1);
			read_text_byte(l, ' ');
			return i;
		}
		if ((p[i] == ':' && l->word_len > 0) || (p[i] == '.' && word_is(l, "www"))) {
			pass(l, p, i);
			hold(l, p[i], p[i] == ':' ? AT_COLON : IN_HOST);
			return i + 1;
		}
		read_text_byte(l, p[i]);
	}
	pass(l, p, n);
	return n;
}

void guard_links_feed(struct guard_links *l, const char *text, size_t len)
{
	size_t at = 0;

	while (at < len)
		if (l->place == IN_TEXT)
			at += consume_text(l, text + at, len - at);
		else
			at += consume_held_byte(l, text[at]);
}

void guard_links_end(struct guard_links *l)
{
	if (l->place == IN_HOST)
		decide_host(l);
	else
		release_held(l);
	l->place = IN_TEXT;
}

/* ---- whole text ---- */

static void add(void *owner, const char *text, size_t len)
{
	buf_add(owner, text, len);
}

const char *guard_links_plain(const char *const *hosts, const char *text, size_t len,
			      struct arena *a)
{
	struct guard_links *l;
	struct buf out;
	const char *plain;

	buf_init(&out, 2 * len + sizeof(removed));
	l = guard_links_new(hosts, add, &out);
	guard_links_feed(l, text, len);
	guard_links_end(l);
	guard_links_free(&l);
	plain = arena_strdup(a, buf_text(&out));
	buf_deinit(&out);
	return plain;
}
