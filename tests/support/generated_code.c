#include "generated_code.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>

lw_derivation *derive_quickly(const lw_model *m, unsigned functions, bool is_symbolic,
                              bool is_sincos_input)
{
    lw_derivation *derivation = NULL;
    lw_derive_options options = lw_default_derive_options();
    options.functions = functions;
    options.is_apart = true;
    options.effort = 0;
    options.is_symbolic = is_symbolic;
    options.is_sincos_input = is_sincos_input;
    CHECK_INT(lw_derive(m, &options, &derivation, NULL), LW_OK);
    return derivation;
}

char *generate_arm(lw_derivation *derivation, lw_generate_options options)
{
    char *text = NULL;
    size_t size = 0;
    options.prefix = "arm";
    CHECK_INT(lw_generate(derivation, &options, &text, &size, NULL), LW_OK);
    CHECK(text && strlen(text) == size);
    return text ? text : calloc(1, 1);
}
