// Derivatives by kinematic parameters, of every frame by every parameter of every machine, against
// differences over descriptions that are changed and compiled anew.
#include <linkwork/io.h>
#include <linkwork/linkwork.h>
#include <linkwork/parameters.h>

#include "check.h"
#include "closed_zoo.h"
#include "kin/closure.h"
#include "load_text.h"
#include "model/parameter_table.h"
#include "objects.h"
#include "parts/parts.h"
#include "random_mech.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Central differences of eighth order. What is cut off is h^8/630 of the ninth derivative, and
// rounding about 1e-14 / h; small machines need the smaller step.
static const double STEPS[2] = {0x1p-9, 0x1p-13};
static const double WEIGHT[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};

// --- Descriptions with numbers to vary --------------------------------------------------------

static void spell_out(lw_placement *placement)
{
    if (placement->form == LW_PLACEMENT_IDENTITY) {
        *placement = lw_placement_xyz(0.0, 0.0, 0.0);
    }
}

// Placements that are left out become six zeros, whose parameters have the same names.
static void spell_out_placements(lw_mech *mech)
{
    for (int k = 0; k < mech->part.count; ++k) {
        const lwi_part *part = &mech->part.at[k];
        if (part->kind == LW_PART_LINK) {
            spell_out(&((lw_link_def *)part->def)->b);
        } else if (part->kind == LW_PART_JOINT) {
            spell_out(&((lw_joint_def *)part->def)->before);
            spell_out(&((lw_joint_def *)part->def)->after);
        } else if (part->kind == LW_PART_ASSEMBLY) {
            spell_out_placements(as_assembly(part)->inside);
        }
    }
    for (int k = 0; k < mech->frame.count; ++k) {
        spell_out(&mech->frame.at[k].placement);
    }
}

static lw_model *compile_silently(const lw_mech *mech)
{
    lw_model *m = NULL;
    lw_compile(mech, NULL, &m, NULL);
    return m;
}

// Rods without a length get the one that the compiler took.
static void freeze_rods(lw_parameters *list)
{
    for (int k = 0; k < list->count; ++k) {
        const lwi_parameter *parameter = &list->at[k];
        if (parameter->effect == LWI_EFFECT_LENGTH) {
            *(double *)parameter->source = parameter->value;
        }
    }
}

// --- One machine ------------------------------------------------------------------------------

typedef struct subject {
    lw_mech *mech;
    lw_model *m;
    lw_data *d;
    lw_parameters *list;
    double *q, *tree_q;
    double *J;          ///< [nframe_all * 6 * count]
    double *opening;    ///< [count]
    double *difference; ///< [3 * nframe_all * 6]
    lw_pose *pose;      ///< [nframe_all]
    int compared;
} subject;

// Wheels that no longer stand as they should are refused by the compiler; what gears do depends on
// their sizes alone, though. Where there are no loops the positions of the tree are held then, and
// gears, couplings and marks of dependent joints are left out of the description.
static lw_model *compile_as_tree(lw_mech *mech)
{
    const int gears = mech->gear.count, couplings = mech->coupling.count;
    bool *mark = calloc((size_t)mech->part.count + 1, sizeof *mark);
    for (int k = 0; k < mech->part.count; ++k) {
        if (mech->part.at[k].kind == LW_PART_JOINT) {
            lw_joint_def *joint = mech->part.at[k].def;
            mark[k] = joint->dependent;
            joint->dependent = false;
        }
    }
    mech->gear.count = mech->coupling.count = 0;
    lw_model *m = compile_silently(mech);
    mech->gear.count = gears;
    mech->coupling.count = couplings;
    for (int k = 0; k < mech->part.count; ++k) {
        if (mech->part.at[k].kind == LW_PART_JOINT) {
            ((lw_joint_def *)mech->part.at[k].def)->dependent = mark[k];
        }
    }
    free(mark);
    return m;
}

// Poses of all frames at the subject's q after parameter k has changed.
static bool poses_now(const subject *s, int k, lw_pose *X)
{
    const bool is_held = s->mech->gear.count > 0 && s->m->nloop == 0 && s->list->at[k].naction > 0;
    lw_model *m = is_held ? compile_as_tree(s->mech) : compile_silently(s->mech);
    lw_data *d = m ? new_data(m) : NULL;
    const bool is_good = d && m->nq == (is_held ? s->m->tree_nq : s->m->nq) &&
                         lw_forward_position(m, d, is_held ? s->tree_q : s->q) == LW_OK;
    for (int f = 0; f < s->m->nframe_all && is_good; ++f) {
        lw_frame_pose(m, d, f, &X[f]);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
    return is_good;
}

// Changes the number of parameter k by h, or back to what it was.
static void change(const subject *s, int k, double h, const double before[12])
{
    const lwi_parameter *parameter = &s->list->at[k];
    double *number = (double *)parameter->source;
    if (number) {
        *number = before[0] + h;
        return;
    }
    // A turn of a matrix: x of the same placement, which stands three parameters ahead, tells where
    // the matrix is.
    const int axis = parameter->name[strlen(parameter->name) - 1] - 'x';
    double *value = (double *)s->list->at[k - 3 - axis].source - 9;
    const lw_vec3 w = lw_vec3_of(axis == 0, axis == 1, axis == 2);
    const lw_mat3 turn = lw_rotation(w, h), R = {{{before[0], before[1], before[2]},
                                                  {before[3], before[4], before[5]},
                                                  {before[6], before[7], before[8]}}};
    const lw_mat3 moved = h == 0.0 ? R : lw_mul3(&turn, &R);
    memcpy(value, &moved, 9 * sizeof *value);
}

static bool is_sincos(const lwi_parameter *parameter)
{
    return !parameter->source && strstr(parameter->name, ".turn.");
}

static void remember(const subject *s, int k, double before[12])
{
    const lwi_parameter *parameter = &s->list->at[k];
    if (parameter->source) {
        before[0] = *parameter->source;
        return;
    }
    const int axis = parameter->name[strlen(parameter->name) - 1] - 'x';
    memcpy(before, s->list->at[k - 3 - axis].source - 9, 9 * sizeof *before);
}

// Derivatives of the poses of all frames by parameter k over a step h. False where the machine does
// not close.
static bool differences(const subject *s, int k, double h, double *out)
{
    const int n = s->m->nframe_all;
    lw_mat3 *rate = calloc((size_t)n, sizeof *rate);
    lw_vec3 *velocity = calloc((size_t)n, sizeof *velocity);
    lw_pose *X = calloc((size_t)n, sizeof *X);
    double before[12];
    remember(s, k, before);
    bool is_good = true;
    for (int step = -4; step <= 4 && is_good; ++step) {
        if (step == 0) {
            continue;
        }
        change(s, k, step * h, before);
        is_good = poses_now(s, k, X);
        const double weight = (step < 0 ? -1.0 : 1.0) * WEIGHT[abs(step) - 1] / h;
        for (int f = 0; f < n && is_good; ++f) {
            velocity[f] = lw_add3(velocity[f], lw_scale3(weight, X[f].p));
            for (int r = 0; r < 3; ++r) {
                rate[f].row[r] = lw_add3(rate[f].row[r], lw_scale3(weight, X[f].R.row[r]));
            }
        }
    }
    change(s, k, 0.0, before);
    for (int f = 0; f < n && is_good; ++f) {
        // dR R' is the matrix of the turning.
        const lw_mat3 back = lw_transpose3(&s->pose[f].R), W = lw_mul3(&rate[f], &back);
        const double six[6] = {(W.row[2].y - W.row[1].z) / 2,
                               (W.row[0].z - W.row[2].x) / 2,
                               (W.row[1].x - W.row[0].y) / 2,
                               velocity[f].x,
                               velocity[f].y,
                               velocity[f].z};
        memcpy(out + 6 * f, six, sizeof six);
    }
    free(rate);
    free(velocity);
    free(X);
    return is_good;
}

// What the list says of parameter k, and of all that share its number: the other uses of an
// assembly.
static void analytic(const subject *s, int k, double *column)
{
    const size_t n = (size_t)s->list->count, rows = 6 * (size_t)s->m->nframe_all;
    memset(column, 0, rows * sizeof *column);
    for (size_t j = 0; j < n; ++j) {
        const double *source = s->list->at[j].source;
        if (j != (size_t)k && (!source || source != s->list->at[k].source)) {
            continue;
        }
        for (size_t r = 0; r < rows; ++r) {
            column[r] += s->J[r * n + j];
        }
    }
}

static bool is_first_of_its_number(const subject *s, int k)
{
    for (int j = 0; j < k && s->list->at[k].source; ++j) {
        if (s->list->at[j].source == s->list->at[k].source) {
            return false;
        }
    }
    return true;
}

// An axis along a coordinate axis: the frames that the compiler turns with it jump there, which
// shows where a planar joint or the frame of a closing joint is concerned.
static bool jumps(const subject *s, int k)
{
    const char *name = s->list->at[k].name, *tail = strstr(name, ".axis");
    if (!tail) {
        return false;
    }
    const double *axis = s->list->at[k].source - (name[strlen(name) - 1] - 'x');
    return (axis[0] == 0.0) + (axis[1] == 0.0) + (axis[2] == 0.0) >= 2;
}

static bool is_end_of_loop(const subject *s, int frame)
{
    return frame >= s->m->nframe_all - 2 * s->m->nloop;
}

static bool has_planar_joint(const lw_model *m)
{
    for (int j = 0; j < m->njoint; ++j) {
        if (m->joints[j].type == LW_JOINT_PLANAR) {
            return true;
        }
    }
    return false;
}

// Whether the changed description is refused with words that begin so. Gears may not mesh and
// wheels may be off their axles, which does not matter for what their sizes say; and cranks side by
// side may move to first order only, where the compiler sees that they would lock.
static bool is_refused(const subject *s, int k, const char *words)
{
    lw_report *report = new_report();
    lw_model *m = NULL;
    double before[12];
    remember(s, k, before);
    change(s, k, STEPS[0], before);
    lw_compile(s->mech, NULL, &m, report);
    change(s, k, 0.0, before);
    bool is_so = false;
    for (int i = 0; i < lw_report_count(report); ++i) {
        const lw_diagnostic diagnostic = lw_report_diagnostic(report, i);
        is_so |= diagnostic.severity == LW_ERROR &&
                 strncmp(diagnostic.message, words, strlen(words)) == 0;
    }
    lw_model_destroy(m);
    lw_report_destroy(report);
    return is_so;
}

static void check_parameter(subject *s, int k)
{
    const int n = s->m->nframe_all;
    const lwi_parameter *parameter = &s->list->at[k];
    if ((!parameter->source && !is_sincos(parameter)) || !is_first_of_its_number(s, k) ||
        (jumps(s, k) && has_planar_joint(s->m))) {
        return;
    }
    const size_t size = 6 * (size_t)n * sizeof(double);
    double *one = s->difference, *two = one + 6 * n, *mine = two + 6 * n;
    const bool is_good = differences(s, k, STEPS[0], one);
    if (!(s->opening[k] < 1e-9)) {
        // No such machine can be built, which the compiler must find too.
        if (!CHECK(!is_good)) {
            printf("%s opens by %g\n", parameter->name, s->opening[k]);
        }
        return;
    }
    if (!is_good && (is_refused(s, k, "gear") || is_refused(s, k, "wheel") ||
                     is_refused(s, k, "the loops determine more"))) {
        return;
    }
    if (!CHECK(is_good)) {
        printf("%s\n", parameter->name);
        return;
    }
    ++s->compared;
    analytic(s, k, mine);
    double largest = 1.0;
    for (int r = 0; r < 6 * n; ++r) {
        largest = fmax(largest, fabs(mine[r]));
    }
    memcpy(two, one, size);
    for (int r = 0; r < 6 * n; ++r) {
        if (jumps(s, k) && is_end_of_loop(s, r / 6)) {
            continue;
        }
        if (fabs(mine[r] - one[r]) > 1e-10 * largest && memcmp(one, two, size) == 0) {
            CHECK(differences(s, k, STEPS[1], two));
        }
        const double nearest = fabs(mine[r] - one[r]) < fabs(mine[r] - two[r]) ? one[r] : two[r];
        if (!CHECK_NEAR(mine[r], nearest, 1e-10 * largest)) {
            printf("%s of %s, row %d\n", parameter->name, s->m->frame[r / 6].name, r % 6);
            return;
        }
    }
}

static bool find_state(subject *s, double reach)
{
    for (int attempt = 0; attempt < 30; ++attempt) {
        double *step = calloc((size_t)s->m->nv + 1, sizeof *step);
        for (int k = 0; k < s->m->nv; ++k) {
            step[k] = check_random(-reach, reach);
        }
        lw_integrate(s->m, s->m->q_reference, step, 1.0, s->q);
        free(step);
        if (lw_forward_position(s->m, s->d, s->q) == LW_OK) {
            for (int f = 0; f < s->m->nframe_all; ++f) {
                lw_frame_pose(s->m, s->d, f, &s->pose[f]);
            }
            lwi_closure_angles(s->m, s->d);
            memcpy(s->tree_q, s->m->nstep ? s->d->tree_q : s->q,
                   (size_t)s->m->tree_nq * sizeof *s->q);
            return true;
        }
        reach /= 2;
    }
    return CHECK(false);
}

static bool fill_jacobians(subject *s)
{
    const int n = s->list->count;
    int *all = calloc((size_t)n + 1, sizeof *all);
    bool is_good = true;
    for (int k = 0; k < n; ++k) {
        all[k] = k;
    }
    for (int f = 0; f < s->m->nframe_all && is_good; ++f) {
        is_good = CHECK_INT(lw_parameter_jacobian(s->m, s->d, s->list, s->q, f, LW_IN_WORLD, n, all,
                                                  s->J + (size_t)(6 * f) * (size_t)n, s->opening),
                            LW_OK);
    }
    free(all);
    return is_good;
}

// Takes the description over. Returns how many parameters were compared.
static int check_machine(lw_mech *mech, double reach)
{
    subject s = {.mech = mech};
    if (!CHECK(mech != NULL)) {
        return 0;
    }
    spell_out_placements(mech);
    s.m = compile_checked(mech, NULL);
    s.d = s.m ? new_data(s.m) : NULL;
    if (!s.d || !CHECK_INT(lw_parameters_create(mech, NULL, s.m, &s.list), LW_OK)) {
        goto done;
    }
    freeze_rods(s.list);
    const size_t rows = 6 * (size_t)s.m->nframe_all, n = (size_t)s.list->count;
    s.q = calloc((size_t)s.m->nq + 1, sizeof *s.q);
    s.tree_q = calloc((size_t)s.m->tree_nq + 1, sizeof *s.tree_q);
    s.J = calloc(rows * n + 1, sizeof *s.J);
    s.opening = calloc(n + 1, sizeof *s.opening);
    s.difference = calloc(3 * rows, sizeof *s.difference);
    s.pose = calloc((size_t)s.m->nframe_all, sizeof *s.pose);
    if (find_state(&s, reach) && fill_jacobians(&s)) {
        // Each compiles the mechanism anew: of large ones about 200, spread so that all kinds of
        // parameters are among them, unless LINKWORK_EVERY_PARAMETER is set.
        const unsigned share = getenv("LINKWORK_EVERY_PARAMETER") ? 1 : 1 + (unsigned)n / 200;
        for (int k = 0; k < s.list->count; ++k) {
            if (((unsigned)k * 2654435761u >> 16) % share == 0) {
                check_parameter(&s, k);
            }
        }
    }

done:
    free(s.q);
    free(s.tree_q);
    free(s.J);
    free(s.opening);
    free(s.difference);
    free(s.pose);
    lw_parameters_destroy(s.list);
    lw_data_destroy(s.d);
    lw_model_destroy(s.m);
    lw_mech_destroy(mech);
    return s.compared;
}

// --- All machines -----------------------------------------------------------------------------

static int check_folder(const char *folder, double reach)
{
    struct dirent **entry = NULL;
    const int n = scandir(folder, &entry, NULL, alphasort);
    int machines = 0;
    for (int k = 0; k < n; ++k) {
        const char *name = entry[k]->d_name;
        const size_t length = strlen(name);
        if (length > 4 && strcmp(name + length - 4, ".xml") == 0) {
            char path[1024];
            snprintf(path, sizeof path, "%s/%s", folder, name);
            lw_mech *mech = NULL;
            check_case("%s", name);
            check_seed(5);
            if (lw_load_file(path, NULL, &mech, NULL) == LW_OK) {
                CHECK(check_machine(mech, reach) > 10);
                ++machines;
            }
        }
        free(entry[k]);
    }
    free(entry);
    return machines;
}

TEST(D36_every_parameter_of_the_shipped_trees)
{
    CHECK(check_folder(LINKWORK_SOURCE_DIR "/models", 0.8) >= 5);
    check_folder(LINKWORK_SOURCE_DIR "/models/rover", 0.8);
    check_folder(LINKWORK_SOURCE_DIR "/models/quadruped", 0.8);
}

TEST(D36_every_parameter_of_the_shipped_closed_machines)
{
    CHECK(check_folder(LINKWORK_SOURCE_DIR "/models/closed", 0.1) >= 5);
}

TEST(D36_every_parameter_of_the_closed_zoo)
{
    for (int k = 0; k < closed_zoo_count; ++k) {
        check_case("closed zoo, %s", closed_zoo[k].name);
        check_seed(5);
        check_machine(closed_zoo[k].build(false), fmin(0.2, closed_zoo[k].reach));
    }
}

TEST(D36_every_parameter_of_random_trees)
{
    for (unsigned seed = 1; seed <= 12; ++seed) {
        random_mech_options options = random_mech_default();
        options.njoint = 6;
        check_case("random machine %u", seed);
        CHECK(check_machine(random_mech(seed, &options), 1.0) > 50);
    }
}

int main(void)
{
    RUN(D36_every_parameter_of_random_trees);
    RUN(D36_every_parameter_of_the_shipped_trees);
    RUN(D36_every_parameter_of_the_shipped_closed_machines);
    RUN(D36_every_parameter_of_the_closed_zoo);
    return REPORT();
}
