import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import packageJson from '../../../../package.json' with { type: 'json' };
import { CommandError } from '../command-error.ts';
import { masterSecretPath, readMasterSecret } from '../master-secret.ts';
import type { Settings } from '../settings.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

export function checkRuntime(): Finding {
  const pinned = packageJson.dependencies.bun;
  if (Bun.version === pinned) return ok('runtime', `Bun ${Bun.version}, Switchyard ${packageJson.version}`);
  return warn('runtime', `Bun ${Bun.version} instead of ${pinned}: start with "npm start" or bin/switchyard.mjs`);
}

/** Checks that the data folder is writable by writing to it: permissions alone do not reveal read-only mounts and quotas. */
export async function checkDataFolder({ dataDirectory }: Settings): Promise<Finding> {
  return checkFolder('data folder', resolve(dataDirectory), 'SWITCHYARD_DATA');
}

/** @param setting the name of the setting that defines the folder */
export async function checkFolder(subject: string, path: string, setting: string): Promise<Finding> {
  const found = await stat(path).catch(() => null);
  if (found === null) return checkParent(subject, path, setting);
  if (!found.isDirectory()) return fail(subject, `${path} is a file: set ${setting} to a folder`);
  const probe = join(path, `.doctor-${randomBytes(6).toString('hex')}.tmp`);
  try {
    await writeFile(probe, 'probe', { flag: 'wx' });
    await unlink(probe);
    return ok(subject, path);
  } catch (error) {
    return fail(subject, `${path} cannot be written (${codeOf(error)}): give this user access, or set ${setting}`);
  }
}

async function checkParent(subject: string, path: string, setting: string): Promise<Finding> {
  let parent = dirname(path);
  while (parent !== dirname(parent) && (await stat(parent).catch(() => null)) === null) parent = dirname(parent);
  try {
    await access(parent, constants.W_OK | constants.X_OK);
    return ok(subject, `${path} will be created at the first start`);
  } catch (error) {
    return fail(subject, `${path} cannot be created in ${parent} (${codeOf(error)}): set ${setting} to another folder`);
  }
}

/** Checks that there is a master secret that can open the database, and that only its owner can read it. */
export async function checkMasterSecret(settings: Settings): Promise<Finding> {
  const subject = 'master secret';
  if (settings.secret !== null) {
    if (settings.secret.length >= 16) return ok(subject, 'from SWITCHYARD_SECRET');
    return fail(subject, 'SWITCHYARD_SECRET must have at least 16 characters');
  }
  const path = masterSecretPath(settings.dataDirectory);
  try {
    if ((await readMasterSecret(path)) === null) return await missingSecret(subject, path, settings);
  } catch (error) {
    if (error instanceof CommandError) return fail(subject, error.message);
    throw error;
  }
  const { mode } = await stat(path);
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    return fail(subject, `${path} can be read by others (mode ${(mode & 0o777).toString(8)}): run "chmod 600 ${path}"`);
  }
  if (settings.databaseUrl === null) return ok(subject, path);
  return warn(subject, `${path} is the only copy: set SWITCHYARD_SECRET to its content on every node of the database`);
}

async function missingSecret(subject: string, path: string, settings: Settings): Promise<Finding> {
  if (settings.databaseUrl !== null) {
    return fail(
      subject,
      'SWITCHYARD_SECRET is required with DATABASE_URL: create one with "switchyard secret generate" and set it on every node',
    );
  }
  if (!(await exists(settings.databasePath))) {
    return ok(subject, `${path} will be created at the first start`);
  }
  return fail(subject, `${path} is missing, but the upstream keys in the database need it: restore it from a backup`);
}

export async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}

function codeOf(error: unknown): string {
  return String((error as { readonly code?: unknown }).code ?? error);
}
