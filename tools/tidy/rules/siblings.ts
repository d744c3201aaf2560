import type { FileFacts, Rule, Violation } from '../facts.ts';
import { isShippedSource, type Place, placeOf, relativeImports } from '../layout.ts';

const name = 'siblings';

/** Rooms whose folders are alternatives or separate use cases, and the folders in them that all the others may import. */
const COMMON_FOLDERS: Readonly<Record<string, readonly string[]>> = {
  formats: ['shared'],
  providers: ['shared'],
  engine: ['shared', 'ports'],
  stores: ['shared'],
  transports: ['shared'],
};

/** Files directly in a room that define its shape. Any other file there (a registry) may import siblings, so no sibling may import it. */
const SHAPE_FILES: readonly string[] = ['formats/format.ts', 'formats/quirk.ts', 'providers/manifest.ts'];

/** One folder can be read, changed or deleted without looking into the folders beside it. */
export const siblings: Rule = {
  name,
  check: (files) => files.filter((file) => isShippedSource(file.path)).flatMap(checkFile),
};

function checkFile(file: FileFacts): Violation[] {
  const from = placeOf(file.path);
  if (from?.folder === undefined) return [];
  const common = COMMON_FOLDERS[from.room];
  if (common === undefined) return [];
  return relativeImports(file).flatMap(({ target, line }) => {
    const to = placeOf(target);
    if (to === undefined || to.room !== from.room || to.folder === from.folder) return [];
    const message = complaint(from, to, common, target);
    return message === undefined ? [] : [{ path: file.path, line, rule: name, message }];
  });
}

function complaint(from: Place, to: Place, common: readonly string[], target: string): string | undefined {
  if (to.folder === undefined) {
    if (SHAPE_FILES.includes(`${to.room}/${to.rest}`)) return undefined;
    return `${from.room}/${from.folder} imports ${target}, a registry of its own room; move the common part to ${from.room}/shared`;
  }
  if (common.includes(to.folder)) return undefined;
  return (
    `${from.room}/${from.folder} imports its sibling ${to.room}/${to.folder}; move the common part to ` +
    `${from.room}/shared${from.room === 'engine' ? ', or depend on a port' : ' or a lower floor'}`
  );
}
