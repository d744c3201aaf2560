import { constants } from 'node:fs';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Clock } from '../../engine/ports/clock.ts';
import { folderFiles } from '../../stores/media/folder-files.ts';
import { errorCodeOf } from '../../stores/shared/error-code.ts';
import { copiedBytes, copyDatabase, copyOpensWith } from '../../stores/sqlite/database-copy.ts';
import { VERSION } from '../build.ts';
import { ArchiveWriter, type Destination } from './archive-writer.ts';
import { AtomicFile, PartialFiles } from './backup-file.ts';
import { expectSpace, fullDiskError } from './disk-space.ts';
import {
  BackupError,
  type BackupFile,
  CONFIGURATION_NAME,
  DATABASE_NAME,
  FORMAT_VERSION,
  type Manifest,
  mediaName,
  SECRET_NAME,
} from './manifest.ts';

export interface BackupOptions {
  /** The file to write, or `null` for `output`. */
  readonly path: string | null;
  /** Receives the backup if there is no path. */
  readonly output: Destination;
  /** The SQLite file, or `null` to leave the database out. */
  readonly databasePath: string | null;
  /** The folder beside whose files a temporary copy is made if there is no path. */
  readonly dataDirectory: string;
  /** The folder of the media store, or `null` to leave it out. */
  readonly mediaFolder: string | null;
  readonly configurationPath: string | null;
  /** The master secret, or `null` to leave it out. */
  readonly secret: string | null;
  readonly clock: Clock;
}

export interface MadeBackup {
  readonly manifest: Omit<Manifest, 'files'>;
  readonly files: readonly BackupFile[];
  /** The files of the media store that were deleted before they could be read. */
  readonly vanished: number;
}

const REMEDY = 'free some space, or write the backup to another disk';

/**
 * Writes a backup while a gateway may be running: the database as of one moment, then the media files, so that every file which the
 * database refers to is either in the backup or has been deleted. Rejects with a `BackupError` or `StoreOpenError` and leaves no partial file.
 */
export async function makeBackup(options: BackupOptions): Promise<MadeBackup> {
  const { path, output, dataDirectory, clock } = options;
  const partials = new PartialFiles(path ?? resolve(dataDirectory, 'backup'));
  const folder = path === null ? resolve(dataDirectory) : dirname(resolve(path));
  let file: AtomicFile | null = null;
  try {
    await partials.removeAbandoned(clock.nowMs());
    if (path !== null) file = await AtomicFile.create(partials.next('tar'), resolve(path));
    const made = await writeParts(options, file ?? output, partials, folder);
    await file?.publish();
    return made;
  } catch (error) {
    throw readable(fullDiskError(error, folder, REMEDY), folder);
  } finally {
    await file?.close();
    await partials.remove();
  }
}

async function writeParts(
  options: BackupOptions,
  destination: Destination,
  partials: PartialFiles,
  folder: string,
): Promise<MadeBackup> {
  const { databasePath, mediaFolder, configurationPath, secret, clock } = options;
  const createdAt = new Date(clock.nowMs());
  const archive = new ArchiveWriter(destination, createdAt);
  const migrations = databasePath === null ? null : await addDatabase(archive, databasePath, partials, folder, options);
  const configuration = configurationPath === null ? null : await configurationText(configurationPath);
  if (configuration !== null) await archive.addText(CONFIGURATION_NAME, configuration);
  if (secret !== null) await archive.addText(SECRET_NAME, `${secret}\n`);
  const vanished = mediaFolder === null ? 0 : await addMedia(archive, mediaFolder, clock.nowMs());
  const manifest = {
    format: 'switchyard-backup' as const,
    format_version: FORMAT_VERSION,
    version: VERSION,
    created_at: createdAt.toISOString(),
    migrations: migrations === null ? null : [...migrations],
    variables: configuration === null ? [] : variablesIn(configuration),
  };
  await archive.finish(manifest);
  return { manifest, files: archive.files, vanished };
}

async function configurationText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new BackupError(
      `${path}: the configuration cannot be read (${errorCodeOf(error)}); correct SWITCHYARD_CONFIG or --config`,
    );
  }
}

const WRONG_SECRET =
  'the master secret does not decrypt the database, so the backup would be useless with it: correct SWITCHYARD_SECRET; if "switchyard secret rotate" was running, try again';

/** The archive needs the size of a file before its content, so the database is copied to a file first. */
async function addDatabase(
  archive: ArchiveWriter,
  databasePath: string,
  partials: PartialFiles,
  folder: string,
  { path, secret }: BackupOptions,
): Promise<readonly string[]> {
  const bytes = await copiedBytes(databasePath);
  await expectSpace(folder, path === null ? bytes : bytes * 2, REMEDY);
  const copy = partials.next('sqlite');
  const migrations = await copyDatabase(databasePath, copy);
  if (secret !== null && !(await copyOpensWith(copy, secret))) throw new BackupError(WRONG_SECRET);
  const file = await open(copy, 'r');
  try {
    await archive.addFile(DATABASE_NAME, (await file.stat()).size, file);
  } finally {
    await file.close();
  }
  return migrations;
}

async function addMedia(archive: ArchiveWriter, folder: string, nowMs: number): Promise<number> {
  let vanished = 0;
  for await (const { name, bytes } of folderFiles(folder, nowMs)) {
    const file = await openPresent(resolve(folder, name));
    if (file === null) {
      vanished += 1;
      continue;
    }
    try {
      // The gateway serves no file of another size than its name says.
      if ((await file.stat()).size === bytes) await archive.addFile(mediaName(name), bytes, file);
    } finally {
      await file.close();
    }
  }
  return vanished;
}

/** Resolves to `null` if the file was just deleted. Follows no link. */
async function openPresent(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Returns the variables that the text of a configuration refers to, sorted. */
function variablesIn(configuration: string): string[] {
  const found = configuration.matchAll(/(?<!\$)\$\{([A-Za-z_][A-Za-z0-9_]*)/g);
  return [...new Set([...found].map(([, name = '']) => name))].sort();
}

function readable(error: unknown, folder: string): unknown {
  const code = errorCodeOf(error) ?? '';
  if (code === 'EPIPE') return new BackupError('the reader of standard output has stopped before the end');
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new BackupError(`${folder}: the folder does not exist; create it first`);
  if (/^(EACCES|EPERM|EROFS)$/.test(code)) {
    return new BackupError(
      `${folder}: this user cannot read or write there (${code}); name another folder, or fix the permissions`,
    );
  }
  return error;
}
