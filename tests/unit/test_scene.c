// The scene of a mechanism: shapes with finite geometry for every model, joints and rods where
// kinematics has them, and clean refusals.
#include "check.h"
#include "load_text.h"
#include "objects.h"
#include "zoo.h"

#include <math.h>
#include <string.h>

enum { ALL = 31 }; // every lw_scene_layer

static lw_scene *scene_at(const lw_model *m, lw_data *d, const double *q, unsigned show)
{
    lw_scene *scene = NULL;
    CHECK_INT(lw_forward_position(m, d, q), LW_OK);
    CHECK_INT(lw_scene_create(m, d, show, &scene), LW_OK);
    return scene;
}

static int count_role(const lw_scene *scene, lw_scene_role role)
{
    int count = 0;
    for (int i = 0; i < scene->nshape; ++i) {
        count += scene->shape[i].role == role;
    }
    return count;
}

static bool has_points(lw_scene_kind kind)
{
    return kind == LW_SCENE_LINE || kind == LW_SCENE_BAR || kind == LW_SCENE_HULL ||
           kind == LW_SCENE_SPRING;
}

static void check_scene(const lw_model *m, const lw_scene *scene)
{
    int next = 0;
    for (int i = 0; i < scene->nshape; ++i) {
        const lw_scene_shape *shape = &scene->shape[i];
        CHECK(shape->role >= 0 && shape->role < LW_SCENE_ROLE_COUNT);
        CHECK(shape->body >= -1 && shape->body < m->nbody);
        CHECK(isfinite(lw_norm3(shape->size)) && isfinite(lw_norm3(shape->X.p)) &&
              isfinite(shape->bias));
        CHECK_INT(shape->first, next); // points are in the order of their shapes
        CHECK(has_points(shape->kind) || shape->count == 0);
        CHECK(shape->kind != LW_SCENE_LINE || shape->count == 2);
        CHECK(has_points(shape->kind) || shape->size.x > 0);
        next += shape->count;
    }
    CHECK_INT(next, scene->npoint);
    for (int i = 0; i < scene->npoint; ++i) {
        CHECK(isfinite(lw_norm3(scene->point[i])));
    }
    CHECK(scene->unit > 0 && scene->grid > 0 && isfinite(scene->floor));
    CHECK(count_role(scene, LW_SCENE_GRID) + count_role(scene, LW_SCENE_GRID_MAJOR) > 2);
}

static void visit(const lw_model *m, lw_data *d)
{
    lw_scene *scene = scene_at(m, d, m->q_reference, ALL);
    if (scene) {
        check_scene(m, scene);
    }
    lw_scene_destroy(scene);
}

TEST(every_mechanism_has_a_scene)
{
    every_machine(visit);
}

TEST(rods_and_closing_joints_are_where_loops_close)
{
    static const char *const name[] = {"closed/palletiser.xml", "closed/delta.xml",
                                       "closed/four_bar.xml", "closed/stewart.xml"};
    for (size_t k = 0; k < sizeof name / sizeof *name; ++k) {
        check_case("%s", name[k]);
        lw_model *m = shipped_model(name[k]);
        lw_data *d = m ? new_data(m) : NULL;
        lw_scene *scene = d ? scene_at(m, d, m->q_reference, 0) : NULL;
        int rods = 0, joints = 0;
        for (int i = 0; scene && i < m->nloop; ++i) {
            rods += m->loop[i].is_rod;
            joints += m->loop[i].is_rod ? 2 : 1;
        }
        for (int i = 0, loop = 0; scene && i < scene->nshape; ++i) {
            const lw_scene_shape *shape = &scene->shape[i];
            if (shape->role == LW_SCENE_ROD) {
                while (!m->loop[loop].is_rod) {
                    ++loop;
                }
                const lw_vec3 *p = scene->point + shape->first;
                CHECK_INT(shape->count, 2);
                CHECK_NEAR(lw_norm3(lw_sub3(p[1], p[0])), m->loop[loop++].length, 1e-9);
            }
        }
        if (CHECK(scene != NULL)) {
            CHECK_INT(count_role(scene, LW_SCENE_ROD), rods);
            CHECK_INT(count_role(scene, LW_SCENE_CLOSING_JOINT), joints);
            CHECK_INT(scene->nlabel, 0);
        }
        lw_scene_destroy(scene);
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

TEST(gears_mesh_and_springs_have_two_ends)
{
    lw_model *m = shipped_model("closed/planetary.xml");
    lw_data *d = m ? new_data(m) : NULL;
    lw_scene *scene = d ? scene_at(m, d, m->q_reference, 0) : NULL;
    if (CHECK(scene != NULL)) {
        CHECK_INT(count_role(scene, LW_SCENE_MESH), m->ngear);
        CHECK_NEAR(fabs(scene->normal.z), 1, 1e-12); // planar, seen from above
    }
    lw_scene_destroy(scene);
    lw_data_destroy(d);
    lw_model_destroy(m);
    m = shipped_model("closed/andrews.xml");
    d = m ? new_data(m) : NULL;
    scene = d ? scene_at(m, d, m->q_reference, 0) : NULL;
    if (CHECK(scene != NULL)) {
        CHECK_INT(count_role(scene, LW_SCENE_ELASTIC), m->nspring);
        CHECK_INT(count_role(scene, LW_SCENE_SPRING_END), 2 * m->nspring);
    }
    lw_scene_destroy(scene);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// A quarter turn about the vertical permutes the sides of the box that the sizes of symbols follow,
// so that all of the arm rotates as one.
TEST(scene_rotates_with_a_vertical_first_joint)
{
    lw_model *m = shipped_model("puma560.xml");
    lw_data *d = m ? new_data(m) : NULL;
    if (!CHECK(d != NULL)) {
        lw_model_destroy(m);
        return;
    }
    double q[6];
    memcpy(q, m->q_reference, sizeof q);
    lw_scene *before = scene_at(m, d, q, LW_SCENE_SHOW_TIPS);
    q[0] += acos(0);
    lw_scene *after = scene_at(m, d, q, LW_SCENE_SHOW_TIPS);
    int a = 0, b = 0, compared = 0;
    while (before && after && a < before->nshape && b < after->nshape) {
        const lw_scene_shape *p = &before->shape[a], *r = &after->shape[b];
        if (p->body < 0) {
            ++a;
        } else if (r->body < 0) {
            ++b;
        } else {
            CHECK_INT(p->kind, r->kind);
            CHECK_INT(p->count, r->count);
            for (int i = 0; i < p->count && i < r->count; ++i) {
                const lw_vec3 x = before->point[p->first + i], y = after->point[r->first + i];
                CHECK_NEAR(lw_norm3(lw_sub3(y, lw_vec3_of(-x.y, x.x, x.z))), 0, 1e-9);
            }
            ++a;
            ++b;
            ++compared;
        }
    }
    CHECK(compared > 10);
    lw_scene_destroy(before);
    lw_scene_destroy(after);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(labels_name_frames_joints_and_coordinates)
{
    lw_model *m = shipped_model("puma560.xml");
    lw_data *d = m ? new_data(m) : NULL;
    lw_scene *scene = d ? scene_at(m, d, m->q_reference, LW_SCENE_SHOW_COORDINATES) : NULL;
    if (CHECK(scene != NULL) && CHECK_INT(scene->nlabel, 6)) {
        for (int i = 0; i < 6; ++i) {
            CHECK(!scene->label[i].text);
            CHECK_INT(scene->label[i].first, i);
            CHECK_INT(scene->label[i].last, i);
        }
    }
    lw_scene_destroy(scene);
    scene = d ? scene_at(m, d, m->q_reference, LW_SCENE_SHOW_JOINTS) : NULL;
    if (CHECK(scene != NULL) && CHECK_INT(scene->nlabel, 6)) {
        CHECK_TEXT(scene->label[0].text, m->joints[0].name);
    }
    lw_scene_destroy(scene);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(misuse_is_refused)
{
    lw_model *m = shipped_model("puma560.xml");
    lw_data *d = m ? new_data(m) : NULL;
    lw_scene *scene = NULL;
    if (CHECK(d != NULL)) {
        CHECK_INT(lw_scene_create(m, d, 0, &scene), LW_ERR_STAGE);
        CHECK_INT(lw_scene_create(NULL, d, 0, &scene), LW_ERR_ARGUMENT);
        CHECK_INT(lw_scene_create(m, NULL, 0, &scene), LW_ERR_ARGUMENT);
        CHECK_INT(lw_scene_create(m, d, 0, NULL), LW_ERR_ARGUMENT);
        CHECK(!scene);
    }
    lw_scene_destroy(NULL);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(every_mechanism_has_a_scene);
    RUN(rods_and_closing_joints_are_where_loops_close);
    RUN(gears_mesh_and_springs_have_two_ends);
    RUN(scene_rotates_with_a_vertical_first_joint);
    RUN(labels_name_frames_joints_and_coordinates);
    RUN(misuse_is_refused);
    return REPORT();
}
