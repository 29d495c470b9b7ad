/* Reads the input of eval: recorded conversations, their exchanges with models, and users'
 * corrections. */
#include "correction.h"
#include "eval_int.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vesper/clock.h"
#include "vesper/file.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/record.h"
#include "vesper/str.h"

static bool read_json_file(const char *folder, const char *name, struct arena *a, json_t **out,
			   struct err *e)
{
	const char *path = arena_printf(a, "%s/%s", folder, name), *text;

	return file_read(path, LLM_REQUEST_BYTES_MAX, a, &text, e) &&
	       json_parse(text, strlen(text), LLM_REQUEST_BYTES_MAX, out, e);
}

static bool read_exchanges(struct eval_cases *v, const char *folder, struct arena *a, struct err *e)
{
	const char *const *names;

	if (!file_list(folder, a, &names, e))
		return false;
	for (; *names; names++) {
		const char *hash;
		json_t *one;

		if (!str_ends(str_of(*names), STR(RECORD_EXCHANGE_SUFFIX)))
			continue;
		if (!read_json_file(folder, *names, a, &one, e))
			return err_prefix(e, "%s", *names);
		if (!json_get_str(one, "hash", &hash, e)) {
			json_decref(one);
			return err_prefix(e, "%s", *names);
		}
		json_object_set_new(v->exchanges, hash, one);
	}
	return true;
}

static bool check_line(const json_t *line, struct err *e)
{
	const char *text;
	json_t *expect = NULL;
	struct date day;

	if (!json_get_str(line, "format", &text, e))
		return false;
	if (strcmp(text, RECORD_CASE_FORMAT) != 0)
		return err_set(e, ERR_INPUT, "format: must be " RECORD_CASE_FORMAT);
	if (!json_get_str(line, "tenant", &text, e) || !json_get_str(line, "content", &text, e) ||
	    !json_opt_object(line, "expect", &expect, e) || !json_get_str(line, "today", &text, e))
		return false;
	return date_parse_iso(text, &day) || err_set(e, ERR_INPUT, "today: must be a date");
}

static bool read_case(struct eval_cases *v, const char *folder, const char *name, struct arena *a,
		      struct err *e)
{
	const char *text;
	struct str rest, one;
	size_t number = 0;

	if (!file_read(arena_printf(a, "%s/%s", folder, name), LLM_REQUEST_BYTES_MAX, a, &text, e))
		return false;
	rest = str_of(text);
	while (str_split(&rest, '\n', &one)) {
		json_t *line;

		number++;
		if (str_trim(one).n == 0)
			continue;
		if (!json_parse(one.p, one.n, LLM_REQUEST_BYTES_MAX, &line, e))
			return err_prefix(e, "%s:%zu", name, number);
		json_set_str(line, "file", name);
		json_push_take(v->lines, line);
		if (!check_line(line, e))
			return err_prefix(e, "%s:%zu", name, number);
	}
	return true;
}

/* "s.case.jsonl" has its corrections in "s.corrections.jsonl". */
static bool read_corrections(struct eval_cases *v, const char *folder, const char *name,
			     struct arena *a, struct err *e)
{
	const char *stem, *path;
	size_t i;
	json_t *by_message, *line;
	const char *text;

	if (!str_ends(str_of(name), STR(RECORD_CASE_SUFFIX)))
		return true;
	stem = arena_strndup(a, name, strlen(name) - strlen(RECORD_CASE_SUFFIX));
	path = arena_printf(a, "%s/%s" RECORD_CORRECTIONS_SUFFIX, folder, stem);
	if (access(path, F_OK) != 0)
		return true;
	by_message = json_own(a, json_object());
	if (!file_read(path, LLM_REQUEST_BYTES_MAX, a, &text, e) ||
	    !corrections_read(by_message, text, e))
		return err_prefix(e, "%s", path);
	json_array_foreach(v->lines, i, line)
		correction_apply(by_message, line);
	return true;
}

bool eval_read(struct eval_cases *v, const char *path, struct arena *a, struct err *e)
{
	struct stat st;
	const char *const *names, *slash = strrchr(path, '/'), *folder;

	if (stat(path, &st) != 0)
		return err_set(e, ERR_NOT_FOUND, "%s: no such file or folder", path);
	if (!S_ISDIR(st.st_mode)) {
		folder = slash ? arena_strndup(a, path, (size_t)(slash - path)) : ".";
		return read_exchanges(v, *folder ? folder : "/", a, e) &&
		       read_case(v, *folder ? folder : "/", slash ? slash + 1 : path, a, e) &&
		       read_corrections(v, *folder ? folder : "/", slash ? slash + 1 : path, a, e);
	}
	if (!read_exchanges(v, path, a, e) || !file_list(path, a, &names, e))
		return false;
	for (; *names; names++)
		if (str_ends(str_of(*names), STR(RECORD_CASE_SUFFIX)) &&
		    (!read_case(v, path, *names, a, e) || !read_corrections(v, path, *names, a, e)))
			return false;
	return json_array_size(v->lines) > 0 ||
	       err_set(e, ERR_NOT_FOUND, "%s: contains no *" RECORD_CASE_SUFFIX " file", path);
}
