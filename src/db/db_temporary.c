/*
 * Keeps SQLite's temporary files in memory. SQLite sorts in one of two ways. With temp_store MEMORY
 * each record is an allocation: sorting a million records takes a second or more, and longer as the
 * heap fragments. With temp_store FILE it sorts parts that fit the processor's cache and merges
 * them from a file. This VFS stores that file in blocks of memory, which count towards the
 * statement's memory limit. So no rows reach a disk, and no folder needs to be writable.
 */
#include "db_int.h"

#include <sqlite3.h>
#include <string.h>

#define BLOCK_BYTES (256 * 1024) /* the allocator returns blocks of this size to the system */
#define BLOCKS_STEP 64

struct temporary {
	sqlite3_file base; /* first */
	char **blocks;
	size_t block_count, block_cap;
	sqlite3_int64 size;
};

static sqlite3_vfs *base_vfs, vfs;

static int on_close(sqlite3_file *file)
{
	struct temporary *t = (struct temporary *)file;

	for (size_t i = 0; i < t->block_count; i++)
		sqlite3_free(t->blocks[i]);
	sqlite3_free(t->blocks);
	return SQLITE_OK;
}

static size_t within_block(sqlite3_int64 at, size_t want)
{
	size_t left = BLOCK_BYTES - (size_t)(at % BLOCK_BYTES);

	return want < left ? want : left;
}

static int on_read(sqlite3_file *file, void *to, int bytes, sqlite3_int64 at)
{
	const struct temporary *t = (struct temporary *)file;
	sqlite3_int64 available = at < t->size ? t->size - at : 0;
	size_t want = (size_t)(available < bytes ? available : bytes);

	for (size_t done = 0, n; done < want; done += n) {
		sqlite3_int64 from = at + (sqlite3_int64)done;

		n = within_block(from, want - done);
		memcpy((char *)to + done, t->blocks[from / BLOCK_BYTES] + from % BLOCK_BYTES, n);
	}
	if (want == (size_t)bytes)
		return SQLITE_OK;
	memset((char *)to + want, 0, (size_t)bytes - want);
	return SQLITE_IOERR_SHORT_READ;
}

static bool grow(struct temporary *t, sqlite3_int64 size)
{
	while ((sqlite3_int64)t->block_count * BLOCK_BYTES < size) {
		char *block = sqlite3_malloc(BLOCK_BYTES);

		if (!block)
			return false;
		if (t->block_count == t->block_cap) {
			size_t cap = t->block_cap + BLOCKS_STEP;
			char **blocks = sqlite3_realloc64(t->blocks, cap * sizeof(*blocks));

			if (!blocks) {
				sqlite3_free(block);
				return false;
			}
			t->blocks = blocks;
			t->block_cap = cap;
		}
		memset(block, 0, BLOCK_BYTES); /* unwritten bytes read as zeros */
		t->blocks[t->block_count++] = block;
	}
	return true;
}

static int on_write(sqlite3_file *file, const void *from, int bytes, sqlite3_int64 at)
{
	struct temporary *t = (struct temporary *)file;
	size_t want = (size_t)bytes;

	if (!grow(t, at + bytes))
		return SQLITE_NOMEM;
	for (size_t done = 0, n; done < want; done += n) {
		sqlite3_int64 to = at + (sqlite3_int64)done;

		n = within_block(to, want - done);
		memcpy(t->blocks[to / BLOCK_BYTES] + to % BLOCK_BYTES, (const char *)from + done,
		       n);
	}
	if (at + bytes > t->size)
		t->size = at + bytes;
	return SQLITE_OK;
}

static int on_truncate(sqlite3_file *file, sqlite3_int64 size)
{
	struct temporary *t = (struct temporary *)file;
	size_t block_limit = (size_t)((size + BLOCK_BYTES - 1) / BLOCK_BYTES);

	while (t->block_count > block_limit)
		sqlite3_free(t->blocks[--t->block_count]);
	if (size < t->size) {
		if (size % BLOCK_BYTES > 0)
			memset(t->blocks[block_limit - 1] + size % BLOCK_BYTES, 0,
			       BLOCK_BYTES - (size_t)(size % BLOCK_BYTES));
		t->size = size;
	}
	return SQLITE_OK;
}

static int on_sync(sqlite3_file *file, int flags)
{
	(void)file;
	(void)flags;
	return SQLITE_OK;
}

static int on_size(sqlite3_file *file, sqlite3_int64 *size)
{
	*size = ((struct temporary *)file)->size;
	return SQLITE_OK;
}

static int on_lock(sqlite3_file *file, int level)
{
	(void)file;
	(void)level;
	return SQLITE_OK;
}

static int on_reserved(sqlite3_file *file, int *is_locked)
{
	(void)file;
	*is_locked = 0;
	return SQLITE_OK;
}

static int on_control(sqlite3_file *file, int op, void *argument)
{
	(void)file;
	(void)op;
	(void)argument;
	return SQLITE_NOTFOUND;
}

static int on_sector(sqlite3_file *file)
{
	(void)file;
	return 0; /* the library's default */
}

static int on_device(sqlite3_file *file)
{
	(void)file;
	return 0;
}

static const sqlite3_io_methods methods = {
	.iVersion = 1,
	.xClose = on_close,
	.xRead = on_read,
	.xWrite = on_write,
	.xTruncate = on_truncate,
	.xSync = on_sync,
	.xFileSize = on_size,
	.xLock = on_lock,
	.xUnlock = on_lock,
	.xCheckReservedLock = on_reserved,
	.xFileControl = on_control,
	.xSectorSize = on_sector,
	.xDeviceCharacteristics = on_device,
};

/* A file without a name is a temporary one. */
static int on_open(sqlite3_vfs *self, const char *name, sqlite3_file *file, int flags,
		   int *out_flags)
{
	(void)self;
	if (name)
		return base_vfs->xOpen(base_vfs, name, file, flags, out_flags);
	*(struct temporary *)file = (struct temporary){.base = {&methods}};
	if (out_flags)
		*out_flags = flags;
	return SQLITE_OK;
}

void db_temporary_init(void)
{
	base_vfs = sqlite3_vfs_find(NULL);
	vfs = *base_vfs;
	vfs.zName = "vesper";
	vfs.pNext = NULL;
	vfs.xOpen = on_open;
	if (vfs.szOsFile < (int)sizeof(struct temporary))
		vfs.szOsFile = (int)sizeof(struct temporary);
	sqlite3_vfs_register(&vfs, 1);
}
