/*
 * Every untrusted text is checked here once: sockets, tokens and model output must be UTF-8 before
 * other code reads them. Plain ASCII, which is nearly all of it, is skipped eight bytes at a time.
 */
#include "vesper/utf8.h"

#include <stdint.h>
#include <string.h>

#include "base_int.h"

static bool is_continuation(unsigned char c)
{
	return (c & 0xC0) == 0x80;
}

/* Length of a character that starts with this byte; 0 if none does. */
static size_t lead_bytes(unsigned char c)
{
	if (c < 0x80)
		return 1;
	if (c >= 0xC2 && c <= 0xDF)
		return 2;
	if ((c & 0xF0) == 0xE0)
		return 3;
	if (c >= 0xF0 && c <= 0xF4)
		return 4;
	return 0;
}

/* The second byte excludes overlong forms, surrogates and values above U+10FFFF. */
static bool is_valid_second(unsigned char lead, unsigned char second)
{
	switch (lead) {
	case 0xE0:
		return second >= 0xA0 && second <= 0xBF;
	case 0xED:
		return second >= 0x80 && second <= 0x9F;
	case 0xF0:
		return second >= 0x90 && second <= 0xBF;
	case 0xF4:
		return second >= 0x80 && second <= 0x8F;
	default:
		return is_continuation(second);
	}
}

/* True when the first `len` bytes may start a character of `needed` bytes (or be all of it). */
static bool may_start(const unsigned char *p, size_t len, size_t needed)
{
	if (needed >= 2 && len >= 2 && !is_valid_second(p[0], p[1]))
		return false;
	for (size_t i = 2; i < needed && i < len; i++)
		if (!is_continuation(p[i]))
			return false;
	return true;
}

size_t utf8_char_bytes(const char *text, size_t len)
{
	if (len == 0)
		return 0;
	const unsigned char *p = (const unsigned char *)text;
	size_t needed = lead_bytes(p[0]);
	return needed && needed <= len && may_start(p, len, needed) ? needed : 0;
}

bool utf8_valid(const char *text, size_t len)
{
	size_t i = 0;
	while (i < len) {
		uint64_t eight;
		if (len - i >= sizeof(eight)) {
			memcpy(&eight, text + i, sizeof(eight));
			if ((eight & UINT64_C(0x8080808080808080)) == 0) {
				i += sizeof(eight);
				continue;
			}
		}
		if ((unsigned char)text[i] < 0x80) {
			i++;
			continue;
		}
		size_t n = utf8_char_bytes(text + i, len - i);
		if (n == 0)
			return false;
		i += n;
	}
	return true;
}

size_t utf8_complete_bytes(const char *text, size_t len)
{
	const unsigned char *p = (const unsigned char *)text;
	for (size_t back = 1; back <= 3 && back <= len; back++) {
		const unsigned char *at = p + len - back;
		if (is_continuation(*at))
			continue;
		size_t needed = lead_bytes(*at);
		return needed > back && may_start(at, back, needed) ? len - back : len;
	}
	return len;
}

size_t utf8_count(const char *text, size_t len)
{
	size_t n = 0;
	for (size_t i = 0; i < len; i++)
		n += !is_continuation((unsigned char)text[i]);
	return n;
}

size_t utf8_cut(const char *text, size_t len, size_t max_bytes)
{
	if (len <= max_bytes)
		return len;
	size_t at = max_bytes;
	/* A character has at most 3 continuation bytes; a longer run is invalid and may be cut
	 * anywhere. */
	for (int i = 0; i < 3 && at > 0 && is_continuation((unsigned char)text[at]); i++)
		at--;
	return is_continuation((unsigned char)text[at]) ? max_bytes : at;
}

static uint32_t code_point(const unsigned char *p, size_t bytes)
{
	uint32_t c = bytes == 1 ? p[0] : p[0] & (0xFFu >> (bytes + 1));

	for (size_t i = 1; i < bytes; i++)
		c = c << 6 | (p[i] & 0x3F);
	return c;
}

/* Invisible characters: blanks except the plain space, zero-width characters, direction and format
 * controls, fillers, variation selectors, tags, and noncharacters (Unicode 15: Zs, Zl, Zp, Cc, Cf
 * and Default_Ignorable_Code_Point). */
static bool is_invisible(uint32_t c)
{
	static const struct {
		uint32_t first, last;
	} invisible[] = {
		{0x00, 0x1F},       {0x7F, 0xA0},       {0xAD, 0xAD},       {0x34F, 0x34F},
		{0x600, 0x605},     {0x61C, 0x61C},     {0x6DD, 0x6DD},     {0x70F, 0x70F},
		{0x890, 0x891},     {0x8E2, 0x8E2},     {0x115F, 0x1160},   {0x1680, 0x1680},
		{0x17B4, 0x17B5},   {0x180B, 0x180F},   {0x2000, 0x200F},   {0x2028, 0x202F},
		{0x205F, 0x206F},   {0x3000, 0x3000},   {0x3164, 0x3164},   {0xFDD0, 0xFDEF},
		{0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},
		{0xFFFE, 0xFFFF},   {0x110BD, 0x110BD}, {0x110CD, 0x110CD}, {0x13430, 0x1343F},
		{0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
	};

	for (size_t i = 0; i < sizeof(invisible) / sizeof(invisible[0]); i++)
		if (c >= invisible[i].first && c <= invisible[i].last)
			return true;
	return false;
}

size_t utf8_leading_blanks(const char *text)
{
	size_t i = 0;

	for (size_t n; text[i]; i += n) {
		n = utf8_char_bytes(text + i, strnlen(text + i, 4));
		if (n == 0 || (text[i] != ' ' &&
			       !is_invisible(code_point((const unsigned char *)text + i, n))))
			break;
	}
	return i;
}

bool utf8_is_identifier(const char *text, size_t len)
{
	if (len == 0 || text[0] == ' ' || text[len - 1] == ' ')
		return false;
	for (size_t i = 0, n; i < len; i += n) {
		n = utf8_char_bytes(text + i, len - i);
		if (n == 0 || is_invisible(code_point((const unsigned char *)text + i, n)))
			return false;
	}
	return true;
}
