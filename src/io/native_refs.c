// What a reference to a port means. Reader and writer share this, so that what one writes the other
// understands, whatever the parts are called.
#include "native.h"

#include <string.h>

// The first kind, among those asked for, whose part of this name has the port.
static int find_with_port(const lwi_native_lookup *lookup, const char *name, const char *port,
                          int first, int last)
{
    for (int kind = first; kind <= last; ++kind) {
        const int part = lookup->find(lookup->context, name, (lwi_kind)kind);
        if (part >= 0 && lookup->has_port(lookup->context, part, port)) {
            return part;
        }
    }
    return -1;
}

static lwi_native_ref resolve_among(const lwi_native_lookup *lookup, const char *text,
                                    const char *default_port, int first, int last)
{
    char name[LWI_NAME_LIMIT + 1];
    const size_t length = strlen(text);
    if (length > LWI_NAME_LIMIT) {
        return (lwi_native_ref){-1, default_port};
    }
    memcpy(name, text, length + 1);
    for (char *dot = strrchr(name, '.'); dot; dot = strrchr(name, '.')) {
        *dot = '\0';
        const char *port = text + (dot - name) + 1;
        const int part = find_with_port(lookup, name, port, first, last);
        if (part >= 0) {
            return (lwi_native_ref){part, port};
        }
    }
    return (lwi_native_ref){find_with_port(lookup, text, default_port, first, last), default_port};
}

lwi_native_ref lwi_native_resolve(const lwi_native_lookup *lookup, const char *text,
                                  const char *default_port)
{
    const char *colon = strchr(text, ':');
    for (int kind = 0; colon && kind < LWI_KIND_COUNT; ++kind) {
        const char *word = lwi_kind_name((lwi_kind)kind);
        if (strlen(word) == (size_t)(colon - text) &&
            strncmp(word, text, (size_t)(colon - text)) == 0) {
            const lwi_native_ref ref = resolve_among(lookup, colon + 1, default_port, kind, kind);
            if (ref.part >= 0) {
                return ref;
            }
        }
    }
    return resolve_among(lookup, text, default_port, 0, LWI_KIND_COUNT - 1);
}
