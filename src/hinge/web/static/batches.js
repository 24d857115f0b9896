/**
 * Undoing changes of many labels: imports, bulk changes, deleted labels that were kept aside.
 */

import { request } from "./api.js";
import { button, counted, setText } from "./dom.js";
import { project } from "./project.js";

/**
 * Shows what was done, with a button that undoes it.
 *
 * @param {HTMLElement} note
 * @param {string} text
 * @param {string|null} batch  null if nothing was changed
 * @param {() => void} afterUndo
 */
export function showUndoable(note, text, batch, afterUndo) {
  setText(note, text);
  if (batch === null) return;
  const undo = button("Undo", async () => {
    undo.disabled = true;
    try {
      const { restored, kept, project: summary } = await request("POST", `batches/${batch}/revert`, {});
      project.update(summary);
      const others = kept ? ` ${counted(kept, "label", "labels")} changed since then and stay as they are.` : "";
      setText(note, `Undone: ${counted(restored, "label")} restored.${others}`);
      afterUndo();
    } catch (error) {
      undo.disabled = false;
      note.append(` Not undone: ${error.message}`);
    }
  });
  note.append(" ", undo);
}
