/**
 * Importing labels: first a preview of what would change, then the import, which can be undone.
 */

import { request } from "./api.js";
import { showUndoable } from "./batches.js";
import { button, byId, counted, make, setText } from "./dom.js";
import { project } from "./project.js";

const MAX_IMPORT_BYTES = 20_000_000;

/**
 * @param {any} preview
 * @returns {Node[]} sentences about what the import would do
 */
function previewNodes(preview) {
  const { new: added, changed, same, people, examples } = preview;
  const parts = [make("p", {}, `${counted(added, "new label")}, ${counted(changed, "changed label")}, ${same} unchanged.`)];
  if (changed > 0) {
    const names = people.map((/** @type {any} */ each) => `${each.count} by ${each.name}`).join(", ");
    parts.push(make("p", { class: "warning" }, `It replaces existing labels: ${names}.`));
    const items = examples.map((/** @type {any} */ each) => make("li", {}, `example ${each.row}: ${each.before} → ${each.after}`));
    parts.push(make("details", {}, make("summary", {}, "Examples"), make("ul", { class: "fine" }, ...items)));
  }
  return parts;
}

/** @param {File} file @param {() => void} onImport */
async function preview(file, onImport) {
  const [place, note] = [byId("import-preview"), byId("import-note")];
  place.hidden = true;
  if (file.size > MAX_IMPORT_BYTES) return setText(note, "The file is larger than 20 MB: split it.");
  setText(note, "Reading…");
  try {
    const found = await request("POST", "import?preview=true", file, "text/csv");
    setText(note, found.new + found.changed ? "" : "The file changes nothing.");
    if (found.new + found.changed === 0) return;
    const close = () => (place.hidden = true);
    const run = () => {
      close();
      importFile(file, onImport);
    };
    const start = make("button", { type: "button", class: "primary", id: "import-start", click: run }, "Import");
    const choices = make("div", { class: "choices" }, start, button("Cancel", close));
    place.replaceChildren(...previewNodes(found), choices);
    place.hidden = false;
    start.focus();
  } catch (error) {
    setText(note, `The file cannot be imported: ${error.message}`);
  }
}

/** @param {File} file @param {() => void} onImport */
async function importFile(file, onImport) {
  const note = byId("import-note");
  setText(note, "Importing…");
  try {
    const { new: added, changed, same, batch, project: summary } = await request("POST", "import", file, "text/csv");
    project.update(summary);
    showUndoable(note, `Imported: ${added} new, ${changed} changed, ${same} unchanged.`, batch, onImport);
  } catch (error) {
    setText(note, `Not imported: ${error.message}`);
  }
  onImport();
}

/** @param {() => void} onImport  called after labels may have been imported */
export function setUpImport(onImport) {
  byId("import").addEventListener("change", async (/** @type {Event} */ event) => {
    const field = /** @type {HTMLInputElement} */ (event.target);
    const file = field.files?.[0];
    if (!file) return;
    await preview(file, onImport);
    // Allows choosing the same file again, for example after correcting it.
    field.value = "";
  });
}
