/* A dictionary from words to small numbers, built once and read often. Reading: any thread. */
#ifndef VESPER_DICT_H
#define VESPER_DICT_H

#include <stddef.h>

#include "vesper/arena.h"

struct dict {
	struct arena *arena;
	struct dict_slot *slots;
	size_t size, count;
};

void dict_init(struct dict *d, struct arena *a);
/* The number stored for the word, or -1. */
int dict_find(const struct dict *d, const char *word, size_t len);
/* Adds or replaces; `number` is at least 0. */
void dict_put(struct dict *d, const char *word, size_t len, int number);

#endif
