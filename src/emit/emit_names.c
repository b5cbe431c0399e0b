// Names of models as names of code. A model may call its joints anything; what comes out here are
// letters, digits and underscores, or a comment that stays one.

#include "emit.h"

#include "../base/name_table.h"

#include <stdio.h>
#include <string.h>

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void write_hex(unsigned code, char hex[8])
{
    int n = 0;
    for (int shift = 20; shift >= 0; shift -= 4) {
        if (code >> shift != 0 || shift <= 12) {
            hex[n++] = "0123456789abcdef"[code >> shift & 15];
        }
    }
    hex[n] = '\0';
}

void lw_identifier(const char *text, char *identifier, size_t size)
{
    size_t used = 0;
    if (!text || !identifier || size < 8) {
        return;
    }
    if (!is_letter(*text)) {
        identifier[used++] = 'm'; // names do not begin with digits or underscores
        if (!is_digit(*text)) {
            identifier[used++] = '_';
        }
    }
    while (*text && used + 1 < size) {
        const size_t length = lwi_utf8_length(text);
        if (is_letter(*text) || is_digit(*text)) {
            identifier[used++] = *text;
        } else if (length > 1) {
            char hex[8];
            write_hex(lwi_utf8_code(text, length), hex);
            if (used + 2 + strlen(hex) > size) {
                break;
            }
            identifier[used++] = 'u';
            memcpy(identifier + used, hex, strlen(hex));
            used += strlen(hex);
        } else if (identifier[used - 1] != '_') {
            identifier[used++] = '_';
        }
        text += length > 1 ? length : 1;
    }
    while (used > 1 && identifier[used - 1] == '_') {
        --used;
    }
    identifier[used] = '\0';
}

// Letters of any script; no marks that reverse the order of letters or hide.
static bool is_harmless(unsigned code)
{
    return (code >= 0xa1 && code < 0x2000 && code != 0xad && code != 0x61c && code != 0x180e) ||
           (code >= 0x2070 && code < 0xd800 && !(code >= 0x2ff0 && code < 0x3001)) ||
           (code >= 0xf900 && code < 0xfe00) || (code >= 0x10000 && code < 0x40000);
}

void lwi_emit_comment(lwi_text *out, const char *text)
{
    enum { LONGEST = 100 };
    for (int n = 0; *text && n < LONGEST; ++n) {
        const size_t length = lwi_utf8_length(text);
        const bool is_plain = length == 1 && *text < 0x7f && !strchr("\\*/?\"", *text);
        if (is_plain || (length > 1 && is_harmless(lwi_utf8_code(text, length)))) {
            lwi_text_add_bytes(out, text, length);
        } else {
            lwi_text_add(out, "_");
        }
        text += length > 0 ? length : 1;
    }
}

void lwi_emit_origin(lwi_text *out, const char *mark, const char *origin)
{
    if (!origin) {
        return;
    }
    lwi_text_format(out, "%s\n%s To regenerate it:\n%s\n", mark, mark, mark);
    for (bool is_new = true; *origin; ++origin) {
        if (is_new) {
            lwi_text_format(out, "%s     ", mark);
        }
        is_new = *origin == '\n';
        // A backslash, or three letters that stood for one, would join the next line to this.
        const bool is_plain =
            is_new || (*origin >= ' ' && *origin < 0x7f && !strchr("\\?", *origin));
        lwi_text_add_bytes(out, is_plain ? origin : "_", 1);
    }
    lwi_text_add(out, "\n");
}

static void number_it(char *identifier, int number)
{
    char behind[16];
    const size_t n = (size_t)snprintf(behind, sizeof behind, "_%d", number);
    const size_t length = strlen(identifier), most = LWI_IDENTIFIER_SIZE - 1 - n;
    memcpy(identifier + (length < most ? length : most), behind, n + 1);
}

void lwi_emit_about(lwi_text *out, const char *before, const lwi_emit_function *function)
{
    for (int r = 0; r < function->nresult; ++r) {
        lwi_text_format(out, function->nresult > 1 ? "%s%s: " : "%s", before,
                        function->result[r].name);
        lwi_emit_comment(out, function->result[r].about);
        lwi_text_add(out, "\n");
    }
}

lw_status lwi_emit_identifiers(int n, const char *const *name,
                               char (*identifier)[LWI_IDENTIFIER_SIZE])
{
    lwi_arena arena = {0};
    lwi_names taken;
    lwi_names_init(&taken, &arena);
    lw_status status = LW_OK;
    for (int i = 0; i < n && status == LW_OK; ++i) {
        char plain[LWI_IDENTIFIER_SIZE];
        lw_identifier(name[i], plain, sizeof plain);
        memcpy(identifier[i], plain, sizeof plain);
        for (int k = 2; lwi_names_find(&taken, identifier[i]) >= 0; ++k) {
            memcpy(identifier[i], plain, sizeof plain);
            number_it(identifier[i], k);
        }
        if (!lwi_names_add(&taken, identifier[i], i)) {
            status = LW_ERR_MEMORY;
        }
    }
    lwi_arena_free(&arena);
    return status;
}

lw_status lwi_emit_indices(lwi_text *out, const char *before, const char *comma, const char *mark,
                           int n, const char *const *name, const char *const *unit)
{
    lwi_arena arena = {0};
    char(*identifier)[LWI_IDENTIFIER_SIZE] =
        lwi_arena_take(&arena, (size_t)n + 1, sizeof *identifier);
    const lw_status status = identifier ? lwi_emit_identifiers(n, name, identifier) : LW_ERR_MEMORY;
    for (int i = 0; i < n && status == LW_OK; ++i) {
        lwi_text_format(out, "%s%s = %d%s%s", before, identifier[i], i, i + 1 < n ? comma : "",
                        mark);
        lwi_emit_comment(out, name[i]);
        lwi_text_format(out, "%s%s\n", unit && *unit[i] ? ", " : "", unit ? unit[i] : "");
    }
    lwi_arena_free(&arena);
    return status;
}

void lwi_emit_state(const lwi_emit_source *source, lwi_emit_array list[LWI_STATE_ARRAYS])
{
    const int nangle = source->is_sincos_input ? source->nq : 0;
    const lwi_emit_array all[LWI_STATE_ARRAYS] = {
        {"q", source->q, source->nq},
        {"v", source->v, source->nv},
        {"a", source->a, source->nv},
        {"tau", source->tau, source->nv},
        {"X", source->pose, source->pose ? 12 : 0},
        {"s", nangle > 0 ? source->sine : NULL, nangle},
        {"c", nangle > 0 ? source->cosine : NULL, nangle}};
    memcpy(list, all, sizeof all);
}
