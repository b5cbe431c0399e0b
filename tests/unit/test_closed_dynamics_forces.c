// Forces within closed machines: of rods, closing joints, gears and couplings, through joints, and
// of drives that sit anywhere; and what is said where a loop cannot be closed.
#include "arrays.h"
#include "check.h"
#include "closed_zoo.h"
#include "cut_tree.h"
#include "objects.h"
#include "untouched.h"

#include "model/data.h"

#include <math.h>
#include <string.h>

enum { MOST = 64, STATES = 12 };

typedef struct state {
    double q[MOST], v[MOST], a[MOST], tau[MOST];
    lw_force force[2 * MOST];
    double tension[MOST], coupling[MOST];
} state;

typedef void (*visitor)(const closed_machine *machine, const lw_model *m, lw_data *d,
                        const state *s);

static void visit(visitor check)
{
    for (int i = 0; i < closed_zoo_count; ++i) {
        const closed_machine *machine = &closed_zoo[i];
        lw_model *m = closed_model(machine->build(false));
        if (!CHECK(m != NULL)) {
            continue;
        }
        lw_data *d = new_data(m);
        int good = 0;
        for (int k = 0; k < STATES; ++k) {
            check_case("%s, state %d", machine->name, k);
            static state s;
            closed_state(m, machine->reach, s.q, s.v, s.a);
            if (lw_inverse_dynamics(m, d, s.q, s.v, s.a, NULL, s.tau) == LW_OK &&
                CHECK(lw_loop_forces(m, d, s.q, s.v, s.a, NULL, s.force, s.tension, s.coupling) ==
                      LW_OK)) {
                ++good;
                check(machine, m, d, &s);
            }
        }
        CHECK(good > STATES / 2);
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

// The forces of loops as external ones, in body coordinates.
static void forces_on_bodies(const lw_model *m, const lw_data *d, const state *s, lw_force *f)
{
    memset(f, 0, (size_t)m->nbody * sizeof *f);
    for (int k = 0; k < 2 * m->nloop; ++k) {
        CHECK(lw_add_force_at_frame(m, d, m->loop[k / 2].frame[k % 2], LW_IN_FRAME, &s->force[k],
                                    f) == LW_OK);
    }
}

// The cut tree under the forces of the loops needs at its independent degrees of freedom what the
// drives give, and at the others what gears and couplings give: nothing, where there are none (D25:
// 1e-11 of the largest force that it needs without the loops). The tree has no rods, so their
// inertia must be in the forces too. Reactions are then those of the tree.
static void cut_is_in_balance(const closed_machine *machine, const lw_model *m, lw_data *d,
                              const state *s)
{
    cut_tree cut;
    if (!cut_open(machine, m, &cut)) {
        return;
    }
    cut_update(&cut, d);
    lw_force f[MOST], reaction[MOST], wanted[MOST];
    double need[MOST], without[MOST], given[MOST];
    forces_on_bodies(m, d, s, f);
    CHECK(lw_inverse_dynamics(cut.tree, cut.d, cut.q, cut.v, cut.a, NULL, without) == LW_OK);
    CHECK(lw_inverse_dynamics(cut.tree, cut.d, cut.q, cut.v, cut.a, f, need) == LW_OK);
    memcpy(given, s->coupling, (size_t)cut.n * sizeof *given);
    for (int k = 0; k < m->nv; ++k) {
        given[m->v_tree[k]] += s->tau[k];
    }
    const double size = fmax(1.0, largest(without, cut.n));
    for (int i = 0; i < cut.n; ++i) {
        CHECK_NEAR(need[i], given[i], 1e-11 * size);
    }
    CHECK(lw_reaction_forces(cut.tree, cut.d, cut.q, cut.v, cut.a, f, wanted) == LW_OK);
    CHECK(lw_reaction_forces(m, d, s->q, s->v, s->a, NULL, reaction) == LW_OK);
    for (int i = 0; i < m->nbody; ++i) {
        CHECK_NEAR(lw_norm3(lw_sub3(reaction[i].lin, wanted[i].lin)), 0.0, 1e-10 * size);
        CHECK_NEAR(lw_norm3(lw_sub3(reaction[i].ang, wanted[i].ang)), 0.0, 1e-10 * size);
    }
    cut_close(&cut);
}

TEST(D25_forces_of_the_loops_leave_nothing_for_dependent_joints)
{
    visit(cut_is_in_balance);
}

// Loops without mass neither give nor take power, whatever the velocity; nor do couplings.
static void loops_take_no_power(const closed_machine *machine, const lw_model *m, lw_data *d,
                                const state *s)
{
    double v[MOST], power = 0.0, size = 1.0;
    for (int k = 0; k < m->nv; ++k) {
        v[k] = check_random(-1.0, 1.0);
    }
    CHECK(lw_forward_velocity(m, d, s->q, v) == LW_OK);
    double of_couplings = 0.0;
    for (int i = 0; i < m->tree_nv; ++i) {
        of_couplings += s->coupling[i] * d->tree_v[i];
        size = fmax(size, fabs(s->coupling[i]));
    }
    for (int k = 0; k < 2 * m->nloop; ++k) {
        lw_motion velocity;
        CHECK(lw_frame_velocity(m, d, m->loop[k / 2].frame[k % 2], LW_IN_FRAME, &velocity) ==
              LW_OK);
        power += lw_dot3(velocity.ang, s->force[k].ang) + lw_dot3(velocity.lin, s->force[k].lin);
        size = fmax(size, lw_norm3(s->force[k].lin));
    }
    CHECK_NEAR(of_couplings, 0.0, 1e-11 * size);
    if (!machine->has_heavy) {
        CHECK_NEAR(power, 0.0, 1e-11 * size);
    }
}

TEST(D25_virtual_power_of_loops_and_couplings_is_zero)
{
    visit(loops_take_no_power);
}

static lw_force momentum_at(const lw_model *m, lw_data *d, const state *s, double t)
{
    double q[MOST], v[MOST];
    lw_force p = {{0, 0, 0}, {0, 0, 0}};
    lw_integrate(m, s->q, s->v, t, q);
    for (int k = 0; k < m->nv; ++k) {
        v[k] = s->v[k] + t * s->a[k];
    }
    CHECK(lw_momentum(m, d, q, v, &p) == LW_OK);
    return p;
}

// What the ground exerts, through the joints at the root and through loops that end on it, is the
// rate of momentum less the weight. Differences of order four as for energy.
static void ground_bears_all(const closed_machine *machine, const lw_model *m, lw_data *d,
                             const state *s)
{
    (void)machine;
    const double h = 1e-3;
    double q[MOST];
    lw_integrate(m, s->q, s->v, 2 * h, q);
    if (lw_forward_position(m, d, q) != LW_OK) {
        return;
    }
    const lw_force p[4] = {momentum_at(m, d, s, -2 * h), momentum_at(m, d, s, -h),
                           momentum_at(m, d, s, h), momentum_at(m, d, s, 2 * h)};
    lw_force reaction[MOST], sum = {{0, 0, 0}, {0, 0, 0}};
    CHECK(lw_reaction_forces(m, d, s->q, s->v, s->a, NULL, reaction) == LW_OK);
    CHECK(lw_forward_position(m, d, s->q) == LW_OK);
    double size = 1.0;
    for (int i = 0; i < m->nbody; ++i) {
        if (m->parent[i] < 0) {
            const lw_vec3 lin = lw_rotate(&d->X_WB[i].R, reaction[i].lin);
            sum.lin = lw_add3(sum.lin, lin);
            sum.ang = lw_add3(sum.ang, lw_add3(lw_rotate(&d->X_WB[i].R, reaction[i].ang),
                                               lw_cross3(d->X_WB[i].p, lin)));
            size = fmax(size, lw_norm3(lin) + lw_norm3(reaction[i].ang));
        }
    }
    for (int k = 0; k < 2 * m->nloop; ++k) {
        const lw_frame_info *frame = &m->frame[m->loop[k / 2].frame[k % 2]];
        if (frame->body < 0) {
            const lw_vec3 lin = lw_rotate(&frame->X_BF.R, s->force[k].lin);
            const lw_vec3 ang =
                lw_add3(lw_rotate(&frame->X_BF.R, s->force[k].ang), lw_cross3(frame->X_BF.p, lin));
            sum.lin = lw_sub3(sum.lin, lin);
            sum.ang = lw_sub3(sum.ang, ang);
        }
    }
    double mass = 0.0;
    for (int i = 0; i < m->nbody; ++i) {
        mass += m->inertia[i].mass;
    }
    for (int k = 0; k < m->nloop; ++k) {
        mass += m->loop[k].mass;
    }
    lw_vec3 center;
    CHECK(lw_center_of_mass(m, d, s->q, &center, NULL) == LW_OK);
    const lw_vec3 weight = lw_scale3(mass, m->gravity);
    const lw_vec3 rate =
        lw_scale3(1.0 / (12.0 * h), lw_add3(lw_scale3(8.0, lw_sub3(p[2].lin, p[1].lin)),
                                            lw_sub3(p[0].lin, p[3].lin)));
    const lw_vec3 turn =
        lw_scale3(1.0 / (12.0 * h), lw_add3(lw_scale3(8.0, lw_sub3(p[2].ang, p[1].ang)),
                                            lw_sub3(p[0].ang, p[3].ang)));
    CHECK_NEAR(lw_norm3(lw_sub3(lw_add3(sum.lin, weight), rate)), 0.0, 1e-5 * size);
    CHECK_NEAR(lw_norm3(lw_sub3(lw_add3(sum.ang, lw_cross3(center, weight)), turn)), 0.0,
               1e-5 * size);
}

TEST(D25_ground_bears_weight_and_rate_of_momentum)
{
    visit(ground_bears_all);
}

// A bob that a rod of length 2 holds under a point of the ground, free to slide sideways.
TEST(tension_of_a_rod_is_positive_where_it_pulls)
{
    lw_mech *mech = new_mech("bob");
    zoo_link(mech, "base", 1.0, lw_vec3_of(0, 0, 0));
    zoo_link(mech, "cart", 0.0, lw_vec3_of(0, 0, 0));
    zoo_link(mech, "bob", 3.0, lw_vec3_of(0, 0, 0));
    const lw_joint_def slide =
        zoo_joint_def("slide", LW_JOINT_PRISMATIC, lw_vec3_of(1.0, 0.0, 0.0));
    zoo_hang(mech, &slide, "base.b", "cart");
    lw_joint_def lift = zoo_joint_def("lift", LW_JOINT_PRISMATIC, lw_vec3_of(0.0, 0.0, 1.0));
    lift.dependent = true;
    lift.dof[0].reference = -2.0;
    zoo_hang(mech, &lift, "cart.b", "bob");
    zoo_rod(mech, "rod", "base.b", "bob.b", 2.0, 0.0);
    lw_model *m = closed_model(mech);
    if (!CHECK(m != NULL)) {
        return;
    }
    lw_data *d = new_data(m);
    const double q[1] = {0.0}, v[1] = {1.5}, a[1] = {0.0};
    double tension;
    lw_force force[2];
    CHECK(lw_loop_forces(m, d, q, v, a, NULL, force, &tension, NULL) == LW_OK);
    CHECK_NEAR(tension, 3.0 * (9.81 + 1.5 * 1.5 / 2.0), 1e-12);
    CHECK_NEAR(force[1].lin.z, tension, 1e-12); // pulls the bob up
    CHECK_NEAR(force[0].lin.z, -tension, 1e-12);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// --- Drives -------------------------------------------------------------------------------------

static void drives_of_all_kinds(const closed_machine *machine, const lw_model *m, lw_data *d,
                                const state *s)
{
    (void)machine;
    double force[MOST], weight[MOST], y[MOST], power = 0.0;
    int all[MOST], rank;
    const double size = fmax(1.0, largest(s->tau, m->nv));
    // Drives at the independent degrees of freedom give the forces of inverse dynamics.
    CHECK(lw_actuator_forces(m, d, s->q, s->v, s->a, NULL, m->nv, m->v_tree, NULL, force, &rank,
                             NULL) == LW_OK);
    CHECK_INT(rank, m->nv);
    for (int k = 0; k < m->nv; ++k) {
        CHECK_NEAR(force[k], s->tau[k], 1e-11 * size);
    }
    // Drives everywhere: the same work, and weight times force is in the range of the motions, as
    // the shortest solution has it.
    for (int i = 0; i < m->tree_nv; ++i) {
        all[i] = i;
        weight[i] = check_random(0.5, 2.0);
    }
    CHECK(lw_actuator_forces(m, d, s->q, s->v, s->a, NULL, m->tree_nv, all, weight, force, &rank,
                             NULL) == LW_OK);
    CHECK_INT(rank, m->nv);
    for (int k = 0; k < m->nv; ++k) {
        y[k] = weight[m->v_tree[k]] * force[m->v_tree[k]];
        power += s->tau[k] * s->v[k];
    }
    CHECK(lw_forward_velocity(m, d, s->q, y) == LW_OK);
    for (int i = 0; i < m->tree_nv; ++i) {
        CHECK_NEAR(weight[i] * force[i], d->tree_v[i], 1e-10 * size);
    }
    CHECK(lw_forward_velocity(m, d, s->q, s->v) == LW_OK);
    for (int i = 0; i < m->tree_nv; ++i) {
        power -= force[i] * d->tree_v[i];
    }
    CHECK_NEAR(power, 0.0, 1e-10 * size);
}

TEST(R27_R28_drives_anywhere_do_the_same_work)
{
    visit(drives_of_all_kinds);
}

TEST(R28_rank_decides_what_drives_can_do)
{
    const closed_machine *machine = closed_zoo_find("five-bar");
    lw_model *m = closed_model(machine->build(false));
    if (!CHECK(m != NULL)) {
        return;
    }
    lw_data *d = new_data(m);
    double q[2], v[2], a[2], tau[2], force[4], residual[2];
    int rank = -1;
    closed_state(m, 0.0, q, v, a);
    CHECK(lw_inverse_dynamics(m, d, q, v, a, NULL, tau) == LW_OK);
    // Both elbows, none of the shoulders: exactly.
    int elbow[2] = {0, 0}, n = 0;
    for (int i = 0; i < m->tree_nv; ++i) {
        if (i != m->v_tree[0] && i != m->v_tree[1]) {
            elbow[n++ % 2] = i;
        }
    }
    CHECK_INT(n, 2);
    CHECK(lw_actuator_forces(m, d, q, v, a, NULL, 2, elbow, NULL, force, &rank, residual) == LW_OK);
    CHECK_INT(rank, 2);
    CHECK_NEAR(hypot(residual[0], residual[1]), 0.0, 1e-10);
    CHECK(lw_forward_velocity(m, d, q, v) == LW_OK);
    CHECK_NEAR(force[0] * d->tree_v[elbow[0]] + force[1] * d->tree_v[elbow[1]],
               tau[0] * v[0] + tau[1] * v[1], 1e-10);
    // One drive: the residual is across what it can do.
    CHECK(lw_actuator_forces(m, d, q, v, a, NULL, 1, elbow, NULL, force, &rank, residual) ==
          LW_ERR_SINGULAR);
    CHECK_INT(rank, 1);
    CHECK(lw_forward_velocity(m, d, q, residual) == LW_OK);
    CHECK_NEAR(d->tree_v[elbow[0]], 0.0, 1e-12);
    CHECK(hypot(residual[0], residual[1]) > 1e-3);
    // None at all, and one given twice.
    CHECK(lw_actuator_forces(m, d, q, v, a, NULL, 0, NULL, NULL, NULL, &rank, residual) ==
          LW_ERR_SINGULAR);
    CHECK_INT(rank, 0);
    elbow[1] = elbow[0];
    CHECK(lw_actuator_forces(m, d, q, v, a, NULL, 2, elbow, NULL, force, &rank, residual) ==
          LW_ERR_ARGUMENT);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// --- Loops that cannot be closed ----------------------------------------------------------------

TEST(D22_open_loop_is_named_with_its_gap)
{
    // The elbows of the five-bar, 0.3 + 0.4 + 0.4 apart with both arms flat outward: 0.1 too far.
    lw_model *m = closed_model(closed_zoo_find("five-bar")->build(false));
    lw_data *d = new_data(m);
    const double q[2] = {3.14159265358979312, 0.0};
    double energy = 7.0;
    char text[200];
    check_untouched(m, d, q, LW_ERR_LOOP_OPEN);
    lw_failure failure = lw_data_failure(d, LW_ERR_LOOP_OPEN);
    CHECK_TEXT(failure.loop >= 0 ? m->loop[failure.loop].name : "", "j5");
    CHECK_NEAR(failure.gap, 0.1, 1e-12);
    lw_failure_text(m, &failure, text, sizeof text);
    CHECK_TEXT(text, "a loop cannot be closed: loop \"j5\", whose ends stay 0.1 m apart");
    CHECK_INT(lw_data_failure(d, LW_ERR_SINGULAR).tree_dof, -1);
    CHECK(lw_potential_energy(m, d, q, &energy) == LW_ERR_LOOP_OPEN && energy == 7.0);
    CHECK(lw_forward_position(m, d, m->q_reference) == LW_OK);
    failure = lw_data_failure(d, LW_ERR_LOOP_OPEN);
    CHECK(failure.loop == -1 && failure.gap == 0.0);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// Both elbows on the line between the shoulders' ends: the tip has no definite rate. The machine is
// made so that this pose is exact.
TEST(D22_dead_centre_is_named)
{
    lw_mech *mech = new_mech("dead");
    zoo_link(mech, "base", 1.0, lw_vec3_of(0, 0, 0));
    zoo_link(mech, "slider", 1.0, lw_vec3_of(0, 0, 0));
    zoo_link(mech, "arm", 1.0, lw_vec3_of(0.2, 0, 0));
    lw_joint_def slide = zoo_joint_def("slide", LW_JOINT_PRISMATIC, lw_vec3_of(1, 0, 0));
    slide.dof[0].reference = 0.6;
    zoo_hang(mech, &slide, "base.b", "slider");
    lw_joint_def turn = zoo_joint_def("turn", LW_JOINT_REVOLUTE, lw_vec3_of(0, 0, 1));
    turn.dependent = true;
    turn.dof[0].reference = 1.0;
    zoo_hang(mech, &turn, "base.b", "arm");
    zoo_frame(mech, "arm", "tip", lw_placement_xyz(0.5, 0.0, 0.0));
    zoo_rod(mech, "rod", "slider.b", "arm.tip", 0.5, 0.0);
    lw_model *m = closed_model(mech);
    if (m) {
        lw_data *d = new_data(m);
        const double q[1] = {1.0}; // arm and rod stretched: 0.5 + 0.5
        check_untouched(m, d, q, LW_ERR_SINGULAR);
        const lw_failure failure = lw_data_failure(d, LW_ERR_SINGULAR);
        CHECK_INT(failure.loop, 0);
        CHECK_NEAR(failure.gap, 0.0, 1e-15);
        const int dof = failure.tree_dof;
        CHECK_TEXT(dof >= 0 ? m->tree_velocity_name[dof] : "", "turn");
        CHECK_INT(failure.dof, -1);
        char text[200];
        lw_failure_text(m, &failure, text, sizeof text);
        CHECK_TEXT(text, "a matrix is singular: loop \"rod\" is at a singular configuration, where "
                         "\"turn\" has no definite rate");
        lw_data_destroy(d);
    }
    CHECK(m != NULL);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(D25_forces_of_the_loops_leave_nothing_for_dependent_joints);
    RUN(D25_virtual_power_of_loops_and_couplings_is_zero);
    RUN(D25_ground_bears_weight_and_rate_of_momentum);
    RUN(tension_of_a_rod_is_positive_where_it_pulls);
    RUN(R27_R28_drives_anywhere_do_the_same_work);
    RUN(R28_rank_decides_what_drives_can_do);
    RUN(D22_open_loop_is_named_with_its_gap);
    RUN(D22_dead_centre_is_named);
    return REPORT();
}
