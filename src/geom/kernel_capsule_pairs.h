// Distances of several pairs of capsules side by side, one in each lane of a vector of the scalar
// that the including file names by macros: lwi_capsule_distance() without a branch. Where the axes
// are parallel any s is a good one to begin with, so that their sine only must not be zero. Lanes
// that are odd, and those that both ends of the interval show to be imprecise, get intervals that
// are not numbers.
typedef REAL LANES(vec) __attribute__((vector_size(PAIRS_BYTES)));
typedef BITS LANES(mask) __attribute__((vector_size(PAIRS_BYTES)));

static inline LANES(vec) LANES(select)(LANES(mask) m, LANES(vec) a, LANES(vec) b)
{
    return (LANES(vec))(((LANES(mask))a & m) | ((LANES(mask))b & ~m));
}

static inline LANES(vec) LANES(abs)(LANES(vec) x)
{
    return (LANES(vec))((LANES(mask))x & PAIRS_MAGNITUDE);
}

// The second where either is not a number.
static inline LANES(vec) LANES(larger)(LANES(vec) x, LANES(vec) y)
{
#ifdef __AVX2__
    return PAIRS_MAX(x, y);
#else
    return LANES(select)(x > y, x, y);
#endif
}

static inline LANES(vec) LANES(smaller)(LANES(vec) x, LANES(vec) y)
{
#ifdef __AVX2__
    return PAIRS_MIN(x, y);
#else
    return LANES(select)(x < y, x, y);
#endif
}

static inline LANES(vec) LANES(clamp)(LANES(vec) x, LANES(vec) most)
{
    return LANES(smaller)(most, LANES(larger)(-most, x));
}

static inline LANES(vec) LANES(dot)(const LANES(vec) * a, const LANES(vec) * b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Several capsules, each at p, along u.
typedef struct LANES(side) {
    LANES(vec) p[3], u[3], half, radius;
} LANES(side);

LWI_INLINE LANES(vec) LANES(load)(const REAL *from)
{
    LANES(vec) x;
    memcpy(&x, from, sizeof x);
    return x;
}

LWI_INLINE LANES(side) LANES(load_side)(const PAIRS_IN *c, int i)
{
    return (LANES(side)){{LANES(load)(c->x + i), LANES(load)(c->y + i), LANES(load)(c->z + i)},
                         {LANES(load)(c->ux + i), LANES(load)(c->uy + i), LANES(load)(c->uz + i)},
                         LANES(load)(c->half + i),
                         LANES(load)(c->radius + i)};
}

// Pairs i and those after it, as many as there are lanes. Returns which of them are not usual.
LWI_INLINE LANES(mask)
    LANES(find_some)(int i, const PAIRS_IN *first, const PAIRS_IN *second, const PAIRS_OUT *out)
{
    const LANES(vec) zero = {0}, none = PAIRS_NAN - zero, error_share = 16 * PAIRS_EPSILON - zero;
    const LANES(vec) least_sine2 = 50 * PAIRS_EPSILON - zero;
    const LANES(side) a = LANES(load_side)(first, i), b = LANES(load_side)(second, i);
    const LANES(vec) c[3] = {b.p[0] - a.p[0], b.p[1] - a.p[1], b.p[2] - a.p[2]};
    const LANES(vec) uv = LANES(dot)(a.u, b.u), uc = LANES(dot)(a.u, c);
    const LANES(vec) vc = LANES(dot)(b.u, c), sine2 = 1 - uv * uv;
    LANES(vec) s = (uc - uv * vc) * (1 / LANES(larger)(least_sine2, sine2));
    s = LANES(clamp)(s, a.half);
    const LANES(vec) t = LANES(clamp)(uv * s - vc, b.half);
    s = LANES(clamp)(uv * t + uc, a.half);
    // What is known first is added first.
    const LANES(vec) d[3] = {c[0] + t * b.u[0] - s * a.u[0], c[1] + t * b.u[1] - s * a.u[1],
                             c[2] + t * b.u[2] - s * a.u[2]};
    const LANES(vec) dd = LANES(dot)(d, d), norm = PAIRS_SQRT(dd);
    const LANES(vec) across =
        a.half * LANES(abs)(LANES(dot)(d, a.u)) + b.half * LANES(abs)(LANES(dot)(d, b.u));
    const LANES(vec) gap = (LANES(dot)(d, c) - across) * (norm * (1 / dd)); // beside the root
    const LANES(vec) size =
        a.half + b.half + (LANES(abs)(c[0]) + LANES(abs)(c[1]) + LANES(abs)(c[2]));
    const LANES(vec) skew =
        LANES(larger)(LANES(abs)(LANES(dot)(a.u, a.u) - 1), LANES(abs)(LANES(dot)(b.u, b.u) - 1));
    const LANES(vec) rounded = a.radius + b.radius;
    const LANES(vec) error =
        LANES(larger)(error_share, 6 * skew) * size + 4 * PAIRS_EPSILON * rounded;
    const LANES(vec) least =
        LANES(smaller)(LANES(smaller)(a.half, b.half), LANES(smaller)(a.radius, b.radius));
    const LANES(mask) is_usual =
        (least >= zero) & (skew < PAIRS_SKEW - zero) & (norm - gap <= 4 * error) &
        (dd > PAIRS_NEAR * size * size + PAIRS_LEAST) & (size + rounded < PAIRS_LARGE - zero);
    const LANES(vec) lower = LANES(select)(is_usual, gap - rounded - error, none);
    const LANES(vec) distance = norm - rounded;
    const LANES(vec) upper = LANES(select)(is_usual, distance + error, none);
    memcpy(out->distance + i, &distance, sizeof distance);
    memcpy(out->lower + i, &lower, sizeof lower);
    memcpy(out->upper + i, &upper, sizeof upper);
    memcpy(out->s + i, &s, sizeof s);
    memcpy(out->t + i, &t, sizeof t);
    return ~is_usual;
}

// Whole vectors of pairs; whether one of them is not usual. One piece of code for all, compilers
// fuse products as they please: a pair has the same bits wherever it stands.
__attribute__((noinline)) static bool
LANES(find_whole)(int n, const PAIRS_IN *first, const PAIRS_IN *second, const PAIRS_OUT *out)
{
    enum { N = PAIRS_BYTES / (int)sizeof(REAL) };
    LANES(mask) odd = {0};
    for (int i = 0; i < n; i += N) {
        odd |= LANES(find_some)(i, first, second, out);
    }
    bool is_odd = false;
    for (int k = 0; k < N; ++k) {
        is_odd |= odd[k] != 0;
    }
    return is_odd;
}

static bool LANES(find_distances)(int n, const PAIRS_IN *a, const PAIRS_IN *b, const PAIRS_OUT *out)
{
    enum { N = PAIRS_BYTES / (int)sizeof(REAL) };
    const int whole = n - n % N;
    bool is_odd = LANES(find_whole)(whole, a, b, out);
    if (whole < n) { // the last ones, with the last of them in the lanes beyond
        REAL in[2][8][N], result[5][N];
        PAIRS_IN side[2];
        for (int k = 0; k < 2; ++k) {
            const PAIRS_IN *c = k ? b : a;
            const REAL *from[8] = {c->x, c->y, c->z, c->ux, c->uy, c->uz, c->half, c->radius};
            REAL(*x)[N] = in[k];
            for (int m = 0; m < 8; ++m) {
                for (int i = 0; i < N; ++i) {
                    x[m][i] = from[m][whole + i < n ? whole + i : n - 1];
                }
            }
            side[k] = (PAIRS_IN){x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]};
        }
        const PAIRS_OUT last = {result[0], result[1], result[2], result[3], result[4]};
        REAL *to[5] = {out->distance, out->lower, out->upper, out->s, out->t};
        is_odd |= LANES(find_whole)(N, &side[0], &side[1], &last);
        for (int m = 0; m < 5; ++m) {
            memcpy(to[m] + whole, result[m], (size_t)(n - whole) * sizeof(REAL));
        }
    }
    return is_odd;
}
