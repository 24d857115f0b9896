/**
 * Scales, ticks and paths for charts.
 */

/**
 * @param {number} low
 * @param {number} high
 * @param {number} from
 * @param {number} to
 * @returns {(value: number) => number}
 */
export function linear(low, high, from, to) {
  const factor = high > low ? (to - from) / (high - low) : 0;
  return (value) => from + (value - low) * factor;
}

/**
 * About `count` round numbers between two bounds, with a step of 1, 2 or 5 times a power of ten.
 *
 * @param {number} low
 * @param {number} high
 * @param {number} count
 * @param {number} [smallest]  the smallest step that makes sense
 * @returns {number[]}
 */
export function ticks(low, high, count, smallest = 0) {
  if (!(high > low)) return [low];
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(smallest, power * [1, 2, 5, 10].find((factor) => power * factor >= rough * 0.999));
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

/**
 * @param {[number, number][]} points
 * @returns {string} the SVG path through the points
 */
export function path(points) {
  return points.map(([x, y], index) => `${index ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}
