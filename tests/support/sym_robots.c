#include "sym_robots.h"

#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// A row of a modified DH table. Lengths are symbols where they are named.
typedef struct dh_row {
    int quarters; ///< of alpha
    const char *a, *d;
    bool is_prismatic;
} dh_row;

typedef struct table {
    const char *title;
    int n;
    dh_row row[6];
} table;

static const table tables[SYM_ROBOT_COUNT] = {
    {"flexible", 6, {{0}, {0}, {1, 0, 0, 0}, {0, "a4", 0, 0}, {-1, 0, 0, 0}, {-1, 0, 0, 0}}},
    {"flexible, sparse",
     6,
     {{0}, {0}, {1, 0, 0, 0}, {0, "a4", 0, 0}, {-1, 0, 0, 0}, {-1, 0, 0, 0}}},
    {"PUMA",
     6,
     {{0}, {-1, 0, "d2", 0}, {0, "a2", "d3", 0}, {1, "a3", "d4", 0}, {-1, 0, 0, 0}, {1, 0, 0, 0}}},
    {"UR5",
     6,
     {{0}, {1, 0, 0, 0}, {0, "a2", 0, 0}, {0, "a3", "d4", 0}, {1, 0, "d5", 0}, {-1, 0, 0, 0}}},
    {"SCARA", 4, {{0}, {0, "a1", 0, 0}, {2, "a2", 0, true}, {0}}},
};

const char *sym_robot_title(sym_robot_name name)
{
    return tables[name].title;
}

static lwi_expr parameter(lwi_graph *g, const char *name)
{
    return name ? lwi_symbol_of(g, name, LWI_PARAMETER, 0) : LWI_ZERO;
}

static lwi_expr numbered(lwi_graph *g, const char *name, int k, lwi_symbol_kind kind)
{
    char text[24];
    snprintf(text, sizeof text, "%s%d", name, k + 1);
    return lwi_symbol_of(g, text, kind, kind == LWI_PARAMETER ? 0 : k);
}

/// Which of m, hx, hy, hz, Ixx, Iyy, Izz, Ixy, Ixz, Iyz a link has, as bits.
static unsigned pattern(sym_robot_name name, int k)
{
    if (name == SYM_FLEXIBLE_SPARSE) {
        return k == 2 ? 0x73u : k == 5 ? 0x17bu : 0u;
    }
    return 0x3ffu;
}

static void fill_inertia(lwi_graph *g, sym_robot_name name, int k, lwi_sym_body *body)
{
    static const char *const names[10] = {"m",   "hx",  "hy",  "hz",  "Ixx",
                                          "Iyy", "Izz", "Ixy", "Ixz", "Iyz"};
    lwi_mass *own = &body->own;
    if (name == SYM_SCARA) {
        // Centres on x of links 1 and 2 only; tensors about the centres, of which z is felt.
        own->mass = numbered(g, "m", k, LWI_PARAMETER);
        const lwi_expr x = k < 2 ? numbered(g, "rx", k, LWI_PARAMETER) : LWI_ZERO;
        own->first.x = lwi_mul(g, own->mass, x);
        own->tensor.zz =
            lwi_add(g, numbered(g, "Izz", k, LWI_PARAMETER), lwi_mul(g, own->first.x, x));
        return;
    }
    for (int i = 0; i < 10; i++) {
        if (pattern(name, k) >> i & 1u) {
            lwi_expr *location = i == 0  ? &own->mass
                                 : i < 4 ? &own->first.e[i - 1]
                                         : &own->tensor.e[i - 4];
            *location = numbered(g, names[i], k, LWI_PARAMETER);
        }
    }
}

lwi_sym_tree sym_robot(lwi_graph *g, sym_robot_name name, lwi_sym_body *bodies)
{
    static const int cosine[4] = {1, 0, -1, 0};
    const table *t = &tables[name];
    for (int k = 0; k < t->n; k++) {
        const dh_row *row = &t->row[k];
        const lwi_expr c = lwi_number(g, cosine[row->quarters & 3]);
        const lwi_expr s = lwi_number(g, cosine[(row->quarters + 3) & 3]);
        const lwi_expr d = parameter(g, row->d);
        bodies[k] = (lwi_sym_body){
            .parent = k - 1,
            .type = row->is_prismatic ? LW_TREE_PRISMATIC : LW_TREE_REVOLUTE,
            .v_start = k,
            .nv = 1,
            .rest = {{{{{LWI_ONE, LWI_ZERO, LWI_ZERO}},
                       {{LWI_ZERO, c, lwi_neg(s)}},
                       {{LWI_ZERO, s, c}}}},
                     {{parameter(g, row->a), lwi_neg(lwi_mul(g, s, d)), lwi_mul(g, c, d)}}},
            .q = {numbered(g, "q", k, LWI_POSITION)},
            .v = {numbered(g, "v", k, LWI_VELOCITY)},
            .a = {numbered(g, "a", k, LWI_ACCELERATION)},
        };
        fill_inertia(g, name, k, &bodies[k]);
    }
    const lwi_expr gravity = lwi_neg(parameter(g, "g"));
    return (lwi_sym_tree){.nbody = t->n,
                          .body = bodies,
                          .gravity = {{LWI_ZERO, LWI_ZERO, gravity}},
                          .is_searched = true};
}

int sym_robot_elements(lwi_graph *g, const lwi_sym_tree *robot, lwi_expr *list)
{
    const int n = robot->nbody;
    lwi_expr H[36], C[216], gravity[6];
    int count = 0;
    lwi_derive_elements(g, robot, H, C, gravity);
    for (int i = 0; i < n; i++) {
        for (int k = i; k < n; k++) {
            list[count++] = H[i * n + k];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) {
            for (int l = k; l < n; l++) {
                CHECK(C[(i * n + k) * n + l] == C[(i * n + l) * n + k]);
                list[count++] = C[(i * n + k) * n + l];
            }
        }
    }
    for (int k = 0; k < n; k++) {
        list[count++] = gravity[k];
    }
    return count;
}
