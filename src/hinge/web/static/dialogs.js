/**
 * The dialogs for a new class, the token, classes and data, and help.
 */

import { login, request } from "./api.js";
import { byId, setText } from "./dom.js";
import { exportLinks } from "./export.js";
import { setUpImport } from "./imports.js";
import { project } from "./project.js";

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

/** @param {() => void} onImport  called after labels may have been imported */
export function setUpForms(onImport) {
  byId("export").replaceChildren(...exportLinks());
  byId("class-form").addEventListener("submit", addClass);
  setUpImport(onImport);
}
