// What a derivation keeps.
#ifndef LWI_DERIVATION_PARTS_H
#define LWI_DERIVATION_PARTS_H

#include "derivation.h"
#include "machine.h"

enum { LWI_FORMS = 4 }; ///< of lw_form

/// Counts of the forms that were tried for one function.
typedef struct lwi_form_counts {
    bool is_tried[LWI_FORMS];
    bool is_searched[LWI_FORMS]; ///< for cheaper operations; else as written
    lw_counts counts[LWI_FORMS];
} lwi_form_counts;

struct lw_derivation {
    lw_model *model; ///< a copy, so that it lives as long as the derivation
    lw_derive_options options;
    lw_unbalance unbalance; ///< where the options have one
    lwi_arena arena;
    lw_symbol_info *symbol;
    int nsymbol;
    lwi_tape *tape[LW_FUNCTION_COUNT]; ///< a tape that functions share stands with each of them
    lw_form form[LW_FUNCTION_COUNT];
    lwi_form_counts tried[LW_FUNCTION_COUNT];
    double *input, *work, *result; ///< room for the largest tape
};

/// Whether closed forms can be derived by polynomials: an open tree of joints of one freedom. Where
/// they cannot, *why says so in words.
bool lwi_has_closed_form(const lw_model *m, const char **why);

#endif
