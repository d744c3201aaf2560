import type { Command } from 'commander';
import { CatalogContents } from '../../../engine/admin/catalog/read-catalog.ts';
import { shownModel, shownModelView } from '../../../engine/admin/models/read-models.ts';
import { SERVING_ONLY } from '../../../engine/ports/directory-store.ts';
import { CommandError } from '../command-error.ts';
import { type CommandSetup, withDirectory } from '../context.ts';
import { type SettingsOptions, settingsFrom } from '../settings.ts';
import { checkProvider } from './check-provider.ts';
import { formatShown } from './show-report.ts';

interface ShowOptions {
  readonly provider?: string;
  readonly json?: boolean;
}

export function addShow(catalog: Command, { dependencies }: CommandSetup): void {
  catalog
    .command('show')
    .description('show everything known about a model, who serves it, and your overrides')
    .argument('<id>', "the provider's ID, as the list shows it, or a public ID of this gateway")
    .option('--provider <name>', 'as served by this provider (that of the first channel, else its maker)')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Facts set by a configuration file or an admin override the catalog, and are marked as yours.

Examples:
  switchyard catalog show gpt-4o-mini
  switchyard catalog show gpt-4o-mini --provider azure-openai
  switchyard catalog show gpt-4o-mini --json`,
    )
    .action(async (id: string, options: ShowOptions, command) => {
      const { clock, stdout, environment } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const providers = await dependencies.providers();
      checkProvider(providers, options.provider);
      const rows = await withDirectory(dependencies, settings, (directory) => directory.read(SERVING_ONLY));
      const contents = new CatalogContents(providers, rows);
      checkServedBy(contents, id, options.provider);
      const shown = shownModel(contents, id, options.provider ?? null);
      const nowMs = clock.nowMs();
      stdout.write(options.json ? `${JSON.stringify(shownModelView(shown), null, 2)}\n` : formatShown(shown, nowMs));
    });
}

/** Throws `CommandError` for a model that is known, but not from this provider. */
function checkServedBy(contents: CatalogContents, id: string, provider: string | undefined): void {
  if (provider === undefined || !contents.has(id) || contents.modelFacts.of(provider, id) !== undefined) return;
  const others = contents.models().filter((model) => model.id === id);
  const names = others.map((other) => other.provider).join(', ');
  const hint = names === '' ? 'it is a public ID of this gateway' : `it is known for ${names}`;
  throw new CommandError(`the catalog has no "${id}" for ${provider}: ${hint}`);
}
