/**
 * The labelling loop: shows an example, sends its label, shows the next one. Only one request is pending at a time, and a key counts
 * only for an example that is on the screen: keys pressed between a label and the next example are ignored, so that nobody labels an
 * example that they have not seen.
 *
 * @typedef {import("./api.js").NextExample} NextExample
 */

import { postUntilAnswered, RejectedError, retryNow } from "./api.js";
import { hideTrouble, showNotice, showTrouble } from "./banner.js";
import { markClasses, pressClass, releaseClasses } from "./classes.js";
import { afterPaint, button, byId, setText } from "./dom.js";
import { messageNode, mount, prefetch, render } from "./example.js";
import { markedGuess, showGuesses } from "./guesses.js";
import { noExampleNode } from "./no-example.js";
import { project } from "./project.js";
import { settings } from "./settings.js";

/** Milliseconds before a broken image is requested again: the server may be restarting. */
const IMAGE_RETRY_DELAY = 3_000;
/** Requests that save nothing, so their errors must not say that something was not saved. */
const SAVES_NOTHING = new Set(["next", "undo", "unskip"]);
const MAYBE_SAVED = "This example already has a label, perhaps yours from before the connection was lost. Check the history.";

/** The last response of the server. @type {NextExample|null} */
let current = null;
/** Whether a key or click counts. */
let ready = false;
/** Whether the example itself is on the screen, and not a message in its place. */
let visible = false;
let shownAt = 0;
/** @type {() => void} */
let afterShow = () => {};

/** @param {() => void} listener  called after each example that was shown */
export function onShow(listener) {
  afterShow = listener;
}

/** @param {"waiting"|"ready"|"offline"|"done"} state  for the style sheet and for tests */
function setState(state) {
  ready = state === "ready" || state === "done";
  document.body.dataset.state = state;
}

/** @returns {number|null} */
function currentRow() {
  return current?.example?.row ?? null;
}

/**
 * @param {NextExample} next
 * @returns {Promise<{kind: string, node: Node, isExample: boolean}>}
 */
async function content(next) {
  if (next.example === null) {
    return { kind: "message", node: noExampleNode(next.project, refresh, unskip), isExample: false };
  }
  try {
    return { kind: next.example.view.kind, node: await render(next.example), isExample: true };
  } catch {
    const text = "The image could not be loaded; another attempt follows. You can also skip the example.";
    setTimeout(() => showAgain(next), IMAGE_RETRY_DELAY);
    const node = messageNode("This example cannot be shown", text, button("Try again", () => showAgain(next)));
    return { kind: "message", node, isExample: false };
  }
}

/** @param {NextExample} next  shown again if it is still the current one and its image is missing */
function showAgain(next) {
  if (current !== next || visible || !ready) return;
  setState("waiting");
  show(next);
}

/** @param {NextExample} next */
async function show(next) {
  const { kind, node, isExample } = await content(next);
  current = next;
  settings.holding = currentRow();
  document.body.classList.remove("loading");
  // Everything changes in one frame: a guess must never appear beside the previous example.
  mount(kind, node);
  project.update(next.project);
  showGuesses(next.example);
  markClasses(markedGuess(), next.example?.before ?? null);
  await afterPaint();
  visible = isExample;
  shownAt = performance.now();
  byId("example").dataset.row = String(currentRow() ?? "");
  setState(next.example === null ? "done" : "ready");
  if (next.example?.view.kind === "image" && !next.example.view.data) prefetch(next.upcoming ?? []);
  afterShow();
}

/**
 * @param {string} path
 * @param {any} body
 * @param {string} problem  shown before the reason while the server does not respond
 * @returns {Promise<NextExample|null>} null if the server rejected the request: the example on the screen stays
 */
async function send(path, body, problem) {
  setState("waiting");
  let failures = 0;
  try {
    return await postUntilAnswered(path, body, (count, reason) => {
      failures = count;
      setState("offline");
      setText(byId("saved"), "");
      showTrouble(`${problem}${reason.replace(/\.$/, "")}; trying again`, retryNow);
    });
  } catch (error) {
    return handleRejection(error, path, failures);
  } finally {
    if (failures > 0) hideTrouble();
  }
}

/**
 * @param {unknown} error
 * @param {string} path
 * @param {number} failures  previous attempts, which the server may have received although we missed its response
 * @returns {NextExample|null}
 */
function handleRejection(error, path, failures) {
  if (!(error instanceof RejectedError)) throw error;
  const conflict = error.status === 409 && error.body?.next;
  if (conflict && failures > 0) showNotice(MAYBE_SAVED);
  else if (conflict || SAVES_NOTHING.has(path)) showNotice(error.message);
  else showNotice(`Not saved: ${error.message}`);
  return conflict ? error.body.next : null;
}

/**
 * @param {string} path
 * @param {any} body
 * @param {string} problem
 * @param {string} done  shown after success, if no label was saved
 */
async function advance(path, body, problem, done) {
  const next = await send(path, body, problem);
  removeEventListener("beforeunload", confirmLeaving);
  if (next === null) {
    stay();
    return;
  }
  showSaved(next, done);
  await show(next);
}

/** Keeps what is on the screen; if there is nothing yet, shows a message. */
function stay() {
  releaseClasses();
  setState(current?.example ? "ready" : "done");
  if (current !== null) return;
  document.body.classList.remove("loading");
  mount("message", messageNode("There is no example", byId("banner-text").textContent, button("Try again", refresh)));
}

/** Shows "saved" only for labels that the server has acknowledged. @param {NextExample} next @param {string} done */
function showSaved(next, done) {
  const element = byId("saved");
  const acknowledged = next.saved !== null && next.saved !== undefined;
  element.dataset.row = acknowledged ? String(next.saved) : "";
  setText(element, acknowledged ? `saved ${next.project.labelled}` : done);
}

/** Requests an example: the one that was on the screen before, if it is still available. */
export async function start() {
  setState("waiting");
  await advance("next", { holding: settings.holding }, "No example yet: ", "");
}

/** @param {number} pressedAt  time of the key press, on the clock of `performance` */
function recordLatency(pressedAt) {
  const { duration } = performance.measure("label", { start: pressedAt, end: performance.now() });
  document.documentElement.dataset.lastLatency = duration.toFixed(1);
}

/** @param {Event} event @returns {boolean} false for a key pressed before the example was visible but handled late */
function counts(event) {
  return ready && event.timeStamp >= shownAt;
}

/** Warns people who leave the page before a label is saved. @param {BeforeUnloadEvent} event */
function confirmLeaving(event) {
  event.preventDefault();
}

/** @param {string} label @param {Event} event */
export async function addLabel(label, event) {
  const row = currentRow();
  if (!counts(event) || row === null) return;
  if (!visible) {
    showNotice("The example is not on the screen: try again or skip it.");
    return;
  }
  const pressedAt = event.timeStamp;
  performance.mark("label-key", { startTime: pressedAt });
  pressClass(label);
  const seconds = Math.max(0, (pressedAt - shownAt) / 1000);
  addEventListener("beforeunload", confirmLeaving);
  await advance("answer", { row, label, seconds: Number(seconds.toFixed(3)) }, "Not saved: ", "");
  if (currentRow() !== row) recordLatency(pressedAt);
}

/** @param {Event} event */
export async function skip(event) {
  const row = currentRow();
  if (counts(event) && row !== null) await advance("skip", { row }, "Not skipped yet: ", "skipped");
}

/** @param {Event} event */
export async function undo(event) {
  // The same text in repeated requests, so that the server undoes only once.
  const request = [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  if (counts(event)) await advance("undo", { holding: currentRow(), request }, "Not undone yet: ", "undone");
}

/** Undoes all skips of this person. */
async function unskip() {
  if (ready) await advance("unskip", {}, "Not done yet: ", "");
}

/** Marks the class buttons again after classes were added or guesses hidden. */
export function updateMarks() {
  markClasses(markedGuess(), current?.example?.before ?? null);
}

/** Requests an example after a label was deleted, if there was none left. */
export async function resume() {
  if (current !== null && current.example === null) await refresh();
}

/** Requests an example again when the one on the screen may have been labelled by other means. */
export async function refresh() {
  if (ready) await start();
}

// Time in another tab does not count as time spent on the example.
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) shownAt = performance.now();
});
