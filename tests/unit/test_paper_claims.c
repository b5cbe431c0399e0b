// What papers 001 and 002 say of closed forms, item by item, beyond the printed equations that
// test_closed_form.c has.
#include "check.h"
#include "compiled.h"
#include "load_text.h"
#include "objects.h"
#include "reference.h"

#include <linkwork/dynamics.h>
#include <linkwork/generate.h>
#include <linkwork/kinematics.h>
#include <linkwork/symbolic.h>

#include "sym/poly.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lw_derivation *derive(const lw_model *m, unsigned functions, lw_form form, bool is_symbolic)
{
    lw_derivation *d = NULL;
    lw_derive_options o = lw_default_derive_options();
    o.functions = functions;
    o.form = form;
    o.effort = 0;
    o.is_symbolic = is_symbolic;
    o.is_apart = true;
    CHECK_INT(lw_derive(m, &o, &d, NULL), LW_OK);
    return d;
}

static void random_state(int n, double *x, double size)
{
    for (int i = 0; i < n; ++i) {
        x[i] = check_random(-size, size);
    }
}

// --- Kinematics -------------------------------------------------------------------------------

TEST(K09_symbolic_poses_are_the_numeric_ones_at_a_thousand_points)
{
    static const char *const name[] = {"scara.xml", "puma560.xml", "stanford.xml", "vibran6.xml"};
    check_seed(9);
    for (size_t f = 0; f < sizeof name / sizeof *name; ++f) {
        lw_model *m = shipped_model(name[f]);
        const int nframe = m ? lw_function_size(m, LW_FUNCTION_POSES) / 12 : 0;
        lw_derivation *d = derive(m, 1u << LW_FUNCTION_POSES, LW_FORM_CHEAPEST, true);
        lw_data *data = new_data(m);
        lw_pose *X = calloc((size_t)nframe + 1, sizeof *X);
        double *Y = calloc(12 * (size_t)nframe + 1, sizeof *Y);
        double q[12], worst = 0.0;
        check_case("%s", name[f]);
        for (int point = 0; point < 1000 && d && data; ++point) {
            random_state(m->nq, q, 3.0);
            CHECK_INT(lw_derivation_run(d, LW_FUNCTION_POSES, q, NULL, NULL, 0, NULL, Y), LW_OK);
            CHECK_INT(lw_forward_position(m, data, q), LW_OK);
            CHECK_INT(lw_frame_poses(m, data, X), LW_OK);
            for (int i = 0; i < nframe; ++i) {
                const lw_vec3 *row = X[i].R.row;
                const double want[12] = {row[0].x, row[0].y, row[0].z, row[1].x,
                                         row[1].y, row[1].z, row[2].x, row[2].y,
                                         row[2].z, X[i].p.x, X[i].p.y, X[i].p.z};
                for (int k = 0; k < 12; ++k) {
                    worst = fmax(worst, fabs(want[k] - Y[12 * i + k]));
                }
            }
        }
        // A dozen roundings of numbers up to 3.
        CHECK_NEAR(worst, 0.0, 1e-14);
        free(X);
        free(Y);
        lw_data_destroy(data);
        lw_derivation_destroy(d);
        lw_model_destroy(m);
    }
}

// --- Energies ---------------------------------------------------------------------------------

// A body that turns about two axes at once has w = (v2, 0, v1) in its frame at q2 = 0, so that its
// energy shows the entry xz of the tensor, with its own sign, about the centre of mass. Files and
// functions have entries of the tensor; eq. 2 of Wenz 2006 has their negatives (below).
static const char tilting[] =
    "<linkwork version='1' name='tilt' angle='degree'><ground gravity='0 0 0'/>"
    "<joint name='j1' type='revolute' axis='0 0 1' from='ground' to='l1'/>"
    "<link name='l1'/>"
    "<joint name='j2' type='revolute' axis='1 0 0' from='l1' to='l2'/>"
    "<link name='l2' mass='2' center='0.1 0.2 0.3' inertia='1.1 1.2 1.3 0.01 0.02 0.03'/>"
    "</linkwork>";

TEST(K14_energy_has_the_tensor_about_the_centre_with_its_own_signs)
{
    lw_model *m = compile_text("tilt.xml", tilting, NULL);
    lw_derivation *d =
        derive(m, 1u << LW_FUNCTION_ENERGY | 1u << LW_FUNCTION_MASS_MATRIX, LW_FORM_CHEAPEST, true);
    const double q[2] = {0.7, 0.0}, v[2] = {3.0, 5.0};
    // w = (5, 0, 3) and the centre moves with w x r, |w x r|^2 = |w|^2 |r|^2 - (w.r)^2.
    const double turning = 0.5 * (1.1 * 25 + 1.3 * 9 + 2 * 0.02 * 15);
    const double moving = 0.5 * 2.0 * (34 * 0.14 - 1.4 * 1.4);
    double E[2], M[4];
    if (d) {
        CHECK_INT(lw_derivation_run(d, LW_FUNCTION_ENERGY, q, v, NULL, 0, NULL, E), LW_OK);
        CHECK_NEAR(E[0], turning + moving, 1e-13);
        CHECK_INT(lw_derivation_run(d, LW_FUNCTION_MASS_MATRIX, q, NULL, NULL, 0, NULL, M), LW_OK);
        CHECK_NEAR(M[0] * 9 + 2 * M[1] * 15 + M[3] * 25, 2 * E[0], 1e-12);
    }
    lw_derivation_destroy(d);
    lw_model_destroy(m);
}

// Four points, in pairs about the centre of mass at (0.1, 0.2, 0.3): what products of inertia mean
// is told by these alone.
static const lw_vec3 pair[2] = {{0.3, 0.1, 0.2}, {-0.1, 0.4, 0.25}};

static lw_model *model_of_points(double products[3])
{
    char text[700];
    double moment[3] = {0, 0, 0};
    products[0] = products[1] = products[2] = 0;
    for (int k = 0; k < 2; ++k) { // two points of 0.5 kg each
        const lw_vec3 r = pair[k];
        moment[0] += r.y * r.y + r.z * r.z;
        moment[1] += r.x * r.x + r.z * r.z;
        moment[2] += r.x * r.x + r.y * r.y;
        products[0] += r.x * r.y;
        products[1] += r.x * r.z;
        products[2] += r.y * r.z;
    }
    snprintf(text, sizeof text,
             "<linkwork version='1' name='points'><ground gravity='0 0 0'/>"
             "<joint name='j1' type='revolute' axis='0 0 1' from='ground' to='l1'/>"
             "<link name='l1'/>"
             "<joint name='j2' type='revolute' axis='1 0 0' from='l1' to='l2'/>"
             "<link name='l2' mass='2' center='0.1 0.2 0.3' inertia='%.17g %.17g %.17g %.17g %.17g "
             "%.17g'/></linkwork>",
             moment[0], moment[1], moment[2], -products[0], -products[1], -products[2]);
    return compile_text("points.xml", text, NULL);
}

static double energy_of_points(const double q[2], const double v[2])
{
    const lw_vec3 w = {v[1], sin(q[1]) * v[0], cos(q[1]) * v[0]}, center = {0.1, 0.2, 0.3};
    double sum = 0;
    for (int k = 0; k < 4; ++k) {
        const lw_vec3 r = lw_add3(center, lw_scale3(k % 2 ? 1 : -1, pair[k / 2]));
        const lw_vec3 velocity = lw_cross3(w, r);
        sum += 0.5 * 0.5 * lw_dot3(velocity, velocity);
    }
    return sum;
}

// Eq. 2 of Wenz 2006 has -Ixy in the tensor: Ixy is the integral of x y dm. Joints act about z of
// their body's frame: its axes x, y, z are y, z, x of the file.
TEST(K04_K12_products_of_inertia_are_entries_of_the_tensor_or_those_of_equation_2)
{
    static const char *const name[3] = {"Iyz2", "Ixy2", "Ixz2"}; // of x z, y z, x y in the file
    double product[3];
    lw_model *m = model_of_points(product);
    const double value[3] = {product[1], product[2], product[0]};
    for (int is_integral = 0; is_integral < 2 && m; ++is_integral) {
        lw_derive_options o = lw_default_derive_options();
        lw_derivation *d = NULL;
        o.functions = 1u << LW_FUNCTION_ENERGY;
        o.effort = 0;
        o.is_symbolic = true;
        o.has_product_integrals = is_integral > 0;
        check_case(is_integral ? "integrals" : "entries");
        CHECK_INT(lw_derive(m, &o, &d, NULL), LW_OK);
        int found = 0;
        for (int s = 0; s < lw_derivation_nsymbol(d); ++s) {
            const lw_symbol_info info = lw_derivation_symbol(d, s);
            for (int i = 0; i < 3; ++i) {
                if (strcmp(info.symbol, name[i]) == 0) {
                    CHECK_NEAR(info.value, is_integral ? value[i] : -value[i], 1e-15);
                    ++found;
                }
            }
        }
        CHECK_INT(found, 3);
        const double q[2] = {0.7, 0.4}, v[2] = {3.0, 5.0};
        double E[2];
        CHECK_INT(lw_derivation_run(d, LW_FUNCTION_ENERGY, q, v, NULL, 0, NULL, E), LW_OK);
        CHECK_NEAR(E[0], energy_of_points(q, v), 1e-13);
        char *text = NULL;
        CHECK_INT(lw_derivation_document(d, LW_DOCUMENT_LATEX, &text), LW_OK);
        CHECK(text && strstr(text, is_integral ? "I_{xx} & -I_{xy} & -I_{xz} \\\\\n-I_{xy} & I_{yy}"
                                               : "I_{xx} & I_{xy} & I_{xz} \\\\\nI_{xy} & I_{yy}"));
        lw_text_free(text);
        lw_derivation_destroy(d);
    }
    lw_model_destroy(m);
}

// Slender links have equal moments across: the symbol is that about the joint's axis.
TEST(K13_a_planar_arm_has_the_moment_about_its_joints)
{
    static const char arm[] =
        "<linkwork version='1' name='planar'><ground/>"
        "<joint name='j1' type='revolute' axis='0 1 0' from='ground' to='l1'/>"
        "<link name='l1' mass='2' center='0.2 0 0' inertia='0.001 0.03 0.03'><b xyz='0.4 0 "
        "0'/></link>"
        "<joint name='j2' type='revolute' axis='0 1 0' from='l1.b' to='l2'/>"
        "<link name='l2' mass='1' center='0.15 0 0' inertia='0.02 0.02 0.02'/></linkwork>";
    lw_model *m = compile_text("planar.xml", arm, NULL);
    lw_derivation *d = derive(m, 1u << LW_FUNCTION_INVERSE_DYNAMICS, LW_FORM_LAGRANGE, true);
    char *text = NULL;
    CHECK_INT(lw_derivation_document(d, LW_DOCUMENT_LATEX, &text), LW_OK);
    CHECK(text && strstr(text, "I_{zz1}") && strstr(text, "I_{zz2}"));
    CHECK(text && !strstr(text, "I_{yy2}") && !strstr(text, "I_{xx2}"));
    CHECK(text && strstr(text, "\\dot q_{1}") && strstr(text, "M(q) =\n\\begin{pmatrix}"));
    const char *M = text ? strstr(text, "M(q) =\n\\begin{pmatrix}") : NULL;
    const char *end = M ? strstr(M, "pmatrix}\n\\end") : NULL;
    const char *moment = M ? strstr(M, "I_{zz1}") : NULL;
    CHECK(moment && end && moment < end);
    lw_text_free(text);
    lw_derivation_destroy(d);
    lw_model_destroy(m);
}

// One symbol for each of mass, centre and tensor of a body, none of which moves: the 6x6 matrix of
// eq. 3 is made of these and nothing else. Joints act about z of their body's frame, which is x of
// the file here: its axes y, z, x are x, y, z.
TEST(K13_a_body_has_ten_symbols_that_do_not_depend_on_time)
{
    lw_model *m = compile_text("tilt.xml", tilting, NULL);
    lw_derivation *d = derive(m, 1u << LW_FUNCTION_INVERSE_DYNAMICS, LW_FORM_CHEAPEST, true);
    static const char *const name[10] = {"m2",   "rx2",  "ry2",  "rz2",  "Ixx2",
                                         "Iyy2", "Izz2", "Ixy2", "Ixz2", "Iyz2"};
    static const double value[10] = {2, 0.2, 0.3, 0.1, 1.2, 1.3, 1.1, 0.03, 0.01, 0.02};
    for (int i = 0; i < 10; ++i) {
        int found = 0;
        for (int s = 0; s < lw_derivation_nsymbol(d); ++s) {
            const lw_symbol_info info = lw_derivation_symbol(d, s);
            if (strcmp(info.symbol, name[i]) == 0) {
                ++found;
                CHECK_NEAR(info.value, value[i], 1e-15);
            }
        }
        check_case("%s", name[i]);
        CHECK_INT(found, 1);
    }
    lw_derivation_destroy(d);
    lw_model_destroy(m);
}

// --- Structure --------------------------------------------------------------------------------

static void document_of(const char *model, lw_form form, unsigned functions, char **text)
{
    lw_model *m = shipped_model(model);
    lw_derivation *d = derive(m, functions, form, true);
    CHECK_INT(lw_derivation_document(d, LW_DOCUMENT_TEXT, text), LW_OK);
    lw_derivation_destroy(d);
    lw_model_destroy(m);
}

TEST(K18_K25_the_document_lists_terms_and_shows_the_structure_of_the_scara)
{
    char *text = NULL;
    document_of("scara.xml", LW_FORM_LAGRANGE, 1u << LW_FUNCTION_ELEMENTS, &text);
    if (CHECK(text)) {
        // Elements of M that are not listed vanish: column 3 but for M33.
        static const char *const none[] = {"\nM13", "\nM23", "\nM34"};
        for (size_t i = 0; i < sizeof none / sizeof *none; ++i) {
            check_case("%s", none[i] + 1);
            CHECK(strstr(text, none[i]) == NULL);
        }
        CHECK_HAS(text, "\nM33 = m3 + m4\n");
        CHECK_HAS(text, "\nM14 = -Izz4\n");
        CHECK_HAS(text, "\nM24 = -Izz4\n");
        CHECK_HAS(text, "\nM44 = Izz4\n");
        // The weight does not hang on any angle.
        CHECK_HAS(text, "\nG1 = 0\nG2 = 0\nG3 = -(m3 + m4)*g\nG4 = 0\n");
    }
    lw_text_free(text);
}

TEST(V14_counts_stand_beside_those_of_the_literature)
{
    char *text = NULL;
    document_of("vibran6.xml", LW_FORM_RECURSIVE, 1u << LW_FUNCTION_INVERSE_DYNAMICS, &text);
    if (CHECK(text)) {
        static const char *const method[] = {"Luh", "Angeles", "Balafoutis", "Mata"};
        static const char *const products[] = {"852", "521", "489", "475"};
        for (int i = 0; i < 4; ++i) {
            const char *at = strstr(text, method[i]);
            check_case("%s", method[i]);
            if (CHECK(at)) {
                char line[200] = "";
                sscanf(at, "%199[^\n]", line);
                CHECK_HAS(line, products[i]);
            }
        }
    }
    lw_text_free(text);
}

// --- Paper 002 --------------------------------------------------------------------------------

// One derivation serves both problems: forces from accelerations, and these back from the forces.
TEST(V04_the_same_elements_solve_the_direct_and_the_inverse_problem)
{
    lw_model *m = shipped_model("puma560.xml");
    const unsigned both = 1u << LW_FUNCTION_INVERSE_DYNAMICS | 1u << LW_FUNCTION_FORWARD_DYNAMICS;
    lw_derivation *d = derive(m, both, LW_FORM_CHEAPEST, false);
    double q[6], v[6], a[6], tau[6], back[6];
    check_seed(4);
    for (int k = 0; k < 20 && d; ++k) {
        random_state(6, q, 2.0);
        random_state(6, v, 2.0);
        random_state(6, a, 5.0);
        CHECK_INT(lw_derivation_run(d, LW_FUNCTION_INVERSE_DYNAMICS, q, v, a, 0, NULL, tau), LW_OK);
        CHECK_INT(lw_derivation_run(d, LW_FUNCTION_FORWARD_DYNAMICS, q, v, tau, 0, NULL, back),
                  LW_OK);
        for (int i = 0; i < 6; ++i) {
            // The mass matrix is conditioned no worse than 100.
            CHECK_NEAR(back[i], a[i], 1e-12);
        }
    }
    lw_derivation_destroy(d);
    lw_model_destroy(m);
}

static int count(const char *text, const char *word)
{
    int n = 0;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        ++n;
    }
    return n;
}

// Numbers are folded in and none of them is what rounding leaves of a cancelled term: all masses of
// the robot are of size 0.1 and all lengths of 0.01 and more, but its first moments are 1e-7.
TEST(V05_numbers_are_folded_in_and_no_term_is_rounding)
{
    lw_model *m = shipped_model("vibran6.xml");
    for (int form = LW_FORM_LAGRANGE; form <= LW_FORM_UICKER; ++form) {
        lw_derivation *d = derive(m, 1u << LW_FUNCTION_ELEMENTS, (lw_form)form, false);
        char *text = NULL;
        check_case("%s", lw_form_name((lw_form)form));
        CHECK_INT(lw_derivation_nsymbol(d), 0);
        if (CHECK_INT(lw_derivation_document(d, LW_DOCUMENT_TEXT, &text), LW_OK)) {
            CHECK(strstr(text, "e-13*") != NULL);
            for (int power = 16; power < 40; ++power) {
                char rounding[16];
                snprintf(rounding, sizeof rounding, "e-%d", power);
                CHECK_INT(count(text, rounding), 0);
            }
        }
        lw_text_free(text);
        lw_derivation_destroy(d);
    }
    lw_model_destroy(m);
}

TEST(V06_code_has_one_sine_and_one_cosine_a_joint_or_none)
{
    lw_model *m = shipped_model("puma560.xml");
    for (int is_input = 0; is_input < 2; ++is_input) {
        lw_derivation *d = NULL;
        lw_derive_options o = lw_default_derive_options();
        o.effort = 0;
        o.is_sincos_input = is_input == 1;
        CHECK_INT(lw_derive(m, &o, &d, NULL), LW_OK);
        lw_generate_options code = lw_default_generate_options();
        code.sincos = LW_SINCOS_LIBRARY; // which are counted by their names
        code.prefix = "arm";
        char *text = NULL;
        size_t size = 0;
        CHECK_INT(lw_generate(d, &code, &text, &size, NULL), LW_OK);
        lw_counts counts = {0};
        if (CHECK(text) && CHECK(compiled_recount(text, "_inverse_dynamics(", &counts))) {
            // Joint 1 turns about the vertical: nothing hangs on its angle.
            CHECK_INT(counts.sincos, is_input ? 0 : 2 * 5);
        }
        lw_text_free(text);
        lw_derivation_destroy(d);
    }
    lw_model_destroy(m);
}

// --- The algebra of Bansevicius 2004 ----------------------------------------------------------

TEST(V07_polynomials_keep_the_laws_of_a_ring_with_sines)
{
    lwi_polys s = {.status = LW_OK};
    const lwi_poly x = lwi_poly_of(&s, 1.0, lwi_poly_variable(&s, LWI_VAR_POSITION, 1, "q2"));
    const lwi_poly m = lwi_poly_of(&s, 1.0, lwi_poly_variable(&s, LWI_VAR_PARAMETER, 0, "m1"));
    const lwi_poly c = lwi_poly_of(&s, 1.0, lwi_poly_variable(&s, LWI_VAR_COSINE, 0, "c1"));
    const lwi_poly n = lwi_poly_of(&s, 1.0, lwi_poly_variable(&s, LWI_VAR_SINE, 0, "s1"));
    const lwi_poly one = lwi_poly_number(&s, 1.0);
    // A sum and a product that hold all of them, in two orders.
    const lwi_poly a = lwi_poly_add(&s, lwi_poly_mul(&s, m, c), lwi_poly_scale(&s, 3.0, x));
    const lwi_poly b = lwi_poly_sub(&s, lwi_poly_mul(&s, x, n), lwi_poly_scale(&s, 0.5, m));
    const lwi_poly ab = lwi_poly_mul(&s, a, b);
    CHECK(lwi_poly_equal(&s, ab, lwi_poly_mul(&s, b, a)));
    const lwi_poly apart = lwi_poly_add(&s, lwi_poly_mul(&s, a, a), lwi_poly_mul(&s, a, b));
    CHECK(lwi_poly_equal(&s, lwi_poly_mul(&s, a, lwi_poly_add(&s, a, b)), apart));
    CHECK_INT(lwi_poly_sub(&s, ab, ab).n, 0);
    // s^2 = 1 - c^2, also within a product of many.
    const lwi_poly n2 = lwi_poly_mul(&s, n, n), c2 = lwi_poly_mul(&s, c, c);
    CHECK(lwi_poly_equal(&s, lwi_poly_add(&s, n2, c2), one));
    const lwi_poly n4 = lwi_poly_mul(&s, n2, n2), c4 = lwi_poly_mul(&s, c2, c2);
    const lwi_poly difference = lwi_poly_sub(&s, c4, n4);
    CHECK(lwi_poly_equal(&s, difference, lwi_poly_sub(&s, c2, n2)));
    // (ab)' = a' b + a b', by an angle and by a way.
    for (int joint = 0; joint < 2; ++joint) {
        const lwi_poly left = lwi_poly_mul(&s, lwi_poly_derivative(&s, a, joint), b);
        const lwi_poly right = lwi_poly_mul(&s, a, lwi_poly_derivative(&s, b, joint));
        const lwi_poly both = lwi_poly_add(&s, left, right);
        CHECK(lwi_poly_equal(&s, lwi_poly_derivative(&s, ab, joint), both));
        CHECK(both.n > 0);
    }
    CHECK_INT(s.status, LW_OK);
    lwi_polys_free(&s);
}

// A difference of large numbers that cancels once more leaves nothing, whatever it was rounded to.
TEST(V07_what_cancels_in_several_steps_leaves_nothing)
{
    lwi_polys s = {.status = LW_OK};
    const int variable = lwi_poly_variable(&s, LWI_VAR_PARAMETER, 0, "p");
    const lwi_poly tenth = lwi_poly_of(&s, 0.1, variable), fifth = lwi_poly_of(&s, 0.2, variable);
    const lwi_poly small = lwi_poly_of(&s, 1e-13, variable);
    // 0.1 + 0.2 is not 0.3 in binary; one part of it is 1e-13 away from that.
    const lwi_poly sum = lwi_poly_add(&s, lwi_poly_add(&s, tenth, fifth), small);
    const lwi_poly left = lwi_poly_sub(&s, sum, lwi_poly_of(&s, 0.3, variable));
    if (CHECK_INT(left.n, 1)) {
        CHECK_NEAR(left.term[0].number, 1e-13, 1e-16);
        CHECK(left.term[0].number != 1e-13);
    }
    CHECK_INT(lwi_poly_sub(&s, left, small).n, 0);
    lwi_polys_free(&s);
}

TEST(V16_the_table_of_the_flexible_robot_is_found_from_its_axes)
{
    char *text = NULL;
    document_of("vibran6.xml", LW_FORM_RECURSIVE, 1u << LW_FUNCTION_INVERSE_DYNAMICS, &text);
    // Paul's columns moved down by a row are Craig's: a quarter turn before joints 3, 5 and 6, and
    // 0.04 m before joint 4. The last length of the paper goes into the gripper.
    static const double alpha[6] = {0, 0, 1.5708, 0, -1.5708, -1.5708};
    static const char *const length[6] = {"0", "0", "0", "0.04", "0", "0"};
    const char *at = text ? strstr(text, "alpha(i-1)") : NULL;
    at = at ? strchr(at, '\n') : NULL;
    for (int i = 0; i < 6 && CHECK(at); ++i, at = strchr(at + 1, '\n')) {
        int number = 0;
        double turn = -9;
        char a[32] = "", d[32] = "", theta[32] = "";
        check_case("row %d", i + 1);
        CHECK_INT(sscanf(at, "%d %lf %31s %31s %31s", &number, &turn, a, d, theta), 5);
        CHECK_INT(number, i + 1);
        CHECK_NEAR(turn, alpha[i], 1e-12);
        CHECK_TEXT(a, length[i]);
        CHECK_TEXT(d, "0");
    }
    lw_text_free(text);
}

// A chain of n joints whose links have these attributes.
static lw_model *chain(int n, const char *link)
{
    char text[4000];
    int used = snprintf(text, sizeof text,
                        "<linkwork version='1' name='chain' angle='degree'>"
                        "<ground gravity='0 0 -9.81'/>");
    for (int i = 1; i <= n; ++i) {
        char from[16] = "ground";
        if (i > 1) {
            snprintf(from, sizeof from, "l%d", i - 1);
        }
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "<joint name='j%d' type='revolute' from='%s' to='l%d'><craig "
                         "alpha='%d' a='0.3' theta='0' d='0.2'/></joint><link name='l%d' %s/>",
                         i, from, i, i % 2 ? 90 : -90, i, link);
    }
    snprintf(text + used, sizeof text - (size_t)used, "</linkwork>");
    return compile_text("chain.xml", text, NULL);
}

static const char every_parameter[] =
    "mass='1.1' center='0.1 0.2 0.3' inertia='1 1.1 1.2 0.01 0.02 0.03'";

static int products(const lw_model *m, lw_function function, lw_form form)
{
    lw_derivation *d = derive(m, 1u << function, form, true);
    const int n = lw_derivation_counts(d, function).mul;
    lw_derivation_destroy(d);
    return n;
}

// Traces with all their zeros, the derivatives of the matrices being given: 64 products for
// dW_j/dq_i J_j, and 16 for each second derivative that it meets.
TEST(V08_products_with_zeros_are_skipped)
{
    int plain = 0;
    for (int j = 1; j <= 6; ++j) {
        plain += j * 64 + j * (j * (j + 1) / 2) * 16;
    }
    lw_model *m = shipped_model("vibran6.xml");
    const int ours = products(m, LW_FUNCTION_INVERSE_DYNAMICS, LW_FORM_UICKER);
    check_case("%d products", ours);
    CHECK(ours > 0);
    CHECK(5 * ours < plain);
    lw_model_destroy(m);
}

// Each product of elements of two matrices is counted, and those that meet a zero: here against the
// zeros of a turn about z and of one about x, which are looked up one by one.
TEST(V08_products_that_meet_a_zero_are_counted)
{
    lwi_polys s = {.status = LW_OK};
    const lwi_poly c = lwi_poly_of(&s, 1.0, lwi_poly_variable(&s, LWI_VAR_COSINE, 0, "c1"));
    const lwi_poly n = lwi_poly_of(&s, 1.0, lwi_poly_variable(&s, LWI_VAR_SINE, 0, "s1"));
    const lwi_poly one = lwi_poly_number(&s, 1.0), none = {NULL, 0};
    const lwi_poly Z[3][3] = {{c, n, none}, {n, c, none}, {none, none, one}};
    const lwi_poly X[3][3] = {{one, none, none}, {none, c, n}, {none, n, c}};
    int want = 0;
    for (int i = 0; i < 27; ++i) {
        const lwi_poly *a = &Z[i / 9][i % 3], *b = &X[i % 3][i / 3 % 3];
        want += a->n == 0 || b->n == 0;
        lwi_poly_mul(&s, *a, *b);
    }
    CHECK_INT((int)s.nproduct, 27);
    CHECK_INT((int)s.nskipped, want);
    CHECK_INT(want, 27 - (2 * 1 + 2 * 2 + 1 * 2)); // column by row
    lwi_polys_free(&s);
    // The robot of the paper: more than half of all.
    char *text = NULL;
    document_of("vibran6.xml", LW_FORM_UICKER, 1u << LW_FUNCTION_INVERSE_DYNAMICS, &text);
    long long all = 0, skipped = 0;
    for (char *at = text; at && *at; ++at) {
        *at = *at == '\n' ? ' ' : *at; // lines break anywhere
    }
    const char *at = text ? strstr(text, " products of elements of matrices") : NULL;
    while (at && at > text && at[-1] != ' ') {
        --at;
    }
    if (CHECK(at) &&
        CHECK_INT(sscanf(at, "%lld products of elements of matrices on the way to them %lld", &all,
                         &skipped),
                  2)) {
        check_case("%lld of %lld", skipped, all);
        CHECK(2 * skipped > all && skipped < all);
    }
    lw_text_free(text);
}

// The plain recursion grows in proportion to the joints; traces, with all derivatives of all links,
// by their fourth power or more. Counted on chains that have every parameter, before any search.
TEST(V15_recursions_grow_in_proportion_and_closed_forms_explode)
{
    const lw_function function = LW_FUNCTION_INVERSE_DYNAMICS;
    double recursive[6] = {0}, traces[6] = {0};
    for (int n = 2; n <= 5; ++n) {
        lw_model *m = chain(n, every_parameter);
        recursive[n] = products(m, function, LW_FORM_RECURSIVE);
        traces[n] = n < 5 ? products(m, function, LW_FORM_UICKER) : 0.0;
        lw_model_destroy(m);
    }
    // The same for every further joint: differences that differ by no more than a tenth.
    CHECK_NEAR((recursive[5] - recursive[4]) / (recursive[4] - recursive[3]), 1.0, 0.1);
    CHECK(traces[4] / traces[3] > 256.0 / 81.0);
    CHECK(traces[4] > 2 * recursive[4]);
}

int main(void)
{
    RUN(K09_symbolic_poses_are_the_numeric_ones_at_a_thousand_points);
    RUN(K14_energy_has_the_tensor_about_the_centre_with_its_own_signs);
    RUN(K04_K12_products_of_inertia_are_entries_of_the_tensor_or_those_of_equation_2);
    RUN(K13_a_planar_arm_has_the_moment_about_its_joints);
    RUN(K13_a_body_has_ten_symbols_that_do_not_depend_on_time);
    RUN(K18_K25_the_document_lists_terms_and_shows_the_structure_of_the_scara);
    RUN(V14_counts_stand_beside_those_of_the_literature);
    RUN(V04_the_same_elements_solve_the_direct_and_the_inverse_problem);
    RUN(V05_numbers_are_folded_in_and_no_term_is_rounding);
    RUN(V06_code_has_one_sine_and_one_cosine_a_joint_or_none);
    RUN(V07_polynomials_keep_the_laws_of_a_ring_with_sines);
    RUN(V07_what_cancels_in_several_steps_leaves_nothing);
    RUN(V08_products_with_zeros_are_skipped);
    RUN(V08_products_that_meet_a_zero_are_counted);
    RUN(V15_recursions_grow_in_proportion_and_closed_forms_explode);
    RUN(V16_the_table_of_the_flexible_robot_is_found_from_its_axes);
    return REPORT();
}
