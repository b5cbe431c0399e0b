// Findings are kept in arena memory; a report that runs out of memory counts what it had to drop,
// so that reporting itself never fails.
#include "report.h"

#include "arena.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KEPT = 1000 }; ///< findings of one severity; a broken generated file has millions

struct lw_report {
    lwi_arena arena;
    lw_finding *finding;
    int count, room;
    int kept[LW_ERROR + 1];
    int errors, dropped;
    bool is_silent[LW_DIAG_COUNT];
};

lw_report *lw_report_create(void)
{
    return calloc(1, sizeof(lw_report));
}

lw_report *lwi_report_create_fixed(void *block, size_t size)
{
    enum { FINDINGS = 32 };
    lwi_arena arena = {0};
    lwi_arena_init_fixed(&arena, block, size);
    lw_report *report = lwi_arena_take(&arena, 1, sizeof *report);
    lw_finding *finding = lwi_arena_take(&arena, FINDINGS, sizeof *finding);
    if (!report || !finding) {
        return NULL;
    }
    *report = (lw_report){.arena = arena, .finding = finding, .room = FINDINGS};
    return report;
}

void lw_report_clear(lw_report *report)
{
    if (report) {
        free(report->finding);
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
    static const char *const names[] = {
#define CODE_NAME(constant, name, meaning) name,
        LW_DIAGNOSTIC_LIST(CODE_NAME)
#undef CODE_NAME
    };
    return is_code(code) ? names[code] : "none";
}

const char *lw_diagnostic_text(lw_diagnostic_code code)
{
    static const char *const meanings[] = {
#define CODE_MEANING(constant, name, meaning) meaning,
        LW_DIAGNOSTIC_LIST(CODE_MEANING)
#undef CODE_MEANING
    };
    return is_code(code) ? meanings[code] : "not a code";
}

const char *lw_finding_code(const lw_finding *finding)
{
    if (!finding) {
        return "none";
    }
    return finding->severity == LW_ERROR ? lw_status_name(finding->status)
                                         : lw_diagnostic_name(finding->code);
}

void lw_report_silence(lw_report *report, lw_diagnostic_code code)
{
    if (report && is_code(code)) {
        report->is_silent[code] = true;
    }
}

// --- Findings ---------------------------------------------------------------------------------

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

lw_finding lw_report_finding(const lw_report *report, int i)
{
    const lw_finding none = {LW_NOTE, LW_OK, LW_DIAG_USER, {NULL, 0, 0}, ""};
    return report && i >= 0 && i < report->count ? report->finding[i] : none;
}

static bool is_severity(lw_severity severity)
{
    return (int)severity >= LW_NOTE && severity <= LW_ERROR;
}

int lw_finding_format(const lw_finding *finding, char *text, size_t size)
{
    static const char *const word[] = {"note", "warning", "error"};
    if (!finding || (!text && size) || !is_severity(finding->severity)) {
        return 0;
    }
    const bool has_code = finding->severity != LW_ERROR;
    const lw_place at = finding->place;
    char numbers[32] = "";
    if (at.file && at.line > 0) {
        snprintf(numbers, sizeof numbers, ":%d:%d", at.line, at.column);
    }
    return snprintf(text, size, "%s%s%s%s: %s%s%s%s", at.file ? at.file : "", numbers,
                    at.file ? ": " : "", word[finding->severity], finding->message,
                    has_code ? " [" : "", has_code ? lw_finding_code(finding) : "",
                    has_code ? "]" : "");
}

size_t lwi_cut_length(const char *text, size_t length)
{
    while (length && ((unsigned char)text[length - 1] & 0xc0) == 0x80) {
        --length;
    }
    return length && ((unsigned char)text[length - 1] & 0x80) ? length - 1 : length;
}

static bool make_room(lw_report *report)
{
    if (report->count < report->room || report->arena.is_fixed) {
        return report->count < report->room;
    }
    const int room = report->room ? 2 * report->room : 16;
    lw_finding *more = realloc(report->finding, (size_t)room * sizeof *more);
    if (!more) {
        return false;
    }
    report->finding = more;
    report->room = room;
    return true;
}

static void add(lw_report *report, lw_severity severity, lw_status status, lw_diagnostic_code code,
                lw_place place, const char *format, va_list args)
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
    if (report->kept[severity] >= MOST_KEPT || !make_room(report)) {
        ++report->dropped;
        return;
    }
    char text[1024];
    const int wanted = vsnprintf(text, sizeof text, format, args);
    size_t length = wanted < 0 ? 0 : (size_t)wanted;
    if (length >= sizeof text) {
        length = lwi_cut_length(text, sizeof text - 1); // rather than the whole message lost
    }
    lw_finding finding = {severity, status, code, place, NULL};
    finding.message = lwi_arena_text(&report->arena, text, length);
    if (place.file) {
        finding.place.file = lwi_arena_text(&report->arena, place.file, strlen(place.file));
    }
    if (!finding.message || (place.file && !finding.place.file)) {
        ++report->dropped;
        return;
    }
    report->finding[report->count++] = finding;
    ++report->kept[severity];
}

void lw_report_add(lw_report *report, lw_severity severity, lw_status status,
                   lw_diagnostic_code code, lw_place place, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(report, severity, status, code, place, format, args);
    va_end(args);
}

lw_status lwi_report_error(lw_report *report, lw_place place, lw_status status, const char *format,
                           ...)
{
    va_list args;
    va_start(args, format);
    add(report, LW_ERROR, status, LW_DIAG_ERROR, place, format, args);
    va_end(args);
    return status;
}

void lwi_report_warning(lw_report *report, lw_place place, lw_diagnostic_code code,
                        const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(report, LW_WARNING, LW_OK, code, place, format, args);
    va_end(args);
}

void lwi_report_note(lw_report *report, lw_place place, lw_diagnostic_code code, const char *format,
                     ...)
{
    va_list args;
    va_start(args, format);
    add(report, LW_NOTE, LW_OK, code, place, format, args);
    va_end(args);
}

void lwi_report_append(lw_report *report, const lw_report *other)
{
    for (int i = 0; report && i < lw_report_count(other); ++i) {
        const lw_finding f = other->finding[i];
        lw_report_add(report, f.severity, f.status, f.code, f.place, "%s", f.message);
    }
    if (report && other) {
        // Errors whose text was lost are errors still.
        report->errors += other->errors - other->kept[LW_ERROR];
        report->dropped += other->dropped;
    }
}

const char *lwi_place_text(lw_place place, char text[LWI_PLACE_ROOM])
{
    enum { NUMBERS = 32 }; // bytes for line, column and three dots
    text[0] = '\0';
    if (!place.file) {
        return text;
    }
    const size_t length = strlen(place.file), most = LWI_PLACE_ROOM - NUMBERS;
    const char *end = place.file + (length > most ? length - most : 0);
    while (((unsigned char)*end & 0xc0) == 0x80) {
        ++end; // never begins within a UTF-8 character
    }
    const char *dots = length > most ? "..." : "";
    if (place.line > 0) {
        snprintf(text, LWI_PLACE_ROOM, "%s%s:%d:%d", dots, end, place.line, place.column);
    } else {
        snprintf(text, LWI_PLACE_ROOM, "%s%s", dots, end);
    }
    return text;
}
