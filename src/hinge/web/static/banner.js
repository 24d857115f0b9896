/**
 * The banner at the top for urgent messages. Trouble stays until it is over; a notice disappears after a few seconds.
 */

import { byId, setText } from "./dom.js";

const NOTICE_DURATION = 6_000;
/** @type {ReturnType<typeof setTimeout>|undefined} */
let timer;
let onAction = () => {};

/**
 * @param {"trouble"|"notice"} kind
 * @param {string} text
 * @param {string} action  the text of the button
 * @param {() => void} handler
 */
function show(kind, text, action, handler) {
  const banner = byId("banner");
  clearTimeout(timer);
  onAction = handler;
  banner.dataset.kind = kind;
  setText(byId("banner-text"), text);
  setText(byId("banner-action"), action);
  banner.hidden = false;
}

/** @param {string} text @param {() => void} retry */
export function showTrouble(text, retry) {
  show("trouble", text, "Retry now", retry);
}

/** @param {string} text */
export function showNotice(text) {
  show("notice", text, "Close", hide);
  timer = setTimeout(hide, NOTICE_DURATION);
}

/** Hides trouble, but not a notice. */
export function hideTrouble() {
  if (byId("banner").dataset.kind === "trouble") hide();
}

function hide() {
  clearTimeout(timer);
  byId("banner").hidden = true;
}

byId("banner-action").addEventListener("click", () => onAction());
