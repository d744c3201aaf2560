import type { UpgradePlan } from '../../stores/shared/upgrade-plan.ts';
import { CommandError } from './command-error.ts';
import type { CommandSetup } from './context.ts';
import { formatTable } from './table.ts';

/** The exit code of `--check` if there is something to do. */
export const UPGRADE_DUE = 10;

export function addMigrateCommand(setup: CommandSetup): void {
  setup.program
    .command('migrate')
    .description('upgrade the database to this version, or create its tables')
    .option('--check', `only print what would be done; the exit code is ${UPGRADE_DUE} if there is something to do`)
    .option('--json', 'print JSON, with --check')
    .addHelpText(
      'after',
      `
"serve" does the same when it starts, unless DATABASE_UPGRADE is "refuse". With SQLite, stop the gateway first: the upgrade is one
transaction. With PostgreSQL, nodes of the previous version keep serving, and an interrupted upgrade is continued by the next.
The exit code is 0 if the database is up to date afterwards, and 1 if it cannot be upgraded. See docs/upgrading.md.

Examples:
  switchyard migrate --check
  switchyard migrate`,
    )
    .action(async ({ check = false, json = false }: { check?: boolean; json?: boolean }) => {
      const { dependencies, settings } = setup;
      // The log of an upgrade goes to standard output, too.
      if (json && !check) throw new CommandError('--json: use it with --check', 2);
      const { plan, run } = dependencies.upgrade;
      const found = await (check ? plan(settings) : run(settings));
      const text = check ? formatPlan(found) : formatDone(found);
      dependencies.stdout.write(json ? `${JSON.stringify(planAsJson(found), null, 2)}\n` : text);
      if (check && found.state !== 'current') setup.setExitCode(UPGRADE_DUE);
    });
}

function formatPlan(plan: UpgradePlan): string {
  const { database, state, changes, usedBy, kind } = plan;
  const user = usedBy === null ? '' : `${usedBy} ${USES[kind]}\n`;
  if (state === 'current') return `The database ${database} is up to date.\n`;
  if (state === 'absent')
    return `The database ${database} has no tables of Switchyard yet: they will be created.\n${user}`;
  const rows = changes.map((change) => [change.name, HOW[change.how], change.rows.toLocaleString('en-US')]);
  return [
    `The database ${database} must be upgraded:\n`,
    formatTable(['change', 'runs', 'rows'], rows),
    `${ADVICE[kind]}\n`,
    user,
  ].join('');
}

const HOW = { at_once: 'at once', online: 'online' } as const;
const ADVICE = {
  sqlite: 'Stop the gateway for the upgrade, which is one transaction.',
  postgresql: 'Changes at once are one short transaction; nodes of the previous version keep serving throughout.',
} as const;
const USES = {
  sqlite: 'is using its folder. Stop that gateway first.',
  postgresql: 'is upgrading it now.',
} as const;

function formatDone({ database, state, changes }: UpgradePlan): string {
  if (state === 'current') return `The database ${database} is up to date.\n`;
  if (state === 'absent') return `The tables of the database ${database} were created.\n`;
  return `The database ${database} was upgraded: ${changes.map(({ name }) => name).join(', ')}.\n`;
}

function planAsJson({ database, kind, state, changes, usedBy }: UpgradePlan): object {
  return { database, kind, state, changes, used_by: usedBy };
}
