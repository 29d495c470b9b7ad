/* Listed URLs stay, and nothing else in an answer can become a link, an image or a tag. */
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

static void assert_plain(const char *text, const char *plain)
{
	static const struct filter links = {begin, feed, end};

	assert_output(&links, text, plain);
}

static void assert_same(const char *text)
{
	assert_plain(text, text);
}

static void test_plain_text_is_unchanged(void **state)
{
	(void)state;
	assert_same(
		"The average is $48.73/MWh (as-of: Jan_2025); hours 15:00-20:00. Wow! [1], a/b.");
	assert_same("a < b, 5 <7, x->y, c:/d, and/or, 16:00, e.g.: this; www is a word. www");
	assert_same("- [ ] open\n- [x] done\n| a | b |\n|---|:-:|\nann@vesper.example: 3 views");
	assert_same("größer als “üblich” 🟢 –");
	assert_same("");
}

static void test_listed_hosts_stay(void **state)
{
	(void)state;
	assert_same("See https://app.powerbi.com/groups/x?y=1 and http://APP.powerbi.com.");
	assert_same("https://vesper.example:8443/reports, www.corp.example/x");
	assert_same("https://app.powerbi.com");
	assert_plain("[Report](https://app.powerbi.com/x)", "[Report] (https://app.powerbi.com/x)");
}

static void test_removes_unlisted_hosts(void **state)
{
	(void)state;
	assert_plain("See https://evil.example/a?b=48.73 now.", "See https (link removed) now.");
	assert_plain("http://evil.example", "http (link removed)");
	assert_plain("ftp://app.powerbi.com/x", "ftp (link removed)");
	assert_plain("xhttps://app.powerbi.com", "xhttps (link removed)");
	assert_plain("9https://app.powerbi.com", "9https (link removed)");
	assert_plain("https://app.powerbi.com.evil.example/", "https (link removed)");
	assert_plain("https://app.powerbi.com@evil.example/", "https (link removed)");
	assert_plain("https://evil.example\\@app.powerbi.com", "https (link removed)");
	assert_plain("https://app.powerbi.com:8080/", "https (link removed)");
	assert_plain("https://аpp.powerbi.com/", "https (link removed)"); /* a Cyrillic letter */
	assert_plain("www.evil.example/x WWW.evil.example",
		     "www (link removed) WWW (link removed)");
	assert_plain("https://app.powerbi.com/r?u=https://evil.example/x",
		     "https://app.powerbi.com/r?u=https (link removed)");
	assert_plain("https://app.powerbi.com|https://evil.example",
		     "https://app.powerbi.com|https (link removed)");
}

static void test_breaks_markup_links(void **state)
{
	(void)state;
	assert_plain("[Click](https://evil.example/?q=secret)", "[Click] (https (link removed))");
	assert_plain("[a](//evil.example)", "[a] (//evil.example)");
	assert_plain("[a](javascript:alert(1))", "[a] (javascript:alert(1))");
	assert_plain("![x](https://evil.example/p.png)", "! [x] (https (link removed))");
	assert_plain("Great![x][1]\n[1]: //evil.example", "Great! [x][1]\n[1] : //evil.example");
	assert_plain("<img src=x onerror=alert(1)>", "< img src=x onerror=alert(1)>");
	assert_plain("</data><!-- x --><?php", "< /data>< !-- x -->< ?php");
	assert_plain("<https://evil.example>", "< https (link removed)>");
	assert_plain("<a href='https://evil.example'>x</a>",
		     "< a href='https (link removed)>x< /a>");
}

static void test_removes_bidi_controls(void **state)
{
	(void)state;
	assert_plain("\u202E37.84\u202C and \u206648.73\u2069", "37.84 and 48.73");
	assert_same("a\u200Bb \u2013 c");
}

static void test_host_length_is_limited(void **state)
{
	char text[400] = "https://", expected[400] = "https (link removed) ok";

	(void)state;
	memset(text + 8, 'a', 350);
	strncat(text, " ok", sizeof(text) - strlen(text) - 1);
	assert_plain(text, expected);
}

static void note_count(void *owner, const char *text, size_t len)
{
	(void)text;
	*(size_t *)owner += len;
}

static void test_passes_text_without_delay(void **state)
{
	size_t seen = 0;
	struct guard_links *l = guard_links_new(hosts, note_count, &seen);

	(void)state;
	guard_links_feed(l, "Was it! See [this] or https", 27);
	assert_int_equal(seen, 27);
	guard_links_feed(l, "://app.powerbi", 14);
	assert_int_equal(seen, 27);
	guard_links_feed(l, ".com/", 5);
	assert_int_equal(seen, 46);
	guard_links_free(&l);
}

static void test_complete_texts(void **state)
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
		cmocka_unit_test(test_plain_text_is_unchanged),
		cmocka_unit_test(test_listed_hosts_stay),
		cmocka_unit_test(test_removes_unlisted_hosts),
		cmocka_unit_test(test_breaks_markup_links),
		cmocka_unit_test(test_removes_bidi_controls),
		cmocka_unit_test(test_host_length_is_limited),
		cmocka_unit_test(test_passes_text_without_delay),
		cmocka_unit_test(test_complete_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
