// Engines: one contract for all of them, overrides, and comparing.

#include "check.h"
#include "compiled.h"
#include "load_text.h"
#include "objects.h"
#include "zoo.h"

#include <linkwork/compile.h>
#include <linkwork/engine.h>
#include <linkwork/generate.h>
#include <linkwork/generated.h>
#include <linkwork/io.h>

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64], cache[96];

static lw_compiler compiler(void)
{
    return (lw_compiler){.command = compiled_has("cc") ? NULL : "gcc", .cache = cache};
}

static lw_engine_options options_for(const lw_model *m, unsigned functions)
{
    lw_engine_options options = lw_default_engine_options(m);
    options.functions = functions;
    return options;
}

enum {
    DYNAMICS = 1u << LW_FUNCTION_INVERSE_DYNAMICS | 1u << LW_FUNCTION_FORWARD_DYNAMICS |
               1u << LW_FUNCTION_MASS_MATRIX
};

/// Opens the numeric, the symbolic and the generated engine.
static bool open_all(const lw_model *m, unsigned functions, lw_engine *engine[3])
{
    const lw_engine_options options = options_for(m, functions);
    const lw_compiler cc = compiler();
    return CHECK_INT(lw_engine_numeric(m, &options, &engine[0]), LW_OK) &&
           CHECK_INT(lw_engine_symbolic(m, &options, &engine[1], NULL), LW_OK) &&
           CHECK_INT(lw_engine_generated(m, &options, &cc, &engine[2], NULL), LW_OK);
}

static void close_all(lw_engine *engine[3])
{
    for (int i = 0; i < 3; ++i) {
        lw_engine_destroy(engine[i]);
        engine[i] = NULL;
    }
}

// --- Contract ---------------------------------------------------------------------------------

static void check_contract(lw_engine *e)
{
    const lw_model *m = lw_engine_model(e);
    double q[8], v[8] = {0.3, -0.2, 0.1, 0.4}, a[8] = {1}, tau[8], back[8];
    memcpy(q, m->q_reference, (size_t)m->nq * sizeof *q);
    check_case("%s", lw_engine_name(e));
    // K22, K21: success, and each undoes the other.
    CHECK_INT(lw_engine_inverse_dynamics(e, q, v, a, tau), LW_OK);
    CHECK_INT(lw_engine_forward_dynamics(e, q, v, tau, back), LW_OK);
    for (int i = 0; i < m->nv; ++i) {
        CHECK_NEAR(back[i], a[i], 1e-9);
    }
    // A result may lie where an input does.
    memcpy(back, a, sizeof back);
    CHECK_INT(lw_engine_inverse_dynamics(e, q, v, back, back), LW_OK);
    CHECK_NEAR(back[0], tau[0], 0);
    // Refused, and nothing written.
    memset(tau, 0x55, sizeof tau);
    memcpy(back, tau, sizeof tau);
    q[1] = (double)NAN;
    CHECK_INT(lw_engine_inverse_dynamics(e, q, v, a, tau), LW_ERR_NUMBER);
    q[1] = 0;
    v[0] = (double)INFINITY;
    CHECK_INT(lw_engine_forward_dynamics(e, q, v, a, tau), LW_ERR_NUMBER);
    v[0] = 0;
    CHECK_INT(lw_engine_inverse_dynamics(e, q, NULL, a, tau), LW_ERR_ARGUMENT);
    CHECK_INT(lw_engine_inverse_dynamics(NULL, q, v, a, tau), LW_ERR_ARGUMENT);
    lw_engine_state state = {m->nq, m->nv + 1, q, v, a, a};
    CHECK_INT(lw_engine_run(e, LW_FUNCTION_INVERSE_DYNAMICS, &state, tau), LW_ERR_ARGUMENT);
    state.nv = m->nv;
    CHECK_INT(lw_engine_run(e, LW_FUNCTION_COUNT, &state, tau), LW_ERR_ARGUMENT);
    CHECK(memcmp(tau, back, sizeof tau) == 0);
    // Angles beyond the range of the generated sine.
    q[0] = 1e9;
    CHECK_INT(lw_engine_inverse_dynamics(e, q, v, a, tau), LW_OK);
    const double far = tau[0];
    q[0] = fmod(1e9, 2 * 3.14159265358979323846);
    CHECK_INT(lw_engine_inverse_dynamics(e, q, v, a, tau), LW_OK);
    CHECK_NEAR(tau[0], far, 1e-5); // 1e9 is known to 1e-7 only, and 2 pi to 1e-16 of it
}

TEST(D31_K23_every_engine_keeps_one_contract)
{
    lw_model *m = shipped_model("scara.xml");
    lw_engine *engine[3] = {NULL};
    if (m && open_all(m, DYNAMICS, engine)) {
        CHECK_TEXT(lw_engine_name(engine[0]), "numeric");
        CHECK_TEXT(lw_engine_name(engine[1]), "symbolic");
        CHECK_TEXT(lw_engine_name(engine[2]), "generated");
        for (int i = 0; i < 3; ++i) {
            check_contract(engine[i]);
        }
    }
    close_all(engine);
    lw_model_destroy(m);
}

TEST(K21_limits_are_kept_where_asked)
{
    lw_model *m = shipped_model("ur5_class.xml");
    lw_engine *e = NULL;
    double q[6] = {0}, zero[6] = {0}, tau[6];
    lw_engine_options options = lw_default_engine_options(m);
    options.is_guarded = true;
    CHECK_INT(lw_engine_numeric(m, &options, &e), LW_OK);
    CHECK_INT(lw_engine_inverse_dynamics(e, q, zero, zero, tau), LW_OK);
    q[2] = m->dof[m->v_tree[2]].upper + 0.1;
    CHECK_INT(lw_engine_inverse_dynamics(e, q, zero, zero, tau), LW_ERR_LIMIT);
    lw_engine_destroy(e);
    lw_model_destroy(m);
}

// A free base has a quaternion, so that positions and velocities are not side by side.
TEST(K21_limits_are_kept_beyond_a_quaternion)
{
    lw_model *m = shipped_model("quadruped/quadruped.xml");
    lw_engine *e = NULL;
    double q[40], zero[40] = {0}, M[40 * 40];
    lw_engine_options options = lw_default_engine_options(m);
    options.is_guarded = true;
    if (m && CHECK(m->nq > m->nv && m->nq <= 40) &&
        CHECK_INT(lw_engine_numeric(m, &options, &e), LW_OK)) {
        for (int i = 0; i < m->nv; ++i) {
            const lw_dof *dof = &m->dof[m->v_tree[i]];
            const int at = lw_find_position(m, m->velocity_name[i]);
            if (at >= 0 && isfinite(dof->upper)) {
                check_case("%s", m->velocity_name[i]);
                memcpy(q, m->q_reference, (size_t)m->nq * sizeof *q);
                CHECK_INT(lw_engine_mass_matrix(e, q, M), LW_OK);
                q[at] = dof->upper + 0.01;
                CHECK_INT(lw_engine_mass_matrix(e, q, M), LW_ERR_LIMIT);
                zero[0] += 1;
            }
        }
        CHECK(zero[0] >= 8); // joints of legs
    }
    lw_engine_destroy(e);
    lw_model_destroy(m);
}

TEST(K23_options_that_make_no_sense_are_refused)
{
    lw_model *m = shipped_model("scara.xml");
    const lw_compiler none = {.command = "/nowhere/cc"};
    for (int i = 0; i < 3; ++i) {
        lw_engine *e = NULL;
        lw_engine_options options = lw_default_engine_options(m);
        options.frame = i == 0 ? -1 : i == 1 ? m->nframe_all : options.frame;
        options.effort = i == 2 ? 99 : 0;
        CHECK_INT(lw_engine_symbolic(m, &options, &e, NULL), LW_ERR_ARGUMENT);
        CHECK(e == NULL);
        CHECK_INT(lw_engine_generated(m, &options, &none, &e, NULL), LW_ERR_ARGUMENT);
        CHECK(e == NULL);
        CHECK_INT(lw_engine_numeric(m, &options, &e), i == 2 ? LW_OK : LW_ERR_ARGUMENT);
        lw_engine_destroy(e);
    }
    lw_model_destroy(m);
}

// Results that an int cannot count are not begun.
TEST(sizes_beyond_an_int_are_told)
{
    const lw_model large = {.nv = 2000, .nbody = 2000};
    CHECK_INT(lw_function_size(&large, LW_FUNCTION_MASS_MATRIX), 4000000);
    CHECK_INT(lw_function_size(&large, LW_FUNCTION_CHRISTOFFEL), 0);
    CHECK_INT(lw_function_size(&large, LW_FUNCTION_ELEMENTS), 0);
    CHECK_INT(lw_function_size(&large, LW_FUNCTION_REGRESSOR), 40000000);
}

// Paper 002's robot: link 1 has no inertia of its own.
TEST(K21_a_singular_mass_matrix_is_told)
{
    lw_model *m = shipped_model("vibran6.xml");
    lw_engine *engine[3] = {NULL};
    double q[6], zero[6] = {0}, a[6];
    if (m && open_all(m, DYNAMICS, engine)) {
        memcpy(q, m->q_reference, sizeof q);
        CHECK_INT(lw_engine_forward_dynamics(engine[0], q, zero, zero, a), LW_ERR_SINGULAR);
        for (int i = 1; i < 3; ++i) { // it is known before that there is none
            CHECK_INT(lw_engine_forward_dynamics(engine[i], q, zero, zero, a), LW_ERR_UNSUPPORTED);
        }
    }
    close_all(engine);
    lw_model_destroy(m);
}

// --- Overrides --------------------------------------------------------------------------------

/// K07: a caller that knows nothing of which engine it is given.
static double norm_of_torques(lw_engine *e)
{
    const lw_model *m = lw_engine_model(e);
    double tau[8], v[8] = {1, 1, 1, 1}, sum = 0;
    if (lw_engine_inverse_dynamics(e, m->q_reference, v, v, tau) != LW_OK) {
        return -1;
    }
    for (int i = 0; i < m->nv; ++i) {
        sum += tau[i] * tau[i];
    }
    return sqrt(sum);
}

TEST(K07_engines_are_swapped_without_touching_the_caller)
{
    lw_model *m = shipped_model("scara.xml");
    lw_engine *engine[3] = {NULL};
    if (m && open_all(m, DYNAMICS, engine)) {
        const double want = norm_of_torques(engine[0]);
        CHECK(want > 1);
        CHECK_NEAR(norm_of_torques(engine[1]), want, 1e-12 * want);
        CHECK_NEAR(norm_of_torques(engine[2]), want, 1e-12 * want);
    }
    close_all(engine);
    lw_model_destroy(m);
}

/// A specialised routine of a user's: gravity of the SCARA, whose third joint alone lifts.
static lw_status own_gravity(void *self, lw_function which, const lw_engine_state *state,
                             double *result)
{
    const double *weight = self;
    (void)state;
    memset(result, 0, 4 * sizeof *result);
    result[2] = *weight;
    return which == LW_FUNCTION_GRAVITY ? LW_OK : LW_ERR_UNSUPPORTED;
}

TEST(C07_an_override_stands_before_the_generic_function)
{
    lw_model *m = shipped_model("scara.xml");
    lw_engine *e = NULL;
    double weight = 123, tau[4], generic[4];
    CHECK_INT(lw_engine_numeric(m, NULL, &e), LW_OK);
    const lw_engine_state state = {m->nq, m->nv, m->q_reference, NULL, NULL, NULL};
    CHECK_INT(lw_engine_run(e, LW_FUNCTION_GRAVITY, &state, generic), LW_OK);
    CHECK_INT(lw_engine_override(e, LW_FUNCTION_GRAVITY, own_gravity, &weight), LW_OK);
    CHECK_INT(lw_engine_run(e, LW_FUNCTION_GRAVITY, &state, tau), LW_OK);
    CHECK_NEAR(tau[2], 123, 0);
    CHECK_INT(lw_engine_run_generic(e, LW_FUNCTION_GRAVITY, &state, tau), LW_OK);
    CHECK_NEAR(tau[2], generic[2], 0);
    CHECK_INT(lw_engine_override(e, LW_FUNCTION_GRAVITY, NULL, NULL), LW_OK);
    CHECK_INT(lw_engine_run(e, LW_FUNCTION_GRAVITY, &state, tau), LW_OK);
    CHECK_NEAR(tau[2], generic[2], 0);
    lw_engine_destroy(e);
    lw_model_destroy(m);
}

// K33, C08: an engine of a user's own among the others; verify accepts what is right and finds what
// is wrong, with the state.
TEST(C08_a_registered_engine_is_verified)
{
    lw_model *m = shipped_model("scara.xml");
    lw_engine *engine[2] = {NULL};
    double weight = 0, generic[4];
    const lw_engine_def def = {.name = "mine",
                               .functions = 1u << LW_FUNCTION_GRAVITY,
                               .run = own_gravity,
                               .self = &weight};
    CHECK_INT(lw_engine_numeric(m, NULL, &engine[0]), LW_OK);
    CHECK_INT(lw_engine_create(m, NULL, &def, &engine[1]), LW_OK);
    const lw_engine_state state = {m->nq, m->nv, m->q_reference, NULL, NULL, NULL};
    CHECK_INT(lw_engine_run(engine[0], LW_FUNCTION_GRAVITY, &state, generic), LW_OK);
    weight = generic[2];
    for (int is_wrong = 0; is_wrong < 2; ++is_wrong) {
        lw_verification *v = NULL;
        weight += is_wrong * 1e-6 * fabs(weight);
        CHECK_INT(lw_verify(2, engine, NULL, &v), LW_OK);
        CHECK_INT(lw_verification_count(v), 1);
        CHECK(lw_verification_agrees(v) == (is_wrong == 0));
        const lw_verify_pair pair = lw_verification_pair(v, 0);
        CHECK_INT(pair.function, LW_FUNCTION_GRAVITY);
        CHECK(pair.state.q && isfinite(pair.state.q[0]) && isfinite(pair.state.tau[3]));
        lw_verification_destroy(v);
    }
    lw_engine_destroy(engine[0]);
    lw_engine_destroy(engine[1]);
    lw_model_destroy(m);
}

// --- All shipped models -----------------------------------------------------------------------

static void verify_model(const char *name, double tolerance)
{
    lw_engine *engine[3] = {NULL};
    lw_verification *v = NULL;
    lw_model *m = shipped_model(name);
    check_case("%s", name);
    if (m && open_all(m, DYNAMICS | 1u << LW_FUNCTION_POSES, engine)) {
        const lw_verify_options options = {.nstate = 50, .seed = 7, .tolerance = tolerance};
        CHECK_INT(lw_verify(3, engine, &options, &v), LW_OK);
        CHECK(lw_verification_count(v) >= 9);
        for (int i = 0; i < lw_verification_count(v); ++i) {
            const lw_verify_pair pair = lw_verification_pair(v, i);
            check_case("%s, %s and %s, %s", name, lw_engine_name(engine[pair.engine[0]]),
                       lw_engine_name(engine[pair.engine[1]]), lw_function_name(pair.function));
            CHECK_NEAR(pair.worst, 0, pair.tolerance);
        }
    }
    lw_verification_destroy(v);
    close_all(engine);
    lw_model_destroy(m);
}

// 1e-11 is what the equations are promised to keep; loops by Newton's method are closed to 1e-11 by
// the numeric engine itself.
TEST(C08_generated_symbolic_and_numeric_agree_on_every_model)
{
    static const char *const name[] = {"gantry.xml",           "panda_class.xml",
                                       "puma560.xml",          "scara.xml",
                                       "stanford.xml",         "ur5_class.xml",
                                       "vibran6.xml",          "closed/andrews.xml",
                                       "closed/bendix.xml",    "closed/five_bar.xml",
                                       "closed/four_bar.xml",  "closed/palletiser.xml",
                                       "closed/planetary.xml", "closed/slider_crank.xml",
                                       "closed/watt.xml",      "closed/geared_wrist.xml",
                                       "closed/delta.xml"};
    for (size_t i = 0; i < sizeof name / sizeof *name; ++i) {
        verify_model(name[i], 1e-11);
    }
    verify_model("closed/bennett.xml", 1e-9);
}

// --- Trouble ----------------------------------------------------------------------------------

static int count_entries(const char *path)
{
    DIR *dir = opendir(path);
    int count = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        count += entry->d_name[0] != '.';
    }
    if (dir) {
        closedir(dir);
    }
    return count;
}

/// Makes an engine under trouble: it must answer rightly, by interpreting where `name` says so.
static void check_trouble(const lw_model *m, const lw_compiler *cc, const char *name,
                          const char *diagnostic)
{
    lw_engine *e = NULL, *numeric = NULL;
    lw_report *report = new_report();
    const lw_engine_options options = options_for(m, 1u << LW_FUNCTION_GRAVITY);
    const lw_engine_state state = {m->nq, m->nv, m->q_reference, NULL, NULL, NULL};
    double tau[8], want[8];
    CHECK_INT(lw_engine_generated(m, &options, cc, &e, report), LW_OK);
    CHECK_INT(lw_engine_numeric(m, &options, &numeric), LW_OK);
    CHECK_TEXT(lw_engine_name(e), name);
    const bool is_compiled = strcmp(name, "generated") == 0;
    const char *why = lw_engine_interpreted(e, LW_FUNCTION_GRAVITY);
    CHECK(is_compiled ? !why : why && strcmp(why, "nothing could be compiled") == 0);
    CHECK_INT(lw_engine_run(e, LW_FUNCTION_GRAVITY, &state, tau), LW_OK);
    CHECK_INT(lw_engine_run(numeric, LW_FUNCTION_GRAVITY, &state, want), LW_OK);
    CHECK_NEAR(tau[2], want[2], 1e-12);
    bool is_given = !diagnostic;
    for (int i = 0; i < lw_report_count(report); ++i) {
        const lw_diagnostic f = lw_report_diagnostic(report, i);
        is_given = is_given || (f.severity == LW_WARNING && strstr(f.message, diagnostic));
    }
    CHECK(is_given);
    lw_engine_destroy(e);
    lw_engine_destroy(numeric);
    lw_report_destroy(report);
}

TEST(K20_without_a_compiler_the_equations_are_interpreted)
{
    lw_model *m = shipped_model("scara.xml");
    static const char *const command[] = {
        "no-such-compiler", "false", "", "   ", "/", "true -x",
        // More options than a compiler is given: none is dropped in silence.
        "cc -DX1 -DX2 -DX3 -DX4 -DX5 -DX6 -DX7 -DX8 -DX9 -DX10 -DX11 -DX12 -DX13 -DX14 -DX15 -DX16 "
        "-DX17 -DX18 -DX19 "
        "-DX20 -DX21 -DX22 -DX23 -DX24 -DX25 -DX26 -DX27 -DX28 -DX29 -DX30 -DX31 -DX32 -DX33 -DX34 "
        "-DX35 -DX36"};
    for (size_t i = 0; i < sizeof command / sizeof *command; ++i) {
        const lw_compiler cc = {.command = command[i], .temporary = folder};
        check_case("compiler \"%s\"", command[i]);
        const int before = count_entries(folder);
        check_trouble(m, &cc, "interpreted", "");
        CHECK_INT(count_entries(folder), before);
    }
    lw_model_destroy(m);
}

TEST(a_command_is_never_given_to_a_shell)
{
    lw_model *m = shipped_model("scara.xml");
    char command[240], file[96];
    snprintf(file, sizeof file, "%s/harm", folder);
    snprintf(command, sizeof command, "cc;touch${IFS}%s;$(touch %s)", file, file);
    const lw_compiler cc = {.command = command, .temporary = folder};
    check_trouble(m, &cc, "interpreted", "compiler");
    CHECK(access(file, F_OK) != 0);
    lw_model_destroy(m);
}

TEST(folders_that_cannot_be_used_are_told)
{
    lw_model *m = shipped_model("scara.xml");
    char path[128];
    lw_compiler cc = compiler();
    // No such folder for the work.
    cc.cache = NULL;
    cc.temporary = "/no/such/folder";
    check_trouble(m, &cc, "interpreted", "cannot make a folder");
    // A cache that others may write, one that is a link, and one that is a file: not used.
    cc = compiler();
    cc.cache = path;
    cc.temporary = folder;
    snprintf(path, sizeof path, "%s/open", folder);
    CHECK_INT(mkdir(path, 0700), 0);
    CHECK_INT(chmod(path, 0777), 0);
    check_trouble(m, &cc, "generated", "others have access");
    CHECK_INT(count_entries(path), 0);
    char link_path[128];
    snprintf(link_path, sizeof link_path, "%s/link", folder);
    CHECK_INT(chmod(path, 0700), 0);
    CHECK_INT(symlink(path, link_path), 0);
    cc.cache = link_path;
    check_trouble(m, &cc, "generated", "nothing is kept");
    CHECK_INT(count_entries(path), 0);
    cc.cache = "/dev/null";
    check_trouble(m, &cc, "generated", "nothing is kept");
    lw_model_destroy(m);
}

// What is in the cache is found again; what was put there instead is not loaded.
TEST(the_cache_is_used_and_not_trusted)
{
    lw_model *m = shipped_model("scara.xml");
    char path[128], entry[256] = "";
    const lw_compiler cc = {.command = compiled_has("cc") ? NULL : "gcc", .cache = path};
    snprintf(path, sizeof path, "%s/kept", folder);
    check_trouble(m, &cc, "generated", NULL);
    CHECK_INT(count_entries(path), 1);
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (e->d_name[0] != '.') {
            snprintf(entry, sizeof entry, "%s/%.80s", path, e->d_name);
        }
    }
    closedir(dir);
    struct stat first, second;
    CHECK_INT(stat(entry, &first), 0);
    CHECK((first.st_mode & 077) == 0);
    check_trouble(m, &cc, "generated", NULL);
    CHECK_INT(stat(entry, &second), 0);
    CHECK(first.st_ino == second.st_ino); // not compiled again
    // Garbage under the right name is compiled anew.
    FILE *file = fopen(entry, "w");
    fputs("not an object", file);
    fclose(file);
    check_trouble(m, &cc, "generated", NULL);
    CHECK_INT(stat(entry, &second), 0);
    CHECK(second.st_size == first.st_size);
    // A link under the right name is not followed, but replaced.
    char moved[300];
    snprintf(moved, sizeof moved, "%s/moved.so", folder);
    CHECK_INT(rename(entry, moved), 0);
    CHECK_INT(symlink(moved, entry), 0);
    check_trouble(m, &cc, "generated", NULL);
    CHECK_INT(lstat(entry, &second), 0);
    CHECK(S_ISREG(second.st_mode));
    CHECK_INT(count_entries(path), 1);
    lw_model_destroy(m);
}

// Processes that want the same code at the same time all get it, and one of them is kept.
TEST(processes_share_a_cache)
{
    enum { PROCESSES = 4 };
    lw_model *m = shipped_model("scara.xml");
    lw_engine_options options = lw_default_engine_options(m);
    options.functions = 1u << LW_FUNCTION_GRAVITY;
    char path[128];
    const lw_compiler cc = {.command = compiled_has("cc") ? NULL : "gcc", .cache = path};
    pid_t child[PROCESSES];
    snprintf(path, sizeof path, "%s/shared", folder);
    for (int i = 0; i < PROCESSES; ++i) {
        child[i] = fork();
        if (child[i] == 0) {
            lw_engine *engine = NULL;
            const bool is_good = lw_engine_generated(m, &options, &cc, &engine, NULL) == LW_OK &&
                                 strcmp(lw_engine_name(engine), "generated") == 0;
            lw_engine_destroy(engine);
            _exit(is_good ? 0 : 1);
        }
    }
    for (int i = 0; i < PROCESSES; ++i) {
        int status = -1;
        CHECK(child[i] > 0 && waitpid(child[i], &status, 0) == child[i]);
        CHECK_INT(status, 0);
    }
    CHECK_INT(count_entries(path), 1);
    lw_model_destroy(m);
}

// An interrupted run leaves its folder behind; a later one takes it away, and nothing else.
TEST(what_interrupted_runs_left_is_swept)
{
    static const char *const name[] = {"linkwork-old123", "linkwork-new123", "linkwork-user12"};
    lw_model *m = shipped_model("scara.xml");
    char path[128], at[256], file[300];
    const lw_compiler cc = {.command = compiled_has("cc") ? NULL : "gcc", .cache = path};
    const struct timespec past[2] = {{.tv_sec = 1000000}, {.tv_sec = 1000000}};
    snprintf(path, sizeof path, "%s/swept", folder);
    CHECK_INT(mkdir(path, 0700), 0);
    for (int i = 0; i < 3; ++i) {
        snprintf(at, sizeof at, "%s/%s", path, name[i]);
        CHECK_INT(mkdir(at, 0700), 0);
        snprintf(file, sizeof file, "%s/%s", at, i == 2 ? "letter" : "code.c");
        CHECK(fclose(fopen(file, "w")) == 0);
        CHECK(i == 1 || utimensat(AT_FDCWD, at, past, 0) == 0);
    }
    check_trouble(m, &cc, "generated", NULL);
    for (int i = 0; i < 3; ++i) {
        snprintf(at, sizeof at, "%s/%s", path, name[i]);
        CHECK_INT(access(at, F_OK) == 0, i != 0);
    }
    CHECK_INT(access(file, F_OK), 0);
    lw_model_destroy(m);
}

int main(void)
{
    if (!compiled_folder(folder)) {
        return 1;
    }
    snprintf(cache, sizeof cache, "%s/cache", folder);
    if (compiled_has("cc") || compiled_has("gcc")) {
        RUN(D31_K23_every_engine_keeps_one_contract);
        RUN(K21_a_singular_mass_matrix_is_told);
        RUN(K07_engines_are_swapped_without_touching_the_caller);
        RUN(C08_generated_symbolic_and_numeric_agree_on_every_model);
        RUN(folders_that_cannot_be_used_are_told);
        RUN(the_cache_is_used_and_not_trusted);
        RUN(processes_share_a_cache);
        RUN(what_interrupted_runs_left_is_swept);
    }
    RUN(K21_limits_are_kept_where_asked);
    RUN(K21_limits_are_kept_beyond_a_quaternion);
    RUN(K23_options_that_make_no_sense_are_refused);
    RUN(sizes_beyond_an_int_are_told);
    RUN(C07_an_override_stands_before_the_generic_function);
    RUN(C08_a_registered_engine_is_verified);
    RUN(K20_without_a_compiler_the_equations_are_interpreted);
    RUN(a_command_is_never_given_to_a_shell);
    compiled_remove(folder);
    return REPORT();
}
