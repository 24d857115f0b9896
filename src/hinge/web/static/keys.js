/**
 * The keys of classes and actions.
 */

const DIGITS = [..."1234567890"];
const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"];

/** Keys of the page itself, which are never assigned to classes. */
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
/** In the order of assignment; "⇧a" is Shift and A. */
const FALLBACK_KEYS = [...DIGITS, ...FREE_LETTERS, ...FREE_LETTERS.map((letter) => `⇧${letter}`)];

/**
 * A class named after a digit gets that digit: pressing 3 must always mean the class "3". The others follow in the order in which they
 * were added, each with its first letter if that is free. A key stays assigned, even if its class is removed, because other people add
 * and remove classes while people know the keys by heart. Only a class named after a digit takes a key from another class.
 *
 * @param {string[]} names
 * @param {Map<string, string>} given  the previous result
 * @returns {Map<string, string>} class to key; classes beyond the last key have none
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
    const wanted = FREE_LETTERS.includes(initial) ? [initial, ...FALLBACK_KEYS] : FALLBACK_KEYS;
    const key = wanted.find((candidate) => !taken.has(candidate));
    if (key === undefined) continue;
    keys.set(name, key);
    taken.add(key);
  }
  return keys;
}

/**
 * The name of a key press as used above; null for other keys. Also finds digits and letters on keyboards that produce other characters
 * without Shift (French digits) or have another alphabet, and ignores Caps Lock.
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
  return event.shiftKey ? null : keyByPosition(event);
}

/**
 * The digit or letter at the same position of an English keyboard. A punctuation mark at the position of a letter is not that letter.
 *
 * @param {KeyboardEvent} event
 * @returns {string|null}
 */
function keyByPosition(event) {
  const [, kind, character] = /^(Key|Digit)([A-Z0-9])$/.exec(event.code) ?? [];
  if (character === undefined) return null;
  return kind === "Digit" || event.key.codePointAt(0) > 127 ? character.toLowerCase() : null;
}

/** @param {EventTarget|null} target @returns {boolean} whether the focused field receives the keys */
export function isTyping(target) {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !["checkbox", "button", "submit"].includes(target.type);
  return target.isContentEditable || target.matches("textarea, select");
}

/** Space presses the focused button, so it must not also skip. @param {EventTarget|null} target @returns {boolean} */
export function takesSpace(target) {
  return target instanceof HTMLElement && target.matches("button, a, summary, input");
}
