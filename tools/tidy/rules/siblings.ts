import type { FileFacts, Rule, Violation } from '../facts.ts';
import { isShippedSource, type Place, placeOf, relativeImports } from '../layout.ts';

const name = 'siblings';

/** Rooms whose folders are alternatives or separate use cases, with the folders in them that all others may import. */
const COMMON_FOLDERS: Readonly<Record<string, readonly string[]>> = {
  formats: ['shared'],
  providers: ['shared'],
  // The trainer makes the model of the matcher; the vector index imports neither.
  'semantic-cache': ['matcher'],
  stores: ['shared', 'sql'],
  transports: ['shared'],
};

/**
 * The rooms of the engine in the order in which they build on each other: a room may import those of earlier lines, but none of its own
 * line. `ports` imports none.
 */
const ENGINE_ORDER: readonly (readonly string[])[] = [
  ['ports'],
  ['access', 'captures', 'health', 'settings'],
  ['directory', 'mail'],
  ['channel-limits', 'guards'],
  ['call'],
  ['cache', 'servers'],
  ['tasks'],
  ['alerts', 'limits', 'operations'],
  ['guard-checks', 'price-lists'],
  ['admin', 'billing', 'channel-tests', 'model-listing', 'relay', 'retention', 'stored-responses'],
  ['explanation', 'key-usage', 'request-export'],
  ['batches'],
];

/** The operation of `formats` whose wires produce what the wires of all other operations do, so it may use what those share. */
const HOSTS = 'hosts';

/** Operations are siblings like the rooms around them; those that ask about a text request read and send it as text does. */
const BUILT_ON_TEXT: readonly string[] = ['token-count'];

/** Files directly in a room that define its shape. Any other file there (a registry) may import siblings, so no sibling may import it. */
const SHAPE_FILES: readonly string[] = ['formats/wire.ts', 'providers/manifest.ts'];

/** Forbids imports between siblings, so that a folder can be read, changed or deleted without looking into the others. */
export const siblings: Rule = {
  name,
  check: (files) => files.filter((file) => isShippedSource(file.path)).flatMap(checkFile),
};

function checkFile(file: FileFacts): Violation[] {
  const from = placeOf(file.path);
  if (from?.folder === undefined) return [];
  if (from.room === 'engine') return checkEngineFile(file, from.folder, from.rest);
  const common = COMMON_FOLDERS[from.room];
  if (common === undefined) return [];
  return relativeImports(file).flatMap(({ target, line }) => {
    const to = placeOf(target);
    if (to === undefined || to.room !== from.room || to.folder === from.folder) return [];
    const message = complaint(from, to, common, target);
    return message === undefined ? [] : [{ path: file.path, line, rule: name, message }];
  });
}

function checkEngineFile(file: FileFacts, folder: string, rest: string): Violation[] {
  return relativeImports(file).flatMap(({ target, line }) => {
    const to = placeOf(target);
    if (to?.room !== 'engine' || to.folder === undefined) return [];
    const message =
      to.folder === folder ? operationComplaint(folder, rest, to.rest) : engineComplaint(folder, to.folder);
    return message === undefined ? [] : [{ path: file.path, line, rule: name, message }];
  });
}

function engineComplaint(from: string, to: string): string | undefined {
  const stepOf = (room: string) => ENGINE_ORDER.findIndex((rooms) => rooms.includes(room));
  if (stepOf(from) === -1)
    return `engine/${from} has no place in the order of the engine's rooms; give it one in this rule`;
  if (stepOf(to) < stepOf(from)) return undefined;
  return `engine/${from} imports engine/${to}, which depends on it or is its sibling; move the common part down, or depend on a port`;
}

function operationComplaint(room: string, from: string, to: string): string | undefined {
  if (room !== 'operations') return undefined;
  const operationOf = (rest: string) => (rest.includes('/') ? rest.split('/')[0] : undefined);
  const [one, other] = [operationOf(from), operationOf(to)];
  if (one === undefined || other === undefined || one === other) return undefined;
  if (other === 'text' && BUILT_ON_TEXT.includes(one)) return undefined;
  return `the operation ${one} imports its sibling ${other}; move the common part to engine/call or a lower floor`;
}

function complaint(from: Place, to: Place, common: readonly string[], target: string): string | undefined {
  if (to.folder === undefined) {
    if (SHAPE_FILES.includes(`${to.room}/${to.rest}`)) return undefined;
    return `${from.room}/${from.folder} imports ${target}, a registry of its own room; move the common part to ${from.room}/shared`;
  }
  if (common.includes(to.folder) || (from.room === 'formats' && isCommonFormat(from.folder ?? '', to.folder)))
    return undefined;
  return (
    `${from.room}/${from.folder} imports its sibling ${to.room}/${to.folder}; move the common part to ` +
    `a folder named shared or a lower floor`
  );
}

/** Returns whether a wire may import this folder of an operation: what the operation's wires share, or the operation's own files. */
function isCommonFormat(from: string, to: string): boolean {
  const [fromOperation] = from.split('/');
  const [toOperation, toWire = 'shared'] = to.split('/');
  return from !== 'shared' && toWire === 'shared' && (toOperation === fromOperation || fromOperation === HOSTS);
}
