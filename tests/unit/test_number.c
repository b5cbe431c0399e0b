// Numbers as text, against the C library in the C locale, which rounds correctly too.
#include "check.h"

#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t random_bits(void)
{
    const uint64_t high = (uint64_t)check_random(0, 0x1p32);
    return high << 32 | (uint64_t)check_random(0, 0x1p32);
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool reads_as(const char *text, double wanted)
{
    double value = 12345;
    return lwi_parse_double(text, strlen(text), &value) && bits_of(value) == bits_of(wanted);
}

static bool is_refused(const char *text)
{
    double value = 12345;
    return !lwi_parse_double(text, strlen(text), &value) && value == 12345;
}

// Every text is also read with a digit more or fewer, so that truncation shows.
TEST(random_doubles_read_as_the_c_library_reads_them)
{
    for (int i = 0; i < 1000000; ++i) {
        const double value = double_of(random_bits());
        if (!isfinite(value)) {
            continue;
        }
        char text[64];
        snprintf(text, sizeof text, "%.*e", 14 + i % 12, value);
        check_case("%s", text);
        const double wanted = strtod(text, NULL);
        if (!isfinite(wanted)) {
            CHECK(is_refused(text));
        } else if (!reads_as(text, wanted)) {
            CHECK(reads_as(text, wanted));
        }
    }
}

// Numbers as models have them: few digits, small exponents.
TEST(random_short_decimals_read_as_the_c_library_reads_them)
{
    for (int i = 0; i < 300000; ++i) {
        char text[64];
        snprintf(text, sizeof text, "%.*f", i % 20, check_random(-100, 100));
        check_case("%s", text);
        if (!reads_as(text, strtod(text, NULL))) {
            CHECK(reads_as(text, strtod(text, NULL)));
        }
    }
}

TEST(printed_doubles_read_back_and_none_shorter_does)
{
    for (int i = 0; i < 300000; ++i) {
        const double value =
            i % 3 == 0 ? double_of(random_bits()) : (i % 3 == 1 ? 1 : 1e-3) * check_random(-10, 10);
        if (!isfinite(value)) {
            continue;
        }
        char text[LWI_NUMBER_SIZE], other[64];
        const int length = lwi_print_double(value, text);
        check_case("%.17g", value);
        bool is_good = length == (int)strlen(text) &&
                       bits_of(strtod(text, NULL)) == bits_of(value) && reads_as(text, value);
        int digits = 0, zeros = 0;
        for (const char *c = text; *c && *c != 'e'; ++c) {
            digits += *c >= '0' && *c <= '9' && (digits || *c != '0');
            zeros = *c == '0' ? zeros + 1 : *c == '.' ? zeros : 0;
        }
        digits -= zeros;
        // One digit fewer must give another number.
        if (is_good && digits > 1) {
            snprintf(other, sizeof other, "%.*e", digits - 2, value);
            is_good = bits_of(strtod(other, NULL)) != bits_of(value);
        }
        if (!is_good) {
            CHECK_TEXT(text, "the shortest text of this number");
        }
    }
}

// Powers of two have neighbours at two distances; 1e23 and 5e-324 are the classic hard ones.
TEST(hard_doubles_print_as_known)
{
    static const struct {
        double value;
        const char *text;
    } known[] = {
        {0, "0"},
        {-0.0, "-0"},
        {1, "1"},
        {-3, "-3"},
        {0.1, "0.1"},
        {0.3, "0.3"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1e21, "1e21"},
        {1e20, "100000000000000000000"},
        {123456789012345680000.0, "123456789012345680000"},
        {1e-6, "0.000001"},
        {1.5e-6, "0.0000015"},
        {1e-7, "1e-7"},
        {1.25e-7, "1.25e-7"},
        {1e23, "1e23"},
        {9007199254740992, "9007199254740992"},
        {9007199254740994, "9007199254740994"},
        {5e-324, "5e-324"},
        {2.2250738585072014e-308, "2.2250738585072014e-308"},
        {2.2250738585072009e-308, "2.225073858507201e-308"},
        {1.7976931348623157e308, "1.7976931348623157e308"},
        {5.684341886080802e-14, "5.684341886080802e-14"},
        {9.5367431640625e-07, "9.5367431640625e-7"},
        {3.141592653589793, "3.141592653589793"},
        {-1e-300, "-1e-300"},
        {100, "100"},
        {1000000, "1000000"},
        {123.456, "123.456"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        char text[LWI_NUMBER_SIZE];
        lwi_print_double(known[i].value, text);
        CHECK_TEXT(text, known[i].text);
        CHECK(reads_as(text, known[i].value));
    }
    char text[LWI_NUMBER_SIZE];
    lwi_print_double(HUGE_VAL, text);
    CHECK_TEXT(text, "inf");
    lwi_print_double(-HUGE_VAL, text);
    CHECK_TEXT(text, "-inf");
    lwi_print_double(nan(""), text);
    CHECK_TEXT(text, "nan");
}

// The exact decimal of the middle between two doubles, and the same a little larger or smaller.
TEST(halfway_cases_round_to_even)
{
    char text[4096];
    for (int i = 0; i < 3000; ++i) {
        const uint64_t bits = (uint64_t)check_random(0, 0x1p63) & 0x7fefffffffffffffu;
        const double low = double_of(bits);
        const double high = double_of(bits + 1);
        const bool is_subnormal = low < 0x1p-1022;
        check_case("%.17g", low);
        // The C library prints exactly: half of the sum, by way of long double where that is wider.
        const long double middle = ((long double)low + (long double)high) / 2;
        if (is_subnormal || middle <= (long double)low) {
            continue; // long double is no wider here; the cases below remain
        }
        snprintf(text, sizeof text - 8, "%.1100Le", middle);
        char *e = strchr(text, 'e');
        const double even = bits % 2 ? high : low;
        if (isfinite(high)) {
            CHECK(reads_as(text, even));
        }
        char exponent[16];
        snprintf(exponent, sizeof exponent, "%s", e);
        snprintf(e, 24, "1%s", exponent);
        if (isfinite(high)) {
            CHECK(reads_as(text, high));
        }
    }
    CHECK(reads_as("9007199254740993", 9007199254740992.0));
    CHECK(reads_as("9007199254740993.0000000000000000000000000001", 9007199254740994.0));
    CHECK(reads_as("2.4703282292062327208e-324", 0));
    CHECK(reads_as("2.4703282292062328e-324", 5e-324));
    CHECK(reads_as("7.4109846876186981626485318930233205854758970392148714663837852375101e-324",
                   5e-324));
    CHECK(reads_as("2.2250738585072011360574097967091319759348195463516456e-308",
                   2.225073858507201e-308));
    CHECK(reads_as("179769313486231580793728971405303415079934132710037826936173778980444968292764"
                   "750946649017977587207096330286416692887910946555547851940402630657488671505820"
                   "681908902000708383676273854845817711531764475730270069855571366959622842914819"
                   "860834936475292719074168444365510704342711559699508093042880177904174497791",
                   1.7976931348623157e308));
    CHECK(is_refused("17976931348623158079372897140530341507993413271003782693617377898044496829276"
                     "47509466490179775872070963302864166928879109465555478519404026306574886715058"
                     "20681908902000708383676273854845817711531764475730270069855571366959622842914"
                     "819860834936475292719074168444365510704342711559699508093042880177904174497"
                     "792"));
}

TEST(thousands_of_digits_are_read)
{
    enum { SIZE = 20000 };
    char *text = malloc(SIZE + 16);
    if (!CHECK(text != NULL)) {
        return;
    }
    // A middle, and one unit beyond ten thousand zeros.
    memset(text, '0', SIZE);
    memcpy(text, "9007199254740993.", 17);
    strcpy(text + SIZE - 1, "0");
    CHECK(reads_as(text, 9007199254740992.0));
    strcpy(text + SIZE - 1, "1");
    CHECK(reads_as(text, 9007199254740994.0));
    // A long row of zeros, taken back by the exponent.
    memset(text, '0', SIZE);
    text[1] = '.';
    strcpy(text + SIZE, "25e19999");
    CHECK(reads_as(text, 2.5));
    memset(text, '9', SIZE);
    strcpy(text + SIZE, "e-19999");
    CHECK(reads_as(text, 10));
    memset(text, '3', SIZE);
    text[1] = '.';
    strcpy(text + SIZE, "");
    CHECK(reads_as(text, 10.0 / 3));
    free(text);
}

TEST(forms_of_numbers)
{
    CHECK(reads_as("+1", 1));
    CHECK(reads_as(".5", 0.5));
    CHECK(reads_as("5.", 5));
    CHECK(reads_as("-1.57", -1.57));
    CHECK(reads_as("1E5", 1e5));
    CHECK(reads_as("1e+05", 1e5));
    CHECK(reads_as("007", 7));
    CHECK(reads_as("-0", -0.0));
    CHECK(reads_as("-0.0e-5", -0.0));
    CHECK(reads_as("0e999999999999999999999", 0));
    CHECK(reads_as("1e-400", 0));
    CHECK(reads_as("1e-999999999999999999999", 0));
    CHECK(reads_as("1e-18446744073709551617", 0)); // 2^64 + 1
    CHECK(reads_as("4.9e-324", 5e-324));
    CHECK(reads_as("1.7976931348623158e308", 1.7976931348623157e308));

    static const char *const bad[] = {"",
                                      "-",
                                      "+",
                                      ".",
                                      "-.",
                                      "e5",
                                      ".e5",
                                      "1e",
                                      "1e+",
                                      "0,5",
                                      "1e400",
                                      "nan",
                                      "inf",
                                      "-inf",
                                      "NaN",
                                      "infinity",
                                      "1.0kg",
                                      "0x10",
                                      "0x1p3",
                                      "-1.57.",
                                      "1..2",
                                      "1.2.3",
                                      "--1",
                                      "+-1",
                                      "1 ",
                                      " 1",
                                      "1e5.0",
                                      "1e5e5",
                                      "1_000",
                                      "1d5",
                                      "1.8e308",
                                      "1e309",
                                      "1e310",
                                      "1e311",
                                      "1e99999999999999999999",
                                      "1e18446744073709551617",
                                      "\xc2\xa0"
                                      "1",
                                      "\xe2\x88\x92"
                                      "1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        check_case("\"%s\"", bad[i]);
        CHECK(is_refused(bad[i]));
    }
    // The length counts, not a closing zero.
    double value = 0;
    CHECK(lwi_parse_double("12345", 3, &value) && value == 123);
    CHECK(!lwi_parse_double("1\0"
                            "2",
                            3, &value));
}

TEST(whole_numbers)
{
    int value = 0;
    CHECK(lwi_parse_int("42", 2, &value) && value == 42);
    CHECK(lwi_parse_int("-2147483648", 11, &value) && value == -2147483647 - 1);
    CHECK(lwi_parse_int("2147483647", 10, &value) && value == 2147483647);
    value = 7;
    static const char *const bad[] = {"",    "-",  "2147483648", "-2147483649",
                                      "1.0", "1 ", "0x1",        "99999999999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        check_case("\"%s\"", bad[i]);
        CHECK(!lwi_parse_int(bad[i], strlen(bad[i]), &value) && value == 7);
    }
}

TEST(the_locale_does_not_matter)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE",       "fr_FR.UTF-8",
                                        "fr_FR.utf8",  "es_ES.utf8", "nl_NL.utf8",  "it_IT.utf8",
                                        "ru_RU.utf8",  "pl_PL.utf8", "pt_BR.UTF-8", "sv_SE.utf8"};
    const char *found = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; ++i) {
        found =
            setlocale(LC_ALL, names[i]) && *localeconv()->decimal_point == ',' ? names[i] : NULL;
    }
    if (!found) {
        setlocale(LC_ALL, "C");
        check_skip(
            "no locale with a decimal comma is installed (de_DE.UTF-8 and others were tried)");
        return;
    }
    CHECK(reads_as("0.5", 0.5));
    CHECK(reads_as("1234.5678901234567", 1234.5678901234567));
    CHECK(is_refused("0,5"));
    char text[LWI_NUMBER_SIZE];
    lwi_print_double(0.5, text);
    CHECK_TEXT(text, "0.5");
    lwi_print_double(1234.5678901234567, text);
    CHECK_TEXT(text, "1234.5678901234567");
    setlocale(LC_ALL, "C");
}

int main(void)
{
    RUN(random_doubles_read_as_the_c_library_reads_them);
    RUN(random_short_decimals_read_as_the_c_library_reads_them);
    RUN(printed_doubles_read_back_and_none_shorter_does);
    RUN(hard_doubles_print_as_known);
    RUN(halfway_cases_round_to_even);
    RUN(thousands_of_digits_are_read);
    RUN(forms_of_numbers);
    RUN(whole_numbers);
    RUN(the_locale_does_not_matter);
    return REPORT();
}
