import { Option } from "commander";
import { flagTerms } from "../command-facts.js";
import { GLOBAL_OPTIONS } from "../global-flags.js";
import { type HelpPage, text } from "./page.js";

/** `calctl help flags`: the global flags. */
export function flagsPage(): HelpPage {
  return [
    text("Every command has these flags. They may stand before or after its name, and -- ends all flags."),
    {
      kind: "terms",
      terms: flagTerms([...GLOBAL_OPTIONS, new Option("-h, --help", "show the help of a command")]),
    },
    text(
      "A flag wins over its environment variable (env), and that over the profile. -c may be repeated where several calendars make sense; any other flag is given once.",
    ),
  ];
}
