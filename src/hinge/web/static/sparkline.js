/**
 * The times of the last labels as small bars.
 */

import { counted, makeDrawing, makeSvg } from "./dom.js";

const HEIGHT = 40;
/** Space is reserved for this many bars, so that they do not shrink with each label. */
const MIN_BARS = 50;
/** Bars are cut at this multiple of the median, so that one break does not flatten the rest. */
const MAX_RATIO = 3;

/** @param {HTMLElement} place @param {{median: number|null, last: number[]}} seconds */
export function drawSparkline(place, { median, last }) {
  const width = Math.max(200, place.clientWidth);
  const top = Math.max(0.1, Math.min(Math.max(...last, 0.1), (median || 1) * MAX_RATIO));
  const step = width / Math.max(MIN_BARS, last.length);
  const svg = makeDrawing(width, HEIGHT, `Seconds for the last ${counted(last.length, "label")}`);
  last.forEach((value, index) => {
    const height = Math.max(1.5, (Math.min(value, top) / top) * HEIGHT);
    const size = { x: index * step, y: HEIGHT - height, width: Math.max(1, step - 1.5), height, rx: 1 };
    svg.append(makeSvg("rect", { ...size, class: value > top ? "cut" : "" }, makeSvg("title", {}, `${value.toFixed(1)} s`)));
  });
  if (median) {
    const y = HEIGHT - (median / top) * HEIGHT;
    svg.append(makeSvg("line", { x1: 0, x2: width, y1: y, y2: y }));
  }
  place.replaceChildren(svg);
}
