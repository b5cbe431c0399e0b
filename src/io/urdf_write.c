#include "format.h"
lw_status lwi_urdf_write(const lw_mech *mech, lwi_text *out, lw_report *report)
{
    (void)mech;
    (void)out;
    (void)report;
    return LW_ERR_UNSUPPORTED;
}
