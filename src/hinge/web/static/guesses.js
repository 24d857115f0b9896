/**
 * What the model thinks of the example, how sure it is, and how the example came to be asked.
 *
 * @typedef {import("./api.js").Example} Example
 * @typedef {import("./api.js").Guess} Guess
 */

import { byId, make, nameSpan, percent, setText, span } from "./dom.js";
import { project } from "./project.js";
import { settings } from "./settings.js";

const PLACES = 5;
/** Letters of a name that fit into a third of a phone. */
const SHORT = 9;
const DRAWN = {
  chosen: ["chosen", "The model is unsure of this example: your answer teaches it a lot."],
  random: ["random", "Drawn at random, not chosen by the model: such examples show how good it is on the whole pool."],
};

/** @type {Example|null} */
let shown = null;

/** The places stay for good and only change their content, so that nothing moves and nothing is built for each example. */
const places = Array.from({ length: PLACES }, () => {
  const [name, fill, share] = [nameSpan(""), make("i"), span("share", "")];
  return { item: make("li", {}, name, make("span", { class: "bar" }, fill), share), name, fill, share };
});

/** @param {typeof places[0]} place @param {Guess|undefined} guess */
function fillPlace(place, guess) {
  place.item.classList.toggle("void", guess === undefined);
  place.item.setAttribute("aria-hidden", String(guess === undefined));
  setText(place.name, guess?.label ?? "");
  place.name.title = guess?.label ?? "";
  setText(place.share, guess ? percent(guess.share) : "");
  place.fill.style.transform = `scaleX(${guess ? Math.max(0, Math.min(1, guess.share)) : 0})`;
}

/** @returns {boolean} whether a class has a name that does not fit beside two others on a phone */
function hasLongNames() {
  return project.current?.classes.some((entry) => [...entry.name].length > SHORT) ?? false;
}

/** @returns {boolean} whether there is nothing to tell apart yet */
function isBeginner() {
  const known = project.current?.classes.filter((entry) => entry.count > 0) ?? [];
  return known.length < 2;
}

/** @param {Example} example @returns {string} */
function sureText(example) {
  if (!settings.guesses) return "Guesses are hidden";
  if (example.sure === null) return isBeginner() && !example.guesses.length ? "Knows too little yet" : "No guess prepared";
  const words = example.sure >= 0.9 ? "Sure" : example.sure >= 0.6 ? "Fairly sure" : "Unsure";
  return `${words}: ${percent(example.sure)}`;
}

/** @param {Example|null} example */
export function showGuesses(example) {
  shown = example;
  const guesses = example && settings.guesses ? example.guesses : [];
  places.forEach((place, index) => fillPlace(place, guesses[index]));
  byId("guesses").classList.toggle("long", hasLongNames());
  setText(byId("sure"), example ? sureText(example) : "");
  const [word, why] = DRAWN[example?.drawn ?? ""] ?? ["", ""];
  const drawn = byId("drawn");
  drawn.hidden = word === "";
  drawn.dataset.drawn = word;
  setText(drawn, word);
  setText(byId("drawn-why"), why);
}

/** @returns {string|null} the guess to mark on its button: none while guesses are hidden or the model knows too little */
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

/** The explanation is shown on hover and focus by the style sheet; a tap opens and closes it. */
function explainDrawn() {
  const drawn = byId("drawn");
  const toggle = (/** @type {boolean} */ open) => drawn.setAttribute("aria-expanded", String(open));
  drawn.addEventListener("click", () => toggle(drawn.getAttribute("aria-expanded") !== "true"));
  drawn.addEventListener("blur", () => toggle(false));
}

byId("guesses").append(...places.map((place) => place.item));
explainDrawn();
