import { chmod, mkdir, mkdtemp, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { until } from '../../conformance/shared/until.ts';
import { PROJECT } from '../../conformance/shared/workspace.ts';

/* The files that users install. Each takes seconds of a core, so a run builds it once for all its tests. */

/** Resolves to the path of the single executable for this machine. */
export const builtExecutable = (): Promise<string> => onceARun('executable', 'switchyard');

/** Resolves to the path of the npm package's tarball. */
export const builtPackage = (): Promise<string> => onceARun('package', 'switchyard-*.tgz');

/** The temporary folder that all processes of a run share (tools/test/temporary-folder.ts). */
const RUN_FOLDER = /^switchyard-\d+$/;

/** Returns whether `npm test` has started this process, so that builds are shared. */
export const isPartOfRun = (): boolean => RUN_FOLDER.test(basename(tmpdir()));

/** @param file the pattern of the file that is made */
async function onceARun(what: string, file: string): Promise<string> {
  const isShared = isPartOfRun();
  const folder = isShared ? join(tmpdir(), `built-${what}`) : await ownFolder(what);
  const outcome = join(folder, 'outcome');
  const isOurs = !isShared || (await isCreated(folder));
  if (isOurs) {
    await writeFile(join(folder, 'unfinished'), await build(what, folder));
    await rename(join(folder, 'unfinished'), outcome);
  } else await until(`another process has built the ${what}`, () => Bun.file(outcome).exists());
  const problem = await Bun.file(outcome).text();
  if (problem !== '') throw new Error(`the ${what} was not built: ${problem}`);
  const [name = ''] = await Array.fromAsync(new Bun.Glob(file).scan({ cwd: folder }));
  return join(folder, name);
}

/** Creates a folder that other users may enter, as a test does. */
async function ownFolder(what: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `switchyard-built-${what}-`));
  await chmod(folder, 0o711);
  return folder;
}

/** Creates a folder, and resolves to whether it did not exist before. */
function isCreated(folder: string): Promise<boolean> {
  return mkdir(folder).then(
    () => true,
    () => false,
  );
}

/** Resolves to the error output, or to an empty text when the build has succeeded. */
async function build(what: string, folder: string): Promise<string> {
  const child = Bun.spawn([process.execPath, 'tools/build/main.ts', what, '--fast', '--out', folder], {
    cwd: PROJECT,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  const exitCode = await child.exited;
  return exitCode === 0 ? '' : errors || `exit code ${exitCode}`;
}
