/**
 * How quickly people label and how well they agree, and the examples on which they disagree, for somebody to decide.
 *
 * @typedef {import("./api.js").View} View
 * @typedef {{row: number, label: string, said: {person: string, label: string}[], view: View}} Dispute
 */

import { request } from "./api.js";
import { button, byId, counted, grouped, make, nameSpan, percent, setText } from "./dom.js";
import { picture } from "./example.js";
import { project } from "./project.js";

/** @type {() => void} */
let afterChange = () => {};
/** @type {Dispute[]} */
let disputes = [];
let busy = false;

/** @param {() => void} listener  called after a label was changed */
export function onDecision(listener) {
  afterChange = listener;
}

/** @param {string} caption @param {string[]} columns @param {(Node|string)[][]} rows @returns {HTMLElement} */
function tableOf(caption, columns, rows) {
  const head = make("tr", {}, ...columns.map((column) => make("th", { scope: "col" }, column)));
  const body = rows.map(([first, ...rest]) => make("tr", {}, make("th", { scope: "row" }, first), ...rest.map((cell) => make("td", {}, cell))));
  return make("table", { class: "figures" }, make("caption", {}, caption), make("thead", {}, head), make("tbody", {}, ...body));
}

/** @param {number|null} value @returns {string} */
function coefficient(value) {
  return value === null ? "–" : value.toFixed(2);
}

/** @param {any} team @returns {string} */
function sentence({ examples, alpha, percent: share }) {
  if (!examples) {
    if (!share) return "To measure agreement, start the page with --overlap 10: then two people label one example in ten.";
    return `Nobody has labelled the same example yet. ${share} % of the examples will be given to a second person.`;
  }
  const band = alpha.low === null ? "" : ` (95 %: ${coefficient(alpha.low)} to ${coefficient(alpha.high)})`;
  const value = alpha.value === null ? "unknown, since all labels are the same" : `${coefficient(alpha.value)}${band}`;
  return `${counted(examples, "example")} with labels of several people. Krippendorff's alpha is ${value}; 1 is perfect, 0 is chance.`;
}

/** @param {any} team */
function showTeam(team) {
  setText(byId("team-note"), sentence(team));
  const people = team.people.map((/** @type {any} */ each) => [
    nameSpan(each.name),
    grouped(each.labels),
    each.seconds === null ? "–" : `${each.seconds.toFixed(1)} s`,
    each.equal === null ? "–" : `${percent(each.equal)} of ${each.shared}`,
  ]);
  byId("team-people").replaceChildren(tableOf("People", ["Name", "Labels", "Median time", "Others say the same"], people));
  const pairs = team.pairs.map((/** @type {any} */ each) => [
    make("span", {}, nameSpan(each.one), " and ", nameSpan(each.other)),
    grouped(each.shared),
    percent(each.equal),
    coefficient(each.kappa),
  ]);
  byId("team-pairs").hidden = pairs.length === 0;
  byId("team-pairs").replaceChildren(tableOf("Two people", ["Names", "Examples", "Same label", "Cohen's kappa"], pairs));
}

/** @param {Dispute} dispute @param {string} label */
async function decide(dispute, label) {
  if (busy) return;
  busy = true;
  try {
    const response = await request("PUT", `disputes/${dispute.row}`, { label });
    project.update(response.project);
    disputes.shift();
    setText(byId("dispute-note"), `Decided: ${label}.`);
    afterChange();
  } catch (error) {
    setText(byId("dispute-note"), `Nothing was changed: ${error.message}`);
  } finally {
    busy = false;
  }
  await showDispute();
}

async function showDispute() {
  const dispute = disputes[0];
  byId("disputes").hidden = dispute === undefined && byId("dispute-note").textContent === "";
  setText(byId("disputes-title"), dispute ? `Disagreements: ${disputes.length} to decide` : "Disagreements: none left");
  byId("dispute-choices").replaceChildren();
  byId("dispute-item").replaceChildren();
  if (!dispute) return;
  const said = dispute.said.map(({ person, label }) => make("li", {}, nameSpan(person), " says ", make("b", {}, label)));
  const example = await picture(dispute.row, dispute.view);
  if (disputes[0] !== dispute) return;
  byId("dispute-item").replaceChildren(
    example,
    make("ul", { class: "verdict" }, ...said),
  );
  byId("dispute-item").dataset.row = String(dispute.row);
  const names = [...new Set([...dispute.said.map((each) => each.label), dispute.label])];
  const others = (project.current?.classes ?? []).map((each) => each.name).filter((name) => !names.includes(name));
  const select = make("select", {}, make("option", { value: "" }, "another class"), ...others.map((name) => make("option", { value: name }, name)));
  select.addEventListener("change", () => select.value && decide(dispute, select.value));
  const choices = names.map((name) => button(name, () => decide(dispute, name)));
  byId("dispute-choices").replaceChildren(...choices, ...(others.length ? [make("label", {}, "Or ", select)] : []));
}

export async function openTeam() {
  const sheet = byId("team-sheet");
  setText(byId("team-note"), "");
  setText(byId("dispute-note"), "");
  if (!sheet.open) sheet.showModal();
  try {
    showTeam(await request("GET", "team"));
    disputes = (await request("GET", "disputes")).disputes;
    await showDispute();
  } catch (error) {
    setText(byId("team-note"), error.message);
  }
}
