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

  /** @param {Project|undefined} summary */
  update(summary) {
    if (!summary) return;
    current = summary;
    for (const listener of listeners) listener(summary);
  },

  /** @param {(project: Project) => void} listener */
  subscribe(listener) {
    listeners.push(listener);
  },
};
