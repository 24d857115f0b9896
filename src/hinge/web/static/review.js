/**
 * The review of doubtful labels: those that the model of all other labels contradicts. One key confirms, changes or deletes each.
 *
 * @typedef {import("./api.js").View} View
 * @typedef {{row: number, label: string, prediction: string, person: string, view: View}} Doubt
 */

import { request } from "./api.js";
import { labelOfKey } from "./classes.js";
import { byId, grouped, make, nameSpan, setText } from "./dom.js";
import { picture } from "./example.js";
import { keyOf } from "./keys.js";
import { project } from "./project.js";

/** Milliseconds between requests while the doubts are computed, and how often they are repeated. */
const POLL_INTERVAL = 700;
const MAX_POLLS = 60;

/** @type {Doubt[]} */
let queue = [];
/** The label on the screen: a key counts for no other. @type {Doubt|null} */
let shown = null;
let busy = false;
/** @type {() => void} */
let afterChange = () => {};

/** @param {() => void} listener  called after a label was changed or deleted */
export function onReviewChange(listener) {
  afterChange = listener;
}

async function load() {
  setText(byId("review-note"), "Looking for doubtful labels…");
  for (let poll = 0; poll < MAX_POLLS; poll++) {
    const { doubts, ready } = await request("GET", "doubts");
    if (!byId("review-sheet").open) return;
    if (ready) {
      queue = doubts;
      setText(byId("review-note"), "");
      return showNext();
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL));
  }
  setText(byId("review-note"), "Still computing. Open the review again later.");
}

async function showNext() {
  const doubt = queue[0];
  byId("review-actions").hidden = doubt === undefined;
  setText(byId("review-title"), doubt ? `Doubtful labels: ${grouped(queue.length)}` : "Doubtful labels");
  shown = null;
  if (!doubt) byId("review-item").dataset.row = "";
  if (!doubt) return byId("review-item").replaceChildren(make("p", { class: "message" }, "No doubtful labels."));
  const about = make("p", { class: "verdict" }, nameSpan(doubt.person), " says ", make("b", {}, doubt.label));
  about.append("; the model says ", make("b", {}, doubt.prediction), ".");
  const example = await picture(doubt.row, doubt.view);
  if (queue[0] !== doubt) return;
  shown = doubt;
  byId("review-item").dataset.row = String(doubt.row);
  byId("review-item").replaceChildren(example, about);
}

/** @param {string} done @param {(doubt: Doubt) => Promise<any>} change */
async function decide(done, change) {
  const doubt = queue[0];
  if (!doubt || doubt !== shown || busy) return;
  busy = true;
  try {
    const response = await change(doubt);
    project.update(response.project);
    queue.shift();
    setText(byId("review-note"), done);
    afterChange();
  } catch (error) {
    setText(byId("review-note"), `Nothing was changed: ${error.message}`);
  } finally {
    busy = false;
  }
  if (queue[0] !== doubt) await showNext();
}

function confirmLabel() {
  return decide("Confirmed.", (doubt) => request("POST", `labels/${doubt.row}/confirm`, {}));
}

/** @param {string|undefined} label  the prediction by default */
function relabel(label) {
  const chosen = label ?? queue[0]?.prediction;
  if (chosen === queue[0]?.label) return confirmLabel();
  return decide(`Changed to ${chosen}.`, (doubt) => request("PUT", `labels/${doubt.row}`, { label: chosen }));
}

function forget() {
  return decide("The label was deleted; the example may be shown again.", (doubt) => request("DELETE", `labels/${doubt.row}`, {}));
}

function later() {
  const first = queue.shift();
  if (first) queue.push(first);
  setText(byId("review-note"), "");
  showNext();
}

const KEYS = { Enter: confirmLabel, ArrowRight: () => relabel(undefined), Delete: forget, ArrowDown: later };

/** @param {KeyboardEvent} event */
function onKey(event) {
  if (event.repeat || event.defaultPrevented) return;
  const onButton = event.target instanceof HTMLButtonElement && event.key === "Enter";
  const handler = onButton ? undefined : KEYS[/** @type {keyof typeof KEYS} */ (event.key)];
  const label = handler || event.altKey ? undefined : labelOfKey(keyOf(event));
  if (!handler && label === undefined) return;
  event.preventDefault();
  if (handler) handler();
  else relabel(label);
}

export function toggleReview() {
  const sheet = byId("review-sheet");
  if (sheet.open) return sheet.close();
  queue = [];
  byId("review-item").replaceChildren();
  byId("review-actions").hidden = true;
  sheet.showModal();
  return load();
}

byId("review-sheet").addEventListener("keydown", onKey);
byId("review-confirm").addEventListener("click", confirmLabel);
byId("review-accept").addEventListener("click", () => relabel(undefined));
byId("review-forget").addEventListener("click", forget);
byId("review-later").addEventListener("click", later);
