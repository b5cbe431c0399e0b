// Machines on feet: poses, forces, stability.
#include "check.h"
#include "load_text.h"
#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static lw_contact_work work;

static lw_vec3 vector(const json_t *value)
{
    double x[3] = {0};
    reference_numbers(value, x, 3);
    return lw_vec3_of(x[0], x[1], x[2]);
}

TEST(C20_the_pose_of_a_body_on_its_feet)
{
    json_t *file = reference_read("mobility_oracles.json");
    if (!file) {
        return;
    }
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(file, "body_pose_from_feet"), i, row)
    {
        lw_vec3 body[8], world[8];
        double weight[8], R[9];
        const int n = (int)json_array_size(json_object_get(row, "feet"));
        for (int k = 0; k < n; ++k) {
            body[k] = vector(json_array_get(json_object_get(row, "body_points"), (size_t)k));
            world[k] = vector(json_array_get(json_object_get(row, "feet"), (size_t)k));
        }
        reference_numbers(json_object_get(row, "weights"), weight, 8);
        reference_numbers(json_object_get(row, "R"), R, 9);
        lw_pose X;
        check_case("row %d", (int)i);
        CHECK_INT(lw_pose_of_points(n, body, world, weight, NULL, &X, NULL), LW_OK);
        for (int k = 0; k < 9; ++k) {
            CHECK_NEAR((&X.R.row[0].x)[k], R[k], 1e-13);
        }
        CHECK_NEAR(lw_norm3(lw_sub3(X.p, vector(json_object_get(row, "t")))), 0, 1e-13);
    }
    json_decref(file);
}

static double deviate(void)
{
    return sqrt(-2 * log(check_random(1e-12, 1))) * cos(check_random(0, 6.283185307179586));
}

// The spread of the estimate is that of Cramer and Rao: (sum of J' J)^-1 times the variance, in all
// six directions. The estimate of a variance of n numbers is itself off by sqrt(2/n): 0.4 % here.
TEST(C20_the_pose_of_feet_is_noise_optimal)
{
    enum { TRIALS = 120000 };
    const lw_vec3 body[4] = {
        {0.3, 0.2, -0.5}, {0.3, -0.2, -0.5}, {-0.3, 0.2, -0.5}, {-0.3, -0.2, -0.5}};
    const double sigma = 1e-4;
    double spread[6] = {0}, worst = 0;
    for (int i = 0; i < TRIALS; ++i) {
        lw_vec3 world[4];
        for (int k = 0; k < 4; ++k) {
            world[k] = lw_add3(body[k],
                               lw_vec3_of(sigma * deviate(), sigma * deviate(), sigma * deviate()));
        }
        lw_pose X;
        CHECK_INT(lw_pose_of_points(4, body, world, NULL, NULL, &X, NULL), LW_OK);
        const lw_vec3 turn = lw_log3(&X.R);
        const double error[6] = {turn.x, turn.y, turn.z, X.p.x, X.p.y, X.p.z};
        for (int k = 0; k < 6; ++k) {
            spread[k] += error[k] * error[k] / (sigma * sigma * TRIALS);
        }
    }
    // Rotations: one over the sum of squares across the axis, from the middle of the feet. The
    // origin is 0.5 m above that middle.
    const double turn[3] = {1 / 0.16, 1 / 0.36, 1 / 0.52};
    const double best[6] = {turn[0], turn[1], turn[2], 0.25 + 0.25 * turn[1], 0.25 + 0.25 * turn[0],
                            0.25};
    for (int k = 0; k < 6; ++k) {
        CHECK_NEAR(spread[k] / best[k], 1, 0.02);
        worst = fmax(worst, fabs(spread[k] / best[k] - 1));
    }
    printf("%d trials: within %.2g %% of the bound of Cramer and Rao\n", TRIALS, 100 * worst);
}

TEST(few_feet_need_a_prior)
{
    const lw_vec3 body[2] = {{0.1, 0, 0}, {-0.1, 0, 0}};
    const lw_mat3 R = lw_rotation_rpy(0.3, 0.1, -0.4);
    const lw_pose prior = {R, {0, 0, 0}};
    lw_vec3 world[2];
    for (int k = 0; k < 2; ++k) {
        world[k] = lw_add3(lw_vec3_of(1, 2, 3), lw_rotate(&R, body[k]));
    }
    lw_pose X;
    double error;
    CHECK_INT(lw_pose_of_points(2, body, world, NULL, NULL, &X, NULL), LW_ERR_SINGULAR);
    CHECK_INT(lw_pose_of_points(2, body, world, NULL, &prior, &X, &error), LW_OK);
    CHECK_NEAR(lw_norm3(lw_sub3(X.R.row[1], R.row[1])), 0, 1e-7);
    CHECK_NEAR(error, 0, 1e-7);
    CHECK_INT(lw_pose_of_points(1, body, world, NULL, &prior, &X, &error), LW_OK);
    CHECK_NEAR(lw_norm3(lw_sub3(X.R.row[1], R.row[1])), 0, 1e-7);
    CHECK_INT(lw_pose_of_points(0, body, world, NULL, &prior, &X, NULL), LW_ERR_ARGUMENT);
}

// --- Forces -----------------------------------------------------------------------------------

static int read_contacts(const json_t *row, lw_foot_contact *contact, lw_force *wrench)
{
    const int n = (int)json_array_size(json_object_get(row, "feet"));
    double w[6];
    for (int k = 0; k < n; ++k) {
        contact[k] = (lw_foot_contact){
            .point = vector(json_array_get(json_object_get(row, "feet"), (size_t)k)),
            .normal = vector(json_array_get(json_object_get(row, "normals"), (size_t)k)),
            .friction = json_number_value(json_object_get(row, "mu")),
            .max_force = json_number_value(json_object_get(row, "f_max"))};
    }
    reference_numbers(json_object_get(row, "wrench_wanted_force_then_moment_about_origin"), w, 6);
    *wrench = (lw_force){{w[3], w[4], w[5]}, {w[0], w[1], w[2]}};
    return n;
}

TEST(C20_contact_forces_of_an_independent_program)
{
    json_t *file = reference_read("mobility_oracles.json");
    if (!file) {
        return;
    }
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(file, "friction_distribution"), i, row)
    {
        lw_foot_contact contact[LW_MAX_CONTACTS];
        lw_vec3 force[LW_MAX_CONTACTS];
        lw_force wrench;
        lw_contact_result result;
        const int n = read_contacts(row, contact, &wrench);
        check_case("row %d", (int)i);
        CHECK_INT(lw_contact_forces(n, contact, &wrench, NULL, &work, force, &result), LW_OK);
        const bool is_feasible = json_is_true(json_object_get(row, "feasible"));
        CHECK_INT(result.status, is_feasible ? LW_CONTACTS_OPTIMAL : LW_CONTACTS_INFEASIBLE);
        for (int k = 0; k < n && is_feasible; ++k) {
            const lw_vec3 wanted =
                vector(json_array_get(json_object_get(row, "forces"), (size_t)k));
            CHECK_NEAR(lw_norm3(lw_sub3(force[k], wanted)), 0, 1e-8);
        }
        CHECK(result.kkt < 1e-9);
        CHECK(is_feasible ? lw_norm3(result.missing.lin) < 1e-9
                          : lw_norm3(result.missing.lin) + lw_norm3(result.missing.ang) > 1e-3);
    }
    json_decref(file);
}

TEST(least_normal_forces_are_those_of_the_closed_form)
{
    const lw_vec3 foot[4] = {{0.2, 0.15, 0}, {0.2, -0.15, 0}, {-0.2, 0.15, 0}, {-0.2, -0.15, 0}};
    const double wanted[4] = {30.9015, 42.6735, 16.1865, 27.9585}; // mg/4 (1 +- x/a +- y/b)
    const lw_vec3 center = {0.05, -0.03, 0}, weight = {0, 0, 12 * 9.81};
    const lw_force wrench = {lw_cross3(center, weight), weight};
    lw_foot_contact contact[4];
    lw_vec3 force[4];
    lw_contact_result result;
    for (int facets = 4; facets <= 8; ++facets) {
        for (int k = 0; k < 4; ++k) {
            contact[k] = (lw_foot_contact){.point = foot[k], .normal = {0, 0, 2}, .friction = 0.5};
        }
        const lw_contact_options options = {.facets = facets};
        CHECK_INT(lw_contact_forces(4, contact, &wrench, &options, &work, force, &result), LW_OK);
        for (int k = 0; k < 4; ++k) {
            CHECK_NEAR(force[k].z, wanted[k], 1e-12);
        }
        CHECK_INT(result.rank, 6);
    }
}

// A block on a slope is held where the slope is at most the friction, by pyramids
// along the slope.
TEST(a_block_on_a_slope_is_held_by_friction)
{
    json_t *file = reference_read("mobility_oracles.json");
    if (!file) {
        return;
    }
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(file, "block_on_slope"), i, row)
    {
        const double slope = json_number_value(json_object_get(row, "slope"));
        for (int k = 0; k < 2; ++k) { // along facets of the pyramid: uphill and downhill
            const lw_mat3 R = lw_rotation_rpy(0, slope, 0),
                          turn = lw_rotation_rpy(0, 0, 3.141592653589793 * k);
            const lw_mat3 both = lw_mul3(&turn, &R);
            lw_foot_contact contact[4];
            for (int c = 0; c < 4; ++c) {
                contact[c] = (lw_foot_contact){
                    .point = lw_rotate(&both, lw_vec3_of(c % 2 ? 1 : -1, c / 2 ? 1 : -1, 0)),
                    .normal = lw_rotate(&both, lw_vec3_of(0, 0, 1)),
                    .friction = json_number_value(json_object_get(row, "mu"))};
            }
            const lw_force wrench = {{0, 0, 0}, {0, 0, 10}};
            lw_vec3 force[4];
            lw_contact_result result;
            check_case("row %d, heading %d", (int)i, k);
            CHECK_INT(lw_contact_forces(4, contact, &wrench, NULL, &work, force, &result), LW_OK);
            CHECK_INT(result.status, json_is_true(json_object_get(row, "feasible"))
                                         ? LW_CONTACTS_OPTIMAL
                                         : LW_CONTACTS_INFEASIBLE);
        }
    }
    json_decref(file);
}

// Whether what is missing proves that no forces give the wrench (J. Farkas, 1902): where the body
// moves as it says, the wrench has more power than any forces can have, and no contact without a
// limit is pushed into but by rounding.
static bool is_proof(int n, const lw_foot_contact *contact, int facets, const lw_force *wrench,
                     const lw_vec3 *force, const lw_force *missing)
{
    lw_vec3 middle = {0, 0, 0};
    double length = 0;
    for (int k = 0; k < n; ++k) {
        middle = lw_add3(middle, lw_scale3(1.0 / n, contact[k].point));
    }
    for (int k = 0; k < n; ++k) {
        length = fmax(length, lw_norm3(lw_sub3(contact[k].point, middle)));
    }
    length = length > 0 ? length : 1;
    const lw_vec3 moment = lw_sub3(missing->ang, lw_cross3(middle, missing->lin)),
                  about = lw_sub3(wrench->ang, lw_cross3(middle, wrench->lin)),
                  turn = lw_scale3(1 / (length * length), moment);
    double power = lw_dot3(wrench->lin, missing->lin) + lw_dot3(about, turn), into = 0, most = 0;
    for (int k = 0; k < n; ++k) {
        const lw_vec3 normal = lw_unit3(contact[k].normal),
                      other = fabs(normal.y) < 0.99 ? lw_vec3_of(0, 1, 0) : lw_vec3_of(1, 0, 0),
                      x = lw_unit3(lw_cross3(normal, other)), y = lw_cross3(normal, x),
                      arm = lw_sub3(contact[k].point, middle),
                      u = lw_add3(missing->lin, lw_cross3(turn, arm));
        double across = facets == 0 ? hypot(lw_dot3(u, x), lw_dot3(u, y)) : -HUGE_VAL;
        for (int i = 0; i < facets; ++i) { // edges of the pyramid
            const double angle = 6.283185307179586 * (i + 0.5) / facets;
            const lw_vec3 edge = lw_add3(lw_scale3(cos(angle), x), lw_scale3(sin(angle), y));
            across = fmax(across, lw_dot3(u, edge) / cos(3.141592653589793 / facets));
        }
        const double along = fmax(lw_dot3(u, normal) + contact[k].friction * across, 0);
        power -= along * contact[k].max_force;
        into = fmax(into, contact[k].max_force > 0 ? 0 : along);
        most = fmax(most, lw_norm3(force[k]));
    }
    const double size = lw_norm3(missing->lin) + length * lw_norm3(turn);
    return power > 0 && into <= 1e-6 * size + 3e-8 * most;
}

// Random contacts on rough ground: conditions of the optimum, whatever the facets.
TEST(forces_of_random_contacts_meet_the_conditions)
{
    int feasible = 0;
    for (int i = 0; i < 400; ++i) {
        const int n = 3 + i % 6;
        lw_foot_contact contact[8];
        lw_vec3 force[8];
        for (int k = 0; k < n; ++k) {
            contact[k] = (lw_foot_contact){
                .point = {check_random(-1, 1), check_random(-1, 1), check_random(-0.2, 0.2)},
                .normal = {check_random(-0.4, 0.4), check_random(-0.4, 0.4), 1},
                .friction = check_random(0.2, 1),
                .max_force = check_random(30, 200),
                .weight = check_random(0.5, 2)};
        }
        const lw_vec3 f = {check_random(-10, 10), check_random(-10, 10), 100};
        const lw_force wrench = {lw_cross3(lw_vec3_of(0.1, 0.1, 0.5), f), f};
        const lw_contact_options options = {.facets = 4 + i % 5};
        lw_contact_result result;
        CHECK_INT(lw_contact_forces(n, contact, &wrench, &options, &work, force, &result), LW_OK);
        check_case("trial %d", i);
        CHECK(result.status != LW_CONTACTS_STOPPED);
        CHECK_NEAR(result.kkt, 0, 1e-9);
        feasible += result.status == LW_CONTACTS_OPTIMAL;
        CHECK(result.status == LW_CONTACTS_OPTIMAL ||
              is_proof(n, contact, options.facets, &wrench, force, &result.missing));
        for (int k = 0; k < n; ++k) {
            const lw_vec3 normal = lw_unit3(contact[k].normal);
            const double along = lw_dot3(force[k], normal);
            const double across = lw_norm3(lw_cross3(force[k], normal));
            CHECK(along > -1e-9 && along < contact[k].max_force + 1e-9);
            const double most = contact[k].friction * along;
            CHECK(across <= most * sqrt(2) + 1e-6);
        }
    }
    CHECK(feasible > 100 && feasible < 400);
}

// The same within exact cones: forces are in them to the last digit; and what pyramids of many
// facets, which stand around the cones, cannot do the cones cannot either.
TEST(C20_forces_within_exact_cones_meet_the_conditions)
{
    int feasible = 0, held = 0, most_steps = 0;
    double worst = 0;
    for (int i = 0; i < 2000; ++i) {
        const int n = 1 + i % LW_MAX_CONTACTS;
        lw_foot_contact contact[LW_MAX_CONTACTS];
        lw_vec3 force[LW_MAX_CONTACTS], wide[LW_MAX_CONTACTS];
        for (int k = 0; k < n; ++k) {
            contact[k] = (lw_foot_contact){
                .point = {check_random(-1, 1), check_random(-1, 1), check_random(-0.2, 0.2)},
                .normal = {check_random(-0.4, 0.4), check_random(-0.4, 0.4), 1},
                .friction = i % 7 == 0 ? 0 : check_random(0.1, 1),
                .max_force = i % 3 == 0 ? 0 : check_random(30, 200),
                .weight = check_random(0.5, 2)};
        }
        const lw_vec3 f = {check_random(-10, 10), check_random(-10, 10), 100};
        const lw_force wrench = {lw_cross3(lw_vec3_of(0.1, 0.1, 0.5), f), f};
        const lw_contact_options cones = {.is_exact = true}, facets = {.facets = 8};
        lw_contact_result result, around;
        check_case("trial %d", i);
        CHECK_INT(lw_contact_forces(n, contact, &wrench, &cones, &work, force, &result), LW_OK);
        CHECK_INT(lw_contact_forces(n, contact, &wrench, &facets, &work, wide, &around), LW_OK);
        CHECK(result.status != LW_CONTACTS_STOPPED);
        CHECK(result.status == LW_CONTACTS_INFEASIBLE || around.status == LW_CONTACTS_OPTIMAL);
        CHECK_INT(result.rank, around.rank);
        // Rounding grows with the multipliers, which have no end where there are no forces.
        CHECK_NEAR(result.kkt, 0, result.status == LW_CONTACTS_OPTIMAL ? 1e-9 : 1e-6);
        CHECK(result.status == LW_CONTACTS_OPTIMAL ||
              is_proof(n, contact, 0, &wrench, force, &result.missing));
        if (result.status == LW_CONTACTS_OPTIMAL) {
            CHECK(result.objective >= around.objective * (1 - 1e-9));
            worst = fmax(worst, result.kkt);
            held += result.nactive > 0;
            ++feasible;
        } else if (around.status == LW_CONTACTS_INFEASIBLE) {
            CHECK(lw_norm3(result.missing.lin) + lw_norm3(result.missing.ang) > 1e-9);
        }
        most_steps = result.iterations > most_steps ? result.iterations : most_steps;
        for (int k = 0; k < n; ++k) {
            const lw_vec3 normal = lw_unit3(contact[k].normal);
            const double along = lw_dot3(force[k], normal);
            const double across = lw_norm3(lw_cross3(force[k], normal));
            CHECK(along > -1e-12 && across <= contact[k].friction * along + 1e-12);
            CHECK(contact[k].max_force == 0 || along < contact[k].max_force * (1 + 1e-14));
        }
    }
    CHECK(feasible > 500 && feasible < 2000 && held > 300);
    printf("%d stances, %d at their cones: kkt %.1e N of 100 N, at most %d Newton steps\n",
           feasible, held, worst, most_steps);
}

// Normals of all directions: walls and overhangs, between which forces may be far larger than the
// wrench. There is an answer all the same, with its proof.
TEST(C20_contacts_all_around_have_an_answer)
{
    int feasible[2] = {0, 0};
    for (int i = 0; i < 3000; ++i) {
        const int n = 1 + i % LW_MAX_CONTACTS;
        lw_foot_contact contact[LW_MAX_CONTACTS];
        lw_vec3 force[LW_MAX_CONTACTS];
        for (int k = 0; k < n; ++k) {
            contact[k] = (lw_foot_contact){
                .point = {check_random(-1, 1), check_random(-1, 1), check_random(-1, 1)},
                .normal = {check_random(-1, 1), check_random(-1, 1), check_random(-1, 1)},
                .friction = i % 5 == 0 ? 0 : check_random(0.05, 1.5)};
        }
        const lw_vec3 f = {check_random(-30, 30), check_random(-30, 30), 100};
        const lw_vec3 at = {check_random(-0.6, 0.6), check_random(-0.6, 0.6), 0};
        const lw_force wrench = {lw_cross3(at, f), f};
        for (int exact = 0; exact < 2; ++exact) {
            const lw_contact_options options = {.is_exact = exact == 1};
            lw_contact_result result;
            double largest = 100;
            check_case("trial %d, %s", i, exact ? "cones" : "pyramids");
            CHECK_INT(lw_contact_forces(n, contact, &wrench, &options, &work, force, &result),
                      LW_OK);
            for (int k = 0; k < n; ++k) {
                largest = fmax(largest, lw_norm3(force[k]));
            }
            CHECK(result.status != LW_CONTACTS_STOPPED);
            if (result.status == LW_CONTACTS_INFEASIBLE) {
                CHECK(is_proof(n, contact, exact ? 0 : 4, &wrench, force, &result.missing));
            } else {
                CHECK(result.kkt < 1e-10 * largest);
                ++feasible[exact];
            }
        }
    }
    CHECK(feasible[0] > 1000 && feasible[1] > 1000 && feasible[1] <= feasible[0]);
}

// On a slope of any direction an exact cone holds up to its friction, and a pyramid of four facets
// more where it has an edge.
TEST(C20_an_exact_cone_has_no_direction)
{
    const lw_contact_options cones = {.is_exact = true};
    for (int i = 0; i < 36; ++i) {
        for (int k = 0; k < 2; ++k) { // a little less and more than the friction
            const double heading = 0.1745329 * i, slope = atan(0.5) * (k == 0 ? 1 - 1e-7 : 1.001);
            const lw_vec3 normal = {sin(slope) * cos(heading), sin(slope) * sin(heading),
                                    cos(slope)};
            const lw_foot_contact contact = {.point = {0, 0, 0}, .normal = normal, .friction = 0.5};
            const lw_force wrench = {{0, 0, 0}, {0, 0, 10}};
            lw_vec3 force;
            lw_contact_result result;
            check_case("heading %g", heading);
            CHECK_INT(lw_contact_forces(1, &contact, &wrench, &cones, &work, &force, &result),
                      LW_OK);
            CHECK_INT(result.status, k == 0 ? LW_CONTACTS_OPTIMAL : LW_CONTACTS_INFEASIBLE);
            if (k == 1) { // the nearest force of the cone: what is missing is across its line
                CHECK_NEAR(lw_norm3(result.missing.lin), 10 * sin(slope - atan(0.5)), 1e-5);
                CHECK_NEAR(lw_dot3(result.missing.lin, force), 0, 1e-3);
            }
        }
    }
}

// Feet that nearly coincide have rows that are nearly combinations of others, on which steps add up
// their roundings.
TEST(C20_feet_that_nearly_coincide_share_their_force)
{
    double worst = 0;
    for (int i = 0; i < 2000; ++i) {
        const double near = pow(10, check_random(-9, -2));
        lw_foot_contact contact[8];
        lw_vec3 force[8];
        for (int k = 0; k < 8; ++k) {
            const lw_vec3 off = {check_random(-1, 1), check_random(-1, 1), check_random(-1, 1)};
            contact[k] = (lw_foot_contact){
                .point = {check_random(-1, 1), check_random(-1, 1), check_random(-0.2, 0.2)},
                .normal = {check_random(-0.6, 0.6), check_random(-0.6, 0.6), 1},
                .friction = check_random(0.1, 0.6)};
            if (k % 2 == 1) {
                contact[k] = contact[k - 1];
                contact[k].point = lw_add3(contact[k].point, lw_scale3(near, off));
                contact[k].normal = lw_add3(contact[k].normal, lw_scale3(near, off));
            }
        }
        const lw_vec3 f = {check_random(-20, 20), check_random(-20, 20), 100};
        const lw_vec3 at = {check_random(-0.4, 0.4), check_random(-0.4, 0.4), 0};
        const lw_force wrench = {lw_cross3(at, f), f};
        const lw_contact_options options = {.facets = 4 + i % 5};
        lw_contact_result result;
        check_case("trial %d, %g m", i, near);
        CHECK_INT(lw_contact_forces(8, contact, &wrench, &options, &work, force, &result), LW_OK);
        CHECK(result.status != LW_CONTACTS_STOPPED);
        // Multipliers of what is infeasible are larger.
        CHECK_NEAR(result.kkt, 0, result.status == LW_CONTACTS_OPTIMAL ? 1e-9 : 1e-8);
        worst = result.status == LW_CONTACTS_OPTIMAL ? fmax(worst, result.kkt) : worst;
    }
    printf("kkt %.1e N of 100 N\n", worst);
}

TEST(redundant_and_missing_directions_are_counted)
{
    lw_foot_contact contact[2] = {{.point = {1, 0, 0}, .normal = {0, 0, 1}, .friction = 1},
                                  {.point = {-1, 0, 0}, .normal = {0, 0, 1}, .friction = 1}};
    lw_vec3 force[2];
    lw_contact_result result;
    lw_force wrench = {{0, 0, 0}, {0, 0, 10}};
    CHECK_INT(lw_contact_forces(2, contact, &wrench, NULL, &work, force, &result), LW_OK);
    CHECK_INT(result.rank, 5); // nothing turns about the line between two points
    CHECK_INT(result.status, LW_CONTACTS_OPTIMAL);
    wrench.ang.x = 1;
    CHECK_INT(lw_contact_forces(2, contact, &wrench, NULL, &work, force, &result), LW_OK);
    CHECK_INT(result.status, LW_CONTACTS_INFEASIBLE);
    CHECK_NEAR(result.missing.ang.x, 1, 1e-6);
    contact[0].friction = -0.1;
    CHECK_INT(lw_contact_forces(2, contact, &wrench, NULL, &work, force, &result), LW_ERR_ARGUMENT);
    contact[0].friction = 1;
    contact[1].point = contact[0].point;
    CHECK_INT(lw_contact_forces(2, contact, &wrench, NULL, &work, force, &result), LW_ERR_ARGUMENT);
    contact[1].point.x = (double)NAN;
    CHECK_INT(lw_contact_forces(2, contact, &wrench, NULL, &work, force, &result), LW_ERR_NUMBER);
    CHECK_INT(lw_contact_forces(0, contact, &wrench, NULL, &work, force, &result), LW_ERR_ARGUMENT);
}

// --- A quadruped ------------------------------------------------------------------------------

TEST(C20_a_quadruped_stands_and_virtual_power_agrees)
{
    lw_model *m = shipped_model("quadruped/quadruped.xml");
    lw_data *d;
    CHECK_INT(lw_data_create(m, &d), LW_OK);
    static const char *const foot[4] = {"front_left/shin.foot", "front_right/shin.foot",
                                        "hind_left/shin.foot", "hind_right/shin.foot"};
    double q[64], tau[64], J[6 * 64];
    memcpy(q, m->q_reference, (size_t)m->nq * sizeof *q);
    q[7] += 0.1;
    q[12] -= 0.2;
    int frame[4];
    lw_foot_contact contact[4];
    lw_vec3 force[4], center;
    lw_contact_result result;
    for (int k = 0; k < 4; ++k) {
        lw_pose X;
        frame[k] = lw_find_frame(m, foot[k]);
        CHECK_INT(lw_pose_of_frame(m, d, q, frame[k], &X), LW_OK);
        contact[k] = (lw_foot_contact){.point = X.p, .normal = {0.1, 0, 1}, .friction = 0.7};
    }
    CHECK_INT(lw_stance_forces(m, d, q, 4, frame, contact, NULL, &work, force, tau, &result),
              LW_OK);
    CHECK_INT(result.status, LW_CONTACTS_OPTIMAL);
    double gravity[64];
    CHECK_INT(lw_gravity_forces(m, d, q, gravity), LW_OK);
    for (int k = 0; k < 6; ++k) {
        CHECK_NEAR(tau[k], 0, 1e-9); // contacts carry the base
    }
    // tau = g - sum of J' f.
    for (int k = 0; k < 4; ++k) {
        CHECK_INT(lw_frame_jacobian(m, d, q, frame[k], LW_IN_WORLD, NULL, J), LW_OK);
        for (int i = 0; i < m->nv; ++i) {
            gravity[i] -= J[3 * m->nv + i] * force[k].x + J[4 * m->nv + i] * force[k].y +
                          J[5 * m->nv + i] * force[k].z;
        }
    }
    for (int i = 0; i < m->nv; ++i) {
        CHECK_NEAR(tau[i], gravity[i], 1e-9);
    }
    lw_support support;
    CHECK_INT(lw_center_of_mass(m, d, q, &center, NULL), LW_OK);
    CHECK_INT(lw_support_polygon(4, contact, center, m->mass, m->gravity, &support), LW_OK);
    CHECK_INT(support.ncorner, 4);
    CHECK(support.margin > 0.1 && support.energy > 0);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// A point mass at height h above the middle of a square of side 2a tips over an edge at
// m g (sqrt(a^2 + h^2) - h).
TEST(energy_to_tip_over_is_the_closed_form)
{
    lw_foot_contact contact[5] = {{.point = {0.5, 0.5, 0}},
                                  {.point = {-0.5, 0.5, 0}},
                                  {.point = {-0.5, -0.5, 0}},
                                  {.point = {0.5, -0.5, 0}},
                                  {.point = {0.1, 0.1, 0}}};
    lw_support support;
    const lw_vec3 g = {0, 0, -9.81};
    CHECK_INT(lw_support_polygon(5, contact, lw_vec3_of(0, 0, 0.8), 3, g, &support), LW_OK);
    CHECK_INT(support.ncorner, 4);
    CHECK_NEAR(support.margin, 0.5, 1e-15);
    CHECK_NEAR(support.energy, 3 * 9.81 * (sqrt(0.25 + 0.64) - 0.8), 1e-12);
    CHECK_INT(lw_support_polygon(5, contact, lw_vec3_of(0.4, 0, 0.8), 3, g, &support), LW_OK);
    CHECK_NEAR(support.margin, 0.1, 1e-15);
    const int a = support.corner[support.tip],
              b = support.corner[(support.tip + 1) % support.ncorner];
    CHECK(contact[a].point.x == 0.5 && contact[b].point.x == 0.5);
    CHECK_INT(lw_support_polygon(5, contact, lw_vec3_of(0.7, 0, 0.8), 3, g, &support), LW_OK);
    CHECK_NEAR(support.margin, -0.2, 1e-15);
    CHECK_NEAR(support.energy, 0, 0);
    contact[1] = (lw_foot_contact){.point = {0, 0, 0}};
    contact[2] = (lw_foot_contact){.point = {-1, -1, 0}};
    CHECK_INT(lw_support_polygon(3, contact, lw_vec3_of(0, 0, 1), 3, g, &support), LW_ERR_SINGULAR);
    CHECK_INT(lw_support_polygon(2, contact, lw_vec3_of(0, 0, 1), 3, g, &support), LW_ERR_ARGUMENT);
}

// Whether contacts can carry a load at a centre of mass, by the other solver.
static bool carries(int n, const lw_foot_contact *contact, lw_vec3 center, double mass, lw_vec3 g,
                    const lw_contact_options *options)
{
    lw_vec3 force[LW_MAX_CONTACTS];
    lw_contact_result found;
    lw_force wrench = {.lin = lw_scale3(-mass, g)};
    wrench.ang = lw_cross3(center, wrench.lin);
    CHECK_INT(lw_contact_forces(n, contact, &wrench, options, &work, force, &found), LW_OK);
    return found.status == LW_CONTACTS_OPTIMAL;
}

static lw_vec3 point_of(const lw_support_area *area, lw_vec3 center, double x, double y)
{
    return lw_add3(center, lw_add3(lw_scale3(x, area->across[0]), lw_scale3(y, area->across[1])));
}

// Just within its edges a centre of mass is carried, and just outside it is not.
static void check_area(int n, const lw_foot_contact *contact, lw_vec3 center, double mass,
                       lw_vec3 g, const lw_contact_options *options, const lw_support_area *area)
{
    double middle[2] = {0, 0};
    for (int i = 0; i < area->ncorner; ++i) {
        middle[0] += area->corner[i][0] / area->ncorner;
        middle[1] += area->corner[i][1] / area->ncorner;
    }
    for (int i = 0; i < area->ncorner; ++i) {
        const double *a = area->corner[i], *b = area->corner[(i + 1) % area->ncorner];
        const double length = hypot(b[0] - a[0], b[1] - a[1]), h = 1e-6 / length;
        const double x = 0.5 * (a[0] + b[0]), y = 0.5 * (a[1] + b[1]);
        const double dx = h * (b[1] - a[1]), dy = h * (a[0] - b[0]);
        CHECK(dx * (middle[0] - x) + dy * (middle[1] - y) < 0); // counter-clockwise
        if (length > 1e-4) {
            CHECK(carries(n, contact, point_of(area, center, x - dx, y - dy), mass, g, options));
            CHECK(!carries(n, contact, point_of(area, center, x + dx, y + dy), mass, g, options));
        }
    }
    CHECK((area->margin > 0) == carries(n, contact, center, mass, g, options));
}

TEST(C20_the_support_area_is_where_forces_exist)
{
    const lw_vec3 g = {0.5, -0.3, -9.81};
    int bounded = 0, empty = 0, outside = 0;
    for (int i = 0; i < 60; ++i) {
        const int n = 3 + i % 4;
        const lw_contact_options options = {.facets = 4 + i % 5};
        lw_foot_contact contact[6];
        lw_support_area area;
        check_case("stance %d of %d contacts", i, n);
        for (int k = 0; k < n; ++k) {
            const double x = check_random(-1, 1);
            const double y = check_random(-1, 1);
            const double z = check_random(-0.2, 0.2);
            const double nx = check_random(-0.6, 0.6);
            const double ny = check_random(-0.6, 0.6);
            contact[k] = (lw_foot_contact){.point = {x, y, z},
                                           .normal = {nx, ny, 1},
                                           .friction = k % 3 == 0 ? 0 : 0.5,
                                           .max_force = 60 + 10 * k};
        }
        const double x = check_random(-0.4, 0.4);
        const lw_vec3 center = {x, 0.1, 0.7};
        CHECK_INT(lw_find_support_area(n, contact, center, 10, g, &options, &work, &area), LW_OK);
        if (area.ncorner == 0) {
            ++empty;
            CHECK(!carries(n, contact, center, 10, g, &options));
        } else if (area.ncorner > 2) {
            ++bounded;
            outside += area.margin < 0;
            check_area(n, contact, center, 10, g, &options, &area);
        }
    }
    CHECK(bounded > 20 && empty > 2 && outside > 2 && outside < bounded);
}

// Level feet: friction neither adds nor takes. Between two walls it carries what no polygon has.
TEST(C20_the_support_area_of_level_feet_is_the_polygon)
{
    const lw_vec3 g = {0, 0, -3.71}, center = {0.1, -0.05, 0.6};
    lw_foot_contact contact[5] = {{.point = {0.5, 0.5, 0}, .normal = {0, 0, 1}, .friction = 0.6},
                                  {.point = {-0.5, 0.5, 0}, .normal = {0, 0, 1}, .friction = 0.6},
                                  {.point = {-0.5, -0.5, 0}, .normal = {0, 0, 1}, .friction = 0.6},
                                  {.point = {0.5, -0.5, 0}, .normal = {0, 0, 1}, .friction = 0.6},
                                  {.point = {0.1, 0.1, 0}, .normal = {0, 0, 1}, .friction = 0.6}};
    lw_support support;
    lw_support_area area;
    CHECK_INT(lw_support_polygon(5, contact, center, 3, g, &support), LW_OK);
    CHECK_INT(lw_find_support_area(5, contact, center, 3, g, NULL, &work, &area), LW_OK);
    CHECK_INT(area.ncorner, 4);
    CHECK_NEAR(area.margin, support.margin, 1e-12);
    // A block on a slope: the margin is to the same edges, or there is none beyond the friction.
    for (int k = 0; k < 4; ++k) {
        contact[k].normal = lw_vec3_of(-0.5, 0, 1);
    }
    CHECK_INT(lw_find_support_area(4, contact, center, 3, g, NULL, &work, &area), LW_OK);
    CHECK_INT(area.ncorner, 4);
    for (int k = 0; k < 4; ++k) {
        contact[k].friction = 0.49;
    }
    CHECK_INT(lw_find_support_area(4, contact, center, 3, g, NULL, &work, &area), LW_OK);
    CHECK_INT(area.ncorner, 0);
    // Four feet pressed between walls clamp the machine.
    for (int k = 0; k < 4; ++k) {
        contact[k].normal = lw_vec3_of(contact[k].point.x > 0 ? -1 : 1, 0, 0);
        contact[k].friction = 0.8;
    }
    contact[0].point.z = contact[1].point.z = 0.3;
    CHECK_INT(lw_find_support_area(4, contact, center, 3, g, NULL, &work, &area), LW_ERR_LIMIT);
    for (int k = 0; k < 4; ++k) {
        contact[k].max_force = 20;
    }
    CHECK_INT(lw_find_support_area(4, contact, center, 3, g, NULL, &work, &area), LW_OK);
    check_area(4, contact, center, 3, g, NULL, &area);
    CHECK_INT(lw_find_support_area(4, contact, center, 3, lw_vec3_of(0, 0, 0), NULL, &work, &area),
              LW_ERR_SINGULAR);
    contact[1].friction = -0.1;
    CHECK_INT(lw_find_support_area(4, contact, center, 3, g, NULL, &work, &area), LW_ERR_ARGUMENT);
}

// Outside of it the nearest point of the area may be a corner, and an area may be a line or a
// point.
TEST(C20_margins_outside_are_distances)
{
    const lw_vec3 g = {0, 0, -9.81}, center = {0, 0, 0.5};
    const lw_foot_contact contact[3] = {{.point = {1, 1, 0}, .normal = {0, 0, 1}, .friction = 0.5},
                                        {.point = {3, 3, 0}, .normal = {0, 0, 1}, .friction = 0.5},
                                        {.point = {3, 1, 0}, .normal = {0, 0, 1}, .friction = 0.5}};
    const lw_foot_contact below = {.point = {0, 0, 0}, .normal = {0, 0, 1}, .friction = 0.5};
    lw_support support;
    lw_support_area area;
    CHECK_INT(lw_support_polygon(3, contact, center, 3, g, &support), LW_OK);
    CHECK_NEAR(support.margin, -sqrt(2), 1e-12);
    for (int n = 1; n <= 3; ++n) {
        CHECK_INT(lw_find_support_area(n, contact, center, 3, g, NULL, &work, &area), LW_OK);
        CHECK_INT(area.ncorner, n);
        CHECK_NEAR(area.margin, -sqrt(2), 1e-12);
    }
    CHECK_INT(lw_find_support_area(1, &below, center, 3, g, NULL, &work, &area), LW_OK);
    CHECK_NEAR(area.margin, 0, 1e-12);
}

int main(void)
{
    RUN(C20_the_pose_of_a_body_on_its_feet);
    RUN(C20_the_pose_of_feet_is_noise_optimal);
    RUN(few_feet_need_a_prior);
    RUN(C20_contact_forces_of_an_independent_program);
    RUN(least_normal_forces_are_those_of_the_closed_form);
    RUN(a_block_on_a_slope_is_held_by_friction);
    RUN(forces_of_random_contacts_meet_the_conditions);
    RUN(C20_forces_within_exact_cones_meet_the_conditions);
    RUN(C20_contacts_all_around_have_an_answer);
    RUN(C20_an_exact_cone_has_no_direction);
    RUN(C20_feet_that_nearly_coincide_share_their_force);
    RUN(redundant_and_missing_directions_are_counted);
    RUN(C20_a_quadruped_stands_and_virtual_power_agrees);
    RUN(energy_to_tip_over_is_the_closed_form);
    RUN(C20_the_support_area_is_where_forces_exist);
    RUN(C20_the_support_area_of_level_feet_is_the_polygon);
    RUN(C20_margins_outside_are_distances);
    return REPORT();
}
