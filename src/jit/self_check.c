// Compiles a program's check of itself, and runs it.

#include "compiler.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

lw_status lw_run_self_check(const lw_compiler *compiler, const char *source, double *worst,
                            lw_report *report)
{
    static const char head[] = "__attribute__((visibility(\"default\")))\n"
                               "double linkwork_self_check(void);\n"
                               "__attribute__((visibility(\"default\")))\n"
                               "extern const char linkwork_digest[];\n"
                               "const char linkwork_digest[] = \"" LWI_DIGEST_PLACE "\";\n";
    const lw_compiler plain = {.command = NULL, .cache = NULL, .temporary = NULL};
    if (!source || !worst) {
        return LW_ERR_ARGUMENT;
    }
    char *whole = malloc(sizeof head + strlen(source));
    if (!whole) {
        return LW_ERR_MEMORY;
    }
    strcpy(whole, head);
    strcat(whole, source);
    void *handle = NULL;
    lw_status status = lwi_compile_and_load(compiler ? compiler : &plain, whole, report, &handle);
    if (status == LW_OK) {
        double (*check)(void) = NULL;
        void *symbol = dlsym(handle, "linkwork_self_check");
        memcpy(&check, &symbol, sizeof check); // a pointer to a function, as POSIX has it
        status = check ? LW_OK : LW_ERR_NAME;
        if (check) {
            *worst = check();
        }
        dlclose(handle);
    }
    free(whole);
    return status;
}
