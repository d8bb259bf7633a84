import type { HelpPage } from "./page.js";

/** A page of help that is not about one command. */
interface Topic {
  readonly name: string;
  readonly summary: string;
  /** Its text is loaded only when it is shown. */
  readonly load: () => Promise<() => HelpPage>;
}

export const TOPICS: readonly Topic[] = [
  {
    name: "flags",
    summary: "the flags of every command",
    load: async () => (await import("./flags-page.js")).flagsPage,
  },
  {
    name: "output",
    summary: "formats, fields, templates and jq",
    load: async () => (await import("./topic-pages.js")).outputPage,
  },
  {
    name: "dates",
    summary: "how dates and times are written",
    load: async () => (await import("./topic-pages.js")).datesPage,
  },
  {
    name: "login",
    summary: "signing in, and where the token is",
    load: async () => (await import("./topic-pages.js")).loginPage,
  },
  {
    name: "cron",
    summary: "running calctl without a person",
    load: async () => (await import("./topic-pages.js")).cronPage,
  },
  {
    name: "environment",
    summary: "environment variables",
    load: async () => (await import("./topic-pages.js")).environmentPage,
  },
  {
    name: "exit-codes",
    summary: "what an exit code means, and whether to repeat",
    load: async () => (await import("./topic-pages.js")).exitCodesPage,
  },
];
