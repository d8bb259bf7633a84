import { onTestFinished } from "vitest";
import { openService, type Service } from "../../../service.js";
import { cutOneIn, describeKeyedCreates } from "../../keyed-creates.js";
import { startCuttingProxy } from "../../support/cutting-proxy.js";
import { createSchema } from "../../support/postgres.js";
import { createWorld, type World } from "../../support/world.js";

async function openWorld(): Promise<World> {
  const schema = createSchema();
  onTestFinished(() => schema.remove());
  return { ...(await createWorld({ database: schema.database, rateLimit: null })), tables: schema };
}

/** Three nodes, whose connections to PostgreSQL can be lost too, before what is sent on them or at its answer. */
describeKeyedCreates("PostgreSQL", openWorld, async ({ database, clock }) => {
  const url = new URL(database);
  const cut = cutOneIn(200);
  let isCutting = false;
  const cutAt: typeof cut = (...sent) => (isCutting ? cut(...sent) : null);
  const proxy = await startCuttingProxy(Number(url.port), { cutAt });
  url.port = String(proxy.port);
  const nodes: Service[] = [];
  while (nodes.length < 3) {
    const node = await openService({ database: url.href, now: () => clock.now, rateLimit: null });
    onTestFinished(() => node.close());
    nodes.push(node);
  }
  isCutting = true;
  return nodes;
});
