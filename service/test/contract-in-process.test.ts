import { inject } from "vitest";
import { describeContract } from "./contract-suite.js";
import { sendInProcess } from "./support/send.js";

const part = inject("engine") === "postgres" ? "database" : "whole";

describeContract("in-process", part, async ({ service }) => ({
  send: sendInProcess(service),
  close: async () => undefined,
}));
