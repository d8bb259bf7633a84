import type { ConfigFile } from "../config/config-file.js";
import { type Environment, readVariable } from "../config/environment.js";
import { pickSetting, type Selection, selectService, settingError } from "../config/settings.js";
import type { GlobalFlags, Settings } from "../context.js";
import { isTimeZone } from "../contract/time-zone.js";

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
