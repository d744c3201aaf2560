import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The selection on the command line. */
export interface Selection {
  /** Whether to include the acceptance suites. */
  readonly all: boolean;
  /** Files, or the beginnings of their paths; empty for all. `matching` says what else finds them. */
  readonly paths: readonly string[];
  /** A test's name or a part of it, as `bun test -t` takes it; `null` for all. */
  readonly name: string | null;
  /** Whether to save the times of this run for the division of later ones. */
  readonly updateTimings: boolean;
}

export const USAGE = `Usage: npm test                          type check, lint, house rules, unit and conformance tests
       npm run test:all                  the same and the acceptance tests
       npm test -- src/engine/billing    the tests of one folder or file (part of its path is enough)
       npm test -- -t "name of a test"   tests with this name
Options: --all, --update-timings, -t <name>, --help`;

/** Throws an `Error` with one sentence for an unknown argument. */
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
    } else if (argument.startsWith('-')) throw new Error(`unknown option ${argument}`);
    else paths.push(argument.replace(/^\.\//, ''));
  }
  return { ...found, paths };
}

/** Returns the selected files. Throws for a path that matches none. */
export function selectedFiles(root: string, files: readonly string[], { paths, name }: Selection): readonly string[] {
  const chosen = new Set(paths.flatMap((path) => matching(files, path)));
  const inPaths = paths.length === 0 ? files : files.filter((file) => chosen.has(file));
  return name === null ? inPaths : filesNaming(root, inPaths, name);
}

/** Returns the files whose path begins with this one, or else those that have its parts in this order: `formats/gemini` finds `src/formats/text/gemini`. */
function matching(files: readonly string[], path: string): readonly string[] {
  const beginning = files.filter((file) => file.startsWith(path));
  if (beginning.length > 0) return beginning;
  const parts = new RegExp(`(?:^|/)${path.split('/').map(RegExp.escape).join('/(?:.*/)?')}`);
  const found = files.filter((file) => parts.test(file));
  if (found.length === 0) throw new Error(`no test file matches ${path}`);
  return found;
}

/**
 * Loading every test file for one test takes half a minute, so this returns the files whose text contains the name, or each part of a name
 * such as `group > test`. A name that is computed at run time is in no text; then all files are returned.
 */
function filesNaming(root: string, files: readonly string[], name: string): readonly string[] {
  const parts = name.split(' > ');
  const naming = files.filter((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return parts.every((part) => text.includes(part) || text.includes(part.replaceAll("'", "\\'")));
  });
  return naming.length > 0 ? naming : files;
}
