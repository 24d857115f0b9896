/**
 * The instructions for the people who label: a Markdown file of the owner, of which a safe part is shown (headings, lists, paragraphs,
 * bold, italic and code). It is never inserted as markup.
 */

import { request } from "./api.js";
import { byId, make } from "./dom.js";
import { settings } from "./settings.js";

const INLINE = /(\*\*[^*]+\*\*|\*[^*]+\*|`[^`]+`)/;

/** @param {string} text @returns {(Node|string)[]} */
function inline(text) {
  return text.split(INLINE).map((part) => {
    if (part.length > 4 && part.startsWith("**") && part.endsWith("**")) return make("b", {}, part.slice(2, -2));
    if (part.length > 2 && part.startsWith("*") && part.endsWith("*")) return make("i", {}, part.slice(1, -1));
    if (part.length > 2 && part.startsWith("`") && part.endsWith("`")) return make("code", {}, part.slice(1, -1));
    return part;
  });
}

/** @param {string} block  lines without an empty one between them @returns {Node[]} */
function blockNodes(block) {
  const lines = block.split("\n");
  const heading = /^(#{1,6})\s+(.*)$/.exec(lines[0]);
  if (heading) {
    const rest = lines.slice(1).join("\n").trim();
    const level = Math.min(6, heading[1].length + 2);
    return [make(`h${level}`, {}, ...inline(heading[2])), ...(rest ? blockNodes(rest) : [])];
  }
  const first = lines.findIndex((line) => /^\s*([-*+]|\d+[.)])\s/.test(line));
  if (first > 0) return [...blockNodes(lines.slice(0, first).join("\n")), ...blockNodes(lines.slice(first).join("\n"))];
  if (first < 0) return [make("p", {}, ...inline(lines.join(" ")))];
  const items = block.split(/^\s*(?:[-*+]|\d+[.)])\s+/m).slice(1);
  const kind = /^\s*\d/.test(block) ? "ol" : "ul";
  return [make(kind, {}, ...items.map((item) => make("li", {}, ...inline(item.trim().replace(/\s*\n\s*/g, " ")))))];
}

/** @param {string} text @returns {Node[]} */
export function markdownNodes(text) {
  const blocks = text.replace(/\r\n?/g, "\n").split(/\n\s*\n/);
  return blocks.filter((block) => block.trim()).flatMap((block) => blockNodes(block.replace(/^\n+|\s+$/g, "")));
}

/** Shows the button if there are instructions, and the instructions themselves to people who have not seen them. */
export async function setUpInstructions() {
  const { text, digest } = await request("GET", "instructions");
  byId("instructions").hidden = text === null;
  if (text === null) return;
  byId("instructions-text").replaceChildren(...markdownNodes(text));
  if (settings.instructions === digest) return;
  settings.instructions = digest;
  const sheet = byId("instructions-sheet");
  if (!document.querySelector("dialog[open]")) sheet.showModal();
}
