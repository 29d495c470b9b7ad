/* Splits a file into the batches that are sent to a server one by one, so that an error can name
 * its batch. */
#include "server_script.h"

#include <string.h>

#include "vesper/file.h"
#include "vesper/hash.h"

#define SCRIPT_BYTES_MAX (1024 * 1024)

struct splitter {
	struct arena *arena;
	struct batch *batches;
	size_t count;
	const char *name;
	const char *begin; /* first statement of the batch; NULL before it */
	int begin_line;
};

static void end_batch(struct splitter *c, const char *end)
{
	struct str text;

	if (c->begin) {
		text = str_trim((struct str){c->begin, (size_t)(end - c->begin)});
		c->batches[c->count++] = (struct batch){c->name, c->begin_line,
							arena_strndup(c->arena, text.p, text.n)};
	}
	c->begin = NULL;
}

static void add_line(struct splitter *c, struct str line, int number)
{
	struct str trimmed = str_trim(line);

	if (str_starts(trimmed, STR("--#"))) {
		struct str name = str_trim((struct str){trimmed.p + 3, trimmed.n - 3});

		end_batch(c, line.p);
		c->name = arena_strndup(c->arena, name.p, name.n);
	} else if (str_eq_nocase(trimmed, STR("GO"))) {
		end_batch(c, line.p);
	} else if (!c->begin && trimmed.n > 0 && !str_starts(trimmed, STR("--"))) {
		c->begin = line.p;
		c->begin_line = number;
	}
}

static const char *short_path(const char *path)
{
	const char *schema = strstr(path, "sql/schema/");

	return schema ? schema : path;
}

void script_parse(const char *path, const char *text, struct arena *arena, struct script *out)
{
	struct splitter c = {.arena = arena, .name = "main"};
	struct str rest = str_of(text), line;
	size_t lines = 1;
	char hex[HASH_HEX_BYTES];
	int number = 0;

	for (const char *p = text; *p; p++)
		lines += *p == '\n';
	c.batches = arena_alloc(arena, lines * sizeof(*c.batches));
	while (str_split(&rest, '\n', &line))
		add_line(&c, line, ++number);
	end_batch(&c, text + strlen(text));
	hash_sha256_hex(text, strlen(text), hex);
	*out = (struct script){.path = arena_strdup(arena, short_path(path)),
			       .batches = c.batches,
			       .count = c.count,
			       .checksum = arena_strdup(arena, hex)};
}

bool script_load(const char *path, struct arena *arena, struct script *out, struct err *err)
{
	const char *text;

	if (!file_read(path, SCRIPT_BYTES_MAX, arena, &text, err))
		return false;
	script_parse(path, text, arena, out);
	return true;
}

bool script_run(const struct script *script, struct server *server, struct err *err)
{
	for (size_t i = 0; i < script->count; i++) {
		const struct batch *b = &script->batches[i];

		if (!server_run(server, b->text, NULL, 0, err))
			return err_prefix(err, "%s:%d (%s)", script->path, b->line, b->name);
	}
	return true;
}
