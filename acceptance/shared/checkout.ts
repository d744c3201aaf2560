import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { releases } from '../../conformance/releases/release.ts';
import { PROJECT } from '../../conformance/shared/workspace.ts';

/** The folders and files of an earlier version that it needs to run. */
const NEEDED = ['src', 'dashboard', 'docs', 'package.json', 'tsconfig.json'];

/** An earlier version of the program, as its commit has it, with the packages of this one. */
export interface Checkout {
  /** The command that runs the gateway and its commands. */
  readonly program: readonly string[];
  remove(): Promise<void>;
}

/** Whether the repository has the commit of every release, which a shallow clone lacks. */
export function hasReleaseHistory(): boolean {
  const commits = releases().map(({ commit }) => `${commit}^{commit}`);
  return commits.every((commit) => Bun.spawnSync(['git', 'cat-file', '-e', commit], { cwd: PROJECT }).success);
}

/** Copies the files of a commit to a temporary folder. */
export async function checkOut(commit: string): Promise<Checkout> {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-checkout-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const archive = Bun.spawn(['git', 'archive', commit, ...NEEDED], { cwd: PROJECT, stdout: 'pipe', stderr: 'pipe' });
    const unpack = Bun.spawn(['tar', '-x', '-C', folder], { stdin: archive.stdout, stderr: 'pipe' });
    const [exitCode, problem] = [await archive.exited, await archive.stderr.text()];
    if (exitCode !== 0 || (await unpack.exited) !== 0) throw new Error(`${commit} cannot be checked out: ${problem}`);
    await symlink(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
  } catch (error) {
    await remove();
    throw error;
  }
  return { program: [process.execPath, join(folder, 'src', 'main', 'switchyard.ts')], remove };
}
