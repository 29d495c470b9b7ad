/*
 * Allocation that never fails for callers. A process out of memory logs one line and aborts, since
 * code after a failed malloc would never be tested.
 */
#include "vesper/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

bool mem_disable_dumps(void)
{
	const struct rlimit none = {0};

	return prctl(PR_SET_DUMPABLE, 0) == 0 && setrlimit(RLIMIT_CORE, &none) == 0;
}

static void *mem_checked(void *p, size_t bytes)
{
	if (p)
		return p;
	fprintf(stderr, "vesper: out of memory: cannot allocate %zu bytes\n", bytes);
	abort();
}

void *mem_alloc(size_t bytes)
{
	return mem_checked(calloc(1, bytes ? bytes : 1), bytes);
}

void *mem_realloc(void *old, size_t bytes)
{
	return mem_checked(realloc(old, bytes ? bytes : 1), bytes);
}

void *mem_grow(void *old, size_t *cap, size_t needed, size_t item_bytes)
{
	if (old && needed <= *cap)
		return old;
	size_t n = *cap ? *cap : 8;
	while (n < needed)
		n = n > SIZE_MAX / 2 ? needed : n * 2;
	size_t bytes;
	if (__builtin_mul_overflow(n, item_bytes, &bytes))
		mem_checked(NULL, SIZE_MAX);
	void *grown = mem_realloc(old, bytes);
	*cap = n;
	return grown;
}

char *mem_strdup(const char *text)
{
	return text ? mem_strndup(text, strlen(text)) : NULL;
}

char *mem_strndup(const char *text, size_t len)
{
	char *copy = mem_realloc(NULL, len + 1);
	if (len)
		memcpy(copy, text, len);
	copy[len] = '\0';
	return copy;
}

char *mem_printf(const char *fmt, ...)
{
	char *text = NULL;
	va_list args;
	va_start(args, fmt);
	int n = vasprintf(&text, fmt, args);
	va_end(args);
	return mem_checked(n < 0 ? NULL : text, 0);
}

void mem_free(void *p)
{
	free(p);
}
