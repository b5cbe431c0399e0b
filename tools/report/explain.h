// What ties joints together, in words and numbers: loops, gears, and the steps that solve them.
#ifndef EXPLAIN_H
#define EXPLAIN_H

#include <linkwork/levels.h>
#include <linkwork/model.h>

#include "report/output.h"

/// The name of a body; "world" for -1.
const char *explain_body_name(const lw_model *m, int body);

/// Sets "loops", "gears", "closure" and, where there are gears, "motors" in out->json.
void explain_closure_json(output *out, const lw_model *m);

/// The same for people; nothing where the model has no dependent joints.
void explain_closure_text(output *out, const lw_model *m);

/// A drive with its limits, as JSON, and all of them for people; nothing where there are none.
json_t *explain_drive_json(output *out, const lw_drive_info *drive);
void explain_drives_text(output *out, const lw_model *m);

/// Sets "springs" in out->json, or prints them; nothing if there are none.
void explain_springs_json(output *out, const lw_model *m);
void explain_springs_text(output *out, const lw_model *m);

/// Sets "wheels" in out->json, or prints them; nothing if there are none.
void explain_wheels_json(output *out, const lw_model *m);
void explain_wheels_text(output *out, const lw_model *m);

/// The levels of assemblies and what they lock or leave out, as JSON and for people; nothing for
/// people where no part belongs to a transmission.
json_t *explain_levels_json(output *out, const lw_levels *levels);
void explain_levels_text(output *out, const lw_levels *levels);

/// One step, without its number and without a line end: "R6 from R2, R3: rod LAB, A cos R6 + ...".
void explain_step(FILE *file, const lw_model *m, const lw_step_info *step);

/// One loop likewise, without its name: "rod of 1.2 m, 6 kg, between L12 and L6B: 1 condition".
void explain_loop(FILE *file, const lw_model *m, const lw_loop_info *loop);

/// The three fragments that a rod and the joint that it determines cut a loop into: the bodies from
/// first[k] up to, but without, last[k]. Before the joint, beyond it, and the other branch.
typedef struct fragments {
    int common; ///< common ancestor of both branches
    int first[3], last[3];
} fragments;

/// False for steps that have none.
bool explain_fragments_of(const lw_model *m, const lw_step_info *step, fragments *f);

/// One summand after others: " - 2 a". Nothing where the factor is zero; a number alone where the
/// name is NULL.
void explain_term(FILE *file, double factor, const char *name, bool *is_first);

/// How many gears a step solves.
int explain_gears_of_step(const lw_model *m, int step);

#endif
