/**
 * The message shown when there is no example for this person: the reason, and what can be done.
 *
 * @typedef {import("./api.js").Project} Project
 */

import { button, counted, make } from "./dom.js";
import { messageNode } from "./example.js";
import { exportLinks } from "./export.js";

/** @param {number} count @returns {string} */
function heldByOthers(count) {
  return counted(count, "example is being labelled by somebody else.", "examples are being labelled by other people.");
}

/**
 * @param {Project} project
 * @param {() => void} again  requests an example again
 * @param {() => void} unskip  undoes all skips
 * @returns {HTMLElement}
 */
export function noExampleNode(project, again, unskip) {
  const left = Math.max(0, project.total - project.labelled);
  const skipped = Math.min(left, project.skipped ?? 0);
  if (left === 0) {
    const text = "Download the labels and the model, or review the labels in the history.";
    return messageNode("Done: every example has a label", text, ...exportLinks(["labels.csv", "model.hinge"]));
  }
  if (skipped === 0) {
    const text = `${heldByOthers(left)} If they skip one, you can label it.`;
    return messageNode("No examples available right now", text, button("Try again", again));
  }
  const title = counted(skipped, "example that you skipped is left", "examples that you skipped are left");
  const choices = make("div", { class: "choices" }, button("Show skipped examples again", unskip));
  if (left === skipped) return messageNode(title, "All other examples have a label.", choices);
  choices.append(button("Try again", again));
  return messageNode(title, heldByOthers(left - skipped), choices);
}
