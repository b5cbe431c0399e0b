// Any bytes as a sequence of edits and commits: ports are connected and disconnected, parts added,
// levels set. A refused edit says why. A commit makes a whole model current or changes nothing: the
// model that was current keeps its hash and its results to the last bit, whether it succeeds or
// fails, and what it makes is what a compile of the same description makes.

#include "../support/objects.h"
#include "fuzz.h"

#include <linkwork/linkwork.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_EDITS = 200, MOST_PARTS = 60 };

typedef struct script {
    const uint8_t *at, *end;
} script;

// The next byte; zeros behind the end.
static int next(script *s)
{
    return s->at < s->end ? *s->at++ : 0;
}

// A promise of the library that does not hold.
static void demand(int condition)
{
    if (!condition) {
        abort();
    }
}

// A number for a definition: ordinary ones, and now and then one that must be refused.
static double number(script *s)
{
    const int byte = next(s);
    return byte == 255   ? (double)NAN
           : byte == 254 ? -1.0
           : byte == 253 ? 1e300
                         : 0.02 * (byte % 100);
}

static lw_vec3 direction(script *s)
{
    static const lw_vec3 axis[] = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}, {0, 0.6, 0.8}};
    return axis[next(s) % 4];
}

static void add_part(script *s, lw_mech *mech, lw_mech *inside, int count)
{
    char name[16];
    snprintf(name, sizeof name, "p%d", next(s) == 0 ? 0 : count); // at times one that is taken
    switch (next(s) % 9) {
    case 0:
    case 1: {
        lw_link_def def = lw_default_link_def();
        def.name = name;
        def.mass = number(s);
        def.inertia = (lw_sym3){1.0, 1.0, 1.0, 0.0, 0.0, 0.0};
        def.b = lw_placement_xyz(number(s), 0.0, number(s));
        const lw_part part = lw_add_link(mech, &def);
        lw_add_frame(mech, part, next(s) % 2 ? "tip" : name, NULL, (lw_location){0});
        break;
    }
    case 2:
    case 3: {
        lw_joint_def def = lw_default_joint_def();
        def.name = name;
        const int type = next(s); // a user joint has no callbacks, which is an error
        def.type = type > 250 ? LW_JOINT_USER : (lw_joint_type)(type % LW_JOINT_USER);
        def.axis = direction(s);
        def.pitch = number(s);
        def.before = lw_placement_xyz(number(s), 0.0, number(s));
        def.closing = next(s) % 4 == 0;
        def.dependent = next(s) % 8 == 0;
        lw_add_joint(mech, &def);
        break;
    }
    case 4: {
        lw_rod_def def = lw_default_rod_def();
        def.name = name;
        def.length = next(s) % 2 ? 0.0 : number(s);
        lw_add_rod(mech, &def);
        break;
    }
    case 5: {
        lw_spring_def def = lw_default_spring_def();
        const double coefficient[2] = {0.0, number(s)};
        def.name = name;
        def.ncoefficient = 2;
        def.coefficient = coefficient;
        if (next(s) % 2) {
            lw_add_torsion(mech, &def);
        } else {
            lw_add_spring(mech, &def);
        }
        break;
    }
    case 6: {
        lw_drive_def def = lw_default_drive_def();
        def.name = name;
        def.inertia = number(s);
        lw_add_drive(mech, &def);
        break;
    }
    case 7: {
        lw_load_def def = lw_default_load_def();
        def.name = name;
        def.force.x = number(s);
        lw_add_load(mech, &def);
        break;
    }
    default:
        lw_add_assembly(mech, name, inside, (lw_location){0});
    }
}

// What holds between parts, by names that need not be there.
static void add_relation(script *s, lw_mech *mech)
{
    char one[16], other[16];
    snprintf(one, sizeof one, "p%d", next(s) % 32);
    snprintf(other, sizeof other, "p%d", next(s) % 32);
    if (next(s) % 2) {
        const double coefficient[2] = {0.0, number(s)};
        const lw_coupling_def def = {
            .dependent = one, .source = other, .ncoefficient = 2, .coefficient = coefficient};
        lw_add_coupling(mech, &def);
    } else {
        lw_gear_def def = lw_default_gear_def();
        def.name = "gear";
        def.wheel[0] = one;
        def.wheel[1] = other;
        def.size[0] = number(s);
        def.size[1] = 1.0;
        lw_add_gear(mech, &def);
    }
}

static lw_port any_port(script *s)
{
    return (lw_port){{next(s) % 40 - 1}, next(s) % 8 - 1};
}

static void edit_named(script *s, lw_mech *mech)
{
    static const char *const port[] = {"", ".a", ".b", ".axis", ".a1", ".a2", ".tip", "/x", "."};
    char name[2][32];
    for (int i = 0; i < 2; ++i) {
        const int part = next(s) % 33;
        char stem[16] = "ground";
        if (part > 0) {
            snprintf(stem, sizeof stem, "p%d", part - 1);
        }
        snprintf(name[i], sizeof name[i], "%s%s", stem, port[next(s) % 9]);
    }
    const lw_status status = next(s) % 4 ? lw_connect_named(mech, name[0], name[1])
                                         : lw_disconnect_named(mech, name[0], name[1]);
    demand((status == LW_OK) == (lw_mech_message(mech)[0] == '\0'));
}

// Results of a model in its reference configuration, as bytes: a status, poses and forces.
static size_t results(const lw_model *m, double out[512])
{
    double v[256] = {0}, tau[256];
    lw_data *d = m->nv <= 256 ? new_data(m) : NULL;
    size_t n = 0;
    if (d) {
        out[n++] = lw_forward_position(m, d, m->q_reference);
        for (int i = 0; i < m->nframe_all && n < 200; ++i) {
            lw_pose X;
            if (lw_frame_pose(m, d, i, &X) == LW_OK) {
                out[n++] = X.p.x + X.R.row[0].y;
            }
        }
        const lw_status status = lw_inverse_dynamics(m, d, m->q_reference, v, v, NULL, tau);
        out[n++] = status;
        for (int i = 0; i < m->nv && status == LW_OK; ++i) {
            out[n++] = tau[i];
        }
    }
    lw_data_destroy(d);
    return n;
}

static void commit(lw_machine *machine, const lw_mech *mech)
{
    const lw_model *old = lw_machine_acquire(machine);
    const unsigned long long hash = lw_model_hash(old);
    const int version = lw_machine_version(machine);
    double before[512], after[512];
    const size_t n = results(old, before);
    lw_report *report = new_report();
    const lw_status status = lw_machine_commit(machine, report);
    const lw_model *now = lw_machine_acquire(machine);
    demand(lw_model_hash(old) == hash);
    demand(results(old, after) == n && memcmp(before, after, n * sizeof *before) == 0);
    demand(lw_machine_version(machine) == version + (status == LW_OK));
    if (status == LW_OK) {
        lw_model *fresh = NULL;
        const lw_machine_def def = lw_default_machine_def();
        demand(now != old);
        demand(lw_compile(mech, &def.options, &fresh, NULL) == LW_OK);
        // By results, not by hashes: those take padding in, which is the same in copies only.
        const size_t count = results(now, after);
        demand(results(fresh, before) == count);
        demand(memcmp(before, after, count * sizeof *before) == 0);
        lw_model_destroy(fresh);
        demand(lw_machine_commit(machine, NULL) == LW_ERR_BUSY); // the old one is still held
    } else {
        demand(now == old);
        demand(lw_report_errors(report) > 0);
    }
    lw_machine_release(machine, now);
    lw_machine_release(machine, old);
    lw_report_destroy(report);
}

static lw_mech *make_inside(void)
{
    lw_mech *inside = new_mech("inside");
    lw_joint_def joint = lw_default_joint_def();
    lw_link_def link = lw_default_link_def();
    joint.name = "pin";
    joint.type = LW_JOINT_REVOLUTE;
    link.name = "lid";
    link.mass = 1.0;
    link.inertia = (lw_sym3){1.0, 1.0, 1.0, 0.0, 0.0, 0.0};
    lw_add_joint(inside, &joint);
    lw_add_link(inside, &link);
    demand(lw_connect_named(inside, "pin", "lid") == LW_OK);
    demand(lw_expose(inside, lw_find_port(inside, "lid.b"), "b") == LW_OK);
    demand(lw_expose(inside, lw_find_port(inside, "pin.axis"), "shaft") == LW_OK);
    return inside;
}

static void add_link(lw_mech *mech, const char *name, double x)
{
    lw_link_def def = lw_default_link_def();
    def.name = name;
    def.mass = 1.0;
    def.inertia = (lw_sym3){0.1, 0.1, 0.1, 0.0, 0.0, 0.0};
    def.b = lw_placement_xyz(x, 0.0, 0.0);
    demand(lw_add_link(mech, &def).index >= 0);
}

static void add_pin(lw_mech *mech, const char *name, double x, double reference, bool closing)
{
    lw_joint_def def = lw_default_joint_def();
    def.name = name;
    def.type = LW_JOINT_REVOLUTE;
    def.axis = lw_vec3_of(0.0, 1.0, 0.0);
    def.before = lw_placement_xyz(x, 0.0, 0.0);
    def.dof[0].reference = reference;
    def.closing = closing;
    demand(lw_add_joint(mech, &def).index >= 0);
}

// A four-bar linkage with a motor, and a joint and a link that lie ready. Returns how many names
// are taken.
static int make_four_bar(lw_mech *mech)
{
    static const char *const joined[][2] = {{"ground", "p3"}, {"p3", "p0"},     {"p0", "p4"},
                                            {"p4", "p1"},     {"ground", "p5"}, {"p5", "p2"},
                                            {"p6.a", "p1"},   {"p6.b", "p2"},   {"p7", "p3.axis"}};
    add_link(mech, "p0", 0.1);
    add_link(mech, "p1", 0.35);
    add_link(mech, "p2", 0.3);
    add_pin(mech, "p3", 0.0, -1.0, false);
    add_pin(mech, "p4", 0.0, 0.4, false);
    add_pin(mech, "p5", 0.4, -1.6, false);
    add_pin(mech, "p6", 0.0, 0.0, true);
    lw_drive_def drive = lw_default_drive_def();
    drive.name = "p7";
    drive.inertia = 1e-3;
    demand(lw_add_drive(mech, &drive).index >= 0);
    add_pin(mech, "p8", 0.1, 0.0, false);
    add_link(mech, "p9", 0.2);
    for (size_t i = 0; i < sizeof joined / sizeof *joined; ++i) {
        demand(lw_connect_named(mech, joined[i][0], joined[i][1]) == LW_OK);
    }
    return 10;
}

static void edit(script *s, lw_mech *mech, lw_mech *inside, lw_machine *machine, int *count)
{
    lw_status status;
    switch (next(s) % 8) {
    case 0:
    case 1:
        status = lw_connect(mech, any_port(s), any_port(s));
        demand((status == LW_OK) == (lw_mech_message(mech)[0] == '\0'));
        break;
    case 2:
        status = lw_disconnect(mech, any_port(s), any_port(s));
        demand((status == LW_OK) == (lw_mech_message(mech)[0] == '\0'));
        break;
    case 3:
    case 4:
        edit_named(s, mech);
        break;
    case 5:
        if (*count < MOST_PARTS) {
            add_part(s, mech, inside, (*count)++);
        }
        break;
    case 6:
        if (next(s) % 32 == 0) {
            add_relation(s, mech);
        } else {
            lw_set_level(mech, (lw_part){next(s) % 40 - 1}, (lw_level)(next(s) % 5));
        }
        break;
    default:
        if (machine) {
            commit(machine, mech);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    script s = {bytes, bytes + size};
    lw_mech *mech = new_mech("fuzz"), *inside = make_inside();
    lw_machine *machine = NULL;
    int count = 0;
    if (next(&s) % 4) {
        const lw_ground_def ground = lw_default_ground_def();
        lw_add_ground(mech, &ground);
        count = next(&s) % 4 ? make_four_bar(mech) : 0;
    }
    const int before = next(&s) % 64; // edits before the first compile
    for (int k = 0; k < MOST_EDITS && s.at < s.end; ++k) {
        edit(&s, mech, inside, machine, &count);
        if (!machine && k >= before) {
            lw_report *report = new_report();
            const lw_status status = lw_machine_create(mech, NULL, &machine, report);
            demand((status == LW_OK) == (machine != NULL));
            demand(status == LW_OK || lw_report_errors(report) > 0);
            lw_report_destroy(report);
        }
    }
    lw_machine_destroy(machine);
    lw_mech_destroy(mech);
    lw_mech_destroy(inside);
    return 0;
}
