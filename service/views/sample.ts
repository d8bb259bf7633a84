import Table from "cli-table3";
import type { Document } from "../../src/output/view.js";
import type { ServiceSample } from "../admin/sample.js";

/** The sample of the embedded service for reading: who can sign in, then what programs need. */
export const SAMPLE_DOCUMENT: Document<ServiceSample> = {
  render({ user, other_user, token, client_id, client_secret, redirect_uris }) {
    const table = new Table({
      head: ["Login", "Password"],
      style: { head: [], border: [], compact: true },
    });
    table.push(...[user, other_user].map(({ login, password }) => [login, password]));
    const lines = [
      ["token", token],
      ["client id", client_id],
      ["client secret", client_secret],
      ["redirect URI", redirect_uris.join(", ")],
    ] as const;
    return `${table.toString()}\n${lines.map(([name, text]) => `${name.padEnd(15)}${text}\n`).join("")}`;
  },
};
