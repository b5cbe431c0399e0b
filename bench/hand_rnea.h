// The first yardstick: inverse dynamics of a six-joint arm as a careful engineer writes it by hand.
//
// It knows more than a library may assume (six revolute joints in a row, a base that does not move)
// and takes the numbers of the arm from a struct; nothing about them is folded into the code.
#ifndef HAND_RNEA_H
#define HAND_RNEA_H

enum { HAND_JOINTS = 6 };

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
    hand_link link[HAND_JOINTS];
    double gravity[3]; ///< m/s^2
} hand_arm;

/// Joint torques for position q, velocity v and acceleration a.
void hand_rnea(const hand_arm *arm, const double q[HAND_JOINTS], const double v[HAND_JOINTS],
               const double a[HAND_JOINTS], double tau[HAND_JOINTS]);

/// The same, compiled for processors with AVX2 and fused products (hand_rnea_avx2.c).
void hand_rnea_avx2(const hand_arm *arm, const double q[HAND_JOINTS], const double v[HAND_JOINTS],
                    const double a[HAND_JOINTS], double tau[HAND_JOINTS]);

#endif
