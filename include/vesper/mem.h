/*
 * The only wrapper of malloc. A failed allocation ends the process: recovery code could not be
 * tested, and every large input has a limit (limits.h).
 */
#ifndef VESPER_MEM_H
#define VESPER_MEM_H

#include <stdbool.h>
#include <stddef.h>

/* Call before reading secrets: other processes of the same user can then not read this process's
 * memory or environment, and it writes no core file. False: the system call failed. */
bool mem_disable_dumps(void);

void *mem_alloc(size_t bytes);              /* zeroed, never NULL */
void *mem_realloc(void *old, size_t bytes); /* never NULL; new bytes are not zeroed */
void *mem_grow(void *old, size_t *cap, size_t want,
	       size_t item_bytes);  /* doubles *cap until `want` items fit */
char *mem_strdup(const char *text); /* NULL gives NULL */
char *mem_strndup(const char *text, size_t len);
char *mem_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void mem_free(void *p); /* NULL is allowed */

#endif
