#include "simulated.h"

#include "check.h"

#include <linkwork/dynamics.h>

#include <math.h>

const char *const pendulum =
    "<linkwork version=\"1\" name=\"pendulum\"><ground/>\n"
    "<joint name=\"turn\" type=\"revolute\" axis=\"0 1 0\" from=\"ground\" to=\"bob\"/>\n"
    "<link name=\"bob\" mass=\"2\" center=\"0 0 -0.5\" inertia=\"0.01 0.01 0.01\"/></linkwork>\n";
const char *const hopper =
    "<linkwork version=\"1\" name=\"hopper\"><ground/>\n"
    "<joint name=\"lift\" type=\"prismatic\" axis=\"0 0 1\" from=\"ground\" to=\"mass\" "
    "lower=\"0\" upper=\"3\" reference=\"1\"/>\n"
    "<link name=\"mass\" mass=\"2\"/></linkwork>\n";

double simulated_energy(const lw_model *m, lw_sim *sim)
{
    double kinetic = (double)NAN, potential = (double)NAN;
    const double *q = lw_sim_position(sim), *v = lw_sim_velocity(sim);
    CHECK(lw_kinetic_energy(m, lw_sim_data(sim), q, v, &kinetic) == LW_OK);
    CHECK(lw_potential_energy(m, lw_sim_data(sim), q, &potential) == LW_OK);
    return kinetic + potential;
}
