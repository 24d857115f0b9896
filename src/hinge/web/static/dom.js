/**
 * Helpers that create elements. Data are always set as text or attributes, never as markup, because labels and texts are untrusted.
 */

const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {string} id
 * @returns {any} the element, which always exists
 */
export function byId(id) {
  return document.getElementById(id);
}

/**
 * @param {Element} element
 * @param {Record<string, any>} attributes  false and null omit an attribute; a function becomes a listener of the event of that name
 * @param {(Node|string)[]} children
 */
function initialize(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== false && value !== null) element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children);
  return element;
}

/**
 * @param {string} tag
 * @param {Record<string, any>} [attributes]
 * @param {...(Node|string)} children
 * @returns {any}
 */
export function make(tag, attributes = {}, ...children) {
  return initialize(document.createElement(tag), attributes, children);
}

/**
 * @param {string} tag
 * @param {Record<string, any>} [attributes]
 * @param {...(Node|string)} children
 * @returns {any}
 */
export function makeSvg(tag, attributes = {}, ...children) {
  return initialize(document.createElementNS(SVG, tag), attributes, children);
}

/** @param {number} width @param {number} height @param {string} summary  a description for screen readers */
export function makeDrawing(width, height, summary) {
  return makeSvg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": summary });
}

/**
 * Changes the document only if the text differs, to avoid announcements of screen readers and layout work.
 *
 * @param {Element} element
 * @param {string|number} text
 */
export function setText(element, text) {
  if (element.textContent !== String(text)) element.textContent = String(text);
}

/** @param {string} kind @param {string} text @returns {HTMLElement} */
export function span(kind, text) {
  return make("span", { class: kind }, text);
}

/**
 * A name entered by people: it may be truncated, and written from right to left.
 *
 * @param {string} name
 * @returns {HTMLElement}
 */
export function nameSpan(name) {
  return make("span", { class: "name", title: name, dir: "auto" }, name);
}

/** @param {string} text @param {(event: Event) => void} click @returns {HTMLButtonElement} */
export function button(text, click) {
  return make("button", { type: "button", click }, text);
}

/** @param {number} count @returns {string} */
export function grouped(count) {
  return count.toLocaleString("en");
}

/** @param {number} share @returns {string} with a non-breaking space */
export function percent(share) {
  const value = share * 100;
  return `${value > 99 && value < 100 ? value.toFixed(1) : Math.round(value)}\u00a0%`;
}

/** @param {number} count @param {string} one @param {string} [many] @returns {string} */
export function counted(count, one, many = `${one}s`) {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** Resolves when earlier changes of the document are on the screen: the second frame starts after the first was painted. */
export function afterPaint() {
  return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
}
