import { join } from 'node:path';
import type { RestoredBackup } from '../backup/restore-backup.ts';
import { describeBackup } from './backup-texts.ts';
import { CommandError } from './command-error.ts';
import { type CommandSetup, configurationFrom } from './context.ts';
import { checkedSecret } from './master-secret.ts';
import type { Settings } from './settings.ts';

interface RestoreCommandOptions {
  readonly check?: boolean;
  readonly force?: boolean;
}

export function addRestoreCommand(setup: CommandSetup): void {
  setup.program
    .command('restore')
    .description('restore a backup into an empty data folder, while no gateway uses it')
    .argument('<file>', 'the backup file')
    .option('--check', 'only verify that the backup is complete, unchanged and of a known version')
    .option('--force', 'if the data folder is not empty, move its content into a folder replaced-TIME in it')
    .addHelpText(
      'after',
      `
Set SWITCHYARD_SECRET to the master secret of the backup, or put its file master-secret into the data folder first, so that the command can check
it. The backup is verified and prepared before anything in the folder changes; run the command again if it was interrupted. At the
end the ledger is verified. See docs/backup.md.

Examples:
  switchyard restore --check /srv/backups/switchyard.tar
  switchyard restore --data /var/lib/switchyard /srv/backups/switchyard.tar`,
    )
    .action((file: string, options: RestoreCommandOptions) => restore(setup, file, options));
}

async function restore(setup: CommandSetup, path: string, options: RestoreCommandOptions): Promise<void> {
  const { dependencies, settings } = setup;
  const { stdout, clock } = dependencies;
  const { checkBackup, restoreBackup } = await import('../backup/restore-backup.ts');
  if (options.check === true) {
    const manifest = await checkBackup(path);
    stdout.write(`${[...describeBackup(manifest, manifest.files), 'complete and unchanged'].join('\n')}\n`);
    return;
  }
  const { mediaFolder } = await import('../open-stores.ts');
  const configuration = await configurationFrom(dependencies, settings.configurationPath);
  const folder = mediaFolder(configuration, settings.dataDirectory);
  const restored = await restoreBackup({
    path,
    dataDirectory: settings.dataDirectory,
    databasePath: settings.databasePath,
    usesPostgres: settings.databaseUrl !== null,
    mediaFolder: folder,
    force: options.force === true,
    secret: settings.secret === null ? null : checkedSecret(settings.secret, 'SWITCHYARD_SECRET'),
    clock,
  });
  stdout.write(`${describeRestored(restored, settings, folder).join('\n')}\n`);
  const problems = restored.database?.ledger.problems ?? [];
  if (problems.length > 0)
    throw new CommandError('the ledger of the backup has the problems above; the data was restored as it was');
}

function describeRestored(restored: RestoredBackup, settings: Settings, mediaFolder: string | null): string[] {
  const { manifest, aside } = restored;
  const hasMedia = manifest.files.some(({ name }) => name.startsWith('media/'));
  const hasConfiguration = manifest.files.some(({ name }) => name === 'configuration.yaml');
  return [
    ...describeBackup(manifest, manifest.files),
    ...(hasMedia ? [mediaLine(mediaFolder)] : []),
    ...(aside === null
      ? []
      : [`the earlier content of the data folder is in ${aside}; delete it when you no longer need it`]),
    ...ledgerLines(restored),
    ...secretLines(restored, settings),
    ...(restored.database === null ? [] : [startLine(settings, hasConfiguration)]),
  ];
}

function mediaLine(folder: string | null): string {
  return folder === null
    ? 'media files were not restored: the configuration stores files elsewhere'
    : `media files restored to ${folder}`;
}

function ledgerLines({ database }: RestoredBackup): string[] {
  if (database === null) return [];
  const { problems, accounts, entries, charges } = database.ledger;
  const counts = `accounts ${accounts}, entries ${entries}, charges ${charges}`;
  return problems.length === 0
    ? [`ledger verified (${counts})`]
    : [...problems, `problems ${problems.length} (${counts})`];
}

function secretLines({ database }: RestoredBackup, { dataDirectory }: Settings): string[] {
  if (database === null) return [];
  if (database.opens === true) return ['the master secret decrypts it'];
  if (!database.isSealed) return [];
  return [
    `the master secret is missing: before the start, set SWITCHYARD_SECRET or put the file ${join(dataDirectory, 'master-secret')} there; if it is lost, see "switchyard secret forget --help"`,
  ];
}

function startLine({ dataDirectory, configurationPath }: Settings, hasConfiguration: boolean): string {
  const restored =
    hasConfiguration && configurationPath === null ? ` --config '${join(dataDirectory, 'configuration.yaml')}'` : '';
  const own = configurationPath === null ? restored : ` --config '${configurationPath}'`;
  return `start it with: switchyard serve --data '${dataDirectory}'${own}`;
}
