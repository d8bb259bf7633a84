import type { ConfigFile } from "../config/config-file.js";
import { type Environment, readVariable } from "../config/environment.js";
import { pickSetting, type Selection, selectService, settingError } from "../config/settings.js";
import type { GlobalFlags, Settings } from "../context.js";
import { isTimeZone } from "../contract/time-zone.js";
import { usageError } from "../errors.js";

export interface SettingsOptions {
  readonly flags: GlobalFlags;
  readonly env: Environment;
  readonly configFile: ConfigFile;
  /** The zone of the process; undefined when it has no IANA name. */
  readonly systemTimeZone: () => string | undefined;
  readonly note: (text: string) => void;
}

/** Decides the settings, each once and when first asked for. */
export function createSettings(options: SettingsOptions): () => Settings {
  let settings: Settings | undefined;
  return () => {
    settings ??= decideSettings(options);
    return settings;
  };
}

function decideSettings(options: SettingsOptions): Settings {
  const { flags, env, configFile } = options;
  const selection = selectService({ profileFlag: flags.profile, env, config: configFile.read() });
  let timezone: string | undefined;
  return {
    ...selection,
    get timezone() {
      timezone ??= readNamedZone(flags, env, selection) ?? systemZone(options);
      return timezone;
    },
    defaultCalendar: pickSetting(
      { name: "--calendar", value: undefined },
      { name: "CALCTL_CALENDAR", value: readVariable(env, "CALCTL_CALENDAR") },
      selection.setting("calendar"),
    ),
  };
}

/**
 * The zone of `--timezone`, CALCTL_TIMEZONE or, where it is given, the profile; undefined when nobody named one.
 * @throws CliError when it is none
 */
export function readNamedZone(
  flags: GlobalFlags,
  env: Environment,
  selection?: Pick<Selection, "setting">,
): string | undefined {
  const setting = pickSetting(
    { name: "--timezone", value: flags.timezone },
    { name: "CALCTL_TIMEZONE", value: readVariable(env, "CALCTL_TIMEZONE") },
    selection?.setting("timezone"),
  );
  if (setting === undefined || isTimeZone(setting.value)) return setting?.value;
  throw settingError(setting, `there is no zone "${setting.value}"`, "write a name such as Asia/Tokyo");
}

function systemZone({ systemTimeZone, note }: SettingsOptions): string {
  const zone = systemTimeZone();
  if (zone !== undefined) return zone;
  note("this machine's time zone has no IANA name: times are read and shown in UTC (choose with --timezone)");
  return "UTC";
}

const TIMEOUT_DEFAULT = 30;
const TIMEOUT_MAX = 86_400;

/** `--timeout`, else CALCTL_TIMEOUT, in milliseconds. @throws CliError usage */
export function decideTimeout(flags: GlobalFlags, env: Environment): number {
  const setting = pickSetting(
    { name: "--timeout", value: flags.timeout },
    { name: "CALCTL_TIMEOUT", value: readVariable(env, "CALCTL_TIMEOUT") },
    undefined,
  );
  if (setting === undefined) return TIMEOUT_DEFAULT * 1000;
  const seconds = /^\d{1,5}(?:\.\d{1,3})?$/.test(setting.value) ? Number(setting.value) : 0;
  if (seconds > 0 && seconds <= TIMEOUT_MAX) return Math.ceil(seconds * 1000);
  throw usageError(
    `${setting.source}: "${setting.value}" is no number of seconds above 0 and up to ${TIMEOUT_MAX}`,
  );
}
