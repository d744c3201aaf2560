import type { Command } from 'commander';
import { CatalogContents } from '../../../engine/admin/models/catalog-contents.ts';
import { shownModelView } from '../../../engine/admin/models/model-view.ts';
import { shownModel } from '../../../engine/admin/models/show-model.ts';
import { SERVING_ONLY } from '../../../engine/ports/directory-store.ts';
import { CommandError } from '../command-error.ts';
import { type CommandSetup, withDirectory } from '../context.ts';
import { type SettingsOptions, settingsFrom } from '../settings.ts';
import { checkProvider } from './check-provider.ts';
import { shownInWords } from './show-report.ts';

interface ShowOptions {
  readonly provider?: string;
  readonly json?: boolean;
}

export function addShow(catalog: Command, { dependencies }: CommandSetup): void {
  catalog
    .command('show')
    .description('show all that is known of one model, who serves it, and what you have stated of it')
    .argument('<id>', "the provider's id, as the list shows it, or a public id of this gateway")
    .option('--provider <name>', 'as this provider serves it (as the first channel does, else its maker)')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Facts that a configuration or an operator states of the public model are in force, and marked as yours.

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
      stdout.write(options.json ? `${JSON.stringify(shownModelView(shown), null, 2)}\n` : shownInWords(shown, nowMs));
    });
}

/** Throws `CommandError` for a model that is known, but not from this provider. */
function checkServedBy(contents: CatalogContents, id: string, provider: string | undefined): void {
  if (provider === undefined || !contents.has(id) || contents.modelFacts.of(provider, id) !== undefined) return;
  const others = contents.models().filter((model) => model.id === id);
  const names = others.map((other) => other.provider).join(', ');
  const hint = names === '' ? 'it is a public id of this gateway' : `it is known of ${names}`;
  throw new CommandError(`the catalog has no "${id}" of ${provider}: ${hint}`);
}
