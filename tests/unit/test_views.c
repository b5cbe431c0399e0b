// Views of one model: appendages described, solved alone and together, and solvers in exchange.
#include "check.h"
#include "load_text.h"
#include "vehicle.h"

#include <linkwork/stance.h>
#include <linkwork/views.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

static lw_constraint_def task_of(const lw_model *m, const char *name, lw_constraint_type type,
                                 const char *frame)
{
    lw_constraint_def def = lw_default_constraint_def(name, type);
    def.frame = lw_find_frame(m, frame);
    CHECK(def.frame >= 0);
    return def;
}

static lw_view *view_of(const lw_model *m, lw_view_kind kind, const char *name, const char *base,
                        int ntask, const lw_constraint_def *task)
{
    lw_view_def def = lw_default_view_def(kind, name);
    lw_view *view = NULL;
    def.base = base ? lw_find_frame(m, base) : -1;
    def.ntask = ntask;
    def.task = task;
    CHECK_INT(lw_view_create(m, &def, &view, NULL), LW_OK);
    return view;
}

static lw_view *together(const lw_model *m, int n, lw_view *const *member)
{
    lw_view_def def = lw_default_view_def(LW_VIEW_MECHANISM, "together");
    lw_view *view = NULL;
    def.nmember = n;
    def.member = member;
    CHECK_INT(lw_view_create(m, &def, &view, NULL), LW_OK);
    return view;
}

/// The rover of three files: wheels, arm and mast, and all of them together.
typedef struct rover {
    lw_model *m;
    lw_view *wheels, *arm, *mast, *all;
} rover;

static rover begin(void)
{
    rover r = {.m = shipped_model("rover/rover.xml")};
    const lw_constraint_def arm = task_of(r.m, "imager", LW_CONSTRAINT_POSE, "arm/turret.imager");
    const lw_constraint_def eye = task_of(r.m, "eye", LW_CONSTRAINT_LOOK_AT, "mast/head.left_eye");
    CHECK(r.m->nq <= MOST);
    r.wheels = view_of(r.m, LW_VIEW_WHEELED, "wheels", NULL, 0, NULL);
    r.arm = view_of(r.m, LW_VIEW_MANIPULATOR, "arm", "body.arm_mount", 1, &arm);
    r.mast = view_of(r.m, LW_VIEW_MANIPULATOR, "mast", "body.mast_mount", 1, &eye);
    r.all = together(r.m, 3, (lw_view *[]){r.wheels, r.arm, r.mast});
    return r;
}

static void end(rover *r)
{
    lw_view_destroy(r->all);
    lw_view_destroy(r->mast);
    lw_view_destroy(r->arm);
    lw_view_destroy(r->wheels);
    lw_model_destroy(r->m);
}

// A configuration that a view reaches from the reference: joints within their limits, a base within
// `far` of where it stood, at any heading.
static void random_configuration(const lw_view *view, double far, double *q)
{
    const lw_view_info info = lw_view_describe(view);
    const lw_model *m = info.model;
    double v[MOST] = {0};
    for (int i = 0; i < info.ndof; ++i) {
        const int k = info.dof[i], at = lw_position_of_dof(m, k);
        const lw_dof *dof = &m->dof[m->v_tree[k]];
        const bool has_limits = isfinite(dof->lower) && isfinite(dof->upper);
        const double wide = strstr(m->velocity_name[k], ".w") ? 3.1 : far;
        v[k] = at < 0       ? check_random(-wide, wide)
               : has_limits ? check_random(dof->lower, dof->upper) - m->q_reference[at]
                            : check_random(-3.1, 3.1);
    }
    CHECK_INT(lw_integrate(m, m->q_reference, v, 1, q), LW_OK);
}

// Whether nothing but the coordinates of a view differs.
static bool is_alone(const lw_view *view, const double *from, const double *to)
{
    const lw_view_info info = lw_view_describe(view);
    double difference[MOST];
    CHECK_INT(lw_difference(info.model, from, to, difference), LW_OK);
    for (int i = 0; i < info.ndof; ++i) {
        difference[info.dof[i]] = 0;
    }
    double worst = 0;
    for (int k = 0; k < info.model->nv; ++k) {
        worst = fmax(worst, fabs(difference[k]));
    }
    return worst < 1e-14;
}

// --- C45, C21: description --------------------------------------------------------------------

TEST(C45_views_describe_the_joints_of_their_appendages)
{
    rover r = begin();
    const lw_view_info arm = lw_view_describe(r.arm), mast = lw_view_describe(r.mast);
    const lw_view_info wheels = lw_view_describe(r.wheels), all = lw_view_describe(r.all);
    static const char *const joint[] = {"arm/azimuth", "arm/elevation", "arm/elbow", "arm/wrist",
                                        "arm/turret"};
    CHECK_INT(arm.ndof, 5);
    for (int i = 0; i < arm.ndof && i < 5; ++i) {
        CHECK_TEXT(r.m->velocity_name[arm.dof[i]], joint[i]);
    }
    CHECK_INT(mast.ndof, 2);
    CHECK_INT(wheels.ndof, 3);
    CHECK_INT(wheels.base, lw_find_frame(r.m, "body"));
    CHECK_INT(arm.base, lw_find_frame(r.m, "body.arm_mount"));
    CHECK(wheels.wheels != NULL && arm.wheels == NULL && all.wheels == wheels.wheels);
    CHECK_INT(all.ndof, 10);
    CHECK_INT(all.ntask, 2);
    CHECK_TEXT(all.task[1].name, "eye");
    CHECK_TEXT(lw_view_kind_name(all.kind), "mechanism");
    CHECK_TEXT(lw_view_kind_name(wheels.kind), "wheeled");
    end(&r);
}

TEST(C21_arm_and_mast_of_a_lander_from_their_own_files)
{
    lw_model *m = shipped_model("phoenix/phoenix.xml");
    const lw_constraint_def scoop = task_of(m, "blade", LW_CONSTRAINT_POSITION, "arm/scoop.blade");
    const lw_constraint_def eye = task_of(m, "eye", LW_CONSTRAINT_LOOK_AT, "mast/camera.left");
    lw_view *view[2] = {view_of(m, LW_VIEW_MANIPULATOR, "arm", "deck.arm", 1, &scoop),
                        view_of(m, LW_VIEW_MANIPULATOR, "mast", "deck.mast", 1, &eye)};
    lw_view *all = together(m, 2, view);
    double q[50][MOST] = {{0}}, flat[50 * MOST];
    CHECK(m->nq <= MOST);
    for (int i = 0; i < 50; ++i) {
        random_configuration(all, 0, q[i]);
        memcpy(flat + i * m->nq, q[i], (size_t)m->nq * sizeof *flat);
    }
    lw_view_comparison found;
    CHECK_INT(lw_view_compare(all, 50, flat, NULL, &found), LW_OK);
    CHECK_INT(found.generic_solved, 50);
    lw_view_destroy(all);
    lw_view_destroy(view[0]);
    lw_view_destroy(view[1]);
    lw_model_destroy(m);
}

// --- C02, C46: alone and together -------------------------------------------------------------

// The imager 2 m ahead, beyond the arm; the camera looks at the same place.
TEST(C46_an_arm_alone_falls_short_where_all_together_reach)
{
    rover r = begin();
    lw_pose target[2] = {lw_pose_identity(), lw_pose_identity()};
    target[0].R = (lw_mat3){{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}}; // looks down
    target[0].p = target[1].p = lw_vec3_of(2.0, 0.3, 0.15);
    lw_constraint_result alone, all;
    double q[MOST];
    CHECK_INT(lw_view_solve(r.arm, NULL, target, &alone), LW_OK);
    CHECK_INT(alone.status, LW_CONSTRAINTS_BEST);
    CHECK(alone.kkt <= 1e-9 && alone.constraint[0].residual > 0.5);
    CHECK(is_alone(r.arm, r.m->q_reference, alone.q));
    CHECK_INT(lw_view_solve(r.mast, NULL, &target[1], &alone), LW_OK);
    CHECK_INT(alone.status, LW_CONSTRAINTS_SOLVED);
    CHECK(is_alone(r.mast, r.m->q_reference, alone.q));

    CHECK_INT(lw_view_solve(r.all, NULL, target, &all), LW_OK);
    CHECK_INT(all.status, LW_CONSTRAINTS_SOLVED);
    CHECK(is_alone(r.all, r.m->q_reference, all.q));
    memcpy(q, all.q, (size_t)r.m->nq * sizeof *q);
    lw_pose reached[2];
    CHECK_INT(lw_view_targets(r.all, q, reached), LW_OK);
    CHECK_NEAR(lw_norm3(lw_sub3(reached[0].p, target[0].p)), 0, 1e-9);

    // From there the arm alone is where it shall be: nothing is left to do.
    CHECK_INT(lw_view_solve(r.arm, q, target, &alone), LW_OK);
    CHECK_INT(alone.status, LW_CONSTRAINTS_SOLVED);
    CHECK_INT(alone.iterations, 0);
    end(&r);
}

// Targets of random configurations are reachable; the solver starts at the reference each time.
// LINKWORK_VIEW_TARGETS is their number.
TEST(C02_C46_all_together_reach_99_percent_of_reachable_targets)
{
    rover r = begin();
    const char *number = getenv("LINKWORK_VIEW_TARGETS");
    const int n = number ? atoi(number) : 1000;
    double *q = calloc((size_t)(n > 0 ? n : 1) * (size_t)r.m->nq, sizeof *q);
    check_seed(19);
    for (int i = 0; q && i < n; ++i) {
        random_configuration(r.all, 2, q + (size_t)i * (size_t)r.m->nq);
    }
    lw_view_comparison found = {0};
    CHECK_INT(q ? lw_view_compare(r.all, n, q, NULL, &found) : LW_ERR_MEMORY, LW_OK);
    CHECK(found.generic_solved >= 0.99 * n);
    CHECK_INT(found.generic_solved + found.certified, n);
    printf("rover, arm and mast: %d of %d reachable targets by one call each, %d certified\n",
           found.generic_solved, n, found.certified);
    free(q);
    end(&r);
}

TEST(C46_targets_out_of_reach_have_a_certificate)
{
    rover r = begin();
    lw_pose target[2] = {lw_pose_identity(), lw_pose_identity()};
    for (int i = 0; i < 20; ++i) { // above what the arm reaches from any place
        target[0].p = lw_vec3_of(check_random(-2, 2), check_random(-2, 2), check_random(2, 3));
        target[1].p = lw_vec3_of(check_random(-4, 4), check_random(-4, 4), 0);
        lw_constraint_result found;
        check_case("target %d", i);
        CHECK_INT(lw_view_solve(r.all, NULL, target, &found), LW_OK);
        CHECK_INT(found.status, LW_CONSTRAINTS_BEST);
        CHECK(found.kkt <= 1e-9 && !found.constraint[0].is_met);
    }
    end(&r);
}

// --- C45: wheels and legs ---------------------------------------------------------------------

// The handle of the view serves the functions of wheels; the motion that the arm needs is driven.
TEST(C45_a_wheeled_view_drives_the_base_to_where_the_whole_needs_it)
{
    rover r = begin();
    const lw_view_info info = lw_view_describe(r.wheels);
    lw_data *d = NULL;
    lw_wheel_command command[2][8];
    lw_drive_result result[2];
    lw_wheels *own = NULL;
    const lw_motion twist = {{0, 0, 0.01}, {0.02, 0, 0}};
    CHECK_INT(lw_data_create(r.m, &d), LW_OK);
    CHECK_INT(lw_wheels_create(r.m, &own), LW_OK);
    CHECK_INT(lw_drive(r.m, d, info.wheels, r.m->q_reference, &twist, NULL, command[0], &result[0]),
              LW_OK);
    CHECK_INT(lw_drive(r.m, d, own, r.m->q_reference, &twist, NULL, command[1], &result[1]), LW_OK);
    for (int k = 0; k < r.m->nwheel; ++k) {
        CHECK(command[0][k].steer == command[1][k].steer);
        CHECK(command[0][k].speed == command[1][k].speed);
    }
    // A task of its own: the body 1 m ahead, turned; height and tilt stay.
    lw_constraint_def place = task_of(r.m, "place", LW_CONSTRAINT_POSE, "body");
    lw_view *vehicle = view_of(r.m, LW_VIEW_WHEELED, "vehicle", NULL, 1, &place);
    lw_pose target;
    CHECK_INT(lw_view_targets(vehicle, r.m->q_reference, &target), LW_OK);
    target.p.x += 1.0;
    target.R = (lw_mat3){{{cos(2.0), -sin(2.0), 0}, {sin(2.0), cos(2.0), 0}, {0, 0, 1}}};
    lw_constraint_result found;
    CHECK_INT(lw_view_solve(vehicle, NULL, &target, &found), LW_OK);
    CHECK_INT(found.status, LW_CONSTRAINTS_SOLVED);
    target.p.z += 0.1; // wheels do not lift it
    CHECK_INT(lw_view_solve(vehicle, NULL, &target, &found), LW_OK);
    CHECK_INT(found.status, LW_CONSTRAINTS_BEST);
    CHECK_NEAR(found.constraint[0].residual, 0.1, 1e-9);
    lw_view_destroy(vehicle);
    lw_wheels_destroy(own);
    lw_data_destroy(d);
    end(&r);
}

// The trunk is moved with the feet where they stand, by all joints at once; the same feet carry it.
// With the trunk as base only the legs move.
TEST(C45_a_legged_view_moves_the_body_on_standing_feet)
{
    lw_model *m = shipped_model("quadruped/quadruped.xml");
    static const char *const foot[] = {"front_left/shin.foot", "front_right/shin.foot",
                                       "hind_left/shin.foot", "hind_right/shin.foot"};
    lw_constraint_def task[5];
    for (int i = 0; i < 4; ++i) {
        task[i] = task_of(m, foot[i], LW_CONSTRAINT_POSITION, foot[i]);
    }
    task[4] = task_of(m, "trunk", LW_CONSTRAINT_POSE, "trunk");
    lw_view *standing = view_of(m, LW_VIEW_LEGGED, "standing", NULL, 5, task);
    for (int i = 0; i < 4; ++i) {
        task[i].relative_to = lw_find_frame(m, "trunk");
    }
    lw_view *swinging = view_of(m, LW_VIEW_LEGGED, "swinging", "trunk", 4, task);
    CHECK_INT(lw_view_describe(standing).ndof, 18);
    CHECK_INT(lw_view_describe(swinging).ndof, 12);
    lw_pose target[5];
    lw_constraint_result found;
    double q[MOST], tau[MOST];
    CHECK(m->nq <= MOST);
    CHECK_INT(lw_view_targets(standing, m->q_reference, target), LW_OK);
    target[4].p = lw_add3(target[4].p, lw_vec3_of(0.04, 0.03, -0.05));
    CHECK_INT(lw_view_solve(standing, NULL, target, &found), LW_OK);
    CHECK_INT(found.status, LW_CONSTRAINTS_SOLVED);
    memcpy(q, found.q, (size_t)m->nq * sizeof *q);

    // Its feet, seen from the trunk, are targets that the legs reach without the trunk.
    CHECK_INT(lw_view_targets(swinging, q, target), LW_OK);
    CHECK_INT(lw_view_solve(swinging, NULL, target, &found), LW_OK);
    CHECK_INT(found.status, LW_CONSTRAINTS_SOLVED);
    CHECK(is_alone(swinging, m->q_reference, found.q));

    lw_data *d = NULL;
    static lw_contact_work work;
    lw_foot_contact contact[4];
    lw_vec3 force[4];
    int frame[4];
    lw_contact_result result;
    CHECK_INT(lw_view_targets(standing, q, target), LW_OK);
    for (int i = 0; i < 4; ++i) {
        frame[i] = lw_view_describe(standing).task[i].frame;
        contact[i] = (lw_foot_contact){.point = target[i].p, .normal = {0, 0, 1}, .friction = 0.5};
    }
    CHECK_INT(lw_data_create(m, &d), LW_OK);
    CHECK_INT(lw_stance_forces(m, d, q, 4, frame, contact, NULL, &work, force, tau, &result),
              LW_OK);
    CHECK_INT(result.status, LW_CONTACTS_OPTIMAL);
    lw_data_destroy(d);
    lw_view_destroy(standing);
    lw_view_destroy(swinging);
    lw_model_destroy(m);
}

// --- K07: solvers in exchange -----------------------------------------------------------------

static int asked;

// An arm that always answers the same, beside the limits of its own joints and those of others.
static lw_status stubborn(void *self, const lw_view *view, const lw_pose *target, double *q)
{
    const lw_view_info info = lw_view_describe(view);
    (void)self, (void)target;
    ++asked;
    for (int i = 0; i < info.model->nq; ++i) {
        q[i] = 0.3;
    }
    return LW_OK;
}

static lw_status refusing(void *self, const lw_view *view, const lw_pose *target, double *q)
{
    (void)self, (void)view, (void)target, (void)q;
    ++asked;
    return LW_ERR_UNSUPPORTED;
}

/// A caller that knows nothing of which solver it is given.
static double reach(lw_view *view, const lw_pose *target)
{
    lw_constraint_result found;
    lw_pose at;
    CHECK_INT(lw_view_solve(view, NULL, target, &found), LW_OK);
    CHECK_INT(found.status, LW_CONSTRAINTS_SOLVED);
    CHECK(is_alone(view, lw_view_describe(view).model->q_reference, found.q));
    CHECK_INT(lw_view_targets(view, found.q, &at), LW_OK);
    return lw_norm3(lw_sub3(at.p, target->p));
}

TEST(K07_a_specialised_solver_takes_the_place_of_the_generic_one)
{
    enum { TARGETS = 100 };
    lw_model *m = shipped_model("ur5_class.xml");
    const int tip = m->nframe - 1;
    lw_constraint_def task = lw_default_constraint_def("tool", LW_CONSTRAINT_POSE);
    task.frame = tip;
    lw_view *view = view_of(m, LW_VIEW_MANIPULATOR, "arm", NULL, 1, &task);
    const lw_ik_def def = lw_default_ik_def(-1, tip);
    lw_ik *ik = NULL;
    static double q[TARGETS * MOST];
    CHECK_INT(lw_ik_create(m, &def, &ik, NULL), LW_OK);
    for (int i = 0; i < TARGETS; ++i) {
        random_configuration(view, 0, q + i * m->nq);
    }
    lw_view_comparison found;
    CHECK_INT(lw_view_override(view, lw_view_by_ik, ik), LW_OK);
    CHECK_INT(lw_view_compare(view, TARGETS, q, NULL, &found), LW_OK);
    CHECK_INT(found.override_solved, TARGETS);
    CHECK_INT(found.generic_solved, TARGETS);
    CHECK_INT(found.generic_only + found.override_only, 0);
    CHECK_NEAR(found.worst, 0, 1e-11);

    lw_pose target;
    CHECK_INT(lw_view_targets(view, q, &target), LW_OK);
    lw_view_function *const solver[] = {NULL, lw_view_by_ik, stubborn, refusing};
    for (int i = 0; i < 4; ++i) {
        check_case("solver %d", i);
        asked = 0;
        CHECK_INT(lw_view_override(view, solver[i], ik), LW_OK);
        CHECK_NEAR(reach(view, &target), 0, 1e-9);
        CHECK_INT(asked, i >= 2);
    }
    CHECK_INT(lw_view_override(view, stubborn, NULL), LW_OK);
    CHECK_INT(lw_view_compare(view, TARGETS, q, NULL, &found), LW_OK);
    CHECK_INT(found.override_solved, 0); // its answers do not pass for solutions
    CHECK_INT(found.generic_only, TARGETS);
    lw_ik_destroy(ik);
    lw_view_destroy(view);
    lw_model_destroy(m);
}

// --- Bad input --------------------------------------------------------------------------------

static void refuse(const lw_model *m, const lw_view_def *def, lw_status status, const char *text)
{
    lw_view *view = NULL;
    lw_report *report = NULL;
    CHECK_INT(lw_report_create(&report), LW_OK);
    check_case("%s", text);
    CHECK_INT(lw_view_create(m, def, &view, report), status);
    CHECK(view == NULL && lw_report_count(report) == 1);
    CHECK_HAS(lw_report_count(report) ? lw_report_diagnostic(report, 0).message : "", text);
    lw_report_destroy(report);
}

TEST(views_that_are_none_are_refused)
{
    rover r = begin();
    lw_model *arm = shipped_model("ur5_class.xml");
    lw_constraint_def task = task_of(r.m, "imager", LW_CONSTRAINT_POSE, "arm/turret.imager");
    lw_view_def def = lw_default_view_def(LW_VIEW_WHEELED, "it");
    refuse(arm, &def, LW_ERR_MODEL, "mechanism \"ur5_class\" has no <wheel>");
    def.kind = LW_VIEW_MANIPULATOR;
    refuse(r.m, &def, LW_ERR_MODEL, "view \"it\": no joint is between its base and its ends");
    def.ntask = 1;
    refuse(r.m, &def, LW_ERR_ARGUMENT, "an argument is null");
    def.task = &task;
    def.base = task.frame;
    refuse(r.m, &def, LW_ERR_MODEL, "no joint is between its base and its ends");
    def.base = 100000;
    refuse(r.m, &def, LW_ERR_MODEL, "no frame 100000");
    def.base = -1;
    task.frame = 100000;
    refuse(r.m, &def, LW_ERR_MODEL, "task 1: the mechanism has no such frame");
    task = task_of(r.m, "imager", LW_CONSTRAINT_POSE, "arm/turret.imager");
    task.weight = -1;
    refuse(r.m, &def, LW_ERR_MODEL, "constraint \"imager\": its weight");
    lw_constraint_def foot[2] = {task_of(r.m, "a", LW_CONSTRAINT_POSITION, "arm/turret.imager"),
                                 task_of(r.m, "b", LW_CONSTRAINT_POSITION, "arm/turret.imager")};
    def = lw_default_view_def(LW_VIEW_LEGGED, "it");
    def.ntask = 2;
    def.task = foot;
    refuse(r.m, &def, LW_ERR_ARGUMENT, "two tasks are of one foot");
    def = lw_default_view_def(LW_VIEW_MECHANISM, "it");
    def.nmember = 1;
    def.member = &r.arm;
    refuse(arm, &def, LW_ERR_ARGUMENT, "a member is of another model");
    def.kind = (lw_view_kind)7;
    refuse(arm, &def, LW_ERR_ARGUMENT, "a view needs a model, a name and a kind");

    lw_constraint_result found;
    lw_pose target[2] = {lw_pose_identity(), lw_pose_identity()};
    CHECK_INT(lw_view_solve(r.wheels, NULL, NULL, &found), LW_ERR_ARGUMENT); // has no tasks
    CHECK_INT(lw_view_override(r.wheels, refusing, NULL), LW_ERR_ARGUMENT);
    CHECK_INT(lw_view_targets(r.all, r.m->q_reference, target), LW_OK);
    CHECK_INT(lw_view_solve(r.all, NULL, target, &found), LW_OK);
    lw_pose bad[2] = {lw_pose_identity(), target[1]};
    bad[1].p.x = (double)NAN;
    CHECK_INT(lw_view_solve(r.all, NULL, bad, &found), LW_ERR_NUMBER);
    CHECK_INT(lw_view_solve(r.all, NULL, NULL, &found), LW_OK); // the targets before
    CHECK_INT(found.status, LW_CONSTRAINTS_SOLVED);
    CHECK_INT(found.iterations, 0);
    CHECK_INT(lw_view_describe(NULL).ndof, 0);
    lw_view_destroy(NULL);
    lw_model_destroy(arm);
    end(&r);
}

// Wheels on what is fixed to the ground; and a frame at an angle to the free joint.
TEST(a_vehicle_that_nothing_moves_is_refused)
{
    static const char fixed[] =
        "<linkwork version='1' name='bench'><ground/>"
        "<joint name='axle' type='revolute' axis='0 1 0' from='ground' to='rim'/>"
        "<link name='rim' mass='1'/><wheel name='wheel' at='rim' radius='0.1'/></linkwork>";
    lw_model *m = compile_text("bench.xml", fixed, NULL);
    const lw_view_def def = lw_default_view_def(LW_VIEW_WHEELED, "bench");
    refuse(m, &def, LW_ERR_MODEL, "view \"bench\": what its wheels carry is fixed to the ground");
    lw_model_destroy(m);
}

int main(void)
{
    RUN(C45_views_describe_the_joints_of_their_appendages);
    RUN(C21_arm_and_mast_of_a_lander_from_their_own_files);
    RUN(C46_an_arm_alone_falls_short_where_all_together_reach);
    RUN(C02_C46_all_together_reach_99_percent_of_reachable_targets);
    RUN(C46_targets_out_of_reach_have_a_certificate);
    RUN(C45_a_wheeled_view_drives_the_base_to_where_the_whole_needs_it);
    RUN(C45_a_legged_view_moves_the_body_on_standing_feet);
    RUN(K07_a_specialised_solver_takes_the_place_of_the_generic_one);
    RUN(views_that_are_none_are_refused);
    RUN(a_vehicle_that_nothing_moves_is_refused);
    return REPORT();
}
