import { readFile, stat, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { size } from '../../memory.ts';
import type { Settings } from '../settings.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** Below this, SQLite may fail to commit a charge. */
const NEEDED_BYTES = 100 * 1024 * 1024;
/** Room for some days of a busy gateway's logs (docs/sizing.md). */
const COMFORTABLE_BYTES = 1024 ** 3;
const FEWEST_FILES = 1_000;

/** Returns the free space at a path or at its nearest existing parent, in bytes, and the number of files that can still be made. */
export async function freeAt(path: string): Promise<{ readonly bytes: number; readonly files: number }> {
  const found = await statfs(path).catch(() => null);
  // Some file systems count no files.
  if (found !== null) return { bytes: found.bavail * found.bsize, files: found.files === 0 ? Infinity : found.ffree };
  const parent = dirname(path);
  return parent === path ? { bytes: Infinity, files: Infinity } : freeAt(parent);
}

/** Checks that the disk of the data folder has room. */
export async function checkDisk({ dataDirectory }: Pick<Settings, 'dataDirectory'>): Promise<Finding> {
  return judgeDisk(await freeAt(resolve(dataDirectory)));
}

export function judgeDisk({ bytes, files }: Awaited<ReturnType<typeof freeAt>>): Finding {
  const subject = 'disk';
  if (files < FEWEST_FILES) return fail(subject, `only ${files} more files can be made (inodes): delete small files`);
  const free = `${size(bytes)} free`;
  const remedy = 'free some space, or shorten what is kept (docs/retention.md)';
  if (bytes < NEEDED_BYTES) return fail(subject, `${free}, too little to store charges safely: ${remedy}`);
  if (bytes < COMFORTABLE_BYTES) return warn(subject, `${free}, which is little: ${remedy}`);
  return ok(subject, free);
}

/** The literal value of a secret; one that is read from the environment has the form `${NAME}`. */
const SECRET_IN_FILE =
  /(?:api_key|secret\w*|token|password|smtp_url)["']?\s*:\s*["']?(?!\$\{|["']?\s*$|null)[^\s"'{[]/im;

/** Checks that other users of the machine can neither read secrets nor change what the gateway does. */
export async function checkModes({ dataDirectory, configurationPath }: Settings): Promise<readonly Finding[]> {
  if (process.platform === 'win32') return [];
  const subject = 'file modes';
  const found: Finding[] = [];
  const folder = resolve(dataDirectory);
  const folderMode = await modeOf(folder);
  if (folderMode !== null && (folderMode & 0o022) !== 0) {
    found.push(
      warn(subject, `${folder} can be changed by other users (mode ${text(folderMode)}): run "chmod 700 ${folder}"`),
    );
  } else if (folderMode !== null && (folderMode & 0o005) !== 0 && ((await modeOf(databaseIn(folder))) ?? 0) & 0o004) {
    found.push(warn(subject, `the database in ${folder} can be read by other users: run "chmod 700 ${folder}"`));
  }
  const fileMode = configurationPath === null ? null : await modeOf(configurationPath);
  if (configurationPath !== null && fileMode !== null) {
    if ((fileMode & 0o022) !== 0) {
      found.push(
        warn(
          subject,
          `${configurationPath} can be changed by other users (mode ${text(fileMode)}): run "chmod go-w ${configurationPath}"`,
        ),
      );
    }
    if ((fileMode & 0o004) !== 0 && SECRET_IN_FILE.test(await readFile(configurationPath, 'utf8').catch(() => ''))) {
      found.push(
        warn(
          subject,
          `${configurationPath} contains secrets and can be read by other users (mode ${text(fileMode)}): run "chmod o-r ${configurationPath}", or write \${NAME} and set the variable`,
        ),
      );
    }
  }
  return found.length > 0 ? found : [ok(subject, 'only this user can change the data folder and the configuration')];
}

function databaseIn(folder: string): string {
  return resolve(folder, 'switchyard.sqlite');
}

async function modeOf(path: string): Promise<number | null> {
  const found = await stat(path).catch(() => null);
  return found === null ? null : found.mode & 0o777;
}

function text(mode: number): string {
  return mode.toString(8).padStart(3, '0');
}
