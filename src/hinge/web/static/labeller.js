/**
 * One example after the other. One request is under way at a time, and an answer counts only for an example that is on the screen:
 * what is pressed between an answer and the next example is dropped, so that nobody labels what they have not seen.
 *
 * @typedef {import("./api.js").Turn} Turn
 */

import { hurry, persist, RefusedError } from "./api.js";
import { endTrouble, showNotice, showTrouble } from "./banner.js";
import { markClasses, pressClass, releaseClasses } from "./classes.js";
import { button, byId, painted, setText } from "./dom.js";
import { emptyNode } from "./empty.js";
import { messageNode, mount, prefetch, prepare } from "./example.js";
import { markedGuess, showGuesses } from "./guesses.js";
import { project } from "./project.js";
import { settings } from "./settings.js";

/** The server may just be starting again. */
const BROKEN_PAUSE = 3_000;
/** Requests of which it would be misleading to say that something was not saved. */
const SAVES_NOTHING = new Set(["next", "undo", "unskip"]);
const PERHAPS_SAVED = "This example has a label by now, perhaps yours from before the connection broke: see the history.";

/** @type {Turn|null} */
let turn = null;
/** Whether an answer would count. */
let ready = false;
/** Whether the example itself is on the screen, not a message in its place. */
let seen = false;
let shownAt = 0;
/** @type {() => void} */
let afterTurn = () => {};

/** @param {() => void} listener  called after each example that came on the screen */
export function onTurn(listener) {
  afterTurn = listener;
}

/** @param {"waiting"|"ready"|"offline"|"done"} state  for the style sheet and for tests */
function setState(state) {
  ready = state === "ready" || state === "done";
  document.body.dataset.state = state;
}

/** @returns {number|null} */
function currentRow() {
  return turn?.example?.row ?? null;
}

/**
 * @param {Turn} next
 * @returns {Promise<{kind: string, node: Node, good: boolean}>}
 */
async function subject(next) {
  if (next.example === null) {
    return { kind: "message", node: emptyNode(next.project, refresh, unskip), good: false };
  }
  try {
    return { kind: next.example.view.kind, node: await prepare(next.example), good: true };
  } catch {
    const text = "Its image could not be loaded; it will be tried again. You may also skip it.";
    setTimeout(() => showAgain(next), BROKEN_PAUSE);
    return { kind: "message", node: messageNode("This example cannot be shown", text, button("Try again", () => showAgain(next))), good: false };
  }
}

/** @param {Turn} next  shown again if it is still the one without a picture */
function showAgain(next) {
  if (turn !== next || seen || !ready) return;
  setState("waiting");
  show(next);
}

/** @param {Turn} next */
async function show(next) {
  const { kind, node, good } = await subject(next);
  turn = next;
  settings.holding = currentRow();
  document.body.classList.remove("new");
  // Everything of one example in one frame: a guess must never stand beside the example before it.
  mount(kind, node);
  project.update(next.project);
  showGuesses(next.example);
  markClasses(markedGuess(), next.example?.before ?? null);
  await painted();
  seen = good;
  shownAt = performance.now();
  byId("example").dataset.row = String(currentRow() ?? "");
  setState(next.example === null ? "done" : "ready");
  if (next.example?.view.kind === "image" && !next.example.view.data) prefetch(next.upcoming ?? []);
  afterTurn();
}

/**
 * @param {string} path
 * @param {any} content
 * @param {string} trouble  what to say before the reason while the server does not answer
 * @returns {Promise<Turn|null>} null when the server refused: the example on the screen stays
 */
async function ask(path, content, trouble) {
  setState("waiting");
  let failures = 0;
  try {
    return await persist(path, content, (count, reason) => {
      failures = count;
      setState("offline");
      setText(byId("saved"), "");
      showTrouble(`${trouble}${reason.replace(/\.$/, "")}; trying again`, hurry);
    });
  } catch (error) {
    return refusal(error, path, failures);
  } finally {
    if (failures > 0) endTrouble();
  }
}

/**
 * @param {unknown} error
 * @param {string} path
 * @param {number} failures  attempts before, which the server may have heard although we did not hear the answer
 * @returns {Turn|null}
 */
function refusal(error, path, failures) {
  if (!(error instanceof RefusedError)) throw error;
  const conflict = error.status === 409 && error.body?.turn;
  if (conflict && failures > 0) showNotice(PERHAPS_SAVED);
  else if (conflict || SAVES_NOTHING.has(path)) showNotice(error.message);
  else showNotice(`not saved: ${error.message}`);
  return conflict ? error.body.turn : null;
}

/**
 * @param {string} path
 * @param {any} content
 * @param {string} trouble
 * @param {string} done  what to say when the server has done it, if it has saved no label
 */
async function advance(path, content, trouble, done) {
  const next = await ask(path, content, trouble);
  removeEventListener("beforeunload", warnOfLoss);
  if (next === null) {
    stay();
    return;
  }
  say(next, done);
  await show(next);
}

/** What is on the screen stays; if there is nothing yet, a message says so. */
function stay() {
  releaseClasses();
  setState(turn?.example ? "ready" : "done");
  if (turn !== null) return;
  document.body.classList.remove("new");
  mount("message", messageNode("There is no example", byId("banner-text").textContent, button("Try again", refresh)));
}

/** Says "saved" only for what the server has acknowledged. @param {Turn} next @param {string} done */
function say(next, done) {
  const saved = byId("saved");
  const acknowledged = next.saved !== null && next.saved !== undefined;
  saved.dataset.row = acknowledged ? String(next.saved) : "";
  setText(saved, acknowledged ? `saved ${next.project.labelled}` : done);
}

/** Asks for an example: the one that was on the screen before, if it can be had. */
export async function start() {
  setState("waiting");
  await advance("next", { holding: settings.holding }, "", "");
}

/** @param {number} keyedAt  time of the key press, on the clock of `performance` */
function measure(keyedAt) {
  const { duration } = performance.measure("label", { start: keyedAt, end: performance.now() });
  document.documentElement.dataset.lastLatency = duration.toFixed(1);
}

/** @param {Event} event @returns {boolean} false for a key pressed before the example was visible, handled late by a busy browser */
function counts(event) {
  return ready && event.timeStamp >= shownAt;
}

/** Who leaves the page while an answer is not saved would lose it. @param {BeforeUnloadEvent} event */
function warnOfLoss(event) {
  event.preventDefault();
}

/** @param {string} label @param {Event} event */
export async function answer(label, event) {
  const row = currentRow();
  if (!counts(event) || row === null) return;
  if (!seen) {
    showNotice("The example is not on the screen: try again or skip it.");
    return;
  }
  const keyedAt = event.timeStamp;
  performance.mark("label-key", { startTime: keyedAt });
  pressClass(label);
  const seconds = Math.max(0, (keyedAt - shownAt) / 1000);
  addEventListener("beforeunload", warnOfLoss);
  await advance("answer", { row, label, seconds: Number(seconds.toFixed(3)) }, "not saved: ", "");
  if (currentRow() !== row) measure(keyedAt);
}

/** @param {Event} event */
export async function skip(event) {
  const row = currentRow();
  if (counts(event) && row !== null) await advance("skip", { row }, "not skipped yet: ", "skipped");
}

/** @param {Event} event */
export async function undo(event) {
  if (counts(event)) await advance("undo", { holding: currentRow() }, "not undone yet: ", "undone");
}

/** Takes back what this person has skipped. */
async function unskip() {
  if (ready) await advance("unskip", {}, "not done yet: ", "");
}

/** Marks the buttons anew after classes were added or guesses hidden. */
export function remark() {
  markClasses(markedGuess(), turn?.example?.before ?? null);
}

/** Asks again after a label was deleted, if there was nothing left. */
export async function resume() {
  if (turn !== null && turn.example === null) await refresh();
}

/** Asks again when the example on the screen may have got a label by other means. */
export async function refresh() {
  if (ready) await start();
}

// Time spent in another tab is not time spent on the example.
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) shownAt = performance.now();
});
