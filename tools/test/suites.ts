import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRequirement, type Requirement } from './requirements.ts';

/** The means that a test may use, which decide where it belongs (docs/testing.md). */
export type Level = 'unit' | 'conformance' | 'acceptance';

/** A folder of tests, which is run or skipped as a whole. */
export interface Suite {
  /** Its folder, such as `src/formats` or `acceptance/redis`. */
  readonly name: string;
  readonly level: Level;
  /** The test files, relative to the root. */
  readonly files: readonly string[];
  /** The machine's requirements; only acceptance suites have any. */
  readonly needs: readonly Requirement[];
}

/** Trees with tests beside the code; the first has a suite per folder, since it has most of the files. */
const UNIT_TREES = ['src', 'dashboard', 'tools', 'bench'];
const TEST_FILES = new Bun.Glob('{src,dashboard,tools,bench,conformance,acceptance}/**/*.test.{ts,tsx}');

/** Returns all test files of the project, sorted. */
export function testFilesOf(root: string): readonly string[] {
  return [...TEST_FILES.scanSync({ cwd: root })].sort();
}

/** Assigns every test file to exactly one suite by its folder. Throws if a suite's `suite.json` is missing or invalid. */
export function suitesOf(root: string): readonly Suite[] {
  const bySuite = Map.groupBy(testFilesOf(root), suiteNameOf);
  return [...bySuite].map(([name, files]) => {
    const level = levelOf(name);
    return { name, level, files, needs: level === 'acceptance' ? needsOf(root, name) : [] };
  });
}

function suiteNameOf(file: string): string {
  const [tree = '', folder = ''] = file.split('/');
  return tree === 'src' || tree === 'acceptance' ? `${tree}/${folder}` : tree;
}

function levelOf(suite: string): Level {
  const [tree = ''] = suite.split('/');
  if (UNIT_TREES.includes(tree)) return 'unit';
  return tree === 'conformance' ? 'conformance' : 'acceptance';
}

function needsOf(root: string, suite: string): readonly Requirement[] {
  const file = join(root, suite, 'suite.json');
  if (!existsSync(file)) throw new Error(`${suite}/suite.json is missing: {"about": "…", "needs": []}`);
  const { about, needs } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly about?: unknown;
    readonly needs?: unknown;
  };
  if (typeof about !== 'string' || !Array.isArray(needs) || !needs.every(isRequirement)) {
    throw new Error(`${suite}/suite.json must have "about", a sentence, and "needs", a list of known requirements`);
  }
  return needs;
}

/** Returns the folders in `acceptance/` that are suites, which excludes `shared`. */
export function acceptanceFolders(root: string): readonly string[] {
  return readdirSync(join(root, 'acceptance'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'shared')
    .map(({ name }) => `acceptance/${name}`);
}
