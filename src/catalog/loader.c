/*
 * Shared parts of the loader: reads each file once and keeps its text for the hash, which
 * identifies this state of the catalogue.
 */
#include "catalog_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/file.h"
#include "vesper/json.h"
#include "vesper/limits.h"

bool load_text(struct loader *l, const char *path, size_t cap_bytes, struct arena *a,
	       const char **out, struct err *e)
{
	const char *full = arena_printf(a, "%s/%s", l->root, path);
	const char *text;

	if (!file_read(full, cap_bytes, a, &text, e))
		return false;
	if (!file_is_inside(l->root, full))
		return err_set(e, ERR_INPUT, "%s:1: the symbolic link points outside %s", path,
			       l->root);
	buf_str(&l->sources, path);
	buf_char(&l->sources, '\0');
	buf_str(&l->sources, text);
	buf_char(&l->sources, '\0');
	if (buf_over(&l->sources))
		return err_set(e, ERR_LIMIT,
			       "%s: the files of the catalogue are larger than %d bytes", path,
			       CATALOG_BYTES_MAX);
	*out = text;
	return true;
}

bool load_json(struct loader *l, const char *path, struct words_file *f, json_t **out,
	       struct err *e)
{
	*f = (struct words_file){.path = path, .arena = l->arena, .err = e};
	return load_text(l, path, JSON_FILE_BYTES_MAX, l->arena, &f->text, e) &&
	       words_parse(f, out);
}

bool load_pack_json(struct loader *l, const char *name, struct words_file *f, json_t **out,
		    struct err *e)
{
	struct err why = {0};

	if (load_json(l, pack_file(l, name), f, out, &why)) {
		f->err = e;
		return true;
	}
	*out = NULL;
	if (why.code == ERR_NOT_FOUND)
		return true;
	*e = why;
	return false;
}

bool load_file_fail(const struct words_file *f)
{
	size_t n = strcspn(f->err->text, ": ");
	int line = json_line(f->text, arena_strndup(f->arena, f->err->text, n));

	return err_prefix(f->err, "%s:%d", f->path, line);
}

bool load_names(const struct loader *l, const char *folder, const char *const **out, struct err *e)
{
	static const char *const none[] = {NULL};

	struct err why = {0};

	if (file_list(arena_printf(l->arena, "%s/%s", l->root, folder), l->arena, out, &why))
		return true;
	*out = none;
	if (why.code == ERR_NOT_FOUND)
		return true;
	*e = why;
	return false;
}

bool load_texts(struct loader *l, const json_t *array, const char *what, const char *const **out,
		struct err *e)
{
	struct strlist list = {0};
	const json_t *item;
	size_t i;

	if (!json_is_array(array))
		return err_set(e, ERR_INPUT, "%s: not a list", what);
	strlist_add(&list, l->arena, NULL);
	json_array_foreach(array, i, item) {
		const char *text = json_string_value(item);
		if (!text || !*text)
			return err_set(e, ERR_INPUT, "%s[%zu]: not a string", what, i);
		if (strlist_has(list.items, text))
			return err_set(e, ERR_INPUT, "%s[%zu]: %s appears twice", what, i, text);
		strlist_add(&list, l->arena, text);
	}
	*out = list.items;
	return true;
}

/* ---- front matter ---- */

bool front_matter_fail(const struct front_matter *m, struct err *e, const char *what,
		       struct str text)
{
	return err_set(e, ERR_INPUT, "%s:%d: %s%.*s", m->path, m->line, what, STR_FMT(text));
}

bool front_matter_int(const struct front_matter *m, struct str text, int *out, struct err *e)
{
	const char *digits = arena_strndup(m->arena, text.p, text.n);
	char *end;
	long order;

	errno = 0;
	order = strtol(digits, &end, 10);
	if (!*digits || *end || errno != 0 || order < 0 || order > 1000000)
		return front_matter_fail(m, e, "order must be a whole number, not ", text);
	*out = (int)order;
	return true;
}

static bool read_key(struct front_matter *m, struct str key, struct str text, struct err *e)
{
	const char *name = arena_strndup(m->arena, key.p, key.n);

	if (strlist_has(m->seen.items, name))
		return front_matter_fail(m, e, "duplicate key: ", key);
	strlist_add(&m->seen, m->arena, name);
	m->open = NULL;
	if (!m->read_key(m, key, text, e))
		return false;
	if (m->open && text.n > 0)
		return front_matter_fail(m, e, "list items must follow as \"- …\" lines: ", key);
	if (!m->open && text.n == 0)
		return front_matter_fail(m, e, "empty: ", key);
	return true;
}

static bool read_line(struct front_matter *m, struct str line, struct err *e)
{
	struct str rest, key;

	line = str_trim(line);
	if (line.n == 0)
		return true;
	if (line.p[0] == '-') {
		struct str item = str_trim((struct str){line.p + 1, line.n - 1});

		if (!m->open || item.n == 0)
			return front_matter_fail(m, e, "list item outside a list: ", line);
		strlist_add(m->open, m->arena, arena_strndup(m->arena, item.p, item.n));
		return true;
	}
	rest = line;
	if (!str_split(&rest, ':', &key) || !rest.p)
		return front_matter_fail(m, e, "expected \"key: value\", not ", line);
	return read_key(m, str_trim(key), str_trim(rest), e);
}

bool front_matter_read(struct front_matter *m, struct str *rest, struct err *e)
{
	struct str line;

	for (m->line = 1; str_split(rest, '\n', &line); m->line++) {
		bool is_fence = str_eq(str_trim(line), STR("---"));

		if (m->line == 1 && !is_fence)
			break;
		if (m->line > 1 && is_fence)
			return true;
		if (!is_fence && !read_line(m, line, e))
			return false;
	}
	m->line = 1;
	return front_matter_fail(m, e, "the file must begin with front matter between --- lines",
				 STR(""));
}
