import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandError } from './command-error.ts';

const SECRET_BYTES = 32;
const SHORTEST_SECRET = 16;

export interface MasterSecretOptions {
  /** `SWITCHYARD_SECRET`. */
  readonly secret: string | null;
  readonly dataDirectory: string;
  readonly databasePath: string;
  readonly databaseUrl: string | null;
}

export function masterSecretPath(dataDirectory: string): string {
  return join(dataDirectory, 'master-secret');
}

/** A new secret, as text that fits into an environment variable. */
export function randomSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/**
 * The secret under which upstream keys are encrypted: from the environment, else from the data folder, where it is made once (readable by
 * the owner alone). Of several processes that start together all get the same one.
 *
 * Throws a `CommandError` where a new secret would do harm: beside a database that was made with another one, and with PostgreSQL, which
 * outlives the folder. Folders in which an earlier version has made one for PostgreSQL go on.
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
  'SWITCHYARD_SECRET: is required with DATABASE_URL, since the database needs the same secret for as long as it lives, on all nodes. ' +
  'Make one with "switchyard secret generate", keep it with your other secrets, and set the variable on every node';

function lostSecretError(path: string, databasePath: string): CommandError {
  return new CommandError(
    `${path}: the master secret is missing, and ${databasePath} holds keys that were encrypted with it: restore the file from a backup, ` +
      'or set SWITCHYARD_SECRET; if it is lost for good, "switchyard secret forget --yes" deletes what nobody can read any more',
  );
}

/** From the environment, else from the data folder; `null` where there is none. */
export async function knownMasterSecret(
  options: Pick<MasterSecretOptions, 'secret' | 'dataDirectory'>,
): Promise<string | null> {
  if (options.secret !== null) return checkedSecret(options.secret, 'SWITCHYARD_SECRET');
  return readMasterSecret(masterSecretPath(options.dataDirectory));
}

/** The file's secret, or `null` where there is no file. */
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

/** The file appears under its name whole or not at all, and never replaces another one. */
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
      `${path}: the master secret cannot be made (${codeOf(error)}): make the folder writable or set SWITCHYARD_DATA`,
    );
  }
  const secret = await readMasterSecret(path);
  if (secret === null) throw new CommandError(`${path}: the master secret has vanished while it was made`);
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
    // Some file systems know no hard links.
    await copyFile(temporary, path, constants.COPYFILE_EXCL);
  }
}

/** Throws a `CommandError`, without the secret, where it is too short. */
export function checkedSecret(secret: string, where: string): string {
  if (secret.length >= SHORTEST_SECRET) return secret;
  throw new CommandError(`${where}: the master secret must have at least ${SHORTEST_SECRET} characters`);
}

function codeOf(error: unknown): string {
  return String((error as { readonly code?: unknown }).code ?? error);
}
