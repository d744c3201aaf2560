import { posix } from 'node:path';
import type { FileFacts, ImportFact } from './facts.ts';

/**
 * The rooms of `src/` and their floors: an import points only down. `semantic-cache` is on the floor of the stores because it implements
 * ports of the engine, as they do; it is large and specialized, and only `main` may know which matcher and index the engine gets. `demo`
 * writes through the engine's use cases like a transport, and only the command `demo` in `main` imports it.
 */
export const FLOOR_OF_ROOM: Readonly<Record<string, number>> = {
  domain: 0,
  formats: 1,
  providers: 2,
  engine: 3,
  demo: 4,
  telemetry: 4,
  'semantic-cache': 4,
  stores: 4,
  'sign-in': 4,
  upstream: 4,
  transports: 4,
  main: 5,
};

export interface Place {
  readonly room: string;
  readonly floor: number;
  /**
   * The folder within the room; undefined for a file directly in the room. In `formats` it is the operation and the wire (`text/gemini`),
   * or the operation alone for a file directly in its folder.
   */
  readonly folder: string | undefined;
  /** The path in that folder, or else in the room. */
  readonly rest: string;
}

/** Returns undefined for paths outside of `src/` or in no known room. */
export function placeOf(path: string): Place | undefined {
  const [top, room, ...below] = path.split('/');
  if (top !== 'src' || room === undefined) return undefined;
  const floor = Object.hasOwn(FLOOR_OF_ROOM, room) ? FLOOR_OF_ROOM[room] : undefined;
  if (floor === undefined) return undefined;
  const depth = Math.min(below.length - 1, room === 'formats' && below[0] !== 'shared' ? 2 : 1);
  const folder = depth === 0 ? undefined : below.slice(0, depth).join('/');
  return { room, floor, folder, rest: below.slice(depth).join('/') };
}

export function isInSource(path: string): boolean {
  return path.startsWith('src/');
}

/** Matches tests, and the suites and fakes that tests share in a folder named `testing`. */
export function isTestFile(path: string): boolean {
  return /\.test\.tsx?$/.test(path) || path.split('/').includes('testing');
}

/** Also matches a file that declares tests for several test files, such as the same cases over exchanges and over recordings. */
export function holdsTests({ path, imports }: FileFacts): boolean {
  return isTestFile(path) || imports.some(({ specifier }) => specifier === 'bun:test');
}

/**
 * Matches the trainer of the semantic matcher. It is beside the code whose model it makes, because the two change together; developers run
 * it, and it is not part of the gateway.
 */
export function isTrainer(path: string): boolean {
  return path.startsWith('src/semantic-cache/training/');
}

/** Returns whether results may depend only on arguments: in the domain, and in the matcher, which judges two texts. */
export function isPure(path: string): boolean {
  return path.startsWith('src/domain/') || path.startsWith('src/semantic-cache/matcher/');
}

export function isShippedSource(path: string): boolean {
  return isInSource(path) && !isTestFile(path) && !isTrainer(path);
}

export function isShippedDashboard(path: string): boolean {
  return path.startsWith('dashboard/') && !isTestFile(path);
}

/** Returns the project path that a relative import names; undefined for a package or a module of the runtime. */
export function resolveImport(fromPath: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  return posix.normalize(posix.join(posix.dirname(fromPath), specifier.replace(/\?.*$/, '')));
}

export interface ResolvedImport extends ImportFact {
  readonly target: string;
}

export function relativeImports(file: FileFacts): ResolvedImport[] {
  return file.imports.flatMap((fact) => {
    const target = resolveImport(file.path, fact.specifier);
    return target === undefined ? [] : [{ ...fact, target }];
  });
}
