/* Reports the results of replayed conversations: as text, as JSON, as JUnit. */
#include "eval_int.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/mem.h"

static void write_xml(FILE *out, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '<':
			fputs("&lt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
		}
}

static void print_junit(FILE *out, const json_t *results, size_t failed)
{
	const json_t *r, *difference;
	size_t i, k;

	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"vesper eval\" "
		"tests=\"%zu\" failures=\"%zu\">\n",
		json_array_size(results), failed);
	json_array_foreach(results, i, r) {
		fputs("  <testcase classname=\"", out);
		write_xml(out, json_string_value(json_object_get(r, "file")));
		fputs("\" name=\"", out);
		write_xml(out, json_string_value(json_object_get(r, "content")));
		fputs("\">", out);
		json_array_foreach(json_object_get(r, "differences"), k, difference) {
			fputs("<failure message=\"", out);
			write_xml(out, json_string_value(difference));
			fputs("\"/>", out);
		}
		fputs("</testcase>\n", out);
	}
	fputs("</testsuite>\n", out);
}

static const char *result_note(const json_t *result)
{
	const json_t *calls = json_object_get(result, "model_calls");

	if (json_integer_value(json_object_get(calls, "missing")))
		return " (a model call was not recorded)";
	if (json_integer_value(json_object_get(calls, "stood_in")))
		return " (prompts have changed since the recording)";
	return "";
}

/* If there are several conversations, prints the name of each. */
static void print_file(const json_t *results, size_t at)
{
	const char *first = json_string_value(json_object_get(json_array_get(results, 0), "file"));
	const char *last = json_string_value(
		json_object_get(json_array_get(results, json_array_size(results) - 1), "file"));
	const char *file = json_string_value(json_object_get(json_array_get(results, at), "file"));
	const char *before =
		json_string_value(json_object_get(json_array_get(results, at - 1), "file"));

	if (strcmp(first, last) != 0 && (at == 0 || strcmp(before, file) != 0))
		printf("%s\n", file);
}

static void print_lines(const json_t *results, size_t failed)
{
	const json_t *r, *difference;
	size_t i, k;

	json_array_foreach(results, i, r) {
		print_file(results, i);
		printf("%s %s%s\n", json_is_true(json_object_get(r, "ok")) ? "ok  " : "FAIL",
		       json_string_value(json_object_get(r, "content")), result_note(r));
		json_array_foreach(json_object_get(r, "differences"), k, difference)
			printf("     %s\n", json_string_value(difference));
	}
	printf("%zu turns, %zu failed\n", json_array_size(results), failed);
}

int eval_report(const json_t *results, FILE *junit, bool as_json)
{
	const json_t *r;
	size_t i, failed = 0;

	json_array_foreach(results, i, r)
		failed += !json_is_true(json_object_get(r, "ok"));
	if (as_json) {
		char *text = json_text(results);

		puts(text);
		mem_free(text);
	} else {
		print_lines(results, failed);
	}
	if (junit)
		print_junit(junit, results, failed);
	return failed > 0;
}
