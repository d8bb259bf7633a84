import type { PlannedRequest } from "../api/dry-run.js";
import { childEnvironment } from "../config/environment.js";
import type { ProgramChoice, RunSettings } from "../config/run-settings.js";
import type { Settings } from "../config/settings.js";
import { usageError } from "../errors.js";
import { checkFormat, createOutput, effectiveFormat, type OutputTarget } from "../output/output.js";
import { isColorEnabled, isUnicodeLocale } from "../output/style.js";
import type { GetEvent, OutputProgram, StreamCapabilities } from "../output/view.js";
import { requestView } from "../output/views/plain.js";
import type { Input } from "../terminal/input.js";
import { withDefaultSignals } from "../terminal/signals.js";
import type { Machine } from "./machine.js";
import type { OutputAccess } from "./run.js";

export interface OutputDependencies extends Pick<OutputAccess, "note" | "warn"> {
  /** The writes that `--dry-run` has recorded. */
  readonly planned: readonly PlannedRequest[];
  readonly getEvent: GetEvent;
  readonly settings: () => Settings;
  readonly input: () => Input;
}

/** What a command prints with: to stdout, on a terminal through the pager. */
export function composeOutput(
  flags: RunSettings,
  { process, env, overrides, stdout, clock, signal, resources, systemTimeZone }: Machine,
  { planned, settings, note, warn, input, getEvent }: OutputDependencies,
): OutputAccess {
  const page = async (text: string | Uint8Array): Promise<void> => {
    if (typeof text !== "string") return stdout.write(text);
    const { showInPager } = await import("../terminal/pager.js");
    const options = {
      env: childEnvironment(env),
      rows: stdout.rows,
      interruption: signal,
    };
    if (!(await showInPager(text, options))) await stdout.write(text);
  };
  const target = (): OutputTarget => ({
    get isClosed() {
      return stdout.isClosed;
    },
    write: stdout.isTerminal && process.stdin.isTTY === true ? page : stdout.write,
    isTerminal: stdout.isTerminal,
    columns: stdout.columns,
    get color() {
      return isColorEnabled({ choice: flags.color, env, isTerminal: stdout.isTerminal });
    },
    hyperlinks: async () => stdout.isTerminal && (await overrides.supportsHyperlinks?.()) === true,
    get unicode() {
      return isUnicodeLocale(process);
    },
  });
  let program: OutputProgram | null = null;
  const options = () => ({
    ...flags,
    zone: () => settings().timezone,
    hours: () => settings().hours,
    machineZone: systemTimeZone,
    now: clock.now,
    note,
    getEvent,
    program,
  });
  return {
    note,
    warn,
    async prepare() {
      if (flags.program !== null)
        program = await loadProgram(flags.program, { process, signal, resources, input });
    },
    of(view) {
      const { stream, ...output } = createOutput(view, options(), target());
      const isPlanned = () => planned.length > 0;
      return {
        ...output,
        stream: stream && (async (values) => isPlanned() || stream(values)),
        print: async (...args) => (isPlanned() ? undefined : output.print(...args)),
      };
    },
    template(view, values) {
      if (program === null) return null;
      program.check(view);
      const rendering = {
        view,
        values,
        single: false,
        fields: null,
        csvSafe: false,
        capabilities: PLAIN_TEXT,
      };
      const text = program.render({ ...rendering, zone: () => settings().timezone, now: clock.now, note });
      return typeof text === "string" ? text : [...text].join("");
    },
    async document(document, value) {
      await createOutput(document, { ...options(), program: null }, target()).print([value]);
    },
    async requests() {
      if (planned.length === 0) return;
      // Fields and templates are for what the command prints otherwise.
      const jq = flags.program?.kind === "jq" ? program : null;
      const forRequests = { ...options(), program: jq, fields: undefined, csvSafe: false };
      const [single, another] = planned;
      const value = single !== undefined && another === undefined ? single : planned;
      await createOutput(requestView, forRequests, target()).print(value);
    },
    format() {
      if (flags.format !== null) checkFormat(flags.format, { noun: "this command's" });
      return effectiveFormat(flags, stdout);
    },
  };
}

/** Of text that is not for this terminal. */
const PLAIN_TEXT: StreamCapabilities = {
  isTerminal: false,
  columns: undefined,
  color: false,
  unicode: true,
};

/** Drops what a library prints as an error while it works: jq-wasm says `Aborted()` before it throws. */
function withoutConsole<T>(work: () => T): T {
  const { error } = console;
  console.error = () => undefined;
  try {
    return work();
  } finally {
    console.error = error;
  }
}

/** Loads jq or Liquid only when it is used. */
async function loadProgram(
  { kind, text }: ProgramChoice,
  {
    process,
    signal,
    resources,
    input,
  }: Pick<Machine, "process" | "signal" | "resources"> & Pick<OutputDependencies, "input">,
): Promise<OutputProgram> {
  if (kind === "jq") {
    const [{ createJqProgram }, optimization] = await Promise.all([
      import("../output/formats/jq.js"),
      import("../system/v8-flags.js"),
    ]);
    optimization.disableWasmOptimization();
    resources.add(optimization.restoreWasmOptimization);
    return createJqProgram(text, (work) => {
      signal().throwIfAborted();
      return withDefaultSignals(process, () => withoutConsole(work));
    });
  }
  const { createTemplateProgram } = await import("../output/formats/template.js");
  if (!text.startsWith("@")) return createTemplateProgram(text, "--template");
  const template = await input().text(text.slice(1), "--template");
  if (template.trim() === "") throw usageError(`--template ${text} is empty`);
  return createTemplateProgram(template, `--template ${text}`);
}
