// Diagnostics are kept in arena memory; a report that runs out of memory counts what it had to
// drop, so that reporting itself never fails.
#include "report.h"

#include "arena.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KEPT = 1000 }; ///< diagnostics of one severity; a broken generated file has millions

struct lw_report {
    lwi_arena arena;
    lw_diagnostic *diagnostic;
    int count, room;
    int kept[LW_ERROR + 1];
    int errors, dropped;
    bool is_silent[LW_DIAG_COUNT];
};

lw_status lw_report_create(lw_report **report)
{
    if (!report) {
        return LW_ERR_ARGUMENT;
    }
    *report = calloc(1, sizeof **report);
    return *report ? LW_OK : LW_ERR_MEMORY;
}

lw_report *lwi_report_create_fixed(void *block, size_t size)
{
    enum { FINDINGS = 32 };
    lwi_arena arena = {0};
    lwi_arena_init_fixed(&arena, block, size);
    lw_report *report = lwi_arena_take(&arena, 1, sizeof *report);
    lw_diagnostic *diagnostic = lwi_arena_take(&arena, FINDINGS, sizeof *diagnostic);
    if (!report || !diagnostic) {
        return NULL;
    }
    *report = (lw_report){.arena = arena, .diagnostic = diagnostic, .room = FINDINGS};
    return report;
}

void lw_report_clear(lw_report *report)
{
    if (report) {
        free(report->diagnostic);
        lwi_arena_free(&report->arena);
        const lw_report old = *report;
        *report = (lw_report){0};
        memcpy(report->is_silent, old.is_silent, sizeof report->is_silent);
    }
}

// --- Codes ------------------------------------------------------------------------------------

static bool is_code(lw_diagnostic_code code)
{
    return (int)code >= 0 && code < LW_DIAG_COUNT;
}

const char *lw_diagnostic_name(lw_diagnostic_code code)
{
    static const char *const names[LW_DIAG_COUNT] = {
#define CODE_NAME(constant, number, name, meaning) [number] = name,
        LW_DIAGNOSTIC_LIST(CODE_NAME)
#undef CODE_NAME
    };
    return is_code(code) && names[code] ? names[code] : "none";
}

const char *lw_diagnostic_text(lw_diagnostic_code code)
{
    static const char *const meanings[LW_DIAG_COUNT] = {
#define CODE_MEANING(constant, number, name, meaning) [number] = meaning,
        LW_DIAGNOSTIC_LIST(CODE_MEANING)
#undef CODE_MEANING
    };
    return is_code(code) && meanings[code] ? meanings[code] : "not a code";
}

const char *lw_diagnostic_code_name(const lw_diagnostic *diagnostic)
{
    if (!diagnostic) {
        return "none";
    }
    return diagnostic->severity == LW_ERROR ? lw_status_name(diagnostic->status)
                                            : lw_diagnostic_name(diagnostic->code);
}

void lw_report_silence(lw_report *report, lw_diagnostic_code code)
{
    if (report && is_code(code)) {
        report->is_silent[code] = true;
    }
}

// --- Diagnostics ---------------------------------------------------------------------------------

void lw_report_destroy(lw_report *report)
{
    lw_report_clear(report);
    free(report);
}

int lw_report_count(const lw_report *report)
{
    return report ? report->count : 0;
}

int lw_report_errors(const lw_report *report)
{
    return report ? report->errors : 0;
}

int lw_report_dropped(const lw_report *report)
{
    return report ? report->dropped : 0;
}

lw_diagnostic lw_report_diagnostic(const lw_report *report, int i)
{
    const lw_diagnostic none = {LW_NOTE, LW_OK, LW_DIAG_USER, {NULL, 0, 0}, ""};
    return report && i >= 0 && i < report->count ? report->diagnostic[i] : none;
}

static bool is_severity(lw_severity severity)
{
    return (int)severity >= LW_NOTE && severity <= LW_ERROR;
}

int lw_diagnostic_format(const lw_diagnostic *diagnostic, char *text, size_t size)
{
    static const char *const word[] = {"note", "warning", "error"};
    if (!diagnostic || (!text && size) || !is_severity(diagnostic->severity)) {
        return 0;
    }
    const bool has_code = diagnostic->severity != LW_ERROR;
    const lw_location at = diagnostic->location;
    char numbers[32] = "";
    if (at.file && at.line > 0) {
        snprintf(numbers, sizeof numbers, ":%d:%d", at.line, at.column);
    }
    return snprintf(text, size, "%s%s%s%s: %s%s%s%s", at.file ? at.file : "", numbers,
                    at.file ? ": " : "", word[diagnostic->severity], diagnostic->message,
                    has_code ? " [" : "", has_code ? lw_diagnostic_code_name(diagnostic) : "",
                    has_code ? "]" : "");
}

size_t lwi_cut_length(const char *text, size_t length)
{
    while (length && ((unsigned char)text[length - 1] & 0xc0) == 0x80) {
        --length;
    }
    return length && ((unsigned char)text[length - 1] & 0x80) ? length - 1 : length;
}

static bool reserve(lw_report *report)
{
    if (report->count < report->room || report->arena.is_fixed) {
        return report->count < report->room;
    }
    const int room = report->room ? 2 * report->room : 16;
    lw_diagnostic *more = realloc(report->diagnostic, (size_t)room * sizeof *more);
    if (!more) {
        return false;
    }
    report->diagnostic = more;
    report->room = room;
    return true;
}

static void add(lw_report *report, lw_severity severity, lw_status status, lw_diagnostic_code code,
                lw_location location, const char *format, va_list args)
{
    if (!report || !format || !is_severity(severity)) {
        return;
    }
    if (severity == LW_ERROR) {
        code = LW_DIAG_ERROR;
    } else if (!is_code(code) || code == LW_DIAG_ERROR) {
        code = LW_DIAG_USER;
    }
    if (severity != LW_ERROR && report->is_silent[code]) {
        return;
    }
    report->errors += severity == LW_ERROR;
    if (report->kept[severity] >= MOST_KEPT || !reserve(report)) {
        ++report->dropped;
        return;
    }
    char text[1024];
    const int wanted = vsnprintf(text, sizeof text, format, args);
    size_t length = wanted < 0 ? 0 : (size_t)wanted;
    if (length >= sizeof text) {
        length = lwi_cut_length(text, sizeof text - 1); // rather than the whole message lost
    }
    lw_diagnostic diagnostic = {severity, status, code, location, NULL};
    diagnostic.message = lwi_arena_text(&report->arena, text, length);
    if (location.file) {
        diagnostic.location.file =
            lwi_arena_text(&report->arena, location.file, strlen(location.file));
    }
    if (!diagnostic.message || (location.file && !diagnostic.location.file)) {
        ++report->dropped;
        return;
    }
    report->diagnostic[report->count++] = diagnostic;
    ++report->kept[severity];
}

void lw_report_add(lw_report *report, lw_severity severity, lw_status status,
                   lw_diagnostic_code code, lw_location location, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(report, severity, status, code, location, format, args);
    va_end(args);
}

lw_status lwi_report_error(lw_report *report, lw_location location, lw_status status,
                           const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(report, LW_ERROR, status, LW_DIAG_ERROR, location, format, args);
    va_end(args);
    return status;
}

void lwi_report_warning(lw_report *report, lw_location location, lw_diagnostic_code code,
                        const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(report, LW_WARNING, LW_OK, code, location, format, args);
    va_end(args);
}

void lwi_report_note(lw_report *report, lw_location location, lw_diagnostic_code code,
                     const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(report, LW_NOTE, LW_OK, code, location, format, args);
    va_end(args);
}

void lwi_report_append(lw_report *report, const lw_report *other)
{
    for (int i = 0; report && i < lw_report_count(other); ++i) {
        const lw_diagnostic f = other->diagnostic[i];
        lw_report_add(report, f.severity, f.status, f.code, f.location, "%s", f.message);
    }
    if (report && other) {
        // Errors whose text was lost are errors still.
        report->errors += other->errors - other->kept[LW_ERROR];
        report->dropped += other->dropped;
    }
}

const char *lwi_location_text(lw_location location, char text[LWI_LOCATION_SIZE])
{
    enum { NUMBERS = 32 }; // bytes for line, column and three dots
    text[0] = '\0';
    if (!location.file) {
        return text;
    }
    const size_t length = strlen(location.file), most = LWI_LOCATION_SIZE - NUMBERS;
    const char *end = location.file + (length > most ? length - most : 0);
    while (((unsigned char)*end & 0xc0) == 0x80) {
        ++end; // never begins within a UTF-8 character
    }
    const char *dots = length > most ? "..." : "";
    if (location.line > 0) {
        snprintf(text, LWI_LOCATION_SIZE, "%s%s:%d:%d", dots, end, location.line, location.column);
    } else {
        snprintf(text, LWI_LOCATION_SIZE, "%s%s", dots, end);
    }
    return text;
}
