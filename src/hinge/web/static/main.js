/**
 * The entry point of the page: connects keys, buttons and requests.
 *
 * @typedef {import("./api.js").Project} Project
 */

import { onDecision, openTeam } from "./agreement.js";
import { onTokenRequired } from "./api.js";
import { showNotice } from "./banner.js";
import { findClass, labelOfKey, onClassClick, showClasses } from "./classes.js";
import { listClasses, listKeptAside } from "./class-editor.js";
import { askForClass, askForToken, setUpDialogs, setUpForms, toggle } from "./dialogs.js";
import { byId, grouped, setText } from "./dom.js";
import { scrollExample } from "./example.js";
import { setGuessesVisible } from "./guesses.js";
import { onHistoryChange, toggleHistory } from "./history.js";
import { setUpInstructions } from "./instructions.js";
import { ACTIONS, isCharacterKey, isTyping, keyOf } from "./keys.js";
import { addLabel, onShow, refresh, resume, skip, start, undo, updateMarks } from "./labelling.js";
import { refreshProgress, showBalance, showPeople, toggleProgress } from "./progress.js";
import { project } from "./project.js";
import { onReviewChange, toggleReview } from "./review.js";
import { settings } from "./settings.js";
import { showRole } from "./team.js";

function toggleGuesses() {
  setGuessesVisible(!settings.guesses);
  updateMarks();
}

function openData() {
  toggle("data-sheet");
  if (!project.current) return;
  listClasses(project.current);
  listKeptAside(project.current);
}

/** @type {Record<string, (event: Event) => void>} */
const HANDLERS = {
  skip,
  undo,
  history: toggleHistory,
  progress: toggleProgress,
  "new-class": askForClass,
  guesses: toggleGuesses,
  help: () => toggle("help-sheet"),
  "find-class": findClass,
  review: toggleReview,
  instructions: () => toggle("instructions-sheet"),
};
/** Dialogs that are closed by the same key that opens them. */
const TOGGLED_DIALOGS = { history: "history-sheet", progress: "progress-sheet", help: "help-sheet", review: "review-sheet", instructions: "instructions-sheet" };

/** @param {KeyboardEvent} event */
function onKey(event) {
  // Browsers send key events without a key when they fill in a form.
  if (!event.key) return;
  const key = keyOf(event);
  // A key held down must not label several examples.
  if (event.repeat && key !== null) return;
  const open = document.querySelector("dialog[open]");
  if (isTyping(event.target) && !key?.startsWith("alt ")) return;
  if (key !== null && isCharacterKey(key) && !settings.characterKeys) return;
  const action = key === null ? undefined : ACTIONS[key];
  if (open) {
    if (action && TOGGLED_DIALOGS[action] === open.id) handle(event, HANDLERS[action]);
  } else if (action && HANDLERS[action]) {
    handle(event, HANDLERS[action]);
  } else {
    onClassOrScrollKey(event, key);
  }
}

/** @param {KeyboardEvent} event @param {string|null} key */
function onClassOrScrollKey(event, key) {
  const label = labelOfKey(key);
  if (label !== undefined) handle(event, () => addLabel(label, event));
  else if (!(event.target instanceof SVGElement) && !pressesTarget(event) && scrollExample(event)) event.preventDefault();
}

/** Space presses a focused button, so it must not also scroll. @param {KeyboardEvent} event @returns {boolean} */
function pressesTarget(event) {
  // A button keeps the focus for a moment after its dialog has closed, but cannot be pressed any more.
  if (event.key !== " " || !(event.target instanceof HTMLElement) || event.target.closest("dialog:not([open])")) return false;
  return event.target.matches("button, a, summary, input");
}

/** @param {Event} event @param {(event: Event) => void} handler */
function handle(event, handler) {
  event.preventDefault();
  handler(event);
}

/** Removes the focus from a clicked button, which the next Space would press again. @param {MouseEvent} event */
function blurClickedButton(event) {
  const button = event.target instanceof Element ? event.target.closest(".classes button, .actions button") : null;
  const isPointer = event.detail > 0;
  if (isPointer && button instanceof HTMLElement) button.blur();
}

/** @param {Project} summary */
function showCounts(summary) {
  setText(byId("name"), summary.name);
  byId("name").title = summary.name;
  document.title = `${summary.name} – labelling`;
  setText(byId("labelled"), summary.labelled);
  setText(byId("total"), grouped(summary.total));
  byId("share").value = summary.total ? summary.labelled / summary.total : 0;
}

function setUpPerson() {
  const [field, hint] = [byId("person"), byId("person-hint")];
  const save = () => {
    const before = settings.person;
    settings.person = field.value;
    field.value = settings.person;
    hint.hidden = true;
    if (settings.person !== before) refresh();
  };
  /** @type {number|undefined} */
  let labelled;
  // The hint appears with the first example, because a token may be required first. Labelling dismisses it.
  project.subscribe((summary) => {
    labelled ??= summary.labelled;
    if (!settings.named && summary.labelled !== labelled) save();
    else hint.hidden = settings.named;
  });
  field.value = settings.person;
  field.addEventListener("change", save);
  field.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => event.key === "Enter" && field.blur());
  byId("person-hint-close").addEventListener("click", save);
}

function setUpButtons() {
  for (const id of ["skip", "undo", "history", "new-class", "help", "instructions"]) byId(id).addEventListener("click", HANDLERS[id]);
  byId("progress-open").addEventListener("click", toggleProgress);
  byId("data").addEventListener("click", openData);
  byId("review-open").addEventListener("click", toggleReview);
  byId("team-open").addEventListener("click", openTeam);
  byId("show-guesses").addEventListener("change", toggleGuesses);
  const keys = byId("character-keys");
  const showKeys = () => document.body.classList.toggle("no-character-keys", !settings.characterKeys);
  keys.checked = settings.characterKeys;
  keys.addEventListener("change", () => {
    settings.characterKeys = keys.checked;
    showKeys();
  });
  showKeys();
  document.addEventListener("click", blurClickedButton);
  document.addEventListener("keydown", onKey);
}

/** @param {Project} summary */
function showProject(summary) {
  showCounts(summary);
  showClasses(summary);
  showPeople(summary);
  showBalance(summary.classes);
  if (byId("data-sheet").open) listClasses(summary);
  updateMarks();
}

function main() {
  onTokenRequired(askForToken);
  project.subscribe(showProject);
  setUpPerson();
  setUpButtons();
  setUpDialogs();
  setUpForms(refresh);
  onClassClick(addLabel);
  const afterReview = () => {
    setText(byId("saved"), "");
    refreshProgress();
    resume();
  };
  onHistoryChange(afterReview);
  onReviewChange(afterReview);
  onDecision(afterReview);
  onShow(refreshProgress);
  setGuessesVisible(settings.guesses);
  addEventListener("unhandledrejection", () => showNotice("The page failed: reload it. Saved labels are safe."));
  begin();
}

/** The role comes first: an invited person has another name. If the server does not respond, `start` says so. */
async function begin() {
  await showRole().catch(() => {});
  await start();
  setUpInstructions().catch(() => {});
}

main();
