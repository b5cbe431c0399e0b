// bench [options]: runs the timed programs of every build in turns, and prints the table.
//
//   --build NAME=FOLDER  a folder with run_linkwork, run_kdl, run_mujoco; repeatable, the first is
//                        the one that the goals are read from. FOLDER@avx2 and FOLDER@generic hold
//                        the library at that level of the processor; peers have no levels
//   --rounds N           processes of each kind (5), 32 at most; 2 at most for models/
//   --only CASE          repeatable; the default is all
//   --source, --shared FOLDER
//   --counts FILE        a table of counts.sh, for a column of instructions
//   --markdown, --json FILE
//
// A whole process is at times slower than the next one by half, by where its memory came to lie and
// what else the machine does. So each program runs several times, in turns with all others, reports
// the median of its blocks, and the smallest of these medians counts: for every engine alike.
#include "results.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct options {
    const char *source, *shared, *counts, *markdown, *json;
    const char *only[MOST_CASES];
    int nonly;
} options;

typedef void take_line(results *r, int build, int which, const char *engine, const char *line);

static void take_time(results *r, int build, int which, const char *engine, const char *line)
{
    if (!results_add(r, build, which, engine, line)) {
        fprintf(stderr, "bench: %s said: %s", engine, line);
    }
}

static void take_about(results *r, int build, int which, const char *engine, const char *line)
{
    (void)which;
    char *to = r->build[build].about;
    size_t size = sizeof r->build[build].about;
    if (strcmp(engine, "kdl") == 0) {
        to = r->kdl, size = sizeof r->kdl;
    } else if (strcmp(engine, "mujoco") == 0) {
        to = r->mujoco, size = sizeof r->mujoco;
    }
    snprintf(to, size, "%.*s", (int)strcspn(line, "\n"), line);
}

/// Runs a program and hands over what it prints, line by line. Returns its exit code, or -1 where
/// it cannot be run.
static int run(results *r, int build, int which, const char *engine, const char *const argv[],
               take_line *take)
{
    char path[4096];
    int ends[2];
    snprintf(path, sizeof path, "%s/run_%s", r->build[build].folder, engine);
    if (access(path, X_OK) != 0 || pipe(ends) != 0) {
        return -1;
    }
    const pid_t child = fork();
    if (child == 0) {
        if (r->build[build].level) {
            setenv("BENCH_CPU", r->build[build].level, 1);
        }
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execv(path, (char *const *)argv); // which does not write them
        _exit(127);
    }
    close(ends[1]);
    FILE *lines = fdopen(ends[0], "r");
    char line[1000];
    while (child > 0 && lines && fgets(line, sizeof line, lines)) {
        take(r, build, which, engine, line);
    }
    if (lines) {
        fclose(lines);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status)) {
        return -1;
    }
    return WEXITSTATUS(status);
}

static bool is_only(const options *o, const char *name)
{
    bool is_named = o->nonly == 0;
    for (int i = 0; i < o->nonly; ++i) {
        is_named = is_named || strcmp(o->only[i], name) == 0;
    }
    return is_named;
}

static void add_case(results *r, const options *o, const char *name)
{
    if (is_only(o, name) && r->ncase < MOST_CASES) {
        snprintf(r->name[r->ncase++], TEXT_SIZE, "%s", name);
    }
}

/// Models of this repository. Within a folder only the file that has its name is a whole machine.
static void add_models(results *r, const options *o, const char *below)
{
    char pattern[4096];
    glob_t found = {0};
    snprintf(pattern, sizeof pattern, "%s/models/%s.xml", o->source, below);
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; ++i) {
            char whole[4096];
            const char *name = found.gl_pathv[i] + strlen(o->source) + strlen("/models/");
            const int folder = (int)strcspn(name, "/");
            snprintf(whole, sizeof whole, "%.*s/%.*s.xml", folder, name, folder, name);
            if (!strchr(name, '/') || strcmp(name, whole) == 0) {
                add_case(r, o, name - strlen("models/"));
            }
        }
    }
    globfree(&found);
}

static void list_cases(results *r, const options *o)
{
    static const char *const robots[] = {"ur5", "panda", "g1", "simple_humanoid"};
    // Of models/closed only those that a goal is set for, and the trees they are compared with.
    static const char *const closed[] = {"models/closed/palletiser.xml",
                                         "tree:models/closed/palletiser.xml",
                                         "massless:models/closed/palletiser.xml",
                                         "tree:massless:models/closed/palletiser.xml",
                                         "models/closed/four_bar.xml",
                                         "tree:models/closed/four_bar.xml"};
    static const char *const chains[] = {"chain:10", "chain:100", "chain:1000", "chain:10000"};
    for (size_t i = 0; i < sizeof robots / sizeof *robots; ++i) {
        add_case(r, o, robots[i]);
    }
    for (size_t i = 0; i < sizeof closed / sizeof *closed; ++i) {
        add_case(r, o, closed[i]);
    }
    add_models(r, o, "*");
    add_models(r, o, "*/*");
    for (size_t i = 0; i < sizeof chains / sizeof *chains; ++i) {
        add_case(r, o, chains[i]);
    }
}

static void run_all(results *r, const options *o)
{
    static const char *const engines[] = {"linkwork", "kdl", "mujoco"};
    enum { NENGINE = 3, FEWER_ROUNDS = 2 }; // for what no goal is set
    bool is_out[MOST_CASES][NENGINE][MOST_BUILDS] = {0};
    for (int b = 0; b < r->nbuild; ++b) {
        for (int e = 0; e < NENGINE; ++e) {
            run(r, b, 0, engines[e], (const char *const[]){"runner", "about", NULL}, take_about);
        }
    }
    for (int round = 0; round < r->rounds; ++round) {
        r->round = round;
        for (int which = 0; which < r->ncase; ++which) {
            const char *name = r->name[which];
            const bool is_closed = strstr(name, "models/closed/") != NULL;
            const bool is_own = is_closed || strncmp(name, "chain:", 6) == 0;
            if (round >= FEWER_ROUNDS && !is_closed && strncmp(name, "models/", 7) == 0) {
                continue;
            }
            for (int e = 0; e < (is_own ? 1 : NENGINE); ++e) {
                for (int b = 0; b < r->nbuild; ++b) {
                    const char *const argv[] = {"runner", r->name[which], o->source, o->shared,
                                                NULL};
                    if (e > 0 && r->build[b].level) {
                        continue;
                    }
                    // What failed once fails again: a file that is absent, a peer that is not
                    // there.
                    if (!is_out[which][e][b] &&
                        run(r, b, which, engines[e], argv, take_time) != 0) {
                        is_out[which][e][b] = true;
                    }
                }
            }
        }
        fprintf(stderr, "round %d of %d\n", round + 1, r->rounds);
    }
}

enum { COUNTED_BATCH = 64 }; ///< states of a batch in run_linkwork

/// Rows of a table of counts.sh become records of engines of their own, "count:kdl".
static bool read_counts(results *r, const char *path)
{
    FILE *file = fopen(path, "r");
    char line[1000], name[TEXT_SIZE], engine[10], function[32];
    double median;
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "| %199s | %9s | %31s | %lf |", name, engine, function, &median) == 4) {
            char row[100], counted[16];
            // Batches are counted whole, and timed a state.
            median /= strstr(function, "_batch") ? COUNTED_BATCH : 1;
            snprintf(row, sizeof row, "time %s %f 0", function, median);
            snprintf(counted, sizeof counted, "count:%s", engine);
            for (int i = 0; i < r->ncase; ++i) {
                if (strcmp(r->name[i], name) == 0) {
                    results_add(r, 0, i, counted, row);
                }
            }
        }
    }
    return file && fclose(file) == 0;
}

static bool read_options(results *r, options *o, int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        char *value = argv[i + 1], *equals = strchr(value, '=');
        if (strcmp(argv[i], "--build") == 0 && equals && r->nbuild < MOST_BUILDS) {
            char *at = strrchr(equals, '@');
            *equals = '\0';
            if (at) {
                *at++ = '\0';
            }
            r->build[r->nbuild++] = (bench_build){.name = value, .folder = equals + 1, .level = at};
        } else if (strcmp(argv[i], "--rounds") == 0) {
            r->rounds = atoi(value);
        } else if (strcmp(argv[i], "--only") == 0 && o->nonly < MOST_CASES) {
            o->only[o->nonly++] = value;
        } else if (strcmp(argv[i], "--source") == 0) {
            o->source = value;
        } else if (strcmp(argv[i], "--shared") == 0) {
            o->shared = value;
        } else if (strcmp(argv[i], "--counts") == 0) {
            o->counts = value;
        } else if (strcmp(argv[i], "--markdown") == 0) {
            o->markdown = value;
        } else if (strcmp(argv[i], "--json") == 0) {
            o->json = value;
        } else {
            return false;
        }
    }
    return argc % 2 == 1 && r->nbuild > 0 && r->rounds > 0 && r->rounds <= MOST_ROUNDS;
}

int main(int argc, char **argv)
{
    static results r = {.rounds = 5};
    options o = {.source = ".", .shared = "../shared"};
    if (!read_options(&r, &o, argc, argv)) {
        fprintf(stderr,
                "usage: bench --build NAME=FOLDER [--build ...] [--rounds N] [--only CASE]\n"
                "    [--source FOLDER] [--shared FOLDER] [--counts FILE] [--markdown FILE] "
                "[--json FILE]\n");
        return 2;
    }
    list_cases(&r, &o);
    if (o.counts && !read_counts(&r, o.counts)) {
        fprintf(stderr, "bench: cannot read %s\n", o.counts);
        return 2;
    }
    run_all(&r, &o);
    report_markdown(&r, stdout);
    FILE *markdown = o.markdown ? fopen(o.markdown, "w") : NULL;
    FILE *json = o.json ? fopen(o.json, "w") : NULL;
    bool is_good = (!o.markdown || markdown) && (!o.json || json);
    if (markdown) {
        report_markdown(&r, markdown);
        is_good = fclose(markdown) == 0 && is_good;
    }
    if (json) {
        report_json(&r, json);
        is_good = fclose(json) == 0 && is_good;
    }
    return is_good ? 0 : 3;
}
