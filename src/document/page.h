// A document in one of three formats.
#ifndef LWI_PAGE_H
#define LWI_PAGE_H

#include <linkwork/symbolic.h>

#include "print.h"

typedef struct lwi_page {
    lwi_text text;
    lw_document format;
    int ncolumn;    ///< of the table that is being written
    int nline;      ///< of the block of equations that is being written
    lwi_text cells; ///< of a table, until the widths of its columns are known
} lwi_page;

void lwi_page_begin(lwi_page *p, const char *title);
void lwi_page_end(lwi_page *p);
void lwi_page_heading(lwi_page *p, const char *title);

/// A symbol within a text, such as LWI_SYMBOL("q1"): written as a formula where the format has any.
#define LWI_SYMBOL(name) "\001" name "\001"

/// A paragraph; %s and %d as in printf, and what they give is made safe for the format.
void lwi_page_text(lwi_page *p, const char *format, ...) LW_PRINTF(2, 3);

/// A table: heads first, row by row.
void lwi_page_table(lwi_page *p, int ncolumn, const char *const *head);
void lwi_page_row(lwi_page *p, const char *const *cell);
/// A row by the kinds of its cells: s a text, d an int, g a number with at most six digits, v a
/// lw_vec3 and the size (double) below which entries are written as zero.
void lwi_page_cells(lwi_page *p, const char *kinds, ...);
void lwi_page_table_end(lwi_page *p);

/// Equations: a block of lines NAME = polynomial.
void lwi_page_equations(lwi_page *p);
void lwi_page_equation(lwi_page *p, const char *name, lwi_polys *s, lwi_poly poly);
void lwi_page_line(lwi_page *p, const char *plain, const char *latex);
/// Blocks of such lines, in plain text and in LaTeX.
typedef struct lwi_formula {
    const char *plain, *latex;
} lwi_formula;
void lwi_page_formulas(lwi_page *p, int n, const lwi_formula *line);
void lwi_page_formula(lwi_page *p, const char *plain, const char *latex);
/// A line NAME = (numbers, ...).
void lwi_page_numbers(lwi_page *p, const char *plain, const char *latex, int n, const double *x);
/// A line of words within a block of equations.
void lwi_page_words(lwi_page *p, const char *words);
void lwi_page_equations_end(lwi_page *p);

/// A matrix of formulas, row by row, in LaTeX; false, and nothing, where it is too wide for the
/// page or the format has none.
bool lwi_page_matrix(lwi_page *p, const char *name, int nrow, int ncolumn, const lwi_text *entry);

enum { LWI_VECTOR_SIZE = 3 * LWI_NUMBER_SIZE + 8 };

/// An axis of a frame: a column of its rotation.
static inline lw_vec3 lwi_axis(const lw_mat3 *R, int k)
{
    const lw_vec3 e = lw_vec3_of(k == 0, k == 1, k == 2);
    return lw_rotate(R, e);
}

/// "(0.4, 0, -0.1)", with entries smaller than the noise as zero. Returns `text`.
const char *lwi_vector_text(lw_vec3 v, double noise, char text[LWI_VECTOR_SIZE]);

/// Lines as they stand, of letters that no format minds.
void lwi_page_listing(lwi_page *p, const char *lines);

#endif
