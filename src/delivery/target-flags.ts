import type { Command } from "commander";
import { TARGET_KINDS, type TargetKind } from "./target.js";

/** The flags that choose where messages go, as typed. */
export interface TargetFlags {
  readonly as?: TargetKind;
  readonly chat?: string;
  readonly topic?: string;
}

/** Adds `--as`, `--chat` and `--topic`. */
export function addTargetFlags(command: Command): void {
  command
    .addOption(
      command
        .createOption("--as <kind>", "message format of the webhook in the environment, or mail")
        .choices(TARGET_KINDS),
    )
    .option("--chat <id>", "for telegram: the chat, if it is not the saved one")
    .option("--topic <id>", "for telegram: the topic of the chat, if it is not the saved one");
}
