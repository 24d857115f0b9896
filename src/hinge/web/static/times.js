/**
 * The time taken for the last labels, as small bars.
 */

import { counted, draw, drawing } from "./dom.js";

const HEIGHT = 40;
/** Room is kept for this many, so that the bars do not grow thinner label by label. */
const ROOM = 50;
/** A bar is at most this many times the median high: one break must not flatten the rest. */
const CUT = 3;

/** @param {HTMLElement} place @param {{median: number|null, last: number[]}} seconds */
export function drawTimes(place, { median, last }) {
  const width = Math.max(200, place.clientWidth);
  const top = Math.max(0.1, Math.min(Math.max(...last, 0.1), (median || 1) * CUT));
  const step = width / Math.max(ROOM, last.length);
  const svg = drawing(width, HEIGHT, `Seconds for the last ${counted(last.length, "label")}`);
  last.forEach((value, index) => {
    const height = Math.max(1.5, (Math.min(value, top) / top) * HEIGHT);
    const size = { x: index * step, y: HEIGHT - height, width: Math.max(1, step - 1.5), height, rx: 1 };
    svg.append(draw("rect", { ...size, class: value > top ? "cut" : "" }, draw("title", {}, `${value.toFixed(1)} s`)));
  });
  if (median) {
    const y = HEIGHT - (median / top) * HEIGHT;
    svg.append(draw("line", { x1: 0, x2: width, y1: y, y2: y }));
  }
  place.replaceChildren(svg);
}
