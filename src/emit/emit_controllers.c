// Axis controllers as C: the laws of sim/control.c over the functions that lw_generate() writes.

#include <linkwork/generate.h>

#include "../base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// A text that is written with the names of one robot.
typedef struct writer {
    lwi_text text;
    char name[64], guard[64];
    int n;
} writer;

// '@' stands for the prefix, '$' for the number of joints.
static void print(writer *w, const char *pattern)
{
    for (size_t n; *pattern; pattern += n) {
        n = strcspn(pattern, "@$");
        lwi_text_add_bytes(&w->text, pattern, n);
        if (pattern[n] == '@') {
            lwi_text_add(&w->text, w->name);
            ++n;
        } else if (pattern[n] == '$') {
            lwi_text_add_int(&w->text, w->n);
            ++n;
        }
    }
}

static void print_numbers(writer *w, const char *what, const double *value, bool is_last)
{
    print(w, "    ");
    print(w, what);
    print(w, "{");
    for (int k = 0; k < w->n; ++k) {
        print(w, k > 0 ? ", " : "");
        if (isinf(value[k])) {
            print(w, value[k] < 0 ? "-HUGE_VAL" : "HUGE_VAL");
        } else {
            lwi_text_add_number(&w->text, value[k]);
        }
    }
    print(w, is_last ? "}};\n" : "},\n");
}

static void print_gains(writer *w, const char *law, const double *kp, const double *kd,
                        const double *limit)
{
    print(w, "static const @_gains @_");
    print(w, law);
    print(w, "_gains = {\n");
    print_numbers(w, "", kp, false);
    print_numbers(w, "", kd, false);
    print_numbers(w, "", limit, true);
}

static const char *const types =
    "// Feedback of positions and velocities, and the largest force of each drive.\n"
    "typedef struct @_gains {\n    double kp[$], kd[$], limit[$];\n} @_gains;\n\n"
    "// Where joints may go: range, velocity and acceleration.\n"
    "typedef struct @_ranges {\n    double lower[$], upper[$], velocity[$], acceleration[$];\n"
    "} @_ranges;\n\n"
    "// A controller: forces tau for a state q, v and a set point q_d, v_d, a_d. All laws have "
    "this\n"
    "// interface, so that one takes the place of another.\n"
    "typedef void @_controller(const double q[$], const double v[$], const double q_d[$],\n"
    "                          const double v_d[$], const double a_d[$], double tau[$]);\n\n";

static const char *const laws =
    "\nstatic inline void @_feedback(const @_gains *g, const double q[$], const double v[$],\n"
    "                              const double q_d[$], const double v_d[$], double u[$])\n{\n"
    "    for (int k = 0; k < $; ++k) {\n"
    "        u[k] = g->kp[k] * (q_d[k] - q[k]) + g->kd[k] * (v_d[k] - v[k]);\n    }\n}\n\n"
    "static inline void @_hold_within(const @_gains *g, double tau[$])\n{\n"
    "    for (int k = 0; k < $; ++k) {\n"
    "        tau[k] = fmin(fmax(tau[k], -g->limit[k]), g->limit[k]);\n    }\n}\n\n"
    "// PD: tau = kp (q_d - q) + kd (v_d - v).\n"
    "static inline void @_pd(const double q[$], const double v[$], const double q_d[$],\n"
    "                        const double v_d[$], const double a_d[$], double tau[$])\n{\n"
    "    (void)a_d;\n    @_feedback(&@_pd_gains, q, v, q_d, v_d, tau);\n"
    "    @_hold_within(&@_pd_gains, tau);\n}\n\n"
    "// PD and what balances gravity at q.\n"
    "static inline void @_pd_gravity(const double q[$], const double v[$], const double q_d[$],\n"
    "                                const double v_d[$], const double a_d[$], double tau[$])\n{\n"
    "    double G[$];\n    (void)a_d;\n    @_gravity(q, G);\n"
    "    @_feedback(&@_pd_gains, q, v, q_d, v_d, tau);\n"
    "    for (int k = 0; k < $; ++k) {\n        tau[k] += G[k];\n    }\n"
    "    @_hold_within(&@_pd_gains, tau);\n}\n\n"
    "// Computed torque (feedback linearization): inverse dynamics of a_d + kd (v_d - v) + kp (q_d "
    "- q).\n"
    "static inline void @_computed_torque(const double q[$], const double v[$], const double "
    "q_d[$],\n"
    "                                     const double v_d[$], const double a_d[$], double "
    "tau[$])\n{\n"
    "    double a[$];\n    @_feedback(&@_computed_torque_gains, q, v, q_d, v_d, a);\n"
    "    for (int k = 0; k < $; ++k) {\n        a[k] += a_d[k];\n    }\n"
    "    @_inverse_dynamics(q, v, a, tau);\n"
    "    @_hold_within(&@_computed_torque_gains, tau);\n}\n\n"
    "static @_controller *const @_controllers[3] = {@_pd, @_pd_gravity, @_computed_torque};\n\n"
    "// Moves a set point q_d, v_d by one period dt toward a goal, within range, velocity and\n"
    "// acceleration of each joint; a_d is the acceleration of that.\n"
    "static inline void @_set_point(const double goal[$], double dt, double q_d[$], double "
    "v_d[$],\n"
    "                               double a_d[$])\n{\n"
    "    for (int k = 0; k < $; ++k) {\n"
    "        const double v_max = @_joint_ranges.velocity[k], a_max = "
    "@_joint_ranges.acceleration[k];\n"
    "        const double to = fmin(fmax(goal[k], @_joint_ranges.lower[k]), "
    "@_joint_ranges.upper[k]);\n"
    "        const double way = to - q_d[k], slow = isinf(a_max) ? HUGE_VAL : 0.9 * a_max;\n"
    "        // As fast as it can still brake, and no farther than the goal.\n"
    "        double speed = fmin(fmin(v_max, sqrt(2.0 * slow * fabs(way))), fabs(way) / dt);\n"
    "        speed = way < 0.0 ? -speed : speed;\n"
    "        const double step = a_max * dt;\n"
    "        speed = isinf(step) ? speed : fmin(fmax(speed, v_d[k] - step), v_d[k] + step);\n"
    "        a_d[k] = (speed - v_d[k]) / dt;\n        v_d[k] = speed;\n"
    "        q_d[k] += speed * dt;\n    }\n}\n\n#endif\n";

static bool is_whole(const lw_model *m, const lw_control_numbers *c)
{
    return m && c && c->pd_kp && c->pd_kd && c->torque_kp && c->torque_kd && m->nv > 0 &&
           m->nq == m->nv;
}

lw_status lw_generate_controllers(const lw_model *m, const lw_control_numbers *c,
                                  const char *prefix, const char *header, char **text)
{
    if (text) {
        *text = NULL;
    }
    if (!text || !is_whole(m, c)) {
        return LW_ERR_ARGUMENT;
    }
    writer w = {.n = m->nv};
    double *range = malloc(5 * (size_t)m->nv * sizeof *range);
    if (!range) {
        return LW_ERR_MEMORY;
    }
    for (int k = 0; k < m->nv; ++k) {
        const lw_dof *dof = &m->dof[m->v_tree[k]];
        range[k] = dof->lower;
        range[m->nv + k] = dof->upper;
        range[2 * m->nv + k] = dof->max_velocity;
        range[3 * m->nv + k] = dof->max_acceleration;
        range[4 * m->nv + k] = dof->max_force;
    }
    lw_identifier(prefix ? prefix : m->name, w.name, sizeof w.name - 16);
    strcpy(w.guard, w.name);
    for (char *at = w.guard; *at; ++at) {
        *at = (char)toupper((unsigned char)*at);
    }
    print(&w, "// Axis controllers of the mechanism @, generated by linkwork " LW_VERSION
              ". Do not edit.\n//\n"
              "// Gains from the model and a bandwidth of ");
    lwi_text_add_number(&w.text, c->bandwidth);
    print(&w, " Hz, damping ratio ");
    lwi_text_add_number(&w.text, c->damping);
    print(&w,
          ".\n// C99; needs <math.h> and the functions of the mechanism. No allocation. SI units, "
          "radians.\n// No rights are claimed in generated code; it belongs to whoever "
          "generated it.\n#ifndef ");
    print(&w, w.guard);
    print(&w, "_CONTROLLERS_H\n#define ");
    print(&w, w.guard);
    print(&w, "_CONTROLLERS_H\n\n#include \"");
    print(&w, header);
    print(&w, "\"\n\n#include <math.h>\n\n");
    print(&w, types);
    print_gains(&w, "pd", c->pd_kp, c->pd_kd, range + 4 * m->nv);
    print_gains(&w, "computed_torque", c->torque_kp, c->torque_kd, range + 4 * m->nv);
    print(&w, "static const @_ranges @_joint_ranges = {\n");
    for (int i = 0; i < 4; ++i) {
        print_numbers(&w, "", range + i * m->nv, i == 3);
    }
    print(&w, laws);
    free(range);
    if (w.text.is_short) {
        lwi_text_free(&w.text);
        return LW_ERR_MEMORY;
    }
    *text = w.text.at;
    return LW_OK;
}
