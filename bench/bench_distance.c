// Distances of two solids, and the self-check of an arm: linkwork, and FCL where it is installed,
// on the same poses in one run. Agreement is counted first.
#include "measure.h"
#ifdef BENCH_HAS_FCL
#include "peers/distance_fcl.h"
#endif

#include <linkwork/io.h>
#include <linkwork/linkwork.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 512, POINTS = 50, STATES = 64 };

typedef struct pair_list {
    lw_solid a, b;
    lw_pose X[2][PAIRS];
    double distance[PAIRS];
    lw_distance_start start[PAIRS];
#ifdef BENCH_HAS_FCL
    fcl_solid *peer[2];
#endif
} pair_list;

static lw_distance_work work;
static lw_vec3 hull[2][POINTS];
static unsigned long long random_state = 1;
static const char *counted; ///< the pair that distance_counts.sh looks at, or null

static double uniform(double low, double high)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(random_state >> 11) * 0x1p-53;
}

static lw_vec3 vector(double size)
{
    const double x = uniform(-size, size), y = uniform(-size, size);
    return lw_vec3_of(x, y, uniform(-size, size));
}

static void by_linkwork(void *context, int i)
{
    const pair_list *p = context;
    lw_distance d;
    lw_find_distance(&p->a, &p->X[0][i], &p->b, &p->X[1][i], &work, &d);
    bench_keep(&d);
}

static void verdict_by_linkwork(void *context, int i)
{
    const pair_list *p = context;
    lw_verdict verdict;
    lw_find_verdict(&p->a, &p->X[0][i], &p->b, &p->X[1][i], 0.0, &work, &verdict);
    bench_keep(&verdict);
}

// From where the search in a pose nearby has ended.
static void warm_by_linkwork(void *context, int i)
{
    const pair_list *p = context;
    lw_distance_start start = p->start[i];
    lw_distance d;
    lw_find_distance_from(&p->a, &p->X[0][i], &p->b, &p->X[1][i], &start, &work, &d);
    bench_keep(&d);
}

// Two capsules as one writes them for oneself: nearest points, normal and distance, without checks,
// without an interval, and the normal is no number where the axes meet.
static void capsules_by_hand(void *context, int i)
{
    const pair_list *p = context;
    const lw_pose *A = &p->X[0][i], *B = &p->X[1][i];
    const double l = p->a.half.z, m = p->b.half.z;
    const lw_vec3 u = {A->R.row[0].z, A->R.row[1].z, A->R.row[2].z};
    const lw_vec3 v = {B->R.row[0].z, B->R.row[1].z, B->R.row[2].z}, c = lw_sub3(B->p, A->p);
    const double uv = lw_dot3(u, v), uc = lw_dot3(u, c), vc = lw_dot3(v, c), sine2 = 1.0 - uv * uv;
    double s = sine2 > 1e-12 ? (uc - uv * vc) / sine2 : 0.0;
    s = s < -l ? -l : s > l ? l : s;
    double t = uv * s - vc;
    if (fabs(t) > m) {
        t = t < 0.0 ? -m : m;
        s = uv * t + uc;
        s = s < -l ? -l : s > l ? l : s;
    }
    const lw_vec3 a = lw_add3(A->p, lw_scale3(s, u)), b = lw_add3(B->p, lw_scale3(t, v));
    const lw_vec3 d = lw_sub3(b, a);
    const double norm = lw_norm3(d);
    const lw_vec3 n = lw_scale3(1.0 / norm, d);
    const struct {
        double distance;
        lw_vec3 normal, point[2];
    } r = {norm - p->a.radius - p->b.radius,
           n,
           {lw_add3(a, lw_scale3(p->a.radius, n)), lw_sub3(b, lw_scale3(p->b.radius, n))}};
    bench_keep(&r);
}

#ifdef BENCH_HAS_FCL
static void by_fcl(void *context, int i)
{
    const pair_list *p = context;
    const double d = fcl_distance(p->peer[0], &p->X[0][i], p->peer[1], &p->X[1][i]);
    bench_keep(&d);
}

static void depth_by_fcl(void *context, int i)
{
    const pair_list *p = context;
    const double d = fcl_signed_distance(p->peer[0], &p->X[0][i], p->peer[1], &p->X[1][i]);
    bench_keep(&d);
}

static void touch_by_fcl(void *context, int i)
{
    const pair_list *p = context;
    const bool is_hit = fcl_touch(p->peer[0], &p->X[0][i], p->peer[1], &p->X[1][i]);
    bench_keep(&is_hit);
}

static void print_peer(pair_list *p, double ns, double warm)
{
    p->peer[0] = fcl_solid_create(&p->a);
    p->peer[1] = fcl_solid_create(&p->b);
    if (p->peer[0] && p->peer[1]) {
        int differ = 0, deeper = 0;
        for (int i = 0; i < PAIRS; ++i) {
            const double d = fcl_signed_distance(p->peer[0], &p->X[0][i], p->peer[1], &p->X[1][i]);
            const double deep = p->distance[i] - d; // than linkwork proves that it is
            differ += p->distance[i] > 1e-6 ? !(fabs(deep) < 1e-5) : !(deep > -1e-5);
            deeper += p->distance[i] < 0.0 && deep > 1e-5;
        }
        const double distance = bench_time(by_fcl, p, PAIRS);
        const double depth = bench_time(depth_by_fcl, p, PAIRS);
        const double touch = bench_time(touch_by_fcl, p, PAIRS);
        printf(" %9.0f %6.2f %6.2f %9.0f %6.2f %6.2f %9.0f %6d %6d", distance, ns / distance,
               warm / distance, depth, ns / depth, warm / depth, touch, differ, deeper);
    }
    fcl_solid_destroy(p->peer[0]);
    fcl_solid_destroy(p->peer[1]);
}
#endif

// FCL's distance has no depth of an overlap, its contacts have: `is_apart` compares what the former
// answers too.
static void pair_row(const char *name, lw_solid a, lw_solid b, bool is_apart)
{
    static pair_list p;
    int hits = 0;
    if (counted && strcmp(name, counted) != 0) {
        return;
    }
    p.a = a;
    p.b = b;
    for (int i = 0; i < PAIRS; ++i) {
        for (int side = 0; side < 2; ++side) {
            p.X[side][i] = (lw_pose){lw_exp3(vector(1.8)), vector(0.6)};
        }
        lw_distance d;
        lw_find_distance(&a, &p.X[0][i], &b, &p.X[1][i], &work, &d);
        if (is_apart && d.distance < 0.0) {
            --i;
            continue;
        }
        p.distance[i] = d.distance;
        hits += d.distance < 0.0;
        if (counted) {
            printf("%s\n", d.distance < 0.0 ? "overlap" : "apart");
        }
    }
    if (counted) {
        return;
    }
    for (int i = 0; i < PAIRS; ++i) {
        const lw_mat3 turn = lw_exp3(vector(0.01));
        const lw_pose Y = {lw_mul3(&turn, &p.X[1][i].R), lw_add3(p.X[1][i].p, vector(0.005))};
        lw_distance d;
        p.start[i] = (lw_distance_start){.n = 0};
        lw_find_distance_from(&a, &p.X[0][i], &b, &Y, &p.start[i], &work, &d);
    }
    const double warm = bench_time(warm_by_linkwork, &p, PAIRS);
    const double ns = bench_time(by_linkwork, &p, PAIRS);
    const double verdict = bench_time(verdict_by_linkwork, &p, PAIRS);
    printf("%-20s %5.0f%% %9.0f %9.0f %9.0f", name, 100.0 * hits / PAIRS, ns, warm, verdict);
#ifdef BENCH_HAS_FCL
    print_peer(&p, ns, warm);
#endif
    printf("\n");
    if (a.core == LW_CORE_SEGMENT && b.core == LW_CORE_SEGMENT) {
        const double hand = bench_time(capsules_by_hand, &p, PAIRS);
        printf("%-20s %6s %9.0f, linkwork %.2f of it\n", "  by hand", "", hand, ns / hand);
    }
}

// Many pairs of capsules at a time, in arrays that do not lie 4096 bytes apart: twenty at the same
// place of a page are more than the cache has for one.
enum { ROW = PAIRS + 40 };

typedef struct batch_list {
    double in[2][8][ROW], out[5][ROW];
    float in32[2][8][ROW], out32[5][ROW];
    lw_capsules side[2];
    lw_capsules32 side32[2];
} batch_list;

static void batch_by_linkwork(void *context, int i)
{
    batch_list *b = context;
    const lw_capsule_distances out = {b->out[0], b->out[1], b->out[2], b->out[3], b->out[4]};
    (void)i;
    lw_find_capsule_distances(PAIRS, &b->side[0], &b->side[1], &out);
    bench_keep(b);
}

static void batch32_by_linkwork(void *context, int i)
{
    batch_list *b = context;
    const lw_capsule_distances32 out = {b->out32[0], b->out32[1], b->out32[2], b->out32[3],
                                        b->out32[4]};
    (void)i;
    lw_find_capsule_distances32(PAIRS, &b->side32[0], &b->side32[1], &out);
    bench_keep(b);
}

static void batch_row(const char *name)
{
    static batch_list b;
    const unsigned long long before = random_state; // the other rows keep their poses
    if (counted && strcmp(name, counted) != 0) {
        return;
    }
    for (int k = 0; k < 2; ++k) {
        double(*x)[ROW] = b.in[k];
        float(*y)[ROW] = b.in32[k];
        for (int i = 0; i < PAIRS; ++i) {
            const lw_mat3 R = lw_exp3(vector(1.8));
            const lw_vec3 p = vector(0.6);
            const double number[8] = {
                p.x, p.y, p.z, R.row[0].z, R.row[1].z, R.row[2].z, k ? 0.25 : 0.3, k ? 0.15 : 0.1};
            for (int j = 0; j < 8; ++j) {
                x[j][i] = number[j];
                y[j][i] = (float)number[j];
            }
        }
        b.side[k] = (lw_capsules){x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]};
        b.side32[k] = (lw_capsules32){y[0], y[1], y[2], y[3], y[4], y[5], y[6], y[7]};
    }
    random_state = before;
    if (counted) {
        batch_by_linkwork(&b, 0);
        batch32_by_linkwork(&b, 0);
        return;
    }
    const double ns = bench_time(batch_by_linkwork, &b, 1) / PAIRS;
    const double ns32 = bench_time(batch32_by_linkwork, &b, 1) / PAIRS;
    printf("%-20s %6s %9.1f, in float %.1f\n", name, "", ns, ns32);
}

typedef struct robot_check {
    const lw_model *m;
    lw_data *d;
    lw_collide *c;
    double *q;
    lw_pose *X; ///< of the links, state by state
} robot_check;

static void check_state(void *context, int i)
{
    const robot_check *r = context;
    lw_verdict verdict;
    lw_collide_check(r->c, r->d, &r->q[i * r->m->nq], 0.0, &verdict, NULL);
    bench_keep(&verdict);
}

// With the poses that the data has.
static void check_poses(void *context, int i)
{
    const robot_check *r = context;
    lw_verdict verdict;
    (void)i;
    lw_collide_check(r->c, r->d, NULL, 0.0, &verdict, NULL);
    bench_keep(&verdict);
}

static void check_batch(void *context, int i)
{
    const robot_check *r = context;
    lw_verdict verdict[STATES];
    (void)i;
    lw_collide_check_poses(r->c, STATES, r->X, 0.0, verdict);
    bench_keep(verdict);
}

static void nearest_of_state(void *context, int i)
{
    const robot_check *r = context;
    lw_contact contact;
    lw_collide_nearest(r->c, r->d, &r->q[i * r->m->nq], &contact);
    bench_keep(&contact);
}

// The mean over all states, of which each is placed before it is timed.
static double time_without_poses(robot_check *r)
{
    double sum = 0.0;
    for (int i = 0; i < STATES; ++i) {
        lw_forward_position(r->m, r->d, &r->q[i * r->m->nq]);
        sum += bench_time(check_poses, r, 1) / STATES;
    }
    return sum;
}

static const lw_motion_check any_motion = {.margin = 0.0, .resolution = 1e-4};

// From the first state to the second.
static void motion_of_state(void *context, int i)
{
    const robot_check *r = context;
    const double *q = r->q;
    lw_motion_verdict result;
    (void)i;
    lw_collide_motion(r->c, r->d, q, q + r->m->nq, &any_motion, &result);
    bench_keep(&result);
}

static int compare_times(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The pair of links that is nearest wherever the arm is, or -1. Links 3 and 5 of the Panda are 3.07
// cm apart in all states: no motion has more between all of its links.
static int constant_pair(robot_check *r)
{
    const lw_model *m = r->m;
    int pair = -1;
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (int k = 0; k < 1000; ++k) {
        lw_contact contact;
        for (int i = 0; i < m->nq; ++i) {
            r->q[i] = uniform(fmax(m->dof[i].lower, -3.0), fmin(m->dof[i].upper, 3.0));
        }
        lw_collide_nearest(r->c, r->d, r->q, &contact);
        if (contact.distance.distance > most) {
            most = contact.distance.distance;
            pair = contact.pair;
            least = k < 900 ? most : least;
        }
    }
    return most - least < 1e-6 ? pair : -1;
}

// Motions of 1 rad in each joint within its limits that are free, with so much between links but
// for one pair: the median of their times, with all pairs, and how many of how many there were.
static void time_motions(robot_check *r, double margin, int but)
{
    double time[STATES], *q = r->q;
    const lw_model *m = r->m;
    int n = 0, tries = 0;
    for (; n < STATES && tries < 4000; ++tries) {
        const lw_motion_check check = {.margin = margin, .resolution = 1e-4};
        lw_motion_verdict result = {.verdict = LW_VERDICT_HIT};
        for (int i = 0; i < m->nq; ++i) {
            const double low = fmax(m->dof[i].lower, -3.0), high = fmin(m->dof[i].upper, 3.0);
            const double turn = uniform(-1.0, 1.0) < 0.0 ? -1.0 : 1.0;
            q[i] = uniform(fmax(low, low - turn), fmin(high, high - turn));
            q[i + m->nq] = q[i] + turn;
        }
        if (but >= 0) {
            lw_collide_allow(r->c, but, true);
        }
        lw_collide_motion(r->c, r->d, q, q + m->nq, &check, &result);
        if (but >= 0) {
            lw_collide_allow(r->c, but, false);
        }
        if (result.verdict == LW_VERDICT_FREE) {
            time[n++] = bench_time(motion_of_state, r, 1);
        }
    }
    if (n > 0) {
        char name[64];
        qsort(time, (size_t)n, sizeof *time, compare_times);
        snprintf(name, sizeof name, "motion, free by %.0f cm", 100.0 * margin);
        printf("  %-24s %9.0f ns (median of %d, of %d motions)\n", name, time[n / 2], n, tries);
    }
}

static void robot_row(lw_mech *mech)
{
    lw_model *m = NULL;
    robot_check r = {0};
    if (mech && lw_compile(mech, NULL, &m, NULL) == LW_OK && lw_data_create(m, &r.d) == LW_OK &&
        lw_collide_create(m, &r.c, NULL) == LW_OK) {
        const lw_collide_info *info = lw_collide_describe(r.c);
        int checked = 0;
        for (int i = 0; i < info->npair; ++i) {
            checked += info->pair[i].reason == LW_PAIR_CHECKED;
        }
        r.m = m;
        r.q = calloc((size_t)(STATES + 1) * (size_t)m->nq, sizeof *r.q);
        for (int i = 0; r.q && i < (STATES + 1) * m->nq; ++i) {
            r.q[i] = m->q_reference[i % m->nq] + uniform(-0.5, 0.5);
        }
        const size_t nlink = (size_t)info->nlink;
        r.X = calloc(STATES * nlink + 1, sizeof *r.X);
        int hits = 0;
        for (int i = 0; r.q && r.X && i < STATES; ++i) {
            lw_verdict verdict;
            lw_collide_check(r.c, r.d, &r.q[i * m->nq], 0.0, &verdict, NULL);
            hits += verdict == LW_VERDICT_HIT;
            for (size_t k = 0; k < nlink; ++k) {
                lw_frame_pose(m, r.d, info->link[k], &r.X[(size_t)i * nlink + k]);
            }
        }
        printf("%s: %d solids, %d pairs of links checked, %d %% hits\n", m->name, info->nsolid,
               checked, 100 * hits / STATES);
        printf("  %-24s %9.0f ns\n", "any contact", bench_time(check_state, &r, STATES));
        printf("  %-24s %9.0f ns\n", "the same, poses given", time_without_poses(&r));
        printf("  %-24s %9.0f ns\n", "64 states, each", bench_time(check_batch, &r, 1) / STATES);
        printf("  %-24s %9.0f ns\n", "smallest distance", bench_time(nearest_of_state, &r, STATES));
        time_motions(&r, 0.02, -1);
        const int pair = constant_pair(&r);
        if (pair >= 0) {
            time_motions(&r, 0.05, pair);
        }
    }
    free(r.q);
    free(r.X);
    lw_collide_destroy(r.c);
    lw_data_destroy(r.d);
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

static lw_mech *load(const char *source, const char *name)
{
    char path[1024];
    lw_mech *mech = NULL;
    snprintf(path, sizeof path, "%s/models/%s", source, name);
    lw_load_file(path, NULL, &mech, NULL);
    return mech;
}

// The arm of models/panda_class.xml with 14 capsules, as planners have it.
static lw_mech *make_panda(void)
{
    static const struct {
        double alpha, a, d, q, lower, upper;
        const char *shapes;
    } link[7] = {{0, 0, 0.333, 0, -2.8973, 2.8973,
                  "<capsule radius='0.06' length='0.12' xyz='0 0 -0.1'/>"
                  "<capsule radius='0.06' length='0.1' rpy='1.5708 0 0'/>"},
                 {-1.5707963267948966, 0, 0, -0.7854, -1.7628, 1.7628,
                  "<capsule radius='0.06' length='0.13' xyz='0 -0.09 0' rpy='1.5708 0 0'/>"},
                 {1.5707963267948966, 0, 0.316, 0, -2.8973, 2.8973,
                  "<capsule radius='0.06' length='0.08' xyz='0 0 -0.09'/>"
                  "<capsule radius='0.055' length='0.08' xyz='0.0825 0 0' rpy='1.5708 0 0'/>"},
                 {1.5707963267948966, 0.0825, 0, -2.3562, -3.0718, -0.0698,
                  "<capsule radius='0.05' length='0.08'/>"
                  "<capsule radius='0.055' length='0.1' xyz='-0.0825 0.08 0' rpy='1.5708 0 0'/>"},
                 {-1.5707963267948966, -0.0825, 0.384, 0, -2.8973, 2.8973,
                  "<capsule radius='0.055' length='0.1' xyz='0 0 -0.22'/>"
                  "<capsule radius='0.035' length='0.16' xyz='0 0.06 -0.09'/>"
                  "<capsule radius='0.045' length='0.08' rpy='1.5708 0 0'/>"},
                 {1.5707963267948966, 0, 0, 1.5708, -0.0175, 3.7525,
                  "<capsule radius='0.045' length='0.05'/>"
                  "<capsule radius='0.045' length='0.04' xyz='0.088 0 0' rpy='1.5708 0 0'/>"},
                 {1.5707963267948966, 0.088, 0, 0.7854, -2.8973, 2.8973,
                  "<capsule radius='0.045' length='0.16' xyz='0 0 0.15' rpy='1.5708 0 -0.7854'/>"}};
    static char text[8192];
    int n = snprintf(text, sizeof text,
                     "<linkwork version='1' name='panda as capsules'><ground>"
                     "<capsule radius='0.1' length='0.1' xyz='-0.04 0 0.07'/></ground>");
    for (int i = 0; i < 7; ++i) {
        char from[16] = "ground";
        if (i > 0) {
            snprintf(from, sizeof from, "link%d", i);
        }
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "<joint name='joint%d' type='revolute' from='%s' to='link%d' reference='%g' "
                      "lower='%g' upper='%g'>"
                      "<craig alpha='%.16g' a='%g' theta='0' d='%g'/></joint>"
                      "<link name='link%d' mass='1'>%s</link>",
                      i + 1, from, i + 1, link[i].q, link[i].lower, link[i].upper, link[i].alpha,
                      link[i].a, link[i].d, i + 1, link[i].shapes);
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "</linkwork>");
    lw_mech *mech = NULL;
    lw_load_text("panda", text, (size_t)n, NULL, &mech, NULL);
    return mech;
}

// Five limbs of twelve links, each with a capsule; no two of them touch.
static lw_mech *make_limbs(void)
{
    static char text[32768];
    int n = snprintf(text, sizeof text, "<linkwork version='1' name='60 links'><ground/>");
    for (int i = 0; i < 60; ++i) {
        char from[16] = "ground";
        if (i % 12 > 0) {
            snprintf(from, sizeof from, "link%d", i - 1);
        }
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "<joint name='joint%d' type='revolute' axis='%d %d 0' from='%s' to='link%d' "
                      "xyz='%g 0 %g'/><link name='link%d' mass='1'>"
                      "<capsule radius='0.03' length='0.06' xyz='0 0 0.05'/></link>",
                      i, i % 2, (i + 1) % 2, from, i, i % 12 > 0 ? 0.0 : 0.6 * (i / 12.0),
                      i % 12 > 0 ? 0.1 : 0.0, i);
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "</linkwork>");
    lw_mech *mech = NULL;
    lw_load_text("limbs", text, (size_t)n, NULL, &mech, NULL);
    return mech;
}

int main(int argc, char **argv)
{
    const char *source = argc > 1 ? argv[1] : ".";
    counted = argc > 2 ? argv[2] : NULL;
    for (int i = 0; i < 2 * POINTS; ++i) {
        hull[i / POINTS][i % POINTS] = lw_scale3(0.4, lw_unit3(vector(1.0)));
    }
    const lw_solid cylinder = lw_cylinder(0.2, 0.6), box = lw_box(lw_vec3_of(0.5, 0.4, 0.3));
    if (!counted) {
        printf("%-20s %6s %9s %9s %9s", "distance", "hits", "linkwork", "warm", "verdict");
#ifdef BENCH_HAS_FCL
        printf(" %9s %6s %6s %9s %6s %6s %9s %6s %6s", "FCL", "ratio", "warm", "signed", "ratio",
               "warm", "FCL bool", "differ", "deeper");
#endif
        printf("   (ns)\n");
    }
    pair_row("sphere-sphere", lw_sphere(0.2), lw_sphere(0.3), false);
    pair_row("capsule-capsule", lw_capsule(0.1, 0.6), lw_capsule(0.15, 0.5), false);
    batch_row("  512 pairs, each");
    pair_row("sphere-box", lw_sphere(0.2), box, false);
    pair_row("capsule-box", lw_capsule(0.1, 0.6), box, false);
    pair_row("box-box", box, lw_box(lw_vec3_of(0.3, 0.6, 0.2)), false);
    pair_row("cylinder-cylinder", cylinder, lw_cylinder(0.3, 0.3), false);
    pair_row("  cylinders apart", cylinder, lw_cylinder(0.3, 0.3), true);
    pair_row("hull-hull, 50 points", lw_hull(POINTS, hull[0]), lw_hull(POINTS, hull[1]), false);
    pair_row("  hulls apart", lw_hull(POINTS, hull[0]), lw_hull(POINTS, hull[1]), true);
    if (counted) {
        return 0;
    }
    robot_row(make_panda());
    robot_row(load(source, "panda_class.xml"));
    robot_row(load(source, "ur5_class.xml"));
    robot_row(make_limbs());
    return 0;
}
