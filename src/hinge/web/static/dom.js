/**
 * Small helpers to build elements. Data are always set as text or as attributes, never as markup: labels and texts are not to be
 * trusted.
 */

const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {string} id
 * @returns {any} the element; the page always has it
 */
export function byId(id) {
  return document.getElementById(id);
}

/**
 * @param {Element} element
 * @param {Record<string, any>} attributes  false and null leave an attribute out; a function listens to the event of that name
 * @param {(Node|string)[]} children
 */
function furnish(element, attributes, children) {
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
  return furnish(document.createElement(tag), attributes, children);
}

/**
 * @param {string} tag
 * @param {Record<string, any>} [attributes]
 * @param {...(Node|string)} children
 * @returns {any}
 */
export function draw(tag, attributes = {}, ...children) {
  return furnish(document.createElementNS(SVG, tag), attributes, children);
}

/** @param {number} width @param {number} height @param {string} summary  what it shows, for those who do not see it */
export function drawing(width, height, summary) {
  return draw("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": summary });
}

/**
 * Touches the document only when the text differs, so that screen readers and the layout are left in peace.
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
 * A name given by people: it may be cut for want of room, and be written from right to left.
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

/** @param {number} share @returns {string} with a space at which no line is broken */
export function percent(share) {
  const value = share * 100;
  return `${value > 99 && value < 100 ? value.toFixed(1) : Math.round(value)}\u00a0%`;
}

/** @param {number} count @param {string} one @param {string} [many] @returns {string} */
export function counted(count, one, many = `${one}s`) {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** Resolves when what was put into the document before is on the screen: the second frame starts after the first was painted. */
export function painted() {
  return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
}
