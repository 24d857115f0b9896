/**
 * What the browser remembers: the person and the switch of the guesses for good, the example on screen until the tab is closed.
 * Storage can be forbidden or full; the page then works all the same and forgets.
 */

/** @param {Storage} storage @param {string} name @returns {string|null} */
function read(storage, name) {
  try {
    return storage.getItem(name);
  } catch {
    return null;
  }
}

/** @param {Storage} storage @param {string} name @param {string|null} value */
function write(storage, name, value) {
  try {
    if (value === null) storage.removeItem(name);
    else storage.setItem(name, value);
  } catch {
    // Nothing to do: the value lives as long as the page.
  }
}

/** Half a surrogate pair, left by cutting an emoji, could not be sent. @param {string} name @returns {string} */
function tidy(name) {
  return [...name.replace(/\p{Surrogate}/gu, "").trim()].slice(0, 40).join("") || "me";
}

let person = tidy(read(localStorage, "hinge.person") ?? "");
let guesses = read(localStorage, "hinge.guesses") !== "hidden";
let holding = read(sessionStorage, "hinge.holding");

export const settings = {
  /** Whether the person has ever said (or declined to say) a name. */
  get named() {
    return read(localStorage, "hinge.person") !== null;
  },

  get person() {
    return person;
  },
  set person(name) {
    person = tidy(name);
    write(localStorage, "hinge.person", person);
  },

  get guesses() {
    return guesses;
  },
  set guesses(shown) {
    guesses = shown;
    write(localStorage, "hinge.guesses", shown ? "shown" : "hidden");
  },

  /** The row on screen, asked for again after a reload. @returns {number|null} */
  get holding() {
    return holding === null ? null : Number(holding);
  },
  set holding(row) {
    holding = row === null ? null : String(row);
    write(sessionStorage, "hinge.holding", holding);
  },
};
