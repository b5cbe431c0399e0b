// linkwork/linkwork.h: all of liblinkwork. What lives in libraries of its own has headers of its
// own: io.h and run.h (liblinkwork_io), generated.h (liblinkwork_jit), stiff.h (liblinkwork_stiff),
// identify.h (liblinkwork_identify), and sweep.h, workspace_map.h and workspace_boundary.h
// (liblinkwork_sweep).
#ifndef LINKWORK_LINKWORK_H
#define LINKWORK_LINKWORK_H

#include <linkwork/base.h>
#include <linkwork/batch.h>
#include <linkwork/clearance.h>
#include <linkwork/collide.h>
#include <linkwork/compile.h>
#include <linkwork/configure.h>
#include <linkwork/constraints.h>
#include <linkwork/control.h>
#include <linkwork/derivatives.h>
#include <linkwork/diagnostic.h>
#include <linkwork/dynamics.h>
#include <linkwork/engine.h>
#include <linkwork/fit.h>
#include <linkwork/float.h>
#include <linkwork/generate.h>
#include <linkwork/geometry.h>
#include <linkwork/ik.h>
#include <linkwork/kinds.h>
#include <linkwork/kinematics.h>
#include <linkwork/levels.h>
#include <linkwork/linearize.h>
#include <linkwork/loads.h>
#include <linkwork/machine.h>
#include <linkwork/math.h>
#include <linkwork/mech.h>
#include <linkwork/model.h>
#include <linkwork/motion.h>
#include <linkwork/names.h>
#include <linkwork/openmp.h>
#include <linkwork/parameters.h>
#include <linkwork/payload.h>
#include <linkwork/scene.h>
#include <linkwork/shafts.h>
#include <linkwork/simulate.h>
#include <linkwork/stance.h>
#include <linkwork/statics.h>
#include <linkwork/surface.h>
#include <linkwork/symbolic.h>
#include <linkwork/terrain.h>
#include <linkwork/tool_motion.h>
#include <linkwork/views.h>
#include <linkwork/wheels.h>
#include <linkwork/workspace.h>

#endif
