/*
 * Generates names as in real data (projects, people, reports, codes), and misspelled names. The
 * same seed generates the same names.
 */
#ifndef TESTS_NAME_MAKER_H
#define TESTS_NAME_MAKER_H

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define NAME_MAKER_BYTES 96

struct name_maker {
	uint64_t state;
};

static inline uint32_t name_maker_random(struct name_maker *m, uint32_t below)
{
	m->state ^= m->state << 13;
	m->state ^= m->state >> 7;
	m->state ^= m->state << 17;
	return (uint32_t)((m->state * 2685821657736338717u) >> 32) % below;
}

#define NAME_MAKER_PICK(m, list)                                                                   \
	list[name_maker_random(m, (uint32_t)(sizeof(list) / sizeof((list)[0])))]

/* "Kelmora", "Brandale": two or three syllables. */
static inline void name_maker_place(struct name_maker *m, char *out, size_t size)
{
	static const char *const first[] = {
		"Bar", "Bel", "Bran", "Cal", "Car",  "Cor", "Dal", "Del", "Dor",  "El",
		"Fal", "Fen", "Gal",  "Gar", "Glen", "Har", "Hol", "Kel", "Kin",  "Lan",
		"Mar", "Mel", "Mon",  "Nor", "Oak",  "Pal", "Per", "Ran", "Rock", "Sal",
		"San", "Sel", "Shel", "Sil", "Tal",  "Tor", "Val", "Ver", "Wal",  "Win"};
	static const char *const middle[] = {"a",   "be", "do", "e",  "fi", "go", "i",  "la",
					     "lo",  "ma", "mo", "na", "ne", "o",  "ra", "ri",
					     "sto", "ti", "u",  "va", "wi", "xa", "zi", "ko"};
	static const char *const last[] = {"bury", "brook", "dale",  "den",   "field", "ford",
					   "gate", "ham",   "haven", "hurst", "ley",   "mere",
					   "mont", "moor",  "more",  "port",  "ra",    "ridge",
					   "rock", "sett",  "side",  "stead", "ston",  "ton",
					   "vale", "view",  "ville", "well",  "wick",  "wood"};

	if (name_maker_random(m, 3) == 0)
		snprintf(out, size, "%s%s", NAME_MAKER_PICK(m, first), NAME_MAKER_PICK(m, last));
	else
		snprintf(out, size, "%s%s%s", NAME_MAKER_PICK(m, first), NAME_MAKER_PICK(m, middle),
			 NAME_MAKER_PICK(m, last));
}

static inline void name_maker_project(struct name_maker *m, char *out, size_t size)
{
	static const char *const kinds[] = {
		"Solar",   "Wind",   "BESS",       "Solar Farm",     "Wind Farm", "Energy Center",
		"Storage", "Hybrid", "Solar Park", "Energy Storage", "Repower",   "Wind Ridge"};
	static const char *const phases[] = {"",      "",         "",       " II",
					     " III",  " Phase 2", " North", " South",
					     " East", " West",    " 2",     " 3"};
	char a[40], b[40];

	name_maker_place(m, a, sizeof(a));
	name_maker_place(m, b, sizeof(b));
	if (name_maker_random(m, 2))
		snprintf(out, size, "%s %s%s", a, NAME_MAKER_PICK(m, kinds),
			 NAME_MAKER_PICK(m, phases));
	else
		snprintf(out, size, "%s %s %s%s", a, b, NAME_MAKER_PICK(m, kinds),
			 NAME_MAKER_PICK(m, phases));
}

static inline void name_maker_person(struct name_maker *m, char *out, size_t size)
{
	static const char *const first[] = {
		"Anna",  "Ben",   "Carla", "David",  "Elena", "Frank", "Grace", "Hugo", "Irene",
		"James", "Katja", "Liam",  "Maria",  "Noah",  "Olga",  "Peter", "Rosa", "Samuel",
		"Tara",  "Uwe",   "Vera",  "Walter", "Xenia", "Yusuf", "Zoe",   "Marta"};
	char last[40], middle[40];

	name_maker_place(m, last, sizeof(last));
	name_maker_place(m, middle, sizeof(middle));
	if (name_maker_random(m, 2))
		snprintf(out, size, "%s %s", NAME_MAKER_PICK(m, first), last);
	else
		snprintf(out, size, "%s %s %s", NAME_MAKER_PICK(m, first), middle, last);
}

static inline void name_maker_report(struct name_maker *m, char *out, size_t size)
{
	static const char *const about[] = {"Budget",     "Capacity", "Curtailment", "Forecast",
					    "Generation", "Outage",   "Price",       "Revenue",
					    "Settlement", "Volume"};
	static const char *const kinds[] = {"Dashboard", "Overview",  "Report",        "Summary",
					    "Trends",    "by Region", "Monthly Review"};
	char place[40], other[40];

	name_maker_place(m, place, sizeof(place));
	name_maker_place(m, other, sizeof(other));
	snprintf(out, size, "%s %s %s %s", place, other, NAME_MAKER_PICK(m, about),
		 NAME_MAKER_PICK(m, kinds));
}

static inline void name_maker_code(struct name_maker *m, char *out, size_t size)
{
	static const char *const kinds[] = {"HB", "LZ", "GEN", "NODE"};
	char place[40];

	name_maker_place(m, place, sizeof(place));
	for (char *c = place; *c; c++)
		*c = (char)toupper((unsigned char)*c);
	snprintf(out, size, "%s_%s_%u", NAME_MAKER_PICK(m, kinds), place,
		 (unsigned)name_maker_random(m, 1000));
}

static inline void name_maker_any(struct name_maker *m, char *out, size_t size)
{
	uint32_t kind = name_maker_random(m, 10);

	if (kind < 5)
		name_maker_project(m, out, size);
	else if (kind < 7)
		name_maker_person(m, out, size);
	else if (kind < 9)
		name_maker_report(m, out, size);
	else
		name_maker_code(m, out, size);
}

/* Changes one letter: removed, followed by an extra one, replaced, or swapped with its neighbour.
 * Digits are not changed, because another number is another name. */
static inline void name_maker_mistype(struct name_maker *m, char *name)
{
	size_t n = strlen(name), at = 0;
	char letter = (char)('a' + (char)name_maker_random(m, 26));

	for (int tries = 0; tries < 50; tries++) {
		at = name_maker_random(m, (uint32_t)n);
		if (isalpha((unsigned char)name[at]))
			break;
	}
	if (!isalpha((unsigned char)name[at]))
		return;
	switch (name_maker_random(m, 4)) {
	case 0:
		memmove(name + at, name + at + 1, n - at);
		return;
	case 1:
		memmove(name + at + 1, name + at, n - at + 1);
		name[at] = letter;
		return;
	case 2:
		name[at] = letter;
		return;
	default:
		if (isalpha((unsigned char)name[at + 1])) {
			letter = name[at];
			name[at] = name[at + 1];
			name[at + 1] = letter;
		}
	}
}

#endif
