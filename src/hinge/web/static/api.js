/**
 * The server as the page sees it: JSON requests, a token asked for when one is needed, and requests that are repeated until they are
 * answered.
 *
 * @typedef {{kind: "image", width: number, height: number, data?: string}} ImageView  with the file in base64, if it came along
 * @typedef {{kind: "text", text: string}} TextView
 * @typedef {{kind: "table", cells: [string, any][]}} TableView
 * @typedef {ImageView | TextView | TableView} View
 * @typedef {{label: string, share: number}} Guess
 * @typedef {{row: number, view: View, drawn: "chosen"|"random", before: string|null, guesses: Guess[], sure: number|null}} Example
 * @typedef {{name: string, count: number}} ClassCount
 * @typedef {{name: string, labels: number, here: boolean}} Person
 * @typedef {{name: string, kind: string, classes: ClassCount[], total: number, labelled: number, people: Person[], strategy: string,
 *   skipped?: number}} Project  with the number of examples without a label that this person has skipped
 * @typedef {{example: Example|null, project: Project, saved: number|null, upcoming: number[]}} Turn
 * @typedef {{labels: number, accuracy: number, low?: number, high?: number}} Point
 */

import { settings } from "./settings.js";

const PATIENCE = 15_000;
const FILE_PATIENCE = 300_000;
const FIRST_PAUSE = 300;
const LONGEST_PAUSE = 5_000;
/** What a proxy says while the server behind it is away, and the server while its database is: worth another attempt. */
const AWAY = new Set([502, 503, 504]);

/** The server answered, and the answer is no. */
export class RefusedError extends Error {
  /** @param {number} status @param {any} body */
  constructor(status, body) {
    super(typeof body?.error === "string" ? body.error : `the server failed (status ${status})`);
    this.status = status;
    this.body = body;
  }
}

/** The server did not answer, or cannot do it now; whether it has done what was asked is unknown. */
export class UnreachableError extends Error {}

/** @type {() => Promise<void>} */
let unlock = async () => {};
/** @type {Promise<void>|null} */
let unlocking = null;

/** @param {() => Promise<void>} ask  called when the server wants a token; resolves when it has one */
export function onLocked(ask) {
  unlock = ask;
}

/**
 * @param {string} method
 * @param {string} path
 * @param {BodyInit|undefined} body
 * @param {string} type
 * @param {boolean} [file]  whether a file is asked for, which comes as a blob
 * @returns {Promise<{status: number, body: any}>}
 */
async function exchange(method, path, body, type, file = false) {
  const headers = { "X-Hinge-Person": encodeURIComponent(settings.person), Accept: "application/json" };
  if (method !== "GET") headers["Content-Type"] = type;
  const signal = AbortSignal.timeout(file || type === "text/csv" ? FILE_PATIENCE : PATIENCE);
  try {
    const response = await fetch(`api/${path}`, { method, headers, body, signal, cache: "no-store", credentials: "same-origin" });
    // The body is read here because a server that dies half-way has not answered either.
    return { status: response.status, body: file && response.ok ? await response.blob() : parse(await response.text()) };
  } catch {
    throw new UnreachableError("the server does not answer");
  }
}

/** @param {string} text @returns {any} null for what is no JSON */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * @param {string} method
 * @param {string} path  below api/
 * @param {any} [content]  sent as JSON, or as it is when `type` says otherwise
 * @param {string} [type]
 * @returns {Promise<any>}
 */
export async function request(method, path, content, type = "application/json") {
  const body = content === undefined || type !== "application/json" ? content : JSON.stringify(content);
  return answered(() => exchange(method, path, body, type));
}

/** @param {string} path  below api/ @returns {Promise<Blob>} a file that the server makes */
export function requestFile(path) {
  return answered(() => exchange("GET", path, undefined, "", true));
}

/**
 * @param {() => Promise<{status: number, body: any}>} attempt  done again when the server has got a token
 * @returns {Promise<any>} what came; rejects when the server does not answer or refuses
 */
async function answered(attempt) {
  for (;;) {
    const answer = await attempt();
    if (AWAY.has(answer.status)) throw new UnreachableError(answer.body?.error ?? "the server does not answer");
    if (answer.status === 401) {
      // Several requests may be refused at once; one form is enough.
      unlocking ??= unlock().finally(() => (unlocking = null));
      await unlocking;
    } else if (answer.status >= 400 || answer.body === null) {
      throw new RefusedError(answer.status, answer.body);
    } else {
      return answer.body;
    }
  }
}

/** @param {string} token @returns {Promise<boolean>} whether it was the right one */
export async function login(token) {
  const { status, body } = await exchange("POST", "login", JSON.stringify({ token }), "application/json");
  if (status === 401 || status === 403) return false;
  if (status >= 400) throw new RefusedError(status, body);
  return true;
}

let endPause = () => {};

/** Ends the pause before the next attempt of `persist`. */
export function hurry() {
  endPause();
}

/** @param {number} milliseconds @returns {Promise<void>} */
function pause(milliseconds) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    endPause = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

/**
 * Sends until the server answers, whatever it answers.
 *
 * @param {string} path
 * @param {any} content
 * @param {(failures: number, reason: string) => void} onTrouble  told after each attempt that failed
 * @returns {Promise<any>}
 */
export async function persist(path, content, onTrouble) {
  for (let failures = 0; ; ) {
    try {
      return await request("POST", path, content);
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error;
      failures += 1;
      onTrouble(failures, error.message);
      await pause(Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (failures - 1)));
    }
  }
}

/** @param {number} row @returns {string} */
export function imageAddress(row) {
  return `api/items/${Number(row)}/image`;
}

globalThis.addEventListener?.("online", hurry);
