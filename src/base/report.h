// Recording diagnostics.
#ifndef LWI_REPORT_H
#define LWI_REPORT_H

#include <linkwork/base.h>

#include <stdarg.h>

/// Records an error and returns its status, so that a failing path is one statement. The report may
/// be null.
lw_status lwi_report_error(lw_report *report, lw_location location, lw_status status,
                           const char *format, ...) LW_PRINTF(4, 5);
void lwi_report_warning(lw_report *report, lw_location location, lw_diagnostic_code code,
                        const char *format, ...) LW_PRINTF(4, 5);
void lwi_report_note(lw_report *report, lw_location location, lw_diagnostic_code code,
                     const char *format, ...) LW_PRINTF(4, 5);

/// A report within a block of the caller's, which it never leaves: what does not fit is counted as
/// dropped. It is not destroyed. Null where the block is too small for anything.
lw_report *lwi_report_create_fixed(void *block, size_t size);

/// Adds all diagnostics of another report, and counts what it had to drop.
void lwi_report_append(lw_report *report, const lw_report *other);

/// The length of a text that was cut at `length`, less its last letter where that has several bytes
/// (UTF-8), which may be incomplete.
size_t lwi_cut_length(const char *text, size_t length);

enum { LWI_LOCATION_SIZE = 256 }; ///< bytes for lwi_location_text()

/// "file:12:3", for messages that name a second place; of a long path only the end is kept. Empty
/// where a thing was made by calls. Returns `text`.
const char *lwi_location_text(lw_location location, char text[LWI_LOCATION_SIZE]);

#endif
