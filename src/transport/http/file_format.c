/* Types and names of the files that users upload as data sources and documents. */
#include "file_format.h"

#include "vesper/str.h"

#define EXTENSION_COUNT 3

struct format {
	enum source_kind kind;
	const char *type, *format;
	const char *extensions[EXTENSION_COUNT];
};

static const struct format formats[] = {
	{SOURCE_TABLE, "text/csv", "csv", {".csv"}},
	{SOURCE_TABLE, "text/tab-separated-values", "tsv", {".tsv", ".tab"}},
	{SOURCE_TABLE, "application/x-ndjson", "jsonl", {".jsonl", ".ndjson"}},
	{SOURCE_TABLE, "application/jsonl", "jsonl", {NULL}},
	{SOURCE_DOCUMENT, "text/markdown", "text", {".md", ".markdown"}},
	{SOURCE_DOCUMENT, "text/plain", "text", {".txt", ".text"}},
	{SOURCE_DOCUMENT, "text/html", "html", {".html", ".htm"}},
};
#define FORMAT_COUNT (sizeof(formats) / sizeof(formats[0]))

static const char *by_type(struct str type, enum source_kind kind)
{
	for (size_t i = 0; i < FORMAT_COUNT; i++)
		if (formats[i].kind == kind && str_eq_nocase(type, str_of(formats[i].type)))
			return formats[i].format;
	return NULL;
}

static const char *by_name(const char *name, enum source_kind kind)
{
	for (size_t i = 0; name && i < FORMAT_COUNT; i++)
		for (size_t n = 0; n < EXTENSION_COUNT && formats[i].extensions[n]; n++)
			if (formats[i].kind == kind &&
			    str_ends(str_of(name), str_of(formats[i].extensions[n])))
				return formats[i].format;
	return NULL;
}

const char *file_format_of(enum source_kind kind, const char *content_type, const char *name)
{
	struct str rest = str_of(content_type), type;

	str_split(&rest, ';', &type);
	type = str_trim(type);
	if (type.n > 0 && !str_eq_nocase(type, STR("application/octet-stream")))
		return by_type(type, kind);
	return by_name(name, kind);
}

const char *file_format_hint(enum source_kind kind)
{
	return kind == SOURCE_DOCUMENT ? "Save it as text, Markdown or HTML and upload that."
				       : "Export it as CSV, TSV or JSON lines and upload that.";
}
