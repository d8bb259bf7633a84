import type { View } from "../view.js";

export interface ServiceClient {
  readonly id: string;
  readonly name: string;
  readonly client_id: string;
  /** Only there when the client was just made. */
  readonly client_secret?: string | undefined;
  readonly redirect_uris: readonly string[];
}

/** The OAuth clients of the embedded service. */
export const serviceClientView: View<ServiceClient> = {
  noun: "client",
  keys: {
    id: {},
    name: { shrinkTo: 8 },
    client_id: {},
    client_secret: {},
    redirect_uris: { shrinkTo: 8 },
  },
  tsv: ["id", "name", "client_id", "redirect_uris", "client_secret"],
  table: ["name", "client_id", "redirect_uris", "id", "client_secret"],
  layout: "rows",
};
