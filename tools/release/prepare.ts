import { join } from 'node:path';
import { run } from '../build/run.ts';
import { hasRelease, LOG_FORMAT, parseLog, renderCommits, withRelease } from './changelog.ts';
import { compareVersions, parseVersion, withChartVersion, withLockVersion, withPackageVersion } from './version.ts';

/** The files that state the version. */
const STATED: readonly { readonly path: string; readonly change: (text: string, version: string) => string }[] = [
  { path: 'package.json', change: withPackageVersion },
  { path: 'package-lock.json', change: withLockVersion },
  { path: 'deploy/helm/switchyard/Chart.yaml', change: withChartVersion },
];
const CHANGELOG = 'CHANGELOG.md';

/** A problem of the request or the checkout. The message says what to do. */
export class ReleaseError extends Error {}

/**
 * Makes the checkout state the version, with a section in the changelog, and commits that. Does nothing if it does already, so that a
 * release can be built again from its tag. Rejects with a `ReleaseError` if files differ from the last commit.
 *
 * @param day the date in the changelog, such as 2026-11-29
 */
export async function prepare(root: string, version: string, day: string): Promise<'committed' | 'as it was'> {
  const wanted = parseVersion(version);
  if (wanted === null)
    throw new ReleaseError(`${JSON.stringify(version)} is not a version such as 1.2.3 or 1.2.3-rc.1`);
  if ((await git(root, 'status', '--porcelain', '--untracked-files=no')) !== '')
    throw new ReleaseError('there are uncommitted changes: commit or stash them first');
  const read = (path: string) => Bun.file(join(root, path)).text();
  const changelog = await read(CHANGELOG);
  const current: string = JSON.parse(await read('package.json')).version;
  if (hasRelease(changelog, version)) {
    if (current === version) return 'as it was';
    throw new ReleaseError(
      `${version} has been released, and this checkout has version ${current}: check out v${version}`,
    );
  }
  const known = parseVersion(current);
  if (known !== null && compareVersions(wanted, known) < 0)
    throw new ReleaseError(`${version} is older than the current version, ${current}`);
  const changed = [CHANGELOG];
  await Bun.write(join(root, CHANGELOG), withRelease(changelog, version, day, renderCommits(await newCommits(root))));
  for (const { path, change } of STATED) {
    if (!(await Bun.file(join(root, path)).exists())) continue;
    await Bun.write(join(root, path), change(await read(path), version));
    changed.push(path);
  }
  await git(root, 'commit', '--quiet', '--message', `chore(release): ${version}`, '--', ...changed);
  return 'committed';
}

/** Resolves to the commits since the last release; to none for the first one. */
async function newCommits(root: string) {
  const last = await git(root, 'tag', '--merged', 'HEAD', '--sort=-creatordate', '--list', 'v[0-9]*');
  const [tag = ''] = last.split('\n');
  return tag === '' ? [] : parseLog(await git(root, 'log', `--format=${LOG_FORMAT}`, '--no-merges', `${tag}..HEAD`));
}

export async function git(root: string, ...args: readonly string[]): Promise<string> {
  return (await run(['git', ...args], { cwd: root })).trim();
}
