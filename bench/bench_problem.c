#include "bench_problem.h"

#include "cut.h"

#include <linkwork/io.h>

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double pi = 3.14159265358979323846;

/// A robot of the shared folder. Fingers that mimic one another have no counterpart in the peers'
/// trees; they are fixed where they are at zero.
typedef struct robot {
    const char *name, *file;
    bool free_base;
    bool fix_fingers;
} robot;

static const robot robots[] = {
    {"ur5", "ur5.urdf", false, false},
    {"panda", "panda.urdf", false, true},
    {"g1", "g1_29dof.urdf", true, false},
    {"simple_humanoid", "simple_humanoid.urdf", true, false},
};

// splitmix64 (Steele, Lea, Flood 2014)
static double draw(uint64_t *state, double low, double high)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return low + (high - low) * (double)(z >> 11) * 0x1p-53;
}

static void print_diagnostics(const char *name, const lw_report *report, lw_status status)
{
    fprintf(stderr, "%s: %s\n", name, lw_status_text(status));
    for (int i = 0; i < lw_report_count(report); ++i) {
        const lw_diagnostic diagnostic = lw_report_diagnostic(report, i);
        char text[1000];
        lw_diagnostic_format(&diagnostic, text, sizeof text);
        if (diagnostic.severity == LW_ERROR) {
            fprintf(stderr, "%s\n", text);
        }
    }
}

static char *read_text(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    *size = 0;
    for (size_t room = 1 << 16; file; room *= 2) {
        char *larger = realloc(text, room + 1);
        if (!larger) {
            free(text);
            text = NULL;
            break;
        }
        text = larger;
        *size += fread(text + *size, 1, room - *size, file);
        if (*size < room) {
            text[*size] = '\0';
            break;
        }
    }
    if (file) {
        fclose(file);
    }
    return text;
}

/// Makes fixed joints of prismatic ones, and takes the element <mimic> from them: blanks keep every
/// other character in its place.
static void fix_fingers(char *text)
{
    static const char old_type[] = "\"prismatic\"", new_type[] = "\"fixed\"    ";
    for (char *at = strstr(text, old_type); at; at = strstr(at, old_type)) {
        memcpy(at, new_type, sizeof new_type - 1);
    }
    for (char *at = strstr(text, "<mimic"); at; at = strstr(at, "<mimic")) {
        char *end = strchr(at, '>');
        memset(at, ' ', end ? (size_t)(end + 1 - at) : 6);
    }
}

/// What is changed in a file before it is read.
typedef struct changes {
    bool fix_fingers;
    bool is_massless; ///< its rods
    bool is_tree;
} changes;

static lw_status load(const char *path, changes how, lw_mech **mech, lw_report *report)
{
    if (!how.fix_fingers && !how.is_massless && !how.is_tree) {
        return lw_load_file(path, NULL, mech, report);
    }
    size_t size;
    char *text = read_text(path, &size), *tree = NULL;
    if (!text) {
        return LW_ERR_FILE;
    }
    if (how.fix_fingers) {
        fix_fingers(text);
    }
    if (how.is_massless) {
        cut_masses(text);
    }
    tree = how.is_tree ? cut_loops(text, &size) : NULL;
    lw_status status = how.is_tree && !tree ? LW_ERR_MEMORY : LW_OK;
    if (status == LW_OK) {
        status = lw_load_text(path, tree ? tree : text, size, NULL, mech, report);
    }
    free(tree);
    free(text);
    return status;
}

/// The name behind a prefix.
static const char *behind(const char *name, const char *prefix, bool *is_there)
{
    const size_t n = strlen(prefix);
    *is_there = strncmp(name, prefix, n) == 0;
    return *is_there ? name + n : name;
}

/// A snake of n equal links whose axes turn by a quarter from one to the next.
static lw_mech *make_chain(int n)
{
    lw_mech *mech = NULL;
    lw_status status = lw_mech_create("chain", &mech);
    const lw_ground_def ground = lw_default_ground_def();
    lw_port end = mech ? lw_port_of(mech, lw_add_ground(mech, &ground), "b") : (lw_port){0};
    for (int i = 0; i < n && status == LW_OK; ++i) {
        char name[32];
        lw_joint_def joint = lw_default_joint_def();
        snprintf(name, sizeof name, "joint%d", i);
        joint.name = name;
        joint.type = LW_JOINT_REVOLUTE;
        joint.before = lw_placement_rpy(lw_vec3_of(0.1, 0.02, 0), lw_vec3_of(pi / 2, 0, 0.3));
        const lw_part j = lw_add_joint(mech, &joint);
        lw_link_def link = lw_default_link_def();
        snprintf(name, sizeof name, "link%d", i);
        link.name = name;
        link.mass = 0.5;
        link.inertial = lw_placement_xyz(0.05, 0.01, 0.02);
        link.inertia = (lw_sym3){0.002, 0.003, 0.0025, 0.0001, -0.0002, 0.0003};
        const lw_part l = lw_add_link(mech, &link);
        status = lw_connect(mech, end, lw_port_of(mech, j, "a"));
        if (status == LW_OK) {
            status = lw_connect(mech, lw_port_of(mech, j, "b"), lw_port_of(mech, l, "a"));
        }
        end = lw_port_of(mech, l, "b");
    }
    if (status != LW_OK) {
        lw_mech_destroy(mech);
        return NULL;
    }
    return mech;
}

static bench_found open_model(const char *name, const char *source, const char *shared,
                              lw_model **m)
{
    lw_report *report = NULL;
    lw_report_create(&report); // the status alone reports where there is none
    lw_compile_options options = lw_default_compile_options();
    lw_mech *mech = NULL;
    lw_status status = LW_OK;
    bench_found found = BENCH_BAD;
    *m = NULL;
    if (strncmp(name, "chain:", 6) == 0) {
        mech = make_chain(atoi(name + 6));
        status = mech ? LW_OK : LW_ERR_MEMORY;
    } else {
        const robot *known = NULL;
        for (size_t i = 0; i < sizeof robots / sizeof *robots; ++i) {
            if (strcmp(name, robots[i].name) == 0) {
                known = &robots[i];
            }
        }
        changes how = {.fix_fingers = known && known->fix_fingers};
        name = behind(name, "tree:", &how.is_tree);
        name = behind(name, "massless:", &how.is_massless);
        char path[4096];
        snprintf(path, sizeof path, "%s/%s%s", known ? shared : source, known ? "models/urdf/" : "",
                 known ? known->file : name);
        if (access(path, R_OK) != 0 && errno == ENOENT) {
            found = BENCH_ABSENT;
            goto done;
        }
        options.free_base = known && known->free_base;
        status = load(path, how, &mech, report);
    }
    if (status == LW_OK) {
        status = lw_compile(mech, &options, m, report);
    }
    if (status != LW_OK) {
        print_diagnostics(name, report, status);
        goto done;
    }
    found = BENCH_GOOD;

done:
    lw_mech_destroy(mech);
    lw_report_destroy(report);
    return found;
}

/// Positions within the limits, at most a turn wide; velocities and accelerations of a robot at
/// work.
static void draw_state(const lw_model *m, uint64_t *random, double *q, double *v, double *a)
{
    for (int k = 0; k < m->nv; ++k) {
        v[k] = draw(random, -2, 2);
        a[k] = draw(random, -5, 5);
    }
    for (int k = 0; k < m->nq; ++k) {
        q[k] = m->q_reference[k];
    }
    // Tree positions and velocities count apart only where quaternions are; degrees of freedom with
    // a limit have one of each.
    for (int k = 0; k < m->nq; ++k) {
        const int at = m->q_tree[k];
        int body = 0;
        while (m->q_start[body + 1] <= at) {
            ++body;
        }
        const int nq = m->q_start[body + 1] - m->q_start[body];
        const int nv = m->v_start[body + 1] - m->v_start[body];
        if (nq != nv) {
            q[k] = draw(random, -1, 1);
            continue;
        }
        const lw_dof *dof = &m->dof[m->v_start[body] + at - m->q_start[body]];
        q[k] = draw(random, fmax(dof->lower, -pi), fmin(dof->upper, pi));
    }
    // Unit quaternions: the library would normalise, not every peer does.
    for (int k = 0; k < m->nq; ++k) {
        const size_t length = strlen(m->position_name[k]);
        if (length > 3 && strcmp(m->position_name[k] + length - 3, ".qw") == 0) {
            const double norm =
                sqrt(q[k] * q[k] + q[k + 1] * q[k + 1] + q[k + 2] * q[k + 2] + q[k + 3] * q[k + 3]);
            for (int i = 0; i < 4; ++i) {
                q[k + i] /= norm;
            }
        }
    }
}

static bool draw_states(bench_problem *problem, int nstate)
{
    const lw_model *m = problem->m;
    const size_t nq = (size_t)m->nq, nv = (size_t)m->nv;
    // Large models get fewer states, so that they stay within reach of the caches.
    const int fitting = m->nv <= 100 ? 1024 : m->nv < 25000 ? 100000 / m->nv : 4;
    problem->nstate = nstate > 0 ? nstate : fitting;
    const size_t n = (size_t)problem->nstate;
    problem->q = calloc(n * nq, sizeof(double));
    problem->v = calloc(n * nv, sizeof(double));
    problem->a = calloc(n * nv, sizeof(double));
    problem->tau = calloc(n * nv, sizeof(double));
    if (!problem->q || !problem->v || !problem->a || !problem->tau) {
        return false;
    }
    uint64_t random = 1;
    for (size_t i = 0; i < n; ++i) {
        double *q = problem->q + i * nq, *v = problem->v + i * nv, *a = problem->a + i * nv;
        draw_state(m, &random, q, v, a);
        const lw_status status =
            lw_inverse_dynamics(m, problem->d, q, v, a, NULL, problem->tau + i * nv);
        if (status != LW_OK) {
            fprintf(stderr, "inverse dynamics: %s\n", lw_status_text(status));
            return false;
        }
    }
    return true;
}

bench_found problem_open(const char *name, const char *source, const char *shared, int nstate,
                         bench_problem *problem)
{
    *problem = (bench_problem){0};
    const bench_found found = open_model(name, source, shared, &problem->m);
    if (found != BENCH_GOOD) {
        return found;
    }
    const lw_model *m = problem->m;
    if (lw_data_create(m, &problem->d) != LW_OK) {
        return BENCH_BAD;
    }
    lw_dynamics_options options = lw_default_dynamics_options(m);
    options.is_ideal = true;
    for (int i = 0; i < m->nframe; ++i) {
        problem->tip = m->frame[i].body == m->nbody - 1 ? i : problem->tip;
    }
    if (!problem->d || lw_set_dynamics_options(problem->d, &options) != LW_OK ||
        !draw_states(problem, nstate)) {
        problem_free(problem);
        return BENCH_BAD;
    }
    return BENCH_GOOD;
}

void problem_free(bench_problem *problem)
{
    free(problem->q);
    free(problem->v);
    free(problem->a);
    free(problem->tau);
    lw_data_destroy(problem->d);
    lw_model_destroy(problem->m);
    *problem = (bench_problem){0};
}

lw_pose problem_body_pose(const bench_problem *problem, int body)
{
    const lw_model *m = problem->m;
    int frame = 0;
    while (frame < m->nframe_all - 1 && m->frame[frame].body != body) {
        ++frame;
    }
    lw_pose X_WF = lw_pose_identity();
    lw_frame_pose(m, problem->d, frame, &X_WF);
    const lw_pose X_FB = lw_pose_inverse(&m->frame[frame].X_BF);
    return lw_pose_mul(&X_WF, &X_FB);
}

bool problem_is_chain(const lw_model *m)
{
    bool is_chain = m->nstep == 0;
    for (int i = 0; i < m->nbody; ++i) {
        is_chain = is_chain && m->parent[i] == i - 1 &&
                   (m->carrier[i] == LW_TREE_REVOLUTE || m->carrier[i] == LW_TREE_PRISMATIC);
    }
    return is_chain;
}
