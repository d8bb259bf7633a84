import { onTestFinished } from "vitest";
import { startCuttingProxy } from "../../../test/support/cutting-proxy.js";
import { openService, type Service } from "../../service.js";
import { cutOneIn, describeKeyedCreates } from "../keyed-creates.js";

/** Three nodes, whose connections to PostgreSQL are lost too, before what is sent on them or at its answer. */
describeKeyedCreates("PostgreSQL", async ({ database, clock }) => {
  const url = new URL(database);
  const proxy = await startCuttingProxy(Number(url.port), { cutAt: cutOneIn(200) });
  url.port = String(proxy.port);
  const nodes: Service[] = [];
  while (nodes.length < 3) {
    const node = await openService({ database: url.href, now: () => clock.now, rateLimit: null });
    onTestFinished(() => node.close());
    nodes.push(node);
  }
  return nodes;
});
