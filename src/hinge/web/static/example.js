/**
 * The example on screen. What is to be shown is made ready first (pictures loaded and painted) and put into the page in one step, so
 * that nothing flashes or moves.
 *
 * @typedef {import("./api.js").Example} Example
 * @typedef {import("./api.js").ImageView} ImageView
 * @typedef {import("./api.js").View} View
 */

import { imageAddress } from "./api.js";
import { byId, make } from "./dom.js";

/** Pictures kept ready: those asked for soon and a few to go back to. */
const KEPT = 12;
const PATIENCE = 15_000;
/** Up to this side an image is drawn with square pixels: smoothing would hide what there is to see. */
const PIXEL_ART = 96;
/** Images grow at most this much: tiny ones are easier to read when they do not fill the screen, larger ones would only blur. */
const TINY_GROWTH = 44;
const GROWTH = 3;

/** @type {Map<number, Promise<HTMLCanvasElement>>} in the order of use, the oldest first */
const pictures = new Map();

/** @param {number} row @param {"high"|"low"} priority @returns {Promise<Blob>} */
async function fetched(row, priority) {
  const response = await fetch(imageAddress(row), { priority, signal: AbortSignal.timeout(PATIENCE) });
  if (!response.ok) throw new Error(`image ${row}: status ${response.status}`);
  return response.blob();
}

/** @param {string} data @returns {Blob} */
function unpacked(data) {
  return new Blob([Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))]);
}

/**
 * Pictures are drawn on a canvas: an image element decodes along with the frames of the screen, one or two of them late, and could not
 * show a picture that came with the example, since the page may show only images that have an address on the server.
 *
 * @param {number} row
 * @param {Blob} file
 * @returns {Promise<HTMLCanvasElement>}
 */
async function painting(row, file) {
  const bitmap = await createImageBitmap(file);
  const canvas = make("canvas", { role: "img", "aria-label": `Example ${row}`, width: bitmap.width, height: bitmap.height });
  canvas.getContext("2d").drawImage(bitmap, 0, 0);
  bitmap.close();
  return canvas;
}

/** @param {number} row @param {() => Blob|Promise<Blob>} file @returns {Promise<HTMLCanvasElement>} */
function pictureOf(row, file) {
  const picture = pictures.get(row) ?? Promise.resolve(file()).then((blob) => painting(row, blob));
  pictures.delete(row);
  pictures.set(row, picture);
  // A picture that failed is asked for anew the next time.
  picture.catch(() => pictures.delete(row));
  if (pictures.size > KEPT) pictures.delete(pictures.keys().next().value);
  return picture;
}

/** @param {number[]} rows  likely next rows of a pool of images */
export function prefetch(rows) {
  for (const row of rows.slice(0, KEPT / 2)) pictureOf(row, () => fetched(row, "low"));
}

/** @param {Example} example @param {ImageView} view @returns {Promise<HTMLElement>} */
async function imageNode({ row }, view) {
  const picture = await pictureOf(row, () => (view.data ? unpacked(view.data) : fetched(row, "high")));
  const tiny = isTiny(view);
  const growth = tiny ? TINY_GROWTH : GROWTH;
  picture.classList.toggle("pixels", tiny);
  picture.style.maxWidth = `${view.width * growth}px`;
  picture.style.maxHeight = `${view.height * growth}px`;
  return picture;
}

/** @param {ImageView} view @returns {boolean} */
function isTiny(view) {
  return Math.max(view.width, view.height) <= PIXEL_ART;
}

/** @param {string} text @returns {HTMLElement} */
function textNode(text) {
  return make("div", { class: `text ${text.length < 160 ? "short" : ""}`, dir: "auto" }, text);
}

/** @param {[string, any][]} cells @returns {HTMLElement} */
function tableNode(cells) {
  const rows = cells.map(([column, value]) =>
    make("tr", {}, make("th", { scope: "row", dir: "auto" }, String(column)), cellNode(value)),
  );
  return make("table", { class: "cells" }, make("tbody", {}, ...rows));
}

/** @param {any} value @returns {HTMLElement} */
function cellNode(value) {
  const text = value === null || value === undefined ? "" : String(value);
  const number = text !== "" && Number.isFinite(Number(text));
  return text === "" ? make("td", { class: "empty" }, "empty") : make("td", { class: number ? "number" : "", dir: "auto" }, text);
}

/**
 * @param {Example} example
 * @returns {Promise<Node>} what shows it; rejects when the image cannot be had
 */
export async function prepare(example) {
  const { view } = example;
  if (view.kind === "image") return imageNode(example, view);
  return view.kind === "text" ? textNode(view.text) : tableNode(view.cells);
}

/** @param {string} kind @param {Node} node */
export function mount(kind, node) {
  const place = byId("example");
  place.dataset.kind = kind;
  place.replaceChildren(node);
  place.scrollTop = 0;
}

/**
 * What stands in the place of an example.
 *
 * @param {string} title
 * @param {string} text
 * @param {...Node} more  what can be done about it
 * @returns {HTMLElement}
 */
export function messageNode(title, text, ...more) {
  return make("div", { class: "message" }, make("h2", {}, title), make("p", {}, text), ...more);
}

/**
 * A small picture of an example for lists.
 *
 * @param {number|null} row
 * @param {View|null} view  null for an example that is no longer in the pool
 * @returns {HTMLElement}
 */
export function thumbnail(row, view) {
  if (row === null || view === null) return make("p", { class: "excerpt" }, "No longer in the pool");
  if (view.kind === "image") {
    const kind = isTiny(view) ? "thumbnail pixels" : "thumbnail";
    return make("img", { class: kind, loading: "lazy", width: 56, height: 56, alt: `Example ${row}`, src: imageAddress(row) });
  }
  const cells = view.kind === "table" ? view.cells.slice(0, 6).map(([column, value]) => `${column} ${value ?? ""}`) : [view.text];
  return make("p", { class: "excerpt", dir: "auto" }, cells.join(" · ").slice(0, 240));
}

/**
 * Arrow keys scroll a long example wherever the focus is.
 *
 * @param {string} key
 * @returns {boolean} whether the key was one of these
 */
export function scrollExample(key) {
  const place = byId("example");
  const steps = { ArrowDown: 60, ArrowUp: -60, PageDown: place.clientHeight * 0.9, PageUp: place.clientHeight * -0.9 };
  if (!(key in steps) || place.scrollHeight <= place.clientHeight) return false;
  place.scrollBy({ top: steps[key] });
  return true;
}
