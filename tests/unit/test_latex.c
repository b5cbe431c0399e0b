// Documents in LaTeX, checked without it: commands that it knows where they stand, environments and
// braces in pairs, as many columns in each row as there are, and nothing that means something else.
#include "check.h"
#include "load_text.h"

#include <linkwork/symbolic.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { DEEP = 40 };

typedef enum area { PREAMBLE, TEXT, TABLE, MATH, MATRIX } area;

typedef struct reader {
    const char *at;
    const char *fault;
    const char *environment[DEEP]; ///< names, which end with a brace
    int depth, braces[DEEP];       ///< open braces in each
    int text_depth;                ///< braces of \text{} within an equation, 0 for none
    int columns, ampersands;       ///< of the table or the equations
    int pairs;                     ///< \left without its \right
    bool is_inline;                ///< between two dollars
    bool is_aligned;               ///< equations have a sign of alignment
    area where;
} reader;

static bool is_math(const reader *r)
{
    return r->is_inline || ((r->where == MATH || r->where == MATRIX) && r->text_depth == 0);
}

static void fail(reader *r, const char *fault)
{
    r->fault = r->fault ? r->fault : fault;
}

static bool is_in(const char *const *list, size_t n, const char *name, size_t length)
{
    for (size_t i = 0; i < n; ++i) {
        if (strlen(list[i]) == length && strncmp(list[i], name, length) == 0) {
            return true;
        }
    }
    return false;
}

// A row ends: a table has all its columns, an equation its one sign of alignment.
static void end_row(reader *r)
{
    if (r->where == MATRIX && r->columns == 0) {
        r->columns = r->ampersands + 1; // the first row tells
    }
    if (r->where == TABLE || r->where == MATH || r->where == MATRIX) {
        if (r->ampersands != (r->where == MATH ? r->is_aligned : r->columns - 1)) {
            fail(r, "columns of a row");
        }
        if (r->pairs != 0 || r->braces[r->depth] != 0 || r->is_inline) {
            fail(r, "a pair is open at the end of a row");
        }
    } else {
        fail(r, "a break outside of rows");
    }
    r->ampersands = 0;
}

// "{@{}llp{100pt}@{}}"
static void read_columns(reader *r)
{
    bool is_good = strncmp(r->at, "{@{}", 4) == 0;
    r->at += is_good ? 4 : 0;
    for (r->columns = 0; is_good && (*r->at == 'l' || *r->at == 'p'); ++r->columns) {
        const size_t n = *r->at++ == 'p' ? strcspn(r->at, "}") : 0;
        is_good = n == 0 || (*r->at == '{' && n < 8 && strncmp(r->at + n - 2, "pt}", 3) == 0);
        r->at += n > 0 ? n + 1 : 0;
    }
    if (!is_good || r->columns == 0 || strncmp(r->at, "@{}}", 4) != 0) {
        fail(r, "columns of a table");
        return;
    }
    r->at += 4;
}

static void begin_environment(reader *r)
{
    static const char *const known[] = {"document",  "longtable", "tabular", "align*",
                                        "equation*", "pmatrix",   "verbatim"};
    const char *name = r->at;
    const size_t length = strcspn(name, "}\n");
    if (name[length] != '}' || !is_in(known, 7, name, length) || r->depth + 1 >= DEEP ||
        r->where == MATRIX || r->where == TABLE ||
        (r->where == MATH) != (strncmp(name, "pmatrix", length) == 0)) {
        fail(r, "an environment that is not known here");
        return;
    }
    r->at += length + 1;
    r->environment[++r->depth] = name;
    r->braces[r->depth] = 0;
    r->ampersands = 0;
    if (strncmp(name, "verbatim", length) == 0) {
        const char *end = strstr(r->at, "\\end{verbatim}");
        if (!end) {
            fail(r, "a listing that does not end");
        } else {
            r->at = end;
        }
    } else if (strncmp(name, "longtable", length) == 0 || strncmp(name, "tabular", length) == 0) {
        read_columns(r);
        r->where = TABLE;
    } else if (*name == 'p') {
        r->columns = 0;
        r->where = MATRIX;
    } else {
        r->where = *name == 'a' || *name == 'e' ? MATH : TEXT;
        r->is_aligned = *name == 'a';
    }
}

static void end_environment(reader *r)
{
    const size_t length = strcspn(r->at, "}");
    const char *open = r->depth > 0 ? r->environment[r->depth] : "";
    if (strncmp(open, r->at, length + 1) != 0) {
        fail(r, "environments cross");
        return;
    }
    if (r->where == MATH || r->where == MATRIX) {
        end_row(r); // the last one has no break
    }
    if (r->braces[r->depth] != 0 || r->is_inline || (r->where == TABLE && r->ampersands != 0)) {
        fail(r, "something is open at the end of an environment");
    }
    r->at += length + 1;
    r->where = r->where == MATRIX ? MATH : r->depth > 1 ? TEXT : PREAMBLE;
    --r->depth;
}

static void read_command(reader *r)
{
    static const char *const preamble[] = {
        "documentclass", "usepackage", "allowdisplaybreaks", "setlength", "LTleft", "parindent",
        "parskip",       "sloppy",     "IfFileExists",       "setcounter"};
    static const char *const text[] = {
        "section", "subsection", "footnotesize",  "textasciitilde", "textasciicircum", "hline",
        "endhead", "allowbreak", "textbackslash", "tabularnewline", "raggedright",     "linewidth"};
    static const char *const math[] = {
        "sum",   "left",  "right", "tfrac",  "frac",   "partial",   "tau",         "quad",
        "text",  "cdot",  "times", "dot",    "ddot",   "sin",       "cos",         "tan",
        "alpha", "theta", "omega", "mathrm", "parbox", "linewidth", "operatorname"};
    ++r->at;
    if (!isalpha((unsigned char)*r->at)) {
        const char c = *r->at++;
        if (c == '\\') {
            end_row(r);
            if (*r->at == '[' || *r->at == '*') {
                fail(r, "a break that takes what follows");
            }
        } else if (!c || !strchr(is_math(r) ? ",{}" : "#$%&_{}", c)) {
            fail(r, "an escape");
        }
        return;
    }
    const char *name = r->at;
    size_t length = 0;
    while (isalpha((unsigned char)name[length])) {
        ++length;
    }
    r->at += length;
    if (length == 5 && strncmp(name, "begin", 5) == 0 && *r->at == '{') {
        ++r->at;
        begin_environment(r);
    } else if (length == 3 && strncmp(name, "end", 3) == 0 && *r->at == '{') {
        ++r->at;
        end_environment(r);
    } else if (length == 14 && strncmp(name, "tabularnewline", 14) == 0) {
        end_row(r);
    } else if (is_math(r)) {
        if (!is_in(math, sizeof math / sizeof *math, name, length)) {
            fail(r, "a command that mathematics has not");
        }
        r->pairs += length == 4 && strncmp(name, "left", 4) == 0;
        r->pairs -= length == 5 && strncmp(name, "right", 5) == 0;
        if (length == 4 && strncmp(name, "text", 4) == 0) {
            r->text_depth = r->braces[r->depth] + 1;
        }
        if (length == 6 && strncmp(name, "parbox", 6) == 0) {
            r->at += strncmp(r->at, "{0.9\\linewidth}", 15) == 0 ? 15 : 0;
            r->text_depth = r->braces[r->depth] + 1;
        }
    } else if (r->where == PREAMBLE
                   ? !is_in(preamble, sizeof preamble / sizeof *preamble, name, length)
                   : !is_in(text, sizeof text / sizeof *text, name, length)) {
        fail(r, "a command that text has not");
    }
}

static void read_letter(reader *r)
{
    const char c = *r->at++;
    const bool is_text = !is_math(r);
    if (c == '{') {
        ++r->braces[r->depth];
    } else if (c == '}') {
        r->text_depth = r->text_depth == r->braces[r->depth] ? 0 : r->text_depth;
        if (--r->braces[r->depth] < 0) {
            fail(r, "a brace too many");
        }
    } else if (c == '&') {
        ++r->ampersands;
        if (r->is_inline || (is_text && r->where != TABLE)) {
            fail(r, "alignment outside of rows");
        }
    } else if (c == '$' && (r->where == TEXT || r->where == TABLE)) {
        r->is_inline = !r->is_inline;
    } else if (strchr("#$%~", c) || (is_text && strchr("_^", c))) {
        fail(r, "a letter that means something else");
    } else if ((unsigned char)c < 0x20 && c != '\n') {
        fail(r, "a control letter");
    } else if ((unsigned char)c >= 0xc6) {
        fail(r, "a letter that the fonts have not");
    } else if (c == '\n' && *r->at == '\n' && (r->where == MATH || r->is_inline)) {
        fail(r, "a paragraph within mathematics");
    }
}

// What is wrong with a document; null where nothing is. *at is where.
static const char *fault_of(const char *document, const char **at)
{
    reader r = {.at = document, .where = PREAMBLE};
    bool is_over = false;
    while (*r.at && !r.fault) {
        *at = r.at;
        if (is_over && *r.at != '\n') {
            return "something behind the end";
        }
        if (*r.at == '\\') {
            read_command(&r);
            is_over = r.depth == 0 && r.where == PREAMBLE && strncmp(*at, "\\end", 4) == 0;
        } else {
            read_letter(&r);
        }
    }
    return r.fault ? r.fault : is_over ? NULL : "no end";
}

// The checker itself: each of these has one fault, and the first has none.
TEST(K26_faults_of_LaTeX_are_seen)
{
    static const char good[] =
        "\\section*{a\\_b $x_{1}$}\n\\begin{align*}\n& x_{1} \\\\\n& \\text{a\\_b}\n\\end{align*}\n"
        "\\begin{longtable}{@{}ll@{}}\na & b \\\\\n\\hline\n\\end{longtable}\n";
    static const char *const sample[] = {
        good,
        "a_b",
        "50% of it",
        "a & b",
        "$x",
        "$x\n\ny$",
        "\\alpha",
        "\\emph{x}",
        "\\begin{align*}\nx \\\\\n& y\n\\end{align*}",
        "\\begin{align*}\n& x \\\\\n\\end{align*}",
        "\\begin{align*}\n& \\text{a_b}\n\\end{align*}",
        "\\begin{align*}\n& \\left( x\n\\end{align*}",
        "\\begin{align*}\n& x_{1\n\\end{align*}",
        "\\begin{align*}\n& \\textbackslash x\n\\end{align*}",
        "\\begin{longtable}{@{}ll@{}}\na & b & c \\\\\n\\end{longtable}",
        "\\begin{longtable}{@{}ll@{}}\na \\\\\n\\end{longtable}",
        "\\begin{longtable}{@{}ll@{}}\na & b \\\\\n\\end{align*}",
        "a \\\\ b",
        "{a",
        "a}",
        "\\section*{\xd0\x96}",
    };
    for (size_t i = 0; i < sizeof sample / sizeof *sample; ++i) {
        char text[400];
        const char *at = "";
        snprintf(text, sizeof text,
                 "\\documentclass{article}\n\\begin{document}\n%s\n\\end{document}\n", sample[i]);
        const char *fault = fault_of(text, &at);
        check_case("%s (%s)", sample[i], fault ? fault : "none");
        CHECK((fault == NULL) == (i == 0));
    }
    const char *at;
    CHECK(fault_of("\\documentclass{article}\n\\begin{document}\n", &at) != NULL);
}

// --- Widths -----------------------------------------------------------------------------------

// Points that the formula of a row takes at least, at a type size of 10: letters and digits 4.2,
// in an index 3, a sign with its spaces 12.
static double row_width(const char *row, size_t n)
{
    double width = 0;
    int depth = 0, index = 0;
    for (size_t i = 0; i < n; ++i) {
        const char c = row[i];
        if (c == '\\') {
            const size_t from = i;
            while (i + 1 < n && isalpha((unsigned char)row[i + 1])) {
                ++i;
            }
            width += i > from + 3 ? 3 : 0;
            i += i == from;
        } else if (c == '{' || c == '}') {
            depth += c == '{' ? 1 : -1;
            index = depth < index ? 0 : index;
        } else if (c == '_' || c == '^') {
            index = depth + 1;
        } else if (c != '&' && !isspace((unsigned char)c)) {
            width += index > 0 ? 3 : strchr("+-=", c) ? 12 : 4.2;
            index = index > depth ? 0 : index;
        }
    }
    return width;
}

// The first row of equations, or line of a listing, that a page of 170 mm cannot hold; null where
// there is none.
static const char *too_wide(const char *text)
{
    const char *row = NULL;
    bool is_listing = false;
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
        const size_t length = strcspn(line, "\n");
        if (is_listing && length > 113) {
            return line;
        }
        if (strncmp(line, "\\begin{verbatim", 15) == 0 ||
            strncmp(line, "\\end{verbatim", 13) == 0) {
            is_listing = line[1] == 'b';
        } else if (strncmp(line, "\\begin{align*}", 14) == 0) {
            row = line + length + 1;
        } else if (row && (strncmp(line, "\\end{align*}", 12) == 0 ||
                           (length > 1 && strncmp(line + length - 2, "\\\\", 2) == 0))) {
            const size_t n = (size_t)(line - row) + (*line == '\\' && line[1] == 'e' ? 0 : length);
            if (!strstr(row, "\\parbox") && row_width(row, n) > 483) {
                return row;
            }
            row = line[1] == 'e' && *line == '\\' ? NULL : line + length + 1;
        }
        if (line[length] == '\0') {
            break;
        }
    }
    return NULL;
}

static void check_document(const lw_model *m, const lw_derive_options *options)
{
    lw_derivation *d = NULL;
    char *text = NULL;
    CHECK_INT(lw_derive(m, options, &d, NULL), LW_OK);
    CHECK_INT(lw_derivation_document(d, LW_DOCUMENT_LATEX, &text), LW_OK);
    const char *at = "", *fault = text ? fault_of(text, &at) : "none";
    if (!CHECK(!fault)) {
        printf("%s: %.80s\n", fault, at);
    }
    const char *wide = text ? too_wide(text) : NULL;
    if (!CHECK(!wide)) {
        printf("wider than the page: %.200s\n", wide);
    }
    lw_text_free(text);
    lw_derivation_destroy(d);
}

TEST(K26_LaTeX_of_machines_has_no_fault_and_fits_the_page)
{
    static const char *const name[] = {
        "scara.xml",          "ur5_class.xml",           "vibran6.xml",
        "stanford.xml",       "closed/palletiser.xml",   "closed/geared_wrist.xml",
        "closed/bennett.xml", "closed/slider_crank.xml", "closed/five_bar.xml",
        "hr120/hr120.xml"};
    for (size_t i = 0; i < sizeof name / sizeof *name; ++i) {
        lw_model *m = shipped_model(name[i]);
        for (int is_symbolic = 0; is_symbolic < 2 && m; ++is_symbolic) {
            lw_derive_options o = lw_default_derive_options();
            o.functions = 1u << LW_FUNCTION_INVERSE_DYNAMICS | 1u << LW_FUNCTION_ELEMENTS;
            o.functions = i == 9 ? 1u << LW_FUNCTION_GRAVITY : o.functions;
            o.effort = 0;
            o.is_symbolic = is_symbolic > 0;
            check_case("%s, %s", name[i], is_symbolic ? "symbols" : "numbers");
            check_document(m, &o);
        }
        lw_model_destroy(m);
    }
}

// Whatever a part is called, in any script.
TEST(K26_LaTeX_of_any_name_has_no_fault)
{
    static const char *const name[] = {
        "a_b#c%d$e&amp;f{g}h~i^j\\k",
        "[head]",
        "*star",
        "\\end{document}",
        "Жёсткость",
        "手首&#10;&#9;x",
        "\xc3\xa4rm",
        "\\\\",
        ("a_name_that_is_much_longer_than_a_name_should_be_and_then_"
         "some_more_of_it_without_a_blank"),
        "wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww"};
    for (size_t i = 0; i < sizeof name / sizeof *name; ++i) {
        char text[800];
        snprintf(text, sizeof text,
                 "<linkwork version='1' name='%s'><ground/>"
                 "<joint name='%s' type='revolute' axis='0 1 0' from='ground' to='%s.'/>"
                 "<link name='%s.' mass='1' inertia='1 1 1'/></linkwork>",
                 name[i], name[i], name[i], name[i]);
        lw_model *m = compile_text("name.xml", text, NULL);
        lw_derive_options o = lw_default_derive_options();
        o.effort = 0;
        o.is_symbolic = true;
        check_case("%s", name[i]);
        if (m) {
            check_document(m, &o);
        }
        lw_model_destroy(m);
    }
}

int main(void)
{
    RUN(K26_faults_of_LaTeX_are_seen);
    RUN(K26_LaTeX_of_machines_has_no_fault_and_fits_the_page);
    RUN(K26_LaTeX_of_any_name_has_no_fault);
    return REPORT();
}
