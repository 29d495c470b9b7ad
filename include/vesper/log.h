/*
 * One line per event on stderr: JSON, or text on a terminal. Never log tokens, keys, text of
 * prompts or answers, rows, or connection strings. As a second safeguard, text that looks like a
 * secret (bearer tokens, sk-…, ticket=, token=, pwd=) is masked. Control characters are escaped.
 * Any thread (one write per line).
 */
#ifndef VESPER_LOG_H
#define VESPER_LOG_H

#include <stdbool.h>
#include <stddef.h>

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR };
enum log_format { LOG_AUTO, LOG_JSON, LOG_TEXT };

void log_setup(enum log_level level, enum log_format format);
bool log_level_parse(const char *text, enum log_level *out);
bool log_enabled(enum log_level level);

/* `event` is a dotted constant ("turn.completed"); the message is a sentence for operators. */
void log_line(enum log_level level, const char *event, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#define log_debug(...) log_line(LOG_DEBUG, __VA_ARGS__)
#define log_info(...)  log_line(LOG_INFO, __VA_ARGS__)
#define log_warn(...)  log_line(LOG_WARN, __VA_ARGS__)
#define log_error(...) log_line(LOG_ERROR, __VA_ARGS__)

/* For tests: lines go to this function instead of stderr. NULL restores stderr. */
void log_capture(void (*line)(void *owner, const char *text), void *owner);

/* Masks secrets in place; public because access logs and traces use it too. */
void log_mask(char *text);

#endif
