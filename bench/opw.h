// Yardstick: inverse kinematics of arms with an ortho-parallel basis and a spherical wrist, as a
// careful engineer writes it by hand from the published formula (Brandstötter, Angerer and
// Hofbaur, "An analytical solution of the inverse kinematics problem of industrial serial
// manipulators with an ortho-parallel basis and a spherical wrist", 2014).
#ifndef BENCH_OPW_H
#define BENCH_OPW_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct opw_arm {
    double a1, a2, b, c1, c2, c3, c4; ///< m, as the paper names them
} opw_arm;

/// All eight solutions; those that do not exist are NaN, as in the usual implementations. Angles
/// are not wrapped.
/// @param R rotation of the flange, row by row
void opw_solve(const opw_arm *arm, const double R[9], const double p[3], double q[8][6]);

#ifdef __cplusplus
}
#endif
#endif
