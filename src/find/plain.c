/* Converts a text file for splitting into passages: normalizes line ends and blank lines. */
#include "find_int.h"

/* Blank lines are written only before further text, and at most one in a row. */
void find_normalize_text(struct str text, struct buf *out)
{
	size_t start = out->n, newline_count = 0, blank_count = 0;

	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i] ? text.p[i] : ' ';

		if (c == '\r') {
			if (i + 1 < text.n && text.p[i + 1] == '\n')
				continue;
			c = '\n';
		}
		if (c == '\n') {
			newline_count++;
			blank_count = 0;
			continue;
		}
		if (c == ' ' || c == '\t') {
			blank_count++; /* blanks are written only before further text */
			continue;
		}
		for (size_t k = 0; out->n > start && k < (newline_count > 2 ? 2 : newline_count);
		     k++)
			buf_char(out, '\n');
		for (; blank_count > 0; blank_count--)
			buf_char(out, text.p[i - blank_count] == '\t' ? '\t' : ' ');
		newline_count = 0;
		buf_char(out, c);
	}
	if (out->n > start)
		buf_char(out, '\n');
}
