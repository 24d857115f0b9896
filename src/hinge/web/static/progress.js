/**
 * The progress panel: beside the example on a wide screen, a sheet on a narrow one.
 *
 * @typedef {import("./api.js").Project} Project
 */

import { request } from "./api.js";
import { drawCurve } from "./chart.js";
import { byId, counted, grouped, make, nameSpan, percent, setText, span } from "./dom.js";
import { project } from "./project.js";
import { drawTimes } from "./times.js";

/** At most one request a second, and a little after the label: the next example comes first. */
const SHORTEST = 1_000;
const BREATH = 120;
/** Others label too: their news come without a label of one's own. */
const SLOW = 15_000;
const ESTIMATES = {
  progressive: "Measured on the examples drawn at random, each before the model had learned it.",
  "leave-one-out": "Measured on the examples drawn at random, each as if the model had not learned it.",
  "held-out": "Measured on labelled examples that the model never learns.",
};

const narrow = matchMedia("(max-width: 899px)");
let lastAt = -Infinity;
/** @type {ReturnType<typeof setTimeout>|undefined} */
let timer;
/** @type {any} */
let latest = null;

/** @param {any} advice */
function showAdvice(advice) {
  const place = byId("advice");
  place.hidden = !advice;
  byId("progress-open").querySelector(".news").hidden = !advice?.stop;
  if (!advice) return;
  place.classList.toggle("stop", Boolean(advice.stop));
  setText(byId("advice-title"), advice.stop ? "You may stop" : "Go on");
  setText(byId("advice-reason"), advice.reason ?? "");
  const numbers = [];
  if (typeof advice.inside === "number") numbers.push(`${percent(advice.inside)} of the pool inside the margin`);
  if (typeof advice.agreement === "number") numbers.push(`${percent(advice.agreement)} agreement with the model before`);
  setText(byId("advice-numbers"), numbers.join(" · "));
}

/** @param {any} progress */
function showCurve(progress) {
  const { random = [], random_from = null, estimate } = progress;
  const note = progress.curve_note || "Too early to say.";
  const curve = (progress.curve ?? []).filter((/** @type {any} */ point) => Number.isFinite(point.accuracy));
  drawCurve(byId("curve"), { curve, random, random_from }, note);
  setText(byId("accuracy"), curve.length ? percent(curve.at(-1).accuracy) : "");
  const drawn = curve.length ? (ESTIMATES[estimate] ?? "") : note;
  setText(byId("curve-note"), curve.length || random.length ? drawn : "");
}

/** @param {{name: string, count: number}[]} balance */
export function showBalance(balance) {
  const most = Math.max(1, ...balance.map((entry) => entry.count));
  setText(byId("balance-note"), counted(balance.length, "class", "classes"));
  const items = balance.map(({ name, count }) => {
    const fill = make("i");
    fill.style.transform = `scaleX(${count / most})`;
    return make("li", {}, nameSpan(name), make("span", { class: "bar" }, fill), span("share", grouped(count)));
  });
  byId("balance").replaceChildren(...items);
}

/** @param {{median: number|null, last: number[]}|undefined} seconds */
function showPace(seconds) {
  const { median = null, last = [] } = seconds ?? {};
  setText(byId("pace"), median === null ? "" : `median ${median.toFixed(1)} s`);
  drawTimes(byId("sparkline"), { median, last: last.filter(Number.isFinite) });
}

/** @param {any} model */
function showModel(model) {
  const facts = [
    ["Labels learned", model?.labels],
    ["Waiting to be learned", model?.pending],
    ["Support vectors", model?.support],
    ["Largest violation of the optimum", typeof model?.kkt === "number" ? model.kkt.toExponential(0) : undefined],
    ["Strategy", project.current?.strategy],
  ].filter(([, value]) => value !== undefined && value !== null);
  setText(byId("model-kind"), model?.kind ?? "");
  const text = (/** @type {any} */ value) => (typeof value === "number" ? grouped(value) : String(value));
  byId("model").replaceChildren(...facts.flatMap(([name, value]) => [make("dt", {}, String(name)), make("dd", {}, text(value))]));
}

/** @param {Project} news */
export function showPeople(news) {
  const here = news.people.filter((person) => person.here).length;
  setText(byId("people-note"), `${here} here now`);
  const items = news.people.map((person) => {
    const lamp = make("i", { role: "img", "aria-label": person.here ? "here now" : "away" });
    return make("li", { class: person.here ? "here" : "" }, lamp, nameSpan(person.name), span("share", grouped(person.labels)));
  });
  byId("people").replaceChildren(...items);
}

function render() {
  if (!latest) return;
  byId("progress").classList.remove("new");
  showAdvice(latest.advice);
  showCurve(latest);
  showPace(latest.seconds);
  showModel(latest.model);
}

async function load() {
  clearTimeout(timer);
  lastAt = performance.now();
  try {
    latest = await request("GET", "progress");
    render();
    showBalance(latest.balance ?? []);
    byId("stale").hidden = true;
  } catch {
    // The figures are no reason to disturb anybody; an answer that is not saved says so by itself.
    byId("stale").hidden = latest === null;
  }
  plan(SLOW);
}

/** @param {number} delay */
function plan(delay) {
  clearTimeout(timer);
  timer = setTimeout(() => (document.hidden ? plan(SLOW) : load()), delay);
}

/** Called after each label, correction and deletion. */
export function refreshProgress() {
  plan(Math.max(BREATH, lastAt + SHORTEST - performance.now()));
}

/** On a narrow screen the panel lives in a sheet that covers the example, and keys give no labels while it is open. */
function place() {
  const sheet = byId("progress-sheet");
  if (sheet.open) sheet.close();
  (narrow.matches ? sheet : byId("side")).append(byId("progress"));
  render();
}

export function toggleProgress() {
  const sheet = byId("progress-sheet");
  if (!narrow.matches) document.body.classList.toggle("alone");
  else if (sheet.open) sheet.close();
  else sheet.showModal();
  render();
}

narrow.addEventListener("change", place);
addEventListener("resize", render);
place();
