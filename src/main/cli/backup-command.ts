import type { Configuration } from '../../engine/admin/configuration/configuration.ts';
import type { Destination } from '../backup/archive-writer.ts';
import type { MadeBackup } from '../backup/make-backup.ts';
import { CommandError } from './command-error.ts';
import { type CommandSetup, configurationFrom } from './context.ts';
import { knownMasterSecret } from './master-secret.ts';
import type { Settings } from './settings.ts';

interface BackupCommandOptions {
  readonly withSecret?: boolean;
  /** `undefined` unless `--media` or `--no-media` is given. */
  readonly media?: boolean;
}

export function addBackupCommand(setup: CommandSetup): void {
  setup.program
    .command('backup')
    .description('write the database, media files and configuration file to one file, while a gateway runs')
    .argument('<file>', 'the backup file, replaced only when the new one is complete; - for standard output')
    .option('--with-secret', 'include the master secret, so that the file alone opens everything: keep it accordingly')
    .option('--media', 'with PostgreSQL: back up the media store, and nothing else')
    .option('--no-media', 'leave out the files of the media store')
    .addHelpText(
      'after',
      `
The backup is a tar file with checksums, readable by its owner only. Without --with-secret it contains no master secret: keep that elsewhere,
since nothing encrypted can be read without it. The cache and ledger archives are not included. With PostgreSQL, the
command prints how to back up the database. See docs/backup.md.

Examples:
  switchyard backup /srv/backups/switchyard.tar
  switchyard backup - | age -r KEY > switchyard.tar.age
  switchyard restore --check /srv/backups/switchyard.tar`,
    )
    .action((file: string, options: BackupCommandOptions) => backUp(setup, file, options));
}

async function backUp(setup: CommandSetup, file: string, options: BackupCommandOptions): Promise<void> {
  const { dependencies, settings } = setup;
  const usesPostgres = settings.databaseUrl !== null;
  if (usesPostgres && options.media !== true) {
    dependencies.stdout.write(postgresInstructions(settings));
    throw new CommandError('the database is in PostgreSQL, so nothing was backed up: use the commands above');
  }
  const isToOutput = file === '-';
  if (isToOutput && process.stdout.isTTY) throw new CommandError('-: standard output is a terminal; redirect it', 2);
  const { mediaFolder } = await import('../open-stores.ts');
  const configuration =
    options.media === false ? null : await configurationFrom(dependencies, settings.configurationPath);
  const folder = options.media === false ? null : mediaFolder(configuration, settings.dataDirectory);
  if (usesPostgres && folder === null) throw new CommandError(`--media: ${withoutFolder(configuration)}`);
  const { makeBackup } = await import('../backup/make-backup.ts');
  const made = await makeBackup({
    path: isToOutput ? null : file,
    output: standardOutput(),
    databasePath: usesPostgres ? null : settings.databasePath,
    dataDirectory: settings.dataDirectory,
    mediaFolder: folder,
    configurationPath: usesPostgres ? null : settings.configurationPath,
    secret: options.withSecret === true && !usesPostgres ? await secretToInclude(settings) : null,
    clock: dependencies.clock,
  });
  const { describeBackup } = await import('./backup-texts.ts');
  const media = folder === null && options.media !== false ? [withoutFolder(configuration)] : [];
  const output = isToOutput ? dependencies.stderr : dependencies.stdout;
  output.write(`${[...describeBackup(made.manifest, made.files), ...media, ...leftOut(made, settings)].join('\n')}\n`);
}

async function secretToInclude(settings: Settings): Promise<string> {
  const secret = await knownMasterSecret(settings);
  if (secret !== null) return secret;
  throw new CommandError(
    '--with-secret: there is no master secret: set SWITCHYARD_SECRET, or name the data folder with --data',
  );
}

function withoutFolder(configuration: Configuration | null): string {
  const bucket = configuration?.mediaStore.s3?.bucket;
  return bucket === undefined
    ? 'media          none: the configuration keeps no files'
    : `media          not included: it is in the bucket ${bucket}; back it up there, for instance with versions or replication`;
}

function leftOut({ vanished, files }: MadeBackup, { secret, dataDirectory, databaseUrl }: Settings): string[] {
  const hasSecret = files.some(({ name }) => name === 'master-secret');
  const where = secret === null && databaseUrl === null ? `${dataDirectory}/master-secret` : 'SWITCHYARD_SECRET';
  return [
    ...(vanished === 0 ? [] : [`               ${vanished} media files expired meanwhile`]),
    hasSecret
      ? 'master secret  included: whoever has the file can decrypt everything in it'
      : `master secret  not included: keep a copy of ${where} in another place`,
  ];
}

/** Returns the commands for a PostgreSQL database, without its password. */
function postgresInstructions({ databaseUrl, configurationPath }: Settings): string {
  const url = withoutPassword(databaseUrl ?? '');
  return `Back up the database with PostgreSQL's own program, of the server's version or later, while gateways run:

  pg_dump --format=custom --no-owner --file=switchyard.dump '${url}'

Restore it into an empty database while no gateway uses that, then verify it:

  pg_restore --exit-on-error --single-transaction --no-owner --dbname='URL of the empty database' switchyard.dump
  DATABASE_URL='URL of that database' switchyard ledger verify

pg_dump asks for the password, or reads it from PGPASSWORD or ~/.pgpass. Keep SWITCHYARD_SECRET${configurationPath === null ? '' : ` and ${configurationPath}`} in another place:
without the secret nothing encrypted can be read. Files of a media folder: switchyard backup --media FILE
`;
}

function withoutPassword(databaseUrl: string): string {
  const url = URL.parse(databaseUrl);
  if (url === null) return 'DATABASE_URL';
  url.password = '';
  url.searchParams.delete('password');
  return url.href.replaceAll("'", '%27');
}

function standardOutput(): Destination {
  const writer = Bun.stdout.writer();
  return {
    async write(bytes) {
      // Either call may be the one that reports a reader who has left.
      await writer.write(bytes);
      await writer.flush();
    },
  };
}
