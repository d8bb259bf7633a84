import { INSTANT } from "../../src/events/views/calendar.js";
import type { ShapeOf, View } from "../../src/output/view.js";
import type { ListeningReport } from "../access/serve.js";
import type { Resync } from "../admin/admin.js";
import type { ServiceClient, ServiceToken } from "../admin/credentials.js";
import type { ServiceSample } from "../admin/sample.js";
import type { ServiceUser } from "../admin/users.js";
import type { CopiedTable } from "../store/copy.js";
import type { Backup } from "../store/sqlite/backup.js";

/** The OAuth clients of the embedded service. */
export const serviceClientView: View<ServiceClient> = {
  noun: "client",
  shape: "service_client",
  keys: {
    id: { type: "string" },
    name: { type: "string", minWidth: 8 },
    client_id: { type: "string" },
    client_secret: { type: "string", about: "only when it was just made", optional: true },
    redirect_uris: { type: "string[]", minWidth: 8 },
  },
  tsv: ["id", "name", "client_id", "redirect_uris", "client_secret"],
  table: ["name", "client_id", "redirect_uris", "id", "client_secret"],
};

/** The access tokens of the embedded service. */
export const serviceTokenView: View<ServiceToken> = {
  noun: "token",
  shape: "service_token",
  keys: {
    id: { type: "string" },
    user_id: { type: "string", header: "User" },
    read_only: { type: "boolean" },
    created_at: { type: "string", about: INSTANT, header: "Created" },
    token: { type: "string", about: "only when it was just made", optional: true },
  },
  tsv: ["id", "user_id", "read_only", "created_at", "token"],
};

/** The users of the embedded service. */
export const serviceUserView: View<ServiceUser> = {
  noun: "user",
  shape: "service_user",
  keys: {
    id: { type: "string" },
    name: { type: "string", minWidth: 8 },
    login: { type: "string", about: "signs in with it" },
  },
  tsv: ["id", "name", "login"],
  table: ["name", "login", "id"],
};

/** A copy of a database. */
export const backupView: View<Backup> = {
  noun: "backup",
  shape: "backup",
  keys: {
    file: { type: "string", about: "its path" },
    bytes: { type: "number" },
    users: { type: "number", about: "how many are in it, like the next two" },
    calendars: { type: "number" },
    events: { type: "number" },
  },
  tsv: ["file", "bytes", "users", "calendars", "events"],
};

/** What clients are to read again. */
export const resyncView: View<Resync> = {
  noun: "resync",
  shape: "resync",
  keys: { calendars: { type: "number", about: "how many there are" } },
  tsv: ["calendars"],
};

/** The tables of a database that was copied. */
export const copiedTableView: View<CopiedTable> = {
  noun: "table",
  shape: "copied_table",
  keys: {
    table: { type: "string" },
    rows: { type: "number" },
    sha256: { type: "string", about: "of its rows in both databases", minWidth: 12 },
  },
  tsv: ["table", "rows", "sha256"],
};

/** A user of `--sample`, with the password. */
const SAMPLE_USER: ShapeOf<ServiceSample["user"]> = {
  shape: "sample_user",
  keys: { ...serviceUserView.keys, password: { type: "string" } },
};

/** What `service start -o json` prints when it listens. */
export const LISTENING: ShapeOf<Omit<ListeningReport, "sample"> & Partial<ServiceSample>> = {
  shape: "listening",
  keys: {
    base_url: { type: "string" },
    auth_url: { type: "string" },
    listen: { type: "string", about: "HOST:PORT" },
    metrics_url: { type: "string", about: "with --metrics", optional: true },
    token: { type: "string", about: "these are there with --sample", optional: true },
    client_id: { type: "string", optional: true },
    client_secret: { type: "string", optional: true },
    redirect_uris: { type: "string[]", optional: true },
    user: { type: { object: SAMPLE_USER }, optional: true },
    other_user: { type: { object: SAMPLE_USER }, optional: true },
  },
};
