import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandError } from './command-error.ts';

const SECRET_BYTES = 32;
const SHORTEST_SECRET = 16;

export interface MasterSecretOptions {
  /** The value of `SWITCHYARD_SECRET`. */
  readonly secret: string | null;
  readonly dataDirectory: string;
  readonly databasePath: string;
  readonly databaseUrl: string | null;
}

export function masterSecretPath(dataDirectory: string): string {
  return join(dataDirectory, 'master-secret');
}

/** Returns a new secret, as text that fits into an environment variable. */
export function randomSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/**
 * Resolves to the secret that encrypts upstream keys: from the environment, else from the data folder, where it is created once (readable
 * by its owner only). Processes that start concurrently get the same one.
 *
 * Throws a `CommandError` if creating a secret would do harm: beside a database with another secret, and with PostgreSQL, which outlives
 * the folder. Folders in which an earlier version has created one for PostgreSQL remain usable.
 */
export async function masterSecret(options: MasterSecretOptions): Promise<string> {
  const known = await knownMasterSecret(options);
  if (known !== null) return known;
  if (options.databaseUrl !== null) throw new CommandError(REQUIRED);
  const path = masterSecretPath(options.dataDirectory);
  const { holdsSealedRows } = await import('../../stores/sqlite/change-secret.ts');
  if (await holdsSealedRows(options.databasePath)) throw lostSecretError(path, options.databasePath);
  return makeMasterSecret(options.dataDirectory, path);
}

const REQUIRED =
  'SWITCHYARD_SECRET: is required with DATABASE_URL: a database needs the same secret on all nodes, permanently. ' +
  'Create one with "switchyard secret generate", keep it safe, and set the variable on every node';

function lostSecretError(path: string, databasePath: string): CommandError {
  return new CommandError(
    `${path}: the master secret is missing, but ${databasePath} holds keys encrypted with it: restore the file from a backup, ` +
      'or set SWITCHYARD_SECRET; if it is lost for good, "switchyard secret forget --yes" deletes what nobody can read any more',
  );
}

/** Resolves to the secret from the environment, else from the data folder; `null` if neither has one. */
export async function knownMasterSecret(
  options: Pick<MasterSecretOptions, 'secret' | 'dataDirectory'>,
): Promise<string | null> {
  if (options.secret !== null) return checkedSecret(options.secret, 'SWITCHYARD_SECRET');
  return readMasterSecret(masterSecretPath(options.dataDirectory));
}

/** Resolves to the file's secret, or `null` if there is no file. */
export async function readMasterSecret(path: string): Promise<string | null> {
  try {
    return checkedSecret((await readFile(path, 'utf8')).trim(), path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    if (error instanceof CommandError) throw error;
    const code = codeOf(error);
    const remedy = code === 'ENOTDIR' ? 'set SWITCHYARD_DATA to a folder' : 'give this user access to it';
    throw new CommandError(`${path}: the master secret cannot be read (${code}): ${remedy}`);
  }
}

/** Creates the file atomically, and never replaces an existing one. */
export async function makeMasterSecret(folder: string, path: string): Promise<string> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeDurably(temporary, `${randomSecret()}\n`);
    try {
      await publish(temporary, path);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    } finally {
      await unlink(temporary);
    }
  } catch (error) {
    throw new CommandError(
      `${path}: the master secret cannot be created (${codeOf(error)}): make the folder writable or set SWITCHYARD_DATA`,
    );
  }
  const secret = await readMasterSecret(path);
  if (secret === null) throw new CommandError(`${path}: the master secret vanished while it was created`);
  return secret;
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function publish(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw error;
    // Some file systems do not support hard links.
    await copyFile(temporary, path, constants.COPYFILE_EXCL);
  }
}

/** Throws a `CommandError`, which does not contain the secret, if it is too short. */
export function checkedSecret(secret: string, where: string): string {
  if (secret.length >= SHORTEST_SECRET) return secret;
  throw new CommandError(`${where}: the master secret must have at least ${SHORTEST_SECRET} characters`);
}

function codeOf(error: unknown): string {
  return String((error as { readonly code?: unknown }).code ?? error);
}
