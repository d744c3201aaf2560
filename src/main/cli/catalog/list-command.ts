import { type Command, Option } from 'commander';
import type { CatalogModel } from '../../../domain/catalog/catalog-model.ts';
import { MODEL_CATEGORIES, type ModelCategory } from '../../../domain/catalog/category.ts';
import { tagsOf } from '../../../domain/catalog/model-tags.ts';
import { CatalogContents, type KnownFrom } from '../../../engine/admin/catalog/read-catalog.ts';
import { catalogModelView } from '../../../engine/admin/models/read-models.ts';
import { SERVING_ONLY } from '../../../engine/ports/directory-store.ts';
import { type CommandSetup, withDirectory } from '../context.ts';
import { formatTable } from '../table.ts';
import { checkProvider } from './check-provider.ts';
import { formatPrice, NO_VALUE } from './format.ts';

interface ListOptions {
  readonly category?: ModelCategory;
  readonly provider?: string;
  readonly tag?: string;
  readonly search?: string;
  readonly json?: boolean;
}

export function addList(catalog: Command, setup: CommandSetup): void {
  catalog
    .command('list')
    .description('list all known models, served or not, with their prices in USD')
    .addOption(new Option('--category <name>', 'only this category').choices(MODEL_CATEGORIES))
    .option('--provider <name>', 'only models of this provider')
    .option('--tag <tag>', 'only models with this tag')
    .option('--search <text>', 'only models with all of these words in ID, name, maker, description or tags')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
The last column says whether a model came with the gateway (shipped), from a public list through "switchyard catalog sync"
(synced), or from both. Configuration files and admins can override facts: see "switchyard catalog show".

Examples:
  switchyard catalog list --category image
  switchyard catalog list --provider groq --tag vision
  switchyard catalog list --search 'embedding multilingual' --json`,
    )
    .action(async (options: ListOptions) => {
      const { clock, stdout } = setup.dependencies;
      const providers = await setup.dependencies.providers();
      checkProvider(providers, options.provider);
      const rows = await withDirectory(setup, (directory) => directory.read(SERVING_ONLY));
      const contents = new CatalogContents(providers, rows);
      const found = contents.models().filter((model) => isWanted(model, options));
      const lines = found.map((model) => ({ model, from: contents.knownFrom(model) }));
      if (options.json) stdout.write(`${JSON.stringify(lines.map(lineAsJson), null, 2)}\n`);
      else if (found.length === 0) stdout.write(NOTHING);
      else
        stdout.write(
          formatTable(
            COLUMNS,
            lines.map((line) => lineAsRow(line, clock.nowMs())),
          ),
        );
    });
}

const NOTHING = 'No models found. "switchyard catalog list" shows all of them.\n';
const COLUMNS = ['provider', 'id', 'category', 'owned by', 'context', 'price', 'from'];

interface Line {
  readonly model: CatalogModel;
  readonly from: readonly KnownFrom[];
}

function isWanted(model: CatalogModel, { category, provider, tag, search = '' }: ListOptions): boolean {
  if ((category ?? model.category) !== model.category) return false;
  if ((provider ?? model.provider) !== model.provider) return false;
  const tags = tagsOf(model);
  if (tag !== undefined && !tags.includes(tag)) return false;
  const text = [model.id, model.name, model.ownedBy, model.description ?? '', ...tags].join('\n').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function lineAsRow({ model, from }: Line, nowMs: number): readonly string[] {
  const { provider, id, category, ownedBy, capabilities } = model;
  const context = capabilities.contextTokens;
  return [
    provider,
    id,
    category,
    ownedBy,
    context === null ? NO_VALUE : String(context),
    formatPrice(model, nowMs),
    from.join(', '),
  ];
}

function lineAsJson({ model, from }: Line) {
  return { ...catalogModelView(model), from };
}
