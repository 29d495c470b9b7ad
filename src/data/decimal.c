/*
 * Exact decimals for sums, means and derived facts. Prices are decimal text in the database and on
 * the screen; converting them to binary floats could change the last digit.
 */
#include "vesper/decimal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define EXPONENT_MAX 999

typedef unsigned __int128 u128; /* no <stdint.h> type exists */

#define INT128_MAX ((__int128)(~(u128)0 >> 1))

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* -2^127 has no positive counterpart and is therefore excluded. */
static bool in_range(__int128 units)
{
	return units >= -INT128_MAX;
}

static u128 magnitude(__int128 v)
{
	return v < 0 ? -(u128)v : (u128)v;
}

static u128 power_of_ten(int n)
{
	u128 p = 1;
	while (n-- > 0)
		p *= 10;
	return p;
}

/* Returns false if units * 10^digits exceeds 128 bits. */
static bool shift_up(__int128 units, int digits, __int128 *out)
{
	while (digits-- > 0)
		if (__builtin_mul_overflow(units, (__int128)10, &units))
			return false;
	*out = units;
	return true;
}

/* The digits of a text, and the position of the decimal point. */
struct digits {
	const char *first;
	size_t len; /* characters from first, including the point */
	int count;  /* number of digits */
	int scale;  /* scale of the digits as an integer; negative: trailing zeros are missing */
	bool minus;
};

static bool scan_exponent(const char *p, int *exponent)
{
	int sign = *p == '-' ? -1 : 1;
	if (*p == '-' || *p == '+')
		p++;
	int value = 0;
	if (!is_digit(*p))
		return false;
	for (; is_digit(*p); p++)
		if ((value = value * 10 + (*p - '0')) > EXPONENT_MAX)
			return false;
	*exponent = sign * value;
	return *p == '\0';
}

static bool scan_digits(const char *text, struct digits *d)
{
	*d = (struct digits){.minus = *text == '-'};
	if (*text == '-' || *text == '+')
		text++;
	d->first = text;
	bool point = false;
	for (; is_digit(*text) || (*text == '.' && !point); text++) {
		if (*text == '.') {
			point = true;
			continue;
		}
		d->count++;
		d->scale += point;
	}
	d->len = (size_t)(text - d->first);
	int exponent = 0;
	if ((*text == 'e' || *text == 'E') && !scan_exponent(text + 1, &exponent))
		return false;
	d->scale -= exponent;
	bool ended = *text == '\0' || *text == 'e' || *text == 'E';
	return ended && d->count > 0 && d->count <= EXPONENT_MAX;
}

bool decimal_parse(const char *text, struct decimal *out)
{
	struct digits d;
	if (!scan_digits(text, &d))
		return false;
	int keep = d.scale > DECIMAL_SCALE_MAX ? d.count - (d.scale - DECIMAL_SCALE_MAX) : d.count;
	__int128 units = 0;
	/* Rounding depends on the first dropped digit and on whether nonzero digits follow. */
	int dropped_first = 0;
	bool dropped_rest = false;
	int at = 0;
	for (size_t i = 0; i < d.len; i++) {
		if (d.first[i] == '.')
			continue;
		int digit = d.first[i] - '0';
		if (at < keep) {
			if (__builtin_mul_overflow(units, (__int128)10, &units) ||
			    __builtin_add_overflow(units, (__int128)digit, &units))
				return false;
		} else if (at == keep) {
			dropped_first = digit;
		} else {
			dropped_rest |= digit != 0;
		}
		at++;
	}
	if (d.scale < 0 && units != 0 && !shift_up(units, -d.scale, &units))
		return false;
	bool up = dropped_first > 5 || (dropped_first == 5 && (dropped_rest || (units & 1)));
	if (__builtin_add_overflow(units, (__int128)up, &units))
		return false;
	out->units = d.minus ? -units : units;
	out->scale = d.scale < 0 ? 0 : d.scale > DECIMAL_SCALE_MAX ? DECIMAL_SCALE_MAX : d.scale;
	return true;
}

struct decimal decimal_int(int64_t value)
{
	return (struct decimal){.units = value};
}

/* Converts both to the larger scale. */
static bool align(struct decimal *a, struct decimal *b)
{
	struct decimal *low = a->scale < b->scale ? a : b;
	int scale = a->scale < b->scale ? b->scale : a->scale;
	if (!shift_up(low->units, scale - low->scale, &low->units))
		return false;
	low->scale = scale;
	return true;
}

bool decimal_add(struct decimal a, struct decimal b, struct decimal *out)
{
	struct decimal sum;
	if (!align(&a, &b) || __builtin_add_overflow(a.units, b.units, &sum.units) ||
	    !in_range(sum.units))
		return false;
	sum.scale = a.scale;
	*out = sum;
	return true;
}

bool decimal_sub(struct decimal a, struct decimal b, struct decimal *out)
{
	struct decimal difference;
	if (!align(&a, &b) || __builtin_sub_overflow(a.units, b.units, &difference.units) ||
	    !in_range(difference.units))
		return false;
	difference.scale = a.scale;
	*out = difference;
	return true;
}

static struct decimal strip_zeros(struct decimal d)
{
	while (d.scale > 0 && d.units % 10 == 0) {
		d.units /= 10;
		d.scale--;
	}
	return d;
}

bool decimal_mul(struct decimal a, struct decimal b, struct decimal *out)
{
	struct decimal product;
	if (__builtin_mul_overflow(a.units, b.units, &product.units)) {
		a = strip_zeros(a);
		b = strip_zeros(b);
		if (__builtin_mul_overflow(a.units, b.units, &product.units))
			return false;
	}
	product.scale = a.scale + b.scale;
	if (product.scale > DECIMAL_SCALE_MAX)
		product = strip_zeros(product);
	if (product.scale > DECIMAL_SCALE_MAX || !in_range(product.units))
		return false;
	*out = product;
	return true;
}

/* Computes n * 10^shift / d, rounded half away from zero. Long division, so that only the result
 * must fit. */
static bool divide(u128 n, u128 d, int shift, u128 *quotient)
{
	for (; shift < 0; shift++)
		if (__builtin_mul_overflow(d, (u128)10, &d))
			return false;
	u128 q = n / d;
	u128 rest = n % d;
	for (; shift > 0; shift--) {
		if (__builtin_mul_overflow(rest, (u128)10, &rest) ||
		    __builtin_mul_overflow(q, (u128)10, &q) ||
		    __builtin_add_overflow(q, rest / d, &q))
			return false;
		rest %= d;
	}
	q += q <= (u128)INT128_MAX && rest >= d - rest;
	*quotient = q;
	return q <= (u128)INT128_MAX;
}

bool decimal_div(struct decimal a, struct decimal b, int scale, struct decimal *out)
{
	assert(scale >= 0 && scale <= DECIMAL_SCALE_MAX);
	u128 quotient;
	if (b.units == 0 ||
	    !divide(magnitude(a.units), magnitude(b.units), scale + b.scale - a.scale, &quotient))
		return false;
	bool minus = (a.units < 0) != (b.units < 0);
	*out = (struct decimal){minus ? -(__int128)quotient : (__int128)quotient, scale};
	return true;
}

struct decimal decimal_round(struct decimal d, int scale)
{
	assert(scale >= 0 && scale <= DECIMAL_SCALE_MAX);
	if (scale >= d.scale) {
		struct decimal padded = {.scale = scale};
		return shift_up(d.units, scale - d.scale, &padded.units) ? padded : d;
	}
	u128 step = power_of_ten(d.scale - scale);
	u128 units = magnitude(d.units);
	u128 rest = units % step;
	units = units / step + (rest >= step - rest);
	return (struct decimal){d.units < 0 ? -(__int128)units : (__int128)units, scale};
}

int decimal_cmp(struct decimal a, struct decimal b)
{
	/* Compares integer parts, then fractions at the largest scale, so nothing overflows. */
	__int128 step_a = (__int128)power_of_ten(a.scale);
	__int128 step_b = (__int128)power_of_ten(b.scale);
	__int128 whole_a = a.units / step_a;
	__int128 whole_b = b.units / step_b;
	if (whole_a != whole_b)
		return whole_a < whole_b ? -1 : 1;
	__int128 rest_a = a.units % step_a * (__int128)power_of_ten(DECIMAL_SCALE_MAX - a.scale);
	__int128 rest_b = b.units % step_b * (__int128)power_of_ten(DECIMAL_SCALE_MAX - b.scale);
	return (rest_a > rest_b) - (rest_a < rest_b);
}

double decimal_double(struct decimal d)
{
	char text[DECIMAL_TEXT_BYTES];
	decimal_text(d, text);
	return strtod(text, NULL);
}

void decimal_text(struct decimal d, char out[DECIMAL_TEXT_BYTES])
{
	assert(d.scale >= 0 && d.scale <= DECIMAL_SCALE_MAX);
	char reversed[DECIMAL_TEXT_BYTES];
	size_t n = 0;
	u128 units = magnitude(d.units);
	for (int digit = 0; units > 0 || digit <= d.scale; digit++) {
		if (digit == d.scale && d.scale > 0)
			reversed[n++] = '.';
		reversed[n++] = (char)('0' + (int)(units % 10));
		units /= 10;
	}
	if (d.units < 0)
		reversed[n++] = '-';
	for (size_t i = 0; i < n; i++)
		out[i] = reversed[n - 1 - i];
	out[n] = '\0';
}

void decimal_text_short(struct decimal d, char out[DECIMAL_TEXT_BYTES])
{
	decimal_text(strip_zeros(d), out);
}
