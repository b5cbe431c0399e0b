// D51 for inverse kinematics: solving, windings and the nearest solution, on every model whose last
// frame a solver reaches. As test_realtime.c.

#include "check.h"
#include "realtime.h"

#include <string.h>

static lw_status solve(subject *s)
{
    return s->ik ? lw_ik_solve(s->ik, &s->target, NULL, &s->solutions) : LW_OK;
}

static lw_status solve_out_of_reach(subject *s)
{
    lw_ik_target far = s->target;
    far.X_BT.p.x += 100.0;
    return s->ik ? lw_ik_solve(s->ik, &far, s->q, &s->solutions) : LW_OK;
}

static lw_status wind(subject *s)
{
    long winding = 0;
    const long count = s->ik ? lw_ik_winding_count(s->ik, 0) : 0;
    while (s->ik && winding < 100 && lw_ik_next_winding(s->ik, 0, &winding, s->q2)) {
    }
    return winding <= count ? LW_OK : LW_ERR_ARGUMENT;
}

static lw_status pick(subject *s)
{
    return !s->ik || lw_ik_nearest(s->ik, s->q, LW_IK_LARGEST_CHANGE, NULL, s->q2) >= -1
               ? LW_OK
               : LW_ERR_ARGUMENT;
}

static lw_status sample(subject *s)
{
    lw_ik_samples samples = {.count = 3};
    lw_ik_target target = s->target;
    while (s->ik && lw_ik_next_sample(s->ik, &target, NULL, &samples, &s->solutions)) {
    }
    return LW_OK;
}

static lw_status find_arcs(subject *s)
{
    lw_ik_arc arc[32];
    int count;
    const lw_status status =
        s->ik ? lw_ik_arcs(s->ik, &s->target, NULL, 32, arc, &count) : LW_ERR_UNSUPPORTED;
    // Chains without redundancy have none, others may have more.
    return status == LW_ERR_UNSUPPORTED || status == LW_ERR_LIMIT ? LW_OK : status;
}

// By the closed form where there is one, else by the generic solver.
static lw_status solve_view(subject *s)
{
    lw_constraint_result result;
    lw_pose target;
    if (!s->view || lw_view_describe(s->view).ntask != 1) {
        return LW_OK;
    }
    lw_status status = lw_view_targets(s->view, s->m->q_reference, &target);
    if (status == LW_OK && s->ik) { // it may have no solution within the limits
        memcpy(s->q2, s->q, (size_t)s->m->nq * sizeof *s->q2);
        lw_view_by_ik(s->ik, s->view, &target, s->q2);
    }
    if (status == LW_OK) {
        status = lw_view_override(s->view, s->ik ? lw_view_by_ik : NULL, s->ik);
    }
    return status == LW_OK ? lw_view_solve(s->view, s->q, &target, &result) : status;
}

static lw_status solve_constraints(subject *s)
{
    lw_constraint_result result;
    return s->constraints ? lw_constraints_solve(s->constraints, NULL, &result) : LW_OK;
}

static lw_status update_constraint(subject *s)
{
    lw_constraint_def def = lw_default_constraint_def("pose", LW_CONSTRAINT_POSE);
    def.frame = s->frame;
    def.target.p.x = 101.0;
    return s->constraints ? lw_constraints_update(s->constraints, 0, &def) : LW_OK;
}

static lw_status find_rates(subject *s)
{
    return s->constraints && s->m->nv > 1 // matrices then have more numbers than there are rows
               ? lw_constraint_rates(s->constraints, s->q, s->matrix[0], NULL, s->column)
               : LW_OK;
}

static lw_status count_rows(subject *s)
{
    int first;
    return !s->constraints || lw_constraints_rows(s->constraints, 0, &first) == 6 ? LW_OK
                                                                                  : LW_ERR_ARGUMENT;
}

// The row of the frame's height, where motions of the joints are all zero.
static lw_status add_row(subject *s)
{
    lw_motion *S = (lw_motion *)(void *)s->matrix[0]; // [6 * nv] at least
    const lw_constraint_state at = {.model = s->m, .data = s->d, .q = s->q, .S = S};
    const lw_vec3 up = {0.0, 0.0, 1.0};
    return s->m->tree_nv == s->m->nv && s->m->nv >= 6
               ? lw_constraint_add_row(&at, s->frame, -1, up, up, up, s->column)
               : LW_OK;
}

#define IK(DO)                                                                                     \
    DO(lw_ik_solve, solve(s))                                                                      \
    DO(lw_ik_next_winding, wind(s))                                                                \
    DO(lw_ik_nearest, pick(s))                                                                     \
    DO(lw_ik_next_sample, sample(s))                                                               \
    DO(lw_ik_arcs, find_arcs(s))                                                                   \
    DO(lw_view_solve, solve_view(s))                                                               \
    DO(lw_constraints_solve, solve_constraints(s))                                                 \
    DO(lw_constraints_update, update_constraint(s))                                                \
    DO(lw_constraint_rates, find_rates(s))                                                         \
    DO(lw_constraints_rows, count_rows(s))                                                         \
    DO(lw_constraint_add_row, add_row(s))                                                          \
    DO(lw_ik_solve_out_of_reach, solve_out_of_reach(s))

IK(RT_DEFINE)
static const rt_function functions[] = {IK(RT_ENTRY)};
enum { NFUNCTION = sizeof functions / sizeof *functions };

TEST(D51_inverse_kinematics_allocates_nothing)
{
    check_no_allocation(functions, NFUNCTION);
}

TEST(D51_inverse_kinematics_makes_no_system_call)
{
    check_no_system_call(functions, NFUNCTION);
}

int main(void)
{
    RUN(D51_inverse_kinematics_allocates_nothing);
    RUN(D51_inverse_kinematics_makes_no_system_call);
    return REPORT();
}
