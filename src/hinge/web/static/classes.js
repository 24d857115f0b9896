/**
 * The buttons of the classes.
 *
 * @typedef {import("./api.js").Project} Project
 */

import { showNotice } from "./banner.js";
import { byId, grouped, make, setText } from "./dom.js";
import { assignKeys } from "./keys.js";

const GAP = 8;
/** Lengths in letters, and the width of a bold letter in pixels. */
const SHORT = 3;
const LONGEST = 17;
const LETTER = 9.6;
/** Beyond this number of classes the buttons are smaller. */
const MANY = 20;
const FADE = 320;
const fingers = matchMedia("(hover: none) and (pointer: coarse)");
const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** @type {Map<string, {button: HTMLButtonElement, count: HTMLElement}>} */
const buttons = new Map();
/** @type {Map<string, string>} class to key, also of classes that are gone */
let keys = new Map();
/** @type {Map<string, string>} key to class */
let labels = new Map();
/** @type {(label: string, event: Event) => void} */
let choose = () => {};

/** @param {(label: string, event: Event) => void} listener */
export function onChoose(listener) {
  choose = listener;
}

/** @param {string|null} key @returns {string|undefined} */
export function labelOfKey(key) {
  return key === null ? undefined : labels.get(key);
}

/** @param {string} name @param {string|undefined} key */
function makeButton(name, key) {
  const count = make("span", { class: "count", "aria-hidden": "true" });
  const spoken = key ? `${name}, key ${keyName(key)}` : name;
  const click = (/** @type {Event} */ event) => choose(name, event);
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
 * Wide enough for most names on one line (on two where there are many classes); longer ones are cut with an ellipsis.
 *
 * @param {string[]} names
 * @returns {{typical: number, least: number}} the length of all but the longest names, and the least width of a button
 */
function widthFor(names) {
  const lengths = names.map((name) => [...name].length).sort((one, other) => one - other);
  const typical = lengths[Math.floor(lengths.length * 0.9)] ?? 0;
  const many = names.length > MANY;
  const letters = Math.min(LONGEST, many ? Math.ceil(typical / 2) + 2 : typical);
  const frame = (fingers.matches ? 50 : 84) - (many ? 14 : 0);
  return { typical, least: typical <= SHORT ? (fingers.matches ? 62 : many ? 84 : 112) : letters * LETTER + frame };
}

/** As many columns as there is room for, but full rows: ten classes are twice five, not six and four. */
function arrange() {
  const place = byId("classes");
  const { least } = widthFor([...buttons.keys()]);
  const room = Math.max(1, Math.floor((place.clientWidth + GAP) / (least + GAP)));
  const rows = Math.max(1, Math.ceil(buttons.size / room));
  place.style.setProperty("--columns", String(Math.max(1, Math.ceil(buttons.size / rows))));
}

/** @param {string} key @returns {string} as it stands on a button */
function keyName(key) {
  return key.toUpperCase();
}

/** @param {string[]} moved  classes whose key is another one now */
function warn(moved) {
  if (moved.length === 0) return;
  const news = moved.map((name) => (keys.has(name) ? `${name} has the key ${keyName(keys.get(name))}` : `${name} has no key`));
  showNotice(`A class was added that is a digit: ${news.join(", ")} now.`);
}

/** @param {string[]} names */
function rebuild(names) {
  const before = keys;
  keys = assignKeys(names, before);
  labels = new Map(names.filter((name) => keys.has(name)).map((name) => [keys.get(name), name]));
  warn(names.filter((name) => before.has(name) && before.get(name) !== keys.get(name)));
  buttons.clear();
  for (const name of names) buttons.set(name, makeButton(name, keys.get(name)));
  const place = byId("classes");
  place.classList.toggle("brief", widthFor(names).typical <= SHORT);
  place.classList.toggle("many", names.length > MANY);
  const hint = make("p", { class: "message" }, "No classes yet: add the first one below (key N).");
  place.replaceChildren(...(names.length ? [...buttons.values()].map((entry) => entry.button) : [hint]));
  arrange();
}

/** @param {Project} project */
export function showClasses(project) {
  const names = project.classes.map((entry) => entry.name);
  const same = names.length === buttons.size && names.every((name) => buttons.has(name));
  if (!same || names.length === 0) rebuild(names);
  for (const { name, count } of project.classes) setText(buttons.get(name).count, grouped(count));
}

/**
 * @param {string|null} guess  marked faintly: it must not answer in place of the person
 * @param {string|null} before  the label that was taken back by undo
 */
export function markClasses(guess, before) {
  for (const [name, { button }] of buttons) {
    button.classList.toggle("guess", name === guess);
    button.classList.toggle("before", name === before);
    button.classList.remove("pressed");
  }
}

/**
 * Shows at once that the key was heard. The answer may be there in two frames, too short to be noticed, so the colour fades slowly.
 *
 * @param {string} label
 */
export function pressClass(label) {
  const button = buttons.get(label)?.button;
  button?.classList.add("pressed");
  if (!calm.matches) button?.animate({ backgroundColor: ["var(--accent-soft)", "var(--raised)"] }, FADE);
}

export function releaseClasses() {
  for (const { button } of buttons.values()) button.classList.remove("pressed");
}

new ResizeObserver(arrange).observe(byId("classes"));
