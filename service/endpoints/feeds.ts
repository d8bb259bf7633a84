import * as v from "valibot";
import { feedBodySchema } from "../../contract/bodies.js";
import { MAX_FEED_NAME } from "../../contract/limits.js";
import { DEFAULT_TIMEZONE } from "../../contract/routes.js";
import { badRequest, excerpt, ProblemError } from "../http/response.js";
import { feedResource } from "../resources.js";
import { createSecret, createShortId, hashSecret } from "../secrets.js";
import { listCalendarsOfUser } from "../store/calendars.js";
import { insertFeed, listFeeds, MAX_FEEDS, removeFeed } from "../store/feeds.js";
import { readSetting, type Transaction } from "../store/store.js";
import type { ReadContext, Representation, WriteContext, WriteResult } from "./endpoint.js";
import { collectFieldErrors, toFieldErrors } from "./event-body.js";

/** Feeds: what their makers do with them. @see docs/extensions.md */
export const feedEndpoints = {
  listFeeds({ access }: ReadContext): Representation {
    return {
      // No revision covers them.
      version: null,
      render: async (db) => ({ data: (await listFeeds(db, access.user.id)).map(feedResource) }),
    };
  },
  async createFeed(context: WriteContext): Promise<WriteResult> {
    const { db, access, now } = context;
    const { attributes, calendars } = await parseFeed(context);
    const meta = "hash" in access.credential ? undefined : { base_url: await requireBaseUrl(db) };
    if ((await listFeeds(db, access.user.id)).length >= MAX_FEEDS)
      throw badRequest(`there are ${MAX_FEEDS} feeds already; remove one that nobody needs`);
    const { busy_only, timezone } = attributes;
    const secret = createSecret();
    const names = calendars.map(({ name }) => name).join(", ");
    const row = await insertFeed(db, {
      id: createShortId(),
      user_id: access.user.id,
      // The name of a calendar may say more than its times.
      name: attributes.name ?? (busy_only === true ? "Busy" : [...names].slice(0, MAX_FEED_NAME).join("")),
      calendars: calendars.map(({ id }) => id).join(" "),
      busy_only: busy_only === true ? 1 : 0,
      timezone: timezone ?? DEFAULT_TIMEZONE,
      hash: hashSecret(secret),
      created_at: now,
    });
    const data = feedResource(row);
    return { body: { data: { ...data, attributes: { ...data.attributes, secret } }, ...(meta && { meta }) } };
  },
  async deleteFeed({ db, access, now, parameter }: WriteContext): Promise<WriteResult> {
    const address = { id: parameter("feed_id"), userId: access.user.id };
    if (!(await removeFeed(db, address, now))) throw new ProblemError(404);
    return { body: null };
  },
};

/** @throws ProblemError 400 */
async function parseFeed({ db, access, body }: WriteContext) {
  const { success, output, issues } = v.safeParse(feedBodySchema, body);
  if (!success) throw badRequest(toFieldErrors(collectFieldErrors(issues)));
  const { attributes, relationships } = output.data;
  const own = new Map((await listCalendarsOfUser(db, access.user.id)).map((row) => [row.id, row]));
  const calendars = [...new Set(relationships.calendars.data.map(({ id }) => id))].map((id) => {
    const calendar = own.get(id);
    if (calendar === undefined)
      throw badRequest({ calendars: [`"${excerpt(id)}" is not a calendar of yours`] });
    return calendar;
  });
  return { attributes, calendars };
}

/** Where the database of this process is served. @throws ProblemError 400 where it never was */
async function requireBaseUrl(db: Transaction): Promise<string> {
  const url = await readSetting(db, "base_url");
  if (url !== undefined) return url;
  throw badRequest("nobody can reach a feed of this database yet: serve it with calctl service start");
}
