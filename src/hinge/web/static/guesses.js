/**
 * The guesses of the model, how sure it is, and how the example was selected.
 *
 * @typedef {import("./api.js").Example} Example
 * @typedef {import("./api.js").Guess} Guess
 * @typedef {{item: HTMLElement, name: HTMLElement, fill: HTMLElement, share: HTMLElement}} GuessRow
 */

import { byId, make, nameSpan, percent, setText, span } from "./dom.js";
import { project } from "./project.js";
import { settings } from "./settings.js";

const MAX_GUESSES = 5;
/** Letters of a name that fit into a third of a phone screen. */
const MAX_SHORT_NAME = 9;
const DRAWN = {
  chosen: ["chosen", "The model is unsure about this example, so your label helps it a lot."],
  second: ["shared", "Several people label this example, so that their agreement can be measured. The model gives no guess."],
  first: ["random", "Drawn at random, because the model cannot choose before it knows two classes."],
  random: ["random", "Drawn at random instead of chosen by the model. Such examples measure the accuracy."],
};

/** @type {Example|null} */
let shown = null;

/** Created once; only their content changes, so that nothing moves. @type {GuessRow[]} */
const rows = Array.from({ length: MAX_GUESSES }, () => {
  const [name, fill, share] = [nameSpan(""), make("i"), span("share", "")];
  return { item: make("li", {}, name, make("span", { class: "bar" }, fill), share), name, fill, share };
});

/** @param {GuessRow} row @param {Guess|undefined} guess */
function fillRow(row, guess) {
  row.item.classList.toggle("unused", guess === undefined);
  row.item.setAttribute("aria-hidden", String(guess === undefined));
  setText(row.name, guess?.label ?? "");
  row.name.title = guess?.label ?? "";
  setText(row.share, guess ? percent(guess.share) : "");
  row.fill.style.transform = `scaleX(${guess ? Math.max(0, Math.min(1, guess.share)) : 0})`;
}

/** @returns {boolean} whether the name of a class is too long to fit three on a line of a phone */
function hasLongNames() {
  return project.current?.classes.some((entry) => [...entry.name].length > MAX_SHORT_NAME) ?? false;
}

/** @returns {boolean} whether fewer than two classes have labels */
function hasFewClasses() {
  const labelled = project.current?.classes.filter((entry) => entry.count > 0) ?? [];
  return labelled.length < 2;
}

/** @param {Example} example @returns {string} */
function confidenceText(example) {
  if (!settings.guesses) return "Guesses are hidden";
  if (example.drawn === "second") return "No guess: say what you think";
  if (example.sure === null) return hasFewClasses() && !example.guesses.length ? "Needs labels of two classes" : "No guess available";
  const words = example.sure >= 0.9 ? "Sure" : example.sure >= 0.6 ? "Fairly sure" : "Unsure";
  return `${words}: ${percent(example.sure)}`;
}

/** @param {Example|null} example */
export function showGuesses(example) {
  shown = example;
  const guesses = example && settings.guesses ? example.guesses : [];
  rows.forEach((row, index) => fillRow(row, guesses[index]));
  byId("guesses").classList.toggle("long", hasLongNames());
  setText(byId("sure"), example ? confidenceText(example) : "");
  const [word, reason] = DRAWN[example?.drawn ?? ""] ?? ["", ""];
  const drawn = byId("drawn");
  drawn.hidden = word === "";
  drawn.dataset.drawn = word;
  setText(drawn, word);
  setText(byId("drawn-reason"), reason);
}

/** @returns {string|null} the guess to mark on its button; null if guesses are hidden or there is none */
export function markedGuess() {
  return shown && settings.guesses && shown.sure !== null ? (shown.guesses[0]?.label ?? null) : null;
}

/** @param {boolean} visible */
export function setGuessesVisible(visible) {
  settings.guesses = visible;
  byId("show-guesses").checked = visible;
  document.body.classList.toggle("guesses-hidden", !visible);
  showGuesses(shown);
}

/** The style sheet shows the explanation on hover and focus; a tap opens and closes it. */
function setUpExplanation() {
  const drawn = byId("drawn");
  const toggle = (/** @type {boolean} */ open) => drawn.setAttribute("aria-expanded", String(open));
  drawn.addEventListener("click", () => toggle(drawn.getAttribute("aria-expanded") !== "true"));
  drawn.addEventListener("blur", () => toggle(false));
}

byId("guesses").append(...rows.map((row) => row.item));
setUpExplanation();
