// Convex solids: their measures, and their farthest points.
#include "fours.h"
#include "support.h"

#include <math.h>

lw_solid lw_sphere(double radius)
{
    return (lw_solid){.core = LW_CORE_POINT, .radius = radius};
}

lw_solid lw_capsule(double radius, double length)
{
    return (lw_solid){.core = LW_CORE_SEGMENT, .half.z = 0.5 * length, .radius = radius};
}

lw_solid lw_box(lw_vec3 size)
{
    return (lw_solid){.core = LW_CORE_BOX, .half = lw_scale3(0.5, size)};
}

lw_solid lw_cylinder(double radius, double length)
{
    return (lw_solid){.core = LW_CORE_CYLINDER, .half = {radius, radius, 0.5 * length}};
}

lw_solid lw_cone(double radius, double length)
{
    return (lw_solid){.core = LW_CORE_CONE, .half = {radius, radius, 0.5 * length}};
}

lw_solid lw_ellipsoid(lw_vec3 radii)
{
    return (lw_solid){.core = LW_CORE_ELLIPSOID, .half = radii};
}

lw_solid lw_hull(int npoint, const lw_vec3 *point)
{
    return (lw_solid){.core = LW_CORE_HULL, .npoint = npoint, .point = point};
}

lw_solid lw_half_space(void)
{
    return (lw_solid){.core = LW_CORE_HALF_SPACE};
}

// Products of six lengths must not overflow.
static lw_status check_length(double x)
{
    return !(fabs(x) < 1e50) ? LW_ERR_NUMBER : x < 0.0 ? LW_ERR_ARGUMENT : LW_OK;
}

lw_status lw_check_solid(const lw_solid *solid)
{
    if (!solid || (unsigned)solid->core >= LW_CORE_COUNT ||
        (solid->core == LW_CORE_HULL && (solid->npoint < 1 || !solid->point))) {
        return LW_ERR_ARGUMENT;
    }
    const double length[] = {solid->half.x, solid->half.y, solid->half.z, solid->radius};
    for (int i = 0; i < 4; ++i) {
        const lw_status status = check_length(length[i]);
        if (status != LW_OK) {
            return status;
        }
    }
    for (int i = 0; solid->core == LW_CORE_HULL && i < solid->npoint; ++i) {
        const lw_vec3 p = solid->point[i];
        if (check_length(fabs(p.x)) || check_length(fabs(p.y)) || check_length(fabs(p.z))) {
            return LW_ERR_NUMBER;
        }
    }
    return LW_OK;
}

// --- Points of a hull -------------------------------------------------------------------------

typedef double two __attribute__((vector_size(16), aligned(8)));

// Heights of two points, from the three pairs of numbers that they are.
static inline two heights_of(const lw_vec3 *p, two dx, two dy, two dz)
{
    two u, v, w;
    memcpy(&u, &p[0].x, sizeof u);
    memcpy(&v, &p[0].z, sizeof v);
    memcpy(&w, &p[1].y, sizeof w);
    return (two){u[0], v[1]} * dx + (two){u[1], w[0]} * dy + (two){v[0], w[1]} * dz;
}

// The first of those that are farthest. Several heights at a time: none waits for the one before.
static int farthest_of(const lw_vec3 *p, int n, const lw_vec3 *d)
{
    const two dx = {d->x, d->x}, dy = {d->y, d->y}, dz = {d->z, d->z};
    int best = 0, i = 0;
    double height = -HUGE_VAL;
    for (; i + 4 <= n; i += 4) {
        const two x = heights_of(p + i, dx, dy, dz), y = heights_of(p + i + 2, dx, dy, dz);
        const double most = lwi_larger(lwi_larger(x[0], x[1]), lwi_larger(y[0], y[1]));
        if (most > height) {
            height = most;
            best = i + (x[0] == most ? 0 : x[1] == most ? 1 : y[0] == most ? 2 : 3);
        }
    }
    for (; i < n; ++i) {
        const double x = lw_dot3(p[i], *d);
        best = x > height ? i : best;
        height = lwi_larger(x, height);
    }
    return best;
}

// The largest squared distance of a point from the origin; infinite where a point is not in order.
static double largest_square(const lw_vec3 *p, int n)
{
    double sum = 0.0, most = 0.0; // the sum is no number where one of them is not
    for (int i = 0; i < n; ++i) {
        const double x = lw_dot3(p[i], p[i]);
        sum += x;
        most = lwi_larger(x, most);
    }
    return sum < 1e100 ? most : HUGE_VAL;
}

#ifdef __x86_64__
// The same four at a time, for at least four points: the last four may be some of those before
// them.
typedef struct four_points {
    __m256d x, y, z;
} four_points;

LWI_AVX2 static inline four_points load_four(const lw_vec3 *p)
{
    const double *from = &p->x;
    const __m256d u = _mm256_loadu2_m128d(from + 6, from),
                  v = _mm256_loadu2_m128d(from + 8, from + 2),
                  w = _mm256_loadu2_m128d(from + 10, from + 4);
    return (four_points){_mm256_shuffle_pd(u, v, 10), _mm256_shuffle_pd(u, w, 5),
                         _mm256_shuffle_pd(v, w, 10)};
}

LWI_AVX2 static int farthest_of_fours(const lw_vec3 *p, int n, const lw_vec3 *d)
{
    const __m256d dx = _mm256_set1_pd(d->x), dy = _mm256_set1_pd(d->y), dz = _mm256_set1_pd(d->z);
    const __m256d step = _mm256_set1_pd(-4.0);
    const lw_vec3 *last = p + n - 4;
    // Places are counted down from zero, so that the first is the largest.
    __m256d here = _mm256_setr_pd(0.0, -1.0, -2.0, -3.0), at = here;
    __m256d most = _mm256_set1_pd(-HUGE_VAL);
    while (true) {
        const four_points q = load_four(p);
        const __m256d height = q.x * dx + q.y * dy + q.z * dz;
        at = _mm256_blendv_pd(at, here, _mm256_cmp_pd(height, most, _CMP_GT_OQ));
        most = _mm256_max_pd(height, most);
        if (p == last) {
            break;
        }
        p += 4;
        here += step;
        if (p > last) {
            here += _mm256_set1_pd((double)(p - last));
            p = last;
        }
    }
    return -lwi_place_of_largest(most, at);
}

LWI_AVX2 static double largest_square_of_fours(const lw_vec3 *p, int n)
{
    const lw_vec3 *last = p + n - 4;
    __m256d sum = _mm256_setzero_pd(), most = sum;
    while (true) {
        const four_points q = load_four(p);
        const __m256d x = q.x * q.x + q.y * q.y + q.z * q.z;
        sum += x;
        most = _mm256_max_pd(x, most);
        if (p == last) {
            break;
        }
        p = p + 4 < last ? p + 4 : last;
    }
    return sum[0] + sum[1] + sum[2] + sum[3] < 1e100 ? lwi_largest_of(most)[0] : HUGE_VAL;
}

#else
#define farthest_of_fours farthest_of
#define largest_square_of_fours largest_square
#endif

static inline bool has_fours(int n)
{
    return n >= 4 && lwi_has_fours();
}

int lwi_farthest_point(const lw_solid *hull, const lw_vec3 *d)
{
    const lw_vec3 *p = hull->point;
    const int n = hull->npoint;
    return has_fours(n) ? farthest_of_fours(p, n, d) : farthest_of(p, n, d);
}

static bool hull_has_size(const lw_solid *solid, double *size)
{
    const lw_vec3 *p = solid->point;
    const int n = solid->npoint;
    if (n < 1 || !p) {
        return false;
    }
    const double square = has_fours(n) ? largest_square_of_fours(p, n) : largest_square(p, n);
    *size = sqrt(square);
    return square < HUGE_VAL;
}

bool lwi_has_size(const lw_solid *solid, double *size)
{
    const lw_vec3 h = solid->half;
    if (!lwi_is_length(h.x) || !lwi_is_length(h.y) || !lwi_is_length(h.z) ||
        !lwi_is_length(solid->radius)) {
        if (lw_check_solid(solid) != LW_OK) { // zeros may have a sign
            return false;
        }
    }
    switch (solid->core) {
    case LW_CORE_POINT:
    case LW_CORE_HALF_SPACE:
        *size = 0.0;
        return true;
    case LW_CORE_SEGMENT:
        *size = h.z;
        return true;
    case LW_CORE_BOX:
        *size = lw_norm3(h);
        return true;
    case LW_CORE_CYLINDER:
    case LW_CORE_CONE:
        *size = sqrt(h.x * h.x + h.z * h.z);
        return true;
    case LW_CORE_ELLIPSOID:
        *size = lwi_larger(lwi_larger(h.x, h.y), h.z);
        return true;
    case LW_CORE_HULL:
        return hull_has_size(solid, size);
    case LW_CORE_COUNT:
        break;
    }
    return false;
}

double lwi_core_size(const lw_solid *solid)
{
    double size = 0.0;
    lwi_has_size(solid, &size);
    return size;
}
