// Which level each assembly has, what is told of it, and choices that make no sense.
#include "check.h"
#include "level_choices.h"
#include "load_text.h"
#include "objects.h"

#include <stdlib.h>
#include <string.h>

static lw_level level_of(const lw_mech *mech, const char *options, const char *assembly)
{
    choice_list list;
    read_choices(options, &list);
    const lw_compile_options o = options_at(&list);
    lw_levels *levels = NULL;
    lw_level found = LW_LEVEL_UNSET;
    CHECK_INT(lw_levels_create(mech, &o, &levels), LW_OK);
    for (int i = 0; levels && i < levels->nassembly; ++i) {
        found = strcmp(levels->assembly[i].name, assembly) == 0 ? levels->assembly[i].level : found;
    }
    lw_levels_destroy(levels);
    return found;
}

TEST(R33_nearest_choice_counts_and_options_come_before_files)
{
    lw_mech *mech =
        load_checked("nested.xml", "<linkwork version='1' name='nested'>"
                                   "<assembly name='gear'><link name='l'/></assembly>"
                                   "<assembly name='arm' level='middle'><link name='l'/>"
                                   "<use name='one' assembly='gear' at='l' level='low'/>"
                                   "<use name='two' assembly='gear' at='l'/></assembly>"
                                   "<link name='root'/>"
                                   "<use name='a' assembly='arm' at='root'/>"
                                   "<use name='b' assembly='arm' at='root' level='high'/>"
                                   "<use name='c' assembly='arm' at='root'/>"
                                   "<level assembly='c/two' level='high'/></linkwork>");
    const struct {
        const char *options, *assembly;
        lw_level level;
    } table[] = {{"", "*", LW_LEVEL_LOW},
                 {"", "a", LW_LEVEL_MIDDLE},
                 {"", "a/one", LW_LEVEL_LOW},
                 {"", "a/two", LW_LEVEL_MIDDLE},
                 {"", "b", LW_LEVEL_HIGH},
                 {"", "b/one", LW_LEVEL_HIGH}, // the outer file comes before the inner one
                 {"", "c/two", LW_LEVEL_HIGH},
                 {"", "c/one", LW_LEVEL_LOW},
                 {"*=high", "a/one", LW_LEVEL_HIGH},
                 {"*=middle", "c/two", LW_LEVEL_MIDDLE},
                 {"*=high a=low", "a/two", LW_LEVEL_LOW},
                 {"a/one=middle a=high", "a/one", LW_LEVEL_MIDDLE},
                 {"a/one=middle a=high", "a/two", LW_LEVEL_HIGH},
                 {"a=high a=low", "a", LW_LEVEL_LOW},
                 {"b/one=low", "b", LW_LEVEL_HIGH}};
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        check_case("%s of \"%s\"", table[i].assembly, table[i].options);
        CHECK_INT(level_of(mech, table[i].options, table[i].assembly), table[i].level);
    }
    lw_mech_destroy(mech);
}

TEST(levels_tell_what_each_simplification_changed)
{
    lw_mech *mech = load_checked(LINKWORK_SOURCE_DIR "/models/hr120/hr120.xml", NULL);
    choice_list list;
    read_choices("base=high wrist=middle", &list);
    const lw_compile_options options = options_at(&list);
    lw_levels *levels = NULL;
    CHECK_INT(lw_levels_create(mech, &options, &levels), LW_OK);
    CHECK_INT(levels->nassembly, 3);
    CHECK_TEXT(levels->assembly[1].name, "base");
    CHECK_NEAR(levels->assembly[1].mass_left_out, 128.7, 1e-12);
    CHECK_NEAR(levels->assembly[1].mass_moved, 0.0, 0.0);
    CHECK_NEAR(levels->assembly[2].mass_moved, 39.2, 1e-12);
    int locked = 0, left_out = 0, gears = 0;
    for (int i = 0; i < levels->npart; ++i) {
        const lw_simplified_part *part = &levels->part[i];
        locked += part->is_locked;
        left_out += !part->is_locked;
        gears += strcmp(part->kind, "gear") == 0;
        if (strcmp(part->name, "wrist/motor_B") == 0) {
            CHECK(part->is_locked);
            CHECK_TEXT(part->carrier, "wrist/plate");
            CHECK_NEAR(part->inertia, 0.00105, 1e-15);
        }
        if (strcmp(part->name, "base/balancer") == 0) {
            // Cylinder and piston about the lower pin, the piston 0.5 m above it.
            CHECK_NEAR(part->inertia, 0.35 + 24 * 0.16 * 0.16 + 0.12 + 9 * 0.5 * 0.5, 1e-12);
        }
    }
    CHECK_INT(locked, 26);
    CHECK_INT(gears, 24 + 10);
    // Rotors, wheels and their joints, balancing unit, gears, elastic shafts, motors.
    CHECK_INT(left_out, 54 + 6 + 24 + 10 + 6 + 6);
    lw_levels_destroy(levels);
    lw_mech_destroy(mech);
}

TEST(bad_levels_and_roles_are_refused_with_their_place)
{
    static const struct {
        const char *text, *wanted;
    } table[] = {
        {"<linkwork version='1' name='m' level='hihg'>\n<link name='l'/></linkwork>",
         "bad.xml:1:39: error: <linkwork level=\"hihg\">: there is no such level; did you mean "
         "\"high\"?"},
        {"<linkwork version='1' name='m'>\n<link name='l' role='gear'/></linkwork>",
         "bad.xml:2:22: error: <link role=\"gear\">: there is no such role"},
        {"<linkwork version='1' name='m'>\n<link name='l'/>\n"
         "<level assembly='wirst' level='low'/></linkwork>",
         "bad.xml:3:18: error: there is no assembly \"wirst\": this mechanism has none"},
        {"<linkwork version='1' name='m'>\n<assembly name='x'><link name='l'/></assembly>\n"
         "<use name='wrist' assembly='x'/>\n<level assembly='wirst' level='low'/></linkwork>",
         "bad.xml:4:18: error: there is no assembly \"wirst\"; did you mean \"wrist\"?"},
        {"<linkwork version='1' name='m'>\n<link name='l'/>\n<level assembly='l'/></linkwork>",
         "bad.xml:3:1: error: <level> needs the attribute \"level\""},
        {"<linkwork version='1' name='m'><link name='l'/>"
         "<joint name='j' type='revolute' from='l' to='rotor' role='transmission'/>\n"
         "<link name='rotor' role='structural'/></linkwork>",
         "bad.xml:2:1: error: link \"rotor\" is structural, but is connected to joint \"j\", which "
         "belongs "
         "to the transmission"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        char *lines = diagnostics_of_text("bad.xml", table[i].text);
        CHECK_HAS(lines, table[i].wanted);
        free(lines);
    }
}

TEST(calls_refuse_levels_that_are_not_there)
{
    lw_mech *inside = new_mech("inside"), *mech = new_mech("outside");
    const lw_link_def def = lw_default_link_def();
    lw_link_def link = def;
    link.name = "l";
    lw_add_link(inside, &link);
    const lw_part root = lw_add_link(mech, &link);
    const lw_part part = lw_add_assembly(mech, "part", inside, (lw_location){0});
    CHECK_INT(lw_connect(mech, lw_port_of(mech, root, "b"), lw_port_of(mech, part, "a")), LW_OK);
    CHECK_INT(lw_set_level(mech, root, LW_LEVEL_HIGH), LW_ERR_ARGUMENT);
    CHECK_INT(lw_set_level(mech, part, (lw_level)7), LW_ERR_ARGUMENT);
    CHECK_INT(lw_set_level(inside, (lw_part){-1}, LW_LEVEL_HIGH), LW_ERR_FROZEN);
    CHECK_INT(lw_set_assembly_role(mech, root, LW_ROLE_TRANSMISSION), LW_ERR_ARGUMENT);
    CHECK_INT(lw_set_assembly_role(mech, part, (lw_role)-1), LW_ERR_ARGUMENT);
    CHECK_INT(lw_choose_level(mech, NULL, (lw_location){0}), LW_ERR_ARGUMENT);
    CHECK_INT(lw_set_level(NULL, part, LW_LEVEL_LOW), LW_ERR_ARGUMENT);
    CHECK_INT(lw_levels_create(NULL, NULL, NULL), LW_ERR_ARGUMENT);

    // An assembly that is transmission as a whole.
    CHECK_INT(lw_set_assembly_role(mech, part, LW_ROLE_TRANSMISSION), LW_OK);
    CHECK_INT(lw_set_level(mech, part, LW_LEVEL_HIGH), LW_OK);
    lw_model *m = NULL;
    CHECK_INT(lw_compile(mech, NULL, &m, NULL), LW_OK);
    CHECK_INT(m->nlink, 1);
    lw_model_destroy(m);

    const lw_level_choice bad[] = {{"nobody", LW_LEVEL_LOW}, {"part", LW_LEVEL_UNSET}};
    for (int i = 0; i < 2; ++i) {
        lw_compile_options options = lw_default_compile_options();
        options.level = &bad[i];
        options.nlevel = 1;
        CHECK_INT(lw_compile(mech, &options, &m, NULL), LW_ERR_ARGUMENT);
    }
    lw_mech_destroy(mech);
    lw_mech_destroy(inside);
}

int main(void)
{
    RUN(R33_nearest_choice_counts_and_options_come_before_files);
    RUN(levels_tell_what_each_simplification_changed);
    RUN(bad_levels_and_roles_are_refused_with_their_place);
    RUN(calls_refuse_levels_that_are_not_there);
    return REPORT();
}
