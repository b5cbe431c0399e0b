// Failures of functions on closed machines.
#ifndef UNTOUCHED_H
#define UNTOUCHED_H

#include <linkwork/linkwork.h>

/// Checks that every function of kinematics and dynamics that needs rates answers with this status
/// at q, and leaves its outputs alone.
void check_untouched(const lw_model *m, lw_data *d, const double *q, lw_status wanted);

#endif
