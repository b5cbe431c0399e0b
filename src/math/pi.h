// Pi, which C does not name.
#ifndef LWI_PI_H
#define LWI_PI_H

#define LWI_PI 3.14159265358979323846
#define LWI_TURN (2.0 * LWI_PI) ///< a whole one, in radians; the factor 2 is exact

#endif
