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
/** With more classes than this there is a field to find one. */
const MANY_CLASSES = 30;
const FADE_MS = 320;
/** After a class was found by its name, until all are shown again. */
const SHOW_ALL_MS = 250;
const touch = matchMedia("(hover: none) and (pointer: coarse)");
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

/** @type {Map<string, {button: HTMLButtonElement, count: HTMLElement}>} */
const buttons = new Map();
/** @type {Map<string, string[]>} class to keys, including removed classes */
let keys = new Map();
/** @type {Map<string, string>} key to class */
let labels = new Map();
/** The classes and letters of which buttons were made, as JSON. */
let built = "";
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

/** @param {string} name @param {string[]} all  its keys */
function makeButton(name, all) {
  const key = all[0];
  const count = make("span", { class: "count", "aria-hidden": "true" });
  const names = all.map(keyName).join(" or ");
  // The name of the button is that of the class; the keys are told apart from it.
  const shortcuts = all.length ? all.map((each) => each.replace("⇧", "Shift+")).join(" ") : null;
  const click = (/** @type {Event} */ event) => onClick(name, event);
  const button = make(
    "button",
    { type: "button", "data-label": name, title: key ? `${name} (${names})` : name, "aria-keyshortcuts": shortcuts, click },
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
  const changes = moved.map((name) => (keys.has(name) ? `${name} has the key ${keyName(keys.get(name)[0])}` : `${name} has no key`));
  showNotice(`Keys have changed: now ${changes.join(", ")}.`);
}

/** @param {string[]} names @param {Map<string, string>} chosen  letters that somebody chose */
function rebuild(names, chosen) {
  const before = keys;
  keys = assignKeys(names, before, chosen);
  labels = new Map(names.flatMap((name) => (keys.get(name) ?? []).map((key) => /** @type {[string, string]} */ ([key, name]))));
  announceNewKeys(names.filter((name) => before.has(name) && !chosen.has(name) && before.get(name)[0] !== keys.get(name)?.[0]));
  buttons.clear();
  for (const name of names) buttons.set(name, makeButton(name, keys.get(name) ?? []));
  byId("find-class-field").hidden = names.length <= MANY_CLASSES;
  const place = byId("classes");
  place.classList.toggle("short-names", widthFor(names).typical <= MAX_SHORT_NAME);
  place.classList.toggle("many", names.length > MAX_LARGE_BUTTONS);
  const hint = make("p", { class: "message" }, "There are no classes yet. Add the first one below.");
  place.replaceChildren(...(names.length ? [...buttons.values()].map((entry) => entry.button) : [hint]));
  layOut();
}

/** @param {Project} project */
export function showClasses(project) {
  const names = project.classes.map((entry) => entry.name);
  const letters = project.classes.filter((entry) => entry.letter).map((entry) => /** @type {[string, string]} */ ([entry.name, entry.letter]));
  const wanted = JSON.stringify([names, letters]);
  if (wanted !== built || names.length === 0) rebuild(names, new Map(letters));
  built = wanted;
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

/** @param {string} text @returns {string[]} the classes that contain a text, those that begin with it first */
function matches(text) {
  const wanted = text.trim().toLowerCase();
  const found = [...buttons.keys()].filter((name) => name.toLowerCase().includes(wanted));
  return found.sort((one, other) => Number(other.toLowerCase().startsWith(wanted)) - Number(one.toLowerCase().startsWith(wanted)));
}

/** Shows only the classes that contain the text in the field. */
function filterClasses() {
  const field = byId("find-class");
  const found = new Set(matches(field.value));
  for (const [name, { button }] of buttons) button.hidden = !found.has(name);
}

/** Goes to the field in which a class is found by its name, if there are many. */
export function findClass() {
  if (!byId("find-class-field").hidden) byId("find-class").focus();
}

/** Enter labels the example with the first class that was found; Escape leaves the field. @param {KeyboardEvent} event */
function onFindKey(event) {
  const field = byId("find-class");
  // The field keeps the focus for the next example, and people press the key that leads to it again.
  if (event.key === "/" && field.value === "") event.preventDefault();
  if (event.key !== "Enter" && event.key !== "Escape") return;
  event.preventDefault();
  const [first] = matches(field.value);
  const use = event.key === "Enter" && field.value.trim() !== "" && first !== undefined;
  field.value = "";
  if (use) onClick(first, event);
  else field.blur();
  // Showing hundreds of buttons again would delay the next example.
  setTimeout(filterClasses, use ? SHOW_ALL_MS : 0);
}

byId("find-class").addEventListener("input", filterClasses);
byId("find-class").addEventListener("keydown", onFindKey);
new ResizeObserver(layOut).observe(byId("classes"));
