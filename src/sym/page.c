#include "page.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Of lines in plain text, of the source of a line of an equation in LaTeX, about twice as long, and
// of the plain form of a formula, a line of which ends at the next sign behind that.
enum { WIDTH = 92, LATEX_WIDTH = 130, FORMULA_WIDTH = 80, MOST_COLUMNS = 8 };

static bool is_latex(const lwi_page *p)
{
    return p->format == LW_DOCUMENT_LATEX;
}

// A name may hold line breaks, which would end the row or the heading that it stands in.
static void add_letters(lwi_text *out, const char *text, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        const bool is_control = (unsigned char)text[i] < 0x20 || text[i] == 0x7f;
        lwi_text_add_bytes(out, is_control ? " " : text + i, 1);
    }
}

// A symbol of letters and digits, one with an index in brackets, a number, or a sign.
static void add_word(lwi_page *p, const char *word, size_t n)
{
    static const char *const greek[] = {"alpha", "theta", "tau"};
    char name[64];
    n = n < sizeof name ? n : sizeof name - 1;
    memcpy(name, word, n);
    name[n] = '\0';
    char *index = strchr(name, '(');
    if (index && index != name) {
        const size_t end = strcspn(index, ")");
        index[end] = '\0';
        *index = '\0';
        for (size_t i = 0; i < sizeof greek / sizeof *greek; ++i) {
            lwi_text_add(&p->text, strcmp(name, greek[i]) == 0 ? "\\" : "");
        }
        lwi_text_add(&p->text, name);
        lwi_text_add(&p->text, "_{");
        lwi_text_add(&p->text, index + 1);
        lwi_text_add(&p->text, "}");
    } else if (name[0] >= 'A') {
        lwi_print_name(&p->text, name, LWI_NOTATION_LATEX);
    } else {
        lwi_text_add(&p->text, name);
    }
}

// Words with blanks between them, as the inside of a formula.
static void add_formula(lwi_page *p, const char *text, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t end = i;
        while (end < n && text[end] != ' ') {
            ++end;
        }
        add_word(p, text + i, end - i);
        i = end < n ? end + 1 : end;
        lwi_text_add(&p->text, i < n ? " " : "");
    }
}

// How long the symbol is that begins behind a mark; 0 where the mark is none of ours, but stands in
// somebody's name.
static size_t symbol_length(const char *text)
{
    const size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789()+-. ");
    return text[n] == '\001' ? n : 0;
}

// A letter that the fonts of LaTeX have not, as its number: "U+0416". Gives its length in bytes, 0
// for any other; Latin letters up to U+017F are there.
static size_t add_foreign(lwi_page *p, const char *text)
{
    const size_t length = lwi_utf8_length(text);
    const unsigned char lead = (unsigned char)*text;
    if (!is_latex(p) || length < 2 || lead < 0xc6) {
        return 0;
    }
    char number[16];
    snprintf(number, sizeof number, "U+%04X", lwi_utf8_code(text, length));
    lwi_text_add(&p->text, number);
    return length;
}

// Adds a text with what the format would misunderstand made safe.
static void page_add(lwi_page *p, const char *text)
{
    const char *special = is_latex(p)                         ? "#$%&_{}~^\\"
                          : p->format == LW_DOCUMENT_MARKDOWN ? "\\`*_<>|[]#&"
                                                              : "";
    for (; *text; ++text) {
        const size_t symbol = *text == '\001' ? symbol_length(text + 1) : 0;
        if (symbol > 0) {
            lwi_text_add(&p->text, is_latex(p) ? "$" : "");
            if (is_latex(p)) {
                add_formula(p, text + 1, symbol);
            } else {
                add_letters(&p->text, text + 1, symbol);
            }
            lwi_text_add(&p->text, is_latex(p) ? "$" : "");
            text += symbol + 1;
            continue;
        }
        const size_t foreign = add_foreign(p, text);
        if (foreign > 0) {
            text += foreign - 1;
            continue;
        }
        if (*special && strchr(special, *text)) {
            if (is_latex(p) && *text == '^' && text[1] >= '0' && text[1] <= '9') {
                lwi_text_add(&p->text, "$^"); // m^2
                lwi_text_add_bytes(&p->text, ++text, 1);
                lwi_text_add(&p->text, "$");
                continue;
            }
            if (is_latex(p) && strchr("~^\\", *text)) {
                lwi_text_add(&p->text, *text == '~'   ? "\\textasciitilde{}"
                                       : *text == '^' ? "\\textasciicircum{}"
                                                      : "\\textbackslash{}");
                continue;
            }
            lwi_text_add(&p->text, "\\");
        }
        add_letters(&p->text, text, 1);
    }
}

// Plain text has its symbols without their marks.
static void add_plain(lwi_text *out, const char *text, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        if (text[i] != '\001') {
            add_letters(out, text + i, 1);
        }
    }
}

static void underline(lwi_page *p, const char *title, const char *with)
{
    add_letters(&p->text, title, strlen(title));
    lwi_text_add(&p->text, "\n");
    for (size_t i = 0; i < strlen(title); ++i) {
        lwi_text_add(&p->text, with);
    }
    lwi_text_add(&p->text, "\n\n");
}

void lwi_page_begin(lwi_page *p, const char *title)
{
    if (is_latex(p)) {
        lwi_text_add(&p->text, "\\documentclass[a4paper]{article}\n"
                               "\\usepackage[utf8]{inputenc}\n\\usepackage[T1]{fontenc}\n"
                               "\\usepackage{amsmath}\n\\allowdisplaybreaks\n"
                               "\\usepackage{longtable}\n\\setlength{\\LTleft}{0pt}\n"
                               "\\usepackage[margin=20mm]{geometry}\n"
                               "\\setlength{\\parindent}{0pt}\n\\setlength{\\parskip}{4pt}\n"
                               "\\begin{document}\n\\section*{");
        page_add(p, title);
        lwi_text_add(&p->text, "}\n\n");
    } else if (p->format == LW_DOCUMENT_MARKDOWN) {
        lwi_text_add(&p->text, "# ");
        page_add(p, title);
        lwi_text_add(&p->text, "\n\n");
    } else {
        underline(p, title, "=");
    }
}

void lwi_page_end(lwi_page *p)
{
    if (is_latex(p)) {
        lwi_text_add(&p->text, "\\end{document}\n");
    }
}

void lwi_page_heading(lwi_page *p, const char *title)
{
    if (is_latex(p)) {
        lwi_text_add(&p->text, "\\subsection*{");
        page_add(p, title);
        lwi_text_add(&p->text, "}\n\n");
    } else if (p->format == LW_DOCUMENT_MARKDOWN) {
        lwi_text_add(&p->text, "## ");
        page_add(p, title);
        lwi_text_add(&p->text, "\n\n");
    } else {
        underline(p, title, "-");
    }
}

// Plain text is wrapped at blanks.
static void add_wrapped(lwi_page *p, const char *text)
{
    size_t line = 0;
    while (*text) {
        const size_t word = strcspn(text, " ");
        size_t wide = word;
        for (size_t i = 0; i < word; ++i) {
            wide -= text[i] == '\001';
        }
        if (line > 0 && line + 1 + wide > WIDTH) {
            lwi_text_add(&p->text, "\n");
            line = 0;
        } else if (line > 0) {
            lwi_text_add(&p->text, " ");
            ++line;
        }
        add_plain(&p->text, text, word);
        line += wide;
        text += word + (text[word] == ' ');
    }
}

void lwi_page_say(lwi_page *p, const char *format, ...)
{
    char text[1200];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (p->format == LW_DOCUMENT_TEXT) {
        add_wrapped(p, text);
    } else {
        page_add(p, text);
    }
    lwi_text_add(&p->text, "\n\n");
}

// --- Tables -----------------------------------------------------------------------------------

void lwi_page_table(lwi_page *p, int ncolumn, const char *const *head)
{
    p->ncolumn = ncolumn;
    if (is_latex(p)) {
        lwi_text_add(&p->text, "\\begin{longtable}{@{}");
        for (int i = 0; i < ncolumn; ++i) {
            lwi_text_add(&p->text, "l");
        }
        lwi_text_add(&p->text, "@{}}\n");
    }
    lwi_page_row(p, head);
    if (is_latex(p)) {
        lwi_text_add(&p->text, "\\hline\n\\endhead\n");
    } else if (p->format == LW_DOCUMENT_MARKDOWN) {
        for (int i = 0; i < ncolumn; ++i) {
            lwi_text_add(&p->text, "|---");
        }
        lwi_text_add(&p->text, "|\n");
    }
}

void lwi_page_row(lwi_page *p, const char *const *cell)
{
    for (int i = 0; i < p->ncolumn; ++i) {
        const bool is_last = i + 1 == p->ncolumn;
        if (p->format == LW_DOCUMENT_TEXT) {
            // Zeros between the cells.
            add_plain(&p->cells, cell[i], strlen(cell[i]));
            lwi_text_add_bytes(&p->cells, "", 1);
            continue;
        }
        // A star or a bracket would belong to the break of the row before.
        const bool is_taken = i == 0 && (cell[i][0] == '[' || cell[i][0] == '*');
        lwi_text_add(&p->text, !is_latex(p) ? "| " : is_taken ? "{}" : "");
        page_add(p, cell[i]);
        lwi_text_add(&p->text, is_latex(p) ? (is_last ? " \\\\\n" : " & ")
                               : is_last   ? " |\n"
                                           : " ");
    }
}

// Columns as wide as their widest cell, two blanks apart.
static void lay_out(lwi_page *p)
{
    size_t width[MOST_COLUMNS] = {0};
    for (int pass = 0; pass < 2; ++pass) {
        int column = 0;
        for (size_t at = 0; at < p->cells.used;) {
            const char *cell = p->cells.at + at;
            const size_t length = strlen(cell);
            const bool is_last = column + 1 == p->ncolumn;
            if (pass == 0 && length > width[column]) {
                width[column] = length;
            }
            if (pass == 1) {
                lwi_text_add(&p->text, cell);
                for (size_t i = length; i < width[column] + 2 && !is_last; ++i) {
                    lwi_text_add(&p->text, " ");
                }
                lwi_text_add(&p->text, is_last ? "\n" : "");
            }
            column = is_last ? 0 : column + 1;
            at += length + 1;
        }
    }
    p->text.is_short = p->text.is_short || p->cells.is_short;
    lwi_text_free(&p->cells);
}

void lwi_page_table_end(lwi_page *p)
{
    if (p->format == LW_DOCUMENT_TEXT) {
        lay_out(p);
    }
    lwi_text_add(&p->text, is_latex(p) ? "\\end{longtable}\n\n" : "\n");
}

// --- Equations --------------------------------------------------------------------------------

void lwi_page_equations(lwi_page *p)
{
    p->nline = 0;
    lwi_text_add(&p->text, is_latex(p)                         ? "\\begin{align*}\n"
                           : p->format == LW_DOCUMENT_MARKDOWN ? "```text\n"
                                                               : "");
}

// In LaTeX a line ends where the next one begins: behind the last one it would make an empty line.
static void begin_line(lwi_page *p)
{
    lwi_text_add(&p->text, is_latex(p) && p->nline > 0 ? " \\\\\n" : "");
    ++p->nline;
}

void lwi_page_equation(lwi_page *p, const char *name, lwi_polys *s, lwi_poly poly)
{
    begin_line(p);
    if (is_latex(p)) {
        lwi_print_name(&p->text, name, LWI_NOTATION_LATEX);
        lwi_text_add(&p->text, " &= ");
        lwi_print_poly(&p->text, s, poly, LWI_NOTATION_LATEX, LATEX_WIDTH, 0);
        return;
    }
    lwi_text_add(&p->text, name);
    lwi_text_add(&p->text, " = ");
    lwi_print_poly(&p->text, s, poly, LWI_NOTATION_PLAIN, WIDTH - 20, (int)strlen(name) + 3);
    lwi_text_add(&p->text, "\n");
}

void lwi_page_line(lwi_page *p, const char *plain, const char *latex)
{
    begin_line(p);
    if (is_latex(p)) {
        lwi_text_add(&p->text, "& ");
        lwi_text_add(&p->text, latex);
    } else {
        lwi_text_add(&p->text, plain);
        lwi_text_add(&p->text, "\n");
    }
}

void lwi_page_formula(lwi_page *p, const char *formula)
{
    if (!is_latex(p)) {
        lwi_page_words(p, formula);
        return;
    }
    begin_line(p);
    lwi_text_add(&p->text, "& ");
    for (size_t rest = strlen(formula); rest > 0;) {
        size_t part = rest;
        for (size_t i = FORMULA_WIDTH; i + 1 < rest && part == rest; ++i) {
            const bool is_sign = formula[i] == '+' || formula[i] == '-';
            part = is_sign && formula[i - 1] == ' ' && formula[i + 1] == ' ' ? i : part;
        }
        add_formula(p, formula, part);
        formula += part;
        rest -= part;
        lwi_text_add(&p->text, rest > 0 ? " \\\\\n&\\quad {} " : "");
    }
}

void lwi_page_words(lwi_page *p, const char *words)
{
    begin_line(p);
    if (is_latex(p)) {
        lwi_text_add(&p->text, "& \\text{");
        page_add(p, words);
        lwi_text_add(&p->text, "}");
    } else {
        // A name of three backticks would end the block in Markdown.
        for (; *words; ++words) {
            add_letters(&p->text, *words == '`' ? "'" : words, 1);
        }
        lwi_text_add(&p->text, "\n");
    }
}

void lwi_page_equations_end(lwi_page *p)
{
    lwi_text_add(&p->text, is_latex(p)                         ? "\n\\end{align*}\n\n"
                           : p->format == LW_DOCUMENT_MARKDOWN ? "```\n\n"
                                                               : "\n");
}

void lwi_page_listing(lwi_page *p, const char *lines)
{
    const bool is_markdown = p->format == LW_DOCUMENT_MARKDOWN;
    lwi_text_add(&p->text, is_latex(p)   ? "{\\footnotesize\n\\begin{verbatim}\n"
                           : is_markdown ? "```text\n"
                                         : "");
    lwi_text_add(&p->text, lines);
    lwi_text_add(&p->text, is_latex(p) ? "\\end{verbatim}\n}\n\n" : is_markdown ? "```\n\n" : "\n");
}
