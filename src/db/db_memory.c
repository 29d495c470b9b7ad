/*
 * Limits SQLite's memory per statement. Sorts and temporary tables stay in memory, and a limit of
 * the whole library would need a lock at every allocation. The bytes that a statement allocates,
 * less those it frees, are counted on the thread that runs it. Beyond the limit its allocations
 * fail.
 */
#include "db_int.h"

#include <sqlite3.h>

static sqlite3_mem_methods system_memory;

static _Thread_local struct {
	bool is_active;
	bool was_exceeded;
	int64_t used; /* may be negative: memory from before the statement is freed */
	int64_t max;
} budget;

static bool would_exceed(int bytes)
{
	budget.was_exceeded |= budget.is_active && budget.used + bytes > budget.max;
	return budget.is_active && budget.used + bytes > budget.max;
}

static void *count(void *p)
{
	if (p && budget.is_active)
		budget.used += system_memory.xSize(p);
	return p;
}

static void uncount(void *p)
{
	if (p && budget.is_active)
		budget.used -= system_memory.xSize(p);
}

static void *memory_new(int bytes)
{
	return would_exceed(bytes) ? NULL : count(system_memory.xMalloc(bytes));
}

static void memory_free(void *p)
{
	uncount(p);
	system_memory.xFree(p);
}

static void *memory_resize(void *p, int bytes)
{
	void *to;

	if (would_exceed(bytes - system_memory.xSize(p)))
		return NULL;
	uncount(p);
	to = system_memory.xRealloc(p, bytes);
	count(to ? to : p);
	return to;
}

void db_memory_init(void)
{
	sqlite3_mem_methods counted;

	if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &system_memory) != SQLITE_OK)
		return; /* the library is already in use, which happens only in tests */
	counted = system_memory;
	counted.xMalloc = memory_new;
	counted.xFree = memory_free;
	counted.xRealloc = memory_resize;
	sqlite3_config(SQLITE_CONFIG_MALLOC, &counted);
}

void db_memory_begin(int64_t bytes_max)
{
	budget.is_active = true;
	budget.was_exceeded = false;
	budget.used = 0;
	budget.max = bytes_max;
}

bool db_memory_end(void)
{
	budget.is_active = false;
	return budget.was_exceeded;
}
