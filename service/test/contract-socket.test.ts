import { listen } from "../listen.js";
import { describeContract } from "./contract-suite.js";
import { sendOverSocket } from "./support/send.js";

describeContract("over a socket", "wire", async ({ service }) => {
  const listener = await listen(service, { host: "127.0.0.1", port: 0 });
  return { send: sendOverSocket(listener.baseUrl), close: () => listener.close() };
});
