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
#ifdef BENCH_HAS_FCL
    fcl_solid *peer[2];
#endif
} pair_list;

static lw_distance_work work;
static lw_vec3 hull[2][POINTS];
static unsigned long long random_state = 1;

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

#ifdef BENCH_HAS_FCL
static void by_fcl(void *context, int i)
{
    const pair_list *p = context;
    const double d = fcl_distance(p->peer[0], &p->X[0][i], p->peer[1], &p->X[1][i]);
    bench_keep(&d);
}

static void touch_by_fcl(void *context, int i)
{
    const pair_list *p = context;
    const bool is_hit = fcl_touch(p->peer[0], &p->X[0][i], p->peer[1], &p->X[1][i]);
    bench_keep(&is_hit);
}

static void print_peer(pair_list *p, double ns)
{
    p->peer[0] = fcl_solid_create(&p->a);
    p->peer[1] = fcl_solid_create(&p->b);
    if (p->peer[0] && p->peer[1]) {
        int differ = 0;
        for (int i = 0; i < PAIRS; ++i) {
            const double d = fcl_distance(p->peer[0], &p->X[0][i], p->peer[1], &p->X[1][i]);
            differ += p->distance[i] > 1e-6 && !(fabs(d - p->distance[i]) < 1e-5);
        }
        const double distance = bench_time(by_fcl, p, PAIRS);
        const double touch = bench_time(touch_by_fcl, p, PAIRS);
        printf(" %9.0f %6.2f %9.0f %6d", distance, ns / distance, touch, differ);
    }
    fcl_solid_destroy(p->peer[0]);
    fcl_solid_destroy(p->peer[1]);
}
#endif

static void pair_row(const char *name, lw_solid a, lw_solid b)
{
    static pair_list p;
    int hits = 0;
    p.a = a;
    p.b = b;
    for (int i = 0; i < PAIRS; ++i) {
        for (int side = 0; side < 2; ++side) {
            p.X[side][i] = (lw_pose){lw_exp3(vector(1.8)), vector(0.6)};
        }
        lw_distance d;
        lw_find_distance(&a, &p.X[0][i], &b, &p.X[1][i], &work, &d);
        p.distance[i] = d.distance;
        hits += d.distance < 0.0;
    }
    const double ns = bench_time(by_linkwork, &p, PAIRS);
    const double verdict = bench_time(verdict_by_linkwork, &p, PAIRS);
    printf("%-20s %5.0f%% %9.0f %9.0f", name, 100.0 * hits / PAIRS, ns, verdict);
#ifdef BENCH_HAS_FCL
    print_peer(&p, ns);
#endif
    printf("\n");
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

static void motion_of_state(void *context, int i)
{
    const robot_check *r = context;
    const lw_motion_check check = {.margin = 0.0, .resolution = 1e-4};
    lw_motion_verdict result;
    lw_collide_motion(r->c, r->d, &r->q[i * r->m->nq], &r->q[(i + 1) * r->m->nq], &check, &result);
    bench_keep(&result);
}

static void robot_row(const char *path)
{
    lw_mech *mech = NULL;
    lw_model *m = NULL;
    robot_check r = {0};
    if (lw_load_file(path, NULL, &mech, NULL) == LW_OK &&
        lw_compile(mech, NULL, &m, NULL) == LW_OK && lw_data_create(m, &r.d) == LW_OK &&
        lw_collide_create(m, &r.c, NULL) == LW_OK) {
        const lw_collide_info *info = lw_collide_describe(r.c);
        r.m = m;
        r.q = calloc((size_t)(STATES + 1) * (size_t)m->nq, sizeof *r.q);
        for (int i = 0; r.q && i < (STATES + 1) * m->nq; ++i) {
            r.q[i] = m->q_reference[i % m->nq] + uniform(-0.5, 0.5);
        }
        const size_t nlink = (size_t)info->nlink;
        r.X = calloc(STATES * nlink + 1, sizeof *r.X);
        for (int i = 0; r.q && r.X && i < STATES; ++i) {
            lw_forward_position(m, r.d, &r.q[i * m->nq]);
            for (size_t k = 0; k < nlink; ++k) {
                lw_frame_pose(m, r.d, info->link[k], &r.X[(size_t)i * nlink + k]);
            }
        }
        printf("%s: %d solids, %d pairs\n", m->name, info->nsolid, info->npair);
        printf("  %-24s %9.0f ns\n", "any contact", bench_time(check_state, &r, STATES));
        printf("  %-24s %9.0f ns\n", "the same, poses given", time_without_poses(&r));
        printf("  %-24s %9.0f ns\n", "64 states, each", bench_time(check_batch, &r, 1) / STATES);
        printf("  %-24s %9.0f ns\n", "smallest distance", bench_time(nearest_of_state, &r, STATES));
        printf("  %-24s %9.0f ns\n", "motion", bench_time(motion_of_state, &r, STATES));
    }
    free(r.q);
    free(r.X);
    lw_collide_destroy(r.c);
    lw_data_destroy(r.d);
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

int main(int argc, char **argv)
{
    const char *source = argc > 1 ? argv[1] : ".";
    char path[1024];
    for (int i = 0; i < 2 * POINTS; ++i) {
        hull[i / POINTS][i % POINTS] = lw_scale3(0.4, lw_unit3(vector(1.0)));
    }
    const lw_solid cylinder = lw_cylinder(0.2, 0.6), box = lw_box(lw_vec3_of(0.5, 0.4, 0.3));
    printf("%-20s %6s %9s %9s", "distance", "hits", "linkwork", "verdict");
#ifdef BENCH_HAS_FCL
    printf(" %9s %6s %9s %6s", "FCL", "ratio", "FCL bool", "differ");
#endif
    printf("   (ns)\n");
    pair_row("sphere-sphere", lw_sphere(0.2), lw_sphere(0.3));
    pair_row("capsule-capsule", lw_capsule(0.1, 0.6), lw_capsule(0.15, 0.5));
    pair_row("sphere-box", lw_sphere(0.2), box);
    pair_row("capsule-box", lw_capsule(0.1, 0.6), box);
    pair_row("box-box", box, lw_box(lw_vec3_of(0.3, 0.6, 0.2)));
    pair_row("cylinder-cylinder", cylinder, lw_cylinder(0.3, 0.3));
    pair_row("hull-hull, 50 points", lw_hull(POINTS, hull[0]), lw_hull(POINTS, hull[1]));
    snprintf(path, sizeof path, "%s/models/panda_class.xml", source);
    robot_row(path);
    snprintf(path, sizeof path, "%s/models/ur5_class.xml", source);
    robot_row(path);
    return 0;
}
