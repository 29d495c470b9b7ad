/* Names and addresses in HTTP. Callers split an address before they decode its parts, so that "%2F"
 * is part of a name and not a separator. */
#include "http_text.h"

#include <string.h>

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool percent_decode(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (*from == '%') {
			int high = hex_digit(from[1]);
			int low = high < 0 ? -1 : hex_digit(from[2]);

			if (low < 0 || high * 16 + low < ' ')
				return false;
			*to++ = (char)(high * 16 + low);
			from += 2;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
	return true;
}

bool http_is_token(const char *name)
{
	return *name &&
	       name[strspn(name, "!#$%&'*+-.^_`|~0123456789"
				 "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")] == '\0';
}
