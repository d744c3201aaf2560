import type { FileFacts, Rule, Violation } from '../facts.ts';
import { FLOOR_OF_ROOM, isInSource, isTestFile, placeOf, relativeImports } from '../layout.ts';

const name = 'floors';

const ENGINE = FLOOR_OF_ROOM.engine ?? 0;

/** The files outside of `src/` that it may import. */
const OUTSIDE_SOURCE: readonly { readonly from: RegExp; readonly target: RegExp; readonly reason: string }[] = [
  { from: /^src\/main\//, target: /^package\.json$/, reason: 'the version that the command line prints' },
  { from: /^src\/main\//, target: /^docs\/guides\/[\w-]+\.md$/, reason: 'the guides that the gateway serves' },
];

/**
 * Requires imports to point down, so that a floor can be understood and tested without those above it. This includes the tests of the
 * engine and of the floors below it, which use fakes of the engine's ports. Tests of higher floors may use real components of any floor.
 */
export const floors: Rule = {
  name,
  check: (files) => files.filter((file) => isInSource(file.path)).flatMap(checkFile),
  unusedExceptions: (files) =>
    OUTSIDE_SOURCE.filter(
      ({ from, target }) =>
        !files.some((file) => from.test(file.path) && relativeImports(file).some((one) => target.test(one.target))),
    ).map(({ target }) => String(target)),
};

function checkFile(file: FileFacts): Violation[] {
  const from = placeOf(file.path);
  const isTest = isTestFile(file.path);
  if (from === undefined) {
    if (isTest) return [];
    const message = 'is in no known room; move it to a room, or give the new room a floor';
    return [{ path: file.path, line: 1, rule: name, message }];
  }
  if (isTest && from.floor > ENGINE) return [];
  return relativeImports(file).flatMap(({ target, line }) => {
    const outside = isTest ? undefined : outsideComplaint(file.path, target);
    const message = isInSource(target) ? complaint(from, target) : outside;
    return message === undefined ? [] : [{ path: file.path, line, rule: name, message }];
  });
}

function complaint(from: NonNullable<ReturnType<typeof placeOf>>, target: string): string | undefined {
  const to = placeOf(target);
  if (to === undefined) return `imports ${target}, which is in no known room; move that file to a room`;
  if (to.floor > from.floor) {
    return (
      `${from.room} (floor ${from.floor}) imports ${target} (floor ${to.floor}); move the shared code down, ` +
      'or pass it in through a port'
    );
  }
  if (to.floor === from.floor && to.room !== from.room) {
    return `${from.room} imports ${target} on its own floor; connect them through an engine port, wired in main`;
  }
  return undefined;
}

function outsideComplaint(path: string, target: string): string | undefined {
  if (OUTSIDE_SOURCE.some((entry) => entry.from.test(path) && entry.target.test(target))) return undefined;
  return `imports ${target} from outside src; move the code into src, or list the path with its reason in this rule`;
}
