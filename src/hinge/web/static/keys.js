/**
 * The keys of classes and actions. Classes have digits and letters; actions have combinations with Alt, so that no letter is taken from
 * classes such as spam and ham. Keys of a single character can be switched off, for people who use speech input (WCAG 2.1.4).
 */

const DIGITS = [..."1234567890"];
const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"];

/** By key; combinations with Alt begin with "alt ". */
export const ACTIONS = {
  "alt s": "skip",
  "alt u": "undo",
  "alt h": "history",
  "alt p": "progress",
  "alt n": "new-class",
  "alt g": "guesses",
  "alt r": "review",
  "alt i": "instructions",
  backspace: "undo",
  "?": "help",
  "/": "find-class",
};
/** Used if a class needs a letter that is not its own; "⇧a" is Shift and A. */
const FALLBACK_KEYS = [...LETTERS, ...LETTERS.map((letter) => `⇧${letter}`)];

/**
 * Each class has a key: a class named after a digit has that digit, because pressing 3 must always mean the class "3"; the others have the
 * next free digit, then letters. Besides, a class has the letter that somebody chose for it, or else its first letter if no other class
 * has it. A key stays assigned, even if its class is removed, because other people add and remove classes while people know the keys by
 * heart; only names of digits and chosen letters take a key from another class.
 *
 * @param {string[]} names
 * @param {Map<string, string[]>} given  the previous result
 * @param {Map<string, string>} [chosen]  class to letter
 * @returns {Map<string, string[]>} class to its keys, the one to show first; classes beyond the last key have none
 */
export function assignKeys(names, given, chosen = new Map()) {
  /** @type {Map<string, string>} key to class */
  const owners = new Map(names.filter((name) => /^[0-9]$/.test(name)).map((name) => [name, name]));
  const claim = (/** @type {string|undefined} */ key, /** @type {string} */ name) => {
    if (key !== undefined && !owners.has(key)) owners.set(key, name);
  };
  for (const name of names) claim(chosen.get(name), name);
  for (const [name, keys] of given) for (const key of keys) claim(key, name);
  /** @type {(name: string, keys: string[]) => boolean} */
  const has = (name, keys) => keys.some((key) => owners.get(key) === name);
  for (const name of names) {
    if (!has(name, DIGITS)) claim(DIGITS.find((digit) => !owners.has(digit)), name);
  }
  for (const name of names) {
    if (!has(name, FALLBACK_KEYS)) claim(initialOf(name), name);
  }
  for (const name of names) {
    if (!has(name, [...DIGITS, ...FALLBACK_KEYS])) claim(FALLBACK_KEYS.find((key) => !owners.has(key)), name);
  }
  return keysByClass(owners, chosen);
}

/** @param {Map<string, string>} owners @param {Map<string, string>} chosen @returns {Map<string, string[]>} */
function keysByClass(owners, chosen) {
  /** @type {Map<string, string[]>} */
  const keys = new Map();
  for (const [key, name] of owners) keys.set(name, [...(keys.get(name) ?? []), key]);
  const rank = (/** @type {string} */ name, /** @type {string} */ key) => (chosen.get(name) === key ? 0 : DIGITS.includes(key) ? 1 : 2);
  for (const [name, list] of keys) list.sort((one, other) => rank(name, one) - rank(name, other));
  return keys;
}

/** @param {string} name @returns {string|undefined} its first letter, if it has a key */
function initialOf(name) {
  const initial = name.slice(0, 1).toLowerCase();
  return LETTERS.includes(initial) ? initial : undefined;
}

/**
 * The name of a key press as used above; null for other keys. Also finds digits and letters on keyboards that produce other characters
 * without Shift (French digits) or have another alphabet, and ignores Caps Lock.
 *
 * @param {KeyboardEvent} event
 * @returns {string|null}
 */
export function keyOf(event) {
  if (event.isComposing) return null;
  if (event.ctrlKey || event.metaKey) {
    return !event.altKey && !event.shiftKey && event.key.toLowerCase() === "z" ? "backspace" : null;
  }
  if (event.altKey) return altKey(event);
  const key = event.key.toLowerCase();
  if (/^[0-9]$/.test(key) || key in ACTIONS) return key;
  if (/^[a-z]$/.test(key)) return event.shiftKey ? `⇧${key}` : key;
  return event.shiftKey ? null : keyByPosition(event);
}

/** With Alt, some keyboards produce other characters, so the position of the key counts then. @param {KeyboardEvent} event */
function altKey(event) {
  const key = event.key.toLowerCase();
  const letter = /^[a-z]$/.test(key) ? key : /^Key([A-Z])$/.exec(event.code)?.[1].toLowerCase();
  return letter !== undefined && !event.shiftKey && `alt ${letter}` in ACTIONS ? `alt ${letter}` : null;
}

/** @param {string} key @returns {boolean} whether the key is a single character, which people can switch off */
export function isCharacterKey(key) {
  return !key.startsWith("alt ") && key !== "backspace";
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
