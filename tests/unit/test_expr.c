// Expressions as values: identities that hold by themselves, derivatives, tapes.
#include "check.h"
#include "expr/search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixture {
    lwi_graph *g;
    lwi_expr q[3], v[3], m, l;
} fixture;

static fixture make(void)
{
    fixture f = {.g = lwi_graph_create(0)};
    for (int k = 0; k < 3; k++) {
        char name[16];
        snprintf(name, sizeof name, "q%d", k + 1);
        f.q[k] = lwi_symbol_of(f.g, name, LWI_POSITION, k);
        snprintf(name, sizeof name, "v%d", k + 1);
        f.v[k] = lwi_symbol_of(f.g, name, LWI_VELOCITY, k);
    }
    f.m = lwi_symbol_of(f.g, "m", LWI_PARAMETER, 0);
    f.l = lwi_symbol_of(f.g, "l", LWI_PARAMETER, 1);
    return f;
}

/// The value of one expression, where q, v, m and l have these numbers.
static double evaluate(fixture *f, lwi_expr a, const double *q)
{
    const lwi_output output = {"x", 0, a};
    const lwi_select_options options = {LWI_COST_OPERATIONS, 0};
    lwi_tape *tape;
    if (!CHECK_INT(lwi_select(f->g, 1, &output, &options, &tape), LW_OK)) {
        return (double)NAN;
    }
    double *input = calloc((size_t)tape->ninput + 1, sizeof *input);
    double *work = calloc((size_t)tape->nslot + 1, sizeof *work);
    for (int k = 0; k < tape->ninput; k++) {
        const lwi_symbol *s = &tape->input[k];
        input[k] = s->kind == LWI_POSITION   ? q[s->index]
                   : s->kind == LWI_VELOCITY ? 0.1 + s->index
                                             : 0.7 + s->index;
    }
    double result;
    lwi_tape_run(tape, input, work, &result);
    lwi_tape_destroy(tape);
    free(work);
    free(input);
    return result;
}

TEST(identities_hold_without_rules)
{
    fixture f = make();
    lwi_graph *g = f.g;
    const lwi_expr s = lwi_sin(g, f.q[0]), c = lwi_cos(g, f.q[0]);
    CHECK(lwi_add(g, lwi_mul(g, s, s), lwi_mul(g, c, c)) == LWI_ONE);
    // sin(q1 + q2) - s1 c2 - c1 s2 = 0
    const lwi_expr sum = lwi_sin(g, lwi_add(g, f.q[0], f.q[1]));
    const lwi_expr by_parts =
        lwi_add(g, lwi_mul(g, s, lwi_cos(g, f.q[1])), lwi_mul(g, c, lwi_sin(g, f.q[1])));
    CHECK(lwi_sub(g, sum, by_parts) == LWI_ZERO);
    // (a + b)(a - b) = a^2 - b^2; the two are one value
    const lwi_expr a = f.v[0], b = f.v[1];
    const lwi_expr product = lwi_mul(g, lwi_add(g, a, b), lwi_sub(g, a, b));
    CHECK(product == lwi_sub(g, lwi_mul(g, a, a), lwi_mul(g, b, b)));
    CHECK(lwi_sub(g, b, a) == lwi_neg(lwi_sub(g, a, b)));
    CHECK(product != lwi_mul(g, a, a));
    CHECK_INT(lwi_graph_status(g), LW_OK);
    lwi_graph_destroy(g);
}

// Every operation, against differences of its own values; and with another value in its place.
TEST(R45_derivatives_and_substitution)
{
    fixture f = make();
    lwi_graph *g = f.g;
    const lwi_expr x = f.q[0], y = f.q[1], half = lwi_number(g, 0.5);
    const lwi_expr inner = lwi_add(g, lwi_mul(g, x, y), f.v[0]);
    const lwi_expr square = lwi_add(g, lwi_mul(g, x, x), f.m);
    lwi_expr c, s;
    lwi_whole_sincos(g, inner, &c, &s);
    const lwi_expr all[] = {lwi_neg(inner),
                            lwi_mul(g, inner, x),
                            lwi_neg(lwi_div(g, x, square)),
                            lwi_sqrt(g, square),
                            lwi_sin(g, lwi_sub(g, y, x)),
                            lwi_cos(g, lwi_mul(g, half, x)),
                            c,
                            lwi_neg(s),
                            lwi_neg(lwi_atan2(g, y, square)),
                            lwi_tanh(g, lwi_neg(x)),
                            lwi_clamp(g, lwi_mul(g, half, x)),
                            lwi_clamp(g, lwi_scale(g, 9.0, x)),
                            lwi_mul(g, lwi_sign(g, x), x)};
    enum { N = sizeof all / sizeof *all };
    const lwi_expr seed[] = {x, y}, rate[] = {LWI_ONE, lwi_neg(f.v[1])};
    const double q[3] = {0.4, -0.3, 0.0}, h = 1e-5;
    const double after[3] = {q[0] + h, q[1] - 1.1 * h, 0.0}, before[3] = {q[0] - h, q[1] + 1.1 * h};
    lwi_expr d[N], same[N], moved[N];
    lwi_differentiate(g, 2, seed, rate, N, all, d);
    // x for y, and y for x: the same numbers come from exchanged positions.
    const lwi_expr exchanged[] = {y, x};
    const double back[3] = {q[1], q[0], 0.0};
    lwi_substitute(g, 2, seed, exchanged, N, all, moved);
    lwi_substitute(g, 2, seed, seed, N, all, same);
    for (int i = 0; i < N; ++i) {
        check_case("operation %d", i);
        const double slope = (evaluate(&f, all[i], after) - evaluate(&f, all[i], before)) / (2 * h);
        CHECK_NEAR(evaluate(&f, d[i], q), slope, 1e-8);
        CHECK_NEAR(evaluate(&f, moved[i], back), evaluate(&f, all[i], q), 1e-15);
        CHECK(same[i] == all[i]);
    }
    // What is behind a seed is not looked at.
    const lwi_expr held = lwi_mul(g, x, y), of_held = lwi_mul(g, held, f.v[2]);
    lwi_differentiate(g, 1, &held, rate, 1, &of_held, d);
    CHECK(d[0] == f.v[2]);
    CHECK_INT(lwi_graph_status(g), LW_OK);
    lwi_graph_destroy(g);
}

// Polynomials and rational functions are values: what is equal is one node.
TEST(V07_rational_functions_keep_the_laws_of_a_field)
{
    fixture f = make();
    lwi_graph *g = f.g;
    const lwi_expr s = lwi_sin(g, f.q[0]), c = lwi_cos(g, f.q[0]);
    const lwi_expr a = lwi_add(g, f.m, s), b = lwi_add(g, f.l, c), d = lwi_sub(g, f.v[0], f.m);
    // a/b + s/d = (a d + s b) / (b d), (a/b) (s/d) = a s / (b d), (a/b) / (s/d) = a d / (b s)
    const lwi_expr left = lwi_div(g, a, b), right = lwi_div(g, s, d), bd = lwi_mul(g, b, d);
    const lwi_expr as = lwi_mul(g, a, s), bs = lwi_mul(g, b, s);
    CHECK(lwi_add(g, left, right) == lwi_div(g, lwi_add_products(g, a, d, s, b), bd));
    CHECK(lwi_mul(g, left, right) == lwi_div(g, as, bd));
    CHECK(lwi_div(g, left, right) == lwi_div(g, lwi_mul(g, a, d), bs));
    CHECK(lwi_sub(g, lwi_mul(g, left, b), a) == LWI_ZERO);
    // (1 - c) / s = s / (1 + c), both of them the tangent of half the angle.
    const lwi_expr tangent = lwi_div(g, lwi_sub(g, LWI_ONE, c), s);
    CHECK(tangent == lwi_div(g, s, lwi_add(g, LWI_ONE, c)));
    CHECK_INT(lwi_graph_status(g), LW_OK);
    lwi_graph_destroy(g);
}

TEST(V07_substitution_puts_a_value_in_place_of_a_symbol)
{
    fixture f = make();
    lwi_graph *g = f.g;
    const lwi_expr s = lwi_sin(g, f.q[0]), c = lwi_cos(g, f.q[0]);
    const lwi_expr poly = lwi_add_products(g, f.m, c, f.q[1], s);
    const lwi_expr by = lwi_sub(g, f.q[2], f.q[1]);
    lwi_expr a[5] = {poly, lwi_neg(s), lwi_div(g, poly, lwi_add(g, f.l, c)), f.m,
                     lwi_sqrt(g, f.q[0])};
    const lwi_expr product = lwi_mul(g, a[0], a[1]), sum = lwi_add(g, a[0], a[2]);
    lwi_expr both[2] = {product, sum};
    const double q[3] = {0.3, -0.4, 0.8}, moved[3] = {0.8 + 0.4, -0.4, 0.8};
    double want[5];
    for (int k = 0; k < 5; ++k) {
        want[k] = evaluate(&f, a[k], moved);
    }
    lwi_substitute(g, 1, &f.q[0], &by, 5, a, a);
    lwi_substitute(g, 1, &f.q[0], &by, 2, both, both);
    for (int k = 0; k < 5; ++k) {
        CHECK_NEAR(evaluate(&f, a[k], q), want[k], 1e-15);
    }
    // It keeps sums and products, and leaves what has no such symbol.
    CHECK(both[0] == lwi_mul(g, a[0], a[1]) && both[1] == lwi_add(g, a[0], a[2]));
    CHECK(a[3] == f.m);
    // s^2 = 1 - c^2 holds of the new angle too; a whole number makes a number.
    lwi_expr square[2] = {lwi_mul(g, s, s), lwi_mul(g, c, c)};
    lwi_substitute(g, 1, &f.q[0], &by, 2, square, square);
    CHECK(square[0] != LWI_ZERO && lwi_add(g, square[0], square[1]) == LWI_ONE);
    square[1] = lwi_mul(g, f.q[1], f.m);
    const lwi_expr two = lwi_number(g, 2.0), none = LWI_ZERO;
    lwi_substitute(g, 1, &f.m, &two, 1, &square[1], &square[1]);
    CHECK(square[1] == lwi_add(g, f.q[1], f.q[1]));
    // A denominator that becomes zero has a status.
    lwi_expr pole = lwi_div(g, f.l, f.m);
    CHECK_INT(lwi_graph_status(g), LW_OK);
    lwi_substitute(g, 1, &f.m, &none, 1, &pole, &pole);
    CHECK_INT(lwi_graph_status(g), LW_ERR_SINGULAR);
    CHECK(pole == LWI_ZERO);
    lwi_graph_destroy(g);
}

TEST(quarter_turns_and_multiples_are_exact)
{
    fixture f = make();
    lwi_graph *g = f.g;
    const lwi_expr quarter = lwi_number(g, 1.5707963267948966);
    CHECK(lwi_cos(g, lwi_add(g, f.q[0], quarter)) == lwi_neg(lwi_sin(g, f.q[0])));
    CHECK(lwi_cos(g, quarter) == LWI_ZERO);
    CHECK(lwi_sin(g, lwi_neg(quarter)) == lwi_neg(LWI_ONE));
    const lwi_expr two = lwi_number(g, 2.0);
    const lwi_expr twice = lwi_sin(g, lwi_mul(g, two, f.q[0]));
    CHECK(twice == lwi_mul(g, two, lwi_mul(g, lwi_sin(g, f.q[0]), lwi_cos(g, f.q[0]))));
    double value;
    CHECK(lwi_is_number(g, lwi_sin(g, lwi_number(g, 0.3)), &value));
    CHECK_NEAR(value, sin(0.3), 1e-16); // one rounding
    lwi_graph_destroy(g);
}

TEST(given_sines_are_those_of_the_angle)
{
    fixture f = make();
    CHECK(lwi_symbol_of(f.g, "s1", LWI_SINE, 0) == lwi_sin(f.g, f.q[0]));
    CHECK(lwi_symbol_of(f.g, "c1", LWI_COSINE, 0) == lwi_cos(f.g, f.q[0]));
    lwi_graph_destroy(f.g);
}

TEST(roots_keep_their_sign)
{
    fixture f = make();
    lwi_graph *g = f.g;
    const lwi_expr square = lwi_mul(g, f.q[0], f.q[0]);
    const lwi_expr root = lwi_sqrt(g, square);
    CHECK((root & ~1u) != (f.q[0] & ~1u));
    CHECK(lwi_mul(g, root, root) == square);
    const double q[3] = {-2.0, 0.4, 0.9};
    CHECK_NEAR(evaluate(&f, root, q), 2.0, 0.0);
    // The sine of an arc tangent is y / r.
    const lwi_expr angle = lwi_atan2(g, f.q[1], f.q[2]);
    CHECK_NEAR(evaluate(&f, lwi_sin(g, angle), q), 0.4 / hypot(0.4, 0.9), 1e-15);
    lwi_graph_destroy(g);
}

TEST(constants_are_computed_once_and_not_counted)
{
    fixture f = make();
    lwi_graph *g = f.g;
    const lwi_expr inertia = lwi_mul(g, f.m, lwi_mul(g, f.l, f.l));
    const lwi_expr a = lwi_sub(g, lwi_mul(g, inertia, f.v[0]), lwi_mul(g, f.m, f.v[1]));
    const lwi_output output = {"tau", 0, lwi_neg(a)};
    const lwi_select_options options = {LWI_COST_OPERATIONS, 0};
    lwi_tape *tape;
    CHECK_INT(lwi_select(g, 1, &output, &options, &tape), LW_OK);
    const lwi_counts counts = lwi_tape_counts(tape);
    CHECK_INT(counts.mul, 2);
    CHECK_INT(counts.add, 1);
    CHECK_INT(tape->nonce, 2);
    CHECK_INT(tape->output[0].value & 1u, 0); // the difference is turned round
    CHECK_INT(tape->ninput, 4);
    CHECK_TEXT(tape->input[0].name, "v1");
    lwi_tape_destroy(tape);
    lwi_graph_destroy(g);
}

TEST(limits_and_bad_numbers_have_a_status)
{
    lwi_graph *g = lwi_graph_create(20);
    lwi_expr sum = lwi_symbol_of(g, "x", LWI_OTHER, 0);
    for (int k = 0; k < 100; k++) {
        sum = lwi_mul(g, sum, sum);
    }
    CHECK(sum == LWI_ZERO);
    CHECK_INT(lwi_graph_status(g), LW_ERR_LIMIT);
    const lwi_output output = {"x", 0, sum};
    const lwi_select_options options = {LWI_COST_OPERATIONS, 1};
    lwi_tape *tape;
    CHECK_INT(lwi_select(g, 1, &output, &options, &tape), LW_ERR_LIMIT);
    CHECK(!tape);
    lwi_graph_destroy(g);
    g = lwi_graph_create(0);
    lwi_number(g, (double)NAN);
    CHECK_INT(lwi_graph_status(g), LW_ERR_NUMBER);
    lwi_graph_destroy(g);
    g = lwi_graph_create(0);
    lwi_div(g, LWI_ONE, LWI_ZERO);
    CHECK_INT(lwi_graph_status(g), LW_ERR_SINGULAR);
    lwi_graph_destroy(g);
    lwi_graph_destroy(NULL);
}

TEST(numbers_that_the_field_confuses_are_told_apart)
{
    // Modulo 2^61 - 1 what rounding leaves here is 64, 2^61 is 1 and 1 + 2^-54 is 129.
    lwi_graph *g = lwi_graph_create(0);
    const lwi_expr sum = lwi_add(g, lwi_number(g, 0.1), lwi_number(g, 0.2));
    const lwi_expr rest = lwi_sub(g, sum, lwi_number(g, 0.3));
    double value;
    CHECK(lwi_is_number(g, rest, &value) && fabs(value - 0x1p-55) < 1e-20);
    CHECK(lwi_is_number(g, lwi_number(g, 64.0), &value) && value == 64.0);
    CHECK(lwi_is_number(g, lwi_neg(lwi_number(g, 64.0)), &value) && value == -64.0);
    CHECK(lwi_is_number(g, lwi_number(g, 0x1p-61), &value) && value == 0x1p-61);
    CHECK(lwi_is_number(g, lwi_number(g, -0x1p61), &value) && value == -0x1p61);
    CHECK(lwi_number(g, -0x1p61) == lwi_neg(lwi_number(g, 0x1p61)));
    CHECK(lwi_add(g, LWI_ONE, lwi_number(g, 0x1p-54)) == LWI_ONE);
    CHECK(lwi_is_number(g, lwi_number(g, 129.0), &value) && value == 129.0);
    const lwi_expr third = lwi_add(g, lwi_number(g, 3.0), lwi_number(g, 0x1p-52));
    CHECK(lwi_is_number(g, third, &value) && fabs(value - 3.0) < 1e-15);
    const lwi_expr other =
        lwi_number(g, 3.0 + 512.0); // the same in the field, but for the rounding
    CHECK(lwi_is_number(g, other, &value) && value == 515.0);
    lwi_graph_destroy(g);
}

/// Four moments of two links, their parts made forwards or backwards.
static lwi_tape *select_in_order(bool is_backwards, int effort)
{
    fixture f = make();
    lwi_graph *g = f.g;
    lwi_expr part[16], sum[4];
    for (int i = 0; i < 16; i++) {
        const int k = is_backwards ? 15 - i : i;
        const lwi_expr turn = k & 1 ? lwi_sin(g, f.q[k / 8]) : lwi_cos(g, f.q[k / 8]);
        const lwi_expr weight = lwi_mul(g, k & 2 ? f.m : f.l, lwi_number(g, 2 * k + 3));
        const lwi_expr rate = lwi_mul(g, f.v[k / 4 % 3], weight);
        part[k] = lwi_mul(g, k & 4 ? lwi_neg(turn) : turn, rate);
    }
    lwi_output output[4];
    for (int i = 0; i < 4; i++) {
        const int k = is_backwards ? 3 - i : i;
        sum[k] = LWI_ZERO;
        for (int j = 0; j < 16; j++) {
            if (j % 4 != k) {
                sum[k] = lwi_add(g, sum[k], lwi_mul(g, part[j], f.q[k % 3]));
            }
        }
        output[k] = (lwi_output){"x", k, sum[k]};
    }
    const lwi_select_options options = {LWI_COST_OPERATIONS, effort};
    lwi_tape *tape = NULL;
    CHECK_INT(lwi_select(g, 4, output, &options, &tape), LW_OK);
    lwi_graph_destroy(g);
    return tape;
}

TEST(what_one_search_finds_constant_is_so_where_it_is_taken_over)
{
    fixture f = make();
    const lwi_expr outer = lwi_mul(f.g, f.m, lwi_add(f.g, f.q[0], f.l));
    const lwi_expr inner = lwi_mul(f.g, f.m, f.q[0]);
    const lwi_expr y = lwi_sub(f.g, lwi_mul(f.g, f.v[0], outer), lwi_mul(f.g, f.v[0], inner));
    const size_t nshared = f.g->nnode;
    // There y is the product of v and a difference of variables, which turns out to be m l.
    lwi_graph *from = lwi_graph_copy(f.g);
    const lwi_expr difference = lwi_sub(from, outer, inner);
    CHECK(!lwi_is_constant(from, difference));
    CHECK(lwi_mul(from, f.m, f.l) == difference && lwi_is_constant(from, difference));
    CHECK(lwi_mul(from, f.v[0], difference) == y);
    uint32_t *choice = malloc(from->nnode * sizeof *choice), *taken = NULL;
    for (size_t k = 0; choice && k < from->nnode; k++) {
        choice[k] = from->node[k].first;
    }
    if (CHECK(choice)) {
        const lwi_output output = {"y", 0, y};
        choice[lwi_node_of(y)] = from->node[lwi_node_of(y)].last;
        CHECK_INT(lwi_unite(f.g, from, nshared, 1, &output, choice, &taken), LW_OK);
        const lwi_expr known = lwi_find_value(f.g, lwi_value_of(from, difference));
        CHECK(known != LWI_NONE && lwi_is_constant(f.g, known));
    }
    free(taken);
    free(choice);
    lwi_graph_destroy(from);
    lwi_graph_destroy(f.g);
}

/// A product of four, of which the first way is the same and the others are made forwards or
/// backwards, renumbered.
static lwi_graph *product_in_order(bool is_backwards)
{
    fixture f = make();
    lwi_graph *g = f.g;
    const lwi_expr x[4] = {f.q[0], f.q[1], f.q[2], f.v[0]};
    lwi_expr one[7], other[7], product = LWI_ZERO;
    // The seven splits of four factors in two.
    for (int k = 0; k < 7; k++) {
        one[k] = other[k] = LWI_ONE;
        for (int i = 0; i < 4; i++) {
            lwi_expr *to = (k + 1) >> i & 1 ? &one[k] : &other[k];
            *to = lwi_mul(g, *to, x[i]);
        }
    }
    product = lwi_mul(g, one[0], other[0]);
    for (int i = 1; i < 7; i++) {
        const int k = is_backwards ? 7 - i : i;
        CHECK(lwi_mul(g, one[k], other[k]) == product);
    }
    lwi_graph *canonical = lwi_graph_canonical(g, 1, &product);
    lwi_graph_destroy(g);
    return canonical;
}

TEST(the_order_in_which_ways_are_made_does_not_matter)
{
    lwi_graph *one = product_in_order(false), *two = product_in_order(true);
    if (CHECK(one && two) && CHECK_INT((int)one->nway, (int)two->nway)) {
        CHECK(one->nway >= one->nnode + 6);
        for (size_t k = 0; k < one->nway; k++) {
            const lwi_way *a = &one->way[k], *b = &two->way[k];
            CHECK(a->op == b->op && a->a == b->a && a->b == b->b && a->next == b->next);
        }
    }
    lwi_graph_destroy(one);
    lwi_graph_destroy(two);
}

TEST(the_order_in_which_values_are_made_does_not_matter)
{
    for (int effort = 0; effort <= 1; effort++) {
        lwi_tape *one = select_in_order(false, effort), *two = select_in_order(true, effort);
        if (CHECK(one && two) && CHECK_INT(one->nline, two->nline)) {
            CHECK(one->nline > 20);
            const size_t size = (size_t)one->nline * sizeof *one->line;
            CHECK(memcmp(one->line, two->line, size) == 0);
            for (int k = 0; k < 4; k++) {
                CHECK(one->output[k].value == two->output[k].value);
            }
        }
        lwi_tape_destroy(one);
        lwi_tape_destroy(two);
    }
}

/// a b + c, plainly or by way of a large number that is taken off again.
static lwi_tape *tape_of_sum(lwi_graph *g, double large, lwi_output *output)
{
    lwi_expr x[3];
    for (int k = 0; k < 3; k++) {
        x[k] = lwi_symbol_of(g, "x", LWI_OTHER, k);
    }
    const lwi_expr offset = lwi_number(g, large);
    const lwi_expr product = lwi_add(g, lwi_mul(g, x[0], x[1]), offset);
    *output = (lwi_output){"y", 0, lwi_sub(g, lwi_add(g, product, x[2]), offset)};
    lwi_tape *tape = NULL;
    CHECK_INT(lwi_tape_as_made(g, 1, output, &tape), LW_OK);
    return tape;
}

/// A product that overflows on the way.
static lwi_tape *tape_that_overflows(lwi_graph *g, lwi_output *output)
{
    const lwi_expr x = lwi_symbol_of(g, "x", LWI_OTHER, 0);
    const lwi_expr large = lwi_mul(g, lwi_number(g, 0x1p1000), lwi_mul(g, x, x));
    const lwi_expr small = lwi_mul(g, lwi_mul(g, large, large), lwi_number(g, 0x1p-1000));
    *output = (lwi_output){"y", 0, small};
    lwi_tape *tape = NULL;
    CHECK_INT(lwi_tape_as_made(g, 1, output, &tape), LW_OK);
    return tape;
}

TEST(tapes_that_lose_digits_are_told_apart)
{
    lwi_graph *g[4];
    lwi_tape *tape[4];
    lwi_output output[4];
    bool is_accurate;
    for (int k = 0; k < 4; k++) {
        g[k] = lwi_graph_create(0);
        tape[k] = k == 3 ? tape_that_overflows(g[k], &output[k])
                         : tape_of_sum(g[k],
                                       k == 0   ? 0.0
                                       : k == 1 ? 1.0
                                                : 1e3,
                                       &output[k]);
    }
    lwi_accuracy a;
    if (CHECK_INT(lwi_accuracy_make(&a, g[0], 1, &output[0], tape[0]), LW_OK)) {
        CHECK_INT(lwi_accuracy_check(&a, tape[0], &is_accurate), LW_OK);
        CHECK(is_accurate);
        CHECK_INT(lwi_accuracy_check(&a, tape[1], &is_accurate), LW_OK);
        CHECK(is_accurate);
        CHECK_INT(lwi_accuracy_check(&a, tape[2], &is_accurate), LW_OK);
        CHECK(!is_accurate);
        CHECK_INT(lwi_accuracy_check(&a, tape[3], &is_accurate), LW_OK);
        CHECK(!is_accurate); // no number is no small error
        lwi_accuracy_free(&a);
    }
    for (int k = 0; k < 4; k++) {
        lwi_tape_destroy(tape[k]);
        lwi_graph_destroy(g[k]);
    }
}

/// Lines without those products that a sum takes in: one a sum, that nothing else reads.
static int instructions_of(const lwi_tape *tape)
{
    const int first = tape->ninput + tape->nnumber;
    int count = tape->nline;
    for (int i = 0; i < tape->nline; i++) {
        bool takes_one = false;
        for (int k = 0; k < i && tape->line[i].op == LWI_OP_ADD && !takes_one; k++) {
            const uint32_t value = (uint32_t)(first + k);
            int readers = 0;
            for (int j = 0; j < tape->nline; j++) {
                readers += tape->line[j].a >> 1 == value;
                readers += lwi_is_binary(tape->line[j].op) && tape->line[j].b >> 1 == value;
            }
            for (int j = 0; j < tape->noutput; j++) {
                readers += tape->output[j].value >> 1 == value;
            }
            takes_one = tape->line[k].op == LWI_OP_MUL && readers == 1 &&
                        (tape->line[i].a >> 1 == value || tape->line[i].b >> 1 == value);
        }
        count -= takes_one;
    }
    return count;
}

// (a + b) c beside a c: three operations either way, but b c is fused with the sum.
TEST(ways_that_fuse_are_taken_where_instructions_count)
{
    for (int is_factored = 0; is_factored < 2; is_factored++) {
        lwi_graph *g = lwi_graph_create(0);
        lwi_expr x[3];
        for (int k = 0; k < 3; k++) {
            x[k] = lwi_symbol_of(g, "x", LWI_OTHER, k);
        }
        const lwi_expr product = lwi_mul(g, x[0], x[2]), other = lwi_mul(g, x[1], x[2]);
        const lwi_expr sum =
            is_factored ? lwi_mul(g, lwi_add(g, x[0], x[1]), x[2]) : lwi_add(g, product, other);
        const lwi_output output[2] = {{"y", 0, product}, {"y", 1, sum}};
        const lwi_select_options options = {LWI_COST_INSTRUCTIONS, 1};
        lwi_tape *tape = NULL;
        if (CHECK_INT(lwi_select(g, 2, output, &options, &tape), LW_OK)) {
            CHECK_INT(tape->nline, 3);
            CHECK_INT(instructions_of(tape), 2);
        }
        lwi_tape_destroy(tape);
        lwi_graph_destroy(g);
    }
}

int main(void)
{
    RUN(ways_that_fuse_are_taken_where_instructions_count);
    RUN(tapes_that_lose_digits_are_told_apart);
    RUN(numbers_that_the_field_confuses_are_told_apart);
    RUN(what_one_search_finds_constant_is_so_where_it_is_taken_over);
    RUN(the_order_in_which_ways_are_made_does_not_matter);
    RUN(the_order_in_which_values_are_made_does_not_matter);
    RUN(identities_hold_without_rules);
    RUN(R45_derivatives_and_substitution);
    RUN(V07_rational_functions_keep_the_laws_of_a_field);
    RUN(V07_substitution_puts_a_value_in_place_of_a_symbol);
    RUN(quarter_turns_and_multiples_are_exact);
    RUN(given_sines_are_those_of_the_angle);
    RUN(roots_keep_their_sign);
    RUN(constants_are_computed_once_and_not_counted);
    RUN(limits_and_bad_numbers_have_a_status);
    return REPORT();
}
