// The symbols of joints.
#ifndef DRAW_SYMBOL_H
#define DRAW_SYMBOL_H

#include <linkwork/kinds.h>

#include "draw/picture.h"

/// Paints a joint: a cylinder turns, a box slides, a ball turns every way.
/// @param X where it stands, with z along its axis
/// @param unit its radius, m
/// @param inner how many symbols it stands within: it is as much thinner and longer
void draw_symbol(picture *pic, lw_joint_type type, const lw_pose *X, double unit, int inner,
                 picture_look look);

/// The radius and half the length of the cylinder of a joint that turns, in units.
double draw_symbol_girth(int inner);
double draw_symbol_reach(int inner);

#endif
