#include "support/numeral.h"

#include <jansson.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 500 }; // characters of one number; 1e-307 written out takes 309

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t count_digits(const char *text, size_t from, size_t length)
{
    size_t end = from;
    while (end < length && is_digit(text[end])) {
        ++end;
    }
    return end - from;
}

// JSON wants "0.5" where people may type ".5", "+0.5" or "00.5". This checks the grammar and
// rewrites such numbers; the value itself is then read by jansson, which heeds no locale.
static size_t to_json(const char *text, size_t length, char *json)
{
    size_t at = 0, out = 0;
    if (at < length && (text[at] == '+' || text[at] == '-')) {
        if (text[at] == '-') {
            json[out++] = '-';
        }
        ++at;
    }
    size_t whole = count_digits(text, at, length);
    const size_t first = at;
    at += whole;
    size_t fraction = 0;
    const bool has_point = at < length && text[at] == '.';
    if (has_point) {
        fraction = count_digits(text, at + 1, length);
    }
    if (whole + fraction == 0) {
        return 0;
    }
    size_t from = first;
    while (whole > 1 && text[from] == '0') {
        ++from;
        --whole;
    }
    if (whole == 0) {
        json[out++] = '0';
    }
    memcpy(json + out, text + from, whole);
    out += whole;
    if (fraction > 0) {
        memcpy(json + out, text + at, fraction + 1);
        out += fraction + 1;
    }
    at += has_point ? fraction + 1 : 0;
    // The exponent has the same form in both.
    if (at < length && text[at] != 'e' && text[at] != 'E') {
        return 0;
    }
    memcpy(json + out, text + at, length - at);
    return out + length - at;
}

bool number_parse(const char *text, size_t length, double *out)
{
    char json[LONGEST + 2];
    if (length == 0 || length > LONGEST) {
        return false;
    }
    const size_t size = to_json(text, length, json);
    // jansson skips blanks around a value; a number here has none.
    if (size == 0 || json[size - 1] < '0' || json[size - 1] > '9') {
        return false;
    }
    json_t *value = json_loadb(json, size, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL);
    const bool is_good = json_is_real(value) && isfinite(json_real_value(value));
    if (is_good) {
        *out = json_real_value(value);
    }
    json_decref(value);
    return is_good;
}

bool number_parse_count(const char *text, size_t length, int most, int *out)
{
    double value;
    if (count_digits(text, 0, length) != length || !number_parse(text, length, &value) ||
        value < 1 || value > most) {
        return false;
    }
    *out = (int)value;
    return true;
}

const char *number_text(double value, char text[NUMBER_ROOM])
{
    snprintf(text, NUMBER_ROOM, "%.6g", value == 0 ? 0.0 : value);
    return text;
}
