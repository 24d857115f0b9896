/**
 * Who uses the page: the role of this browser, and personal links for others.
 */

import { request } from "./api.js";
import { byId, make, nameSpan, setText, span } from "./dom.js";
import { settings } from "./settings.js";

/** @param {any} invitation @returns {HTMLElement} */
function invitationItem(invitation) {
  const revoke = async () => {
    try {
      await request("DELETE", `invitations/${invitation.id}`, {});
      await listInvitations();
    } catch (error) {
      setText(byId("invite-link"), error.message);
    }
  };
  const last = invitation.revoked_at ? span("share", "revoked") : make("button", { type: "button", click: revoke }, "Revoke");
  return make("li", {}, nameSpan(invitation.person), span("share", invitation.role), last);
}

async function listInvitations() {
  const { invitations } = await request("GET", "invitations");
  byId("invitation-list").replaceChildren(...invitations.map(invitationItem));
}

/** @param {SubmitEvent} event */
async function invite(event) {
  event.preventDefault();
  const [name, note] = [byId("invite-name"), byId("invite-link")];
  try {
    const body = { person: name.value.trim(), role: byId("invite-role").value };
    const { link } = await request("POST", "invitations", body);
    const address = new URL(link, location.href).href;
    note.replaceChildren(`Send this link to ${body.person}; it is shown only once: `, make("code", {}, address));
    name.value = "";
    await listInvitations();
  } catch (error) {
    setText(note, error.message);
  }
}

/** Learns the role of this browser, and hides what it may not do. */
export async function showRole() {
  const { role, person, invites } = await request("GET", "me");
  document.body.classList.toggle("labeller", role !== "owner");
  const field = byId("person");
  field.readOnly = person !== null;
  if (person !== null && person !== settings.person) {
    settings.person = person;
    field.value = person;
  }
  byId("invitations").hidden = !invites;
  if (invites) await listInvitations();
}

byId("invite-form").addEventListener("submit", invite);
