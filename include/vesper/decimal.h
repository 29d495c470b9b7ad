/*
 * Exact decimal arithmetic for statistics and derived facts: value = units / 10^scale, 128-bit
 * units. A result that does not fit returns false; nothing is rounded silently. Pure.
 */
#ifndef VESPER_DECIMAL_H
#define VESPER_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

#define DECIMAL_SCALE_MAX  18
#define DECIMAL_TEXT_BYTES 64

struct decimal {
	__int128 units;
	int scale; /* digits after the point, 0..DECIMAL_SCALE_MAX */
};

/* Reads "-12.50" and ".5", refuses "48,7"; exponents as drivers print them ("1e-05") are accepted.
 * Digits beyond the largest scale are rounded half to even. */
bool decimal_parse(const char *text, struct decimal *out);
struct decimal decimal_int(int64_t value);

bool decimal_add(struct decimal a, struct decimal b, struct decimal *out);
bool decimal_sub(struct decimal a, struct decimal b, struct decimal *out);
bool decimal_mul(struct decimal a, struct decimal b, struct decimal *out);
/* a / b rounded half up (away from zero) at `scale` digits; false for b = 0. */
bool decimal_div(struct decimal a, struct decimal b, int scale, struct decimal *out);
/* Rounded half up (away from zero), as is usual for prices. If a larger scale does not fit, returns
 * d unchanged. */
struct decimal decimal_round(struct decimal d, int scale);
int decimal_cmp(struct decimal a, struct decimal b);
double decimal_double(struct decimal d);

/* Plain digits with exactly d.scale decimals ("48.70"). */
void decimal_text(struct decimal d, char out[DECIMAL_TEXT_BYTES]);
/* Without trailing zeros after the point ("48.7"). */
void decimal_text_short(struct decimal d, char out[DECIMAL_TEXT_BYTES]);

#endif
