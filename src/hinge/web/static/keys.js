/**
 * Which key gives which class, and what a key press means.
 */

const DIGITS = [..."1234567890"];
const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"];

/** Keys of the page itself; classes never get them. */
export const ACTIONS = {
  s: "skip",
  " ": "skip",
  u: "undo",
  backspace: "undo",
  h: "history",
  p: "progress",
  n: "new-class",
  g: "guesses",
  "?": "help",
};

const FREE_LETTERS = LETTERS.filter((letter) => !(letter in ACTIONS));
/** In the order in which they are given away; "⇧a" is Shift and A. */
const FALLBACK = [...DIGITS, ...FREE_LETTERS, ...FREE_LETTERS.map((letter) => `⇧${letter}`)];

/**
 * A class that is a digit gets that digit, whoever came before: pressing 3 must never mean another class than "3". The others follow in
 * the order in which they were added, each with its first letter if that is free. A key once given stays, even that of a class that is
 * gone: other people add and remove classes while fingers know the keys. Only a digit can take a key from its class.
 *
 * @param {string[]} names
 * @param {Map<string, string>} given  what this returned before
 * @returns {Map<string, string>} class to key; a class beyond the last key has none
 */
export function assignKeys(names, given) {
  const keys = new Map(names.filter((name) => /^[0-9]$/.test(name)).map((name) => [name, name]));
  const taken = new Set(keys.values());
  for (const [name, key] of given) {
    if (taken.has(key)) continue;
    keys.set(name, key);
    taken.add(key);
  }
  for (const name of names) {
    if (keys.has(name)) continue;
    const initial = name.slice(0, 1).toLowerCase();
    const wanted = FREE_LETTERS.includes(initial) ? [initial, ...FALLBACK] : FALLBACK;
    const key = wanted.find((candidate) => !taken.has(candidate));
    if (key === undefined) continue;
    keys.set(name, key);
    taken.add(key);
  }
  return keys;
}

/**
 * The name of a key press as used above, or null if it is none of ours. Digits and letters are found on keyboards too that give other
 * signs without Shift (French digits) or have another alphabet; Caps Lock changes nothing.
 *
 * @param {KeyboardEvent} event
 * @returns {string|null}
 */
export function keyOf(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.isComposing) {
    const undoes = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "z";
    return undoes ? "backspace" : null;
  }
  const key = event.key.toLowerCase();
  if (/^[0-9]$/.test(key) || key in ACTIONS) return key;
  if (/^[a-z]$/.test(key)) return event.shiftKey ? `⇧${key}` : key;
  return event.shiftKey ? null : placed(event);
}

/**
 * The digit or letter printed on the same place of an English keyboard. A sign such as the comma, which stands where others have a
 * letter, is not that letter.
 *
 * @param {KeyboardEvent} event
 * @returns {string|null}
 */
function placed(event) {
  const [, place, sign] = /^(Key|Digit)([A-Z0-9])$/.exec(event.code) ?? [];
  if (sign === undefined) return null;
  return place === "Digit" || event.key.codePointAt(0) > 127 ? sign.toLowerCase() : null;
}

/** @param {EventTarget|null} target @returns {boolean} whether keys belong to the field that has the focus */
export function isTyping(target) {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !["checkbox", "button", "submit"].includes(target.type);
  return target.isContentEditable || target.matches("textarea, select");
}

/** Space presses the button that has the focus; it must not skip as well. @param {EventTarget|null} target @returns {boolean} */
export function takesSpace(target) {
  return target instanceof HTMLElement && target.matches("button, a, summary, input");
}
