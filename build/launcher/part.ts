import { constants, Script } from "node:vm";

interface Module {
  exports: unknown;
}

type Chunk = (module: Module, exports: unknown) => void;
type LoadChunk = (part: string, index: number) => unknown;
type Require = (name: string) => unknown;

/** A part of the program: a function that returns its chunks. */
export type Part = (require: Require, loadChunk: LoadChunk) => readonly Chunk[];

/** What `import()` and `require()` of a chunk were made into. Each chunk is run once, when it is first needed. */
export function createLoader(require: Require, openPart: (name: string) => Part): LoadChunk {
  const parts = new Map<string, readonly Chunk[]>();
  const modules = new Map<Chunk | undefined, Module>();
  const loadChunk: LoadChunk = (name, index) => {
    const part = parts.get(name) ?? openPart(name)(require, loadChunk);
    parts.set(name, part);
    const chunk = part[index];
    const loaded = modules.get(chunk);
    if (loaded !== undefined) return loaded.exports;
    const module: Module = { exports: {} };
    modules.set(chunk, module);
    chunk?.(module, module.exports);
    return module.exports;
  };
  return loadChunk;
}

/**
 * Compiles a part.
 * @param text ASCII
 * @param cachedData its code cache, undefined for none
 */
export function compilePart(path: string, text: Buffer, cachedData: Buffer | undefined): Script {
  return new Script(text.toString("latin1"), {
    filename: path,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
}
