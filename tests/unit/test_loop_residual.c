// Residuals of loops: of a closing joint alone, and of a loop that resembles a parallelogram.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include "loop/loop.h"

#include <linkwork/kinematics.h>

// The tilt of the axes vanishes for opposite axes too, as far as its x and y go: no motion of the
// joint makes these, so the residual must grow on to there.
TEST(residual_of_a_closing_joint_grows_until_its_axes_are_opposite)
{
    double before = 0.0;
    for (int k = 1; k <= 32; ++k) {
        const double angle = k * 3.14159265358979 / 32.0;
        lwi_loop loop = {.type = LW_JOINT_REVOLUTE,
                         .nrow = 5,
                         .size = 1.0,
                         .X = {lw_pose_identity(), lw_pose_identity()}};
        loop.X[1].R = lw_exp3(lw_vec3_of(angle, 0.0, 0.0));
        double row[LWI_MOST_ROWS];
        const double residual = lwi_loop_residual(NULL, &loop, NULL, row);
        check_case("axes at %.3f rad", angle);
        CHECK(residual >= before);
        CHECK(residual > 0.09);
        before = residual;
    }
    CHECK_NEAR(before, 2.0, 1e-6);
}

// Crank and rocker are equal and parallel, but point to opposite sides: in the reference
// configuration all rates are those of a parallelogram, and only there.
TEST(D16_crossed_four_bar_is_no_parallelogram)
{
    lw_model *m = compile_text(
        "crossed.xml",
        "<linkwork version='1' name='crossed'><ground/>"
        "<joint name='crank' type='revolute' axis='0 0 1' from='ground' to='crank'/>"
        "<link name='crank' mass='1'/>"
        "<joint name='coupler' type='revolute' axis='0 0 1' from='crank' to='coupler' "
        "xyz='0 0.1 0' dependent='true'/><link name='coupler' mass='1'/>"
        "<joint name='rocker' type='revolute' axis='0 0 1' from='ground' to='rocker' "
        "xyz='0.3 0 0' dependent='true'/><link name='rocker' mass='1'/>"
        "<joint name='pin' type='revolute' axis='0 0 1' closing='true' from='coupler' to='rocker' "
        "xyz='0.3 -0.2 0'><after xyz='0 -0.1 0'/></joint></linkwork>",
        NULL);
    lw_data *d = m ? new_data(m) : NULL;
    const double q[] = {0.3};
    if (CHECK(d && m->nq == 1 && m->nloop == 1) && CHECK_INT(lw_forward_position(m, d, q), LW_OK)) {
        lw_pose X, Y;
        lw_frame_pose(m, d, m->loop[0].frame[0], &X);
        lw_frame_pose(m, d, m->loop[0].frame[1], &Y);
        CHECK_NEAR(lw_norm3(lw_sub3(X.p, Y.p)), 0.0, 1e-12);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(D16_crossed_four_bar_is_no_parallelogram);
    RUN(residual_of_a_closing_joint_grows_until_its_axes_are_opposite);
    return REPORT();
}
