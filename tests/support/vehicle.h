// Vehicles on wheels as text.
#ifndef VEHICLE_H
#define VEHICLE_H

#include <linkwork/linkwork.h>

/// A wheel of a vehicle that is built.
typedef struct vehicle_wheel {
    const char *name;
    double x, y;         ///< of its steering axis, or of its centre
    double trail, aside; ///< centre from the steering axis
    double roller;       ///< degrees
    const char *steering;
} vehicle_wheel;

/// A body on a free joint at height `radius` with its wheels, all of one radius.
lw_model *vehicle(double radius, int nwheel, const vehicle_wheel *wheel);

/// The six wheels of nasa-jpl/osr-rover-code, from the middle between the middle wheels.
extern const vehicle_wheel osr_wheel[6];

#endif
