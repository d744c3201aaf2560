import type { Command } from 'commander';
import type { CatalogModel } from '../../../domain/catalog/catalog-model.ts';
import { resolveModel } from '../../../domain/catalog/resolve-model.ts';
import { SERVING_ONLY } from '../../../engine/ports/directory-store.ts';
import { entryOf } from '../../../formats/shared/record.ts';
import { CommandError } from '../command-error.ts';
import { type CommandSetup, withDirectory } from '../context.ts';
import { type SettingsOptions, settingsFrom } from '../settings.ts';
import { CatalogContents, checkProvider } from './contents.ts';
import { type ServingChannel, type ShownModel, shownAsJson, shownInWords } from './show-report.ts';

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
      const { providers, clock, stdout, environment } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      checkProvider(providers, options.provider);
      const rows = await withDirectory(dependencies, settings, (directory) => directory.read(SERVING_ONLY));
      const shown = shownModel(new CatalogContents(providers, rows), id, options.provider ?? null);
      const nowMs = clock.nowMs();
      stdout.write(options.json ? `${JSON.stringify(shownAsJson(shown), null, 2)}\n` : shownInWords(shown, nowMs));
    });
}

function shownModel(contents: CatalogContents, id: string, provider: string | null): ShownModel {
  if (!contents.has(id)) throw contents.unknownModel(id);
  const { modelFacts, rows } = contents;
  const declared = rows.models.find((model) => model.id === id) ?? null;
  const first = rows.channels.find(({ enabled, models }) => enabled && Object.hasOwn(models, id)) ?? null;
  const others = contents.models().filter((model) => model.id === id);
  if (provider !== null) {
    const known = modelFacts.of(provider, id);
    if (known === undefined) throw notServedBy(provider, id, others);
    const model = resolveModel(id, { declared: declared ?? undefined, known, provider });
    return { model, declared, known, ...surroundings(contents, id, known, others) };
  }
  const model = modelFacts.resolve(id, first, declared ?? undefined);
  const served = first && modelFacts.of(first.provider, entryOf(first.models, id) ?? id);
  const known = served ?? modelFacts.model(id) ?? null;
  return { model, declared, known, ...surroundings(contents, id, known, others) };
}

function surroundings(
  contents: CatalogContents,
  id: string,
  known: CatalogModel | null,
  others: readonly CatalogModel[],
): Pick<ShownModel, 'knownFrom' | 'synced' | 'alsoAt' | 'channels'> {
  return {
    knownFrom: known === null ? [] : contents.knownFrom(known),
    synced: (known && contents.synced(known)) ?? null,
    alsoAt: others.filter((other) => other.provider !== known?.provider),
    channels: channelsFor(contents, id, known),
  };
}

/** Those that serve the public id, and those that serve the same line of the catalog under another one. */
function channelsFor({ rows }: CatalogContents, id: string, known: CatalogModel | null): readonly ServingChannel[] {
  return rows.channels.flatMap((channel) =>
    Object.entries(channel.models)
      .filter(
        ([publicId, upstreamModel]) =>
          publicId === id || (channel.provider === known?.provider && upstreamModel === known.id),
      )
      .map(([publicId, upstreamModel]) => ({ channel, publicId, upstreamModel })),
  );
}

function notServedBy(provider: string, id: string, others: readonly CatalogModel[]): CommandError {
  const names = others.map((other) => other.provider).join(', ');
  const hint = names === '' ? 'it is a public id of this gateway' : `it is known of ${names}`;
  return new CommandError(`the catalog has no "${id}" of ${provider}: ${hint}`);
}
