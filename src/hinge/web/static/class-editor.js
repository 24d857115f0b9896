/**
 * The list of classes with their names and letters, and the labels kept aside.
 *
 * @typedef {import("./api.js").Project} Project
 * @typedef {import("./api.js").ClassCount} ClassCount
 */

import { request } from "./api.js";
import { showUndoable } from "./batches.js";
import { byId, counted, make, nameSpan, setText, span } from "./dom.js";
import { project } from "./project.js";

/** @param {string} problem @param {() => Promise<any>} change @returns {Promise<boolean>} */
async function attempt(problem, change) {
  setText(byId("remove-error"), "");
  try {
    const { project: summary } = await change();
    project.update(summary);
    return true;
  } catch (error) {
    setText(byId("remove-error"), `${problem}: ${error.message}`);
    return false;
  }
}

/** @param {string} name @param {HTMLInputElement} field */
async function rename(name, field) {
  const wanted = field.value.trim();
  const exists = project.current?.classes.some((each) => each.name === wanted);
  if (wanted === "" || wanted === name) return void (field.value = name);
  const merge = Boolean(exists) && confirm(`Give all labels of "${name}" to the existing class "${wanted}"? The class "${name}" then is gone.`);
  if (exists && !merge) return void (field.value = name);
  const body = { name, new_name: wanted, merge };
  if (!(await attempt(`${name} was not renamed`, () => request("PUT", "classes", body)))) field.value = name;
}

/** @param {ClassCount} entry @returns {HTMLElement} */
function classItem({ name, count, letter }) {
  const field = make("input", { value: name, maxlength: 100, "aria-label": `Name of the class ${name}`, autocomplete: "off", dir: "auto" });
  field.addEventListener("change", () => rename(name, field));
  const key = make("input", { value: letter ?? "", maxlength: 1, size: 1, class: "letter", "aria-label": `Letter of ${name}`, placeholder: "key" });
  key.addEventListener("change", async () => {
    const wanted = key.value.trim().toLowerCase() || null;
    const good = await attempt("The key was not changed", () => request("PUT", "classes/letter", { name, letter: wanted }));
    if (!good) key.value = letter ?? "";
  });
  const remove = () => attempt(`${name} was not removed`, () => request("DELETE", "classes", { name }));
  const last = count
    ? span("share", counted(count, "label"))
    : make("button", { type: "button", "aria-label": `Remove ${name}`, click: remove }, "Remove");
  return make("li", {}, field, key, last);
}

/** @param {Project} summary */
export function listClasses(summary) {
  const list = byId("class-list");
  // A name that is being typed must not be replaced.
  if (list.contains(document.activeElement) && document.activeElement instanceof HTMLInputElement) return;
  list.replaceChildren(...summary.classes.map(classItem));
}

/** @param {Project} summary */
export async function listKeptAside(summary) {
  byId("kept-aside").hidden = !summary.kept_aside && byId("kept-aside-note").textContent === "";
  if (!summary.kept_aside) return byId("kept-aside-list").replaceChildren();
  const { entries } = await request("GET", "kept-aside");
  const items = entries.map((/** @type {any} */ each) => make("li", {}, nameSpan(each.key), span("share", each.label)));
  byId("kept-aside-list").replaceChildren(...items);
}

async function deleteKeptAside() {
  const note = byId("kept-aside-note");
  try {
    const { entries } = await request("GET", "kept-aside");
    const keys = entries.map((/** @type {any} */ each) => each.key);
    const { batch, project: summary } = await request("DELETE", "kept-aside", { keys: keys.slice(0, 5000) });
    const again = () => project.current && listKeptAside(project.current);
    showUndoable(note, `Deleted: ${counted(Math.min(keys.length, 5000), "label")}.`, batch, again);
    project.update(summary);
    await listKeptAside(summary);
  } catch (error) {
    setText(note, `Not deleted: ${error.message}`);
  }
}

byId("kept-aside-delete").addEventListener("click", deleteKeptAside);
byId("class-list").addEventListener("focusout", () => setTimeout(() => project.current && listClasses(project.current), 100));
