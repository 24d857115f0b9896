/**
 * What the browser remembers: the person and the switch of the guesses for good, the example on screen until the tab is closed.
 * Storage can be forbidden or full; the page then works all the same and forgets.
 *
 * @typedef {"localStorage"|"sessionStorage"} Place
 */

/** @param {Place} place @param {string} name @returns {string|null} */
function read(place, name) {
  try {
    // Where storage is forbidden, even to name it is an error.
    return globalThis[place].getItem(name);
  } catch {
    return null;
  }
}

/** @param {Place} place @param {string} name @param {string|null} value */
function write(place, name, value) {
  try {
    if (value === null) globalThis[place].removeItem(name);
    else globalThis[place].setItem(name, value);
  } catch {
    // Nothing to do: the value lives as long as the page.
  }
}

/**
 * People who give no name must not be taken for one and the same person: each browser has a name of its own, such as "me-4f2a".
 *
 * @returns {string}
 */
function nameOfBrowser() {
  const known = read("localStorage", "hinge.browser");
  if (/^me-[0-9a-f]{4}$/.test(known ?? "")) return known;
  const [number] = crypto.getRandomValues(new Uint16Array(1));
  const name = `me-${number.toString(16).padStart(4, "0")}`;
  write("localStorage", "hinge.browser", name);
  return name;
}

const nobody = nameOfBrowser();

/** Half a surrogate pair, left by cutting an emoji, could not be sent. @param {string} name @returns {string} */
function tidy(name) {
  return [...name.replace(/\p{Surrogate}/gu, "").trim()].slice(0, 40).join("") || nobody;
}

let named = read("localStorage", "hinge.person") !== null;
let person = tidy(read("localStorage", "hinge.person") ?? "");
let guesses = read("localStorage", "hinge.guesses") !== "hidden";
let holding = read("sessionStorage", "hinge.holding");

export const settings = {
  /** Whether the person has ever said (or declined to say) a name. */
  get named() {
    return named;
  },

  get person() {
    return person;
  },
  set person(name) {
    person = tidy(name);
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

  /** The row on screen, asked for again after a reload. @returns {number|null} */
  get holding() {
    return holding === null ? null : Number(holding);
  },
  set holding(row) {
    holding = row === null ? null : String(row);
    write("sessionStorage", "hinge.holding", holding);
  },
};
