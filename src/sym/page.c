#include "page.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Of lines in plain text, and of the source of a line of an equation in LaTeX, about twice as long.
enum { WIDTH = 92, LATEX_WIDTH = 130, MOST_COLUMNS = 8 };

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

// Adds a text with what the format would misunderstand made safe.
static void page_add(lwi_page *p, const char *text)
{
    const char *special = is_latex(p)                         ? "#$%&_{}~^\\"
                          : p->format == LW_DOCUMENT_MARKDOWN ? "\\`*_<>|[]#&"
                                                              : "";
    for (; *text; ++text) {
        if (*special && strchr(special, *text)) {
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
        lwi_text_add(&p->text, "\\documentclass{article}\n\\usepackage[utf8]{inputenc}\n"
                               "\\usepackage{amsmath}\n\\allowdisplaybreaks\n"
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
        if (line > 0 && line + 1 + word > WIDTH) {
            lwi_text_add(&p->text, "\n");
            line = 0;
        } else if (line > 0) {
            lwi_text_add(&p->text, " ");
            ++line;
        }
        add_letters(&p->text, text, word);
        line += word;
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
        lwi_text_add(&p->text, "\\begin{tabular}{");
        for (int i = 0; i < ncolumn; ++i) {
            lwi_text_add(&p->text, "l");
        }
        lwi_text_add(&p->text, "}\n");
    }
    lwi_page_row(p, head);
    if (is_latex(p)) {
        lwi_text_add(&p->text, "\\hline\n");
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
            add_letters(&p->cells, cell[i], strlen(cell[i]));
            lwi_text_add_bytes(&p->cells, "", 1);
            continue;
        }
        lwi_text_add(&p->text, is_latex(p) ? "" : "| ");
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
    lwi_text_add(&p->text, is_latex(p) ? "\\end{tabular}\n\n" : "\n");
}

// --- Equations --------------------------------------------------------------------------------

void lwi_page_equations(lwi_page *p)
{
    lwi_text_add(&p->text, is_latex(p)                         ? "\\begin{align*}\n"
                           : p->format == LW_DOCUMENT_MARKDOWN ? "```text\n"
                                                               : "");
}

void lwi_page_equation(lwi_page *p, const char *name, lwi_polys *s, lwi_poly poly)
{
    if (is_latex(p)) {
        lwi_print_name(&p->text, name, LWI_NOTATION_LATEX);
        lwi_text_add(&p->text, " &= ");
        lwi_print_poly(&p->text, s, poly, LWI_NOTATION_LATEX, LATEX_WIDTH, 0);
        lwi_text_add(&p->text, " \\\\\n");
        return;
    }
    lwi_text_add(&p->text, name);
    lwi_text_add(&p->text, " = ");
    lwi_print_poly(&p->text, s, poly, LWI_NOTATION_PLAIN, WIDTH - 20, (int)strlen(name) + 3);
    lwi_text_add(&p->text, "\n");
}

void lwi_page_line(lwi_page *p, const char *plain, const char *latex)
{
    if (is_latex(p)) {
        lwi_text_add(&p->text, "& ");
        lwi_text_add(&p->text, latex);
        lwi_text_add(&p->text, " \\\\\n");
    } else {
        lwi_text_add(&p->text, plain);
        lwi_text_add(&p->text, "\n");
    }
}

void lwi_page_words(lwi_page *p, const char *words)
{
    if (is_latex(p)) {
        lwi_text_add(&p->text, "& \\text{");
        page_add(p, words);
        lwi_text_add(&p->text, "} \\\\\n");
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
    lwi_text_add(&p->text, is_latex(p)                         ? "\\end{align*}\n\n"
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
