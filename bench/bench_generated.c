#include "bench_generated.h"

#include "../src/base/cpu.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATH_ROOM = 600 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/// Beside this program: .../generated-ur5-2-1.c, and compiled .../generated-ur5-2-1-2-O2.so
static bool name_files(const char *name, lw_function which, int lanes, const char *flags,
                       char source[PATH_ROOM + 8], char base[PATH_ROOM])
{
    const ssize_t n = readlink("/proc/self/exe", base, PATH_ROOM - 100);
    if (n <= 0) {
        return false;
    }
    base[n] = '\0';
    char *file = strrchr(base, '/') + 1;
    file += snprintf(file, 20, "generated-");
    for (; *name && file < base + PATH_ROOM - 60; ++name) {
        *file++ = isalnum((unsigned char)*name) ? *name : '_';
    }
    file += snprintf(file, 40, "-%d-%d", (int)which, lanes);
    snprintf(source, PATH_ROOM + 8, "%s.c", base);
    snprintf(file, 20, "-%d%s", (int)lwi_cpu_level(), flags ? flags : "");
    return true;
}

static bool is_newer(const char *path)
{
    struct stat own, made;
    return stat("/proc/self/exe", &own) == 0 && stat(path, &made) == 0 &&
           made.st_mtime >= own.st_mtime;
}

/// The function of one signature that calls the generated one.
static const char *caller_of(lw_function which)
{
    switch (which) {
    case LW_FUNCTION_MASS_MATRIX:
        return "g_mass_matrix((const R *)q, (R *)r)";
    case LW_FUNCTION_FORWARD_DYNAMICS:
        return "g_forward_dynamics((const R *)q, (const R *)v, (const R *)a, (R *)r)";
    case LW_FUNCTION_INVERSE_DYNAMICS_DERIVATIVES:
        return "g_inverse_dynamics_derivatives((const R *)q, (const R *)v, (const R *)a, (R *)r)";
    case LW_FUNCTION_INVERSE_KINEMATICS:
        return "g_inverse_kinematics((const R *)q, (R *)r)";
    default:
        return "g_inverse_dynamics((const R *)q, (const R *)v, (const R *)a, (R *)r)";
    }
}

static lw_status write_source(const lw_model *m, lw_function which, int lanes, const char *path)
{
    lw_derivation *derivation = NULL;
    char *text = NULL;
    size_t size;
    lw_derive_options derive = lw_default_derive_options();
    derive.functions = 1u << which;
    derive.is_ideal = true;
    derive.is_apart = true;
    derive.frame = m->nframe - 1;
    lw_generate_options generate = lw_default_generate_options();
    generate.lanes = lanes;
    generate.prefix = "g";
    lw_status status = lw_derive(m, &derive, &derivation, NULL);
    if (status == LW_OK) {
        status = lw_generate(derivation, &generate, &text, &size, NULL);
    }
    FILE *file = status == LW_OK ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file,
                "%stypedef %s R;\n"
                "void call(const double *q, const double *v, const double *a, double *r)\n"
                "{\n    (void)v;\n    (void)a;\n    %s;\n}\n",
                text, lanes > 1 ? "g_real" : "double", caller_of(which));
        status = fclose(file) == 0 ? LW_OK : LW_ERR_FILE;
    } else if (status == LW_OK) {
        status = LW_ERR_FILE;
    }
    lw_text_free(text);
    lw_derivation_destroy(derivation);
    return status;
}

/// For the processor, as the library's own kernels are chosen by it.
static const char *wide_flags(void)
{
    static const char *const flags[] = {"-O2", "-O2 -mavx2 -mfma",
                                        "-O2 -mavx2 -mfma -mavx512f -mavx512dq -mavx512vl"};
    return flags[lwi_cpu_level()];
}

static bool compile(const char *source, const char *base, const char *flags, double *seconds)
{
    char command[5 * PATH_ROOM];
    snprintf(
        command, sizeof command,
        "%s -std=c99 %s -w -Wno-psabi -fPIC -shared -o '%s.tmp' '%s' -lm && mv '%s.tmp' '%s.so'",
        BENCH_CC, flags ? flags : wide_flags(), base, source, base, base);
    const double start = now();
    const bool is_good = system(command) == 0;
    *seconds = now() - start;
    return is_good;
}

/// How long the compiler took is kept beside what it made.
static void keep_seconds(const char *base, double *seconds, bool is_reading)
{
    char path[PATH_ROOM + 8];
    snprintf(path, sizeof path, "%s.s", base);
    FILE *file = fopen(path, is_reading ? "r" : "w");
    if (file) {
        if (is_reading) {
            char text[40] = "";
            *seconds = fgets(text, sizeof text, file) ? strtod(text, NULL) : 0;
        } else {
            fprintf(file, "%.6f\n", *seconds);
        }
        fclose(file);
    }
}

generated_code generated_open(const lw_model *m, const char *name, lw_function which, int lanes,
                              const char *flags)
{
    generated_code code = {0};
    char source[PATH_ROOM + 8], base[PATH_ROOM], path[PATH_ROOM + 8];
    if (!name_files(name, which, lanes, flags, source, base)) {
        snprintf(code.why, sizeof code.why, "the program does not know where it is");
        return code;
    }
    snprintf(path, sizeof path, "%s.so", base);
    if (is_newer(path)) {
        keep_seconds(base, &code.seconds, true);
    } else {
        const lw_status status = is_newer(source) ? LW_OK : write_source(m, which, lanes, source);
        if (status != LW_OK) {
            snprintf(code.why, sizeof code.why, "%s", lw_status_text(status));
            return code;
        }
        if (!compile(source, base, flags, &code.seconds)) {
            snprintf(code.why, sizeof code.why, "the compiler failed");
            return code;
        }
        keep_seconds(base, &code.seconds, false);
    }
    void *handle = dlopen(path, RTLD_NOW);
    void *address = handle ? dlsym(handle, "call") : NULL;
    memcpy(&code.call, &address, sizeof address);
    if (!code.call) {
        snprintf(code.why, sizeof code.why, "cannot load what was compiled");
    }
    return code;
}
