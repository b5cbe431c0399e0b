// Base parameters: which combinations there are, and by what formulas their shares depend on
// lengths.
#ifndef LWI_BASE_PARAMETERS_H
#define LWI_BASE_PARAMETERS_H

#include "derivation.h"

/// The regressor of ideal joints, at effort 0.
lw_status lwi_derive_regressor(const lw_model *m, bool is_symbolic, lw_report *report,
                               lw_derivation **d);

/// lw_base_parameters() of a derivation of the regressor, for these values of its symbols (NULL:
/// those of the model).
lw_status lwi_base_rows(lw_derivation *d, const double *value, int *rank, int *column, double *K);

/// Shares of the combinations as polynomials in the lengths of the mechanism, of degree 0, 1 or 2
/// by their dimensions.
typedef struct lwi_base_shares {
    lw_derivation *d; ///< of the regressor, with symbols
    lwi_arena arena;
    int nlength;
    int *length;    ///< [nlength] symbols that are lengths
    int nparameter; ///< 10 * nbody
    int rank;
    int *column;    ///< [rank]
    double *K;      ///< [rank * nparameter] for the values of the model
    int nterm;      ///< capacity for the terms of a share
    double *factor; ///< [rank * nparameter * nterm], as lwi_share_term() numbers them
    char *is_named; ///< [rank * nparameter] that polynomial is the share, whatever the lengths are
} lwi_base_shares;

/// Finds them, by interpolation over random lengths. Shares that are no such polynomial, and all of
/// them where lengths cannot be chosen freely (mechanisms with loops), are left as numbers.
/// lwi_base_shares_free() is due either way.
lw_status lwi_find_base_shares(const lw_model *m, bool is_symbolic, lwi_base_shares *b);
void lwi_base_shares_free(lwi_base_shares *b);

/// Degree of the share of a parameter in a combination; less than 0 where dimensions allow none.
int lwi_share_degree(int column, int parameter);

/// How many terms a polynomial of that degree has, and the lengths in one of them: -1 for none.
int lwi_share_terms(int nlength, int degree);
void lwi_share_term(int nlength, int degree, int term, int length[2]);

#endif
