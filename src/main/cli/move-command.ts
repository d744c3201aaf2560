import type { MoveProgress } from '../../stores/shared/move/move-source.ts';
import { CommandError } from './command-error.ts';
import type { CommandSetup, TextOutput } from './context.ts';
import { knownMasterSecret, masterSecretPath } from './master-secret.ts';
import type { Settings } from './settings.ts';

/** The number of rows between two lines of progress. */
const TOLD_EVERY_ROWS = 100_000;

interface MoveCommandOptions {
  readonly to: string;
  readonly acceptProblems?: boolean;
}

export function addMoveCommand(setup: CommandSetup): void {
  setup.program
    .command('move')
    .description('copy the SQLite database into an empty PostgreSQL database, while no gateway runs')
    .requiredOption('--to <url>', 'the PostgreSQL database, such as postgres://user:password@host:5432/database')
    .option('--accept-problems', 'move although "switchyard ledger verify" finds problems')
    .addHelpText(
      'after',
      `
Everything is copied in one transaction, and the ledger is verified on both sides at the end. If the command fails or is killed, the PostgreSQL
database stays empty: run it again. The SQLite file keeps its data, so going back is possible until the first gateway runs
on PostgreSQL. Media files stay where they are. A password in --to is visible in the list of processes: PGPASSWORD or ~/.pgpass can have it
instead. See docs/backup.md.

Examples:
  switchyard move --to postgres://switchyard@db.example.com:5432/switchyard?sslmode=verify-full`,
    )
    .action((options: MoveCommandOptions) => move(setup, options));
}

async function move(
  { dependencies, settings }: CommandSetup,
  { to, acceptProblems }: MoveCommandOptions,
): Promise<void> {
  const { stdout, stderr } = dependencies;
  if (settings.databaseUrl !== null)
    throw new CommandError(
      'DATABASE_URL: is set, so the database is already in PostgreSQL: unset it and name the target with --to',
    );
  if (!/^postgres(?:ql)?:\/\//.test(to) || !URL.canParse(to))
    throw new CommandError('--to: must be a URL such as postgres://user:password@host:5432/database', 2);
  const secret = await knownMasterSecret(settings);
  if (secret === null)
    throw new CommandError('There is no master secret: set SWITCHYARD_SECRET, or name the data folder with --data');
  const moved = await dependencies.moveStore({
    databasePath: settings.databasePath,
    to,
    secret,
    acceptsProblems: acceptProblems === true,
    progress: progressOn(stderr),
  });
  if (moved.problems.length > 0) {
    stdout.write(`${moved.problems.join('\n')}\n`);
    if (moved.result === null)
      throw new CommandError(
        'the ledger has the problems above, so nothing was copied: correct them, or add --accept-problems',
      );
  }
  const { result } = moved;
  if (result === null) return;
  const { target, rows, replacedTexts } = result;
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
  stdout.write(
    `${[
      `copied ${total} rows of ${Object.keys(rows).length} tables`,
      ...(replacedTexts === 0
        ? []
        : [`${replacedTexts} texts had characters that PostgreSQL cannot store, which were replaced`]),
      `ledger ${target.problems.length === 0 ? 'verified' : 'equal'} on both sides (accounts ${target.accounts}, entries ${target.entries}, charges ${target.charges})`,
      ...nextSteps(settings),
    ].join('\n')}\n`,
  );
}

function nextSteps({ dataDirectory, databasePath, secret }: Settings): string[] {
  return [
    'Start it, on every node, with:',
    "  DATABASE_URL='the URL that --to named'",
    secret === null
      ? `  SWITCHYARD_SECRET='the content of ${masterSecretPath(dataDirectory)}'`
      : '  SWITCHYARD_SECRET as it is now',
    `Then keep ${databasePath} as a backup, and start no gateway on it: its books would diverge.`,
  ];
}

function progressOn(stderr: TextOutput): MoveProgress {
  let told = 0;
  return {
    begins(table, rows) {
      told = 0;
      if (rows >= TOLD_EVERY_ROWS) stderr.write(`${table}: ${rows} rows\n`);
    },
    copied(table, done, rows) {
      if (rows < TOLD_EVERY_ROWS || (done - told < TOLD_EVERY_ROWS && done < rows)) return;
      told = done;
      stderr.write(`${table}: ${done} of ${rows} rows copied\n`);
    },
  };
}
