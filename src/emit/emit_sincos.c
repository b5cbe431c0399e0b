// A sine and a cosine that are part of the generated file.
//
// Written in additions and multiplications, so that one text serves plain numbers and vectors, and
// no branch or table is needed: n half revolutions are taken off the angle with pi in two pieces
// (float: three; Cody and Waite; all products but the last are exact), the polynomials are good for
// a quarter revolution to either side, and whether n is odd decides the sign of both. Minimax on
// [0, (pi/2)^2]: the sine relative 2^-61 (float 2^-27), the cosine absolute 2^-57 (2^-31). Together
// with rounding the absolute error is below 4e-16 (2e-7), about what a unit in the last place of
// the angle does.
//
// Where there are vectors, four angles have one each for their sines and their cosines, and fewer
// have both side by side in one, each lane with the polynomial of its own: y + y z p(z) and
// 1 - z / 2 + z z p(z) are alike but for y or z. Where registers hold two doubles only, angles go
// two by two: gcc keeps vectors that are longer than its registers in memory, at twice the time.
// All of these give the same bits.

#include "emit.h"

#include <string.h>

// The sign is that of cos(n pi): a product of numbers, or of vectors the last bit of n, which
// stands at the end of n + 1.5 * 2^52, moved into the place of the sign.
static const char double_sign[] =
    "    const $ n = (x * 0.31830988618379067 + 6755399441055744.0) - 6755399441055744.0;\n"
    "    const $ h = (n * 0.5 + 6755399441055744.0) - 6755399441055744.0;\n"
    "    const $ odd = n - 2.0 * h;\n"
    "    const $ sign = 1.0 - 2.0 * (odd * odd);\n";

static const char double_sign_bit[] =
    "    const $ m = x * 0.31830988618379067 + 6755399441055744.0;\n"
    "    const $ n = m - 6755399441055744.0;\n"
    "    const @bits sign = (@bits)m << 63;\n";

static const char double_rest[] =
    "    const $ y = (x - n * 3.1415926534682512) - n * 1.2154201013012384e-10;\n"
    "    const $ z = y * y;\n"
    "    const $ w = z * z;\n";

static const char *const double_sine[] = {"-0.16666666666666666",
                                          "0.008333333333333194",
                                          "-0.00019841269841209218",
                                          "2.755731921113725e-06",
                                          "-2.5052106872805545e-08",
                                          "1.6058939706244492e-10",
                                          "-7.642991501484638e-13",
                                          "2.7211751125070357e-15",
                                          "0.0",
                                          "1.0"};

static const char *const double_cosine[] = {"0.04166666666666583",
                                            "-0.001388888888883005",
                                            "2.4801587285783805e-05",
                                            "-2.755731706849878e-07",
                                            "2.0876592591791265e-09",
                                            "-1.1463635416503633e-11",
                                            "4.61613480580729e-14",
                                            "0.0",
                                            "1.0",
                                            "-0.5"};

static const char double_sine_text[] = "    const $ s = ((#0 + z * #1)\n"
                                       "                    + w * (#2 + z * #3))\n"
                                       "                    + (w * w) * ((#4 + z * #5)\n"
                                       "                    + w * (#6 + z * #7));\n";

static const char double_cosine_text[] = "    const $ c = ((#0 + z * #1)\n"
                                         "                    + w * (#2 + z * #3))\n"
                                         "                    + (w * w) * ((#4 + z * #5)\n"
                                         "                    + w * #6);\n";

static const char double_mixed_text[] =
    "    const $ k0 = #0, k1 = #1;\n    const $ k2 = #2, k3 = #3;\n"
    "    const $ k4 = #4, k5 = #5;\n    const $ k6 = #6, k7 = #7;\n"
    "    const $ p = ((k0 + z * k1) + w * (k2 + z * k3))\n"
    "                    + (w * w) * ((k4 + z * k5) + w * (k6 + z * k7));\n"
    "    const $ one = #8, half = #9;\n";

static const char float_sign[] = "    const $ n = (x * 0.31830987f + 12582912.0f) - 12582912.0f;\n"
                                 "    const $ h = (n * 0.5f + 12582912.0f) - 12582912.0f;\n"
                                 "    const $ odd = n - 2.0f * h;\n"
                                 "    const $ sign = 1.0f - 2.0f * (odd * odd);\n";

static const char float_sign_bit[] = "    const $ m = x * 0.31830987f + 12582912.0f;\n"
                                     "    const $ n = m - 12582912.0f;\n"
                                     "    const @bits sign = (@bits)m << 31;\n";

static const char float_rest[] =
    "    const $ y = ((x - n * 3.140625f) - n * 0.0009675026f) - n * 1.509958e-07f;\n"
    "    const $ z = y * y;\n"
    "    const $ w = z * z;\n";

static const char *const float_sine[] = {"-0.1666666f",    "0.008333066f", "-0.00019809603f",
                                         "2.6057803e-06f", "0.0f",         "1.0f"};

static const char *const float_cosine[] = {"0.041666655f",    "-0.001388857f", "2.4769304e-05f",
                                           "-2.6193816e-07f", "1.0f",          "-0.5f"};

static const char float_sine_text[] = "    const $ s = (#0 + z * #1)\n"
                                      "                    + w * (#2 + z * #3);\n";

static const char float_cosine_text[] = "    const $ c = (#0 + z * #1)\n"
                                        "                    + w * (#2 + z * #3);\n";

static const char float_mixed_text[] = "    const $ k0 = #0, k1 = #1;\n"
                                       "    const $ k2 = #2, k3 = #3;\n"
                                       "    const $ p = (k0 + z * k1) + w * (k2 + z * k3);\n"
                                       "    const $ one = #4, half = #5;\n";

/// What the signs in a text stand for.
typedef struct filling {
    const char *prefix; ///< '@', with an underscore
    const char *type;   ///< '$'
    /// '#3': the third number, or in vectors the one of sines and the one of cosines, twice each
    const char *const *number, *const *other;
} filling;

static void add_number(lwi_text *out, const filling *f, int k)
{
    lwi_text_format(out, f->other ? "{%s, %s, %s, %s}" : "%s", f->number[k], f->number[k],
                    f->other ? f->other[k] : "", f->other ? f->other[k] : "");
}

static void add_filled(lwi_text *out, const char *text, const filling *f)
{
    for (; *text; ++text) {
        if (*text == '@') {
            lwi_text_format(out, "%s_", f->prefix);
        } else if (*text == '$') {
            lwi_text_add(out, f->type);
        } else if (*text == '#' && text[1] >= '0' && text[1] <= '9') {
            add_number(out, f, *++text - '0');
        } else {
            lwi_text_add_bytes(out, text, 1);
        }
    }
}

// From x to sine and cosine.
static void add_body(lwi_text *out, filling f, bool is_float, bool is_vector)
{
    const char *const sign = is_vector  ? is_float ? float_sign_bit : double_sign_bit
                             : is_float ? float_sign
                                        : double_sign;
    add_filled(out, sign, &f);
    add_filled(out, is_float ? float_rest : double_rest, &f);
    f.number = is_float ? float_sine : double_sine;
    add_filled(out, is_float ? float_sine_text : double_sine_text, &f);
    f.number = is_float ? float_cosine : double_cosine;
    add_filled(out, is_float ? float_cosine_text : double_cosine_text, &f);
    add_filled(out,
               is_float ? "    const $ sin_y = y + (y * z) * s;\n"
                          "    const $ cos_y = (1.0f - 0.5f * z) + w * c;\n"
                        : "    const $ sin_y = y + (y * z) * s;\n"
                          "    const $ cos_y = (1.0 - 0.5 * z) + w * c;\n",
               &f);
    add_filled(out,
               is_vector ? "    const $ sine = ($)((@bits)sin_y ^ sign);\n"
                           "    const $ cosine = ($)((@bits)cos_y ^ sign);\n"
                         : "    const $ sine = sign * sin_y;\n"
                           "    const $ cosine = sign * cos_y;\n",
               &f);
}

// The same of two angles in one vector of four: sines, then cosines.
static void add_mixed_body(lwi_text *out, filling f, bool is_float)
{
    f.number = is_float ? float_sine : double_sine;
    f.other = is_float ? float_cosine : double_cosine;
    add_filled(out, is_float ? float_sign_bit : double_sign_bit, &f);
    add_filled(out, is_float ? float_rest : double_rest, &f);
    add_filled(out, is_float ? float_mixed_text : double_mixed_text, &f);
    add_filled(out,
               "    const $ u = {y[0], y[1], z[2], z[3]};\n"
               "    const $ r = (one + u * half) + (z * u) * p;\n"
               "    const $ both = ($)((@bits)r ^ sign);\n",
               &f);
}

// The bits of a vector.
static void add_bits(lwi_text *out, const filling *f, bool is_float, int lanes)
{
    add_filled(out, is_float ? "typedef __UINT32_TYPE__ @bits" : "typedef __UINT64_TYPE__ @bits",
               f);
    lwi_text_format(out, " __attribute__((vector_size(%d)));\n\n", lanes * (is_float ? 4 : 8));
}

// Whether the compiler may reorder additions, or keeps them in more digits than the
// type has, as the x87 does. Taking off half revolutions is undone by both.
#define IS_INEXACT                                                                                 \
    "defined(__FAST_MATH__) || \\\n"                                                               \
    "    (defined(__FLT_EVAL_METHOD__) && (__FLT_EVAL_METHOD__ == 1 || __FLT_EVAL_METHOD__ == 2))"

// Processors without registers for vectors are better off one by one.
#define HAS_VECTORS                                                                                \
    "defined(__GNUC__) && (defined(__SSE2__) || defined(__ARM_NEON) || \\\n"                       \
    "    defined(__aarch64__) || defined(__VSX__))"

// The same by <math.h>, lane by lane.
static void add_library(lwi_text *out, const filling *f, bool is_float, int lanes)
{
    add_filled(out, "static inline @pair @sincos($ x)\n{\n    const @pair r = {", f);
    for (int i = 0; i < 2; ++i) {
        lwi_text_format(out, "%s%s", i > 0 ? ", " : "", lanes > 1 ? "{" : "");
        for (int k = 0; k < lanes; ++k) {
            lwi_text_format(out, lanes > 1 ? "%s%s%s(x[%d])" : "%s%s%s(x)", k > 0 ? ", " : "",
                            i == 0 ? "sin" : "cos", is_float ? "f" : "", k);
        }
        lwi_text_add(out, lanes > 1 ? "}" : "");
    }
    lwi_text_add(out, "};\n    return r;\n}\n");
}

void lwi_emit_sincos(lwi_text *out, const char *prefix, const char *type, bool is_float, int lanes)
{
    const filling f = {.prefix = prefix, .type = type};
    add_filled(out,
               "// A sine and a cosine.\n"
               "typedef struct @pair {\n"
               "    $ s, c;\n"
               "} @pair;\n\n",
               &f);
    if (lanes > 1) {
        add_bits(out, &f, is_float, lanes);
    }
    lwi_text_add(out, "// Sine and cosine of an angle up to ");
    lwi_text_add(out, is_float ? "3200; error below 2e-7.\n" : "1.6e6; error below 4e-16.\n");
    lwi_text_add(
        out, "#if " IS_INEXACT "\n"
             "// Additions are reordered or kept in more digits here: only <math.h> is safe.\n");
    add_library(out, &f, is_float, lanes);
    lwi_text_add(out, "#else\n");
    add_filled(out, "static inline @pair @sincos($ x)\n{\n", &f);
    add_body(out, f, is_float, lanes > 1);
    add_filled(out, "    const @pair r = {sine, cosine};\n    return r;\n}\n#endif\n\n", &f);
}

static void add_head(lwi_text *out, const filling *plain, int n)
{
    add_filled(out,
               n == 2 ? "static inline void @sincos2(const $ a[2], $ sin_a[2], $ cos_a[2])\n{\n"
                      : "static inline void @sincos4(const $ a[4], $ sin_a[4], $ cos_a[4])\n{\n",
               plain);
}

// Two or four angles as the lanes of a vector.
static void add_lanes(lwi_text *out, const filling *plain, const filling *vector, bool is_float,
                      int n)
{
    add_head(out, plain, n);
    add_filled(out,
               n == 2 ? "    const $ x = {a[0], a[1]};\n"
                      : "    const $ x = {a[0], a[1], a[2], a[3]};\n",
               vector);
    add_body(out, *vector, is_float, true);
    for (int k = 0; k < n; ++k) {
        lwi_text_format(out, "    sin_a[%d] = sine[%d];\n    cos_a[%d] = cosine[%d];\n", k, k, k,
                        k);
    }
    lwi_text_add(out, "}\n");
}

// Two angles in a vector of four.
static void add_mixed(lwi_text *out, const filling *plain, const filling *vector, bool is_float)
{
    add_head(out, plain, 2);
    add_filled(out, "    const $ x = {a[0], a[1], a[0], a[1]};\n", vector);
    add_mixed_body(out, *vector, is_float);
    for (int k = 0; k < 2; ++k) {
        lwi_text_format(out, "    sin_a[%d] = both[%d];\n    cos_a[%d] = both[%d];\n", k, k, k,
                        k + 2);
    }
    lwi_text_add(out, "}\n");
}

// One by one.
static void add_plain(lwi_text *out, const filling *f, int n)
{
    lwi_text_add(out, "\n");
    add_head(out, f, n);
    add_filled(out,
               n == 2 ? "    const @pair r0 = @sincos(a[0]), r1 = @sincos(a[1]);\n"
                      : "    const @pair r0 = @sincos(a[0]), r1 = @sincos(a[1]);\n"
                        "    const @pair r2 = @sincos(a[2]), r3 = @sincos(a[3]);\n",
               f);
    for (int k = 0; k < n; ++k) {
        lwi_text_format(out, "    sin_a[%d] = r%d.s;\n    cos_a[%d] = r%d.c;\n", k, k, k, k);
    }
    lwi_text_add(out, "}\n");
}

// In vectors of four.
static void add_fours(lwi_text *out, const filling *plain, const filling *vector, bool is_float,
                      bool has_two, bool has_four)
{
    add_filled(out, "typedef $ @lanes __attribute__((vector_size(4 * sizeof($))));\n", plain);
    add_bits(out, plain, is_float, 4);
    if (has_two) {
        add_mixed(out, plain, vector, is_float);
    }
    lwi_text_add(out, has_two && has_four ? "\n" : "");
    if (has_four) {
        add_lanes(out, plain, vector, is_float, 4);
    }
}

// In vectors of two.
static void add_twos(lwi_text *out, const filling *plain, const filling *vector, bool has_four)
{
    add_filled(out, "typedef $ @lanes __attribute__((vector_size(2 * sizeof($))));\n", plain);
    add_bits(out, plain, false, 2);
    add_lanes(out, plain, vector, false, 2);
    if (has_four) {
        lwi_text_add(out, "\n");
        add_head(out, plain, 4);
        add_filled(out,
                   "    @sincos2(a, sin_a, cos_a);\n"
                   "    @sincos2(a + 2, sin_a + 2, cos_a + 2);\n}\n",
                   plain);
    }
}

void lwi_emit_sincos_many(lwi_text *out, const char *prefix, const char *type, bool is_float,
                          bool has_pair, bool has_two, bool has_four)
{
    char name[LWI_IDENTIFIER_SIZE + 8];
    strcat(strcpy(name, prefix), "_lanes");
    const filling plain = {.prefix = prefix, .type = type},
                  vector = {.prefix = prefix, .type = name};
    lwi_text_add(out, "// Sines and cosines of several angles: side by side where the compiler has "
                      "vectors.\n");
    lwi_text_add(out, is_float ? "#if " HAS_VECTORS " && !(" IS_INEXACT ")\n"
                               : "#if defined(__GNUC__) && defined(__AVX__) && !(" IS_INEXACT
                                 ")\n");
    add_fours(out, &plain, &vector, is_float, has_two, has_four);
    if (!is_float) {
        lwi_text_add(out, "#elif " HAS_VECTORS " && !(" IS_INEXACT ")\n");
        add_twos(out, &plain, &vector, has_four);
    }
    lwi_text_add(out, "#else\n");
    if (!has_pair) {
        lwi_emit_sincos(out, prefix, type, is_float, 1);
    }
    if (has_two) {
        add_plain(out, &plain, 2);
    }
    if (has_four) {
        add_plain(out, &plain, 4);
    }
    lwi_text_add(out, "#endif\n\n");
}
