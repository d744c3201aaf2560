import type { FileFacts, Rule, Violation } from '../facts.ts';
import { isTestFile, relativeImports } from '../layout.ts';

const name = 'dashboard';

/** The folders of the dashboard in the order in which they build on each other; files beside them are on top. */
const FLOORS = ['text', 'api', 'kit', 'shell', 'pages'];
const TOP = FLOORS.length;
/** The folder that all pages may import. */
const SHARED_PAGES = 'shared';

/**
 * Imports that may leave the dashboard. It runs in a browser and knows only the management API of the gateway; its build runs in its own
 * process.
 */
const OUTSIDE: readonly { readonly from: RegExp; readonly target: RegExp; readonly reason: string }[] = [
  {
    from: /^dashboard\/build\//,
    target: /^src\/transports\/shared\/(?:bundle|packed)\.ts$/,
    reason: 'the format of the built files, which the gateway reads',
  },
];

/** Isolates the dashboard: no imports lead from it into the gateway or back, and its pages do not import each other. */
export const dashboard: Rule = {
  name,
  check: (files) => files.filter(({ path }) => !isTestFile(path)).flatMap(checkFile),
  unusedExceptions: (files) =>
    OUTSIDE.filter(
      ({ from, target }) =>
        !files.some((file) => from.test(file.path) && relativeImports(file).some((one) => target.test(one.target))),
    ).map(({ target }) => String(target)),
};

function checkFile(file: FileFacts): Violation[] {
  return relativeImports(file).flatMap(({ target, line }) => {
    const message = complaint(file.path, target);
    return message === undefined ? [] : [{ path: file.path, line, rule: name, message }];
  });
}

function complaint(from: string, target: string): string | undefined {
  const [isFrom, isTo] = [from, target].map((path) => path.startsWith('dashboard/'));
  if (!isFrom && !isTo) return undefined;
  if (!isFrom) {
    // Tools read the whole project, and their tests are beside them.
    if (!from.startsWith('src/')) return undefined;
    return `imports ${target}; the gateway runs the dashboard's build as a process and must not import it`;
  }
  if (!isTo) {
    if (OUTSIDE.some((entry) => entry.from.test(from) && entry.target.test(target))) return undefined;
    return `imports ${target} from outside the dashboard; use the management API, or generate the shared code`;
  }
  return complaintWithin(partOf(from), partOf(target), target);
}

function complaintWithin(from: Part, to: Part, target: string): string | undefined {
  if (from.folder === 'build') return to.folder === 'build' ? undefined : buildComplaint(target);
  if (to.folder === 'build') return buildComplaint(target);
  // Images and styles have no floor.
  if (!/\.tsx?$/.test(target)) return undefined;
  if (to.floor > from.floor)
    return `imports ${target}, which builds on it; the order is ${FLOORS.join(' < ')} < the files beside them`;
  const isOtherPage = from.folder === 'pages' && to.folder === 'pages' && from.page !== to.page;
  if (!isOtherPage || to.page === SHARED_PAGES) return undefined;
  return `imports ${target} of another page; move the shared code to pages/${SHARED_PAGES}, or to the kit`;
}

function buildComplaint(target: string): string {
  return `imports ${target}; pages must not import the build, which only reads them as files`;
}

interface Part {
  readonly folder: string | undefined;
  readonly page: string | undefined;
  readonly floor: number;
}

function partOf(path: string): Part {
  const [, folder, page, ...rest] = path.split('/');
  if (page === undefined) return { folder: undefined, page: undefined, floor: TOP };
  const floor = FLOORS.indexOf(folder ?? '');
  return { folder, page: rest.length > 0 ? page : undefined, floor: floor < 0 ? TOP : floor };
}
