/*
 * Errors with causes outside the program: what failed, described once, in words for an operator.
 *
 * Every function that can fail returns bool (true = done), takes `struct err *` last, and leaves
 * its other outputs unchanged when it returns false. The layer that handles an error logs it;
 * layers that pass it up do not. Program errors are asserts, never a struct err.
 */
#ifndef VESPER_ERR_H
#define VESPER_ERR_H

#include <stdbool.h>
#include <stddef.h>

#define MUST_CHECK __attribute__((warn_unused_result))

enum err_code {
	ERR_NONE,
	ERR_INPUT,     /* the request is malformed or asks for something impossible */
	ERR_AUTH,      /* the caller is not authenticated (no, bad or expired credentials) */
	ERR_DENIED,    /* the caller is authenticated but not permitted */
	ERR_NOT_FOUND, /* nonexistent for this caller; other tenants' data is reported the same */
	ERR_BUSY,      /* a conflict with a running operation */
	ERR_LIMIT,     /* a named limit was reached (see limits.h) */
	ERR_OVERLOAD,  /* the server is overloaded: nothing was begun */
	ERR_QUOTA,     /* a budget of the caller is used up */
	ERR_TIMEOUT,   /* a deadline passed */
	ERR_UPSTREAM,  /* a database, model or other service failed */
	ERR_CANCELLED, /* the operation was cancelled */
	ERR_INTERNAL,  /* a program error that does not justify ending the process */
};

struct err {
	enum err_code code;
	bool may_retry;     /* the same request may succeed later */
	int retry_after_ms; /* > 0: requested by the other side */
	char text[240];     /* for operators; the user's sentence is derived from the code */
};

/* Fills *e (which may be NULL) and returns false, so that failing is one line. The text is
 * truncated to the array's size. */
bool err_set(struct err *e, enum err_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* As err_set, and marks that the same request may succeed later. */
bool err_set_retry(struct err *e, enum err_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Prepends "<prefix>: " to the text of an error that is passed up. Returns false. */
bool err_prefix(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The code's name in lower case ("not_found"), for logs and wires. */
const char *err_code_name(enum err_code code);

#endif
