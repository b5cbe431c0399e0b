#include "support/message.h"

#include <stdarg.h>
#include <stdio.h>

int complain(int exit_code, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fputs("linkwork: ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    return exit_code;
}

int exit_code_of(lw_status status)
{
    switch (status) {
    case LW_OK:
        return EXIT_GOOD;
    case LW_ERR_FILE:
    case LW_ERR_MEMORY:
        return EXIT_FILE;
    case LW_ERR_ARGUMENT:
        return EXIT_USAGE;
    case LW_ERR_NUMBER:
    case LW_ERR_STAGE:
    case LW_ERR_SINGULAR:
    case LW_ERR_LOOP_OPEN:
    case LW_ERR_NO_CONVERGENCE:
        return EXIT_NUMERIC;
    default:
        return EXIT_INPUT;
    }
}

int complain_of(const lw_model *m, const lw_data *d, lw_status status, const char *format, ...)
{
    char where[200], why[400];
    va_list list;
    va_start(list, format);
    vsnprintf(where, sizeof where, format, list);
    va_end(list);
    const lw_failure failure = lw_data_failure(d, status);
    lw_failure_text(m, &failure, why, sizeof why);
    return complain(exit_code_of(status), "%s%s", where, why);
}

int no_memory(void)
{
    return complain(EXIT_FILE, "%s", lw_status_text(LW_ERR_MEMORY));
}

const char *suggest_text(const lw_nearest *near, char text[SUGGEST_SIZE])
{
    text[0] = '\0';
    if (near->best) {
        snprintf(text, SUGGEST_SIZE, "; did you mean \"%s\"?", near->best);
    }
    return text;
}
