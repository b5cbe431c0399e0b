// Any bytes as a model file: they are read, compiled, moved and written back, or refused with a
// message. libFuzzer looks for bytes that break this; the corpus is replayed in every run of the
// tests.

#include "../support/objects.h"
#include "fuzz.h"

#include <linkwork/io.h>
#include <linkwork/linkwork.h>

#include <stdlib.h>

// A promise of the library that does not hold.
static void demand(int condition)
{
    if (!condition) {
        abort();
    }
}

static void move(const lw_mech *mech)
{
    lw_model *model = NULL;
    lw_report *report = new_report();
    const lw_status status = lw_compile(mech, NULL, &model, report);
    demand((status == LW_OK) == (model != NULL));
    demand(status == LW_OK || lw_report_errors(report) > 0);
    if (status == LW_OK) {
        lw_data *data = new_data(model);
        demand(lw_forward_position(model, data, model->q_reference) == LW_OK);
        for (int i = 0; i < model->nframe_all; ++i) {
            lw_pose X;
            demand(lw_frame_pose(model, data, i, &X) == LW_OK);
        }
        lw_data_destroy(data);
    }
    lw_model_destroy(model);
    lw_report_destroy(report);
}

// What was read can be written, and what was written in the library's own format can be read again.
static void write_back(const lw_mech *mech)
{
    char *text = NULL;
    size_t size = 0;
    if (lw_save_text(mech, LW_FORMAT_URDF, &text, &size, NULL) == LW_OK) {
        free(text);
        text = NULL;
    }
    if (lw_save_text(mech, LW_FORMAT_LINKWORK, &text, &size, NULL) == LW_OK) {
        lw_mech *again = NULL;
        demand(lw_load_text("again.xml", text, size, NULL, &again, NULL) == LW_OK);
        lw_mech_destroy(again);
        free(text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    lw_mech *mech = NULL;
    lw_report *report = new_report();
    const lw_status status =
        lw_load_text("fuzz.xml", (const char *)bytes, size, NULL, &mech, report);
    demand((status == LW_OK) == (mech != NULL));
    demand(status == LW_OK || lw_report_errors(report) > 0);
    for (int i = 0; i < lw_report_count(report); ++i) {
        const lw_diagnostic diagnostic = lw_report_diagnostic(report, i);
        char line[200];
        demand(lw_diagnostic_format(&diagnostic, line, sizeof line) > 0);
    }
    if (status == LW_OK) {
        move(mech);
        write_back(mech);
    }
    lw_mech_destroy(mech);
    lw_report_destroy(report);
    return 0;
}
