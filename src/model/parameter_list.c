// Life and lookup of a list of parameters.
#include "parameter_table.h"

#include <stdlib.h>
#include <string.h>

void lw_parameters_destroy(lw_parameters *parameters)
{
    if (parameters) {
        lwi_arena_free(&parameters->arena);
        free(parameters);
    }
}

int lw_parameters_count(const lw_parameters *parameters)
{
    return parameters ? parameters->count : 0;
}

const char *lw_parameters_name(const lw_parameters *parameters, int i)
{
    return i >= 0 && i < lw_parameters_count(parameters) ? parameters->at[i].name : "";
}

double lw_parameters_value(const lw_parameters *parameters, int i)
{
    return i >= 0 && i < lw_parameters_count(parameters) ? parameters->at[i].value : 0.0;
}

int lw_parameters_find(const lw_parameters *parameters, const char *name, int *list, int capacity)
{
    const size_t length = name ? strlen(name) : 0;
    int n = 0;
    for (int i = 0; i < lw_parameters_count(parameters) && length; ++i) {
        const char *own = parameters->at[i].name;
        if (strncmp(own, name, length) == 0 && (own[length] == '\0' || own[length] == '.')) {
            if (n < capacity && list) {
                list[n] = i;
            }
            ++n;
        }
    }
    return n;
}
