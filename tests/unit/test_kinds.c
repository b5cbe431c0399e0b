// The tables of kinds are complete: every joint type and every part kind has a row, and what the
// rows say agrees with each other, with the grammar and with the compiled model.
#include "check.h"
#include "load_text.h"

#include "../../src/io/native_kinds.h"

#include <linkwork/linkwork.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(every_joint_type_has_a_row)
{
    for (int type = 0; type < LWI_JOINT_TYPES; ++type) {
        const lwi_joint_row *row = lwi_joint_row_of((lw_joint_type)type);
        CHECK(row->name && *row->name);
        for (int other = 0; other < type; ++other) {
            CHECK(strcmp(row->name, lw_joint_type_name((lw_joint_type)other)) != 0);
        }
        if (type == LW_JOINT_USER) {
            continue; // its definition has its numbers
        }
        int npiece_nv = 0;
        for (int k = 0; k < row->npiece; ++k) {
            static const int nv[] = {1, 1, 1, 3, 6};
            npiece_nv += nv[row->piece[k].carrier];
            CHECK((row->piece[k].axis == LWI_AXIS_NONE) == (nv[row->piece[k].carrier] > 1));
            CHECK(row->piece[k].axis != LWI_AXIS_SECOND || row->has_axis2);
            CHECK(row->piece[k].axis == LWI_AXIS_NONE || row->has_axis);
        }
        CHECK_INT(npiece_nv, row->nv);
        CHECK_INT(row->nq, row->nv + (row->has_quaternion ? 1 : 0));
        CHECK_INT(row->nclosing, row->nv == 6 ? 0 : 6 - row->nv);
        int nposition = 0, nvelocity = 0;
        while (row->position[nposition]) {
            ++nposition;
        }
        while (row->velocity[nvelocity]) {
            ++nvelocity;
        }
        CHECK_INT(nposition, row->nv > 1 ? row->nq : 0); // one degree of freedom needs no name
        CHECK_INT(nvelocity, row->nv > 1 ? row->nv : 0);
    }
    CHECK_TEXT(lw_joint_type_name((lw_joint_type)LWI_JOINT_TYPES), "unknown");
}

// A joint of each type, read, compiled and written: its coordinates are those of its row.
TEST(every_joint_type_is_read_compiled_and_written)
{
    for (int type = 0; type < LWI_JOINT_TYPES; ++type) {
        const lwi_joint_row *row = lwi_joint_row_of((lw_joint_type)type);
        if (type == LW_JOINT_USER) {
            continue; // has no element
        }
        char text[600];
        snprintf(text, sizeof text,
                 "<linkwork version='1' name='one'><ground/>"
                 "<joint name='j' type='%s' from='ground' to='l' %s/>"
                 "<link name='l' mass='1' inertia='1 1 1'/></linkwork>",
                 row->name, row->has_pitch ? "pitch='0.1'" : "");
        lw_mech *mech;
        lw_model *m = compile_text("one.xml", text, &mech);
        CHECK_INT(m->nq, row->nq);
        CHECK_INT(m->nv, row->nv);
        for (int k = 0; k < row->nv && row->nv > 1; ++k) {
            char name[40];
            snprintf(name, sizeof name, "j.%s", row->velocity[k]);
            CHECK_TEXT(m->velocity_name[k], name);
        }
        char *written = NULL;
        size_t size = 0;
        CHECK_INT(lw_save_text(mech, LW_FORMAT_LINKWORK, &written, &size, NULL), LW_OK);
        lw_mech *again;
        lw_model *n = compile_text("again.xml", written, &again);
        CHECK(lw_model_hash(m) == lw_model_hash(n));
        free(written);
        lw_model_destroy(m);
        lw_model_destroy(n);
        lw_mech_destroy(mech);
        lw_mech_destroy(again);
    }
}

static bool is_listed(const char *const *list, const char *word)
{
    while (*list && strcmp(*list, word) != 0) {
        ++list;
    }
    return *list != NULL;
}

TEST(every_part_kind_has_a_row_in_both_tables)
{
    for (int k = LWI_FIRST_KIND; k < LWI_KIND_COUNT; ++k) {
        const lw_part_kind kind = (lw_part_kind)k;
        const lwi_kind_row *row = lwi_kind_row_of(kind);
        const lwi_native_kind *element = lwi_native_kind_of(kind);
        CHECK(row->name && *row->name && row->size > 0);
        CHECK(kind == LW_PART_ASSEMBLY || (row->validate && row->location > 0));
        CHECK((row->numbers > 0) == (row->count != NULL) &&
              (row->count != NULL) == (row->range != NULL));
        // It is connected to frames or to axes, and the element names what to.
        const bool has_axes = row->axis || row->port[LWI_PORT_AXIS].name;
        CHECK(row->port[LWI_PORT_A].name || row->port[LWI_PORT_B].name || has_axes);
        CHECK(row->has_axes_only == (element->axes[0] != NULL));
        CHECK((row->port[LWI_PORT_A].name != NULL) == (element->connected[0] != NULL));
        CHECK(row->is_closer == (element->connected[1] != NULL));
        CHECK(element->add || element->set_default);
        // The grammar has the element and all of its attributes.
        for (int i = 0; i < 2 && element->element[i]; ++i) {
            const char *const *attributes = lwi_native_attributes(element->element[i]);
            CHECK(attributes != NULL);
            CHECK_INT(lwi_native_kind_of_element(element->element[i]), kind);
            CHECK(is_listed(lwi_native_children("linkwork"), element->element[i]));
            for (int f = 0; f < element->nfield; ++f) {
                CHECK(!element->field[f].attr || is_listed(attributes, element->field[f].attr));
            }
            CHECK(!element->connected[0] || is_listed(attributes, element->connected[0]));
            CHECK(!element->axes[0] || is_listed(attributes, element->axes[0]));
            CHECK(!row->role || is_listed(attributes, "role"));
        }
    }
    for (int i = 0; i < LWI_NATIVE_DOF_FIELDS; ++i) {
        CHECK(is_listed(lwi_native_attributes("joint"), lwi_native_dof_field[i].attr));
        CHECK(is_listed(lwi_native_attributes("dof"), lwi_native_dof_field[i].attr));
    }
    CHECK_TEXT(lw_part_kind_name((lw_part_kind)LWI_KIND_COUNT), "removed part");
}

int main(void)
{
    RUN(every_joint_type_has_a_row);
    RUN(every_joint_type_is_read_compiled_and_written);
    RUN(every_part_kind_has_a_row_in_both_tables);
    return REPORT();
}
