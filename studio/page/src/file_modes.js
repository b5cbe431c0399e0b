// The modes of an exported page: one, with the motion that it was given.

import { motion } from './file_api.js';
import pose from './panels/pose.js';
import { makePlayer } from './panels/player.js';

const recorded = motion();
let player = null;

const withMotion = {
  ...pose,
  drawerTitle: `Motion ${recorded?.name}`,
  drawer() {
    player = makePlayer();
    return player.element;
  },
  enter: () => player.set([{ table: recorded.table, isShown: true }]),
  leave() {
    player.stop();
    pose.leave();
  },
};

export const modes = [recorded ? withMotion : pose];
