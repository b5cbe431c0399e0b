// Pi, which C does not name.
#ifndef LWI_PI_H
#define LWI_PI_H

#define LWI_PI 3.14159265358979323846
#define LWI_TWO_PI (2.0 * LWI_PI) // the factor is exact

#endif
