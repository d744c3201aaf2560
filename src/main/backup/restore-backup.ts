import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Clock } from '../../engine/ports/clock.ts';
import { errorCodeOf } from '../../stores/shared/error-code.ts';
import { type CheckedDatabase, checkCopy, refuseUnknownMigrations } from '../../stores/sqlite/database-copy.ts';
import { lockFolder } from '../../stores/sqlite/folder-lock.ts';
import { extractArchive, verifyArchive } from './archive-reader.ts';
import { syncFolder, writeAll } from './backup-file.ts';
import { expectSpace, fullDiskError } from './disk-space.ts';
import { Exchange } from './exchange.ts';
import {
  BackupError,
  type BackupFile,
  CONFIGURATION_NAME,
  DATABASE_NAME,
  type Manifest,
  mediaPathOf,
  SECRET_NAME,
} from './manifest.ts';

export interface RestoreOptions {
  readonly path: string;
  readonly dataDirectory: string;
  readonly databasePath: string;
  /** Whether PostgreSQL replaces the SQLite file. */
  readonly usesPostgres: boolean;
  /** The folder of the media store, or `null` to leave the backup's files out. */
  readonly mediaFolder: string | null;
  /** Whether to move the content of the data folder aside. */
  readonly force: boolean;
  /** The secret from the environment. */
  readonly secret: string | null;
  readonly clock: Clock;
}

export interface RestoredBackup {
  readonly manifest: Manifest;
  /** `null` if the backup has no database. */
  readonly database: CheckedDatabase | null;
  /** The folder with the earlier content of the data folder. */
  readonly aside: string | null;
}

/** Files of the data folder that a restore leaves alone. */
const UNTOUCHED = /^(switchyard\.(lock(-journal)?|pid)|lost\+found|\..*|replaced-.*)$/;
const REMEDY = 'free some space, or restore to another disk';

/** Resolves to the manifest of a backup that is complete, unchanged, and of a version that this one can use. Rejects with a `BackupError`. */
export async function checkBackup(path: string): Promise<Manifest> {
  try {
    const manifest = await verifyArchive(path);
    if (manifest.migrations !== null) refuseUnknownMigrations(`in ${path}`, manifest.migrations);
    return manifest;
  } catch (error) {
    if (error instanceof BackupError) throw new BackupError(`${path}: ${error.message}`);
    const code = errorCodeOf(error);
    throw code === null
      ? error
      : new BackupError(`${path}: the backup cannot be read (${code}); correct its path or permissions`);
  }
}

/**
 * Restores a backup into a data folder while no gateway uses it. The files are prepared and verified in the folder first, so a failure
 * changes nothing, and the next restore undoes one that was killed. Rejects with a `BackupError` or `StoreOpenError`.
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoredBackup> {
  const { path, usesPostgres, mediaFolder } = options;
  const manifest = await checkBackup(path);
  if (manifest.migrations === null) {
    await extractInto(options, manifest, null).catch((error: unknown) => {
      throw fullDiskError(error, mediaFolder ?? '', REMEDY);
    });
    return { manifest, database: null, aside: null };
  }
  if (usesPostgres) {
    throw new BackupError(
      'the backup has an SQLite database, but DATABASE_URL is set: unset it, restore, and then run "switchyard move --to" with an empty database',
    );
  }
  return intoDataFolder(options, manifest);
}

async function intoDataFolder(options: RestoreOptions, manifest: Manifest): Promise<RestoredBackup> {
  const { dataDirectory, databasePath, clock } = options;
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
  const unlock = await lockFolder(databasePath);
  const exchange = new Exchange(dataDirectory);
  try {
    await exchange.recover();
    const old = await contentOf(options, manifest);
    await expectSpace(
      dataDirectory,
      manifest.files.reduce((sum, { bytes }) => sum + bytes, 0),
      REMEDY,
    );
    await exchange.begin();
    await extractInto(options, manifest, exchange.staging);
    const staged = join(exchange.staging, basename(databasePath));
    const secret = await secretFor(options, exchange.staging);
    const database = await checkCopy(staged, secret);
    if (database.opens === false) throw new BackupError(WRONG_SECRET);
    await syncFile(staged);
    const aside = `replaced-${new Date(clock.nowMs()).toISOString().replaceAll(/[:.]/g, '-')}`;
    // The database comes last: a folder without it is not a restored one.
    const names = (await readdir(exchange.staging)).filter((name) => name !== basename(databasePath));
    await exchange.publish([...names, basename(databasePath)], old, aside);
    return { manifest, database, aside: old.length === 0 ? null : join(dataDirectory, aside) };
  } catch (error) {
    throw fullDiskError(error, dataDirectory, REMEDY);
  } finally {
    // Undoes an exchange that failed half-way, and removes the prepared files.
    await exchange.recover();
    unlock();
  }
}

const WRONG_SECRET =
  'the master secret does not decrypt the backup: set SWITCHYARD_SECRET to the one that its gateway used. Without it, remove the master-secret file ' +
  'from the data folder and unset SWITCHYARD_SECRET, restore, and then see "switchyard secret forget --help"';

/** Resolves to the names to move aside. Throws if there are any and `force` is not set. */
async function contentOf({ dataDirectory, force }: RestoreOptions, manifest: Manifest): Promise<readonly string[]> {
  const hasSecret = manifest.files.some(({ name }) => name === SECRET_NAME);
  const names = (await readdir(dataDirectory)).filter((name) => !UNTOUCHED.test(name)).sort();
  // An operator may put the secret there first.
  const found = names.filter((name) => name !== SECRET_NAME || hasSecret);
  if (found.length === 0 || force) return found;
  const listed = `${found.slice(0, 3).join(', ')}${found.length > 3 ? ', …' : ''}`;
  throw new BackupError(
    `${dataDirectory}: is not empty (${listed}): choose another folder with --data, or add --force to move its content aside`,
  );
}

/** Resolves to the secret to check the database with: from the environment, the backup, or the data folder. */
async function secretFor({ secret, dataDirectory }: RestoreOptions, staging: string): Promise<string | null> {
  if (secret !== null) return secret;
  for (const folder of [staging, dataDirectory]) {
    const text = await readFile(join(folder, SECRET_NAME), 'utf8').catch(() => null);
    if (text !== null) return text.trim();
  }
  return null;
}

/** @param staging replaces the data folder; `null` to extract only media files */
async function extractInto(options: RestoreOptions, manifest: Manifest, staging: string | null): Promise<void> {
  const { path, databasePath, dataDirectory, mediaFolder } = options;
  const names = {
    [DATABASE_NAME]: basename(databasePath),
    [SECRET_NAME]: SECRET_NAME,
    [CONFIGURATION_NAME]: CONFIGURATION_NAME,
  };
  // The default folder is a part of the data folder, and is exchanged with it.
  const isInside = mediaFolder !== null && resolve(mediaFolder) === resolve(dataDirectory, 'media');
  const media = isInside && staging !== null ? join(staging, 'media') : mediaFolder;
  const folders = new Set<string>();
  await extractArchive(path, manifest, async (file: BackupFile) => {
    const mediaPath = mediaPathOf(file);
    if (mediaPath !== null) {
      if (media === null) return null;
      for (let folder = dirname(mediaPath); folder !== '.'; folder = dirname(folder)) folders.add(join(media, folder));
      folders.add(media);
      return ExtractedFile.createMedia(media, mediaPath);
    }
    const name = Object.hasOwn(names, file.name) ? names[file.name as keyof typeof names] : null;
    return name === null || staging === null ? null : ExtractedFile.create(join(staging, name));
  });
  for (const folder of folders) await syncFolder(folder);
}

/** A file of the backup on the disk. One of the media store gets its name only when it is complete. */
class ExtractedFile {
  #at = 0;

  private constructor(
    private readonly file: FileHandle,
    private readonly path: string,
    private readonly final: string,
  ) {}

  static async create(path: string): Promise<ExtractedFile> {
    return new ExtractedFile(await open(path, 'wx', 0o600), path, path);
  }

  static async createMedia(folder: string, name: string): Promise<ExtractedFile> {
    const final = join(folder, name);
    // The media store's own folder for unfinished files, from which gateways remove abandoned ones.
    const unfinished = join(folder, 'unfinished');
    for (const parent of [unfinished, dirname(final)]) await mkdir(parent, { recursive: true, mode: 0o700 });
    const path = join(unfinished, `restore-${randomBytes(12).toString('hex')}`);
    return new ExtractedFile(await open(path, 'wx', 0o600), path, final);
  }

  async write(bytes: Uint8Array): Promise<void> {
    await writeAll(this.file, bytes, this.#at);
    this.#at += bytes.length;
  }

  async keep(): Promise<void> {
    try {
      await this.file.sync();
    } finally {
      await this.file.close();
    }
    if (this.path !== this.final) await rename(this.path, this.final);
  }

  async discard(): Promise<void> {
    await this.file.close();
    await rm(this.path, { force: true });
  }
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
  await syncFolder(dirname(path));
}
