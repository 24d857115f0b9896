/**
 * The dialogs for a new class, the token, classes and data, and help.
 *
 * @typedef {import("./api.js").Project} Project
 */

import { login, request } from "./api.js";
import { byId, counted, make, nameSpan, setText, span } from "./dom.js";
import { exportLinks } from "./export.js";
import { project } from "./project.js";

const MAX_IMPORT_BYTES = 20_000_000;

/** @param {string} id */
export function toggle(id) {
  const dialog = byId(id);
  if (dialog.open) dialog.close();
  else dialog.showModal();
}

/** Closes dialogs by their close buttons and by a click beside them. */
export function setUpDialogs() {
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.querySelectorAll(".close").forEach((button) => button.addEventListener("click", () => dialog.close()));
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog && dialog.id !== "token-dialog") dialog.close();
    });
  }
}

export function askForClass() {
  byId("class-name").value = "";
  setText(byId("class-error"), "");
  byId("class-dialog").showModal();
}

/** @param {SubmitEvent} event */
async function addClass(event) {
  event.preventDefault();
  const name = byId("class-name").value.trim();
  if (name === "") return;
  try {
    const { project: summary } = await request("POST", "classes", { name });
    project.update(summary);
    byId("class-dialog").close();
  } catch (error) {
    setText(byId("class-error"), error.message);
  }
}

/**
 * @returns {Promise<void>} resolves when the server has accepted a token
 */
export function askForToken() {
  const [dialog, field] = [byId("token-dialog"), byId("token")];
  field.value = "";
  setText(byId("token-error"), "");
  dialog.showModal();
  // Nothing works without a token, so Escape must not hide the dialog.
  dialog.onclose = () => dialog.showModal();
  return new Promise((resolve) => {
    byId("token-form").onsubmit = async (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      if (!(await tryToken(field.value.trim()))) return field.select();
      dialog.onclose = null;
      dialog.close();
      resolve();
    };
  });
}

/** @param {string} token @returns {Promise<boolean>} */
async function tryToken(token) {
  try {
    const good = await login(token);
    setText(byId("token-error"), good ? "" : "This token is wrong.");
    return good;
  } catch (error) {
    setText(byId("token-error"), error.message);
    return false;
  }
}

/** @param {string} name @param {HTMLButtonElement} button */
async function removeClass(name, button) {
  button.disabled = true;
  setText(byId("remove-error"), "");
  try {
    const { project: summary } = await request("DELETE", "classes", { name });
    project.update(summary);
  } catch (error) {
    button.disabled = false;
    setText(byId("remove-error"), `${name} was not removed: ${error.message}`);
  }
}

/** @param {Project} summary */
export function listClasses(summary) {
  const items = summary.classes.map(({ name, count }) => {
    const click = () => removeClass(name, button);
    const button = make("button", { type: "button", "aria-label": `Remove ${name}`, click }, "Remove");
    return make("li", {}, nameSpan(name), count ? span("share", counted(count, "label")) : button);
  });
  byId("class-list").replaceChildren(...items);
}

/** @param {File} file @returns {Promise<string>} a message about the result */
async function importFile(file) {
  if (file.size > MAX_IMPORT_BYTES) return "The file is larger than 20 MB: split it.";
  try {
    const { new: fresh, changed, same, project: summary } = await request("POST", "import", file, "text/csv");
    project.update(summary);
    return `Imported: ${fresh} new, ${changed} changed, ${same} unchanged.`;
  } catch (error) {
    return `Not imported: ${error.message}`;
  }
}

/** @param {() => void} onImport  called after labels may have been imported */
export function setUpForms(onImport) {
  byId("export").replaceChildren(...exportLinks());
  byId("class-form").addEventListener("submit", addClass);
  byId("import").addEventListener("change", async (/** @type {Event} */ event) => {
    const field = /** @type {HTMLInputElement} */ (event.target);
    const file = field.files?.[0];
    if (!file) return;
    setText(byId("import-note"), "Importing…");
    setText(byId("import-note"), await importFile(file));
    // Allows choosing the same file again, for example after correcting it.
    field.value = "";
    onImport();
  });
}
