/*
 * The log: one write per line. Callers must not log secrets. Masking here is a second safeguard, in
 * case a driver or a library puts a connection string into its error text.
 */
#include "vesper/log.h"

#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "vesper/clock.h"
#include "vesper/limits.h"
#include "vesper/str.h"
#include "vesper/utf8.h"

#define MESSAGE_BYTES 8192

static enum log_level level_min = LOG_INFO;
static bool as_text;
static void (*capture_cb)(void *owner, const char *text);
static void *capture_owner;

static const char *const level_names[] = {"debug", "info", "warn", "error"};

void log_setup(enum log_level level, enum log_format format)
{
	level_min = level;
	as_text = format == LOG_TEXT || (format == LOG_AUTO && isatty(STDERR_FILENO));
}

bool log_level_parse(const char *text, enum log_level *out)
{
	for (size_t i = 0; i < sizeof(level_names) / sizeof(level_names[0]); i++) {
		if (strcmp(text, level_names[i]) == 0) {
			*out = (enum log_level)i;
			return true;
		}
	}
	return false;
}

bool log_enabled(enum log_level level)
{
	return level >= level_min;
}

void log_capture(void (*line)(void *owner, const char *text), void *owner)
{
	capture_cb = line;
	capture_owner = owner;
}

/* Prefixes of a secret; the value extends to the next separator. */
static const char *const secret_keywords[] = {
	"bearer ", "bearer.", "ticket=",  "token=",   "pwd=",        "password=",
	"secret=", "apikey=", "api_key=", "api-key=", "x-api-key: ", "accountkey="};

/* Prefixes of values that are secrets without any word before them. */
static const char *const secret_value_prefixes[] = {"sk-", "eyJ"};

static bool is_secret_end(char c)
{
	return c == '\0' || isspace((unsigned char)c) || strchr("\"'&;,<>)}]", c);
}

/* Length of the secret word at p; 0 if there is none. */
static size_t word_before_secret(const char *p)
{
	for (size_t i = 0; i < sizeof(secret_keywords) / sizeof(secret_keywords[0]); i++) {
		const char *word = secret_keywords[i];
		/* Most characters match no first letter. */
		if ((*p | 0x20) == word[0] && strncasecmp(p, word, strlen(word)) == 0)
			return strlen(word);
	}
	return 0;
}

static bool starts_secret(const char *p)
{
	for (size_t i = 0; i < sizeof(secret_value_prefixes) / sizeof(secret_value_prefixes[0]);
	     i++)
		if (strncmp(p, secret_value_prefixes[i], strlen(secret_value_prefixes[i])) == 0)
			return true;
	return false;
}

/* End of the value at p. {braces} and "quotes" hold ODBC values with separators in them. */
static char *secret_end(char *p)
{
	char close = *p == '{' ? '}' : *p == '"' || *p == '\'' ? *p : '\0';
	char *end = close ? strchr(p + 1, close) : NULL;
	if (end)
		return end + 1;
	end = close ? p + 1 : p;
	while (!is_secret_end(*end))
		end++;
	return end;
}

/* Replaces [from, end) by "***"; returns what follows. A shorter secret keeps its length. */
static char *mask_range(char *from, char *end)
{
	size_t stars = end - from < 3 ? (size_t)(end - from) : 3;
	memset(from, '*', stars);
	memmove(from + stars, end, strlen(end) + 1);
	return from + stars;
}

void log_mask(char *text)
{
	bool word_start = true;
	for (char *p = text; *p;) {
		size_t word = word_before_secret(p);
		if (word) {
			p = mask_range(p + word, secret_end(p + word));
			word_start = false;
		} else if (word_start && starts_secret(p)) {
			p = mask_range(p, secret_end(p));
			word_start = false;
		} else {
			word_start = !isalnum((unsigned char)*p) && *p != '_';
			p++;
		}
	}
}

static void line_json(struct buf *b, enum log_level level, const char *event, const char *message,
		      size_t len)
{
	char now[CLOCK_RFC3339_BYTES];
	clock_rfc3339(clock_now_ms(), now);
	buf_printf(b, "{\"ts\":\"%s\",\"level\":\"%s\",\"event\":", now, level_names[level]);
	buf_json_str(b, event, strlen(event));
	buf_str(b, ",\"msg\":");
	buf_json_str(b, message, len);
	buf_str(b, "}\n");
}

static void line_text(struct buf *b, enum log_level level, const char *event, const char *message,
		      size_t len)
{
	char now[CLOCK_RFC3339_BYTES];
	clock_rfc3339(clock_now_ms(), now);
	buf_printf(b, "%.*s %-5s %s: ", 12, now + 11, level_names[level], event);
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)message[i];
		if (c < 0x20 || c == 0x7f)
			buf_printf(b, "\\x%02x", c);
		else
			buf_char(b, (char)c);
	}
	buf_char(b, '\n');
}

static void line_write(const struct buf *b)
{
	if (capture_cb) {
		capture_cb(capture_owner, buf_text(b));
		return;
	}
	/* Failure to write the log must not stop the process. */
	ssize_t n = write(STDERR_FILENO, buf_text(b), b->n);
	(void)n;
}

void log_line(enum log_level level, const char *event, const char *fmt, ...)
{
	if (!log_enabled(level))
		return;
	char message[MESSAGE_BYTES];
	va_list args;
	va_start(args, fmt);
	int n = vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	assert(n >= 0);
	log_mask(message);

	struct buf b;
	buf_init(&b, LOG_LINE_BYTES_MAX);
	void (*line)(struct buf *, enum log_level, const char *, const char *, size_t) =
		as_text ? line_text : line_json;
	size_t len = strlen(message);
	line(&b, level, event, message, len);
	if (buf_over(&b)) {
		/* An escape turns one byte into at most 6; the rest of the line is small. */
		buf_reset(&b);
		line(&b, level, event, message,
		     utf8_cut(message, len, LOG_LINE_BYTES_MAX / 6 - 64));
	}
	line_write(&b);
	buf_deinit(&b);
}
