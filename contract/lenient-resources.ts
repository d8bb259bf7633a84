import { isJsonObject } from "./json.js";

/**
 * The resource objects as clients accept them: attributes may be missing, null or unknown, ids may be safe integers,
 * and only the JSON type of a value is checked. Without schemas, since a list of thousands would pay for the copies
 * that they make.
 * @see wire-notes.md in the project's specification
 */

/** Thrown for JSON that is not what the contract says. The message says where. */
export class ContractMismatch extends Error {
  override readonly name = "ContractMismatch";
}

function mismatch(path: string, expected: string, value: unknown): ContractMismatch {
  const where = path === "" ? "" : `${path}: `;
  return new ContractMismatch(`${where}expected ${expected} but received ${describeValue(value)}`);
}

function describeValue(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "Array";
  return typeof value === "object" ? "Object" : JSON.stringify(value).slice(0, MAX_SHOWN);
}

/** How much of a value is shown, in UTF-16 code units. */
const MAX_SHOWN = 60;

/** The members of an object, none of them checked. */
type Members = Readonly<Record<string, unknown>>;

/** A resource object of any type. `readText` and its like read its attributes, `readIdentifiers` its relationships. */
export interface LenientResource {
  readonly id: string;
  readonly type: string;
  readonly attributes: Members;
  readonly relationships: Members;
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null;
}

/** A resource object; itself where it is complete, as most are. @throws ContractMismatch */
function readResource(value: unknown, path: string): LenientResource {
  if (!isMembers(value)) throw mismatch(path, "Object", value);
  if (isResource(value)) return value;
  const { id, type, attributes, relationships } = value;
  const text = readId(id);
  if (text === null) throw mismatch(`${path}.id`, "a text or an integer", id);
  if (typeof type !== "string") throw mismatch(`${path}.type`, "String", type);
  if (attributes !== null && attributes !== undefined && !isMembers(attributes))
    throw mismatch(`${path}.attributes of ${type} ${text}`, "Object", attributes);
  return {
    id: text,
    type,
    attributes: attributes ?? {},
    relationships: isMembers(relationships) ? relationships : {},
  };
}

function isResource(value: Members): value is Members & LenientResource {
  const { id, type, attributes, relationships } = value;
  return (
    typeof id === "string" &&
    id !== "" &&
    typeof type === "string" &&
    isMembers(attributes) &&
    isMembers(relationships)
  );
}

/** Null for what is not an id. An integer beyond 2^53 has lost digits. */
function readId(id: unknown): string | null {
  if (typeof id === "string" && id !== "") return id;
  return typeof id === "number" && Number.isSafeInteger(id) ? String(id) : null;
}

/** A document: its primary data, and the resources of its `included`. */
export interface LenientDocument<T> {
  readonly data: T;
  readonly included: readonly LenientResource[];
}

/** A document whose `data` is one resource. @throws ContractMismatch */
export function readOneDocument(document: unknown): LenientDocument<LenientResource> {
  if (!isMembers(document)) throw mismatch("", "Object", document);
  return { data: readResource(document["data"], "data"), included: readIncluded(document["included"]) };
}

/** A document whose `data` is a list of resources. @throws ContractMismatch */
export function readListDocument(document: unknown): LenientDocument<readonly LenientResource[]> {
  if (!isMembers(document)) throw mismatch("", "Object", document);
  const { data, included } = document;
  if (!Array.isArray(data)) throw mismatch("data", "Array", data);
  return {
    data: data.map((resource, index) => readResource(resource, `data.${index}`)),
    included: readIncluded(included),
  };
}

/** Those without id and type are dropped, since nothing can refer to them. */
function readIncluded(included: unknown): readonly LenientResource[] {
  if (!Array.isArray(included)) return [];
  return included.flatMap((resource: unknown) => {
    try {
      return [readResource(resource, "included")];
    } catch (error) {
      if (error instanceof ContractMismatch) return [];
      throw error;
    }
  });
}

/**
 * The link to the next page of a list, which may be relative; null on the last one.
 * @throws ContractMismatch for a link of another type: the rest of the list must not be missed
 * @see JSON:API "Links"
 */
export function readNextLink(document: unknown): string | null {
  if (!isMembers(document)) throw mismatch("", "Object", document);
  const links = document["links"] ?? null;
  if (links === null) return null;
  if (!isMembers(links)) throw mismatch("links", "Object", links);
  const next = links["next"] ?? null;
  const address = isMembers(next) ? next["href"] : next;
  if (address === null || typeof address === "string") return address;
  throw mismatch("links.next", "String", address);
}

/** What the answer to `listChanges` has besides events. @see docs/extensions.md */
export interface ChangesMeta {
  readonly revision: number;
  readonly deleted: readonly string[];
  readonly detailsChanged: boolean;
}

/** @throws ContractMismatch */
export function readChangesMeta(document: unknown): ChangesMeta {
  const meta = isMembers(document) ? document["meta"] : undefined;
  if (!isMembers(meta)) throw mismatch("meta", "Object", meta);
  const { revision, deleted, details_changed: detailsChanged } = meta;
  if (typeof revision !== "number" || !Number.isSafeInteger(revision))
    throw mismatch("meta.revision", "an integer", revision);
  if (!Array.isArray(deleted) || !deleted.every(isText))
    throw mismatch("meta.deleted", "a list of ids", deleted);
  if (typeof detailsChanged !== "boolean") throw mismatch("meta.details_changed", "Boolean", detailsChanged);
  return { revision, deleted, detailsChanged };
}

/** The category of the events that a list has; null when the service did not limit it to one. @see docs/extensions.md */
export function readListedCategory(document: unknown): unknown {
  const meta = isMembers(document) ? document["meta"] : undefined;
  return isMembers(meta) ? (meta["category"] ?? null) : null;
}

/** How many occurrences of a written series stay as they are; 0 where a service does not tell. @see docs/extensions.md */
export function readKept(document: unknown): number {
  const meta = isMembers(document) ? document["meta"] : undefined;
  const kept = isMembers(meta) ? meta["kept"] : undefined;
  return typeof kept === "number" ? kept : 0;
}

/** Where the service is, as far as it alone knows it; null otherwise. @see docs/extensions.md */
export function readBaseUrl(document: unknown): string | null {
  const meta = isMembers(document) ? document["meta"] : undefined;
  return isMembers(meta) ? readText(meta["base_url"], "base_url") : null;
}

function attributeReader<T>(type: string, isOfType: (value: unknown) => value is T) {
  return (value: unknown, name: string): T | null => {
    if (isOfType(value)) return value;
    if (value === null || value === undefined) return null;
    throw mismatch(`attributes.${name}`, type, value);
  };
}

/** Reads an attribute of a resource, whose name is for messages; null if it is missing. @throws ContractMismatch */
export const readText = attributeReader("String", isText);
export const readFlag = attributeReader("Boolean", (value) => typeof value === "boolean");
export const readNumber = attributeReader(
  "Number",
  // JSON.parse reads numbers such as 1e999 as Infinity.
  (value): value is number => typeof value === "number" && Number.isFinite(value),
);

/** The texts of a list; other items are left out. Empty if it is missing. */
export function readTexts(value: unknown, name: string): readonly string[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) throw mismatch(`attributes.${name}`, "Array", value);
  return value.every(isText) ? value : value.filter(isText);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** @see JSON:API "Resource Identifier Objects" */
export interface ResourceIdentifier {
  readonly id: string;
  readonly type: string;
}

/**
 * The identifiers in a to-one or to-many relationship. Entries without an id are dropped.
 * @param type the type of an entry that has none
 * @throws ContractMismatch for a numeric id that is not an integer up to 2^53: dropping it could remove an attendee
 */
export function readIdentifiers(relationship: unknown, type: string): readonly ResourceIdentifier[] {
  const data = isJsonObject(relationship) ? (relationship["data"] ?? null) : null;
  if (data === null) return [];
  const entries: readonly unknown[] = Array.isArray(data) ? data : [data];
  if (entries.every(isIdentifier)) return entries;
  return entries.flatMap((entry) => {
    if (!isMembers(entry)) return [];
    const id = readId(entry["id"]);
    if (id !== null) return [{ id, type: isText(entry["type"]) ? entry["type"] : type }];
    if (typeof entry["id"] === "number") throw mismatch("relationships: id", "an integer", entry["id"]);
    return [];
  });
}

function isIdentifier(entry: unknown): entry is ResourceIdentifier {
  if (!isJsonObject(entry)) return false;
  return typeof entry["id"] === "string" && entry["id"] !== "" && typeof entry["type"] === "string";
}
