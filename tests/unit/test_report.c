// Diagnostics and names: what is kept, how it is printed, what a misspelt name may have meant.
#include "base/arena.h"
#include "base/name_table.h"
#include "base/report.h"
#include "check.h"
#include "objects.h"

#include <linkwork/base.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const lw_location here = {"arm.xml", 14, 9};

TEST(D29_diagnostics_are_printed_like_a_compiler_does)
{
    lw_report *report = new_report();
    lw_report_add(report, LW_ERROR, LW_ERR_MODEL, LW_DIAG_ERROR, here, "mass is %g", -1.0);
    lw_report_add(report, LW_WARNING, LW_OK, LW_DIAG_USER, (lw_location){"arm.xml", 0, 0},
                  "no line");
    lw_report_add(report, LW_NOTE, LW_OK, LW_DIAG_USER, (lw_location){0}, "no file");
    static const char *const want[] = {"arm.xml:14:9: error: mass is -1",
                                       "arm.xml: warning: no line [user]", "note: no file [user]"};
    for (int i = 0; i < 3; ++i) {
        char text[100];
        const lw_diagnostic diagnostic = lw_report_diagnostic(report, i);
        CHECK_INT(lw_diagnostic_format(&diagnostic, text, sizeof text), (int)strlen(want[i]));
        CHECK_TEXT(text, want[i]);
        CHECK_INT(lw_diagnostic_format(&diagnostic, text, 5), (int)strlen(want[i]));
        CHECK_INT((int)strlen(text), 4);
    }
    CHECK_INT(lw_report_count(report), 3);
    CHECK_INT(lw_report_errors(report), 1);
    CHECK_TEXT(lw_report_diagnostic(report, 3).message, "");
    CHECK_TEXT(lw_report_diagnostic(report, -1).message, "");
    // A severity that is none is not counted, and not used as an index.
    lw_report_add(report, (lw_severity)9, LW_OK, LW_DIAG_USER, here, "odd");
    lw_report_add(report, (lw_severity)-1, LW_OK, LW_DIAG_USER, here, "odd");
    CHECK_INT(lw_report_count(report), 3);
    const lw_diagnostic odd = {(lw_severity)9, LW_OK, LW_DIAG_USER, here, "odd"};
    CHECK_INT(lw_diagnostic_format(&odd, NULL, 0), 0);
    lw_report_clear(report);
    CHECK_INT(lw_report_count(report) + lw_report_errors(report), 0);
    lw_report_destroy(report);
    lw_report_destroy(NULL);
    lw_report_add(NULL, LW_ERROR, LW_ERR_MODEL, LW_DIAG_ERROR, here, "nobody listens");
    CHECK_INT(lw_report_count(NULL), 0);
}

TEST(D29_long_messages_are_cut_between_letters)
{
    lw_report *report = new_report();
    char name[1500];
    for (int i = 0; i < 1498; i += 2) { // letters of two bytes
        name[i] = (char)0xc3;
        name[i + 1] = (char)0xa9;
    }
    name[1498] = '\0';
    for (int shift = 0; shift < 2; ++shift) {
        lw_report_add(report, LW_ERROR, LW_ERR_NAME, LW_DIAG_ERROR, here, "%.*s%s", shift, "x",
                      name);
        const char *text = lw_report_diagnostic(report, shift).message;
        CHECK(strlen(text) >= 1020 && strlen(text) < 1024);
        CHECK_INT((int)(strlen(text) - (size_t)shift) % 2, 0);
    }
    lw_report_destroy(report);
}

// Errors that a report had no room for are errors of what it is appended to as well.
TEST(D29_what_a_report_drops_is_still_counted)
{
    lw_report *inner = new_report(), *outer = new_report();
    for (int i = 0; i < 1500; ++i) {
        lwi_report_error(inner, here, LW_ERR_MODEL, "error %d", i);
        lwi_report_note(inner, here, LW_DIAG_USER, "note");
    }
    lwi_report_append(outer, inner);
    CHECK_INT(lw_report_count(outer), 2000);
    CHECK_INT(lw_report_errors(outer), 1500);
    CHECK_INT(lw_report_dropped(outer), 1000);
    lwi_report_append(NULL, inner);
    lwi_report_append(outer, NULL);
    lw_report_destroy(inner);
    lw_report_destroy(outer);
}

TEST(D29_second_places_keep_the_end_of_a_long_path)
{
    char text[LWI_LOCATION_SIZE], path[1000];
    CHECK_TEXT(lwi_location_text((lw_location){0}, text), "");
    CHECK_TEXT(lwi_location_text(here, text), "arm.xml:14:9");
    CHECK_TEXT(lwi_location_text((lw_location){"arm.xml", 0, 0}, text), "arm.xml");
    memset(path, 'd', sizeof path);
    strcpy(path + 900, "/arm.xml");
    lwi_location_text((lw_location){path, 2000000000, 2000000000}, text);
    CHECK_HAS(text, "...ddd");
    CHECK_HAS(text, "d/arm.xml:2000000000:2000000000");
    for (int i = 0; i < 900; i += 3) { // never begins within a letter
        memcpy(path + i, "\xe2\x82\xac", 3);
    }
    for (int shift = 0; shift < 3; ++shift) {
        lwi_location_text((lw_location){path + 3 - shift, 1, 1}, text);
        CHECK(((unsigned char)text[3] & 0xc0) != 0x80);
        CHECK_HAS(text, "/arm.xml:1:1");
    }
}

TEST(D29_nearest_names)
{
    CHECK_INT(lwi_name_distance("elbow", "elbow", 9), 0);
    CHECK_INT(lwi_name_distance("elbow", "elbwo", 9), 1); // a swap is one mistake
    CHECK_INT(lwi_name_distance("elbow", "elb", 9), 2);
    CHECK_INT(lwi_name_distance("", "abc", 9), 3);
    CHECK_INT(lwi_name_distance("abcdef", "ghijkl", 9), 6);
    CHECK_INT(lwi_name_distance("abcdef", "ghijkl", 3), 3); // cut off
    CHECK_INT(lwi_name_distance("ca", "abc", 9), 3);        // restricted: no edit within a swap
    lw_nearest nearest;
    lw_nearest_init(&nearest, "shuolder");
    lw_nearest_offer(&nearest, "wrist");
    CHECK(nearest.best == NULL);
    lw_nearest_offer(&nearest, "shoulders");
    lw_nearest_offer(&nearest, "shoulder");
    lw_nearest_offer(&nearest, "elbow");
    lw_nearest_offer(&nearest, NULL);
    lw_nearest_offer(NULL, "shoulder");
    lw_nearest_init(NULL, "shoulder");
    CHECK_TEXT(nearest.best, "shoulder");
    lw_nearest_init(&nearest, NULL);
    CHECK_TEXT(nearest.wanted, "");
}

TEST(D29_words_of_other_formats_lead_to_those_of_this_one)
{
    static const char *const known[] = {"revolute", "prismatic", "spherical", "fixed",
                                        "free",     "center",    "inertia",   "mass",
                                        "--step",   "--seconds", "rpy",       "drive"};
    static const char *const pairs[][2] = {
        {"hinge", "revolute"}, {"slide", "prismatic"}, {"ball", "spherical"},
        {"weld", "fixed"},     {"floating", "free"},   {"com", "center"},
        {"--dt", "--step"},    {"motor", "drive"},     {"--time", "--seconds"},
        {"euler", "rpy"},      {"inertai", "inertia"}, {"prismatik", "prismatic"}};
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; ++k) {
        lw_nearest nearest;
        check_case("%s", pairs[k][0]);
        lw_nearest_init(&nearest, pairs[k][0]);
        for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
            lw_nearest_offer(&nearest, known[i]);
        }
        CHECK_TEXT(nearest.best ? nearest.best : "", pairs[k][1]);
    }
    // Part of a word is none, and what was written nearly so comes first.
    lw_nearest nearest;
    lw_nearest_init(&nearest, "hing");
    lw_nearest_offer(&nearest, "revolute");
    CHECK(nearest.best == NULL);
    lw_nearest_init(&nearest, "motor");
    lw_nearest_offer(&nearest, "motor1");
    lw_nearest_offer(&nearest, "drive");
    CHECK_TEXT(nearest.best, "motor1");
}

// Cutting off early must not change the answer: against the whole table, on short random words.
TEST(D29_the_distance_is_the_same_with_any_limit)
{
    for (int k = 0; k < 20000; ++k) {
        char a[8] = "", b[8] = "";
        for (int i = 0; i < (int)check_random(0, 7); ++i) {
            a[i] = (char)('a' + (int)check_random(0, 3));
        }
        for (int i = 0; i < (int)check_random(0, 7); ++i) {
            b[i] = (char)('a' + (int)check_random(0, 3));
        }
        const int whole = lwi_name_distance(a, b, 100);
        for (int limit = 0; limit < 9; ++limit) {
            const int cut = lwi_name_distance(a, b, limit);
            if (!CHECK_INT(cut, whole < limit ? whole : limit)) {
                printf("\"%s\" and \"%s\", limit %d\n", a, b, limit);
            }
        }
    }
}

TEST(D29_tables_of_names)
{
    lwi_arena arena = {0};
    lwi_names names;
    lwi_names_init(&names, &arena);
    CHECK_INT(lwi_names_find(&names, "x"), -1);
    lwi_names_remove(&names, "x");
    enum { N = 5000 };
    static char text[N][16];
    for (int i = 0; i < N; ++i) {
        snprintf(text[i], sizeof text[i], "n%d", i);
        CHECK(lwi_names_add(&names, text[i], i));
    }
    for (int i = 0; i < N; i += 3) {
        lwi_names_remove(&names, text[i]);
    }
    for (int i = 0; i < N; ++i) {
        CHECK_INT(lwi_names_find(&names, text[i]), i % 3 ? i : -1);
    }
    CHECK(lwi_names_add(&names, text[0], 77));
    CHECK_INT(lwi_names_find(&names, "n0"), 77);
    lwi_arena_free(&arena);
}

TEST(D51_an_arena_in_a_block_never_asks_for_more)
{
    static _Alignas(max_align_t) char block[1024];
    lwi_arena arena;
    memset(block, 0xff, sizeof block);
    lwi_arena_init_fixed(&arena, block, sizeof block);
    char *first = lwi_arena_take(&arena, 10, 10), *second = lwi_arena_take(&arena, 1, 1);
    CHECK(first == block && second > first + 99 && second < block + 1024);
    CHECK(first[99] == 0 && second[0] == 0);
    CHECK(lwi_arena_take(&arena, 1, 1000) == NULL);
    CHECK(lwi_arena_take(&arena, (size_t)-1, 16) == NULL);
    CHECK(lwi_arena_take(&arena, 0, 16) != NULL);
    lwi_arena_free(&arena);
}

TEST(D29_every_status_has_a_text)
{
    for (int status = 0; status < LW_STATUS_COUNT; ++status) {
        CHECK(strlen(lw_status_text((lw_status)status)) >= 4);
    }
    CHECK_TEXT(lw_status_text(LW_STATUS_COUNT), "not a status");
    CHECK_TEXT(lw_status_text((lw_status)-1), "not a status");
    CHECK_TEXT(lw_version(), LW_VERSION);
}

TEST(D29_a_silenced_code_is_dropped_and_errors_are_not)
{
    lw_report *inner = new_report(), *report = new_report();
    lw_report_silence(report, LW_DIAG_MESH_MISSING);
    lw_report_silence(report, LW_DIAG_ERROR);
    lw_report_silence(report, LW_DIAG_COUNT);
    lw_report_silence(report, (lw_diagnostic_code)-1);
    lw_report_silence(NULL, LW_DIAG_USER);
    for (int round = 0; round < 2; ++round) { // clearing a report keeps what is silenced
        lwi_report_warning(report, here, LW_DIAG_MESH_MISSING, "dropped");
        lwi_report_note(inner, here, LW_DIAG_MESH_MISSING, "dropped when appended");
        lwi_report_warning(inner, here, LW_DIAG_LIMIT_ORDER, "kept");
        lwi_report_append(report, inner);
        lwi_report_error(report, here, LW_ERR_PORT_TAKEN, "kept too");
        CHECK_INT(lw_report_count(report), 2);
        CHECK_INT(lw_report_dropped(report), 0);
        lw_diagnostic diagnostic = lw_report_diagnostic(report, 0);
        CHECK_INT(diagnostic.code, LW_DIAG_LIMIT_ORDER);
        CHECK_TEXT(lw_diagnostic_code_name(&diagnostic), "limit-order");
        diagnostic = lw_report_diagnostic(report, 1);
        CHECK_INT(diagnostic.code, LW_DIAG_ERROR);
        CHECK_TEXT(lw_diagnostic_code_name(&diagnostic), "port-taken");
        lw_report_clear(report);
        lw_report_clear(inner);
    }
    // A warning cannot pass for an error, nor have a code that is none.
    lw_report_add(report, LW_WARNING, LW_OK, LW_DIAG_ERROR, here, "odd");
    lw_report_add(report, LW_WARNING, LW_OK, LW_DIAG_COUNT, here, "odd");
    CHECK_INT(lw_report_diagnostic(report, 0).code, LW_DIAG_USER);
    CHECK_INT(lw_report_diagnostic(report, 1).code, LW_DIAG_USER);
    CHECK_TEXT(lw_diagnostic_code_name(NULL), "none");
    lw_report_destroy(inner);
    lw_report_destroy(report);
}

// The row of a code in docs/reference/diagnostics.md; counts it.
static void check_row(const char *page, const char *code, const char *meaning, int *rows)
{
    char row[300];
    snprintf(row, sizeof row, "\n| `%s` | %s |\n", code, meaning);
    if (!CHECK(strstr(page, row) != NULL)) {
        printf("docs/reference/diagnostics.md lacks:%s", row);
    }
    CHECK(strspn(code, "abcdefghijklmnopqrstuvwxyz-") == strlen(code));
    ++*rows;
}

TEST(D29_the_page_of_diagnostics_has_exactly_the_codes)
{
    FILE *file = fopen(LINKWORK_SOURCE_DIR "/docs/reference/diagnostics.md", "r");
    static char page[100000];
    if (!CHECK(file != NULL)) {
        return;
    }
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    int rows = 0, listed = 0;
    for (int i = LW_DIAG_ERROR + 1; i < LW_DIAG_COUNT; ++i) {
        const char *name = lw_diagnostic_name((lw_diagnostic_code)i);
        check_row(page, name, lw_diagnostic_text((lw_diagnostic_code)i), &rows);
        for (int k = 0; k < i; ++k) {
            CHECK(strcmp(name, lw_diagnostic_name((lw_diagnostic_code)k)) != 0);
        }
        for (int k = 0; k < LW_STATUS_COUNT; ++k) {
            CHECK(strcmp(name, lw_status_name((lw_status)k)) != 0);
        }
    }
    for (int i = LW_OK + 1; i < LW_STATUS_COUNT; ++i) {
        char meaning[200];
        snprintf(meaning, sizeof meaning, "%d | %s", i, lw_status_text((lw_status)i));
        check_row(page, lw_status_name((lw_status)i), meaning, &rows);
    }
    for (const char *at = page; (at = strstr(at, "\n| `")) != NULL; ++at) {
        ++listed;
    }
    CHECK_INT(listed, rows);
    CHECK_TEXT(lw_diagnostic_name(LW_DIAG_COUNT), "none");
    CHECK_TEXT(lw_diagnostic_text((lw_diagnostic_code)-1), "not a code");
    CHECK_TEXT(lw_status_name(LW_STATUS_COUNT), "none");
}

int main(void)
{
    RUN(D29_diagnostics_are_printed_like_a_compiler_does);
    RUN(D29_long_messages_are_cut_between_letters);
    RUN(D29_what_a_report_drops_is_still_counted);
    RUN(D29_second_places_keep_the_end_of_a_long_path);
    RUN(D29_nearest_names);
    RUN(D29_words_of_other_formats_lead_to_those_of_this_one);
    RUN(D29_the_distance_is_the_same_with_any_limit);
    RUN(D29_tables_of_names);
    RUN(D51_an_arena_in_a_block_never_asks_for_more);
    RUN(D29_every_status_has_a_text);
    RUN(D29_a_silenced_code_is_dropped_and_errors_are_not);
    RUN(D29_the_page_of_diagnostics_has_exactly_the_codes);
    return REPORT();
}
