/**
 * The class buttons.
 *
 * @typedef {import("./api.js").Project} Project
 */

import { showNotice } from "./banner.js";
import { byId, grouped, make, setText } from "./dom.js";
import { assignKeys } from "./keys.js";

const GAP = 8;
/** Name lengths in letters, and the width of a bold letter in pixels. */
const MAX_SHORT_NAME = 3;
const MAX_NAME = 17;
const LETTER_WIDTH = 9.6;
/** With more classes than this the buttons are smaller. */
const MAX_LARGE_BUTTONS = 20;
const FADE_MS = 320;
const touch = matchMedia("(hover: none) and (pointer: coarse)");
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

/** @type {Map<string, {button: HTMLButtonElement, count: HTMLElement}>} */
const buttons = new Map();
/** @type {Map<string, string>} class to key, including removed classes */
let keys = new Map();
/** @type {Map<string, string>} key to class */
let labels = new Map();
/** @type {(label: string, event: Event) => void} */
let onClick = () => {};

/** @param {(label: string, event: Event) => void} listener */
export function onClassClick(listener) {
  onClick = listener;
}

/** @param {string|null} key @returns {string|undefined} */
export function labelOfKey(key) {
  return key === null ? undefined : labels.get(key);
}

/** @param {string} name @param {string|undefined} key */
function makeButton(name, key) {
  const count = make("span", { class: "count", "aria-hidden": "true" });
  const spoken = key ? `${name}, key ${keyName(key)}` : name;
  const click = (/** @type {Event} */ event) => onClick(name, event);
  const button = make(
    "button",
    { type: "button", "data-label": name, title: name, "aria-label": spoken, click },
    make("kbd", { "aria-hidden": "true" }, key ? keyName(key) : ""),
    make("span", { class: [...name].length > 5 ? "name longer" : "name", dir: "auto" }, name),
    count,
    make("i", { class: "dot", "aria-hidden": "true" }),
  );
  return { button, count };
}

/**
 * Buttons fit most names on one line (two lines if there are many classes); longer names end with an ellipsis.
 *
 * @param {string[]} names
 * @returns {{typical: number, minWidth: number}} the length of all but the longest names, and the minimum width of a button
 */
function widthFor(names) {
  const lengths = names.map((name) => [...name].length).sort((one, other) => one - other);
  const typical = lengths[Math.floor(lengths.length * 0.9)] ?? 0;
  const many = names.length > MAX_LARGE_BUTTONS;
  const letters = Math.min(MAX_NAME, many ? Math.ceil(typical / 2) + 2 : typical);
  const frame = (touch.matches ? 50 : 84) - (many ? 14 : 0);
  return { typical, minWidth: typical <= MAX_SHORT_NAME ? (touch.matches ? 62 : many ? 84 : 112) : letters * LETTER_WIDTH + frame };
}

/** Uses as many columns as fit, with balanced rows: ten classes become two rows of five, not six and four. */
function layOut() {
  const place = byId("classes");
  const { minWidth } = widthFor([...buttons.keys()]);
  const maxColumns = Math.max(1, Math.floor((place.clientWidth + GAP) / (minWidth + GAP)));
  const rows = Math.max(1, Math.ceil(buttons.size / maxColumns));
  place.style.setProperty("--columns", String(Math.max(1, Math.ceil(buttons.size / rows))));
}

/** @param {string} key @returns {string} as shown on a button */
function keyName(key) {
  return key.toUpperCase();
}

/** @param {string[]} moved  classes whose key has changed */
function announceNewKeys(moved) {
  if (moved.length === 0) return;
  const changes = moved.map((name) => (keys.has(name) ? `${name} has the key ${keyName(keys.get(name))}` : `${name} has no key`));
  showNotice(`A class named after a digit was added: now ${changes.join(", ")}.`);
}

/** @param {string[]} names */
function rebuild(names) {
  const before = keys;
  keys = assignKeys(names, before);
  labels = new Map(names.filter((name) => keys.has(name)).map((name) => [keys.get(name), name]));
  announceNewKeys(names.filter((name) => before.has(name) && before.get(name) !== keys.get(name)));
  buttons.clear();
  for (const name of names) buttons.set(name, makeButton(name, keys.get(name)));
  const place = byId("classes");
  place.classList.toggle("short-names", widthFor(names).typical <= MAX_SHORT_NAME);
  place.classList.toggle("many", names.length > MAX_LARGE_BUTTONS);
  const hint = make("p", { class: "message" }, "There are no classes yet. Add the first one below (key N).");
  place.replaceChildren(...(names.length ? [...buttons.values()].map((entry) => entry.button) : [hint]));
  layOut();
}

/** @param {Project} project */
export function showClasses(project) {
  const names = project.classes.map((entry) => entry.name);
  const same = names.length === buttons.size && names.every((name) => buttons.has(name));
  if (!same || names.length === 0) rebuild(names);
  for (const { name, count } of project.classes) setText(buttons.get(name).count, grouped(count));
}

/**
 * @param {string|null} guess  marked faintly, so that it does not bias people
 * @param {string|null} before  the label that was undone
 */
export function markClasses(guess, before) {
  for (const [name, { button }] of buttons) {
    button.classList.toggle("guess", name === guess);
    button.classList.toggle("before", name === before);
    button.classList.remove("pressed");
  }
}

/**
 * Shows at once that a key was pressed. The response may arrive within two frames, so the colour fades slowly.
 *
 * @param {string} label
 */
export function pressClass(label) {
  const button = buttons.get(label)?.button;
  button?.classList.add("pressed");
  if (!reducedMotion.matches) button?.animate({ backgroundColor: ["var(--accent-soft)", "var(--raised)"] }, FADE_MS);
}

export function releaseClasses() {
  for (const { button } of buttons.values()) button.classList.remove("pressed");
}

new ResizeObserver(layOut).observe(byId("classes"));
