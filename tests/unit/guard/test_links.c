/* URLs of listed hosts are kept. Nothing else in an answer can become a link, an image or a tag. */
#include "pieces.h"

static const char *const hosts[] = {"app.powerbi.com", "Vesper.example:8443", "www.corp.example",
				    NULL};

static void *begin(void (*on_text)(void *owner, const char *text, size_t len), void *owner)
{
	return guard_links_new(hosts, on_text, owner);
}

static void feed(void *l, const char *text, size_t len)
{
	guard_links_feed(l, text, len);
}

static void end(void *filter)
{
	struct guard_links *l = filter;

	guard_links_end(l);
	guard_links_free(&l);
}

static void assert_filtered(const char *text, const char *expected)
{
	static const struct filter links = {begin, feed, end};

	assert_output(&links, text, expected);
}

static void assert_unchanged(const char *text)
{
	assert_filtered(text, text);
}

static void plain_text_is_unchanged(void **state)
{
	(void)state;
	assert_unchanged(
		"The average is $48.73/MWh (as-of: Jan_2025); hours 15:00-20:00. Wow! [1], a/b.");
	assert_unchanged("a < b, 5 <7, x->y, c:/d, and/or, 16:00, e.g.: this; www is a word. www");
	assert_unchanged(
		"- [ ] open\n- [x] done\n| a | b |\n|---|:-:|\nann@vesper.example: 3 views");
	assert_unchanged("größer als “üblich” 🟢 –");
	assert_unchanged("");
}

static void keeps_links_to_listed_hosts(void **state)
{
	(void)state;
	assert_unchanged("See https://app.powerbi.com/groups/x?y=1 and http://APP.powerbi.com.");
	assert_unchanged("https://vesper.example:8443/reports, www.corp.example/x");
	assert_unchanged("https://app.powerbi.com");
	assert_filtered("[Report](https://app.powerbi.com/x)",
			"[Report] (https://app.powerbi.com/x)");
}

static void removes_links_to_other_hosts(void **state)
{
	(void)state;
	assert_filtered("See https://evil.example/a?b=48.73 now.", "See https (link removed) now.");
	assert_filtered("http://evil.example", "http (link removed)");
	assert_filtered("ftp://app.powerbi.com/x", "ftp (link removed)");
	assert_filtered("xhttps://app.powerbi.com", "xhttps (link removed)");
	assert_filtered("9https://app.powerbi.com", "9https (link removed)");
	assert_filtered("https://app.powerbi.com.evil.example/", "https (link removed)");
	assert_filtered("https://app.powerbi.com@evil.example/", "https (link removed)");
	assert_filtered("https://evil.example\\@app.powerbi.com", "https (link removed)");
	assert_filtered("https://app.powerbi.com:8080/", "https (link removed)");
	assert_filtered("https://аpp.powerbi.com/", "https (link removed)"); /* a Cyrillic letter */
	assert_filtered("www.evil.example/x WWW.evil.example",
			"www (link removed) WWW (link removed)");
	assert_filtered("https://app.powerbi.com/r?u=https://evil.example/x",
			"https://app.powerbi.com/r?u=https (link removed)");
	assert_filtered("https://app.powerbi.com|https://evil.example",
			"https://app.powerbi.com|https (link removed)");
}

static void breaks_links_in_markup(void **state)
{
	(void)state;
	assert_filtered("[Click](https://evil.example/?q=secret)",
			"[Click] (https (link removed))");
	assert_filtered("[a](//evil.example)", "[a] (//evil.example)");
	assert_filtered("[a](javascript:alert(1))", "[a] (javascript:alert(1))");
	assert_filtered("![x](https://evil.example/p.png)", "! [x] (https (link removed))");
	assert_filtered("Great![x][1]\n[1]: //evil.example", "Great! [x][1]\n[1] : //evil.example");
	assert_filtered("<img src=x onerror=alert(1)>", "< img src=x onerror=alert(1)>");
	assert_filtered("</data><!-- x --><?php", "< /data>< !-- x -->< ?php");
	assert_filtered("<https://evil.example>", "< https (link removed)>");
	assert_filtered("<a href='https://evil.example'>x</a>",
			"< a href='https (link removed)>x< /a>");
}

static void removes_bidi_controls(void **state)
{
	(void)state;
	assert_filtered("\u202E37.84\u202C and \u206648.73\u2069", "37.84 and 48.73");
	assert_unchanged("a\u200Bb \u2013 c");
}

static void limits_host_length(void **state)
{
	char text[400] = "https://", expected[400] = "https (link removed) ok";

	(void)state;
	memset(text + 8, 'a', 350);
	strncat(text, " ok", sizeof(text) - strlen(text) - 1);
	assert_filtered(text, expected);
}

static void add_length(void *owner, const char *text, size_t len)
{
	(void)text;
	*(size_t *)owner += len;
}

static void passes_text_without_delay(void **state)
{
	size_t passed_bytes = 0;
	struct guard_links *l = guard_links_new(hosts, add_length, &passed_bytes);

	(void)state;
	guard_links_feed(l, "Was it! See [this] or https", 27);
	assert_int_equal(passed_bytes, 27);
	guard_links_feed(l, "://app.powerbi", 14);
	assert_int_equal(passed_bytes, 27);
	guard_links_feed(l, ".com/", 5);
	assert_int_equal(passed_bytes, 46);
	guard_links_free(&l);
}

static void filters_complete_texts(void **state)
{
	struct arena *a = arena_new(1 << 16);

	(void)state;
	assert_string_equal(guard_links_plain(hosts, "[a](http://b.c/d)", 17, a),
			    "[a] (http (link removed))");
	assert_string_equal(guard_links_plain(NULL, "", 0, a), "");
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_text_is_unchanged),
		cmocka_unit_test(keeps_links_to_listed_hosts),
		cmocka_unit_test(removes_links_to_other_hosts),
		cmocka_unit_test(breaks_links_in_markup),
		cmocka_unit_test(removes_bidi_controls),
		cmocka_unit_test(limits_host_length),
		cmocka_unit_test(passes_text_without_delay),
		cmocka_unit_test(filters_complete_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
