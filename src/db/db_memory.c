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
	bool on;
	bool refused;
	int64_t used; /* may be negative: memory from before the statement is freed */
	int64_t max;
} budget;

static bool refuse(int bytes)
{
	budget.refused |= budget.on && budget.used + bytes > budget.max;
	return budget.on && budget.used + bytes > budget.max;
}

static void *count(void *p)
{
	if (p && budget.on)
		budget.used += system_memory.xSize(p);
	return p;
}

static void uncount(void *p)
{
	if (p && budget.on)
		budget.used -= system_memory.xSize(p);
}

static void *memory_new(int bytes)
{
	return refuse(bytes) ? NULL : count(system_memory.xMalloc(bytes));
}

static void memory_free(void *p)
{
	uncount(p);
	system_memory.xFree(p);
}

static void *memory_resize(void *p, int bytes)
{
	void *to;

	if (refuse(bytes - system_memory.xSize(p)))
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
	budget.on = true;
	budget.refused = false;
	budget.used = 0;
	budget.max = bytes_max;
}

bool db_memory_end(void)
{
	budget.on = false;
	return budget.refused;
}
