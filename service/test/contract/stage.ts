import type { EventResource } from "../../../contract/resources.js";
import { type ContractClient, createContractClient } from "../support/contract-client.js";
import { type EventBodyOptions, eventBody, SCHEDULE } from "../support/event-bodies.js";
import type { Send } from "../support/send.js";
import { createWorld, type World, type WorldOptions } from "../support/world.js";

interface Connection {
  readonly send: Send;
  close(): Promise<void>;
}

/** Opens a connection to the service of a world. */
export type Connect = (world: World) => Promise<Connection>;

/** A service, a connection to it and a client with the token of `world.member`. */
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

export async function createStage(connect: Connect, options: WorldOptions = {}): Promise<Stage> {
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
