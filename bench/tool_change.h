// The tool change of Höpler and Otter: the payload of the palletiser goes off, two joints and a
// tool go on, and back again.
#ifndef BENCH_TOOL_CHANGE_H
#define BENCH_TOOL_CHANGE_H

#include <linkwork/linkwork.h>

typedef struct tool_change {
    lw_mech *mech;
    lw_machine *machine;
    lw_port flange, payload, wrist;
    bool has_tool;
} tool_change;

/// From the file of the palletiser. False, said on standard error, where that fails. Free with
/// tool_change_close().
bool tool_change_open(const char *path, tool_change *t);
void tool_change_close(tool_change *t);

/// Changes the tool and commits.
lw_status tool_change_next(tool_change *t);

#endif
