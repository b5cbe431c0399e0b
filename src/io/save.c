// Writing descriptions to files and texts.
#include "../base/report.h"
#include "../parts/parts.h"
#include "file.h"
#include "format.h"

#include <stdlib.h>

lw_status lwi_refuse_unwritable(const lw_mech *mech, lw_report *report)
{
    lw_report *bad = NULL;
    lw_status status = lw_report_create(&bad);
    lwi_validate(mech, bad);
    for (int i = 0; i < lw_report_count(bad); ++i) {
        const lw_diagnostic f = lw_report_diagnostic(bad, i);
        if (f.severity == LW_ERROR && f.status == LW_ERR_ARGUMENT) {
            status = lwi_report_error(report, f.location, f.status, "%s", f.message);
        }
    }
    lw_report_destroy(bad);
    return status;
}

static lw_status write_format(const lw_mech *mech, lw_format format, lwi_text *out,
                              lw_report *report)
{
    lw_status status = lwi_refuse_unwritable(mech, report);
    if (status != LW_OK) {
        return status;
    }
    status = LW_ERR_ARGUMENT;
    if (format == LW_FORMAT_LINKWORK) {
        status = lwi_native_write(mech, out, report);
    } else if (format == LW_FORMAT_URDF) {
        status = lwi_urdf_write(mech, out, report);
    }
    if (status == LW_OK && (out->is_short || !out->at)) {
        status = LW_ERR_MEMORY;
    }
    if (status == LW_OK && out->is_lossy) {
        lw_report_add(report, LW_WARNING, LW_OK, LW_DIAG_CHARACTER_REPLACED, (lw_location){0},
                      "a name has characters that XML cannot hold; \"?\" replaces each");
    }
    return status;
}

lw_status lw_save_text(const lw_mech *mech, lw_format format, char **text, size_t *size,
                       lw_report *report)
{
    if (!mech || !text || !size) {
        return LW_ERR_ARGUMENT;
    }
    *text = NULL;
    *size = 0;
    lwi_text out = {0};
    const lw_status status = write_format(mech, format, &out, report);
    if (status != LW_OK) {
        lwi_text_free(&out);
        return status;
    }
    *text = out.at;
    *size = out.used;
    return LW_OK;
}

lw_status lw_save_file(const lw_mech *mech, lw_format format, const char *path, lw_report *report)
{
    if (!mech || !path) {
        return LW_ERR_ARGUMENT;
    }
    lwi_text out = {0};
    lw_status status = write_format(mech, format, &out, report);
    if (status == LW_OK) {
        status = lwi_write_file(path, out.at, out.used, report);
    }
    lwi_text_free(&out);
    return status;
}
