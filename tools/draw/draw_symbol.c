#include "draw/draw_symbol.h"

#include <math.h>

double draw_symbol_girth(int inner)
{
    return pow(0.66, inner);
}

double draw_symbol_reach(int inner)
{
    return 1.05 + 0.45 * inner;
}

void draw_symbol(picture *pic, lw_joint_type type, const lw_pose *X, double unit, int inner,
                 picture_look look)
{
    const double u = unit;
    switch (type) {
    case LW_JOINT_REVOLUTE:
        picture_cylinder(pic, X, u * draw_symbol_girth(inner), 2 * u * draw_symbol_reach(inner),
                         look);
        break;
    case LW_JOINT_PRISMATIC:
        picture_box(pic, X, lw_vec3_of(1.7 * u, 1.7 * u, 2.4 * u), look);
        break;
    case LW_JOINT_SCREW:
    case LW_JOINT_CYLINDRICAL:
        picture_cylinder(pic, X, 0.75 * u, 3.4 * u, look);
        break;
    case LW_JOINT_PLANAR:
        picture_box(pic, X, lw_vec3_of(3.2 * u, 3.2 * u, 0.5 * u), look);
        break;
    case LW_JOINT_UNIVERSAL:
        picture_cylinder(pic, X, 0.4 * u, 2.6 * u, look);
        picture_ball(pic, X->p, 0.8 * u, look);
        break;
    case LW_JOINT_FREE:
        look.paint.fill = 0xffffff;
        picture_ball(pic, X->p, 0.8 * u, look);
        break;
    default:
        picture_ball(pic, X->p, u, look);
        break;
    }
}
