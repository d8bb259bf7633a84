import { onTestFinished } from "vitest";
import { startCuttingProxy } from "../../../../test/support/cutting-proxy.js";
import { openService, type Service } from "../../../service.js";
import { cutOneIn, describeKeyedCreates } from "../../keyed-creates.js";
import type { World } from "../../support/world.js";

/** Three nodes, whose connections to PostgreSQL can be lost too, before what is sent on them or at its answer. */
describeKeyedCreates("PostgreSQL", {
  openNodes: ({ database, clock }) => openThree(database, clock),
  async openFaulty({ database, clock }) {
    const url = new URL(database);
    const cut = cutOneIn(200);
    let isCutting = false;
    const cutAt: typeof cut = (...sent) => (isCutting ? cut(...sent) : null);
    const proxy = await startCuttingProxy(Number(url.port), { cutAt });
    url.port = String(proxy.port);
    const nodes = await openThree(url.href, clock);
    isCutting = true;
    return nodes;
  },
});

async function openThree(database: string, clock: World["clock"]): Promise<readonly Service[]> {
  const nodes: Service[] = [];
  while (nodes.length < 3) {
    const node = await openService({ database, now: () => clock.now, rateLimit: null });
    onTestFinished(() => node.close());
    nodes.push(node);
  }
  return nodes;
}
