// What conditions call: fields by their paths, and functions.
#ifndef LWI_CONDITION_H
#define LWI_CONDITION_H

#include "spec.h"

/// The value of a field, or of joints, links, principal, joint.index; false where there is no such
/// field.
bool lwi_read_path(lwi_context *context, const char *name, size_t length, lwi_result *out);

/// A function by its name, or -1; its name; whether it takes a path instead of values.
int lwi_find_function(const char *name, size_t length);
const char *lwi_function_name_at(int function);
bool lwi_takes_path(int function);

/// Calls a function; false for wrong arguments.
bool lwi_call(lwi_context *context, int function, int n, const lwi_result *value, lwi_result *out);
bool lwi_call_of_path(lwi_context *context, int function, const char *name, size_t length, int k,
                      lwi_result *out);

#endif
