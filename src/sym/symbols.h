// Numbers of the model as symbols. Each gives a plain number where the derivation folds numbers
// in, and zero where the number is zero, unless it is one of the inputs that were requested.
#ifndef LWI_SYMBOLS_H
#define LWI_SYMBOLS_H

#include "symbolic_model.h"

/// A parameter: what stands in equations is `stem` with a number, what stands in code is `stem`
/// with the name of the part.
lwi_expr lwi_new_symbol(lwi_symbolic *k, const char *stem, int number, const char *part,
                        const char *meaning, double value);

/// Whether the parameter was requested by its name in code.
bool lwi_is_input(const lwi_symbolic *k, const char *stem, const char *part);

/// Reports the first name among the inputs that no parameter has.
lw_status lwi_check_inputs(lwi_symbolic *k);

/// Inertial ones of body i: "m", "rx", "Ixx", ...
lwi_expr lwi_body_symbol(lwi_symbolic *k, const char *stem, int body, double value);

/// A product of inertia as an integral, which is the negative entry of the tensor.
lwi_expr lwi_product_symbol(lwi_symbolic *k, const char *stem, int body, double value);

/// A length of the placement of body i.
lwi_expr lwi_length_symbol(lwi_symbolic *k, const char *stem, int body, int number, double value);

bool lwi_is_length(const lw_symbol_info *symbol);

/// One of the numbers of a degree of freedom of the tree: damping and so on.
lwi_expr lwi_dof_symbol(lwi_symbolic *k, const char *stem, int dof, double value);

/// Gravitational acceleration: "g" along one axis, else one symbol each.
lwi_vec lwi_gravity_symbols(lwi_symbolic *k);

#endif
