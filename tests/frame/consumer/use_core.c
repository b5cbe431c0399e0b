/* A machine made by calls; C99 and C++11. Ends with 0 where the tip is where it must be. */
#include <linkwork/linkwork.h>

#include <math.h>
#include <stdio.h>

int main(void)
{
    lw_mech *mech = NULL;
    lw_ground_def ground = lw_default_ground_def();
    lw_joint_def joint = lw_default_joint_def();
    lw_link_def rod = lw_default_link_def();
    const lw_placement tip = lw_placement_xyz(2.0, 0.0, 0.0);
    lw_model *model = NULL;
    lw_data *data = NULL;
    lw_pose X;
    const double q[1] = {0.5};
    lw_status status;

    if (lw_mech_create("pendulum", &mech) != LW_OK) {
        return 1;
    }
    joint.name = "hinge";
    joint.type = LW_JOINT_REVOLUTE;
    rod.name = "rod";
    rod.mass = 1.0;
    rod.inertia.xx = rod.inertia.yy = rod.inertia.zz = 0.01;
    lw_add_ground(mech, &ground);
    lw_add_joint(mech, &joint);
    lw_add_frame(mech, lw_add_link(mech, &rod), "tip", &tip, rod.location);
    lw_connect_named(mech, "ground.b", "hinge.a");
    lw_connect_named(mech, "hinge.b", "rod.a");

    status = lw_compile(mech, NULL, &model, NULL);
    if (status == LW_OK) {
        status = lw_data_create(model, &data);
    }
    if (status != LW_OK) {
        printf("%s\n", lw_status_text(status));
        return 1;
    }
    status = lw_pose_of_frame(model, data, q, lw_find_frame(model, "tip"), &X);
    printf("%s: x %g, y %g\n", lw_status_text(status), X.p.x, X.p.y);
    lw_data_destroy(data);
    lw_model_destroy(model);
    lw_mech_destroy(mech);
    return status != LW_OK || fabs(X.p.x - 2.0 * cos(0.5)) > 1e-15 ||
           fabs(X.p.y - 2.0 * sin(0.5)) > 1e-15;
}
