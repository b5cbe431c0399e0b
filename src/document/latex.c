#include "latex.h"

#include <stdbool.h>
#include <string.h>

// --- Widths -----------------------------------------------------------------------------------

// Computer Modern at 10 points. Signs have their spaces with them.
static double letter_width(char c)
{
    if (c >= 'A' && c <= 'Z') {
        return c == 'I' ? 5.2 : c == 'M' ? 10.8 : 7.8;
    }
    return strchr(" {}&", c) ? 0
           : c == 'm'        ? 8.8
           : strchr("+-", c) ? 12.3
           : c == '='        ? 13.4
           : c == ','        ? 4.5
           : c == '.'        ? 2.8
           : strchr("()", c) ? 3.9
                             : 5.4;
}

typedef struct command_width {
    const char *name;
    double width;
} command_width;

static double command_width_of(const char *name, size_t n)
{
    static const command_width known[] = {
        {"quad", 10}, {"cdot", 7.3}, {"times", 12.3},    {"dot", 0},    {"ddot", 0},
        {"left", 1},  {"right", 1},  {"text", 0},        {"mathrm", 0}, {"tfrac", 0},
        {"frac", 0},  {"sum", 16},   {"operatorname", 2}};
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        if (strlen(known[i].name) == n && strncmp(known[i].name, name, n) == 0) {
            return known[i].width;
        }
    }
    return 6.5;
}

static size_t command_length(const char *at, size_t n)
{
    size_t length = 0;
    while (length < n &&
           ((at[length] >= 'a' && at[length] <= 'z') || (at[length] >= 'A' && at[length] <= 'Z'))) {
        ++length;
    }
    return length;
}

double lwi_latex_width(const char *source, size_t n)
{
    double width = 0;
    int depth = 0, script = -1; // the depth of braces at which an index began
    bool is_single = false;     // an index of one letter without braces
    for (size_t i = 0; i < n;) {
        const char c = source[i];
        double step = 0;
        if (c == '_' || c == '^') {
            script = script < 0 ? depth : script;
            is_single = i + 1 < n && source[i + 1] != '{';
            width += 0.6;
            ++i;
            continue;
        }
        if (c == '\\') {
            const size_t length = command_length(source + i + 1, n - i - 1);
            step = length > 0 ? command_width_of(source + i + 1, length) : 1.7;
            i += 1 + (length > 0 ? length : 1);
        } else {
            depth += (c == '{') - (c == '}');
            step = c == '\002' || c == '\003' ? 0 : letter_width(c);
            ++i;
        }
        width += script >= 0 ? 0.74 * (step > 8 ? 8 : step) : step;
        if (script >= 0 && depth == script && (c == '}' || is_single)) {
            script = -1;
            is_single = false;
        }
    }
    return width;
}

double lwi_latex_text_width(const char *text)
{
    double width = 0;
    for (; *text; ++text) {
        const unsigned char c = (unsigned char)*text;
        if (c >= 0xc6) {
            width += 30; // as its number
        } else if ((c & 0xc0) != 0x80 && c != '\001') {
            width += strchr(" .,:;'|!ijlft()[]-/", c) ? 3.9
                     : strchr("mwMW@%", c)            ? 9.5
                     : c >= 'A' && c <= 'Z'           ? 7.6
                                                      : 5.4;
        }
    }
    return width;
}

// --- Lines ------------------------------------------------------------------------------------

static bool is_break(char c)
{
    return c == '\002' || c == '\003';
}

static void add_joined(lwi_text *out, const char *source, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        if (!is_break(source[i])) {
            lwi_text_add_bytes(out, source + i, 1);
        }
    }
}

void lwi_latex_join(lwi_text *out, const char *source)
{
    add_joined(out, source, strlen(source));
}

// How much of a source stands in one line: all, or up to a break. Groups stay whole where the line
// is then at least a third full.
static size_t line_length(const char *source, double capacity)
{
    size_t strong = 0, weak = 0, n = 0;
    for (; source[n]; ++n) {
        const bool is_end = !source[n + 1];
        if (!is_break(source[n]) && !is_end) {
            continue;
        }
        if (lwi_latex_width(source, n + is_end) > capacity && (strong > 0 || weak > 0)) {
            return strong > 0 && (weak == 0 || lwi_latex_width(source, strong) > capacity / 3)
                       ? strong
                       : weak;
        }
        strong = source[n] == '\002' && n > 0 ? n : strong;
        weak = source[n] == '\003' && n > 0 ? n : weak;
    }
    return n;
}

void lwi_latex_wrap(lwi_text *out, const char *source)
{
    double capacity = LWI_LATEX_WIDTH;
    for (;;) {
        const size_t n = line_length(source, capacity);
        add_joined(out, source, n);
        source += n;
        if (!*source) {
            return;
        }
        lwi_text_add(out, " \\\\\n&\\quad {}");
        while (is_break(*source)) {
            ++source;
        }
        if (strncmp(source, "\\,", 2) == 0) { // a thin space at the beginning is invisible
            lwi_text_add(out, "\\times ");
            source += 2;
        }
        capacity = LWI_LATEX_WIDTH - 12;
    }
}

void lwi_latex_listing(lwi_text *out, const char *lines)
{
    enum { WIDE = 108 }; // letters of a typewriter at 8 points
    while (*lines) {
        size_t n = strcspn(lines, "\n"), width = WIDE;
        while (n > width) {
            size_t cut = width;
            while (cut > width / 2 && lines[cut] != ' ' && lines[cut] != '*') {
                --cut;
            }
            cut = cut > width / 2 ? cut : width;
            lwi_text_add_bytes(out, lines, cut);
            lwi_text_add(out, "\n     ");
            lines += cut;
            n -= cut;
            width = WIDE - 5;
        }
        lwi_text_add_bytes(out, lines, n);
        lwi_text_add(out, "\n");
        lines += n + (lines[n] == '\n');
    }
}
