/**
 * The example on the screen. It is prepared completely (images loaded and drawn) and then added to the page in one step, so that
 * nothing flickers or moves.
 *
 * @typedef {import("./api.js").Example} Example
 * @typedef {import("./api.js").ImageView} ImageView
 * @typedef {import("./api.js").View} View
 */

import { imageAddress } from "./api.js";
import { byId, make } from "./dom.js";

/** Cached images: those needed soon and a few recent ones. */
const MAX_IMAGES = 12;
const TIMEOUT = 15_000;
/** Images of at most this side are drawn with square pixels, because smoothing would hide details. */
const MAX_TINY_SIDE = 96;
/** Maximum magnification: tiny images are easier to read if they do not fill the screen, larger ones would only blur. */
const MAX_TINY_ZOOM = 44;
const MAX_ZOOM = 3;

/** @type {Map<number, Promise<HTMLCanvasElement>>} least recently used first */
const images = new Map();

/** @param {number} row @param {"high"|"low"} priority @returns {Promise<Blob>} */
async function fetchImage(row, priority) {
  const response = await fetch(imageAddress(row), { priority, signal: AbortSignal.timeout(TIMEOUT) });
  if (!response.ok) throw new Error(`image ${row}: status ${response.status}`);
  return response.blob();
}

/** @param {string} data @returns {Blob} */
function decodeBase64(data) {
  return new Blob([Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))]);
}

/**
 * Images are drawn on a canvas: an image element decodes one or two frames late, and could not show an image that was sent with the
 * example, because the content security policy only allows images with an address on the server.
 *
 * @param {number} row
 * @param {Blob} file
 * @returns {Promise<HTMLCanvasElement>}
 */
async function drawImage(row, file) {
  const bitmap = await createImageBitmap(file);
  const canvas = make("canvas", { role: "img", "aria-label": `Example ${row}`, width: bitmap.width, height: bitmap.height });
  canvas.getContext("2d").drawImage(bitmap, 0, 0);
  bitmap.close();
  return canvas;
}

/** @param {number} row @param {() => Blob|Promise<Blob>} file @returns {Promise<HTMLCanvasElement>} */
function loadImage(row, file) {
  const image = images.get(row) ?? Promise.resolve(file()).then((blob) => drawImage(row, blob));
  images.delete(row);
  images.set(row, image);
  // A failed image is requested again the next time.
  image.catch(() => images.delete(row));
  if (images.size > MAX_IMAGES) images.delete(images.keys().next().value);
  return image;
}

/** @param {number[]} rows  likely next rows of a pool of images */
export function prefetch(rows) {
  for (const row of rows.slice(0, MAX_IMAGES / 2)) loadImage(row, () => fetchImage(row, "low"));
}

/** @param {Example} example @param {ImageView} view @returns {Promise<HTMLElement>} */
async function imageNode({ row }, view) {
  const image = await loadImage(row, () => (view.data ? decodeBase64(view.data) : fetchImage(row, "high")));
  const tiny = isTiny(view);
  const zoom = tiny ? MAX_TINY_ZOOM : MAX_ZOOM;
  image.classList.toggle("pixels", tiny);
  image.style.maxWidth = `${view.width * zoom}px`;
  image.style.maxHeight = `${view.height * zoom}px`;
  return image;
}

/** @param {ImageView} view @returns {boolean} */
function isTiny(view) {
  return Math.max(view.width, view.height) <= MAX_TINY_SIDE;
}

/** @param {string} text @param {[string, any][]} [cells]  the other columns @returns {HTMLElement} */
function textNode(text, cells = []) {
  const node = make("div", { class: `text ${text.length < 160 ? "short" : ""}`, dir: "auto" }, text);
  if (!cells.length) return node;
  return make("div", { class: "text-with-columns" }, node, tableNode(cells));
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
 * @returns {Promise<Node>} the element that shows it; throws if the image cannot be loaded
 */
export async function render(example) {
  const { view } = example;
  if (view.kind === "image") return imageNode(example, view);
  return view.kind === "text" ? textNode(view.text, view.cells) : tableNode(view.cells);
}

/**
 * An example in a dialog; a long one can be scrolled by keyboard.
 *
 * @param {number} row @param {any} view @returns {Promise<HTMLElement>}
 */
export async function picture(row, view) {
  /** @type {Node} */
  let content;
  try {
    content = await render({ row, view, drawn: "chosen", before: null, guesses: [], sure: null });
  } catch {
    content = make("p", {}, "The image could not be loaded.");
  }
  return make("div", { class: "picture", "data-kind": view.kind, role: "region", tabindex: "0", "aria-label": "Example" }, content);
}

/** @param {string} kind @param {Node} node */
export function mount(kind, node) {
  const place = byId("example");
  place.dataset.kind = kind;
  place.replaceChildren(node);
  place.scrollTop = 0;
}

/**
 * A message in place of an example.
 *
 * @param {string} title
 * @param {string} text
 * @param {...Node} more  buttons and links
 * @returns {HTMLElement}
 */
export function messageNode(title, text, ...more) {
  return make("div", { class: "message" }, make("h2", {}, title), make("p", {}, text), ...more);
}

/**
 * A thumbnail of an example for lists.
 *
 * @param {number|null} row
 * @param {View|null} view  null if the example is no longer in the pool
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
 * Scrolls a long example with the arrow keys and Space, wherever the focus is.
 *
 * @param {KeyboardEvent} event
 * @returns {boolean} whether the key was handled
 */
export function scrollExample({ key, shiftKey }) {
  const place = byId("example");
  const page = place.clientHeight * 0.9;
  const steps = { ArrowDown: 60, ArrowUp: -60, PageDown: page, PageUp: -page, " ": shiftKey ? -page : page };
  if (!(key in steps) || place.scrollHeight <= place.clientHeight) return false;
  place.scrollBy({ top: steps[key] });
  return true;
}
