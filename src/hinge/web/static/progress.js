/**
 * The progress panel: beside the example on a wide screen, in a dialog on a narrow one.
 *
 * @typedef {import("./api.js").Project} Project
 */

import { request } from "./api.js";
import { byId, counted, grouped, make, nameSpan, percent, setText, span } from "./dom.js";
import { drawCurve } from "./learning-curve.js";
import { project } from "./project.js";
import { drawSparkline } from "./sparkline.js";

/** Milliseconds between requests, and after a label, because the next example has priority. */
const MIN_INTERVAL = 1_000;
const MIN_DELAY = 120;
/** Milliseconds between requests without a label of one's own, because other people label, too. */
const IDLE_INTERVAL = 15_000;
const EXPLANATION =
  "Share of correct predictions for examples without a label, measured on randomly drawn ones as if the model had not learned them.";

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
  byId("progress-open").querySelector(".badge").hidden = !advice?.stop;
  if (!advice) return;
  place.classList.toggle("stop", Boolean(advice.stop));
  setText(byId("advice-title"), advice.stop ? "You can stop" : "Keep labelling");
  setText(byId("advice-reason"), advice.reason ?? "");
  const facts = advice.facts ?? [];
  byId("advice-details").hidden = facts.length === 0;
  byId("advice-facts").replaceChildren(...facts.map((/** @type {string} */ fact) => make("li", {}, fact)));
}

/** @param {any} progress */
function showCurve(progress) {
  const note = progress.curve_note || "Too early to tell.";
  const curve = (progress.curve ?? []).filter((/** @type {any} */ point) => Number.isFinite(point.accuracy));
  drawCurve(byId("curve"), curve, note);
  const last = curve.at(-1);
  setText(byId("accuracy"), last ? `${percent(last.accuracy)} (${percent(last.low)} to ${percent(last.high)})` : "");
  setText(byId("curve-note"), curve.length ? EXPLANATION : "");
}

/** The items of the balance; kept, because hundreds of new ones would delay the next example. @type {Map<string, {fill: any, share: any}>} */
let bars = new Map();

/** @param {string[]} names */
function makeBars(names) {
  bars = new Map(names.map((name) => [name, { fill: make("i"), share: span("share", "") }]));
  const items = [...bars].map(([name, { fill, share }]) => make("li", {}, nameSpan(name), make("span", { class: "bar" }, fill), share));
  byId("balance").replaceChildren(...items);
  setText(byId("balance-note"), counted(names.length, "class", "classes"));
}

/** @param {{name: string, count: number}[]} balance */
export function showBalance(balance) {
  const most = Math.max(1, ...balance.map((entry) => entry.count));
  const names = balance.map((entry) => entry.name);
  if (names.length !== bars.size || names.join("\n") !== [...bars.keys()].join("\n")) makeBars(names);
  for (const { name, count } of balance) {
    const { fill, share } = /** @type {{fill: any, share: any}} */ (bars.get(name));
    const scale = `scaleX(${count / most})`;
    if (fill.dataset.scale !== scale) {
      fill.dataset.scale = scale;
      fill.style.transform = scale;
    }
    setText(share, grouped(count));
  }
}

/** @param {{median: number|null, last: number[]}|undefined} seconds */
function showTimes(seconds) {
  const { median = null, last = [] } = seconds ?? {};
  setText(byId("pace"), median === null ? "" : `median ${median.toFixed(1)} s`);
  drawSparkline(byId("sparkline"), { median, last: last.filter(Number.isFinite) });
}

/** @param {any} model */
function showModel(model) {
  const facts = [
    ["Labels learned", model?.labels],
    ["Waiting to be learned", model?.pending],
    ["Support vectors", model?.support],
    ["Largest KKT violation", typeof model?.kkt === "number" ? model.kkt.toExponential(0) : undefined],
    ["Strategy", project.current?.strategy],
  ].filter(([, value]) => value !== undefined && value !== null);
  setText(byId("model-kind"), model?.kind ?? "");
  const text = (/** @type {any} */ value) => (typeof value === "number" ? grouped(value) : String(value));
  byId("model").replaceChildren(...facts.flatMap(([name, value]) => [make("dt", {}, String(name)), make("dd", {}, text(value))]));
}

/** @param {any} features  what the model sees of an example, and the result of the race between them */
function showFeatures(features) {
  const names = features?.names ?? [];
  byId("features").hidden = names.length < 2;
  const select = byId("features-choice");
  if (names.length < 2 || document.activeElement === select) return;
  const score = (/** @type {string} */ name) => (name in features.scores ? `${name} (${percent(features.scores[name])})` : name);
  select.replaceChildren(...names.map((/** @type {string} */ name) => make("option", { value: name, selected: name === features.name }, score(name))));
  const why = features.by_person ? "Somebody chose this." : "Chosen by a race.";
  const race = `${why} In brackets: labels that each would have predicted, at ${counted(features.raced_at, "label")}.`;
  setText(byId("features-note"), features.raced_at ? race : "A race on the first 40 labels will choose what the model sees.");
}

async function chooseFeatures() {
  const { value } = byId("features-choice");
  try {
    await request("PUT", "features", { name: value });
    byId("features-choice").blur();
    schedule(MIN_DELAY);
  } catch (error) {
    setText(byId("features-note"), error.message);
  }
}

/** @param {Project} summary */
export function showPeople(summary) {
  const here = summary.people.filter((person) => person.here).length;
  setText(byId("people-note"), `${here} active`);
  const items = summary.people.map((person) => {
    const indicator = make("i", { role: "img", "aria-label": person.here ? "active" : "inactive" });
    return make("li", { class: person.here ? "here" : "" }, indicator, nameSpan(person.name), span("share", grouped(person.labels)));
  });
  byId("people").replaceChildren(...items);
}

function render() {
  if (!latest) return;
  byId("progress").classList.remove("loading");
  showAdvice(latest.advice);
  showCurve(latest);
  showTimes(latest.seconds);
  showModel(latest.model);
  showFeatures(latest.features);
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
    // Outdated figures do not justify an error message; a label that is not saved shows its own.
    byId("stale").hidden = latest === null;
  }
  schedule(IDLE_INTERVAL);
}

/** @param {number} delay */
function schedule(delay) {
  clearTimeout(timer);
  timer = setTimeout(() => (document.hidden ? schedule(IDLE_INTERVAL) : load()), delay);
}

/** Called after each label, correction and deletion. */
export function refreshProgress() {
  schedule(Math.max(MIN_DELAY, lastAt + MIN_INTERVAL - performance.now()));
}

/** On a narrow screen the panel is in a dialog that covers the example; no labels can be given while it is open. */
function movePanel() {
  const sheet = byId("progress-sheet");
  if (sheet.open) sheet.close();
  (narrow.matches ? sheet : byId("side")).append(byId("progress"));
  render();
}

export function toggleProgress() {
  const sheet = byId("progress-sheet");
  if (!narrow.matches) document.body.classList.toggle("panel-hidden");
  else if (sheet.open) sheet.close();
  else sheet.showModal();
  render();
}

byId("features-choice").addEventListener("change", chooseFeatures);
narrow.addEventListener("change", movePanel);
addEventListener("resize", render);
movePanel();
