import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the command line asks for. */
export interface Selection {
  /** Everything, with the acceptance suites. */
  readonly all: boolean;
  /** Folders, files, or the beginnings of their paths; empty for all. */
  readonly paths: readonly string[];
  /** A test's name or a part of it, as `bun test -t` takes it; `null` for all. */
  readonly name: string | null;
  /** Whether the times of this run are kept for the division of later ones. */
  readonly updateTimings: boolean;
}

export const USAGE = `Usage: npm test                          type check, lint, house rules, unit and conformance tests
       npm run test:all                  these and the acceptance tests
       npm test -- src/engine/billing    the tests of one folder or file
       npm test -- -t "name of a test"   tests with this name
Options: --all, --update-timings, -t <name>, --help`;

/** Throws an `Error` with one sentence where an argument is not known. */
export function selectionFrom(args: readonly string[]): Selection {
  const paths: string[] = [];
  const found = { all: false, updateTimings: false, name: null as string | null };
  const left = [...args];
  for (let argument = left.shift(); argument !== undefined; argument = left.shift()) {
    if (argument === '--all') found.all = true;
    else if (argument === '--update-timings') found.updateTimings = true;
    else if (argument === '-t' || argument === '--test-name-pattern') {
      const name = left.shift();
      if (name === undefined) throw new Error('-t must be followed by the name of a test');
      found.name = name;
    } else if (argument.startsWith('-')) throw new Error(`${argument} is not an option of this command`);
    else paths.push(argument.replace(/^\.\//, '').replace(/\/$/, ''));
  }
  return { ...found, paths };
}

/** Those of `files` that the selection means. A path that means none is an error. */
export function selectedFiles(root: string, files: readonly string[], { paths, name }: Selection): readonly string[] {
  for (const path of paths) {
    if (!files.some((file) => file.startsWith(path))) throw new Error(`no test file begins with ${path}`);
  }
  const inPaths = paths.length === 0 ? files : files.filter((file) => paths.some((path) => file.startsWith(path)));
  return name === null ? inPaths : filesNaming(root, inPaths, name);
}

/**
 * To load every test file for one test takes half a minute, so those are read whose text has the name, or each part of a name such as
 * `group > test`. A name that is put together when the test runs is found in no text; then every file may have it.
 */
function filesNaming(root: string, files: readonly string[], name: string): readonly string[] {
  const parts = name.split(' > ');
  const naming = files.filter((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return parts.every((part) => text.includes(part) || text.includes(part.replaceAll("'", "\\'")));
  });
  return naming.length > 0 ? naming : files;
}
