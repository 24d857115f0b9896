/**
 * Puts the parts of the page together.
 *
 * @typedef {import("./api.js").Project} Project
 */

import { onLocked } from "./api.js";
import { showNotice } from "./banner.js";
import { labelOfKey, onChoose, showClasses } from "./classes.js";
import { askForClass, askForToken, listClasses, toggle, wireDialogs, wireForms } from "./dialogs.js";
import { byId, grouped, setText } from "./dom.js";
import { scrollExample } from "./example.js";
import { setGuessesVisible } from "./guesses.js";
import { onHistoryChange, toggleHistory } from "./history.js";
import { ACTIONS, isTyping, keyOf, takesSpace } from "./keys.js";
import { answer, onTurn, refresh, remark, resume, skip, start, undo } from "./labeller.js";
import { refreshProgress, showBalance, showPeople, toggleProgress } from "./progress.js";
import { project } from "./project.js";
import { settings } from "./settings.js";

function toggleGuesses() {
  setGuessesVisible(!settings.guesses);
  remark();
}

function openData() {
  toggle("data-sheet");
  if (project.current) listClasses(project.current);
}

/** @type {Record<string, (event: Event) => void>} */
const PERFORM = {
  skip,
  undo,
  history: toggleHistory,
  progress: toggleProgress,
  "new-class": askForClass,
  guesses: toggleGuesses,
  help: () => toggle("help-sheet"),
};
/** Sheets that the key which opened them closes again. */
const CLOSES = { history: "history-sheet", progress: "progress-sheet", help: "help-sheet" };

/** @param {KeyboardEvent} event */
function onKey(event) {
  // Browsers that fill in a form send key events without a key.
  if (!event.key) return;
  const key = keyOf(event);
  // A key held down must not label one example after the other.
  if (event.repeat && key !== null) return;
  const open = document.querySelector("dialog[open]");
  if (isTyping(event.target)) return;
  const action = key === null ? undefined : ACTIONS[key];
  if (open) {
    if (action && CLOSES[action] === open.id) act(event, PERFORM[action]);
  } else if (action) {
    if (!(key === " " && takesSpace(event.target))) act(event, PERFORM[action]);
  } else {
    onPlainKey(event, key);
  }
}

/** @param {KeyboardEvent} event @param {string|null} key */
function onPlainKey(event, key) {
  const label = labelOfKey(key);
  if (label !== undefined) act(event, () => answer(label, event));
  else if (!(event.target instanceof SVGElement) && scrollExample(event.key)) event.preventDefault();
}

/** @param {Event} event @param {(event: Event) => void} perform */
function act(event, perform) {
  event.preventDefault();
  perform(event);
}

/** A button that was clicked would keep the focus and be pressed by the next Space. @param {MouseEvent} event */
function dropFocus(event) {
  const button = event.target instanceof Element ? event.target.closest(".classes button, .actions button") : null;
  const pointed = event.detail > 0;
  if (pointed && button instanceof HTMLElement) button.blur();
}

/** @param {Project} news */
function showTally(news) {
  setText(byId("name"), news.name);
  byId("name").title = news.name;
  document.title = `${news.name}: label`;
  setText(byId("labelled"), news.labelled);
  setText(byId("total"), grouped(news.total));
  byId("share").value = news.total ? news.labelled / news.total : 0;
}

function wirePerson() {
  const [field, hint] = [byId("person"), byId("person-hint")];
  const keep = () => {
    const before = settings.person;
    settings.person = field.value;
    field.value = settings.person;
    hint.hidden = true;
    if (settings.person !== before) refresh();
  };
  /** @type {number|undefined} */
  let labelled;
  // The hint comes with the first example, not before, as a token may be asked for first. Who simply labels has answered it, too.
  project.subscribe((news) => {
    labelled ??= news.labelled;
    if (!settings.named && news.labelled !== labelled) keep();
    else hint.hidden = settings.named;
  });
  field.value = settings.person;
  field.addEventListener("change", keep);
  field.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => event.key === "Enter" && field.blur());
  byId("person-hint-close").addEventListener("click", keep);
}

function wireButtons() {
  for (const id of ["skip", "undo", "history", "new-class", "help"]) byId(id).addEventListener("click", PERFORM[id]);
  byId("progress-open").addEventListener("click", toggleProgress);
  byId("data").addEventListener("click", openData);
  byId("show-guesses").addEventListener("change", toggleGuesses);
  document.addEventListener("click", dropFocus);
  document.addEventListener("keydown", onKey);
}

/** @param {Project} news */
function showProject(news) {
  showTally(news);
  showClasses(news);
  showPeople(news);
  showBalance(news.classes);
  if (byId("data-sheet").open) listClasses(news);
  remark();
}

function main() {
  onLocked(askForToken);
  project.subscribe(showProject);
  wirePerson();
  wireButtons();
  wireDialogs();
  wireForms(refresh);
  onChoose(answer);
  onHistoryChange(() => {
    setText(byId("saved"), "");
    refreshProgress();
    resume();
  });
  onTurn(refreshProgress);
  setGuessesVisible(settings.guesses);
  addEventListener("unhandledrejection", () => showNotice("The page has failed: reload it. Labels that were saved are safe."));
  start();
}

main();
