// What is wrong with a definition by itself. Each function reports to check->report.
#ifndef LWI_VALIDATE_H
#define LWI_VALIDATE_H

#include "parts.h"

/// Numbers of a polynomial, and of a table or a curve. A higher degree is a table in disguise.
enum { LWI_HIGHEST_POLYNOMIAL = 16, LWI_LONGEST_TABLE = 2000 };

/// Reports an error of the part: kind "name": text.
void lwi_bad(const lwi_check *check, lw_status status, const char *format, ...) LW_PRINTF(3, 4);

bool lwi_all_numbers(const double *value, int n);

/// The end of a coupling's or a spring's table that does not rise: its index, or -1.
int lwi_find_fall(const double *table, int n);

/// Reports what is wrong with a definition of a part, as its kind has it.
void lwi_validate_def(const lwi_check *check, const void *def);

void lwi_validate_ground(const lwi_check *check, const void *def);
void lwi_validate_link(const lwi_check *check, const void *def);
void lwi_validate_joint(const lwi_check *check, const void *def);
void lwi_validate_load(const lwi_check *check, const void *def);
void lwi_validate_wheel(const lwi_check *check, const void *def);
void lwi_validate_rod(const lwi_check *check, const void *def);
void lwi_validate_drive(const lwi_check *check, const void *def);
void lwi_validate_gearbox(const lwi_check *check, const void *def);
void lwi_validate_spring(const lwi_check *check, const void *def);

#endif
