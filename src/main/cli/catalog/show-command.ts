import type { Command } from 'commander';
import type { CacheOverrides } from '../../../domain/cache/cache.ts';
import type { CatalogModel } from '../../../domain/catalog/catalog-model.ts';
import type { DeclaredModel, Model, Origin } from '../../../domain/catalog/model.ts';
import { tagsOf } from '../../../domain/catalog/model-tags.ts';
import { pricePeriods } from '../../../domain/money/pricing.ts';
import type { ModelRule } from '../../../domain/routing/model-rule.ts';
import { CatalogContents } from '../../../engine/admin/catalog/read-catalog.ts';
import {
  dayOrNull,
  type ServingChannel,
  type ShownModel,
  shownModel,
  shownModelView,
} from '../../../engine/admin/models/read-models.ts';
import { cacheOverrideFields } from '../../../engine/admin/schema/cache-section.ts';
import { SERVING_ONLY } from '../../../engine/ports/directory-store.ts';
import { CommandError } from '../command-error.ts';
import { type CommandSetup, withDirectory } from '../context.ts';
import { printable } from '../table.ts';
import { checkProvider } from './check-provider.ts';
import { formatFacts, formatPrice, formatPrices, formatSource, NO_VALUE } from './format.ts';

interface ShowOptions {
  readonly provider?: string;
  readonly json?: boolean;
}

export function addShow(catalog: Command, setup: CommandSetup): void {
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
    .action(async (id: string, options: ShowOptions) => {
      const { clock, stdout } = setup.dependencies;
      const providers = await setup.dependencies.providers();
      checkProvider(providers, options.provider);
      const rows = await withDirectory(setup, (directory) => directory.read(SERVING_ONLY));
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

const LABEL_WIDTH = 13;

type Facts = Omit<CatalogModel, 'provider' | 'releasedAtMs' | 'listedAtMs' | 'capabilities'> &
  Pick<Model, 'capabilities'>;

interface Fact {
  readonly label: string;
  text(facts: Facts, nowMs: number): string;
  isStated(declared: DeclaredModel): boolean;
}

const FACTS: readonly Fact[] = [
  { label: 'name', text: ({ name }) => name, isStated: ({ name }) => name !== null },
  {
    label: 'description',
    text: ({ description }) => description ?? NO_VALUE,
    isStated: ({ description }) => description !== null,
  },
  {
    label: 'category',
    text: ({ category }) => category,
    isStated: ({ category }) => category !== null,
  },
  { label: 'tags', text: (facts) => tagsOf(facts).join(', '), isStated: ({ tags }) => tags !== null },
  { label: 'owned by', text: ({ ownedBy }) => ownedBy, isStated: ({ ownedBy }) => ownedBy !== null },
  ...(['input', 'output', 'features'] as const).map((field) => ({
    label: field,
    text: ({ capabilities }: Facts) => capabilities?.[field].join(', ') || NO_VALUE,
    isStated: ({ capabilities }: DeclaredModel) => capabilities?.[field] !== undefined,
  })),
  ...(
    [
      ['context', 'contextTokens'],
      ['max output', 'maxOutputTokens'],
      ['dimensions', 'dimensions'],
    ] as const
  ).map(([label, member]) => ({
    label,
    text: ({ capabilities }: Facts) => String(capabilities?.[member] ?? NO_VALUE),
    isStated: ({ capabilities }: DeclaredModel) => capabilities?.[member] !== undefined,
  })),
  {
    label: 'operations',
    text: ({ operations }) => operations.join(', '),
    isStated: ({ operations }) => operations !== null,
  },
  {
    label: 'price',
    text: (facts, nowMs) => formatPrice(facts, nowMs),
    isStated: ({ pricing }) => pricing !== null,
  },
];

const ORIGINS: Readonly<Record<Origin, string>> = {
  config: 'from the configuration',
  environment: 'from the environment',
  operator: 'by an admin',
};

/** Formats one labelled fact per line. */
function formatShown(shown: ShownModel, nowMs: number): string {
  const { model, declared, known } = shown;
  const lines: (readonly [string, string])[] = [['model', model.id]];
  if (known !== null) lines.push(['catalog', catalogText(shown, known)]);
  for (const { label, text, isStated } of FACTS) {
    const mark = declared !== null && isStated(declared) ? yours(declared, known && text(known, nowMs)) : '';
    lines.push([label, text(model, nowMs) + mark]);
  }
  lines.push(...priceLines(model));
  const released = known && dayOrNull(known.releasedAtMs);
  if (released !== null) lines.push(['released', released]);
  if (declared?.status) lines.push(['status', declared.status + yours(declared, null)]);
  if (declared !== null && declared.cache !== null) {
    lines.push(['cache', cacheText(declared.cache) + yours(declared, null)]);
  }
  for (const [at, rule] of (model.rules ?? []).entries()) lines.push([`rule ${at + 1}`, ruleText(rule)]);
  lines.push(['channels', shown.channels.map((serving) => channelText(serving, model.id)).join(', ') || 'none']);
  for (const other of shown.alsoAt) lines.push(['also known for', `${other.provider}: ${formatPrice(other, nowMs)}`]);
  return lines.map(([label, text]) => `${label.padEnd(LABEL_WIDTH)}  ${printable(text)}\n`).join('');
}

/** Formats a rule as `long prompts (inputTokens) → big`. */
function ruleText({ name, when, model }: ModelRule): string {
  const conditions = when === null ? 'default' : Object.keys(when).join(', ');
  return `${name === null ? conditions : `${name} (${conditions})`} → ${model}`;
}

/** Formats overrides as `strategy exact, ttl_seconds 60, semantic certainty 0.9`. */
function cacheText(overrides: CacheOverrides): string {
  const { semantic, ...fields } = cacheOverrideFields(overrides);
  const inner = Object.entries(semantic ?? {}).map(([word, value]) => `semantic ${word} ${value}`);
  return [...Object.entries(fields).map(([name, value]) => `${name} ${value}`), ...inner].join(', ');
}

function catalogText({ knownFrom, synced }: ShownModel, { provider, id }: CatalogModel): string {
  const list = synced === null ? '' : `; ${formatFacts(synced)} from ${formatSource(synced.source)}`;
  return `${provider} ${id} (${knownFrom.join(', ')}${list})`;
}

function yours({ origin }: DeclaredModel, catalogText: string | null): string {
  return ` (yours, ${ORIGINS[origin]}${catalogText === null ? '' : `; the catalog: ${catalogText}`})`;
}

/** Returns lines for all prices and their source. */
function priceLines({ pricing, priceSource }: Model): (readonly [string, string])[] {
  if (pricing === null || pricing === 'free') return sourceLine(priceSource);
  const lines = pricePeriods(pricing).flatMap(({ effectiveFromMs, prices, tiers }): (readonly [string, string])[] => [
    [effectiveFromMs === null ? '' : `  from ${dayOrNull(effectiveFromMs)}`, formatPrices(prices)],
    ...tiers.map((tier) => ['', `above ${tier.aboveInputTokens} tokens: ${formatPrices(tier.prices)}`] as const),
  ]);
  return [...lines, ...sourceLine(priceSource)];
}

function sourceLine(source: Model['priceSource']): (readonly [string, string])[] {
  // Declared prices have neither.
  return source === null || (source.url === null && source.date === null) ? [] : [['price from', formatSource(source)]];
}

function channelText({ channel, publicId }: ServingChannel, id: string): string {
  const more = [
    channel.provider,
    ...(publicId === id ? [] : [`as ${publicId}`]),
    ...(channel.enabled ? [] : ['disabled']),
  ];
  return `${channel.id} (${more.join(', ')})`;
}
