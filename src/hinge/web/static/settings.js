/**
 * What the browser stores: the person and the visibility of guesses permanently, the example on screen until the tab is closed.
 * If storage is disabled or full, the page still works, but forgets the settings.
 *
 * @typedef {"localStorage"|"sessionStorage"} StorageName
 */

/** @param {StorageName} storage @param {string} name @returns {string|null} */
function read(storage, name) {
  try {
    // Where storage is disabled, even accessing it throws.
    return globalThis[storage].getItem(name);
  } catch {
    return null;
  }
}

/** @param {StorageName} storage @param {string} name @param {string|null} value */
function write(storage, name, value) {
  try {
    if (value === null) globalThis[storage].removeItem(name);
    else globalThis[storage].setItem(name, value);
  } catch {
    // Nothing to do: the value lasts until the page is closed.
  }
}

/**
 * People without a name must not be treated as the same person, so each browser has its own name, such as "me-4f2a".
 *
 * @returns {string}
 */
function browserName() {
  const known = read("localStorage", "hinge.browser");
  if (/^me-[0-9a-f]{4}$/.test(known ?? "")) return known;
  const [number] = crypto.getRandomValues(new Uint16Array(1));
  const name = `me-${number.toString(16).padStart(4, "0")}`;
  write("localStorage", "hinge.browser", name);
  return name;
}

const defaultName = browserName();

/** Removes lone surrogates, left by cutting an emoji, which cannot be sent. @param {string} name @returns {string} */
function normalizeName(name) {
  return [...name.replace(/\p{Surrogate}/gu, "").trim()].slice(0, 40).join("") || defaultName;
}

let named = read("localStorage", "hinge.person") !== null;
let person = normalizeName(read("localStorage", "hinge.person") ?? "");
let guesses = read("localStorage", "hinge.guesses") !== "hidden";
let characterKeys = read("localStorage", "hinge.keys") !== "off";
let instructions = read("localStorage", "hinge.instructions");
let holding = read("sessionStorage", "hinge.holding");

export const settings = {
  /** Whether the person has entered (or declined to enter) a name. */
  get named() {
    return named;
  },

  get person() {
    return person;
  },
  set person(name) {
    person = normalizeName(name);
    named = true;
    write("localStorage", "hinge.person", person);
  },

  get guesses() {
    return guesses;
  },
  set guesses(shown) {
    guesses = shown;
    write("localStorage", "hinge.guesses", shown ? "shown" : "hidden");
  },

  /** Whether keys of a single character label examples. */
  get characterKeys() {
    return characterKeys;
  },
  set characterKeys(used) {
    characterKeys = used;
    write("localStorage", "hinge.keys", used ? "on" : "off");
  },

  /** The hash of the instructions that were shown last. @returns {string|null} */
  get instructions() {
    return instructions;
  },
  set instructions(digest) {
    instructions = digest;
    write("localStorage", "hinge.instructions", digest);
  },

  /** The row on screen, requested again after a reload. @returns {number|null} */
  get holding() {
    return holding === null ? null : Number(holding);
  },
  set holding(row) {
    holding = row === null ? null : String(row);
    write("sessionStorage", "hinge.holding", holding);
  },
};
