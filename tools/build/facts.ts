import type { Build } from '../../src/main/build.ts';

const MILLISECONDS = 1_000;

/** The moment that a build states as its date: `SOURCE_DATE_EPOCH` in seconds (reproducible-builds.org), or now. Throws if it is not a number. */
export function buildDate(environment: Readonly<Record<string, string | undefined>>, nowMs: number): string {
  const { SOURCE_DATE_EPOCH: epoch } = environment;
  if (epoch !== undefined && !/^\d{1,12}$/.test(epoch))
    throw new Error(`SOURCE_DATE_EPOCH must be whole seconds since 1970 (got ${JSON.stringify(epoch)})`);
  const seconds = epoch === undefined ? Math.floor(nowMs / MILLISECONDS) : Number(epoch);
  return new Date(seconds * MILLISECONDS).toISOString().replace('.000Z', 'Z');
}

/** Returns the facts that a build of the sources in `root` prints. `SWITCHYARD_COMMIT` names the commit where there is no git. */
export function buildFacts(root: string, environment: Readonly<Record<string, string | undefined>>): Build {
  return { commit: environment.SWITCHYARD_COMMIT || commitOf(root), date: buildDate(environment, Date.now()) };
}

/** Returns the abbreviated commit, with `+changes` if files differ from it; `null` outside of a git checkout. */
function commitOf(root: string): string | null {
  const commit = git(root, 'rev-parse', '--short=12', 'HEAD');
  if (commit === null) return null;
  return git(root, 'status', '--porcelain', '--untracked-files=no') === '' ? commit : `${commit}+changes`;
}

function git(root: string, ...args: readonly string[]): string | null {
  if (Bun.which('git') === null) return null;
  const { exitCode, stdout } = Bun.spawnSync(['git', ...args], { cwd: root, stderr: 'ignore' });
  return exitCode === 0 ? stdout.toString().trim() : null;
}
