// Closed forms by polynomials in sines and cosines.
#ifndef LWI_CLOSED_FORM_H
#define LWI_CLOSED_FORM_H

#include "symbolic_model.h"

enum {
    LWI_MOST_TERMS = 30000, ///< of all elements together; beyond that expansion does not pay
    LWI_MOST_EXPANDED = 8   ///< joints; beyond that it is not tried
};

/// As lwi_derive_function(), for LW_FORM_LAGRANGE and LW_FORM_UICKER and the functions that have
/// forms. LW_ERR_LIMIT where there are more terms than that.
lw_status lwi_derive_closed_form(lwi_symbolic *k, lw_function function, lw_form form,
                                 lwi_expr *out);

#endif
