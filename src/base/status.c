#include <linkwork/base.h>

const char *lw_status_name(lw_status status)
{
    static const char *const name[] = {
#define STATUS_NAME(constant, name, text) name,
        LW_STATUS_LIST(STATUS_NAME)
#undef STATUS_NAME
    };
    const int n = (int)(sizeof name / sizeof *name);
    return (int)status >= 0 && (int)status < n ? name[status] : "none";
}

const char *lw_status_text(lw_status status)
{
    static const char *const text[] = {
#define STATUS_TEXT(constant, name, text) text,
        LW_STATUS_LIST(STATUS_TEXT)
#undef STATUS_TEXT
    };
    const int n = (int)(sizeof text / sizeof *text);
    return (int)status >= 0 && (int)status < n ? text[status] : "not a status";
}

const char *lw_version(void)
{
    return LW_VERSION;
}
