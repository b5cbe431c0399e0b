// lw_ik_solve(): candidates of the class of the chain, verified by forward kinematics.
#include "solve.h"

#include "../kin/closure.h"
#include "../kin/finite.h"
#include "../math/pi.h"
#include "../model/kernels.h"
#include "closed_chain.h"
#include "fold.h"

#include <math.h>
#include <string.h>

// A candidate of an exact class whose residual is above this, m and rad per length of the arm, lost
// digits at a root that nearly vanishes: Newton's method brings them back.
static const double polished = 1e-13;

// Farther than this a candidate of an exact class is no solution: its root does not exist. Square
// roots lose half the digits at most; quartics, and elimination, more.
static double hopeless(const lw_ik *ik)
{
    const bool is_quadratic = ik->kind == LWI_IK_SIX && ik->six.kind != LWI_SIX_SPHERICAL &&
                              ik->six.kind != LWI_SIX_PARALLEL;
    if (ik->insists || (ik->def.is_certain && (ik->kind == LWI_IK_GENERAL || ik->is_near))) {
        return (double)INFINITY;
    }
    const double exact = is_quadratic ? 1e-9 : 1e-3;
    return !ik->is_near             ? exact
           : ik->kind == LWI_IK_SIX ? fmax(exact, 1e3 * ik->six.margin)
                                    : (double)INFINITY;
}

// A candidate of a nearly exact class that comes this near, as share of the length of the arm, may
// have missed a solution.
static double doubtful(const lw_ik *ik)
{
    return fmin(0.012, 30.0 * ik->six.margin);
}

// Solutions that are closer than this in every sine and cosine are one.
static const double same = 1e-6;

static bool is_same(const lwi_candidate *a, const lwi_candidate *b, const lwi_arm *arm)
{
    for (int k = 0; k < arm->n; ++k) {
        if (fabs(a->q[k].s - b->q[k].s) + fabs(a->q[k].c - b->q[k].c) > same) {
            return false;
        }
    }
    return true;
}

static const double slack = 1e-9; // of limits, rad and m

static bool is_within(const lw_ik *ik, int i, double x)
{
    return x >= ik->lower[i] - slack && x <= ik->upper[i] + slack;
}

double lwi_ik_wind(const lw_ik *ik, int i, double x, bool *is_inside)
{
    *is_inside = is_within(ik, i, x);
    if (*is_inside || ik->chain.arm.slides[i]) {
        return x;
    }
    const double turns = x < ik->lower[i] ? ceil((ik->lower[i] - slack - x) / LWI_TWO_PI)
                                          : floor((ik->upper[i] + slack - x) / LWI_TWO_PI),
                 wound = x + LWI_TWO_PI * turns;
    *is_inside = is_within(ik, i, wound);
    return *is_inside ? wound : x;
}

// Whether joint i of a candidate, at x, is where the seed has it, to rounding and whole turns.
static bool is_as_seed(const lw_ik *ik, int i, double x)
{
    const double seed = ik->seed[ik->info.position[i]], d = x - seed;
    return fabs(ik->chain.arm.slides[i] ? d : remainder(d, LWI_TWO_PI)) <=
           1e-13 + 1e-15 * fabs(seed);
}

// Writes a candidate as a solution in independent coordinates, with its limits.
static void store(lw_ik *ik, const lwi_candidate *c, const double *position, int stride,
                  double residual)
{
    const int nq = ik->model->nq, n = ik->nsolution++;
    lw_ik_solution *s = &ik->solution[n];
    double *q = ik->q + (size_t)n * (size_t)nq;
    for (int k = 0; k < nq; ++k) {
        q[k] = ik->seed[k];
    }
    ik->kept[n] = *c;
    *s = (lw_ik_solution){.q = q,
                          .residual = residual,
                          .branch = {c->shoulder, c->elbow, c->wrist, n},
                          .is_same_assembly = true,
                          .is_exact = residual <= ik->tolerance,
                          .undetermined = c->undetermined};
    unsigned outside = 0;
    for (int i = 0; i < ik->chain.arm.n; ++i) {
        const bool is_open =
            (c->undetermined >> i & 1u) != 0 && is_as_seed(ik, i, position[i * stride]);
        s->undetermined &= ~(is_open ? 0u : 1u << i); // a joint that has moved counts as determined
        double x = is_open ? ik->seed[ik->info.position[i]] : position[i * stride];
        if (!is_within(ik, i, x)) {
            bool is_inside = false;
            x = is_open ? x : lwi_ik_wind(ik, i, x, &is_inside);
            outside |= is_inside ? 0u : 1u << i;
        }
        q[ik->info.position[i]] = x;
    }
    s->outside = outside;
    s->in_limits = outside == 0;
}

// The solution that a candidate has become already; -1 where there is none.
static int known_as(const lw_ik *ik, const lwi_candidate *c)
{
    for (int k = 0; k < ik->nsolution; ++k) {
        if (is_same(c, &ik->kept[k], &ik->chain.arm)) {
            return k;
        }
    }
    return -1;
}

// Newton's method on all candidates. It leaves joints that are undetermined at the seed's value; a
// candidate that needs them to reach the target, next to a singular pose, determines them after
// all.
static void refine(lw_ik *ik, const lwi_refine_def *def)
{
    bool is_again = false;
    ik->kernels->refine(&ik->frames, ik->rows, &ik->X, def, &ik->candidates, ik->residual);
    for (int i = 0; i < ik->candidates.count; ++i) {
        lwi_candidate *c = &ik->candidates.at[i];
        if (c->undetermined && ik->residual[i] > ik->tolerance && ik->residual[i] < def->most) {
            c->undetermined = 0;
            is_again = true;
        }
    }
    if (is_again) {
        ik->kernels->refine(&ik->frames, ik->rows, &ik->X, def, &ik->candidates, ik->residual);
    }
}

void lwi_ik_accept(lw_ik *ik)
{
    const double unit = fmax(1.0, ik->length);
    const lwi_refine_def def = {polished * unit, hopeless(ik) * unit, ik->is_near ? 14 : 20,
                                ik->fixed};
    ik->kernels->verify(&ik->frames, ik->rows, &ik->X, &ik->candidates, ik->residual);
    bool is_refined = false;
    for (int i = 0; i < ik->candidates.count; ++i) {
        is_refined |= ik->residual[i] > def.good && ik->residual[i] < def.most;
    }
    if (is_refined) {
        refine(ik, &def);
    }
    ik->kernels->positions(&ik->frames, &ik->candidates, ik->position);
    for (int i = 0; i < ik->candidates.count; ++i) {
        const lwi_candidate *c = &ik->candidates.at[i];
        const double r = ik->residual[i];
        if (!(r <= ik->tolerance) || ik->nsolution == LWI_IK_SOLUTIONS) {
            ++ik->result.nlost;
            ik->doubts |= r < doubtful(ik) * ik->length ? 1u << i : 0u;
        } else if (known_as(ik, c) >= 0) {
            ik->doubts |= 1u << i;
        } else if (ik->closed) {
            lwi_closed_chain_accept(ik, c, &ik->position[0][i], LWI_CANDIDATES, r);
        } else {
            store(ik, c, &ik->position[0][i], LWI_CANDIDATES, r);
        }
    }
}

// Joint positions within the limits, of a candidate or of the seed.
static void start_from(const lw_ik *ik, const lwi_numeric_def *def, const lwi_candidate *c,
                       double *q)
{
    const lwi_arm *arm = &ik->chain.arm;
    for (int i = 0; i < arm->n; ++i) {
        bool is_inside;
        const double x = !c               ? ik->seed[ik->info.position[i]]
                         : arm->slides[i] ? c->q[i].s
                                          : atan2(c->q[i].s, c->q[i].c);
        q[i] = fmax(def->lower[i], fmin(def->upper[i], lwi_ik_wind(ik, i, x, &is_inside)));
    }
}

static void angles_of(const lwi_arm *arm, const double *x, lwi_angle *q)
{
    double s[LW_IK_JOINTS], c[LW_IK_JOINTS];
    lwi_kernels_generic->lane->sincos(arm->n, x, s, c);
    for (int i = 0; i < arm->n; ++i) {
        q[i] = arm->slides[i] ? (lwi_angle){x[i], 1.0} : (lwi_angle){s[i], c[i]};
    }
}

// Least squares within the limits. Where a class has candidates none of them is a solution: the
// nearest configuration is next to one of them, or where a few starts lead to.
static void solve_numerically(lw_ik *ik)
{
    const lwi_arm *arm = &ik->chain.arm;
    const bool is_search = ik->kind == LWI_IK_NUMERIC;
    double q[LW_IK_JOINTS], best[LW_IK_JOINTS], lower[LW_IK_JOINTS], upper[LW_IK_JOINTS];
    for (int i = 0; i < arm->n; ++i) { // a joint that is held has no range
        const int k = ik->info.position[i];
        const bool is_held = ik->def.redundancy == LW_IK_HOLD && k == ik->def.hold;
        lower[i] = is_held ? ik->seed[k] : ik->lower[i];
        upper[i] = is_held ? ik->seed[k] : ik->upper[i];
    }
    lwi_numeric_def def = {ik->kernels,
                           ik->rows,
                           lower,
                           upper,
                           LWI_NUMERIC_WEIGHT / ik->length,
                           0.1 * ik->tolerance,
                           ik->def.iterations,
                           is_search ? ik->def.starts : 12};
    start_from(ik, &def, NULL, best);
    double least = lwi_numeric_solve(&ik->frames, &ik->X, &def, best).residual;
    if (least > ik->tolerance) {
        def.iterations = 200;
        least = lwi_numeric_descend(&ik->frames, &ik->X, &def, best);
        for (int k = 0; k < ik->candidates.count; ++k) {
            start_from(ik, &def, &ik->candidates.at[k], q);
            const double r = lwi_numeric_descend(&ik->frames, &ik->X, &def, q);
            if (r < least) {
                least = r;
                memcpy(best, q, sizeof best);
            }
        }
    }
    lwi_candidate c = {.undetermined = 0};
    for (int i = 0; i < arm->n; ++i) {
        if (!arm->slides[i] && isinf(lower[i]) && isinf(upper[i])) {
            best[i] = remainder(best[i], LWI_TWO_PI);
        }
    }
    angles_of(arm, best, c.q);
    if (ik->kind == LWI_IK_SWIVEL) {
        ik->result.redundancy = lwi_swivel_angle(&ik->swivel, c.q);
    } else if (ik->kind == LWI_IK_LOCKED) {
        ik->result.redundancy = best[ik->locked.joint];
    }
    store(ik, &c, best, 1, least);
}

// How far a matrix is from a rotation.
static double skewness(const lw_mat3 *R)
{
    double worst = 0.0;
    for (int i = 0; i < 3; ++i) {
        worst = fmax(worst, fabs(lw_dot3(R->row[i], R->row[i]) - 1.0));
        worst = fmax(worst, fabs(lw_dot3(R->row[i], R->row[(i + 1) % 3])));
    }
    const double det = lw_dot3(R->row[0], lw_cross3(R->row[1], R->row[2]));
    return det > 0.0 ? worst : (double)INFINITY;
}

// The target in the base frame of the arm as it was classified: joints of several DoF before and
// behind the axes are where the seed has them. Apart, so that its chain is on the stack only here.
static __attribute__((noinline)) lw_status place_target(lw_ik *ik, const lw_ik_target *target)
{
    const lw_model *m = ik->model;
    ik->X = target->X_BT;
    if (ik->def.task == LW_IK_POSITION) {
        ik->X.R = lw_mat3_identity();
    }
    if (!(skewness(&ik->X.R) <= 1e-6)) {
        return LW_ERR_ARGUMENT;
    }
    if (skewness(&ik->X.R) > 4e-15) {
        ik->X.R = lw_rotation_quat(lw_quat_of(&ik->X.R));
    }
    ik->X_BT = ik->X;
    if (ik->chain.nheld > 0 && ik->kind != LWI_IK_PLATFORM) {
        lwi_chain now;
        int body;
        const double *tree = ik->seed;
        if (ik->data) {
            tree = lwi_closure_position(m, ik->data, ik->seed);
            if (!tree) {
                return lwi_closure_status(ik->data);
            }
        }
        lwi_chain_find(m, ik->def.base, ik->def.tip, tree, &now, &body);
        if (now.is_held_inside) { // another arm, perhaps of another class
            ik->chain = now;
            lwi_ik_classify(ik, NULL);
        }
        const lw_pose back = lw_pose_inverse(&now.X_BL), tail = lw_pose_inverse(&now.X_FT),
                      rest = lw_pose_mul(&tail, &ik->chain.X_FT);
        ik->X = lw_pose_mul(&back, &ik->X);
        ik->X = lw_pose_mul(&ik->chain.X_BL, &ik->X);
        ik->X = lw_pose_mul(&ik->X, &rest);
    }
    return LW_OK;
}

static lw_status begin(lw_ik *ik, const lw_ik_target *target, const double *seed)
{
    const lw_model *m = ik->model;
    const lw_pose *X = &target->X_BT;
    ik->nsolution = 0;
    ik->doubts = 0;
    ik->result = (lw_ik_result){.solution = ik->solution, .open_loop = -1};
    const double *const rows = &X->R.row[0].x;
    // Distances are compared by their squares.
    if (!lwi_all_finite(rows, 9) || !isfinite(lw_dot3(X->p, X->p)) ||
        (target->has_redundancy && !isfinite(target->redundancy))) {
        return LW_ERR_NUMBER;
    }
    const lw_status status = lwi_check_position(m, seed);
    if (status != LW_OK) {
        return status;
    }
    memcpy(ik->seed, seed, sizeof(double) * (size_t)m->nq);
    if (ik->def.redundancy == LW_IK_HOLD && target->has_redundancy) {
        ik->seed[ik->def.hold] = target->redundancy;
    }
    if (ik->closed) {
        lwi_closed_chain_begin(ik);
    }
    return place_target(ik, target);
}

static void count_limits(lw_ik *ik)
{
    lw_ik_result *r = &ik->result;
    r->nsolution = ik->nsolution;
    for (int i = 0; i < ik->nsolution; ++i) {
        const lw_ik_solution *s = &ik->solution[i];
        r->nwithin += s->is_exact && s->in_limits;
        r->limits |= s->outside;
    }
    r->limits = r->nwithin > 0 ? 0u : r->limits;
    r->open_loop = ik->nsolution > 0 && ik->solution[0].is_exact ? -1 : r->open_loop;
    r->distance = ik->nsolution > 0 && !ik->solution[0].is_exact ? ik->solution[0].residual : 0.0;
}

static void eliminate(lw_ik *ik, int nrole)
{
    for (int i = 0; i < nrole; ++i) {
        lwi_eliminate(&ik->chain.arm, &ik->X, ik->role[i], ik->elimination, &ik->candidates);
        lwi_ik_accept(ik);
    }
}

static double distance2(const lwi_candidate *a, const lwi_candidate *b)
{
    double most = 0.0;
    for (int i = 0; i < 6; ++i) {
        const double s = a->q[i].s - b->q[i].s, c = a->q[i].c - b->q[i].c;
        most = fmax(most, s * s + c * c);
    }
    return most;
}

static void set_label(lw_ik *ik, int solution, const lwi_candidate *from)
{
    lw_ik_branch *to = &ik->solution[solution].branch;
    to->shoulder = from->shoulder;
    to->elbow = from->elbow;
    to->wrist = from->wrist;
}

// Candidates of a nearly exact class that were lost, or found twice, are next to a fold, where two
// of its branches meet: both solutions there become candidates, and the one on the side of the
// start has its label. Returns whether all doubts are decided.
static bool solve_folds(lw_ik *ik)
{
    bool is_decided = true;
    unsigned doubts = ik->doubts;
    const lwi_candidates *starts = &ik->spare;
    const lwi_candidate none = {.undetermined = 0};
    ik->candidates.count = 0;
    for (int i = 0; i < starts->count; ++i) {
        lwi_fold fold;
        if ((doubts >> i & 1u) == 0) {
            continue;
        }
        if (!lwi_fold_solve(&ik->chain.arm, ik->length, &ik->X, starts->at[i].q, &fold)) {
            is_decided = false;
            continue;
        }
        for (int k = i + 1; k < starts->count; ++k) { // the start on the other side
            doubts &= ~(distance2(&starts->at[i], &starts->at[k]) < 0.25 ? 1u << k : 0u);
        }
        for (int k = 0; k < fold.count; ++k) {
            lwi_candidate *c = lwi_next_candidate(&ik->candidates);
            *c = k == 0 ? starts->at[i] : none;
            memcpy(c->q, fold.q[k], sizeof fold.q[k]);
        }
    }
    lwi_ik_accept(ik);
    for (int i = 0; i < ik->candidates.count; ++i) {
        const lwi_candidate *c = &ik->candidates.at[i];
        const int k = known_as(ik, c);
        is_decided &= k >= 0;
        if (k >= 0 && c->elbow != 0) { // the start on the other side may have found it first
            set_label(ik, k, c);
        }
    }
    return is_decided;
}

// Solutions without a label, or with that of another, get that of the nearest start whose label
// nobody has.
static void complete_labels(lw_ik *ik)
{
    const lwi_candidates *starts = &ik->spare;
    unsigned used = 0, open = 0;
    for (int i = 0; i < ik->nsolution; ++i) {
        const lw_ik_branch *b = &ik->solution[i].branch;
        int at = -1;
        for (int k = 0; k < starts->count; ++k) {
            const lwi_candidate *c = &starts->at[k];
            if ((used >> k & 1u) == 0 && c->shoulder == b->shoulder && c->elbow == b->elbow &&
                c->wrist == b->wrist) {
                at = k;
            }
        }
        used |= at >= 0 ? 1u << at : 0u;
        open |= at < 0 && i < 32 ? 1u << i : 0u;
    }
    for (int i = 0; i < ik->nsolution && i < 32; ++i) {
        const lwi_candidate none = {.undetermined = 0}, *nearest = &none;
        if ((open >> i & 1u) == 0) {
            continue;
        }
        for (int k = 0; k < starts->count; ++k) {
            if ((used >> k & 1u) == 0 &&
                (nearest == &none ||
                 distance2(&ik->kept[i], &starts->at[k]) < distance2(&ik->kept[i], nearest))) {
                nearest = &starts->at[k];
            }
        }
        used |= nearest != &none ? 1u << (nearest - starts->at) : 0u;
        set_label(ik, i, nearest);
    }
}

// The joints of the chain at the seed, and their sines and cosines.
static void set_start(const lw_ik *ik, double *x, lwi_angle *start)
{
    const lwi_arm *arm = &ik->chain.arm;
    for (int i = 0; i < arm->n; ++i) {
        x[i] = ik->info.position[i] >= 0 ? ik->seed[ik->info.position[i]]
                                         : lwi_closed_chain_seed(ik, i);
    }
    if (ik->kind != LWI_IK_LEVEL && ik->kind != LWI_IK_NUMERIC) { // have little use for them
        angles_of(arm, x, start);
    }
}

// From the candidates of a nearly exact class. Solutions of six joints meet in pairs: an odd number
// of them is not all.
static void solve_near(lw_ik *ik)
{
    ik->spare.count = ik->candidates.count;
    memcpy(ik->spare.at, ik->candidates.at, (size_t)ik->spare.count * sizeof *ik->spare.at);
    lwi_ik_accept(ik);
    const bool is_clear = ik->doubts == 0 && ik->nsolution % 2 == 0;
    const bool is_decided = is_clear || (solve_folds(ik) && ik->nsolution % 2 == 0);
    if (!is_decided || ik->def.is_certain) {
        eliminate(ik, ik->def.is_certain ? ik->nrole : ik->nrole / 2);
    }
    if (!is_clear || ik->def.is_certain) {
        complete_labels(ik);
    }
}

// Candidates of the class of the chain.
static void solve_class(lw_ik *ik, const lw_ik_target *target, const double *x,
                        const lwi_angle *start)
{
    switch (ik->kind) {
    case LWI_IK_SIX:
        lwi_six_solve(&ik->six, &ik->X, start, &ik->candidates);
        if (ik->is_near) {
            solve_near(ik);
        } else {
            lwi_ik_accept(ik);
        }
        break;
    case LWI_IK_GENERAL:
        eliminate(ik, ik->nrole);
        break;
    case LWI_IK_FEW:
        for (int i = 0; i < ik->nrole; ++i) {
            lwi_few_solve(&ik->few, &ik->X, start, ik->role[i], ik->elimination, &ik->candidates);
            lwi_ik_accept(ik);
        }
        break;
    case LWI_IK_LEVEL:
        lwi_level_chain_solve(&ik->closed->level, ik->rows, &ik->X, x, &ik->candidates);
        lwi_ik_accept(ik);
        break;
    case LWI_IK_PLATFORM:
        lwi_platform_solve(ik);
        break;
    case LWI_IK_SWIVEL:
    case LWI_IK_LOCKED:
        for (int i = 0; i < ik->nrole; ++i) {
            lwi_redundant_solve(ik, target, start, i);
            lwi_ik_accept(ik);
        }
        break;
    case LWI_IK_NUMERIC:
        break;
    }
}

// Other values of a redundancy that nothing gives, over its range, up to the first that has a
// solution: that of the seed has none.
static void sample_redundancy(lw_ik *ik, const lw_ik_target *target, const lwi_angle *start)
{
    const int count = ik->nrole > 1 ? 8 : 64; // elimination takes its time
    double from, to;
    lwi_redundancy_range(ik, &from, &to);
    lw_ik_target given = *target;
    given.has_redundancy = true;
    for (int k = 0; k < count && ik->nsolution == 0; ++k) {
        given.redundancy = from + (to - from) * (k + 0.5) / count;
        lwi_redundant_solve(ik, &given, start, 0);
        lwi_ik_accept(ik);
    }
}

// Before a target counts as out of reach: what the certain mode does, with candidates that are far
// off too, and other values of a redundancy that is free.
static void insist(lw_ik *ik, const lw_ik_target *target, const double *x, const lwi_angle *start)
{
    const int nrole = ik->nrole;
    const bool is_certain = ik->def.is_certain;
    if (nrole > 1) {
        ik->insists = ik->def.is_certain = true;
        ik->nrole = LWI_IK_ROLES;
        solve_class(ik, target, x, start);
        ik->insists = false;
        ik->def.is_certain = is_certain;
        ik->nrole = nrole;
    }
    const bool is_redundant = ik->kind == LWI_IK_SWIVEL || ik->kind == LWI_IK_LOCKED;
    if (is_redundant && ik->def.redundancy == LW_IK_FREE && !target->has_redundancy) {
        sample_redundancy(ik, target, start);
    }
}

lw_status lw_ik_solve(lw_ik *ik, const lw_ik_target *target, const double *seed,
                      lw_ik_result *result)
{
    if (!ik || !target || !result) {
        return LW_ERR_ARGUMENT;
    }
    ik->status = begin(ik, target, seed ? seed : ik->model->q_reference);
    if (ik->status != LW_OK) {
        return ik->status;
    }
    double x[LW_IK_JOINTS];
    lwi_angle start[LW_IK_JOINTS];
    set_start(ik, x, start);
    solve_class(ik, target, x, start);
    if (ik->nsolution == 0 && !ik->closed && !ik->is_sampling) {
        insist(ik, target, x, start);
    }
    if (ik->nsolution == 0 && ik->is_sampling) {
        // Another value of the redundancy is no solution for this one.
    } else if (ik->nsolution == 0 && ik->closed) {
        lwi_closed_chain_search(ik, ik->kind == LWI_IK_NUMERIC ? ik->def.starts : 8);
    } else if (ik->nsolution == 0) {
        solve_numerically(ik);
    }
    count_limits(ik);
    *result = ik->result;
    return LW_OK;
}
