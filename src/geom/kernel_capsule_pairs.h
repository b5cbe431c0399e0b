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

// Capsules i to i + count, each at p, along u; lanes beyond repeat the last one.
typedef struct LANES(side) {
    LANES(vec) p[3], u[3], half, radius;
} LANES(side);

LWI_INLINE LANES(vec) LANES(load)(const REAL *from, int count)
{
    enum { N = PAIRS_BYTES / (int)sizeof(REAL) };
    LANES(vec) x;
    if (count >= N) {
        memcpy(&x, from, sizeof x);
        return x;
    }
    for (int k = 0; k < N; ++k) {
        x[k] = from[k < count ? k : count - 1];
    }
    return x;
}

LWI_INLINE void LANES(store)(LANES(vec) x, int count, REAL *to)
{
    enum { N = PAIRS_BYTES / (int)sizeof(REAL) };
    if (count >= N) {
        memcpy(to, &x, sizeof x);
        return;
    }
    for (int k = 0; k < count; ++k) {
        to[k] = x[k];
    }
}

LWI_INLINE LANES(side) LANES(load_side)(const PAIRS_IN *c, int i, int count)
{
    return (LANES(side)){
        {LANES(load)(c->x + i, count), LANES(load)(c->y + i, count), LANES(load)(c->z + i, count)},
        {LANES(load)(c->ux + i, count), LANES(load)(c->uy + i, count),
         LANES(load)(c->uz + i, count)},
        LANES(load)(c->half + i, count),
        LANES(load)(c->radius + i, count)};
}

// Pairs i to i + count, as many as there are lanes. One piece of code for whole and broken vectors:
// compilers fuse products as they please, and a pair has the same bits wherever it stands.
__attribute__((noinline)) static void LANES(find_some)(int i, int count, const PAIRS_IN *first,
                                                       const PAIRS_IN *second, const PAIRS_OUT *out)
{
    const LANES(vec) zero = {0}, none = PAIRS_NAN - zero, error_share = 16 * PAIRS_EPSILON - zero;
    const LANES(vec) least_sine2 = 50 * PAIRS_EPSILON - zero;
    const LANES(side) a = LANES(load_side)(first, i, count);
    const LANES(side) b = LANES(load_side)(second, i, count);
    const LANES(vec) c[3] = {b.p[0] - a.p[0], b.p[1] - a.p[1], b.p[2] - a.p[2]};
    const LANES(vec) uv = LANES(dot)(a.u, b.u), uc = LANES(dot)(a.u, c);
    const LANES(vec) vc = LANES(dot)(b.u, c), sine2 = 1 - uv * uv;
    LANES(vec) s = (uc - uv * vc) / LANES(larger)(least_sine2, sine2);
    s = LANES(clamp)(s, a.half);
    const LANES(vec) t = LANES(clamp)(uv * s - vc, b.half);
    s = LANES(clamp)(uv * t + uc, a.half);
    const LANES(vec) d[3] = {c[0] + (t * b.u[0] - s * a.u[0]), c[1] + (t * b.u[1] - s * a.u[1]),
                             c[2] + (t * b.u[2] - s * a.u[2])};
    const LANES(vec) dd = LANES(dot)(d, d), norm = PAIRS_SQRT(dd);
    const LANES(vec) across =
        a.half * LANES(abs)(LANES(dot)(d, a.u)) + b.half * LANES(abs)(LANES(dot)(d, b.u));
    const LANES(vec) gap = (LANES(dot)(d, c) - across) / norm;
    const LANES(vec) size =
        a.half + b.half + (LANES(abs)(c[0]) + LANES(abs)(c[1]) + LANES(abs)(c[2]));
    const LANES(vec) skew =
        LANES(larger)(LANES(abs)(LANES(dot)(a.u, a.u) - 1), LANES(abs)(LANES(dot)(b.u, b.u) - 1));
    const LANES(vec) rounded = a.radius + b.radius;
    const LANES(vec) error =
        LANES(larger)(error_share, 6 * skew) * size + 4 * PAIRS_EPSILON * rounded;
    const LANES(vec) least =
        LANES(smaller)(LANES(smaller)(a.half, b.half), LANES(smaller)(a.radius, b.radius));
    const LANES(mask) is_usual = (least >= zero) & (skew < PAIRS_SKEW - zero) &
                                 (norm - gap <= 4 * error) & (dd > PAIRS_NEAR * size * size) &
                                 (size + rounded < PAIRS_LARGE - zero);
    LANES(store)(norm - rounded, count, out->distance + i);
    LANES(store)(LANES(select)(is_usual, gap - rounded - error, none), count, out->lower + i);
    LANES(store)(LANES(select)(is_usual, norm - rounded + error, none), count, out->upper + i);
    LANES(store)(s, count, out->s + i);
    LANES(store)(t, count, out->t + i);
}

static void LANES(find_distances)(int n, const PAIRS_IN *a, const PAIRS_IN *b, const PAIRS_OUT *out)
{
    enum { N = PAIRS_BYTES / (int)sizeof(REAL) };
    for (int i = 0; i < n; i += N) {
        LANES(find_some)(i, n - i < N ? n - i : N, a, b, out);
    }
}
