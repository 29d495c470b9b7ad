/* Finds numbers in text. The words before a number decide how it is read: "HE 16", "March 2026",
 * "Q1_2025". Digits within a name such as NP15 are not a number. */
#include "guard_int.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

void reader_init(struct reader *r, const struct unit_words *u)
{
	*r = (struct reader){.line_start = true, .prev = '\n', .prev2 = '\n', .units = u};
}

static inline bool word_is(const struct reader *r, const char *word)
{
	return r->word_len == strlen(word) && (r->word[0] | 0x20) == (word[0] | 0x20) &&
	       strncasecmp(r->word, word, r->word_len) == 0;
}

static void end_word(struct reader *r)
{
	if (!r->word_open)
		return;
	r->word_open = false;
	r->word_near = true;
	if (!r->after_number && !word_is(r, "to") && !word_is(r, "and") && !word_is(r, "through") &&
	    !word_is(r, "or"))
		r->hour_run = r->hour_ending_run = false;
	r->after_number = false;
	r->is_after_hours_ending = word_is(r, "ending") && r->is_after_hours;
	if (word_is(r, "hour") || word_is(r, "hours"))
		r->is_after_hours = true;
	else if (!word_is(r, "are") && !word_is(r, "is") && !word_is(r, "from") &&
		 !word_is(r, "of") && !word_is(r, "day") && !word_is(r, "between"))
		r->is_after_hours = false;
	if (r->on_word)
		r->on_word(r->owner, r->word, r->word_len);
}

static void read_byte(struct reader *r, char c)
{
	if (is_word_byte(r->prev, c)) {
		if (!r->word_open) {
			r->word_open = true;
			r->word_len = 0;
		}
		if (r->word_len < WORD_BYTES_MAX)
			r->word[r->word_len++] = c;
	} else {
		end_word(r);
		r->word_near = r->word_near && strchr(" _-*:(#`.'", c);
		if (r->on_char)
			r->on_char(r->owner, c);
	}
	if (c == '\n')
		r->line_start = true;
	else if (r->line_start && !strchr(" \t#>*", c))
		r->line_start = false;
	r->prev2 = r->prev;
	r->prev = c;
}

static bool has_near_word(const struct reader *r)
{
	return (r->word_near || r->word_open) && r->word_len > 0;
}

static void reader_lead(const struct reader *r, struct lead *out)
{
	struct lead l = {
		.line_start = r->line_start, .rank = r->prev == '#', .quote = r->prev == '\''};

	l.hour = r->hour_run;
	l.hour_ending = r->hour_ending_run;
	if (has_near_word(r)) {
		l.month = month_of_word(r->word, r->word_len);
		if (r->word_len == 2 && r->word[0] == 'Q' && r->word[1] >= '1' && r->word[1] <= '4')
			l.quarter = r->word[1] - '0';
		l.hour = l.hour || r->is_after_hours;
		l.hour_ending = l.hour_ending || (word_is(r, "HE") && r->word[0] == 'H') ||
				r->is_after_hours_ending;
		l.minus = word_is(r, "minus") || word_is(r, "negative");
		l.currency = unit_currency_code(r->units, r->word, r->word_len);
	}
	l.glued = (isalnum((unsigned char)r->prev) || r->prev == '_') &&
		  !(l.month && r->prev == '_') && !(l.quarter && r->prev == '_') && !l.hour_ending;
	l.dashed = r->prev == '-' && isalpha((unsigned char)r->prev2) && !l.month && !l.hour_ending;
	*out = l;
}

uint64_t reader_word_before(const struct reader *r)
{
	return has_near_word(r) && !isdigit((unsigned char)r->word[0])
		       ? folded_word_key(r->word, r->word_len)
		       : 0;
}

bool reader_is_titled(const struct reader *r)
{
	return has_near_word(r) && isupper((unsigned char)r->word[0]);
}

/* After a word and a dash only a year is a separate number ("mid-2025"). */
static bool is_part_of_word(const struct lead *l, const struct shown *s)
{
	return l->dashed && s->kind != SHOWN_YEAR;
}

/* A sign belongs to a number only if the previous word or number has ended. */
static bool may_lead(const struct reader *r, char c)
{
	if (c == '-' || c == '+')
		return !isalnum((unsigned char)r->prev) && r->prev != ')' && r->prev != '%' &&
		       r->prev != c;
	return c == '$' || (unsigned char)c >= 0xC2;
}

bool reader_next(struct reader *r, const char *p, size_t n, bool final, size_t *plain,
		 struct shown *s)
{
	size_t i = 0;

	for (; i < n; i++) {
		struct lead lead;
		bool more = false, digit = isdigit((unsigned char)p[i]);

		if (words_may_begin(p[i]) && !is_word_byte(' ', r->prev) && r->prev != '-' &&
		    r->prev != '\'') {
			int month = r->prev == ' ' && has_near_word(r)
					    ? month_of_word(r->word, r->word_len)
					    : 0;

			if (words_scan(r->units, p + i, n - i, final, month, s) == SCAN_MORE)
				break;
			if (s->len > 0) {
				*plain = i;
				return true;
			}
		}
		if ((unsigned char)p[i] >= 0xC2) {
			size_t unsupported = shown_unsupported(p + i, n - i, final, &more);

			if (more)
				break;
			if (unsupported > 0) {
				*s = (struct shown){.kind = SHOWN_UNSUPPORTED, .len = unsupported};
				*plain = i;
				return true;
			}
		}
		if (!digit &&
		    (!may_lead(r, p[i]) || !shown_prefix(r->units, p + i, n - i, final, &more))) {
			if (more)
				break;
			read_byte(r, p[i]);
			continue;
		}
		reader_lead(r, &lead);
		if (lead.glued && digit) {
			read_byte(r, p[i]);
			continue;
		}
		if (shown_scan(r->units, p + i, n - i, final, &lead, s) == SCAN_MORE)
			break;
		if (is_part_of_word(&lead, s) && shown_is_bare(s) && !s->grouped)
			s->kind = SHOWN_ID;
		if (!is_part_of_word(&lead, s) || s->kind == SHOWN_ID) {
			*plain = i;
			return true;
		}
		read_byte(r, p[i]);
	}
	*plain = i;
	return false;
}

void reader_consume_number(struct reader *r, const char *p, const struct shown *s)
{
	struct lead lead;

	reader_lead(r, &lead);
	for (size_t i = 0; i < s->len; i++)
		read_byte(r, p[i]);
	r->after_number = true; /* its last digits still form an open word */
	r->hour_run = s->kind == SHOWN_HOUR && !lead.hour_ending;
	r->hour_ending_run = s->kind == SHOWN_HOUR && lead.hour_ending;
}
