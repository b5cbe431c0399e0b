// Any bytes as a run file: they are read and run for some steps, or refused with a message.

#include "../support/objects.h"
#include "fuzz.h"

#include <linkwork/io.h>
#include <linkwork/linkwork.h>
#include <linkwork/run.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

// An arm with a bit of everything that a run file can name: a motor behind an elastic shaft,
// limits, friction, a spring, a joint without a position of one number.
static const char machine[] =
    "<linkwork version=\"1\" name=\"arm\"><ground/>\n"
    "<joint name=\"a\" type=\"revolute\" axis=\"0 1 0\" from=\"ground\" to=\"upper\" lower=\"-2\" "
    "upper=\"2\" max_velocity=\"3\" max_acceleration=\"9\" max_force=\"90\" friction=\"1\"/>\n"
    "<link name=\"upper\" mass=\"2\" center=\"0.2 0 0\" inertia=\"0.01 0.03 0.03\">"
    "<frame name=\"tip\" xyz=\"0.4 0 0\"/></link>\n"
    "<joint name=\"b\" type=\"prismatic\" axis=\"1 0 0\" from=\"upper.tip\" to=\"fore\" "
    "lower=\"-0.1\" upper=\"0.3\" damping=\"2\"/>\n"
    "<link name=\"fore\" mass=\"1\" inertia=\"0.01 0.01 0.01\"/>\n"
    "<joint name=\"ball\" type=\"spherical\" from=\"fore\" to=\"hand\"/>\n"
    "<link name=\"hand\" mass=\"0.5\" center=\"0.1 0 0\" inertia=\"0.01 0.01 0.01\"/>\n"
    "<spring name=\"coil\" from=\"ground\" to=\"upper.tip\" stiffness=\"50\" damping=\"1\"/>\n"
    "<drive name=\"motor\" inertia=\"1e-3\" stall_force=\"4\" no_load_velocity=\"90\"/>\n"
    "<gearbox name=\"box\" in=\"motor\" ratio=\"30\"/>\n"
    "<torsion name=\"shaft\" in=\"box.out\" out=\"a\" stiffness=\"900\" damping=\"3\"/></linkwork>";

// A promise of the library that does not hold.
static void demand(int condition)
{
    if (!condition) {
        abort();
    }
}

static void follow(const lw_run *run, const lw_model *m)
{
    enum { STEPS = 20 };
    double q[16], v[16], a[16];
    demand(isfinite(run->duration) && run->duration >= 0.0);
    for (int k = 0; run->trajectory && k <= STEPS; ++k) {
        const double t = run->duration * k / STEPS;
        demand(lw_trajectory_state(run->trajectory, m, t, q, v, a) == LW_OK);
        for (int i = 0; i < m->nv; ++i) {
            demand(isfinite(v[i]) && isfinite(a[i]));
        }
    }
    lw_sim *sim = new_sim(m, &run->sim);
    demand(sim != NULL);
    lw_status status = lw_sim_reset(sim, 0.0, run->q, run->v);
    for (int k = 0; k < STEPS && status == LW_OK && lw_sim_time(sim) < run->duration; ++k) {
        status = lw_sim_step(sim, run->duration);
        for (int i = 0; i < m->nq; ++i) {
            demand(isfinite(lw_sim_position(sim)[i]));
        }
    }
    lw_sim_destroy(sim);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    lw_mech *mech = NULL;
    lw_model *model = NULL;
    lw_run *run = NULL;
    lw_report *report = new_report();
    demand(lw_load_text("arm.xml", machine, sizeof machine - 1, NULL, &mech, NULL) == LW_OK);
    demand(lw_compile(mech, NULL, &model, NULL) == LW_OK);
    const lw_status status =
        lw_run_load_text("fuzz.xml", (const char *)bytes, size, model, &run, report);
    demand((status == LW_OK) == (run != NULL));
    demand(status == LW_OK || lw_report_errors(report) > 0);
    if (run) {
        follow(run, model);
    }
    lw_run_destroy(run);
    lw_model_destroy(model);
    lw_mech_destroy(mech);
    lw_report_destroy(report);
    return 0;
}
