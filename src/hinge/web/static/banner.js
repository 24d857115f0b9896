/**
 * One line at the top for what people must know now. Trouble stays until it is over; a notice goes by itself.
 */

import { byId, setText } from "./dom.js";

const NOTICE_TIME = 6_000;
/** @type {ReturnType<typeof setTimeout>|undefined} */
let timer;
let act = () => {};

/**
 * @param {"trouble"|"notice"} kind
 * @param {string} text
 * @param {string} action  the word on the button
 * @param {() => void} then
 */
function show(kind, text, action, then) {
  const banner = byId("banner");
  clearTimeout(timer);
  act = then;
  banner.dataset.kind = kind;
  setText(byId("banner-text"), text);
  setText(byId("banner-action"), action);
  banner.hidden = false;
}

/** @param {string} text @param {() => void} retry */
export function showTrouble(text, retry) {
  show("trouble", text, "Try now", retry);
}

/** @param {string} text */
export function showNotice(text) {
  show("notice", text, "Close", hide);
  timer = setTimeout(hide, NOTICE_TIME);
}

/** Takes the trouble away, but leaves a notice to be read. */
export function endTrouble() {
  if (byId("banner").dataset.kind === "trouble") hide();
}

function hide() {
  clearTimeout(timer);
  byId("banner").hidden = true;
}

byId("banner-action").addEventListener("click", () => act());
