import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { cachedDataVersionTag } from "node:v8";
import type { Script } from "node:vm";
import { crc32 } from "node:zlib";
import { isPrivate, isPrivateFolder, makePrivateFolder } from "../../src/system/ownership.js";
import { attempt, type CacheFolderOptions, cacheFolder, currentUser } from "./cache-folder.js";

/** The code cache of this Node for one part of the program, in the user's cache folder. */
export interface CodeCache {
  /** Undefined without a cache that can be used. */
  readonly data: Buffer | undefined;
  /** Adds the functions that V8 has compiled by now, in the first runs only. Ignores write errors. */
  update(script: Pick<Script, "cachedDataRejected" | "createCachedData">): void;
}

export interface CodeCacheOptions extends CacheFolderOptions {
  readonly arch: string;
}

/** Content of a cache file after its checksum. */
interface Stored {
  readonly updates: number;
  readonly data: Buffer;
}

/** Runs that update the cache. An update takes 20 ms, and by then the usual commands have run. */
const MAX_UPDATES = 8;

/** The newest cache files that are kept, for other versions of Node and of the program. Each has 0.1 to 0.5 MB. */
const MAX_FILES = 40;

/** Of a cache file: the part's file name, the platform and the tag. */
const OWN_NAME = /^calctl-[^.]+\.js\../;

/** Two unsigned 32-bit integers: the CRC-32 of everything after it, and the number of updates. */
const HEADER_BYTES = 8;

/**
 * Finds and reads the code cache of this Node.
 * @param program file name of the part, which contains the hash of its content
 * @returns null where no folder can be determined
 */
export function openCodeCache(program: string, options: CodeCacheOptions): CodeCache | null {
  const { platform, arch } = options;
  const folder = cacheFolder(options);
  if (folder === null) return null;
  // Depends on the version of V8, its flags and the features of the CPU.
  const tag = cachedDataVersionTag();
  const path = join(folder, `${program}.${platform}-${arch}-${tag}`);
  const stored = readStored(folder, path);
  return {
    data: stored?.data,
    update(script) {
      const updates = (stored?.updates ?? 0) + 1;
      // If a command has set flags of V8, it would reject this cache in the next run.
      if (updates > MAX_UPDATES || cachedDataVersionTag() !== tag) return;
      // V8 discards functions that a long run no longer uses, so the larger cache is the better one.
      const loaded = script.cachedDataRejected === true ? undefined : stored?.data;
      attempt(() => {
        makePrivateFolder(folder);
        if (!isPrivateFolder(folder, currentUser())) return;
        write(path, () => ({ updates, data: larger(script.createCachedData(), loaded) }));
        removeOldest(folder, path);
      });
    },
  };
}

/** Null when it is missing, damaged (which would crash V8), or writable for other users, since it is code. */
function readStored(folder: string, path: string): Stored | null {
  return attempt(() => {
    if (!isPrivateFolder(folder, currentUser())) return null;
    const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    try {
      const fileStats = fstatSync(file);
      if (!fileStats.isFile() || !isPrivate(fileStats, currentUser())) return null;
      const content = readFileSync(file);
      if (content.readUInt32LE(0) !== crc32(content.subarray(4))) return null;
      return { updates: content.readUInt32LE(4), data: content.subarray(HEADER_BYTES) };
    } finally {
      closeSync(file);
    }
  });
}

/** Replaces the file atomically. Calls `create` only if the folder can be written to. */
function write(path: string, create: () => Stored): void {
  const temporary = `${path}.${process.pid}-${Date.now()}`;
  const file = openSync(temporary, "wx", 0o600);
  try {
    const { updates, data } = create();
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt32LE(updates, 4);
    header.writeUInt32LE(crc32(data, crc32(header.subarray(4))), 0);
    writeFileSync(file, header);
    writeFileSync(file, data);
    renameSync(temporary, path);
  } catch {
    rmSync(temporary, { force: true });
  } finally {
    closeSync(file);
  }
}

function removeOldest(folder: string, written: string): void {
  const others = readdirSync(folder)
    .filter((name) => OWN_NAME.test(name))
    .map((name) => join(folder, name))
    .filter((path) => path !== written)
    .map((path) => ({ path, time: lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .toSorted((a, b) => b.time - a.time);
  for (const { path } of others.slice(MAX_FILES - 1)) rmSync(path, { force: true });
}

function larger(data: Buffer, other: Buffer | undefined): Buffer {
  return other === undefined || other.length < data.length ? data : other;
}
