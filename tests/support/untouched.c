#include "untouched.h"

#include "check.h"

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
        lw_frame_jacobian(m, d, q, 0, LW_IN_WORLD, NULL, out),
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
