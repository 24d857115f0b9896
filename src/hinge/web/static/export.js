/**
 * Files to take away. They are fetched by script, so that a refusal can be said; the addresses stay for those who copy a link.
 */

import { requestFile } from "./api.js";
import { make, setText } from "./dom.js";

const FILES = {
  "labels.csv": "Labels as CSV",
  "labels.parquet": "Labels as Parquet",
  "labels.svm": "Labels as svmlight",
  "model.hinge": "Model",
};
/** Until then the browser has surely begun to save. */
const KEPT = 60_000;

/** @param {Blob} blob @param {string} name */
function save(blob, name) {
  const href = URL.createObjectURL(blob);
  make("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), KEPT);
}

/** @param {string} name @param {HTMLElement} note  where to say what came of it */
async function fetchFile(name, note) {
  note.className = "fine";
  setText(note, "Preparing …");
  try {
    save(await requestFile(`export/${name}`), name);
    setText(note, "");
  } catch (error) {
    note.className = "error";
    setText(note, error.message);
  }
}

/** @param {string} name @param {HTMLElement} note @returns {HTMLAnchorElement} */
function linkTo(name, note) {
  const click = (/** @type {MouseEvent} */ event) => {
    // In a new tab or window the browser goes there by itself.
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    fetchFile(name, note);
  };
  return make("a", { href: `api/export/${name}`, download: name, click }, FILES[name]);
}

/** @param {string[]} [names] @returns {HTMLElement[]} the links, and the line below them */
export function exportLinks(names = Object.keys(FILES)) {
  const note = make("p", { class: "fine", role: "status", "aria-live": "polite" });
  return [make("p", { class: "links" }, ...names.map((name) => linkTo(name, note))), note];
}
