// Names of enumerators both ways, and the lists of a model by number.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include <string.h>

TEST(every_name_leads_back_to_its_value)
{
    for (int e = 0; e < LW_ENUM_COUNT; ++e) {
        int named = 0;
        for (int value = -1; value < 200; ++value) {
            const char *name = lw_enum_name((lw_enum)e, value);
            check_case("enumeration %d, value %d", e, value);
            CHECK(!name || lw_enum_value((lw_enum)e, name) == value);
            named += name != NULL;
        }
        check_case("enumeration %d", e);
        CHECK(named >= 2);
        CHECK_INT(lw_enum_value((lw_enum)e, "no such name"), -1);
        CHECK_INT(lw_enum_value((lw_enum)e, NULL), -1);
    }
    CHECK(!lw_enum_name(LW_ENUM_COUNT, 0) && !lw_enum_name((lw_enum)-1, 0));
    CHECK_INT(lw_enum_value(LW_ENUM_COUNT, "ok"), -1);
}

TEST(names_are_the_words_of_files)
{
    CHECK_INT(lw_enum_value(LW_ENUM_JOINT_TYPE, "prismatic"), LW_JOINT_PRISMATIC);
    CHECK_INT(lw_enum_value(LW_ENUM_GEAR_TYPE, "planetary"), LW_GEAR_PLANETARY);
    CHECK_INT(lw_enum_value(LW_ENUM_LEVEL, "middle"), LW_LEVEL_MIDDLE);
    CHECK_INT(lw_enum_value(LW_ENUM_METHOD, "dopri853"), LW_METHOD_DOPRI853);
    CHECK_INT(lw_enum_value(LW_ENUM_PROFILE, "s-curve"), LW_PROFILE_S_CURVE);
    CHECK_INT(lw_enum_value(LW_ENUM_CONTROL_LAW, "pd+gravity"), LW_CONTROL_PD_GRAVITY);
    CHECK_INT(lw_enum_value(LW_ENUM_ROLE, "transmission"), LW_ROLE_TRANSMISSION);
    CHECK_INT(lw_enum_value(LW_ENUM_STATUS, "loop-open"), LW_ERR_LOOP_OPEN);
    CHECK_INT(lw_enum_value(LW_ENUM_DIAGNOSTIC, "mesh-missing"), LW_DIAG_MESH_MISSING);
    CHECK_INT(lw_enum_value(LW_ENUM_SHAPE_TYPE, "mesh"), LW_SHAPE_MESH);
    CHECK_INT(lw_enum_value(LW_ENUM_SHAPE_ROLE, "bound"), LW_SHAPE_BOUND);
    CHECK_INT(lw_enum_value(LW_ENUM_SPRING_SIDE, "compression"), LW_SPRING_COMPRESSION);
    CHECK_INT(lw_enum_value(LW_ENUM_LAW, "function"), LW_LAW_FUNCTION);
    CHECK_INT(lw_enum_value(LW_ENUM_AXES, "world"), LW_IN_WORLD);
    CHECK_INT(lw_enum_value(LW_ENUM_STAGE, "acceleration"), LW_STAGE_ACCELERATION);
    CHECK_INT(lw_enum_value(LW_ENUM_SEVERITY, "error"), LW_ERROR);
}

TEST(lists_of_a_model_are_its_arrays)
{
    lw_model *m = shipped_model("hr120/hr120.xml");
    const int count[LW_LIST_COUNT] = {m->nbody,  m->nq,     m->nv,      m->tree_nv, m->nframe_all,
                                      m->nlink,  m->njoint, m->nstep,   m->nloop,   m->ngear,
                                      m->ndrive, m->nload,  m->nspring, m->nshape};
    for (int list = 0; list < LW_LIST_COUNT; ++list) {
        check_case("list %d", list);
        CHECK_INT(lw_model_count(m, (lw_list)list), count[list]);
        for (int i = 0; i < count[list]; ++i) {
            const char *name = lw_model_name(m, (lw_list)list, i);
            const int first = name ? lw_model_find(m, (lw_list)list, name) : -1;
            CHECK(first >= 0 && first <= i &&
                  strcmp(lw_model_name(m, (lw_list)list, first), name) == 0);
        }
        CHECK(!lw_model_name(m, (lw_list)list, count[list]) &&
              !lw_model_name(m, (lw_list)list, -1));
    }
    CHECK_TEXT(lw_model_name(m, LW_LIST_VELOCITIES, 0), m->velocity_name[0]);
    CHECK_TEXT(lw_model_name(m, LW_LIST_JOINTS, 1), m->joints[1].name);
    CHECK_INT(lw_model_find(m, LW_LIST_LINKS, "no such link"), -1);
    CHECK_INT(lw_model_find(m, LW_LIST_LINKS, NULL), -1);
    CHECK(lw_model_count(NULL, LW_LIST_LINKS) == 0 && lw_model_count(m, LW_LIST_COUNT) == 0);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(every_name_leads_back_to_its_value);
    RUN(names_are_the_words_of_files);
    RUN(lists_of_a_model_are_its_arrays);
    return REPORT();
}
