// What follows from a specification, as the files of one folder.
#ifndef ROBOT_FOLDER_H
#define ROBOT_FOLDER_H

#include <linkwork/configure.h>

#include "support/job.h"

/// Makes everything and writes it to a new folder, whole or not at all; out->json, where it is
/// there, gets the keys files, engine, self_check and inverse_kinematics. Complains and returns an
/// exit code.
int robot_folder_write(job *work, lw_spec *spec, const char *folder);

#endif
