// Shapes fitted to meshes (C29, C30): they contain the mesh and what it encloses, reach no farther
// than the slack, and each box contains what is in it.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/collide.h>
#include <linkwork/fit.h>
#include <linkwork/surface.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static lw_distance_work work;

enum { ROUND = 24, TUBE = 12 };

static lw_vec3 torus_vertex[ROUND * TUBE];
static int torus_triangle[6 * ROUND * TUBE];

// A ring of radius 0.3 whose tube has 0.08: neither convex nor simply connected.
static lw_mesh torus(void)
{
    const double pi = 3.14159265358979323846;
    for (int i = 0; i < ROUND; ++i) {
        for (int k = 0; k < TUBE; ++k) {
            const double u = 2 * pi * i / ROUND, v = 2 * pi * k / TUBE, r = 0.3 + 0.08 * cos(v);
            torus_vertex[TUBE * i + k] = lw_vec3_of(r * cos(u), r * sin(u), 0.08 * sin(v));
            const int j = (i + 1) % ROUND, l = (k + 1) % TUBE, n = TUBE * i + k;
            const int corner[6] = {n, TUBE * j + k, TUBE * j + l, n, TUBE * j + l, TUBE * i + l};
            memcpy(&torus_triangle[6 * n], corner, sizeof corner);
        }
    }
    return (lw_mesh){ROUND * TUBE, 2 * ROUND * TUBE, torus_vertex, torus_triangle, false};
}

static const lw_vec3 corner[8] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                  {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
static const int face[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                             2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
static const lw_mesh cube = {8, 12, corner, face, false};

static lw_solid solid_of(const lw_fitted_shape *s)
{
    return s->type == LW_SHAPE_BOX       ? lw_box(s->size)
           : s->type == LW_SHAPE_CAPSULE ? lw_capsule(s->size.x, s->size.z)
                                         : lw_sphere(s->size.x);
}

static double from_shape(const lw_fitted_shape *s, lw_vec3 p)
{
    const lw_solid solid = solid_of(s), dot = lw_sphere(0.0);
    const lw_pose at = {lw_mat3_identity(), p};
    lw_distance d = {0};
    CHECK_INT(lw_find_distance(&solid, &s->X, &dot, &at, &work, &d), LW_OK);
    return d.distance;
}

static double from_mesh(const lw_surface *mesh, lw_vec3 p)
{
    const lw_solid dot = lw_sphere(0.0);
    const lw_pose here = lw_pose_identity(), at = {here.R, p};
    lw_search search = lw_default_search();
    lw_distance d = {0};
    bool is_found = false;
    CHECK_INT(lw_find_surface_solid_distance(mesh, &here, &dot, &at, &search, &work, &d, &is_found),
              LW_OK);
    return d.distance;
}

static lw_vec3 random_point(double size)
{
    return lw_vec3_of(check_random(-size, size), check_random(-size, size),
                      check_random(-size, size));
}

// Random points: those in the mesh are in a leaf, those in a leaf are near to the mesh, and those
// in a shape are in the box around it.
static void check_fit(const lw_mesh *mesh, lw_vec3 scale, const lw_fit_options *o)
{
    lw_fit *fit = NULL;
    lw_surface *surface = NULL;
    const lw_surface_options so = {.scale = scale};
    int inside = 0, covered = 0;
    CHECK_INT(lw_surface_create(mesh, &so, &surface), LW_OK);
    if (!CHECK_INT(lw_fit_mesh(mesh, scale, o, &fit), LW_OK)) {
        return;
    }
    const double size = lw_surface_describe(surface).size * 1.2;
    CHECK(fit->slack == o->slack);
    CHECK(fit->nleaf <= o->most && fit->nshape == 2 * fit->nleaf - 1);
    for (int n = 0; n < 4000; ++n) {
        const int v = n % mesh->nvertex;
        const lw_vec3 vertex = {scale.x * mesh->vertex[v].x, scale.y * mesh->vertex[v].y,
                                scale.z * mesh->vertex[v].z};
        const lw_vec3 p = n % 4 == 0 ? vertex : random_point(size);
        const double away = n % 4 == 0 ? 0.0 : from_mesh(surface, p);
        bool is_covered = false;
        for (int i = 0; i < fit->nshape; ++i) {
            const lw_fitted_shape *s = &fit->shape[i];
            const double d = from_shape(s, p);
            is_covered = is_covered || (s->is_leaf && d <= 1e-12);
            CHECK(!s->is_leaf || d > 0.0 || away <= o->slack * (1.0 + 1e-9));
            CHECK(s->outer < 0 || d > 0.0 || from_shape(&fit->shape[s->outer], p) <= 1e-12);
            CHECK(s->outer < i && (s->outer < 0) == (i == 0));
        }
        CHECK(away > 0.0 || is_covered);
        inside += away <= 0.0;
        covered += is_covered;
    }
    CHECK(inside > 20 && covered >= inside);
    lw_fit_destroy(fit);
    lw_surface_destroy(surface);
}

TEST(C29_fits_contain_the_mesh_and_reach_no_farther_than_the_slack)
{
    const lw_mesh ring = torus();
    lw_fit_options o = lw_default_fit_options();
    const double slack[] = {0.1, 0.05, 0.03};
    for (int i = 0; i < 3; ++i) {
        check_case("ring, slack %g", slack[i]);
        o.slack = slack[i];
        o.most = 1024;
        check_fit(&ring, lw_vec3_of(1, 1, 1), &o);
        check_fit(&ring, lw_vec3_of(0.5, -1, 2), &o);
    }
    static const lw_shape_type kind[] = {LW_SHAPE_BOX, LW_SHAPE_SPHERE, LW_SHAPE_CAPSULE};
    for (int i = 0; i < 3; ++i) {
        check_case("kind %d alone", i);
        o.kinds = 1u << kind[i];
        o.slack = 0.05;
        check_fit(&ring, lw_vec3_of(1, 1, 1), &o);
    }
}

TEST(C29_a_box_is_fitted_by_itself)
{
    lw_fit_options o = lw_default_fit_options();
    lw_fit *fit = NULL;
    o.slack = 1e-2;
    CHECK_INT(lw_fit_mesh(&cube, lw_vec3_of(0.3, 0.2, -0.1), &o, &fit), LW_OK);
    if (CHECK(fit && fit->nshape == 1)) {
        CHECK_INT(fit->shape[0].type, LW_SHAPE_BOX);
        CHECK_NEAR(fit->shape[0].size.x * fit->shape[0].size.y * fit->shape[0].size.z,
                   0.6 * 0.4 * 0.2, 1e-12);
    }
    lw_fit_destroy(fit);
    o.most = 1; // no box fits a ring
    const lw_mesh ring = torus();
    CHECK_INT(lw_fit_mesh(&ring, lw_vec3_of(1, 1, 1), &o, &fit), LW_OK);
    CHECK(fit && fit->nleaf == 1 && fit->slack == HUGE_VAL);
    lw_fit_destroy(fit);
}

// In a description: the ring becomes shapes, the cube convex, and no contact is lost.
TEST(C29_meshes_of_links_are_replaced_and_no_contact_is_lost)
{
    const lw_mesh ring = torus();
    lw_model *model[2] = {NULL, NULL};
    lw_collide *collide[2] = {NULL, NULL};
    lw_data *data[2] = {NULL, NULL};
    const double slack = 0.03;
    for (int side = 0; side < 2; ++side) {
        lw_mech *mech = load_checked(
            "m.xml", "<linkwork version='1' name='m'><ground/><joint name='j' type='free' "
                     "from='ground' to='a'/><link name='a' mass='1' inertia='1 1 1'/>"
                     "<joint name='k' type='free' from='ground' to='b'/>"
                     "<link name='b' mass='1' inertia='1 1 1'/></linkwork>");
        int count = 0;
        for (int i = 0; i < lw_get_part_count(mech); ++i) {
            const lw_part part = {i};
            if (lw_get_part_kind(mech, part) == LW_PART_LINK) {
                lw_shape_def def = lw_default_shape_def();
                def.type = LW_SHAPE_MESH;
                def.mesh = "inline";
                def.data = count == 0 ? &ring : &cube;
                def.size = count++ == 0 ? lw_vec3_of(1, 1, 1) : lw_vec3_of(0.1, 0.1, 0.1);
                CHECK_INT(lw_add_shape(mech, part, &def), 0);
            }
        }
        const lw_fit_options o = {slack, 400, lw_default_fit_options().kinds, true};
        if (side == 1) {
            CHECK_INT(lw_fit_shapes(mech, &o, NULL, &count), LW_OK);
            CHECK_INT(count, 2);
        }
        lw_report *report = new_report();
        CHECK_INT(lw_compile(mech, NULL, &model[side], report), LW_OK);
        CHECK_TEXT(diagnostic_with(report, "bounding"), "");
        CHECK_INT(lw_collide_create(model[side], &collide[side], NULL), LW_OK);
        data[side] = new_data(model[side]);
        lw_report_destroy(report);
        lw_mech_destroy(mech);
    }
    CHECK(model[1] && model[1]->nshape > 20 && model[1]->shape[model[1]->nshape - 1].is_convex);
    int hits = 0, kept = 0;
    for (int n = 0; n < 600; ++n) {
        double q[14] = {0, 0, 0, 1, 0, 0, 0};
        for (int k = 7; k < 14; ++k) {
            q[k] = check_random(-0.5, 0.5);
        }
        q[9] *= 0.3;
        const double norm = sqrt(q[10] * q[10] + q[11] * q[11] + q[12] * q[12] + q[13] * q[13]);
        for (int k = 10; k < 14; ++k) {
            q[k] /= norm;
        }
        lw_verdict verdict[3];
        check_case("state %d", n);
        CHECK_INT(lw_collide_check(collide[0], data[0], q, 0.0, &verdict[0], NULL), LW_OK);
        CHECK_INT(lw_collide_check(collide[1], data[1], q, 0.0, &verdict[1], NULL), LW_OK);
        // The hull of the cube is the cube, so that one slack alone is between the two.
        CHECK_INT(lw_collide_check(collide[0], data[0], q, slack + 1e-6, &verdict[2], NULL), LW_OK);
        CHECK(verdict[0] != LW_VERDICT_HIT || verdict[1] == LW_VERDICT_HIT);
        CHECK(verdict[2] != LW_VERDICT_FREE || verdict[1] == LW_VERDICT_FREE);
        hits += verdict[0] == LW_VERDICT_HIT;
        kept += verdict[1] == LW_VERDICT_FREE;
    }
    CHECK(hits > 50 && kept > 50);
    for (int side = 0; side < 2; ++side) {
        lw_collide_destroy(collide[side]);
        lw_data_destroy(data[side]);
        lw_model_destroy(model[side]);
    }
}

TEST(C29_bad_fits_are_refused)
{
    lw_fit *fit = NULL;
    const lw_vec3 one = {1, 1, 1};
    lw_fit_options o = lw_default_fit_options();
    const lw_mesh none = {0};
    lw_vec3 wrong[3] = {{0, 0, 0}, {(double)NAN, 0, 0}, {0, 1, 0}};
    const lw_mesh bad = {3, 0, wrong, NULL, false};
    CHECK_INT(lw_fit_mesh(NULL, one, &o, &fit), LW_ERR_ARGUMENT);
    CHECK_INT(lw_fit_mesh(&none, one, &o, &fit), LW_ERR_ARGUMENT);
    CHECK_INT(lw_fit_mesh(&bad, one, &o, &fit), LW_ERR_NUMBER);
    CHECK_INT(lw_fit_mesh(&cube, one, &o, NULL), LW_ERR_ARGUMENT);
    o.slack = 0.0;
    CHECK_INT(lw_fit_mesh(&cube, one, &o, &fit), LW_ERR_ARGUMENT);
    o = lw_default_fit_options();
    o.most = 0;
    CHECK_INT(lw_fit_mesh(&cube, one, &o, &fit), LW_ERR_ARGUMENT);
    o = lw_default_fit_options();
    o.kinds = 1u << LW_SHAPE_MESH;
    CHECK_INT(lw_fit_mesh(&cube, one, &o, &fit), LW_ERR_ARGUMENT);
    CHECK_INT(lw_fit_shapes(NULL, NULL, NULL, NULL), LW_ERR_ARGUMENT);
    lw_fit_destroy(NULL);
    wrong[1] = lw_vec3_of(1, 0, 0); // points, and a triangle without a volume
    CHECK_INT(lw_fit_mesh(&bad, one, NULL, &fit), LW_OK);
    lw_fit_destroy(fit);
}

int main(void)
{
    RUN(C29_fits_contain_the_mesh_and_reach_no_farther_than_the_slack);
    RUN(C29_a_box_is_fitted_by_itself);
    RUN(C29_meshes_of_links_are_replaced_and_no_contact_is_lost);
    RUN(C29_bad_fits_are_refused);
    return REPORT();
}
