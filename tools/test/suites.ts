import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Paths below the root that `bun test` runs in a process of its own. */
export interface Suite {
  readonly name: string;
  readonly paths: readonly string[];
  /** Whether it mostly waits, so that another may run beside it without taking a core from it. */
  readonly waits?: boolean;
  /** How many processes share its files, so that the longest does not run on alone in the end. */
  readonly parts?: number;
}

/** The longest first, since two run at a time. A folder is without what another suite names of it. */
const NAMED: readonly Suite[] = [
  { name: 'limits', paths: ['conformance/limits', 'conformance/limits.test.ts'], waits: true },
  { name: 'money', paths: ['conformance/money'], parts: 2 },
  { name: 'first light', paths: ['conformance/first-light'] },
  { name: 'conformance', paths: ['conformance'], parts: 5 },
  // Each file has a gateway of its own; those of a part share a Chromium.
  { name: 'dashboard', paths: ['conformance/dashboard'], parts: 3 },
  {
    name: 'tasks',
    paths: [
      'conformance/tasks-hostile.test.ts',
      'conformance/tasks-operators.test.ts',
      'conformance/tasks-providers.test.ts',
      'conformance/tasks-recordings.test.ts',
      'conformance/tasks.test.ts',
    ],
    waits: true,
  },
  { name: 'killed gateways', paths: ['conformance/tasks-crash', 'conformance/tasks-crash.test.ts'] },
  { name: 'stores', paths: ['src/stores'] },
  {
    name: 'failing upstreams',
    paths: [
      'conformance/faults',
      'conformance/faults.test.ts',
      'conformance/routing',
      'conformance/disconnect',
      'conformance/disconnect.test.ts',
    ],
  },
  // By itself, since it compares CPU times: what other tests leave behind would be collected in its time.
  { name: 'growth', paths: ['conformance/growth'] },
  { name: 'leaves', paths: ['conformance/leaves', 'conformance/leaves.test.ts'] },
  {
    name: 'documentation',
    paths: ['conformance/guides', 'conformance/guides.test.ts', 'conformance/reference.test.ts'],
  },
  // Published clients: one test by itself, and minutes where they are asked for.
  { name: 'clients', paths: ['conformance/clients.test.ts'] },
  { name: 'rooms', paths: ['src', 'dashboard', 'tools', 'bench'], parts: 2 },
];

/**
 * All tests below `root`, each in one suite: the one that names it, or the nearest folder above it. A suite of which nothing is
 * there is left out.
 */
export function suitesOf(root: string): readonly Suite[] {
  const taken = new Set(NAMED.flatMap(({ paths }) => paths));
  return NAMED.map((suite) => ({
    ...suite,
    paths: suite.paths.flatMap((path) => (exists(join(root, path)) ? untaken(root, path, taken) : [])),
  })).filter(({ paths }) => paths.length > 0);
}

/** The folder itself, or its parts where some of them belong to another suite. */
function untaken(root: string, path: string, taken: ReadonlySet<string>): readonly string[] {
  if (![...taken].some((other) => other.startsWith(`${path}/`))) return [path];
  return readdirSync(join(root, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || entry.name.endsWith('.test.ts'))
    .map(({ name }) => `${path}/${name}`)
    .filter((part) => !taken.has(part));
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
