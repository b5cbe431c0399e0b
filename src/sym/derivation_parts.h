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

/// Whether closed forms can be derived by polynomials: a tree of revolute and prismatic joints, of
/// which some may follow others linearly. Where they cannot, `why` names what prevents it.
enum { LWI_WHY_SIZE = 200 };
bool lwi_has_closed_form(const lw_model *m, char why[LWI_WHY_SIZE]);

#endif
