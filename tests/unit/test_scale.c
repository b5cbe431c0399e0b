// Closing loops does not depend on the unit of length: the same mechanism from micrometres to a
// million kilometres has the same angles, and slides in proportion.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/kinematics.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TEXT = 4000, MOST_Q = 32 };

static const double sizes[] = {1.0, 1e-6, 1e-3, 1e3, 1e6, 1e9};

enum { NSIZE = sizeof sizes / sizeof *sizes };

// "@0.35" stands for 0.35 times the size.
static void write_scaled(const char *from, double size, char text[MOST_TEXT])
{
    size_t n = 0;
    while (*from && n < MOST_TEXT - 40) {
        if (*from != '@') {
            text[n++] = *from++;
            continue;
        }
        double x = 0.0;
        int used = 0;
        sscanf(from + 1, "%lf%n", &x, &used);
        n += (size_t)snprintf(text + n, 40, "%.17g", x * size);
        from += 1 + used;
    }
    text[n] = '\0';
}

static const char *const four_bar =
    "<linkwork version='1' name='four_bar'><ground/>"
    "<joint name='crank' type='revolute' axis='0 1 0' from='ground' to='crank' reference='-1'/>"
    "<link name='crank' mass='1'/>"
    "<joint name='coupler' type='revolute' axis='0 1 0' from='crank' to='coupler' xyz='@0.1 0 0' "
    "dependent='true' reference='0.4'/><link name='coupler' mass='1'/>"
    "<joint name='rocker' type='revolute' axis='0 1 0' from='ground' to='rocker' xyz='@0.4 0 0' "
    "dependent='true' reference='-1.6'/><link name='rocker' mass='1'/>"
    "<joint name='pin' type='revolute' axis='0 1 0' closing='true' from='coupler' to='rocker' "
    "xyz='@0.35 0 0'><after xyz='@0.3 0 0'/></joint></linkwork>";

// No joint is marked, and the slide is dependent.
static const char *const slider_crank =
    "<linkwork version='1' name='slider_crank'><ground><frame name='rail' xyz='0 0 "
    "@0.02'/></ground>"
    "<joint name='crank' type='revolute' axis='0 1 0' from='ground' to='crank' reference='-0.7' "
    "max_force='1'/><link name='crank' mass='1'/>"
    "<joint name='rod' type='revolute' axis='0 1 0' from='crank' to='rod' xyz='@0.1 0 0' "
    "reference='1'/><link name='rod' mass='1'/>"
    "<joint name='slide' type='prismatic' axis='1 0 0' from='ground.rail' to='block' "
    "reference='@0.4'/><link name='block' mass='1'/>"
    "<joint name='pin' type='revolute' axis='0 1 0' closing='true' from='rod' to='block' "
    "xyz='@0.35 0 0'/></linkwork>";

// A crank that drives a rocker through a ball joint and a universal joint: a Newton block.
static const char *const spatial =
    "<linkwork version='1' name='spatial'><ground/>"
    "<joint name='crank' type='revolute' axis='0 0 1' from='ground' to='crank' reference='0.3'/>"
    "<link name='crank' mass='1'/>"
    "<joint name='u' type='universal' axis='0 0 1' axis2='0 1 0' from='crank' to='coupler' "
    "xyz='@0.1 0 0' dependent='true'/><link name='coupler' mass='1'/>"
    "<joint name='rocker' type='revolute' axis='1 0 0' from='ground' to='rocker' "
    "xyz='@0.5 @0.1 @-0.3' dependent='true' reference='0.2'/><link name='rocker' mass='1'/>"
    "<joint name='ball' type='spherical' closing='true' from='coupler' to='rocker' "
    "xyz='@0.5 0 0'><after xyz='0 0 @0.35'/></joint></linkwork>";

// A rack within a block: the slide follows the pinion, and a loop hangs on both.
static const char *const rack =
    "<linkwork version='1' name='rack'><ground/>"
    "<joint name='pinion' type='revolute' axis='0 0 1' from='ground' to='pinion' reference='0.3' "
    "dependent='true'/><link name='pinion' mass='1'><frame name='rim' xyz='@0.02 0 0'/></link>"
    "<joint name='slide' type='prismatic' axis='0 1 0' from='ground' to='rack' xyz='@0.03 0 0' "
    "dependent='true'/><link name='rack' mass='1'/>"
    "<gear name='teeth' type='rack' first='pinion' second='rack' radii='@0.03'/>"
    "<joint name='arm' type='revolute' axis='0 0 1' from='rack' to='arm' xyz='@0.05 0 0' "
    "reference='0.9'/><link name='arm' mass='1'><frame name='tip' xyz='@0.1 0 0'/></link>"
    "<rod name='rod' from='arm.tip' to='pinion.rim' length='@0.14'/></linkwork>";

// A slide within a Newton block, beside the ball joint at the end of the coupler.
static const char *const spatial_slide =
    "<linkwork version='1' name='spatial_slide'><ground/>"
    "<joint name='crank' type='revolute' axis='0 0 1' from='ground' to='crank' reference='0.3'/>"
    "<link name='crank' mass='1'/>"
    "<joint name='u' type='universal' axis='0 0 1' axis2='0 1 0' from='crank' to='coupler' "
    "xyz='@0.1 0 0' dependent='true'/><link name='coupler' mass='1'/>"
    "<joint name='slide' type='prismatic' axis='1 0.2 0.1' from='ground' to='block' "
    "xyz='@0.1 @0.1 @-0.1' dependent='true' reference='@0.4'/><link name='block' mass='1'/>"
    "<joint name='ball' type='spherical' closing='true' from='coupler' to='block' "
    "xyz='@0.5 0 0'/></linkwork>";

static bool close_at(const char *text, double size, double move, double *tree_q, char slides[])
{
    char scaled[MOST_TEXT];
    double q[MOST_Q];
    write_scaled(text, size, scaled);
    lw_model *m = compile_text("scaled.xml", scaled, NULL);
    lw_data *d = m ? new_data(m) : NULL;
    bool is_good = CHECK(d != NULL && m->tree_nq <= MOST_Q);
    for (int k = 0; is_good && k < m->nq; ++k) {
        q[k] = m->q_reference[k] + move;
    }
    const double v[MOST_Q] = {1.0}; // rates tell where a configuration counts as singular
    is_good = is_good && CHECK_INT(lw_tree_state(m, d, q, v, NULL, tree_q, NULL, NULL), LW_OK);
    for (int i = 0; is_good && i < m->nbody; ++i) {
        slides[m->q_start[i]] = m->carrier[i] == LW_TREE_PRISMATIC;
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
    return is_good;
}

// To 1e-9: a thousand times what solved loops are off by.
static void check_all_sizes(const char *text, int nq)
{
    double wanted[MOST_Q] = {0}, q[MOST_Q];
    char slides[MOST_Q] = {0};
    for (int move = 0; move < 2; ++move) {
        for (int s = 0; s < NSIZE; ++s) {
            check_case("%.60s: size %g, moved by %g", text, sizes[s], 0.1 * move);
            if (!close_at(text, sizes[s], 0.1 * move, s ? q : wanted, slides)) {
                return;
            }
            for (int k = 0; k < nq && s > 0; ++k) {
                CHECK_NEAR(slides[k] ? q[k] / sizes[s] : q[k], wanted[k], 1e-9);
            }
        }
    }
}

TEST(a_four_bar_of_any_size_closes)
{
    check_all_sizes(four_bar, 3);
}

TEST(a_slider_crank_of_any_size_closes)
{
    check_all_sizes(slider_crank, 3);
}

TEST(a_newton_block_of_any_size_closes)
{
    check_all_sizes(spatial, 4);
}

TEST(a_newton_block_with_a_slide_of_any_size_closes)
{
    check_all_sizes(spatial_slide, 4);
}

TEST(a_rack_in_a_loop_of_any_size_closes)
{
    check_all_sizes(rack, 3);
}

// A gap that is a share of the mechanism is one at every size.
TEST(an_open_loop_of_any_size_is_refused)
{
    const char *const open =
        "<linkwork version='1' name='open'><ground/>"
        "<joint name='a' type='revolute' axis='0 0 1' from='ground' to='a' reference='0.3'/>"
        "<link name='a' mass='1'><frame name='tip' xyz='@0.1 0 0'/></link>"
        "<joint name='b' type='revolute' axis='0 0 1' from='ground' to='b' xyz='@1 0 0' "
        "dependent='true' reference='3'/><link name='b' mass='1'>"
        "<frame name='tip' xyz='@0.1 0 0'/></link>"
        "<rod name='rod' from='a.tip' to='b.tip' length='@0.79'/></linkwork>";
    for (int s = 0; s < NSIZE; ++s) {
        char text[MOST_TEXT];
        write_scaled(open, sizes[s], text);
        char *diagnostics = diagnostics_of_text("open.xml", text);
        check_case("size %g", sizes[s]);
        CHECK_HAS(diagnostics, "cannot be closed");
        free(diagnostics);
    }
}

int main(void)
{
    RUN(a_four_bar_of_any_size_closes);
    RUN(a_slider_crank_of_any_size_closes);
    RUN(a_newton_block_of_any_size_closes);
    RUN(a_newton_block_with_a_slide_of_any_size_closes);
    RUN(a_rack_in_a_loop_of_any_size_closes);
    RUN(an_open_loop_of_any_size_is_refused);
    return REPORT();
}
