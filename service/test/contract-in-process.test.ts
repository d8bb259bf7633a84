import { describeContract } from "./contract-suite.js";
import { sendInProcess } from "./support/send.js";

describeContract("in-process", async ({ service }) => ({
  send: sendInProcess(service),
  close: async () => undefined,
}));
