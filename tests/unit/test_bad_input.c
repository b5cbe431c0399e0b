// Every file in tests/bad is read and compiled, and must give the diagnostic that it names.
//
// A file tells it in a comment on its first line, "<!-- expect: LINE:COLUMN: error: text -->", or,
// where that line may not be a comment, in a file NAME.expect beside it with only the text. The
// first error that is reported must begin so, after the file's name; what follows may be the place
// of something else in the file, whose path depends on where the tests run.
#include "check.h"
#include "objects.h"

#include <linkwork/compile.h>
#include <linkwork/io.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const folder = LINKWORK_SOURCE_DIR "/tests/bad";

enum { LONGEST = 1024, MOST_FILES = 1000 };

static bool ends_with(const char *text, const char *ending)
{
    const size_t n = strlen(text), k = strlen(ending);
    return n >= k && strcmp(text + n - k, ending) == 0;
}

static bool read_line(const char *path, char line[LONGEST])
{
    FILE *file = fopen(path, "r");
    const bool is_read = file && fgets(line, LONGEST, file);
    if (file) {
        fclose(file);
    }
    if (is_read) {
        line[strcspn(line, "\r\n")] = '\0';
    }
    return is_read;
}

// The expected text, from the comment or from the file beside.
static bool read_expected(const char *path, char expected[LONGEST])
{
    static const char open[] = "<!-- expect: ", close[] = " -->";
    char line[LONGEST];
    if (read_line(path, line) && strncmp(line, open, sizeof open - 1) == 0) {
        char *end = strstr(line, close);
        if (!end) {
            return false;
        }
        *end = '\0';
        strcpy(expected, line + sizeof open - 1);
        return true;
    }
    char beside[LONGEST];
    snprintf(beside, sizeof beside, "%s", path);
    char *dot = strrchr(beside, '.');
    if (!dot || (size_t)(dot - beside) + sizeof ".expect" > sizeof beside) {
        return false;
    }
    strcpy(dot, ".expect");
    return read_line(beside, expected);
}

static const char *first_error(const lw_report *report, char line[LONGEST])
{
    for (int i = 0; i < lw_report_count(report); ++i) {
        const lw_diagnostic diagnostic = lw_report_diagnostic(report, i);
        if (diagnostic.severity == LW_ERROR) {
            lw_diagnostic_format(&diagnostic, line, LONGEST);
            return line;
        }
    }
    return "";
}

static void gives_its_diagnostic(const char *name)
{
    char path[LONGEST], expected[LONGEST], wanted[3 * LONGEST], line[LONGEST];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    check_case("%s", name);
    if (!CHECK(read_expected(path, expected))) {
        return;
    }
    lw_report *report = new_report();
    lw_mech *mech = NULL;
    lw_model *model = NULL;
    const clock_t start = clock();
    lw_status status = lw_load_file(path, NULL, &mech, report);
    if (status == LW_OK) {
        status = lw_compile(mech, NULL, &model, report);
    }
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    CHECK(status != LW_OK);
    CHECK(model == NULL);
    CHECK(seconds < 1);
    snprintf(wanted, sizeof wanted, "%s:%s", path, expected);
    if (strncmp(first_error(report, line), wanted, strlen(wanted)) != 0) {
        CHECK_TEXT(first_error(report, line), wanted);
    }
    lw_model_destroy(model);
    lw_mech_destroy(mech);
    lw_report_destroy(report);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// All files of one ending, in the order of their names; returns how many there are.
static int run_all(const char *ending)
{
    char *name[MOST_FILES];
    int count = 0;
    DIR *dir = opendir(folder);
    if (!CHECK(dir != NULL)) {
        return 0;
    }
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        if (ends_with(entry->d_name, ending) && count < MOST_FILES) {
            name[count++] = strdup(entry->d_name);
        }
    }
    closedir(dir);
    qsort(name, (size_t)count, sizeof *name, by_name);
    for (int i = 0; i < count; ++i) {
        gives_its_diagnostic(name[i]);
        free(name[i]);
    }
    return count;
}

TEST(D29_bad_urdf_files_give_their_diagnostics)
{
    CHECK(run_all(".urdf") >= 30);
}

TEST(D29_bad_native_files_give_their_diagnostics)
{
    CHECK(run_all(".xml") >= 30);
}

int main(void)
{
    RUN(D29_bad_urdf_files_give_their_diagnostics);
    RUN(D29_bad_native_files_give_their_diagnostics);
    return REPORT();
}
