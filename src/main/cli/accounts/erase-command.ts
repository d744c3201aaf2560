import type { Command } from 'commander';
import { localOrigin } from '../../../engine/admin/audit/audit-trail.ts';
import {
  type AccountErasurePorts,
  accountErasureView,
  eraseAccount,
} from '../../../engine/admin/erasure/erase-account.ts';
import { DEFAULT_CACHE } from '../../../engine/settings/settings.ts';
import { type CommandLineDependencies, type CommandSetup, configurationFrom, openStore } from '../context.ts';
import { masterSecret } from '../master-secret.ts';
import { type Settings, type SettingsOptions, settingsFrom } from '../settings.ts';
import { systemUser } from '../system-user.ts';

export function addErase(accounts: Command, { dependencies }: CommandSetup): void {
  accounts
    .command('erase')
    .description("erase an archived account's data and names; its ledger stays")
    .argument('<id>', 'the account ID, as the list shows it')
    .option('--yes', 'erase; without it the command only lists what would be removed')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Archive the account first. Its members are not erased: see "switchyard users erase".

Examples:
  switchyard accounts archive acme
  switchyard accounts erase acme
  switchyard accounts erase acme --yes`,
    )
    .action(async (id: string, { yes = false, json = false }: { yes?: boolean; json?: boolean }, command) => {
      const { stdout, environment } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const by = { origin: localOrigin({ kind: 'command_line', name: systemUser() }) };
      const done = await withErasurePorts(dependencies, settings, (ports) =>
        eraseAccount(ports, by, id, { dryRun: !yes }),
      );
      const view = accountErasureView(done);
      stdout.write(json ? `${JSON.stringify(view, null, 2)}\n` : told(view));
    });
}

/** Opens the places that hold an account's data: the store, the shared part of the cache, and the media store. */
async function withErasurePorts<Result>(
  dependencies: CommandLineDependencies,
  settings: Settings,
  use: (ports: AccountErasurePorts) => Promise<Result>,
): Promise<Result> {
  const { clock, openCache, openMedia } = dependencies;
  const { dataDirectory, redisUrl } = settings;
  const configuration = await configurationFrom(dependencies, settings.configurationPath);
  const store = await openStore(dependencies, settings, { exclusive: false });
  try {
    const secret = await masterSecret(settings);
    const cache = await openCache({ settings: configuration?.cache ?? DEFAULT_CACHE, dataDirectory, redisUrl, secret });
    const mediaStore = openMedia({ configuration, dataDirectory, secret });
    try {
      return await use({ ...store, cache, mediaStore, clock });
    } finally {
      await Promise.all([cache.close(), mediaStore.close()]);
    }
  } finally {
    await store.close();
  }
}

function told({ id, pseudonym, removed, hidden }: ReturnType<typeof accountErasureView>): string {
  const counts = Object.entries({ ...removed, ...hidden }).filter(([, count]) => count !== null && count > 0);
  const lines = counts.map(([name, count]) => `  ${name.replaceAll('_', ' ')}: ${count}\n`).join('');
  if (pseudonym === null) return `nothing changed; add --yes to erase ${id}:\n${lines}`;
  return `erased ${id}; its names and notes are now ${pseudonym}:\n${lines}`;
}
