// What panels share besides the state: the view (null without WebGL), and the drawer.
export const app = { view: null, drawer: null };
