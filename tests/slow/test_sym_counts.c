// Derivations whose cost matters: how many operations they take, and that they are right. Counts
// have multiplications and additions; what hangs on parameters only is free, and so are negations.
#include "check.h"
#include "expr/tape.h"
#include "load_text.h"
#include "objects.h"
#include "random_mech.h"
#include "sym_robots.h"

#include <linkwork/compile.h>
#include <linkwork/dynamics.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OUTPUTS = 300 };

/// Any number for a parameter, the same for the same name.
static double parameter_value(const char *name)
{
    unsigned long hash = 5381;
    for (const char *c = name; *c; c++) {
        hash = (hash * 33 + (unsigned char)*c) % 1000003;
    }
    return 0.2 + (double)hash / 1000003.0;
}

static double input_value(const lwi_symbol *symbol, const double *q, const double *v,
                          const double *a)
{
    switch (symbol->kind) {
    case LWI_POSITION:
        return q[symbol->index];
    case LWI_VELOCITY:
        return v[symbol->index];
    case LWI_ACCELERATION:
        return a[symbol->index];
    default:
        return parameter_value(symbol->name);
    }
}

static bool run_tape(const lwi_tape *tape, const double *q, const double *v, const double *a,
                     double *result)
{
    double *input = calloc((size_t)tape->ninput + 1, sizeof *input);
    double *work = calloc((size_t)tape->nslot + 1, sizeof *work);
    for (int k = 0; k < tape->ninput; k++) {
        input[k] = input_value(&tape->input[k], q, v, a);
    }
    const lw_status status = lwi_tape_run(tape, input, work, result);
    free(work);
    free(input);
    return CHECK_INT(status, LW_OK);
}

static lwi_tape *choose(lwi_graph *g, int n, const lwi_expr *value, int effort)
{
    lwi_output output[MAX_OUTPUTS];
    for (int k = 0; k < n; k++) {
        output[k] = (lwi_output){"x", k, value[k]};
    }
    const lwi_select_options options = {LWI_COST_OPERATIONS, effort};
    lwi_tape *tape = NULL;
    CHECK_INT(lwi_select(g, n, output, &options, &tape), LW_OK);
    return tape;
}

/// The robot as a compiled model, with the numbers of parameter_value().
static lw_model *model_of(lwi_graph *g, const lwi_sym_tree *robot)
{
    lw_mech *mech = new_mech("robot");
    lw_ground_def ground = lw_default_ground_def();
    ground.gravity = lw_vec3_of(0, 0, -parameter_value("g"));
    lw_port from = lw_port_of(mech, lw_add_ground(mech, &ground), "b");
    for (int k = 0; k < robot->nbody; k++) {
        const lwi_sym_body *b = &robot->body[k];
        lwi_expr all[22];
        double x[22];
        for (int e = 0; e < 9; ++e) {
            all[e] = b->rest.R.row[e / 3].e[e % 3];
        }
        memcpy(all + 9, b->rest.p.e, sizeof b->rest.p);
        all[12] = b->own.mass;
        memcpy(all + 13, b->own.first.e, sizeof b->own.first);
        memcpy(all + 16, b->own.tensor.e, sizeof b->own.tensor);
        lwi_tape *tape = choose(g, 22, all, 0);
        run_tape(tape, NULL, NULL, NULL, x);
        lwi_tape_destroy(tape);
        const lw_pose X = {{{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, {x[6], x[7], x[8]}}},
                           {x[9], x[10], x[11]}};
        char name[2][16];
        snprintf(name[0], sizeof name[0], "j%d", k);
        snprintf(name[1], sizeof name[1], "l%d", k);
        lw_joint_def joint = lw_default_joint_def();
        joint.name = name[0];
        joint.type = b->type == LW_TREE_PRISMATIC ? LW_JOINT_PRISMATIC : LW_JOINT_REVOLUTE;
        joint.before = lw_placement_of_pose(&X);
        lw_link_def link = lw_default_link_def();
        link.name = name[1];
        link.mass = x[12];
        const double scale = x[12] != 0.0 ? 1.0 / x[12] : 0.0;
        const lw_vec3 c = lw_vec3_of(scale * x[13], scale * x[14], scale * x[15]);
        link.inertial = lw_placement_xyz(c.x, c.y, c.z);
        const double m = x[12], square = lw_dot3(c, c);
        link.inertia = (lw_sym3){x[16] - m * (square - c.x * c.x),
                                 x[17] - m * (square - c.y * c.y),
                                 x[18] - m * (square - c.z * c.z),
                                 x[19] + m * c.x * c.y,
                                 x[20] + m * c.x * c.z,
                                 x[21] + m * c.y * c.z};
        const lw_part j = lw_add_joint(mech, &joint), l = lw_add_link(mech, &link);
        lw_connect(mech, from, lw_port_of(mech, j, "a"));
        lw_connect(mech, lw_port_of(mech, j, "b"), lw_port_of(mech, l, "a"));
        from = lw_port_of(mech, l, "b");
    }
    const lw_compile_options options = lw_default_compile_options();
    lw_model *m = compile_checked(mech, &options);
    lw_mech_destroy(mech);
    return m;
}

static void random_vectors(int n, double *q, double *v, double *a)
{
    for (int k = 0; k < n; k++) {
        q[k] = check_random(-3, 3);
        v[k] = check_random(-2, 2);
        a[k] = check_random(-3, 3);
    }
}

/// A robot as symbols and as numbers, and what a tape of it must cost at most.
typedef struct subject {
    lwi_graph *g;
    lwi_sym_body body[SYM_MAX_BODIES];
    lwi_sym_tree robot;
    lw_model *m;
    lw_data *d;
} subject;

static void begin(subject *s, sym_robot_name name)
{
    check_case("%s", sym_robot_title(name));
    s->g = lwi_graph_create(0);
    s->robot = sym_robot(s->g, name, s->body);
    s->m = model_of(s->g, &s->robot);
    s->d = s->m ? new_data(s->m) : NULL;
    lwi_tree_regroup(s->g, &s->robot);
}

static void end(subject *s)
{
    lw_data_destroy(s->d);
    lw_model_destroy(s->m);
    lwi_graph_destroy(s->g);
}

static lwi_counts check_counts(const lwi_tape *tape, const char *what, int mul, int add)
{
    const lwi_counts counts = lwi_tape_counts(tape);
    printf("        %s: %d products, %d sums\n", what, counts.mul, counts.add);
    CHECK(counts.mul + counts.div <= mul);
    CHECK(counts.add <= add);
    return counts;
}

/// The torques are those of the numeric engine: two algorithms, torques of some tens, and a search
/// that refuses ways that cancel.
static void check_torques(const subject *s, const double *q, const double *v, const double *a,
                          const double *tau)
{
    double wanted[SYM_MAX_BODIES];
    CHECK_INT(lw_inverse_dynamics(s->m, s->d, q, v, a, NULL, wanted), LW_OK);
    for (int k = 0; k < s->robot.nbody; k++) {
        CHECK_NEAR(tau[k], wanted[k], 1e-11 * (1.0 + fabs(wanted[k])));
    }
}

/// At most these many multiplications and additions, and the torques of the numeric engine.
static void check_inverse_dynamics(sym_robot_name name, int mul, int add)
{
    subject s;
    lwi_expr tau[SYM_MAX_BODIES];
    begin(&s, name);
    const int n = s.robot.nbody;
    lwi_derive_inverse_dynamics(s.g, &s.robot, tau);
    lwi_tape *tape = choose(s.g, n, tau, 1);
    if (CHECK(tape && s.d)) {
        CHECK(check_counts(tape, sym_robot_title(name), mul, add).sincos <= 2 * n);
        for (int state = 0; state < 20; state++) {
            double q[8], v[8], a[8], actual[8];
            random_vectors(n, q, v, a);
            run_tape(tape, q, v, a, actual);
            check_torques(&s, q, v, a, actual);
        }
    }
    lwi_tape_destroy(tape);
    end(&s);
}

// The limits are what a prototype of these methods reached.
TEST(K24_scara_costs_what_its_closed_form_in_absolute_angles_does)
{
    check_inverse_dynamics(SYM_SCARA, 12, 10);
}

TEST(V13_flexible_robot_inverse_dynamics)
{
    check_inverse_dynamics(SYM_FLEXIBLE, 164, 142);
    check_inverse_dynamics(SYM_FLEXIBLE_SPARSE, 100, 73);
}

TEST(puma_inverse_dynamics)
{
    check_inverse_dynamics(SYM_PUMA, 225, 202);
}

TEST(ur5_inverse_dynamics)
{
    check_inverse_dynamics(SYM_UR5, 224, 192);
}

/// tau = H a + v C v + g, from the elements as they are listed.
static void assemble(int n, const double *x, const double *v, const double *a, double *tau)
{
    for (int k = 0; k < n; k++) {
        tau[k] = 0.0;
    }
    for (int i = 0; i < n; i++) {
        for (int k = i; k < n; k++) {
            tau[i] += *x * a[k];
            tau[k] += i == k ? 0.0 : *x * a[i];
            x++;
        }
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) {
            for (int l = k; l < n; l++) {
                tau[i] += *x++ * v[k] * v[l] * (k == l ? 1.0 : 2.0);
            }
        }
    }
    for (int i = 0; i < n; i++) {
        tau[i] += *x++;
    }
}

static void check_elements(sym_robot_name name, int mul, int add)
{
    subject s;
    lwi_expr list[MAX_OUTPUTS];
    begin(&s, name);
    const int count = sym_robot_elements(s.g, &s.robot, list);
    CHECK_INT(count, 21 + 126 + 6);
    int zeros = 0;
    for (int k = 0; k < count; k++) {
        zeros += list[k] == LWI_ZERO;
    }
    CHECK_INT(zeros, 30); // the paper: about 15 percent; with its table it is 19.6
    lwi_tape *tape = choose(s.g, count, list, 1);
    if (CHECK(tape && s.d)) {
        char what[80];
        snprintf(what, sizeof what, "%s, all elements", sym_robot_title(name));
        check_counts(tape, what, mul, add);
        for (int state = 0; state < 10; state++) {
            double q[8], v[8], a[8], x[MAX_OUTPUTS], actual[8];
            random_vectors(6, q, v, a);
            run_tape(tape, q, v, a, x);
            assemble(6, x, v, a, actual);
            check_torques(&s, q, v, a, actual);
        }
    }
    lwi_tape_destroy(tape);
    end(&s);
}

TEST(V09_V10_V13_all_153_elements_of_the_flexible_robot)
{
    check_elements(SYM_FLEXIBLE, 121, 100);
    check_elements(SYM_FLEXIBLE_SPARSE, 97, 66);
}

TEST(V17_G6_is_as_printed)
{
    lwi_graph *g = lwi_graph_create(0);
    lwi_sym_body body[SYM_MAX_BODIES];
    const lwi_sym_tree robot = sym_robot(g, SYM_FLEXIBLE_SPARSE, body);
    lwi_expr H[36], gravity[6];
    lwi_derive_elements(g, &robot, H, NULL, gravity);
    // m6 rx6 g (-c34 c6 - s34 c5 s6)
    const lwi_expr sum = lwi_add(g, robot.body[2].q[0], robot.body[3].q[0]);
    const lwi_expr q5 = robot.body[4].q[0], q6 = robot.body[5].q[0];
    const lwi_expr first = lwi_mul(g, lwi_cos(g, sum), lwi_cos(g, q6));
    const lwi_expr second = lwi_mul(g, lwi_mul(g, lwi_sin(g, sum), lwi_cos(g, q5)), lwi_sin(g, q6));
    const lwi_expr weight = lwi_mul(g, robot.body[5].own.first.x, robot.gravity.z);
    CHECK(gravity[5] == lwi_mul(g, weight, lwi_add(g, first, second)));
    lwi_graph_destroy(g);
}

/// Fills a robot from a model of numbers.
static void robot_of_model(lwi_graph *g, const lw_model *m, lwi_sym_tree *robot)
{
    for (int i = 0; i < m->nbody; i++) {
        lwi_sym_body *b = &robot->body[i];
        const lw_pose *X = &m->X_PJ[i];
        const lw_inertia *I = &m->inertia[i];
        *b = (lwi_sym_body){.parent = m->parent[i],
                            .type = m->carrier[i],
                            .v_start = m->v_start[i],
                            .nv = m->v_start[i + 1] - m->v_start[i]};
        b->lead = lwi_number(g, m->lead[i]);
        b->rest = frame_number(g, X);
        b->own.mass = lwi_number(g, I->mass);
        b->own.first = vec_number(g, I->first_moment);
        const double entry[6] = {I->tensor.xx, I->tensor.yy, I->tensor.zz,
                                 I->tensor.xy, I->tensor.xz, I->tensor.yz};
        for (int k = 0; k < 6; k++) {
            b->own.tensor.e[k] = lwi_number(g, entry[k]);
        }
        for (int k = 0; k < m->q_start[i + 1] - m->q_start[i]; k++) {
            b->q[k] = lwi_symbol_of(g, "q", LWI_POSITION, m->q_start[i] + k);
        }
        if (b->nv > 1) {
            b->J = lwi_quaternion_rotation(g, b->q + (b->type == LW_TREE_FREE ? 3 : 0));
        }
        for (int k = 0; k < b->nv; k++) {
            b->v[k] = lwi_symbol_of(g, "v", LWI_VELOCITY, m->v_start[i] + k);
            b->a[k] = lwi_symbol_of(g, "a", LWI_ACCELERATION, m->v_start[i] + k);
        }
    }
    robot->nbody = m->nbody;
    robot->gravity = vec_number(g, m->gravity);
}

TEST(V01_trees_with_all_joints_against_the_numeric_engine)
{
    for (unsigned seed = 1; seed <= 12; seed++) {
        random_mech_options options = random_mech_default();
        options.njoint = 5;
        options.coupled = 0.0;
        options.types &= ~RANDOM_TYPE(LW_JOINT_USER);
        lw_model *m = random_model(seed, &options);
        lw_data *d = m ? new_data(m) : NULL;
        lwi_graph *g = lwi_graph_create(0);
        lwi_sym_tree robot = {.body = m ? calloc((size_t)m->nbody, sizeof *robot.body) : NULL};
        lwi_expr tau[40];
        double q[64], v[40], a[40], actual[40], wanted[40];
        check_case("seed %u", seed);
        if (CHECK(d && robot.body && m->nv <= 40 && m->nq <= 64)) {
            robot_of_model(g, m, &robot);
            lwi_tree_regroup(g, &robot);
            lwi_derive_inverse_dynamics(g, &robot, tau);
            lwi_tape *tape = choose(g, m->nv, tau, 0);
            random_state(m, q, v, a);
            if (CHECK(tape) && run_tape(tape, q, v, a, actual)) {
                CHECK_INT(lw_inverse_dynamics(m, d, q, v, a, NULL, wanted), LW_OK);
                double size = 1.0;
                for (int k = 0; k < m->nv; k++) {
                    size = fmax(size, fabs(wanted[k]));
                }
                for (int k = 0; k < m->nv; k++) {
                    CHECK_NEAR(actual[k], wanted[k], 1e-11 * size);
                }
            }
            lwi_tape_destroy(tape);
        }
        free(robot.body);
        lwi_graph_destroy(g);
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

TEST(the_same_bytes_every_time)
{
    lwi_tape *tape[2];
    for (int k = 0; k < 2; k++) {
        lwi_graph *g = lwi_graph_create(0);
        lwi_sym_body body[SYM_MAX_BODIES];
        lwi_sym_tree robot = sym_robot(g, SYM_SCARA, body);
        lwi_expr tau[SYM_MAX_BODIES];
        lwi_derive_inverse_dynamics(g, &robot, tau);
        tape[k] = choose(g, robot.nbody, tau, 1);
        lwi_graph_destroy(g);
    }
    if (CHECK(tape[0] && tape[1]) && CHECK_INT(tape[0]->nline, tape[1]->nline)) {
        const size_t size = (size_t)tape[0]->nline * sizeof *tape[0]->line;
        CHECK(memcmp(tape[0]->line, tape[1]->line, size) == 0);
    }
    lwi_tape_destroy(tape[0]);
    lwi_tape_destroy(tape[1]);
}

int main(void)
{
    RUN(K24_scara_costs_what_its_closed_form_in_absolute_angles_does);
    RUN(V13_flexible_robot_inverse_dynamics);
    RUN(puma_inverse_dynamics);
    RUN(ur5_inverse_dynamics);
    RUN(V09_V10_V13_all_153_elements_of_the_flexible_robot);
    RUN(V17_G6_is_as_printed);
    RUN(V01_trees_with_all_joints_against_the_numeric_engine);
    RUN(the_same_bytes_every_time);
    return REPORT();
}
