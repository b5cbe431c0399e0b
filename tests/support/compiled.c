#include "compiled.h"

#include "check.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool compiled_folder(char folder[64])
{
    strcpy(folder, "/tmp/linkwork-test-XXXXXX");
    return mkdtemp(folder) != NULL;
}

void compiled_remove(const char *folder)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf -- %s", folder);
    if (system(command) != 0) {
        fprintf(stderr, "cannot remove %s\n", folder);
    }
}

bool compiled_has(const char *program)
{
    char command[128];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", program);
    return system(command) == 0;
}

bool compiled_write(const char *folder, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file) {
        return false;
    }
    const bool is_good = fwrite(text, 1, strlen(text), file) == strlen(text);
    return fclose(file) == 0 && is_good;
}

int compiled_run(const char *folder, const char *format, ...)
{
    char command[1024], whole[1200];
    va_list args;
    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    snprintf(whole, sizeof whole, "cd %s && { %s ; } >log 2>&1 </dev/null", folder, command);
    const int status = system(whole);
    return status < 0 ? -1 : status / 256;
}

void compiled_show_log(const char *folder)
{
    char command[128];
    snprintf(command, sizeof command, "tail -n 15 %s/log >&2", folder);
    if (system(command) != 0) {
        fprintf(stderr, "no log in %s\n", folder);
    }
}

void compiled_self_check(const char *folder, const char *compiler, const char *flags,
                         const char *text, const char *tolerance)
{
    char program[256];
    snprintf(program, sizeof program,
             "#include \"arm.h\"\nint main(void) { return arm_self_check() < %s ? 0 : 1; }\n",
             tolerance);
    CHECK(compiled_write(folder, "arm.h", text) && compiled_write(folder, "arm.c", program));
    if (!CHECK_INT(
            compiled_run(folder, "%s " COMPILED_STRICT " %s -o arm arm.c -lm", compiler, flags),
            0) ||
        !CHECK_INT(compiled_run(folder, "./arm"), 0)) {
        compiled_show_log(folder);
    }
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

// The body from behind the head to the next line that begins a definition or closes one.
static const char *end_of(const char *body)
{
    const char *brace = strstr(body, "\n}\n"), *next = strstr(body, "\n\n\ndef ");
    const char *end = brace ? brace : next;
    return end ? end : body + strlen(body);
}

static void count_call(const char *word, size_t length, lw_counts *counts)
{
    static const char *const sines[] = {"sin", "cos", "sinf", "cosf"};
    static const char *const roots[] = {"sqrt", "sqrtf"};
    for (int i = 0; i < 4; ++i) {
        if (strlen(sines[i]) == length && strncmp(word, sines[i], length) == 0) {
            ++counts->sincos;
            return;
        }
    }
    for (int i = 0; i < 2; ++i) {
        if (strlen(roots[i]) == length && strncmp(word, roots[i], length) == 0) {
            ++counts->sqrt;
            return;
        }
    }
    ++counts->other;
}

static void count_line(const char *line, const char *end, lw_counts *counts)
{
    bool is_value = false; // whether what stands before could be the left side of an operator
    const char *at = memchr(line, '=', (size_t)(end - line));
    for (at = at ? at + 1 : end; at < end;) {
        if (isdigit((unsigned char)*at)) { // a number, with its exponent and its sign
            while (at < end && (is_word(*at) || *at == '.' ||
                                ((*at == '-' || *at == '+') && (at[-1] == 'e')))) {
                ++at;
            }
            is_value = true;
            continue;
        }
        if (is_word(*at)) {
            const char *word = at;
            while (at < end && (is_word(*at) || *at == '.')) {
                ++at;
            }
            if (*at == '(') {
                count_call(word, (size_t)(at - word), counts);
            }
            is_value = *at != '(';
            continue;
        }
        counts->mul += *at == '*' && is_value;
        counts->div += *at == '/' && is_value;
        counts->add += (*at == '+' || *at == '-') && is_value;
        is_value = *at == ')' || *at == ']' || (isspace((unsigned char)*at) && is_value);
        ++at;
    }
}

bool compiled_recount(const char *text, const char *head, lw_counts *counts)
{
    *counts = (lw_counts){0};
    const char *body = strstr(text, head);
    if (!body) {
        return false;
    }
    body = strchr(body, '\n');
    const char *end = body ? end_of(body) : NULL;
    while (body && body < end) {
        const char *next = strchr(body + 1, '\n');
        next = next && next < end ? next : end;
        const char *first = body;
        while (first < next && isspace((unsigned char)*first)) {
            ++first;
        }
        const char *zeros = strstr(first, " = [0.0] * ");
        if (*first != '#' && *first != '/' && !(zeros && zeros < next)) {
            count_line(body, next, counts);
        }
        body = next;
    }
    return true;
}
