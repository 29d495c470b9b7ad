/*
 * The only door to malloc. A failed allocation ends the process: recovery code that can't be tested
 * is worse, and every large input has its limit (limits.h).
 */
#ifndef VESPER_MEM_H
#define VESPER_MEM_H

#include <stdbool.h>
#include <stddef.h>

/* For a process that is about to read secrets: others of the same user cannot read its memory or
 * its environment from now on, and it writes no core file. False: the system refused. */
bool mem_keep_private(void);

void *mem_alloc(size_t bytes);              /* zeroed, never NULL */
void *mem_realloc(void *old, size_t bytes); /* never NULL; new bytes are not zeroed */
void *mem_grow(void *old, size_t *cap, size_t want,
	       size_t item_bytes);  /* doubles *cap until it holds want items */
char *mem_strdup(const char *text); /* NULL gives NULL */
char *mem_strndup(const char *text, size_t len);
char *mem_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void mem_free(void *p); /* NULL is fine */

#endif
