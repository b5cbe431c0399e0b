#include "untouched.h"

#include "check.h"

// A frame that the last loop in trouble moves.
static int frame_of_open_loop(const lw_model *m, const lw_data *d)
{
    const int loop = lw_data_failure(d, LW_ERR_LOOP_OPEN).loop;
    const int v = loop >= 0 ? m->step[m->loop[loop].step].target[0] : -1;
    for (int f = 0; f < m->nframe; ++f) {
        const int i = m->frame[f].body;
        if (i >= 0 && v >= m->v_start[i] && v < m->v_start[i + 1]) {
            return f;
        }
    }
    return 0;
}

void check_untouched(const lw_model *m, lw_data *d, const double *q, lw_status wanted)
{
    enum { ROOM = 2000, MOST = 64 };
    static double out[ROOM];
    static const double mark = 123.25;
    double v[MOST], a[MOST];
    for (int k = 0; k < MOST; ++k) {
        v[k] = a[k] = 0.5;
    }
    for (int k = 0; k < ROOM; ++k) {
        out[k] = mark;
    }
    int rank = -7;
    CHECK_INT((int)lw_forward_velocity(m, d, q, v), (int)wanted);
    const int frame = frame_of_open_loop(m, d);
    lw_force *force = (lw_force *)out;
    lw_vec3 *point = (lw_vec3 *)out;
    const lw_status status[] = {
        lw_inverse_dynamics(m, d, q, v, a, NULL, out),
        lw_forward_dynamics(m, d, q, v, a, NULL, out),
        lw_mass_matrix(m, d, q, out),
        lw_gravity_forces(m, d, q, out),
        lw_bias_forces(m, d, q, v, out),
        lw_coriolis_matrix(m, d, q, v, out),
        lw_reaction_forces(m, d, q, v, a, NULL, force),
        lw_loop_forces(m, d, q, v, a, NULL, force, out, out),
        lw_actuator_forces(m, d, q, v, a, NULL, m->nv, m->v_tree, NULL, out, &rank, out),
        lw_kinetic_energy(m, d, q, v, out),
        lw_momentum(m, d, q, v, force),
        lw_centroidal_momentum(m, d, q, v, force, NULL),
        lw_centroidal_momentum_matrix(m, d, q, out),
        lw_center_of_mass(m, d, q, point, out + 10),
        lw_frame_jacobian(m, d, q, frame, LW_IN_WORLD, NULL, out),
    };
    for (int k = 0; k < (int)(sizeof status / sizeof *status); ++k) {
        check_case("function %d", k);
        CHECK_INT((int)status[k], (int)wanted);
    }
    for (int k = 0; k < ROOM; ++k) {
        if (!CHECK(out[k] == mark)) {
            break;
        }
    }
    CHECK_INT(rank, -7);
}
