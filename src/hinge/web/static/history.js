/**
 * The history of labels, newest first, with corrections and deletions.
 *
 * @typedef {import("./api.js").View} View
 * @typedef {object} Entry
 * @property {number|null} row  null if the example is no longer in the pool; its label cannot be changed
 * @property {string} label
 * @property {string} person
 * @property {number|null} seconds
 * @property {string|null} guess
 * @property {string} drawn
 * @property {string} labelled_at
 * @property {string|null} changed_at
 * @property {View|null} view
 */

import { request } from "./api.js";
import { showUndoable } from "./batches.js";
import { byId, counted, grouped, make, nameSpan, setText } from "./dom.js";
import { thumbnail } from "./example.js";
import { project } from "./project.js";

const PAGE_SIZE = 50;
/** Milliseconds before a choice made with arrow keys counts, because they step through a closed list one by one. */
const KEY_DELAY = 600;

let offset = 0;
/** Whether the list is filtered. */
let filtered = false;
/** @type {ReturnType<typeof setTimeout>|undefined} */
let searchTimer;
/** The number of the latest request: older responses are ignored. */
let latestRequest = 0;
/** @type {() => void} */
let afterChange = () => {};

/** @param {() => void} listener  called after a correction or deletion */
export function onHistoryChange(listener) {
  afterChange = listener;
}

/** @param {string} time @returns {string} */
function relativeTime(time) {
  const minutes = Math.round((Date.now() - new Date(time).getTime()) / 60_000);
  if (Number.isNaN(minutes)) return "";
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  const date = new Date(time);
  const today = date.toDateString() === new Date().toDateString();
  return date.toLocaleString([], today ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" });
}

/** @param {number|null|undefined} seconds @returns {string} */
function learningTime(seconds) {
  if (seconds === null || seconds === undefined) return "saved; the model is still learning";
  const milliseconds = seconds * 1000;
  if (milliseconds >= 1000) return `model updated in ${seconds.toFixed(1)} s`;
  return `model updated in ${milliseconds < 1 ? "less than 1" : Math.round(milliseconds)} ms`;
}

/** @param {Entry} entry @returns {HTMLElement[]} */
function details(entry) {
  const exactly = new Date(entry.labelled_at).toLocaleString();
  const time = make("time", { datetime: entry.labelled_at, title: exactly }, relativeTime(entry.labelled_at));
  const parts = [nameSpan(entry.person), time];
  if (typeof entry.seconds === "number") parts.push(make("span", {}, `${entry.seconds.toFixed(1)} s`));
  if (entry.drawn && entry.drawn !== "chosen") parts.push(make("span", {}, entry.drawn));
  if (entry.changed_at) parts.push(changesButton(entry));
  return parts;
}

/** @param {Entry} entry @returns {HTMLElement} a button that shows the earlier labels of a corrected example */
function changesButton(entry) {
  const click = async () => {
    try {
      const { entries } = await request("GET", `events?row=${entry.row}&limit=20`);
      const lines = entries.map((/** @type {any} */ each) => {
        const change = `${each.before ?? "no label"} → ${each.after ?? "no label"}`;
        return make("li", {}, `${new Date(each.at).toLocaleString()}: ${each.person}, ${each.action}, ${change}`);
      });
      button.replaceWith(make("ul", { class: "changes" }, ...lines));
    } catch (error) {
      setText(button, error.message);
    }
  };
  const button = make("button", { type: "button", class: "plain changes-open", click }, "corrected: show changes");
  return button;
}

/** @param {string[]} names @param {string} chosen @returns {HTMLOptionElement[]} */
function options(names, chosen) {
  const all = names.includes(chosen) ? names : [...names, chosen];
  return all.map((name) => make("option", { value: name, selected: name === chosen }, name));
}

/** @returns {string[]} */
function classNames() {
  return project.current?.classes.map((entry) => entry.name) ?? [];
}

/**
 * Sends one change to the server and shows the result beside the entry.
 *
 * @param {HTMLElement} note
 * @param {string} verb
 * @param {() => Promise<any>} change
 * @returns {Promise<boolean>} whether it succeeded
 */
async function attempt(note, verb, change) {
  note.className = "feedback";
  setText(note, "…");
  try {
    const { project: summary, took } = await change();
    project.update(summary);
    setText(note, `${verb}: ${learningTime(took)}`);
    note.classList.add("good");
    afterChange();
    return true;
  } catch (error) {
    setText(note, `not ${verb}: ${error.message}`);
    note.classList.add("error");
    return false;
  }
}

/** @param {Entry} entry @param {HTMLElement} note @param {() => void} done @returns {HTMLSelectElement} */
function labelSelect(entry, note, done) {
  const spoken = `Label of example ${entry.row}`;
  const select = make("select", { class: "correct", title: entry.label, "aria-label": spoken }, ...options(classNames(), entry.label));
  let byKey = false;
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let timer;
  const correct = async () => {
    clearTimeout(timer);
    const label = select.value;
    if (label === entry.label) return;
    const before = entry.label;
    entry.label = label;
    const good = await attempt(note, "corrected", () => request("PUT", `labels/${entry.row}`, { label }));
    if (!good) entry.label = before;
    select.title = entry.label;
    if (good) return done();
    select.value = before;
  };
  select.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => (byKey = event.key !== "Enter"));
  select.addEventListener("pointerdown", () => (byKey = false));
  select.addEventListener("blur", correct);
  select.addEventListener("change", () => {
    clearTimeout(timer);
    if (byKey) timer = setTimeout(correct, KEY_DELAY);
    else correct();
  });
  return select;
}

/** @param {HTMLElement} item  a deleted entry, which stays visible until the list is opened again, but cannot be changed */
function markDeleted(item) {
  const neighbour = item.nextElementSibling ?? item.previousElementSibling;
  item.classList.add("deleted");
  item.removeAttribute("data-row");
  const select = item.querySelector("select");
  select.replaceWith(make("s", {}, select.value));
  item.querySelector("button.delete").remove();
  item.querySelector("input.choose")?.remove();
  /** @type {HTMLElement|null} */ (neighbour?.querySelector("button.delete"))?.focus();
}

/** @param {Entry} entry @returns {HTMLElement} */
function guessNote(entry) {
  const right = entry.guess === entry.label;
  const text = right ? "guessed right" : `guessed ${entry.guess}`;
  return make("span", { class: right ? "guess-note" : "guess-note wrong", title: `The model guessed: ${entry.guess}` }, text);
}

/** @param {Entry} entry @returns {HTMLElement} an entry without controls */
function readOnlyItem(entry) {
  const about = make("p", { class: "about" }, ...details(entry));
  const text = make("div", { class: "entry" }, make("div", { class: "line" }, nameSpan(entry.label)), about);
  return make("li", {}, make("div", { class: "picture" }, thumbnail(null, null)), text);
}

/** @param {Entry} entry @returns {HTMLElement} */
function entryItem(entry) {
  if (entry.row === null || entry.view === null) return readOnlyItem(entry);
  const note = make("p", { class: "feedback", role: "status" });
  const guessResult = make("span", { class: "guess-result" });
  const hasGuess = entry.guess !== null && entry.guess !== undefined;
  const showGuessResult = () => guessResult.replaceChildren(...(hasGuess ? [guessNote(entry)] : []));
  const select = labelSelect(entry, note, showGuessResult);
  const spoken = `Delete the label of example ${entry.row}`;
  const button = make("button", { type: "button", class: "delete", "aria-label": spoken }, "Delete");
  const choose = make("input", { type: "checkbox", class: "choose", "data-owner": true, "aria-label": `Select example ${entry.row}`, change: showSelection });
  const line = make("div", { class: "line" }, choose, select, note, button);
  const item = make(
    "li",
    { "data-row": entry.row },
    make("div", { class: "picture" }, thumbnail(entry.row, entry.view)),
    make("div", { class: "entry" }, line, make("p", { class: "about" }, guessResult, ...details(entry))),
  );
  button.addEventListener("click", async () => {
    button.disabled = true;
    if (await attempt(note, "deleted", () => request("DELETE", `labels/${entry.row}`, {}))) markDeleted(item);
    else button.disabled = false;
  });
  showGuessResult();
  return item;
}

/** @param {number} total @param {number} count */
function showRange(total, count) {
  const range = `${grouped(offset + 1)} to ${grouped(offset + count)} of ${grouped(total)}`;
  setText(byId("history-range"), count ? range : "");
  setText(byId("history-note"), total ? "" : filtered ? "No label passes the filter." : "There are no labels yet.");
  byId("newer").disabled = offset === 0;
  byId("older").disabled = offset + count >= total;
}

async function load() {
  const number = ++latestRequest;
  const query = new URLSearchParams({ offset: String(offset), limit: String(PAGE_SIZE) });
  for (const name of ["label", "person", "text"]) {
    const { value } = byId(`filter-${name}`);
    if (value !== "") query.set(name, value);
  }
  const doubted = byId("filter-doubted").checked;
  if (doubted) query.set("doubted", "true");
  filtered = query.size > 2;
  try {
    const { total, entries } = await request("GET", `history?${query}`);
    if (number !== latestRequest) return;
    byId("history-list").replaceChildren(...entries.map(entryItem));
    byId("history-list").scrollTop = 0;
    showRange(total, entries.length);
    byId("select-all").checked = false;
    showSelection();
  } catch (error) {
    if (number === latestRequest) setText(byId("history-note"), `The history cannot be loaded: ${error.message}`);
  }
}

/** @param {string} id @param {string} all @param {string[]} names */
function fillFilter(id, all, names) {
  const select = byId(id);
  const chosen = names.includes(select.value) ? select.value : "";
  select.replaceChildren(make("option", { value: "" }, all), ...names.map((name) => make("option", { value: name }, name)));
  select.value = chosen;
}

/** @returns {number[]} */
function selectedRows() {
  const boxes = [...byId("history-list").querySelectorAll("input.choose:checked")];
  return boxes.map((box) => Number(box.closest("li").dataset.row));
}

function showSelection() {
  const rows = selectedRows();
  const options = classNames().map((name) => make("option", { value: name }, name));
  byId("bulk-label").replaceChildren(make("option", { value: "" }, rows.length ? `for ${counted(rows.length, "label")}` : "choose"), ...options);
  byId("bulk-label").disabled = rows.length === 0;
  byId("bulk-delete").disabled = rows.length === 0;
}

/** @param {string|null} label  null deletes the labels of the selected examples */
async function changeSelected(label) {
  const [rows, note] = [selectedRows(), byId("bulk-note")];
  if (rows.length === 0) return;
  try {
    const { batch, project: summary } = await request("POST", "labels", { rows, label });
    project.update(summary);
    const done = label === null ? `Deleted: ${counted(rows.length, "label")}.` : `Changed to ${label}: ${counted(rows.length, "label")}.`;
    const again = () => {
      afterChange();
      reload();
    };
    showUndoable(note, done, batch, again);
    again();
  } catch (error) {
    setText(note, `Nothing was changed: ${error.message}`);
  }
}

function reload() {
  offset = 0;
  return load();
}

export function toggleHistory() {
  const sheet = byId("history-sheet");
  if (sheet.open) return sheet.close();
  fillFilter("filter-label", "all", classNames());
  setText(byId("bulk-note"), "");
  fillFilter("filter-person", "everybody", project.current?.people.map((person) => person.name) ?? []);
  sheet.showModal();
  return reload();
}

/** Moves the focus between the delete buttons with the arrow keys. @param {KeyboardEvent} event */
function moveFocus(event) {
  const item = event.target instanceof Element && event.target.matches("button.delete") ? event.target.closest("li") : null;
  const next = { ArrowDown: item?.nextElementSibling, ArrowUp: item?.previousElementSibling }[event.key];
  if (!next) return;
  event.preventDefault();
  /** @type {HTMLElement|null} */ (next.querySelector("button.delete"))?.focus();
}

function turnPage(/** @type {number} */ pages) {
  offset = Math.max(0, offset + pages * PAGE_SIZE);
  return load();
}

byId("filter-label").addEventListener("change", reload);
byId("filter-person").addEventListener("change", reload);
byId("filter-doubted").addEventListener("change", reload);
byId("filter-text").addEventListener("input", () => {
  clearTimeout(searchTimer);
  searchTimer = setTimeout(reload, KEY_DELAY / 2);
});
byId("select-all").addEventListener("change", () => {
  const { checked } = byId("select-all");
  for (const box of byId("history-list").querySelectorAll("input.choose")) box.checked = checked;
  showSelection();
});
byId("bulk-label").addEventListener("change", () => byId("bulk-label").value && changeSelected(byId("bulk-label").value));
byId("bulk-delete").addEventListener("click", () => changeSelected(null));
byId("newer").addEventListener("click", () => turnPage(-1));
byId("older").addEventListener("click", () => turnPage(1));
byId("history-list").addEventListener("keydown", moveFocus);
