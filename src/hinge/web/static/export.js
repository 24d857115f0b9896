/**
 * Links to export files. A script fetches the files, so that errors can be shown; the addresses remain for people who copy a link.
 */

import { requestFile } from "./api.js";
import { make, setText } from "./dom.js";

const FILES = {
  "labels.csv": "Labels as CSV",
  "labels.parquet": "Labels as Parquet",
  "labels.svm": "Labels as svmlight",
  "agreement.csv": "What each person said",
  "history.csv": "History of changes",
  "predictions.csv": "Predictions as CSV",
  "predictions.jsonl": "Predictions as JSON lines",
  "predictions.parquet": "Predictions as Parquet",
  "model.hinge": "Model",
};
/** Milliseconds after which the browser has certainly started to save the file. */
const URL_LIFETIME = 60_000;

/** @param {Blob} blob @param {string} name */
function save(blob, name) {
  const href = URL.createObjectURL(blob);
  make("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), URL_LIFETIME);
}

/** @param {string} name @param {HTMLElement} note  shows progress and errors */
async function fetchFile(name, note) {
  note.className = "fine";
  setText(note, "Preparing…");
  try {
    save(await requestFile(`export/${name}`), name);
    setText(note, "");
  } catch (error) {
    note.className = "error";
    setText(note, error.message);
  }
}

/** @param {string} name @param {HTMLElement} note @returns {HTMLAnchorElement} */
function fileLink(name, note) {
  const click = (/** @type {MouseEvent} */ event) => {
    // The browser opens the link in a new tab or window itself.
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    fetchFile(name, note);
  };
  return make("a", { href: `api/export/${name}`, download: name, click }, FILES[name]);
}

/** @param {string[]} [names] @returns {HTMLElement[]} the links, and a note below them */
export function exportLinks(names = Object.keys(FILES)) {
  const note = make("p", { class: "fine", role: "status", "aria-live": "polite" });
  return [make("p", { class: "links" }, ...names.map((name) => fileLink(name, note))), note];
}
