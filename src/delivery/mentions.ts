import { emptyValueError, usageError } from "../errors.js";
import type { TargetKind } from "./target.js";
import { quote } from "./webhook-url.js";

/** Whom `--mention` can name in each target, and how that is said; targets without it notify nobody in particular. */
const MENTIONS: Readonly<Partial<Record<TargetKind, { readonly known: RegExp; readonly hint: string }>>> = {
  slack: {
    known: /^(?:@(?:here|channel|everyone)|[UW][A-Z0-9]{2,30})$/,
    hint: "@here, @channel, @everyone, or the id of a member such as U012AB3CD",
  },
  discord: { known: /^(?:@(?:here|everyone)|\d{15,21})$/, hint: "@here, @everyone, or the id of a member" },
  teams: {
    known: /^(?:[a-z0-9._+'-]{1,64}@[a-z0-9.-]{1,250}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i,
    hint: "a member's email address or object id",
  },
  mattermost: {
    known: /^@[a-z\d][a-z\d._-]{0,63}$/,
    hint: "@here, @channel, @all, or @ and the name of a member",
  },
  telegram: { known: /^\d{1,20}$/, hint: "the number of a user" },
  googlechat: { known: /^users\/(?:all|\d{1,30})$/, hint: "users/ID or users/all" },
};

/** More than anybody names; a longer list belongs into a group. */
const MAX_MENTIONS = 20;

/** Checks whom a message is to mention. @throws CliError usage for whom the target does not know */
export function checkMentions(kind: TargetKind, mentions: readonly string[]): void {
  if (mentions.includes("")) throw emptyValueError("--mention");
  const target = MENTIONS[kind];
  if (target === undefined) throw usageError(`--mention: ${kind} has no mentions`);
  const wrong = mentions.find((mention) => !target.known.test(mention));
  if (wrong !== undefined)
    throw usageError(`--mention: ${kind} does not know ${quote(wrong)}`, `give ${target.hint}`);
  if (mentions.length > MAX_MENTIONS)
    throw usageError(`--mention: ${mentions.length} are more than ${MAX_MENTIONS}`, "mention a group");
}
