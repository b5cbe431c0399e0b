// realpath() is not in plain POSIX headers of the C library.
#define _XOPEN_SOURCE 700

#include "sweep/plan_text.h"

#include "draw/picture.h"
#include "support/message.h"
#include "support/numeral.h"
#include "sweep/sweep_drive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// A text as the value of an attribute.
static void put_value(FILE *file, const char *name, const char *value)
{
    fprintf(file, " %s=\"", name);
    svg_print(file, value);
    fputc('"', file);
}

static int put_file(FILE *file, const char *element, const char *name, const char *path)
{
    char *whole = realpath(path, NULL);
    if (!whole) {
        return complain(EXIT_FILE, "cannot read %s: %s", path, strerror(errno));
    }
    fputs(element, file);
    put_value(file, name, whole);
    free(whole);
    return EXIT_GOOD;
}

static int put_numbers(FILE *file, const command_line *args, double cases)
{
    static const char *const mode[] = {"exact", "fast", NULL};
    double n = cases, seed = 1.0;
    int code = args_whole_large(args, OPT_COUNT, 1.0, 1e15, &n);
    code = code == EXIT_GOOD ? args_whole_large(args, OPT_SEED, 0.0, 9e15, &seed) : code;
    const int chosen = code == EXIT_GOOD ? args_choice(args, OPT_MODE, mode) : -1;
    if (chosen >= 0) {
        fprintf(file, " cases=\"%.0f\" seed=\"%.0f\" mode=\"%s\"", n, seed, mode[chosen]);
    }
    return chosen >= 0 ? EXIT_GOOD : EXIT_USAGE;
}

static int put_levels(FILE *file, const command_line *args)
{
    for (int i = 0; i < args_count(args, OPT_LEVEL); ++i) {
        const char *text = args_value_at(args, OPT_LEVEL, i), *sign = strrchr(text, '=');
        if (!sign) {
            return complain(EXIT_USAGE, "--level: \"%s\" is not ASSEMBLY=LEVEL", text);
        }
        fputs("  <level", file);
        put_value(file, "assembly", memory_text(args->pool, "%.*s", (int)(sign - text), text));
        put_value(file, "detail", sign + 1);
        fputs("/>\n", file);
    }
    return EXIT_GOOD;
}

int plan_begin(file_draft *draft, const job *work, double cases)
{
    const command_line *args = work->args;
    int code = file_begin(draft);
    if (code != EXIT_GOOD) {
        return code;
    }
    code = put_file(draft->to, "<sweep", "model", args->operand[0]);
    code = code == EXIT_GOOD ? put_numbers(draft->to, args, cases) : code;
    fputs(">\n", draft->to);
    for (int i = 0; i < args_count(args, OPT_STRUCTURE) && code == EXIT_GOOD; ++i) {
        code = put_file(draft->to, "  <structure", "model", args_value_at(args, OPT_STRUCTURE, i));
        fputs("/>\n", draft->to);
    }
    code = code == EXIT_GOOD ? put_levels(draft->to, args) : code;
    if (code == EXIT_GOOD && args_takes(args, OPT_RUN) && args_has(args, OPT_RUN)) {
        code = put_file(draft->to, "  <run", "file", args_value(args, OPT_RUN));
        fputs("/>\n", draft->to);
    }
    return code;
}

// "normal(0.4,1e-4)" as normal="0.4 1e-4", "50:120:5" as grid="50 120 5", "3" as value="3".
static int put_law(FILE *file, const command_line *args, const char *text, const char *law)
{
    static const char *const name[] = {"normal", "uniform", "lhs"};
    const size_t length = strlen(law);
    char *numbers = memory_text(args->pool, "%s", law);
    const char *attr = strchr(law, ':') ? "grid" : "value";
    for (int k = 0; k < 3; ++k) {
        const size_t n = strlen(name[k]);
        if (strncmp(law, name[k], n) == 0 && law[n] == '(' && law[length - 1] == ')') {
            attr = name[k];
            numbers = memory_text(args->pool, "%.*s", (int)(length - n - 2), law + n + 1);
        }
    }
    for (char *c = numbers; *c; ++c) {
        *c = *c == ',' || *c == ':' ? ' ' : *c;
    }
    int count;
    char **item = memory_split(args->pool, numbers, ' ', &count);
    const int wanted = strcmp(attr, "grid") == 0 ? 3 : strcmp(attr, "value") == 0 ? 1 : 2;
    double value;
    bool is_good = count == wanted;
    for (int k = 0; k < count && is_good; ++k) {
        is_good = number_parse(item[k], strlen(item[k]), &value);
    }
    if (!is_good) {
        return complain(EXIT_USAGE,
                        "--vary: \"%s\" is not NAME=normal(MEAN,DEVIATION), uniform(LOW,HIGH), "
                        "lhs(LOW,HIGH), FROM:TO:STEP or a number",
                        text);
    }
    put_value(file, attr, numbers);
    return EXIT_GOOD;
}

int plan_add_inputs(file_draft *draft, const job *work)
{
    const command_line *args = work->args;
    int code = EXIT_GOOD;
    for (int i = 0; i < args_count(args, OPT_VARY) && code == EXIT_GOOD; ++i) {
        const char *text = args_value_at(args, OPT_VARY, i), *sign = strchr(text, '=');
        if (!sign || sign == text) {
            return complain(EXIT_USAGE, "--vary: \"%s\" is not NAME=LAW", text);
        }
        const char *name = memory_text(args->pool, "%.*s", (int)(sign - text), text);
        const bool is_position = strncmp(name, "q.", 2) == 0;
        fputs("  <vary", draft->to);
        put_value(draft->to, is_position ? "q" : "parameter", is_position ? name + 2 : name);
        code = put_law(draft->to, args, text, sign + 1);
        fputs("/>\n", draft->to);
    }
    return code;
}

void plan_add_measure(file_draft *draft, const char *measure)
{
    fputs("  <measure", draft->to);
    put_value(draft->to, "of", measure);
    fputs("/>\n", draft->to);
}

int plan_add_measures(file_draft *draft, const job *work)
{
    const command_line *args = work->args;
    for (int i = 0; i < args_count(args, OPT_MEASURE); ++i) {
        plan_add_measure(draft, args_value_at(args, OPT_MEASURE, i));
    }
    return args_has(args, OPT_MEASURE)
               ? EXIT_GOOD
               : complain(EXIT_USAGE, "%s needs --measure", args->command->name);
}

int plan_run(file_draft *draft, job *work, int code)
{
    const char *text = NULL;
    fputs("</sweep>\n", draft->to);
    const int kept = file_end_text(draft, work->pool, &text);
    code = code == EXIT_GOOD ? kept : code;
    return code == EXIT_GOOD ? drive_written(work, text) : code;
}
