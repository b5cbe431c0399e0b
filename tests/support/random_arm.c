#include "random_arm.h"

#include "check.h"
#include "random_mech.h"

#include "math/pi.h"

#include <math.h>

lwi_angle angle_of(double q)
{
    return (lwi_angle){sin(q), cos(q)};
}

lw_vec3 random_vector(void)
{
    const double x = check_random(-1, 1), y = check_random(-1, 1), z = check_random(-1, 1);
    return lw_vec3_of(x, y, z);
}

lwi_arm random_axes(int n)
{
    lwi_arm arm = {.n = n, .X_BT = {random_rotation(), random_vector()}};
    for (int i = 0; i < n; ++i) {
        arm.h[i] = random_unit();
        arm.c[i] = random_vector();
    }
    return arm;
}

void random_joints(const lwi_arm *arm, lwi_angle *q)
{
    for (int i = 0; i < arm->n; ++i) {
        q[i] = arm->slides[i] ? (lwi_angle){check_random(-1, 1), 1.0}
                              : angle_of(check_random(-LWI_PI, LWI_PI));
    }
}

double joints_apart(int n, const lwi_angle *a, const lwi_angle *b)
{
    double worst = 0.0;
    for (int k = 0; k < n; ++k) {
        worst = fmax(worst, hypot(a[k].s - b[k].s, a[k].c - b[k].c));
    }
    return worst;
}
