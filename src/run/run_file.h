// A run file while it is read, and the forces that it describes.
#ifndef LWI_RUN_H
#define LWI_RUN_H

#include <linkwork/loads.h>
#include <linkwork/run.h>
#include <linkwork/shafts.h>

#include "../base/arena.h"
#include "../base/report.h"
#include "../io/xml.h"

enum { LWI_RUN_FILE_LIMIT = 16 * 1024 * 1024 }; ///< bytes

static const double LWI_RUN_LONGEST = 1e9; ///< s; 30 years

typedef struct lwi_run {
    lw_run run; ///< first: what the user sees
    lwi_arena arena;
    lw_trajectory *trajectory;
    lw_controller *controller;
    lw_force_source source[2];
    lw_sampler sampler;
    lw_timed_loads loads;
    double *q, *v;
} lwi_run;

/// What the parts of the reader share.
typedef struct lwi_run_reader {
    const lw_model *m;
    lwi_run *run;
    lw_report *report;
    double *start; ///< [nv] positions of the degrees of freedom at the begin
    lw_shafts shafts;
    int suggestions; ///< how often a "did you mean" was looked for
} lwi_run_reader;

/// Reads <motion>, with limits from <limits>, or a rest at the start where `motion` is null.
lw_status lwi_run_read_motion(lwi_run_reader *r, lwi_xml_node *root, lwi_xml_node *motion);

/// Reads <motion tool="...">.
lw_status lwi_run_read_tool_motion(lwi_run_reader *r, lwi_xml_node *motion,
                                   const lw_axis_limits *limits);

/// Reads a move of the joints; `here` [nv] is where it begins, and is moved to its end.
lw_status lwi_run_read_move(lwi_run_reader *r, lwi_xml_node *node, double *here, lw_move *move);

/// Reads <load>, <unbalance> and <force> of the root.
lw_status lwi_run_read_forces(lwi_run_reader *r, lwi_xml_node *root);

/// Reads <task> of a <controller>.
lw_status lwi_run_read_task(lwi_run_reader *r, lwi_xml_node *controller, lw_control_law law,
                            lw_contact_task *task);

/// Tells the simulation the times at which forces and the motion jump or bend. After all else.
lw_status lwi_run_find_breaks(lwi_run_reader *r);

/// The degree of freedom that the attribute names; an error at its place where there is none.
lw_status lwi_run_find_joint(lwi_run_reader *r, lwi_xml_node *node, const char *attr, int *dof);

/// The frame that the attribute names, likewise.
lw_status lwi_run_find_frame(lwi_run_reader *r, lwi_xml_node *node, const char *attr, int *frame);

/// One of the words (null-terminated); *out is left where the attribute is missing.
lw_status lwi_run_read_word(lwi_run_reader *r, lwi_xml_node *node, const char *attr,
                            const char *const *word, int *out);

/// A number that must be within [least, most] where it is there.
lw_status lwi_run_read_within(lwi_run_reader *r, lwi_xml_node *node, const char *attr, double least,
                              double most, double *out);

/// Positions of degrees of freedom: the attribute q for all, <joint name= q=> for some. Others keep
/// what is in `point` [nv].
lw_status lwi_run_read_point(lwi_run_reader *r, lwi_xml_node *node, double *point);

/// The first error of two.
static inline lw_status lwi_first_error(lw_status a, lw_status b)
{
    return a != LW_OK ? a : b;
}

/// Memory of the run; reports where it is short.
void *lwi_run_take(lwi_run_reader *r, size_t count, size_t size);

#endif
