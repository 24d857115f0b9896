/**
 * The latest state of the project. The parts of the page subscribe to it, whichever request updates it.
 *
 * @typedef {import("./api.js").Project} Project
 */

/** @type {Project|null} */
let current = null;
/** @type {((project: Project) => void)[]} */
const listeners = [];

export const project = {
  /** @returns {Project|null} */
  get current() {
    return current;
  },

  /** @param {Project|undefined} news */
  update(news) {
    if (!news) return;
    current = news;
    for (const listener of listeners) listener(news);
  },

  /** @param {(project: Project) => void} listener */
  subscribe(listener) {
    listeners.push(listener);
  },
};
