#include "page.h"

#include "latex.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    WIDTH = 92, // of lines in plain text
    MOST_COLUMNS = 8,
    MOST_ROWS = 16 // of a table that is not broken over pages
};

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
    const size_t dots = strspn(name, "d"); // ddq1
    if (dots > 0 && name[dots] == 'q') {
        lwi_text_add(&p->text, dots == 1 ? "\\dot " : "\\ddot ");
        lwi_print_name(&p->text, name + dots, LWI_NOTATION_LATEX);
    } else if (index && index != name) {
        const size_t end = strcspn(index, ")");
        index[end] = '\0';
        *index = '\0';
        for (size_t i = 0; i < sizeof greek / sizeof *greek; ++i) {
            lwi_text_add(&p->text, strcmp(name, greek[i]) == 0 ? "\\" : "");
        }
        lwi_text_format(&p->text, "%s_{%s}", name, index + 1);
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
// a name of the model.
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
    int run = 0; // letters since LaTeX could break a line
    for (; *text; ++text) {
        const bool is_end = run > 10 && strchr("_./:-", *text) && text[1] && text[1] != ' ';
        run = *text == ' ' ? 0 : run + 1;
        if (is_latex(p) && (is_end || run > 20) && ((unsigned char)*text & 0xc0) != 0x80) {
            lwi_text_add(&p->text, "\\allowbreak{}");
            run = 0;
        }
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

// A title or a heading, by what LaTeX, Markdown and plain text have for it.
static void add_heading(lwi_page *p, const char *title, const char *latex, const char *markdown,
                        const char *underline)
{
    if (p->format != LW_DOCUMENT_TEXT) {
        lwi_text_add(&p->text, is_latex(p) ? latex : markdown);
        page_add(p, title);
        lwi_text_add(&p->text, is_latex(p) ? "}\n\n" : "\n\n");
        return;
    }
    add_letters(&p->text, title, strlen(title));
    lwi_text_add(&p->text, "\n");
    for (size_t i = 0; i < strlen(title); ++i) {
        lwi_text_add(&p->text, underline);
    }
    lwi_text_add(&p->text, "\n\n");
}

void lwi_page_begin(lwi_page *p, const char *title)
{
    // Outlines print at any size, where the usual fonts of T1 may be dots.
    static const char head[] =
        "\\documentclass[a4paper]{article}\n"
        "\\usepackage[utf8]{inputenc}\n\\usepackage[T1]{fontenc}\n"
        "\\IfFileExists{lmodern.sty}{\\usepackage{lmodern}}{}\n"
        "\\IfFileExists{pict2e.sty}{\\usepackage{pict2e}\\usepackage{color}}{}\n"
        "\\usepackage{amsmath}\n\\allowdisplaybreaks\n\\setcounter{MaxMatrixCols}{30}\n"
        "\\usepackage{longtable}\n\\setlength{\\LTleft}{0pt}\n"
        "\\usepackage[margin=20mm]{geometry}\n"
        "\\setlength{\\parindent}{0pt}\n\\setlength{\\parskip}{4pt}\n\\sloppy\n"
        "\\begin{document}\n\\section*{";
    add_heading(p, title, head, "# ", "=");
}

void lwi_page_end(lwi_page *p)
{
    if (is_latex(p)) {
        lwi_text_add(&p->text, "\\end{document}\n");
    }
}

void lwi_page_heading(lwi_page *p, const char *title)
{
    add_heading(p, title, "\\subsection*{", "## ", "-");
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

void lwi_page_text(lwi_page *p, const char *format, ...)
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
    lwi_page_row(p, head);
    if (p->format == LW_DOCUMENT_MARKDOWN) {
        for (int i = 0; i < ncolumn; ++i) {
            lwi_text_add(&p->text, "|---");
        }
        lwi_text_add(&p->text, "|\n");
    }
}

// But for Markdown, rows wait until the widths of all columns are known, with zeros between cells.
void lwi_page_row(lwi_page *p, const char *const *cell)
{
    for (int i = 0; i < p->ncolumn; ++i) {
        const bool is_last = i + 1 == p->ncolumn;
        if (p->format == LW_DOCUMENT_MARKDOWN) {
            lwi_text_add(&p->text, "| ");
            page_add(p, cell[i]);
            lwi_text_add(&p->text, is_last ? " |\n" : " ");
            continue;
        }
        if (is_latex(p)) {
            lwi_text_add(&p->cells, cell[i]);
        } else {
            add_plain(&p->cells, cell[i], strlen(cell[i]));
        }
        lwi_text_add_bytes(&p->cells, "", 1);
    }
}

const char *lwi_vector_text(lw_vec3 v, double noise, char text[LWI_VECTOR_SIZE])
{
    const double entry[3] = {v.x, v.y, v.z};
    char number[3][LWI_NUMBER_SIZE];
    for (int i = 0; i < 3; ++i) {
        lwi_short_number(fabs(entry[i]) < noise ? 0.0 : entry[i], number[i]);
    }
    snprintf(text, LWI_VECTOR_SIZE, "(%s, %s, %s)", number[0], number[1], number[2]);
    return text;
}

void lwi_page_cells(lwi_page *p, const char *kinds, ...)
{
    char text[MOST_COLUMNS][LWI_VECTOR_SIZE];
    const char *cell[MOST_COLUMNS];
    va_list list;
    va_start(list, kinds);
    for (int i = 0; kinds[i]; ++i) {
        cell[i] = text[i];
        if (kinds[i] == 's') {
            cell[i] = va_arg(list, const char *);
        } else if (kinds[i] == 'd') {
            snprintf(text[i], sizeof text[i], "%d", va_arg(list, int));
        } else if (kinds[i] == 'g') {
            lwi_short_number(va_arg(list, double), text[i]);
        } else {
            const lw_vec3 v = va_arg(list, lw_vec3);
            lwi_vector_text(v, va_arg(list, double), text[i]);
        }
    }
    va_end(list);
    lwi_page_row(p, cell);
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
}

// Widths of columns, in points: 0 for as wide as its cells are. Where these are too wide for the
// page, the widest columns share what others leave.
static void share_page(const lwi_page *p, double width[MOST_COLUMNS])
{
    const double space = 13;
    double need[MOST_COLUMNS] = {0}, left = LWI_LATEX_LINE - space * (p->ncolumn - 1), sum = 0;
    int column = 0, nwide = p->ncolumn;
    for (size_t at = 0; at < p->cells.used; at += strlen(p->cells.at + at) + 1) {
        const double wide = lwi_latex_text_width(p->cells.at + at);
        need[column] = wide > need[column] ? wide : need[column];
        column = column + 1 == p->ncolumn ? 0 : column + 1;
    }
    for (int i = 0; i < p->ncolumn; ++i) {
        sum += need[i];
        width[i] = 1;
    }
    if (sum <= left) {
        nwide = 0;
    }
    // What needs less than its share keeps what it needs, and leaves the rest to others.
    for (bool is_again = nwide > 0; is_again;) {
        is_again = false;
        for (int i = 0; i < p->ncolumn; ++i) {
            if (width[i] > 0 && need[i] <= left / nwide) {
                left -= need[i];
                --nwide;
                width[i] = 0;
                is_again = nwide > 0;
            }
        }
    }
    for (int i = 0; i < p->ncolumn; ++i) {
        width[i] = width[i] > 0 && nwide > 0 ? left / nwide : 0;
    }
}

static void add_longtable(lwi_page *p)
{
    double width[MOST_COLUMNS];
    bool is_wide = false, is_head = true;
    int ncell = 0;
    share_page(p, width);
    for (size_t at = 0; at < p->cells.used; ++at) {
        ncell += p->cells.at[at] == '\0';
    }
    // What fits a page needs no second run of LaTeX for its widths.
    const bool is_long = ncell > MOST_ROWS * p->ncolumn;
    lwi_text_add(&p->text, is_long ? "\\begin{longtable}{@{}" : "\\begin{tabular}{@{}");
    for (int i = 0; i < p->ncolumn; ++i) {
        char column[32] = "l";
        if (width[i] > 0) {
            snprintf(column, sizeof column, "p{%dpt}", (int)width[i]);
            is_wide = true;
        }
        lwi_text_add(&p->text, column);
    }
    lwi_text_add(&p->text, "@{}}\n");
    for (size_t at = 0; at < p->cells.used;) {
        for (int i = 0; i < p->ncolumn && at < p->cells.used; ++i) {
            const char *cell = p->cells.at + at;
            // A star or a bracket would belong to the break of the row before.
            const bool is_taken = i == 0 && (cell[0] == '[' || cell[0] == '*');
            lwi_text_add(&p->text, i > 0 ? " & " : is_taken ? "{}" : "");
            lwi_text_add(&p->text, width[i] > 0 ? "\\raggedright{}" : "");
            page_add(p, cell);
            at += strlen(cell) + 1;
        }
        lwi_text_add(&p->text, is_wide ? " \\tabularnewline\n" : " \\\\\n");
        lwi_text_add(&p->text, !is_head ? "" : is_long ? "\\hline\n\\endhead\n" : "\\hline\n");
        is_head = false;
    }
    lwi_text_add(&p->text, is_long ? "\\end{longtable}\n" : "\\end{tabular}\n");
}

void lwi_page_table_end(lwi_page *p)
{
    if (is_latex(p)) {
        add_longtable(p);
    } else if (p->format == LW_DOCUMENT_TEXT) {
        lay_out(p);
    }
    p->text.is_short = p->text.is_short || p->cells.is_short;
    lwi_text_free(&p->cells);
    lwi_text_add(&p->text, "\n");
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

// A formula with its breaks, in lines that fit.
static void add_wrapped_formula(lwi_page *p, lwi_text *formula)
{
    p->text.is_short = p->text.is_short || formula->is_short;
    lwi_latex_wrap(&p->text, formula->at ? formula->at : "");
    lwi_text_free(formula);
}

void lwi_page_equation(lwi_page *p, const char *name, lwi_polys *s, lwi_poly poly)
{
    begin_line(p);
    if (is_latex(p)) {
        lwi_text formula = {0};
        lwi_print_poly(&formula, s, poly, LWI_NOTATION_LATEX, 0, 0);
        lwi_print_name(&p->text, name, LWI_NOTATION_LATEX);
        lwi_text_add(&p->text, " &= ");
        add_wrapped_formula(p, &formula);
        return;
    }
    lwi_text_format(&p->text, "%s = ", name);
    lwi_print_poly(&p->text, s, poly, LWI_NOTATION_PLAIN, WIDTH - 20, (int)strlen(name) + 3);
    lwi_text_add(&p->text, "\n");
}

void lwi_page_line(lwi_page *p, const char *plain, const char *latex)
{
    begin_line(p);
    if (is_latex(p)) {
        lwi_text_add(&p->text, "& ");
        lwi_latex_wrap(&p->text, latex);
    } else {
        lwi_text_format(&p->text, "%s\n", plain);
    }
}

void lwi_page_formulas(lwi_page *p, int n, const lwi_formula *line)
{
    lwi_page_equations(p);
    for (int i = 0; i < n; ++i) {
        lwi_page_line(p, line[i].plain, line[i].latex);
    }
    lwi_page_equations_end(p);
}

void lwi_page_formula(lwi_page *p, const char *plain, const char *latex)
{
    lwi_page_formulas(p, 1, &(lwi_formula){plain, latex});
}

void lwi_page_numbers(lwi_page *p, const char *plain, const char *latex, int n, const double *x)
{
    const lwi_notation notation = is_latex(p) ? LWI_NOTATION_LATEX : LWI_NOTATION_PLAIN;
    lwi_text line = {0};
    begin_line(p);
    lwi_text_format(&p->text, is_latex(p) ? "%s &= " : "%s = ", is_latex(p) ? latex : plain);
    lwi_text_add(&line, "(");
    for (int i = 0; i < n; ++i) {
        lwi_text_add(&line, i == 0 ? "" : is_latex(p) ? "," LWI_BREAK " " : ", ");
        lwi_print_long_number(&line, x[i], notation);
    }
    lwi_text_add(&line, ")");
    if (is_latex(p)) {
        add_wrapped_formula(p, &line);
        return;
    }
    p->text.is_short = p->text.is_short || line.is_short;
    lwi_text_format(&p->text, "%s\n", line.at ? line.at : "");
    lwi_text_free(&line);
}

bool lwi_page_matrix(lwi_page *p, const char *name, int nrow, int ncolumn, const lwi_text *entry)
{
    double sum = 40;
    for (int j = 0; j < ncolumn; ++j) {
        double widest = 0;
        for (int i = 0; i < nrow; ++i) {
            const lwi_text *e = &entry[i * ncolumn + j];
            const double width = lwi_latex_width(e->at ? e->at : "", e->used);
            widest = width > widest ? width : widest;
        }
        sum += widest + 10;
    }
    if (!is_latex(p) || sum > LWI_LATEX_WIDTH) {
        return false;
    }
    lwi_text_format(&p->text, "\\begin{equation*}\n%s =\n\\begin{pmatrix}\n", name);
    for (int i = 0; i < nrow * ncolumn; ++i) {
        const bool is_end = (i + 1) % ncolumn == 0;
        lwi_latex_join(&p->text, entry[i].at ? entry[i].at : "");
        lwi_text_add(&p->text, !is_end ? " & " : i + 1 < nrow * ncolumn ? " \\\\\n" : "\n");
        p->text.is_short = p->text.is_short || entry[i].is_short;
    }
    lwi_text_add(&p->text, "\\end{pmatrix}\n\\end{equation*}\n\n");
    return true;
}

void lwi_page_words(lwi_page *p, const char *words)
{
    begin_line(p);
    if (is_latex(p)) {
        const bool is_long = lwi_latex_text_width(words) > LWI_LATEX_WIDTH;
        lwi_text_add(&p->text,
                     is_long ? "& \\parbox{0.9\\linewidth}{\\raggedright{}" : "& \\text{");
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
    if (is_latex(p)) {
        lwi_latex_listing(&p->text, lines);
    } else {
        lwi_text_add(&p->text, lines);
    }
    lwi_text_add(&p->text, is_latex(p) ? "\\end{verbatim}\n}\n\n" : is_markdown ? "```\n\n" : "\n");
}
