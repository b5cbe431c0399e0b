// The first yardstick: inverse dynamics of an arm as a careful engineer writes it by hand.
//
// It knows more than a library may assume (six or seven revolute joints in a row, a base that does
// not move) and takes the numbers of the arm from a struct; nothing about them is folded into the
// code. How many joints there are is known when it is compiled.
#ifndef HAND_RNEA_H
#define HAND_RNEA_H

enum { HAND_JOINTS = 6, HAND_MOST_JOINTS = 7 };

/// One link and the joint that carries it: the link frame is R, p from its parent at zero position,
/// and turns about its own z.
typedef struct hand_link {
    double R[9];      ///< row by row
    double p[3];      ///< m
    double mass;      ///< kg
    double center[3]; ///< centre of mass in the link frame, m
    double I[6];      ///< xx yy zz xy xz yz about the centre of mass, kg m^2
} hand_link;

typedef struct hand_arm {
    hand_link link[HAND_MOST_JOINTS];
    int joints;        ///< 6 or 7
    double gravity[3]; ///< m/s^2
} hand_arm;

/// Joint torques for position q, velocity v and acceleration a of six joints; each array may be
/// longer.
void hand_rnea(const hand_arm *arm, const double *q, const double *v, const double *a, double *tau);

/// The same for seven joints (hand_rnea_seven.c).
void hand_rnea_seven(const hand_arm *arm, const double *q, const double *v, const double *a,
                     double *tau);

/// The same two, compiled for processors with AVX2 and fused products (..._avx2.c).
void hand_rnea_avx2(const hand_arm *arm, const double *q, const double *v, const double *a,
                    double *tau);
void hand_rnea_seven_avx2(const hand_arm *arm, const double *q, const double *v, const double *a,
                          double *tau);

/// These two with sines and cosines of the library (..._own.c).
void hand_rnea_own(const hand_arm *arm, const double *q, const double *v, const double *a,
                   double *tau);
void hand_rnea_seven_own(const hand_arm *arm, const double *q, const double *v, const double *a,
                         double *tau);

#endif
