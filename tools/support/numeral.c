#include "support/numeral.h"

#include <linkwork/base.h>

#include <stdio.h>
#include <string.h>

bool number_parse(const char *text, size_t length, double *out)
{
    return lw_parse_number(text, length, out);
}

bool number_parse_count(const char *text, size_t length, int most, int *out)
{
    double value;
    if (strspn(text, "0123456789") < length || !number_parse(text, length, &value) || value < 1 ||
        value > most) {
        return false;
    }
    *out = (int)value;
    return true;
}

const char *number_text(double value, char text[NUMBER_SIZE])
{
    snprintf(text, NUMBER_SIZE, "%.6g", value == 0 ? 0.0 : value);
    return text;
}
