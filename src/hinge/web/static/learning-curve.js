/**
 * The learning curve as SVG: accuracy with its confidence interval, and a read-out at the pointer.
 *
 * @typedef {import("./api.js").Point} Point
 * @typedef {{x: (value: number) => number, y: (value: number) => number, bounds: {labels: number, floor: number}}} Scales
 */

import { counted, grouped, make, makeDrawing, makeSvg, percent, setText } from "./dom.js";
import { linear, path, ticks } from "./scales.js";

const HEIGHT = 196;
const MARGIN = { top: 8, right: 10, bottom: 22, left: 46 };

/** @param {Point[]} curve @returns {{labels: number, floor: number}} the largest number of labels and the lowest accuracy to draw */
function boundsOf(curve) {
  const lowest = Math.min(1, ...curve.map((point) => Math.min(point.accuracy, point.low ?? 1)));
  // Rounded down to tenths, and at most 80 %, so that noise does not look like a large change.
  const floor = Math.max(0, Math.min(0.8, Math.floor(lowest * 10 - 1e-9) / 10));
  return { labels: Math.max(1, ...curve.map((point) => point.labels)), floor };
}

/** @param {Point[]} curve @param {number} width @returns {Scales} */
function scalesFor(curve, width) {
  const bounds = boundsOf(curve);
  const x = linear(0, bounds.labels, MARGIN.left, width - MARGIN.right);
  return { x, y: linear(bounds.floor, 1, HEIGHT - MARGIN.bottom, MARGIN.top), bounds };
}

/** @param {Scales} scales @param {number} width @returns {SVGElement} */
function axes({ x, y, bounds }, width) {
  const group = makeSvg("g", { class: "axes" });
  for (const value of ticks(bounds.floor, 1, 5, 0.01)) {
    group.append(makeSvg("line", { x1: MARGIN.left, x2: width - MARGIN.right, y1: y(value), y2: y(value) }));
    group.append(makeSvg("text", { x: MARGIN.left - 6, y: y(value) + 4, "text-anchor": "end" }, percent(value)));
  }
  for (const value of ticks(0, bounds.labels, 5, 1)) {
    const edge = x(value) > width - MARGIN.right - 14;
    const place = edge ? { x: width - 2, "text-anchor": "end" } : { x: x(value), "text-anchor": "middle" };
    group.append(makeSvg("text", { y: HEIGHT - 6, ...place }, grouped(value)));
  }
  return group;
}

/** @param {Point[]} points @param {Scales} scales @returns {string} */
function linePath(points, { x, y }) {
  return path(points.map((point) => [x(point.labels), y(point.accuracy)]));
}

/** @param {Point[]} points @param {Scales} scales @returns {string} */
function bandPath(points, { x, y, bounds }) {
  const edge = (/** @type {Point} */ point, /** @type {number|undefined} */ value) =>
    /** @type {[number, number]} */ ([x(point.labels), y(Math.max(bounds.floor, value ?? point.accuracy))]);
  const upper = points.map((point) => edge(point, point.high));
  const lower = points.map((point) => edge(point, point.low)).reverse();
  return `${path([...upper, ...lower])}Z`;
}

/**
 * A single point is drawn as a dot, with its interval as a line.
 *
 * @param {Point} point
 * @param {Scales} scales
 * @returns {SVGElement[]}
 */
function singlePoint(point, { x, y, bounds }) {
  const ends = { y1: y(Math.max(bounds.floor, point.low ?? point.accuracy)), y2: y(point.high ?? point.accuracy) };
  return [
    makeSvg("line", { class: "range", x1: x(point.labels), x2: x(point.labels), ...ends }),
    makeSvg("circle", { class: "dot", cx: x(point.labels), cy: y(point.accuracy), r: 4 }),
  ];
}

/** @param {Point[]} curve @param {Scales} scales @returns {SVGElement[]} */
function lines(curve, scales) {
  if (curve.length === 1) return singlePoint(curve[0], scales);
  return [makeSvg("path", { class: "band", d: bandPath(curve, scales) }), makeSvg("path", { class: "line", d: linePath(curve, scales) })];
}

/** @param {Point[]} points @param {number} labels @returns {Point|null} the point nearest to that number of labels */
function nearest(points, labels) {
  let best = points[0] ?? null;
  for (const point of points) if (Math.abs(point.labels - labels) < Math.abs(best.labels - labels)) best = point;
  return best;
}

/** @param {Point|null} point @returns {string} */
function pointText(point) {
  if (point === null) return "";
  const ranged = typeof point.low === "number" && typeof point.high === "number";
  const range = ranged ? ` (${percent(point.low)} to ${percent(point.high)})` : "";
  return `${counted(point.labels, "label")}: ${percent(point.accuracy)}${range}`;
}

/** @param {string} kind @param {string} text @returns {HTMLElement} one entry of the legend */
function legendItem(kind, text) {
  const shape = makeSvg("path", { class: kind, d: kind === "band" ? "M1 1H25V9H1Z" : "M1 5H25" });
  return make("li", {}, makeSvg("svg", { viewBox: "0 0 26 10", "aria-hidden": "true" }, shape), text);
}

/** @returns {HTMLElement} */
function legend() {
  return make("ul", { class: "legend" }, legendItem("line", "accuracy"), legendItem("band", "95 % interval"));
}

/** A line that follows the pointer or the arrow keys, and a sentence below the chart. */
class ReadOut {
  /** @param {SVGElement} svg @param {HTMLElement} text @param {Point[]} curve @param {Scales} scales */
  constructor(svg, text, curve, scales) {
    this.svg = svg;
    this.text = text;
    this.curve = curve;
    this.scales = scales;
    this.index = curve.length - 1;
    const line = makeSvg("line", { y1: MARGIN.top, y2: HEIGHT - MARGIN.bottom });
    this.cursor = makeSvg("g", { class: "cursor", visibility: "hidden" }, line, makeSvg("circle", { r: 4 }));
    svg.append(this.cursor);
    svg.addEventListener("pointermove", (event) => this.follow(event));
    svg.addEventListener("pointerdown", (event) => this.follow(event));
    svg.addEventListener("pointerleave", () => this.reset());
    svg.addEventListener("blur", () => this.reset());
    svg.addEventListener("keydown", (event) => this.step(event));
    this.reset();
  }

  /** Without a pointer, the sentence describes the last point. */
  reset() {
    this.cursor.setAttribute("visibility", "hidden");
    this.index = this.curve.length - 1;
    this.describe(this.curve.at(-1) ?? null);
  }

  /** @param {Point|null} point */
  describe(point) {
    setText(this.text, pointText(point));
  }

  /** @param {number} index */
  point(index) {
    this.index = index;
    const point = this.curve[index];
    const [x, y] = [this.scales.x(point.labels), this.scales.y(point.accuracy)];
    this.cursor.setAttribute("visibility", "visible");
    this.cursor.setAttribute("transform", `translate(${x.toFixed(1)} 0)`);
    this.cursor.lastChild.setAttribute("cy", y);
    this.describe(point);
  }

  /** @param {PointerEvent} event */
  follow(event) {
    const { curve } = this;
    const { labels } = this.scales.bounds;
    const span = this.scales.x(labels) - MARGIN.left;
    const point = nearest(curve, ((event.clientX - this.svg.getBoundingClientRect().left - MARGIN.left) / span) * labels);
    if (point) this.point(curve.indexOf(point));
  }

  /** @param {KeyboardEvent} event */
  step(event) {
    const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!move || !this.curve.length) return;
    event.preventDefault();
    this.point(Math.max(0, Math.min(this.curve.length - 1, this.index + move)));
  }
}

/** @param {HTMLElement} place @param {Point[]} curve @param {string} note  shown while there is no curve */
export function drawCurve(place, curve, note) {
  if (!curve.length) {
    place.replaceChildren(make("p", { class: "no-data" }, note));
    return;
  }
  const width = Math.max(240, place.clientWidth);
  const scales = scalesFor(curve, width);
  const text = make("p", { class: "read-out" });
  const summary = `Learning curve. ${pointText(curve.at(-1) ?? null)}`;
  const svg = makeDrawing(width, HEIGHT, summary);
  svg.setAttribute("tabindex", "0");
  svg.append(axes(scales, width), ...lines(curve, scales));
  place.replaceChildren(svg, text, legend());
  new ReadOut(svg, text, curve, scales);
}
