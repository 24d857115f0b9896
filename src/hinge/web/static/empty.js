/**
 * What is said when there is no example for this person: why, and what can be done.
 *
 * @typedef {import("./api.js").Project} Project
 */

import { button, counted, make } from "./dom.js";
import { messageNode } from "./example.js";
import { exportLinks } from "./export.js";

/** @param {number} count @returns {string} */
function held(count) {
  return counted(count, "example is on the screen of somebody else.", "examples are on the screens of other people.");
}

/**
 * @param {Project} project
 * @param {() => void} again  asks for an example once more
 * @param {() => void} unskip  asks for what was skipped
 * @returns {HTMLElement}
 */
export function emptyNode(project, again, unskip) {
  const left = Math.max(0, project.total - project.labelled);
  const skipped = Math.min(left, project.skipped ?? 0);
  if (left === 0) {
    const text = "Take the labels and the model with you, or look through them in the history.";
    return messageNode("Done: every example has a label", text, ...exportLinks(["labels.csv", "model.hinge"]));
  }
  if (skipped === 0) {
    const text = `${held(left)} What they skip comes to you.`;
    return messageNode("Nothing left for you just now", text, button("Try again", again));
  }
  const title = counted(skipped, "example that you skipped is left", "examples that you skipped are left");
  const choices = make("div", { class: "choices" }, button("Show the skipped ones again", unskip));
  if (left === skipped) return messageNode(title, "There is nothing else to ask you.", choices);
  choices.append(button("Try again", again));
  return messageNode(title, held(left - skipped), choices);
}
