// Numbers of the model as symbols. Each gives a plain number where the derivation folds numbers
// in, and zero where the number is zero, unless it is one of the inputs that were requested.
#ifndef LWI_SYMBOLS_H
#define LWI_SYMBOLS_H

#include "symbolic_model.h"

/// A parameter: what stands in equations is `stem` with a number, what stands in code is `stem`
/// with the name of the part.
lwi_expr lwi_new_symbol(lwi_symbolic *k, const char *stem, int number, const char *part,
                        const char *meaning, double value);

/// An input as it was requested.
typedef struct lwi_input {
    const char *name; ///< that the user gave it, not ended by a zero, or NULL
    size_t length;    ///< of the name, or 0
    bool is_negative; ///< the parameter is the negative of the input
} lwi_input;

/// Whether a parameter was requested, and how (inputs.c); by_part counts what names all parameters
/// of a part, too. The first notes that the request was met.
bool lwi_find_input(lwi_symbolic *k, const char *stem, const char *part, bool by_part,
                    lwi_input *input);
bool lwi_is_input(const lwi_symbolic *k, const char *stem, const char *part, bool by_part);

/// A length that is a symbol but cannot vary alone, because of the loops of step s; null for none.
const lw_symbol_info *lwi_number_in_loop(lwi_symbolic *k, int s);

/// Warns of loops that do not follow an input.
void lwi_note_numbers_in_loops(lwi_symbolic *k);

/// Reports the first of the inputs that no parameter is.
lw_status lwi_check_inputs(lwi_symbolic *k);

/// Inertial ones of body i: "m", "rx", "Ixx", ...
lwi_expr lwi_body_symbol(lwi_symbolic *k, const char *stem, int body, double value);

/// A product of inertia as an integral, which is the negative entry of the tensor.
lwi_expr lwi_product_symbol(lwi_symbolic *k, const char *stem, int body, double value);

/// A length of the placement of body i.
lwi_expr lwi_length_symbol(lwi_symbolic *k, const char *stem, int body, int number, double value);

bool lwi_is_length(const lw_symbol_info *symbol);
bool lwi_is_rod_length(const lw_symbol_info *symbol);

/// One of the numbers of a degree of freedom of the tree: damping and so on.
lwi_expr lwi_dof_symbol(lwi_symbolic *k, const char *stem, int dof, double value);

/// A number of a coupling, a gear or a rod: a symbol only where it is an input.
lwi_expr lwi_closure_symbol(lwi_symbolic *k, const char *stem, const char *part, double value);

/// Gravitational acceleration: "g" along one axis, else one symbol each.
lwi_vec lwi_gravity_symbols(lwi_symbolic *k);

#endif
