#include "opw.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

// q4, q5 and q6 of both wrist solutions, for q1 and q2 + q3.
static void solve_wrist(const double R[9], double q[8][6], int i)
{
    const double s1 = sin(q[i][0]), c1 = cos(q[i][0]);
    const double s23 = sin(q[i][1] + q[i][2]), c23 = cos(q[i][1] + q[i][2]);
    const double m = R[2] * s23 * c1 + R[5] * s23 * s1 + R[8] * c23;
    const double q4 = atan2(R[5] * c1 - R[2] * s1, R[2] * c23 * c1 + R[5] * c23 * s1 - R[8] * s23);
    const double q5 = atan2(sqrt(1.0 - m * m), m);
    const double q6 = atan2(R[1] * s23 * c1 + R[4] * s23 * s1 + R[7] * c23,
                            -R[0] * s23 * c1 - R[3] * s23 * s1 - R[6] * c23);
    q[i][3] = q4;
    q[i][4] = q5;
    q[i][5] = q6;
    for (int k = 0; k < 3; ++k) {
        q[i + 4][k] = q[i][k];
    }
    q[i + 4][3] = q4 + pi;
    q[i + 4][4] = -q5;
    q[i + 4][5] = q6 - pi;
}

void opw_solve(const opw_arm *arm, const double R[9], const double p[3], double q[8][6])
{
    // The centre of the wrist.
    const double x = p[0] - arm->c4 * R[2], y = p[1] - arm->c4 * R[5], z = p[2] - arm->c4 * R[8];
    const double nx1 = sqrt(x * x + y * y - arm->b * arm->b) - arm->a1;
    const double toward = atan2(y, x), off = atan2(arm->b, nx1 + arm->a1);
    const double h = z - arm->c1, back = nx1 + 2.0 * arm->a1;
    const double s1 = nx1 * nx1 + h * h, s2 = back * back + h * h; // squares
    const double k2 = arm->a2 * arm->a2 + arm->c3 * arm->c3, c22 = arm->c2 * arm->c2;
    const double k = sqrt(k2), elbow = atan2(arm->a2, arm->c3);

    const double front2 = acos((s1 + c22 - k2) / (2.0 * sqrt(s1) * arm->c2));
    const double front3 = acos((s1 - c22 - k2) / (2.0 * arm->c2 * k)), ahead = atan2(nx1, h);
    const double rear2 = acos((s2 + c22 - k2) / (2.0 * sqrt(s2) * arm->c2));
    const double rear3 = acos((s2 - c22 - k2) / (2.0 * arm->c2 * k)), behind = atan2(back, h);
    q[0][0] = q[1][0] = toward - off;
    q[2][0] = q[3][0] = toward + off - pi;
    q[0][1] = -front2 + ahead;
    q[1][1] = front2 + ahead;
    q[2][1] = -rear2 - behind;
    q[3][1] = rear2 - behind;
    q[0][2] = front3 - elbow;
    q[1][2] = -front3 - elbow;
    q[2][2] = rear3 - elbow;
    q[3][2] = -rear3 - elbow;
    for (int i = 0; i < 4; ++i) {
        solve_wrist(R, q, i);
    }
}
