import type { Command } from 'commander';
import { eraseUser, userErasureView } from '../../../engine/admin/erasure/erase-user.ts';
import type { CommandSetup } from '../context.ts';
import { type SettingsOptions, settingsFrom } from '../settings.ts';
import { withPeople } from './with-people.ts';

export function addErase(users: Command, { dependencies }: CommandSetup): void {
  users
    .command('erase')
    .description('erase a user: frees the email address, and puts a pseudonym into the audit log')
    .argument('<user>', 'the email address or ID')
    .option('--yes', 'erase; without it the command only lists what would be removed')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  switchyard users erase ann@example.com\n  switchyard users erase ann@example.com --yes',
    )
    .action(async (named: string, { yes = false, json = false }: { yes?: boolean; json?: boolean }, command) => {
      const { stdout, environment } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const done = await withPeople(dependencies, settings, (ports, by, store) =>
        eraseUser({ ...store, ...ports }, by, named, { dryRun: !yes }),
      );
      const view = userErasureView(done);
      stdout.write(json ? `${JSON.stringify(view, null, 2)}\n` : told(view));
    });
}

function told({ id, pseudonym, removed, rewritten }: ReturnType<typeof userErasureView>): string {
  const counts = Object.entries({ ...removed, ...rewritten }).filter(([, count]) => count > 0);
  const lines = counts.map(([name, count]) => `  ${name.replaceAll('_', ' ')}: ${count}\n`).join('');
  if (pseudonym === null) return `nothing changed; add --yes to erase ${id}:\n${lines}`;
  return `erased ${id}; the audit log now shows ${pseudonym}:\n${lines}`;
}
