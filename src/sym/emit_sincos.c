// A sine and a cosine that are part of the generated file.
//
// Written in sums and products alone, so that one text serves plain numbers and vectors and no
// branch, table or bit trick is needed: n half turns are taken off the angle with pi in three
// pieces (Cody and Waite; the first two products are exact), the polynomials are good for a
// quarter turn to either side, and whether n is odd decides the sign of both. Minimax on
// [0, (pi/2)^2]: the sine relative 2^-61 (float 2^-27), the cosine absolute 2^-57 (2^-31).
// Together with rounding the absolute error is below 4e-16 (2e-7), about what a unit in the last
// place of the angle does.

#include "emit.h"

static const char double_text[] =
    "    const @real n = (x * 0.31830988618379067 + 6755399441055744.0) - 6755399441055744.0;\n"
    "    const @real h = (n * 0.5 + 6755399441055744.0) - 6755399441055744.0;\n"
    "    const @real odd = n - 2.0 * h;\n"
    "    const @real sign = 1.0 - 2.0 * (odd * odd);\n"
    "    const @real y = ((x - n * 3.1415926534682512) - n * 1.2154201012607932e-10)\n"
    "                    - n * 4.044532497591901e-21;\n"
    "    const @real z = y * y;\n"
    "    const @real w = z * z;\n"
    "    const @real s0 = -0.16666666666666666 + z * 0.008333333333333194;\n"
    "    const @real s1 = -0.00019841269841209218 + z * 2.755731921113725e-06;\n"
    "    const @real s2 = -2.5052106872805545e-08 + z * 1.6058939706244492e-10;\n"
    "    const @real s3 = -7.642991501484638e-13 + z * 2.7211751125070357e-15;\n"
    "    const @real c0 = 0.04166666666666583 + z * -0.001388888888883005;\n"
    "    const @real c1 = 2.4801587285783805e-05 + z * -2.755731706849878e-07;\n"
    "    const @real c2 = 2.0876592591791265e-09 + z * -1.1463635416503633e-11;\n"
    "    const @real c3 = c2 + w * 4.61613480580729e-14;\n"
    "    const @real s = (s0 + w * s1) + (w * w) * (s2 + w * s3);\n"
    "    const @real c = (c0 + w * c1) + (w * w) * c3;\n"
    "    const @pair r = {sign * (y + (y * z) * s), sign * ((1.0 - 0.5 * z) + w * c)};\n";

static const char float_text[] =
    "    const @real n = (x * 0.31830987f + 12582912.0f) - 12582912.0f;\n"
    "    const @real h = (n * 0.5f + 12582912.0f) - 12582912.0f;\n"
    "    const @real odd = n - 2.0f * h;\n"
    "    const @real sign = 1.0f - 2.0f * (odd * odd);\n"
    "    const @real y = ((x - n * 3.140625f) - n * 0.0009675026f) - n * 1.509958e-07f;\n"
    "    const @real z = y * y;\n"
    "    const @real w = z * z;\n"
    "    const @real s = (-0.1666666f + z * 0.008333066f)\n"
    "                    + w * (-0.00019809603f + z * 2.6057803e-06f);\n"
    "    const @real c = (0.041666655f + z * -0.001388857f)\n"
    "                    + w * (2.4769304e-05f + z * -2.6193816e-07f);\n"
    "    const @pair r = {sign * (y + (y * z) * s), sign * ((1.0f - 0.5f * z) + w * c)};\n";

// Each '@' stands for the prefix.
static void add_prefixed(lwi_text *out, const char *text, const char *prefix)
{
    for (; *text; ++text) {
        if (*text == '@') {
            lwi_text_add(out, prefix);
            lwi_text_add(out, "_");
        } else {
            lwi_text_add_bytes(out, text, 1);
        }
    }
}

void lwi_emit_sincos(lwi_text *out, const char *prefix, bool is_float)
{
    add_prefixed(out,
                 "// A sine and a cosine.\n"
                 "typedef struct @pair {\n"
                 "    @real s, c;\n"
                 "} @pair;\n\n",
                 prefix);
    lwi_text_add(out, "// Sine and cosine of an angle up to ");
    lwi_text_add(out, is_float ? "3200; error below 2e-7.\n" : "1.6e6; error below 4e-16.\n");
    lwi_text_add(out, "// Not for compilers that are told to reorder sums (-ffast-math).\n");
    add_prefixed(out, "static inline @pair @sincos(@real x)\n{\n", prefix);
    add_prefixed(out, is_float ? float_text : double_text, prefix);
    lwi_text_add(out, "    return r;\n}\n\n");
}
