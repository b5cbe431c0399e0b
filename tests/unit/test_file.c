// Files: read whole, written whole or not at all, found only where a model may look, and mounted.
#include "check.h"
#include "objects.h"

#include "io/file.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char folder[256]; ///< made for this run, removed after it
static lw_report *report;
static char message[2048];

enum { LONGEST = 512 };

static const char *in_folder(const char *name)
{
    static char path[4][LONGEST];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], LONGEST, "%s/%s", folder, name);
    return path[turn];
}

static void put(const char *name, const char *text)
{
    FILE *file = fopen(in_folder(name), "w");
    if (CHECK(file != NULL)) {
        fputs(text, file);
        fclose(file);
    }
}

static void make_folder(const char *name)
{
    CHECK_INT(mkdir(in_folder(name), 0777), 0);
}

static const char *first_diagnostic(void)
{
    message[0] = '\0';
    if (lw_report_count(report) > 0) {
        const lw_diagnostic diagnostic = lw_report_diagnostic(report, 0);
        lw_diagnostic_format(&diagnostic, message, sizeof message);
    }
    return message;
}

static int count_files(const char *name)
{
    int count = 0;
    DIR *dir = opendir(in_folder(name));
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
        count += entry->d_name[0] != '.';
    }
    if (dir) {
        closedir(dir);
    }
    return count;
}

// --- Reading ----------------------------------------------------------------------------------

static lw_status read_it(const char *path, size_t limit)
{
    char *text = NULL;
    size_t size = 0;
    lw_report_clear(report);
    const lw_status status =
        lwi_read_file(path, limit, (lw_location){NULL, 0, 0}, &text, &size, report);
    CHECK((status == LW_OK) == (text != NULL));
    CHECK((status == LW_OK) == (lw_report_errors(report) == 0));
    if (text) {
        CHECK(text[size] == '\0');
    }
    free(text);
    return status;
}

TEST(files_are_read_whole)
{
    char *text = NULL;
    size_t size = 0;
    const lw_location nowhere = {NULL, 0, 0};
    put("a.txt", "some\nwords");
    CHECK_INT(lwi_read_file(in_folder("a.txt"), 100, nowhere, &text, &size, report), LW_OK);
    CHECK_TEXT(text, "some\nwords");
    CHECK_INT((long long)size, 10);
    free(text);
    put("empty.txt", "");
    CHECK_INT(read_it(in_folder("empty.txt"), 100), LW_OK);
    CHECK_INT(read_it(in_folder("a.txt"), 10), LW_OK);
    CHECK_INT(read_it(in_folder("a.txt"), 9), LW_ERR_LIMIT);
    CHECK_HAS(first_diagnostic(), "/a.txt: error: is larger than 0 MiB");
    CHECK_INT(read_it("/proc/self/status", 9), LW_ERR_LIMIT); // says that it has no bytes
}

// None of them may block or be read to its end.
TEST(what_is_no_file_is_refused)
{
    CHECK_INT(read_it(in_folder("missing"), 100), LW_ERR_FILE);
    CHECK_HAS(first_diagnostic(), "/missing: error: cannot be read: there is no such file");
    CHECK_INT(read_it(folder, 100), LW_ERR_FILE);
    CHECK_HAS(first_diagnostic(), "error: cannot be read: it is a folder, not a file");
    CHECK_INT(mkfifo(in_folder("pipe"), 0666), 0);
    CHECK_INT(read_it(in_folder("pipe"), 100), LW_ERR_FILE);
    CHECK_HAS(first_diagnostic(), "/pipe: error: cannot be read: it is a pipe, not a file");
    CHECK_INT(read_it("/dev/zero", 100), LW_ERR_FILE);
    CHECK_TEXT(first_diagnostic(), "/dev/zero: error: cannot be read: it is a device, not a file");
    CHECK_INT(symlink("loop", in_folder("loop")), 0);
    CHECK_INT(read_it(in_folder("loop"), 100), LW_ERR_FILE);
    CHECK_HAS(first_diagnostic(), "too many symbolic links");
    lw_mech *mech = NULL;
    lw_report_clear(report);
    CHECK_INT(lw_load_file(in_folder("pipe"), NULL, &mech, report), LW_ERR_FILE);
    CHECK_INT(lw_load_file("/dev/zero", NULL, &mech, report), LW_ERR_FILE);
    CHECK_INT(lw_load_file(folder, NULL, &mech, report), LW_ERR_FILE);
    CHECK(mech == NULL);
}

// --- Writing ----------------------------------------------------------------------------------

static bool holds(const char *name, const char *wanted)
{
    char text[LONGEST] = "";
    FILE *file = fopen(in_folder(name), "r");
    if (file) {
        const size_t size = fread(text, 1, sizeof text - 1, file);
        text[size] = '\0';
        fclose(file);
    }
    return file && strcmp(text, wanted) == 0;
}

TEST(files_are_written_whole)
{
    struct stat info;
    make_folder("out");
    CHECK_INT(lwi_write_file(in_folder("out/new"), "one", 3, report), LW_OK);
    CHECK(holds("out/new", "one"));
    CHECK_INT(chmod(in_folder("out/new"), 0640), 0);
    CHECK_INT(symlink("new", in_folder("out/link")), 0);
    CHECK_INT(lwi_write_file(in_folder("out/link"), "two", 3, report), LW_OK);
    CHECK(holds("out/new", "two"));
    CHECK(lstat(in_folder("out/link"), &info) == 0 && S_ISLNK(info.st_mode));
    CHECK(stat(in_folder("out/new"), &info) == 0 && (info.st_mode & 0777) == 0640);
    CHECK_INT(count_files("out"), 2);
}

TEST(a_failed_write_leaves_nothing_behind)
{
    make_folder("fail");
    put("fail/old", "old");
    lw_report_clear(report);
    CHECK_INT(lwi_write_file(in_folder("fail/none/x"), "one", 3, report), LW_ERR_FILE);
    CHECK_HAS(first_diagnostic(), "/x: error: cannot be written: there is no such file");
    lw_report_clear(report);
    CHECK_INT(lwi_write_file(in_folder("fail"), "one", 3, report), LW_ERR_FILE);
    CHECK_HAS(first_diagnostic(), "cannot be written: it is a folder, not a file");
    CHECK_INT(lwi_write_file("/dev/null", "one", 3, report), LW_ERR_FILE);
    // A disk that is full in the middle of the file.
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, SIG_IGN);
    const struct rlimit small = {1000, limit.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    char *large = calloc(1, 100000);
    lw_report_clear(report);
    CHECK_INT(lwi_write_file(in_folder("fail/old"), large, 100000, report), LW_ERR_FILE);
    CHECK_INT(lwi_write_file(in_folder("fail/new"), large, 100000, report), LW_ERR_FILE);
    setrlimit(RLIMIT_FSIZE, &limit);
    free(large);
    CHECK(holds("fail/old", "old"));
    CHECK_INT(count_files("fail"), 1);
}

// --- Diagnostic ----------------------------------------------------------------------------------

static lw_load_options options;
static const char *from;

static const char *found(const char *reference)
{
    static char text[LONGEST];
    static const char *const words[] = {"", "not", "lacking", "outside", "short"};
    char *path = NULL;
    const lwi_found result = lwi_find_file(in_folder(from), &options, reference, &path);
    const size_t length = strlen(folder);
    CHECK((result == LWI_FOUND) == (path != NULL));
    snprintf(text, sizeof text, "%s",
             !path                                ? words[result]
             : strncmp(path, folder, length) == 0 ? path + length + 1
                                                  : path);
    free(path);
    return text;
}

static void make_workspace(void)
{
    make_folder("ws");
    make_folder("ws/robot");
    make_folder("ws/robot/urdf");
    make_folder("ws/robot/meshes");
    make_folder("ws/other");
    make_folder("ws/plain");
    make_folder("extra");
    make_folder("extra/far");
    put("ws/robot/package.xml", "");
    put("ws/robot/urdf/near.stl", "");
    put("ws/robot/urdf/with blank.stl", "");
    put("ws/robot/meshes/a.stl", "");
    put("ws/other/package.xml", "");
    put("ws/other/b.stl", "");
    put("ws/plain/c.stl", "");
    put("extra/far/d.stl", "");
    put("secret", "");
    make_folder("ws/robot-evil");
    make_folder("extra-evil");
    put("ws/robot-evil/e.stl", "");
    put("extra-evil/e.stl", "");
    CHECK_INT(symlink("../../../secret", in_folder("ws/robot/meshes/link.stl")), 0);
    CHECK_INT(symlink("a.stl", in_folder("ws/robot/meshes/inner.stl")), 0);
}

TEST(references_are_found_beside_the_file_and_in_packages)
{
    make_workspace();
    options = lw_default_load_options();
    from = "ws/robot/urdf";
    CHECK_TEXT(found("near.stl"), "ws/robot/urdf/near.stl");
    CHECK_TEXT(found("./near.stl"), "ws/robot/urdf/near.stl");
    CHECK_TEXT(found("../meshes/a.stl"), "ws/robot/meshes/a.stl");
    CHECK_TEXT(found("package://robot/meshes/a.stl"), "ws/robot/meshes/a.stl");
    CHECK_TEXT(found("model://robot/meshes/a.stl"), "ws/robot/meshes/a.stl");
    CHECK_TEXT(found("package://other/b.stl"), "ws/other/b.stl");
    CHECK_TEXT(found("package://renamed/meshes/a.stl"), "ws/robot/meshes/a.stl");
    CHECK_TEXT(found("package:///meshes/a.stl"), "ws/robot/meshes/a.stl");
    CHECK_TEXT(found("package://robot/urdf/with%20blank.stl"), "ws/robot/urdf/with blank.stl");
    CHECK_TEXT(found("../meshes/inner.stl"), "ws/robot/meshes/a.stl");
    char address[LONGEST];
    snprintf(address, sizeof address, "file://%s", in_folder("ws/robot/meshes/a.stl"));
    CHECK_TEXT(found(address), "ws/robot/meshes/a.stl");
    snprintf(address, sizeof address, "file://localhost%s", in_folder("ws/robot/meshes/a.stl"));
    CHECK_TEXT(found(address), "ws/robot/meshes/a.stl");
    CHECK_TEXT(found(in_folder("ws/robot/meshes/a.stl")), "ws/robot/meshes/a.stl");
}

TEST(references_that_are_not_there_are_not_found)
{
    from = "ws/robot/urdf";
    CHECK_TEXT(found("gone.stl"), "not");
    CHECK_TEXT(found(""), "not");
    CHECK_TEXT(found("../../gone.stl"), "not");
    CHECK_TEXT(found("package://robot"), "not");
    CHECK_TEXT(found("package://nowhere/a.stl"), "not");
    CHECK_TEXT(found("package://etc/passwd"), "not"); // a folder, but no package
    CHECK_TEXT(found("package://plain/c.stl"), "not");
    CHECK_TEXT(found("package://etc/gone.stl"), "not");
    CHECK_TEXT(found("package://ws/gone.stl"), "lacking"); // around the model
    CHECK_TEXT(found("package://robot/gone.stl"), "lacking");
    CHECK_TEXT(found("package://other/gone.stl"), "lacking");
    CHECK_TEXT(found("http://robot/meshes/a.stl"), "not");
    from = "no/such/folder";
    CHECK_TEXT(found("a.stl"), "not");
    CHECK_TEXT(found("package://robot/meshes/a.stl"), "not");
}

TEST(references_that_lead_out_are_refused)
{
    from = "ws/robot/urdf";
    CHECK_TEXT(found("../../../secret"), "outside");
    CHECK_TEXT(found("../../plain/c.stl"), "outside");
    CHECK_TEXT(found("../meshes/link.stl"), "outside");
    CHECK_TEXT(found("file:///etc/passwd"), "outside");
    CHECK_TEXT(found("/dev/zero"), "outside");
    CHECK_TEXT(found("package://robot/../../secret"), "outside");
    CHECK_TEXT(found("package://../secret"), "outside");
    CHECK_TEXT(found("package://robot/%2e%2e/%2e%2e/secret"), "outside");
    CHECK_TEXT(found("package://robot/meshes/link.stl"), "outside");
    CHECK_TEXT(found("../../robot-evil/e.stl"), "outside"); // its name begins as the package's does
}

TEST(the_search_path_opens_other_folders)
{
    char extra[LONGEST], plain[LONGEST];
    snprintf(extra, sizeof extra, "%s", in_folder("extra"));
    snprintf(plain, sizeof plain, "%s", in_folder("ws/plain"));
    const char *path[] = {extra, plain};
    options = (lw_load_options){path, 2};
    from = "ws/robot/urdf";
    CHECK_TEXT(found("far/d.stl"), "extra/far/d.stl");
    CHECK_TEXT(found("package://far/d.stl"), "extra/far/d.stl");
    CHECK_TEXT(found("package://extra/far/d.stl"), "extra/far/d.stl");
    CHECK_TEXT(found("c.stl"), "ws/plain/c.stl");
    CHECK_TEXT(found("../../plain/c.stl"), "ws/plain/c.stl");
    CHECK_TEXT(found("package://plain/c.stl"), "ws/plain/c.stl");
    CHECK_TEXT(found("../../../secret"), "outside");
    CHECK_TEXT(found("../../../extra-evil/e.stl"), "outside");
    options = lw_default_load_options();
}

// --- Mounted files ----------------------------------------------------------------------------

static lw_status load(const char *name)
{
    lw_mech *mech = NULL;
    lw_report_clear(report);
    const lw_status status = lw_load_file(in_folder(name), NULL, &mech, report);
    CHECK((status == LW_OK) == (mech != NULL));
    lw_mech_destroy(mech);
    return status;
}

static void put_mount(const char *name, const char *mounted)
{
    char text[LONGEST];
    snprintf(text, sizeof text,
             "<linkwork version=\"1\" name=\"m\"><link name=\"base\"/>"
             "<mount name=\"inner\" file=\"%s\" at=\"base\"/></linkwork>",
             mounted);
    put(name, text);
}

TEST(C36_files_mount_files_of_either_format)
{
    put("arm.urdf", "<robot name=\"arm\"><link name=\"only\"/></robot>");
    put_mount("one.xml", "arm.urdf");
    put_mount("two.xml", "one.xml");
    CHECK_INT(load("two.xml"), LW_OK);
    CHECK_TEXT(first_diagnostic(), "");
}

TEST(mounts_in_a_circle_name_the_chain)
{
    put_mount("a.xml", "b.xml");
    put_mount("b.xml", "c.xml");
    put_mount("c.xml", "a.xml");
    CHECK_INT(load("a.xml"), LW_ERR_MODEL);
    CHECK_HAS(first_diagnostic(), "files mount each other in a circle: ");
    CHECK_HAS(first_diagnostic(), "/a.xml -> ");
    CHECK_HAS(first_diagnostic(), "/b.xml -> ");
    CHECK_HAS(first_diagnostic(), "/c.xml -> a.xml");
}

TEST(mounts_nest_sixteen_deep_and_no_deeper)
{
    char name[32], next[32];
    put("m0.xml", "<linkwork version=\"1\" name=\"m\"><link name=\"base\"/></linkwork>");
    for (int i = 1; i <= 17; ++i) {
        snprintf(name, sizeof name, "m%d.xml", i);
        snprintf(next, sizeof next, "m%d.xml", i - 1);
        put_mount(name, next);
    }
    CHECK_INT(load("m16.xml"), LW_OK);
    CHECK_INT(load("m17.xml"), LW_ERR_LIMIT);
    CHECK_HAS(first_diagnostic(), "files are mounted more than 16 deep: ");
    CHECK_HAS(first_diagnostic(), "/m17.xml -> ");
    CHECK_HAS(first_diagnostic(), "/m1.xml -> m0.xml");
}

TEST(errors_of_mounted_files_have_their_own_places)
{
    put("broken.urdf", "<robot name=\"r\">\n<link name=\"a\"/>\n<link name=\"a\"/></robot>");
    put_mount("outer.xml", "broken.urdf");
    CHECK_INT(load("outer.xml"), LW_ERR_NAME);
    CHECK_HAS(first_diagnostic(), "/broken.urdf:3:1: error: there is another link \"a\", at 2:1");
    CHECK_INT(lw_report_errors(report), 2); // and that outer.xml cannot use it
    put_mount("lost.xml", "../../../../../../../etc/hostname");
    CHECK_INT(load("lost.xml"), LW_ERR_FILE);
    CHECK_HAS(first_diagnostic(), "leads out of the model's folder");
    put_mount("gone.xml", "nowhere.xml");
    CHECK_INT(load("gone.xml"), LW_ERR_FILE);
    CHECK_HAS(first_diagnostic(), "\"nowhere.xml\" is not found");
}

// Sixteen files, each mounting the one before twice: 65536 readings if each were read anew.
TEST(a_file_is_read_once_however_often_it_is_mounted)
{
    char name[32], text[LONGEST];
    put("d0.xml", "<linkwork version=\"1\" name=\"m\"><link name=\"base\"/></linkwork>");
    for (int i = 1; i <= 16; ++i) {
        snprintf(name, sizeof name, "d%d.xml", i);
        snprintf(text, sizeof text,
                 "<linkwork version=\"1\" name=\"m\"><link name=\"base\"/>"
                 "<mount name=\"x\" file=\"d%d.xml\" at=\"base\"/>"
                 "<mount name=\"y\" file=\"d%d.xml\" at=\"base\"/></linkwork>",
                 i - 1, i - 1);
        put(name, text);
    }
    const clock_t start = clock();
    CHECK_INT(load("d16.xml"), LW_OK);
    CHECK((double)(clock() - start) / CLOCKS_PER_SEC < 1);
}

int main(void)
{
    const char *temporary = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/linkwork-XXXXXX", temporary ? temporary : "/tmp");
    report = new_report();
    if (!mkdtemp(folder)) {
        printf("cannot make a folder in %s\n", temporary ? temporary : "/tmp");
        return 1;
    }
    RUN(files_are_read_whole);
    RUN(what_is_no_file_is_refused);
    RUN(files_are_written_whole);
    RUN(a_failed_write_leaves_nothing_behind);
    RUN(references_are_found_beside_the_file_and_in_packages);
    RUN(references_that_are_not_there_are_not_found);
    RUN(references_that_lead_out_are_refused);
    RUN(the_search_path_opens_other_folders);
    RUN(C36_files_mount_files_of_either_format);
    RUN(mounts_in_a_circle_name_the_chain);
    RUN(mounts_nest_sixteen_deep_and_no_deeper);
    RUN(errors_of_mounted_files_have_their_own_places);
    RUN(a_file_is_read_once_however_often_it_is_mounted);
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    const int removed = system(command);
    lw_report_destroy(report);
    return REPORT() || removed;
}
