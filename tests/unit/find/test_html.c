/* Extracts the visible text of a page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vesper/find.h"
#include "vesper/limits.h"

static void check(const char *html, const char *want)
{
	struct buf out;

	buf_init(&out, 1 << 20);
	find_html(str_of(html), &out);
	assert_string_equal(buf_text(&out), want);
	buf_deinit(&out);
}

static void converts_html_to_lines(void **state)
{
	(void)state;
	check("<h1>Policy</h1><p>First <b>bold</b>\n  words.<p>Second.",
	      "# Policy\n\nFirst bold words."
	      "\n\nSecond.\n");
	check("<ul><li>One<li>Two</ul>", "- One\n- Two\n");
	check("<table><tr><th>Name<th>Age</tr><tr><td>Ann</td><td>40</td></tr></table>After",
	      "Name | Age\nAnn | 40\n\nAfter\n");
	check("a<br>b<br/>c", "a\nb\nc\n");
	check("<h3>Deep</h3>x", "### Deep\n\nx\n");
	check("<div><div><p></p></div></div>x", "x\n");
	check("", "");
	check("   \n ", "");
}

static void removes_invisible_content(void **state)
{
	(void)state;
	check("a<script>if (1 < 2) alert('<p>no</p>')</script>b", "ab\n");
	check("a<style>p{}</style> b", "a b\n");
	check("<title>T</title>a<!-- <p>no</p> -->b", "ab\n");
	check("a<nav>x<nav>y</nav>z</nav>b", "ab\n");
	check("a<svg><path d='M0'/><text>no</text></svg>b<template><p>no</template>c", "abc\n");
	check("<p title=\"</p><p>no\" onclick='x>y'>yes</p>", "yes\n");
	check("a<script>never closed <p>no", "a\n");
	check("a<!-- never closed", "a\n");
	check("<!DOCTYPE html><?xml version='1'?>a", "a\n");
	check("<a href=\"javascript:alert(1)\">word</a>", "word\n");
}

static void decodes_entities(void **state)
{
	(void)state;
	check("5 &lt; 6 &amp;&amp; 7&nbsp;&gt;&#32;2", "5 < 6 && 7 > 2\n");
	check("&euro;5 &#8364;5 &#x20AC;5 &#xD800; &#99999999;", "\u20ac"
								 "5 \u20ac"
								 "5 \u20ac"
								 "5 \ufffd \ufffd\n");
	check("AT&T &unknown; & &#; &#x; &amp", "AT&T &unknown; & &#; &#x; &amp\n");
	check("&lt;script&gt;", "<script>\n"); /* a text about markup */
}

static void accepts_broken_markup(void **state)
{
	(void)state;
	check("1 < 2 <", "1 < 2 <\n");
	check("a</p></p></nav></b>b", "a\n\nb\n");
	check("<p", "");
	check("x<p class=\"never closed>y", "x\n");
}

/* Deep nesting needs only a counter; elements beyond the limit need as many end tags. */
static void limits_nesting_depth(void **state)
{
	struct buf html, out;

	(void)state;
	buf_init(&html, 1 << 22);
	buf_init(&out, 1 << 20);
	for (int i = 0; i < 10000; i++)
		buf_str(&html, "<div><b>");
	buf_str(&html, "text");
	find_html((struct str){html.p, html.n}, &out);
	assert_string_equal(buf_text(&out), "text\n");
	buf_reset(&html);
	buf_reset(&out);
	for (int i = 0; i < 10000; i++)
		buf_str(&html, "<nav>");
	buf_str(&html, "hidden");
	for (int i = 0; i < HTML_DEPTH_MAX; i++)
		buf_str(&html, "</nav>");
	buf_str(&html, "shown");
	find_html((struct str){html.p, html.n}, &out);
	assert_string_equal(buf_text(&out), "shown\n");
	buf_deinit(&html);
	buf_deinit(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(converts_html_to_lines),
		cmocka_unit_test(removes_invisible_content),
		cmocka_unit_test(decodes_entities),
		cmocka_unit_test(accepts_broken_markup),
		cmocka_unit_test(limits_nesting_depth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
