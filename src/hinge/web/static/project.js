/**
 * The project as the server told it last. Every part of the page that shows it listens here, whichever request brought the news.
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
