// Diagnostics of what reads a compiled model tell where in the description their cause stands.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/symbolic.h>

#include <stdlib.h>
#include <string.h>

static const char light[] =
    "<linkwork version='1' name='light'>\n"
    "  <ground/>\n"
    "  <joint name='a' type='revolute' axis='0 1 0' from='ground' to='l'/>\n"
    "  <link name='l' mass='1' inertia='0.01 0.01 0.01'/>\n"
    "    <joint name='b' type='revolute' from='ground' to='k'/>\n"
    "  <link name='k'/>\n"
    "</linkwork>\n";

static const char table[] = "<linkwork version='1' name='table'>\n"
                            "  <ground/>\n"
                            "  <joint name='a' type='revolute' from='ground' to='l'/>\n"
                            "  <link name='l' mass='1' inertia='0.01 0.01 0.01'/>\n"
                            "  <joint name='b' type='revolute' from='ground' to='k'/>\n"
                            "  <link name='k' mass='1' inertia='0.01 0.01 0.01'/>\n"
                            "  <coupling name='cam' joint='b' of='a' table='0 0 1 0.5 2 2'/>\n"
                            "</linkwork>\n";

// A plate on a ball joint, held by three rods: its attitude is a root of degree eight.
static const char loop[] =
    "<linkwork version='1' name='loop'>\n"
    "<ground><frame name='g1' xyz='0.3 0 0'/><frame name='g2' xyz='-0.1 0.3 0'/></ground>\n"
    "<joint name='slide' type='prismatic' axis='0 0 1' from='ground' to='foot' "
    "xyz='-0.2 -0.2 0'/>\n"
    "<link name='foot' mass='1'/>\n"
    "<joint name='ball' type='spherical' from='ground' to='plate' xyz='0 0 0.4'/>\n"
    "<link name='plate' mass='2' inertia='0.01 0.01 0.02'><frame name='p1' xyz='0.1 0.2 0'/>"
    "<frame name='p2' xyz='-0.2 0.05 0'/><frame name='p3' xyz='0.05 -0.25 0'/></link>\n"
    " <rod name='first' from='ground.g1' to='plate.p1'/>\n"
    "<rod name='second' from='ground.g2' to='plate.p2'/>\n"
    "<rod name='third' from='foot' to='plate.p3'/>\n"
    "</linkwork>\n";

// All diagnostics of a derivation, a line each.
static char *diagnostics_of(const lw_model *m, lw_function function, lw_status want)
{
    lw_report *report = new_report();
    lw_derive_options o = lw_default_derive_options();
    lw_derivation *s = NULL;
    o.functions = 1u << function;
    o.effort = 0;
    CHECK_INT(lw_derive(m, &o, &s, report), want);
    char *text = diagnostics_text(report);
    lw_derivation_destroy(s);
    lw_report_destroy(report);
    return text;
}

static void check_diagnostic(const char *file, const char *text, lw_function function,
                             lw_status want, const char *diagnostic)
{
    lw_model *m = compile_text(file, text, NULL);
    char *found = m ? diagnostics_of(m, function, want) : NULL;
    check_case("%s", diagnostic);
    CHECK(found && strstr(found, diagnostic));
    free(found);
    lw_model_destroy(m);
}

TEST(K26_refusals_and_notes_of_derivations_have_places)
{
    check_diagnostic("light.xml", light, LW_FUNCTION_FORWARD_DYNAMICS, LW_ERR_SINGULAR,
                     "light.xml:5:5: error: the mass matrix is singular in every configuration: "
                     "degree of freedom \"b\"");
    check_diagnostic("table.xml", table, LW_FUNCTION_GRAVITY, LW_ERR_UNSUPPORTED,
                     "table.xml:7:3: error: coupling \"cam\" is a table");
    check_diagnostic("loop.xml", loop, LW_FUNCTION_GRAVITY, LW_OK,
                     "loop.xml:7:2: note: loop \"first\" has no closed form: 3 unknowns");
}

// A model outlives its description, and its copy outlives the model.
TEST(K26_places_go_with_a_copy)
{
    lw_model *m = compile_text("table.xml", table, NULL);
    void *mem = m ? aligned_alloc(64, lw_model_size(m)) : NULL;
    lw_model *copy = mem ? copy_of(m, mem) : NULL;
    lw_model_destroy(m);
    char *found = copy ? diagnostics_of(copy, LW_FUNCTION_GRAVITY, LW_ERR_UNSUPPORTED) : NULL;
    CHECK(found && strstr(found, "table.xml:7:3: error"));
    free(found);
    free(mem);
}

// Where a machine was described is no part of it.
TEST(hashes_do_not_depend_on_the_file)
{
    lw_model *one = compile_text("a.xml", loop, NULL);
    lw_model *other = compile_text("a/very/long/name/of/a/file/in/many/folders/"
                                   "that/does/not/fit/into/a/line/of/memory/loop.xml",
                                   loop, NULL);
    CHECK(one && other && lw_model_hash(one) == lw_model_hash(other));
    CHECK(one && other && lw_model_size(one) != lw_model_size(other));
    lw_model_destroy(one);
    lw_model_destroy(other);
}

int main(void)
{
    RUN(K26_refusals_and_notes_of_derivations_have_places);
    RUN(K26_places_go_with_a_copy);
    RUN(hashes_do_not_depend_on_the_file);
    return REPORT();
}
