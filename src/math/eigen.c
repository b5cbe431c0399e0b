// Eigenvalues of a real matrix: balancing, Hessenberg form by elimination, and the QR method with
// implicit double shifts (Francis 1961; Golub and Van Loan, Matrix Computations, section 7.5).
#include "eigen.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum { MOST_SWEEPS = 60 }; // an eigenvalue, on average

static const double EPSILON = 2.220446049250313e-16;

static double *at(double *A, int n, int i, int k)
{
    return A + (size_t)i * (size_t)n + (size_t)k;
}

// Scales rows and columns by powers of two until they have about the same size.
static void balance(int n, double *A)
{
    for (int round = 0; round < 50; ++round) {
        bool is_done = true;
        for (int i = 0; i < n; ++i) {
            double r = 0.0, c = 0.0;
            for (int k = 0; k < n; ++k) {
                if (k != i) {
                    c += fabs(*at(A, n, k, i));
                    r += fabs(*at(A, n, i, k));
                }
            }
            if (c == 0.0 || r == 0.0) {
                continue;
            }
            const double f = exp2(nearbyint(0.5 * log2(r / c)));
            if ((c * f + r / f) < 0.95 * (c + r)) {
                is_done = false;
                for (int k = 0; k < n; ++k) {
                    *at(A, n, i, k) /= f;
                    *at(A, n, k, i) *= f;
                }
            }
        }
        if (is_done) {
            return;
        }
    }
}

// To Hessenberg form, by elimination with exchanges.
static void reduce(int n, double *A)
{
    for (int m = 1; m < n - 1; ++m) {
        int pivot = m;
        for (int i = m; i < n; ++i) {
            if (fabs(*at(A, n, i, m - 1)) > fabs(*at(A, n, pivot, m - 1))) {
                pivot = i;
            }
        }
        if (pivot != m) {
            for (int k = m - 1; k < n; ++k) {
                const double x = *at(A, n, pivot, k);
                *at(A, n, pivot, k) = *at(A, n, m, k);
                *at(A, n, m, k) = x;
            }
            for (int k = 0; k < n; ++k) {
                const double x = *at(A, n, k, pivot);
                *at(A, n, k, pivot) = *at(A, n, k, m);
                *at(A, n, k, m) = x;
            }
        }
        const double top = *at(A, n, m, m - 1);
        for (int i = m + 1; i < n && top != 0.0; ++i) {
            const double f = *at(A, n, i, m - 1) / top;
            *at(A, n, i, m - 1) = 0.0;
            for (int k = m; k < n && f != 0.0; ++k) {
                *at(A, n, i, k) -= f * *at(A, n, m, k);
            }
            for (int k = 0; k < n && f != 0.0; ++k) {
                *at(A, n, k, m) += f * *at(A, n, k, i);
            }
        }
    }
}

// Eigenvalues of the 2 x 2 block that begins at i.
static void solve_block(int n, double *A, int i, double *re, double *im)
{
    const double a = *at(A, n, i, i), b = *at(A, n, i, i + 1);
    const double c = *at(A, n, i + 1, i), d = *at(A, n, i + 1, i + 1);
    const double half = 0.5 * (a - d), q = half * half + b * c;
    if (q < 0.0) {
        re[i] = re[i + 1] = 0.5 * (a + d);
        im[i] = sqrt(-q);
        im[i + 1] = -im[i];
        return;
    }
    // The one of larger size first, so that nothing cancels.
    const double z = half + copysign(sqrt(q), half);
    re[i] = d + z;
    re[i + 1] = z != 0.0 ? d - b * c / z : d;
    im[i] = im[i + 1] = 0.0;
}

// The first of two rows that are as good as apart from the block above, from `last` downward.
static int find_split(int n, double *A, int last, double norm)
{
    for (int i = last; i > 0; --i) {
        // Undamped oscillations have a diagonal of roundings: then the whole matrix is the measure.
        const double size = fabs(*at(A, n, i - 1, i - 1)) + fabs(*at(A, n, i, i));
        const double measure = size > EPSILON * norm ? size : norm;
        if (fabs(*at(A, n, i, i - 1)) <= EPSILON * measure) {
            *at(A, n, i, i - 1) = 0.0;
            return i;
        }
    }
    return 0;
}

// Applies I - 2 u u' / u'u of three (or two) rows and columns from k on, within first .. last.
static void reflect(int n, double *A, int k, int size, const double x[3], int first, int last)
{
    double norm = 0.0, u[3] = {x[0], x[1], size > 2 ? x[2] : 0.0};
    for (int i = 0; i < size; ++i) {
        norm += u[i] * u[i];
    }
    u[0] += copysign(sqrt(norm), u[0]);
    double square = 0.0;
    for (int i = 0; i < size; ++i) {
        square += u[i] * u[i];
    }
    if (square == 0.0) {
        return;
    }
    const double f = 2.0 / square;
    for (int col = k > first ? k - 1 : k; col <= last; ++col) {
        double sum = 0.0;
        for (int i = 0; i < size; ++i) {
            sum += u[i] * *at(A, n, k + i, col);
        }
        for (int i = 0; i < size; ++i) {
            *at(A, n, k + i, col) -= f * sum * u[i];
        }
    }
    const int end = k + 3 < last ? k + 3 : last;
    for (int row = first; row <= end; ++row) {
        double sum = 0.0;
        for (int i = 0; i < size; ++i) {
            sum += u[i] * *at(A, n, row, k + i);
        }
        for (int i = 0; i < size; ++i) {
            *at(A, n, row, k + i) -= f * sum * u[i];
        }
    }
}

// One sweep over the block first .. last, with the shifts of its last 2 x 2 block, which are put
// where the eigenvalues in this place will stand. Of two real ones the nearer to the last of the
// diagonal is used twice: motions about a rest have eigenvalues in pairs of both signs, and shifts
// in such pairs do not part four of one size, as roundings make of rests that are shared.
static void sweep(int n, double *A, int first, int last, int count, double *re, double *im)
{
    double a = *at(A, n, last - 1, last - 1), b = *at(A, n, last - 1, last);
    double c = *at(A, n, last, last - 1), d = *at(A, n, last, last);
    if (count % 10 == 9) { // a shift out of the ordinary breaks a cycle
        const double s = fabs(c) + fabs(*at(A, n, last - 1, last - 2));
        a = d = d + 0.75 * s;
        b = -0.4375 * s;
        c = s;
    } else {
        solve_block(n, A, last - 1, re, im);
        if (im[last] == 0.0) {
            a = d = re[last];
            b = c = 0.0;
        }
    }
    // The first column of (H - s1)(H - s2), less a factor. By differences from h00: eigenvalues
    // that many degrees of freedom share would leave nothing but roundings of their squares.
    const double h00 = *at(A, n, first, first), h10 = *at(A, n, first + 1, first);
    double x[3] = {
        ((a - h00) * (d - h00) - b * c) / h10 + *at(A, n, first, first + 1),
        *at(A, n, first + 1, first + 1) - h00 - (a - h00) - (d - h00),
        *at(A, n, first + 2, first + 1),
    };
    for (int k = first; k < last; ++k) {
        const int size = k + 2 <= last ? 3 : 2;
        reflect(n, A, k, size, x, first, last);
        if (k > first) {
            for (int i = 1; i < size; ++i) {
                *at(A, n, k + i, k - 1) = 0.0;
            }
        }
        x[0] = *at(A, n, k + 1, k);
        x[1] = k + 2 <= last ? *at(A, n, k + 2, k) : 0.0;
        x[2] = k + 3 <= last ? *at(A, n, k + 3, k) : 0.0;
    }
}

bool lwi_eigenvalues(int n, double *A, double *re, double *im)
{
    balance(n, A);
    reduce(n, A);
    double norm = 0.0;
    for (size_t i = 0; i < (size_t)n * (size_t)n; ++i) {
        norm = fmax(norm, fabs(A[i]));
    }
    int last = n - 1, count = 0, total = 0;
    while (last >= 0) {
        const int first = find_split(n, A, last, norm);
        if (first == last) {
            re[last] = *at(A, n, last, last);
            im[last] = 0.0;
            --last;
            count = 0;
        } else if (first == last - 1) {
            solve_block(n, A, first, re, im);
            last -= 2;
            count = 0;
        } else if (total++ / MOST_SWEEPS >= n) {
            return false;
        } else {
            sweep(n, A, first, last, count++, re, im);
        }
    }
    return true;
}

// Turns rows i and j of V so that the element (i, j) of A vanishes.
static void rotate_pair(int n, double *A, double *V, int i, int j)
{
    const double element = *at(A, n, i, j);
    if (element == 0.0) {
        return;
    }
    const double ratio = 0.5 * (*at(A, n, j, j) - *at(A, n, i, i)) / element;
    const double t = copysign(1.0, ratio) / (fabs(ratio) + sqrt(ratio * ratio + 1.0));
    const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int k = 0; k < n; ++k) {
        const double x = *at(A, n, k, i), y = *at(A, n, k, j);
        *at(A, n, k, i) = c * x - s * y;
        *at(A, n, k, j) = s * x + c * y;
    }
    for (int k = 0; k < n; ++k) {
        const double x = *at(A, n, i, k), y = *at(A, n, j, k);
        const double u = *at(V, n, i, k), v = *at(V, n, j, k);
        *at(A, n, i, k) = c * x - s * y;
        *at(A, n, j, k) = s * x + c * y;
        *at(V, n, i, k) = c * u - s * v;
        *at(V, n, j, k) = s * u + c * v;
    }
}

void lwi_rotate_to_diagonal(int n, double *A, double *V)
{
    for (int i = 0; i < n * n; ++i) {
        V[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
    }
    // Convergence is quadratic; the sweeps after it find zeros and cost nothing.
    for (int sweep = 0; sweep < 12; ++sweep) {
        for (int i = 0; i < n - 1; ++i) {
            for (int j = i + 1; j < n; ++j) {
                rotate_pair(n, A, V, i, j);
            }
        }
    }
}
