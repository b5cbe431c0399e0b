// A sine and a cosine that are part of the generated file.
//
// Written in sums and products, so that one text serves plain numbers and vectors, and no branch or
// table is needed: n half turns are taken off the angle with pi in three
// pieces (Cody and Waite; the first two products are exact), the polynomials are good for a
// quarter turn to either side, and whether n is odd decides the sign of both. Minimax on
// [0, (pi/2)^2]: the sine relative 2^-61 (float 2^-27), the cosine absolute 2^-57 (2^-31).
// Together with rounding the absolute error is below 4e-16 (2e-7), about what a unit in the last
// place of the angle does.

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

static const char double_text[] =
    "    const $ y = ((x - n * 3.1415926534682512) - n * 1.2154201012607932e-10)\n"
    "                    - n * 4.044532497591901e-21;\n"
    "    const $ z = y * y;\n"
    "    const $ w = z * z;\n"
    "    const $ s0 = -0.16666666666666666 + z * 0.008333333333333194;\n"
    "    const $ s1 = -0.00019841269841209218 + z * 2.755731921113725e-06;\n"
    "    const $ s2 = -2.5052106872805545e-08 + z * 1.6058939706244492e-10;\n"
    "    const $ s3 = -7.642991501484638e-13 + z * 2.7211751125070357e-15;\n"
    "    const $ c0 = 0.04166666666666583 + z * -0.001388888888883005;\n"
    "    const $ c1 = 2.4801587285783805e-05 + z * -2.755731706849878e-07;\n"
    "    const $ c2 = 2.0876592591791265e-09 + z * -1.1463635416503633e-11;\n"
    "    const $ c3 = c2 + w * 4.61613480580729e-14;\n"
    "    const $ s = (s0 + w * s1) + (w * w) * (s2 + w * s3);\n"
    "    const $ c = (c0 + w * c1) + (w * w) * c3;\n"
    "    const $ sin_y = y + (y * z) * s;\n"
    "    const $ cos_y = (1.0 - 0.5 * z) + w * c;\n";

static const char float_sign[] = "    const $ n = (x * 0.31830987f + 12582912.0f) - 12582912.0f;\n"
                                 "    const $ h = (n * 0.5f + 12582912.0f) - 12582912.0f;\n"
                                 "    const $ odd = n - 2.0f * h;\n"
                                 "    const $ sign = 1.0f - 2.0f * (odd * odd);\n";

static const char float_sign_bit[] = "    const $ m = x * 0.31830987f + 12582912.0f;\n"
                                     "    const $ n = m - 12582912.0f;\n"
                                     "    const @bits sign = (@bits)m << 31;\n";

static const char float_text[] =
    "    const $ y = ((x - n * 3.140625f) - n * 0.0009675026f) - n * 1.509958e-07f;\n"
    "    const $ z = y * y;\n"
    "    const $ w = z * z;\n"
    "    const $ s = (-0.1666666f + z * 0.008333066f)\n"
    "                    + w * (-0.00019809603f + z * 2.6057803e-06f);\n"
    "    const $ c = (0.041666655f + z * -0.001388857f)\n"
    "                    + w * (2.4769304e-05f + z * -2.6193816e-07f);\n"
    "    const $ sin_y = y + (y * z) * s;\n"
    "    const $ cos_y = (1.0f - 0.5f * z) + w * c;\n";

// Each '@' stands for the prefix with an underscore, each '$' for a type.
static void add_filled(lwi_text *out, const char *text, const char *prefix, const char *type)
{
    for (; *text; ++text) {
        if (*text == '@') {
            lwi_text_add(out, prefix);
            lwi_text_add(out, "_");
        } else if (*text == '$') {
            lwi_text_add(out, type);
        } else {
            lwi_text_add_bytes(out, text, 1);
        }
    }
}

// The body of a function: from x to sine and cosine.
static void add_body(lwi_text *out, const char *prefix, const char *type, bool is_float,
                     bool is_vector)
{
    const char *const sign = is_vector  ? is_float ? float_sign_bit : double_sign_bit
                             : is_float ? float_sign
                                        : double_sign;
    add_filled(out, sign, prefix, type);
    add_filled(out, is_float ? float_text : double_text, prefix, type);
    add_filled(out,
               is_vector ? "    const $ sine = ($)((@bits)sin_y ^ sign);\n"
                           "    const $ cosine = ($)((@bits)cos_y ^ sign);\n"
                         : "    const $ sine = sign * sin_y;\n"
                           "    const $ cosine = sign * cos_y;\n",
               prefix, type);
}

// The bits of a vector.
static void add_bits(lwi_text *out, const char *prefix, bool is_float, int lanes)
{
    add_filled(out, is_float ? "typedef __UINT32_TYPE__ @bits" : "typedef __UINT64_TYPE__ @bits",
               prefix, "");
    lwi_text_add(out, " __attribute__((vector_size(");
    lwi_text_add_int(out, lanes * (is_float ? 4 : 8));
    lwi_text_add(out, ")));\n\n");
}

// Whether the compiler was told that sums may be reordered, or keeps them in more digits than the
// type has, as the x87 does. Taking off half turns is undone by both.
#define IS_INEXACT                                                                                 \
    "defined(__FAST_MATH__) || \\\n"                                                               \
    "    (defined(__FLT_EVAL_METHOD__) && (__FLT_EVAL_METHOD__ == 1 || __FLT_EVAL_METHOD__ == 2))"

// Processors without registers for vectors are better off one by one.
#define HAS_VECTORS                                                                                \
    "defined(__GNUC__) && (defined(__SSE2__) || defined(__ARM_NEON) || \\\n"                       \
    "    defined(__aarch64__) || defined(__VSX__))"

// The same by <math.h>, lane by lane.
static void add_library(lwi_text *out, const char *prefix, const char *type, bool is_float,
                        int lanes)
{
    add_filled(out, "static inline @pair @sincos($ x)\n{\n    const @pair r = {", prefix, type);
    for (int i = 0; i < 2; ++i) {
        lwi_text_add(out, i > 0 ? ", " : "");
        lwi_text_add(out, lanes > 1 ? "{" : "");
        for (int k = 0; k < lanes; ++k) {
            lwi_text_add(out, k > 0 ? ", " : "");
            lwi_text_add(out, i == 0 ? "sin" : "cos");
            lwi_text_add(out, is_float ? "f(x" : "(x");
            if (lanes > 1) {
                lwi_text_add(out, "[");
                lwi_text_add_int(out, k);
                lwi_text_add(out, "]");
            }
            lwi_text_add(out, ")");
        }
        lwi_text_add(out, lanes > 1 ? "}" : "");
    }
    lwi_text_add(out, "};\n    return r;\n}\n");
}

void lwi_emit_sincos(lwi_text *out, const char *prefix, const char *type, bool is_float, int lanes)
{
    add_filled(out,
               "// A sine and a cosine.\n"
               "typedef struct @pair {\n"
               "    $ s, c;\n"
               "} @pair;\n\n",
               prefix, type);
    if (lanes > 1) {
        add_bits(out, prefix, is_float, lanes);
    }
    lwi_text_add(out, "// Sine and cosine of an angle up to ");
    lwi_text_add(out, is_float ? "3200; error below 2e-7.\n" : "1.6e6; error below 4e-16.\n");
    lwi_text_add(out,
                 "#if " IS_INEXACT "\n"
                 "// Sums are reordered or kept in more digits here: only <math.h> is safe.\n");
    add_library(out, prefix, type, is_float, lanes);
    lwi_text_add(out, "#else\n");
    add_filled(out, "static inline @pair @sincos($ x)\n{\n", prefix, type);
    add_body(out, prefix, type, is_float, lanes > 1);
    add_filled(out, "    const @pair r = {sine, cosine};\n    return r;\n}\n#endif\n\n", prefix,
               type);
}

void lwi_emit_sincos_four(lwi_text *out, const char *prefix, const char *type, bool is_float,
                          bool has_pair)
{
    char four[LWI_IDENTIFIER_SIZE + 8];
    strcat(strcpy(four, prefix), "_four");
    add_filled(out,
               "// Sines and cosines of four angles: side by side where the compiler has vectors.\n"
               "#if " HAS_VECTORS " && !(" IS_INEXACT ")\n"
               "typedef $ @four __attribute__((vector_size(4 * sizeof($))));\n",
               prefix, type);
    add_bits(out, prefix, is_float, 4);
    add_filled(out,
               "static inline void @sincos4(const $ a[4], $ sin_a[4], $ cos_a[4])\n{\n"
               "    const @four x = {a[0], a[1], a[2], a[3]};\n",
               prefix, type);
    add_body(out, prefix, four, is_float, true);
    for (int k = 0; k < 4; ++k) {
        const char lane[2] = {(char)('0' + k), '\0'};
        lwi_text_add(out, "    sin_a[");
        lwi_text_add(out, lane);
        lwi_text_add(out, "] = sine[");
        lwi_text_add(out, lane);
        lwi_text_add(out, "];\n    cos_a[");
        lwi_text_add(out, lane);
        lwi_text_add(out, "] = cosine[");
        lwi_text_add(out, lane);
        lwi_text_add(out, "];\n");
    }
    lwi_text_add(out, "}\n#else\n");
    if (!has_pair) {
        lwi_emit_sincos(out, prefix, type, is_float, 1);
    }
    add_filled(out,
               "static inline void @sincos4(const $ a[4], $ sin_a[4], $ cos_a[4])\n{\n"
               "    const @pair r0 = @sincos(a[0]), r1 = @sincos(a[1]);\n"
               "    const @pair r2 = @sincos(a[2]), r3 = @sincos(a[3]);\n"
               "    sin_a[0] = r0.s;\n    cos_a[0] = r0.c;\n"
               "    sin_a[1] = r1.s;\n    cos_a[1] = r1.c;\n"
               "    sin_a[2] = r2.s;\n    cos_a[2] = r2.c;\n"
               "    sin_a[3] = r3.s;\n    cos_a[3] = r3.c;\n"
               "}\n#endif\n\n",
               prefix, type);
}
