import { isTimeZone } from "./date-time.js";

/** The zones that an abbreviation may mean, the likeliest first; none for another text. */
function zonesAbbreviated(text: string): readonly string[] {
  const lines = [
    "UTC: Z UCT ZULU UNIVERSAL",
    "UTC Europe/London: GMT",
    "Europe/London: BST",
    "Europe/Lisbon: WET WEST",
    "Europe/Berlin Europe/Paris: CET CEST MET MEST",
    "Europe/Athens Europe/Helsinki: EET EEST",
    "Europe/Moscow: MSK",
    "Africa/Johannesburg: SAST",
    "Asia/Kolkata Europe/Dublin Asia/Jerusalem: IST",
    "Asia/Tokyo: JST",
    "Asia/Seoul: KST",
    "Asia/Singapore: SGT",
    "Asia/Hong_Kong: HKT",
    "Australia/Perth: AWST",
    "Australia/Adelaide Australia/Darwin: ACST ACDT",
    "Australia/Sydney Australia/Brisbane: AEST AEDT AET",
    "Pacific/Auckland: NZST NZDT",
    "America/St_Johns: NST NDT",
    "America/Halifax Asia/Riyadh: AST",
    "America/Halifax: ADT",
    "America/New_York America/Panama: EST",
    "America/New_York: EDT ET",
    "America/Chicago Asia/Shanghai America/Havana: CST",
    "America/Chicago: CDT CT",
    "America/Denver America/Phoenix: MST",
    "America/Denver: MDT MT",
    "America/Los_Angeles: PST PDT PT",
    "America/Anchorage: AKST AKDT",
    "Pacific/Honolulu: HST",
  ].map((line) => line.split(": "));
  const [zones] = lines.find(([, names]) => names?.split(" ").includes(text.toUpperCase())) ?? [];
  return zones?.split(" ") ?? [];
}

/** Names whose parts are not simply capitalized. Intl reads them in any case, but renames some. */
function irregularName(lower: string): string | undefined {
  return [
    "America/Knox_IN Antarctica/DumontDUrville Antarctica/McMurdo Australia/ACT Australia/LHI Australia/NSW",
    "Brazil/DeNoronha Chile/EasterIsland Mexico/BajaNorte Mexico/BajaSur America/Port-au-Prince",
    "America/Argentina/ComodRivadavia",
  ]
    .flatMap((line) => line.split(" "))
    .find((name) => name.toLowerCase() === lower);
}

/**
 * Reads the name of a zone in upper or lower case. The zone is spelled as the IANA database spells it; a link such as
 * `Asia/Calcutta` stays. Null for a name without an area, except UTC: an abbreviation may mean one of several zones.
 */
export function readTimeZoneName(text: string): string | null {
  if (/^utc$/i.test(text)) return "UTC";
  return text.includes("/") && isTimeZone(text) ? spell(text) : null;
}

function spell(name: string): string {
  const lower = name.toLowerCase();
  return (
    irregularName(lower) ?? lower.replace(/[a-z]+/g, (word, index: number) => capitalize(word, lower, index))
  );
}

function capitalize(word: string, name: string, index: number): string {
  if (index > 0 && /^(?:of|es)$/.test(word)) return word;
  const isInitials = index === 0 ? word === "us" : name.startsWith("etc/") && /^(?:gmt|utc|uct)$/.test(word);
  return isInitials ? word.toUpperCase() : `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}

function candidatesOf(text: string): readonly string[] {
  const abbreviated = zonesAbbreviated(text);
  if (abbreviated.length > 0) return abbreviated;
  const cities = zonesOfCity(text);
  if (cities.length > 0) return cities;
  return isTimeZone(text) ? [resolvedZone(text)] : [];
}

/** The zones that are named after a place: `Asia/Tokyo` for `tokyo`. */
export function zonesOfCity(text: string): readonly string[] {
  const city = text.trim().replaceAll(" ", "_");
  const areas = "Europe America Asia Africa Australia Pacific Atlantic Indian Antarctica Arctic".split(" ");
  return areas
    .map((area) => `${area}/${city}`)
    .filter(isTimeZone)
    .map(spell);
}

/** The zone with an area that a name stands for: `Europe/London` for `GB`. */
function resolvedZone(name: string): string {
  const zone = new Intl.DateTimeFormat("en-US", { timeZone: name }).resolvedOptions().timeZone;
  // Since release 2026d of the IANA database, Intl keeps these names.
  const places = { EST5EDT: "New_York", CST6CDT: "Chicago", MST7MDT: "Denver", PST8PDT: "Los_Angeles" };
  return zone in places ? `America/${places[zone as keyof typeof places]}` : zone;
}

/** A hint for a text that is not the name of a zone: the names that it may stand for. */
export function timeZoneHint(text: string): string {
  const candidates = candidatesOf(text);
  if (candidates.length === 0) return "write a name such as Asia/Tokyo, Europe/Berlin or UTC";
  return `write ${new Intl.ListFormat("en-US", { type: "disjunction" }).format(candidates)}`;
}

/** Abbreviations that the IANA database has as zones of their own, with the rules of one place. */
const ABBREVIATED_ZONES = /^(?:CET|EET|MET|WET|EST|MST|HST|GMT|UCT|PRC|ROC|ROK)$/;

/**
 * The zone of a name in TZ, where the IANA database's names without an area (`Japan`, `EST5EDT`) are zones as well;
 * undefined for other texts. Intl knows more abbreviations, but resolves some to places that few people mean by them.
 */
export function readZoneVariable(text: string): string | undefined {
  const zone = readTimeZoneName(text);
  if (zone !== null) return zone;
  const isName = text.length > 3 || text === "GB" || text === "NZ" || ABBREVIATED_ZONES.test(text);
  return isName && isTimeZone(text) ? resolvedZone(text) : undefined;
}
