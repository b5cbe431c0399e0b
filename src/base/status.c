#include <linkwork/base.h>

const char *lw_status_name(lw_status status)
{
    static const char *const name[LW_STATUS_COUNT] = {
#define STATUS_NAME(constant, number, name, text) [number] = name,
        LW_STATUS_LIST(STATUS_NAME)
#undef STATUS_NAME
    };
    return (int)status >= 0 && status < LW_STATUS_COUNT && name[status] ? name[status] : "none";
}

const char *lw_status_text(lw_status status)
{
    static const char *const text[LW_STATUS_COUNT] = {
#define STATUS_TEXT(constant, number, name, text) [number] = text,
        LW_STATUS_LIST(STATUS_TEXT)
#undef STATUS_TEXT
    };
    return (int)status >= 0 && status < LW_STATUS_COUNT && text[status] ? text[status]
                                                                        : "not a status";
}

const char *lw_version(void)
{
    return LW_VERSION;
}
