/*
 * Characters allowed in quoted names. Readers must be able to recognize a name, so invisible
 * characters, direction controls and lookalikes from other alphabets are refused.
 */
#include <stdint.h>

#include "gate_int.h"
#include "vesper/limits.h"
#include "vesper/utf8.h"

struct range {
	uint32_t first;
	uint32_t last;
};

/* Spaces, formatting, combining marks, quotes and dashes that look like ASCII, compatibility forms,
 * private use, and all characters beyond the basic plane. */
static const struct range hidden[] = {
	{0x00a0, 0x00a0}, {0x00ad, 0x00ad},   {0x00b4, 0x00b4}, {0x00b8, 0x00b8}, {0x02b0, 0x036f},
	{0x037e, 0x037e}, {0x0483, 0x0489},   {0x055a, 0x055d}, {0x0589, 0x0589}, {0x05f3, 0x05f4},
	{0x061c, 0x061c}, {0x115f, 0x1160},   {0x1680, 0x1680}, {0x17b4, 0x17b5}, {0x180b, 0x180f},
	{0x1ab0, 0x1aff}, {0x1d00, 0x1dff},   {0x2000, 0x2012}, {0x2015, 0x206f}, {0x20d0, 0x20ff},
	{0x2100, 0x218f}, {0x2212, 0x2212},   {0x2215, 0x2219}, {0x2223, 0x2223}, {0x2236, 0x2236},
	{0x2460, 0x24ff}, {0x2768, 0x2775},   {0x3000, 0x3002}, {0x3008, 0x3020}, {0x3164, 0x3164},
	{0xa700, 0xa71f}, {0xa789, 0xa78c},   {0xd800, 0xf8ff}, {0xfb00, 0xfb4f}, {0xfe00, 0xfe6f},
	{0xfeff, 0xfeff}, {0xff00, 0x10ffff},
};

enum script { NO_SCRIPT, LATIN, GREEK, CYRILLIC, ARMENIAN, GEORGIAN, CHEROKEE, COPTIC, LISU };

static const struct {
	struct range in;
	enum script script;
} scripts[] = {
	{{'A', 'Z'}, LATIN},          {{'a', 'z'}, LATIN},          {{0x00c0, 0x02af}, LATIN},
	{{0x0370, 0x03e1}, GREEK},    {{0x03e2, 0x03ef}, COPTIC},   {{0x03f0, 0x03ff}, GREEK},
	{{0x0400, 0x052f}, CYRILLIC}, {{0x0531, 0x058f}, ARMENIAN}, {{0x10a0, 0x10ff}, GEORGIAN},
	{{0x13a0, 0x13ff}, CHEROKEE}, {{0x1c80, 0x1c8f}, CYRILLIC}, {{0x1c90, 0x1cbf}, GEORGIAN},
	{{0x1e00, 0x1eff}, LATIN},    {{0x1f00, 0x1fff}, GREEK},    {{0x2c60, 0x2c7f}, LATIN},
	{{0x2c80, 0x2cff}, COPTIC},   {{0x2d00, 0x2d2f}, GEORGIAN}, {{0x2de0, 0x2dff}, CYRILLIC},
	{{0xa4d0, 0xa4ff}, LISU},     {{0xa640, 0xa69f}, CYRILLIC}, {{0xa720, 0xa7ff}, LATIN},
	{{0xab30, 0xab6f}, LATIN},    {{0xab70, 0xabbf}, CHEROKEE},
};

/* The text must be valid. */
static uint32_t code_point(const char *p, size_t n)
{
	uint32_t c = (unsigned char)p[0];

	if (n > 1)
		c &= 0x7fU >> n;
	for (size_t i = 1; i < n; i++)
		c = c << 6 | ((unsigned char)p[i] & 0x3f);
	return c;
}

static size_t char_bytes(unsigned char lead)
{
	return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

static bool is_hidden(uint32_t c)
{
	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (c >= hidden[i].first && c <= hidden[i].last)
			return true;
	return c < 0x20;
}

/* Characters that ODBC drivers interpret: escapes {…}, parameters, the end of a statement. A driver
 * that misjudges the end of a quoted name would act on them. */
static bool is_driver_syntax(uint32_t c)
{
	return c == '{' || c == '}' || c == '?' || c == ';';
}

static enum script script_of(uint32_t c)
{
	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++)
		if (c >= scripts[i].in.first && c <= scripts[i].in.last && c != 0x00d7 &&
		    c != 0x00f7)
			return scripts[i].script;
	return NO_SCRIPT;
}

bool gate_name_plain(const struct gate *g, struct str name, size_t at)
{
	size_t max = g->dialect == DIALECT_POSTGRES ? GATE_NAME_BYTES_PG : GATE_NAME_BYTES_MAX;
	enum script name_script = NO_SCRIPT;

	if (name.n == 0)
		return gate_refuse(g, at, "the name is empty");
	if (name.n > max)
		return gate_limit_reached(g, at, "the name is longer than %zu bytes", max);
	for (size_t i = 0, n; i < name.n; i += n) {
		n = char_bytes((unsigned char)name.p[i]);
		uint32_t c = code_point(name.p + i, n);
		enum script script = script_of(c);

		if (is_hidden(c))
			return gate_refuse(g, at, "U+%04X in a name makes it misleading", c);
		if (is_driver_syntax(c))
			return gate_refuse(g, at, "%c in a name is not allowed; leave it out",
					   (int)c);
		if (script != NO_SCRIPT && name_script != NO_SCRIPT && script != name_script)
			return gate_refuse(g, at, "a name mixes letters of two alphabets");
		if (script != NO_SCRIPT)
			name_script = script;
	}
	return true;
}
