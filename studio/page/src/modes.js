// The modes of the page, in the order of their chips. A mode is one module in panels/ whose default
// export is
//
//   { id, title, blocked(model), left(), right(), drawer(), enter(), leave(), address(), restore() }
//
// left, right and drawer return elements, made anew when the mode is entered or the model changes;
// all three and what follows may be absent. blocked returns '', or one line why the mode has nothing
// to do for a model. address returns what the address of the page keeps of the mode, a text that
// restore takes; emit('panel') where that changes.

import configure from './panels/configure.js';
import equations from './panels/equations.js';
import levels from './panels/levels.js';
import loops from './panels/loops.js';
import pose from './panels/pose.js';
import simulate from './panels/simulate.js';
import workspace from './panels/workspace.js';

export const modes = [pose, configure, equations, simulate, levels, loops, workspace];
