import type { EventResource } from "../../../src/contract/resources.js";
import type { RatePolicy } from "../../../src/service/rate-limit.js";
import type { Connection } from "../contract-suite.js";
import { type ContractClient, createContractClient } from "../support/contract-client.js";
import { type EventBodyOptions, eventBody, SCHEDULE } from "../support/event-bodies.js";
import { createWorld, type World } from "../support/world.js";

/** A service, a way to it and a client that signs in as `world.member`. */
export interface Stage {
  readonly world: World;
  readonly client: ContractClient;
  /** Path parameters of the member's calendar, and its path. */
  readonly path: { readonly calendar_id: string };
  readonly calendar: string;
  /** The composite form of a label's or user's id. */
  composite(id: string): string;
  create(attributes?: object, options?: EventBodyOptions): Promise<EventResource>;
  close(): Promise<void>;
}

export async function createStage(
  connect: (world: World) => Promise<Connection>,
  options: { readonly rateLimit?: RatePolicy | null } = {},
): Promise<Stage> {
  const world = await createWorld(options);
  const connection = await connect(world);
  const client = createContractClient(connection.send, world.token);
  const path = { calendar_id: world.calendarId };
  return {
    world,
    client,
    path,
    calendar: `/calendars/${world.calendarId}`,
    composite: (id) => `${world.calendarId},${id}`,
    async create(attributes = SCHEDULE, bodyOptions = {}) {
      return (await client.call("createEvent", { path, body: eventBody(attributes, bodyOptions) })).data;
    },
    async close() {
      await connection.close();
      await world.close();
    },
  };
}
