import type { Quirk } from '../../../src/formats/text/quirk.ts';
import { providers } from '../../../src/providers/index.ts';

/** A rule of at least this many providers is listed once for all of them. */
const SHARED_FROM = 3;

const INTRODUCTION = `# Where providers differ from their formats

Generated from the code by \`npm run generate\`; a test fails while this page differs from it.

The pages of the formats say what a format carries. A provider or model can carry less, carry more, or need a different form. Each rule has its values,
the models that it applies to (all, if none are named) and the reason. \`lacks\` removes a feature and \`has\` adds one; the verdict in parentheses is the
outcome for a removed feature ([signs](../losses.md)).
`;

interface ProviderRule {
  readonly provider: string;
  readonly format: string;
  readonly text: string;
}

/** Generates docs/losses/providers.md. */
export function providerPage(): string {
  const sorted = [...providers.values()].sort((a, b) => a.label.localeCompare(b.label));
  const rules = sorted.flatMap(({ label, formats }) =>
    formats.flatMap(({ format, quirks }) =>
      rulesOf(quirks ?? []).map((text): ProviderRule => ({ provider: label, format, text })),
    ),
  );
  const shared = [...Map.groupBy(rules, ({ text }) => text)]
    .filter(([, of]) => new Set(of.map(({ provider }) => provider)).size >= SHARED_FROM)
    .map(([text]) => text);
  return [
    INTRODUCTION,
    '## Shared rules',
    '',
    `Rules of at least ${SHARED_FROM} providers. The sections of the providers refer to their numbers.`,
    '',
    ...shared.map((text, at) => `${at + 1}. ${text}`),
    '',
    ...[...Map.groupBy(rules, ({ provider }) => provider)].flatMap(([label, own]) => sectionOf(label, own, shared)),
  ].join('\n');
}

function sectionOf(label: string, rules: readonly ProviderRule[], shared: readonly string[]): readonly string[] {
  const lines = [...Map.groupBy(rules, ({ format }) => format)].flatMap(([format, own]) => {
    const numbers = own.map(({ text }) => shared.indexOf(text) + 1).filter((number) => number > 0);
    const references =
      numbers.length === 0 ? [] : [`- ${format}: shared rules ${numbers.sort((a, b) => a - b).join(', ')}`];
    return [
      ...references,
      ...own.filter(({ text }) => !shared.includes(text)).map(({ text }) => `- ${format}, ${text}`),
    ];
  });
  return [`## ${label}`, '', ...lines, ''];
}

/** Returns the text of each rule; features with the same reason share one. */
function rulesOf(quirks: readonly Quirk[]): readonly string[] {
  const groups = Map.groupBy(quirks, (quirk) => {
    const { start, end } = wordsOf(quirk);
    return JSON.stringify([start, end, quirk.why]);
  });
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { start, end } = wordsOf(first);
    const features = group.map((quirk) => wordsOf(quirk).feature).filter((feature) => feature !== '');
    return [`${[start, features.join(', '), end].filter((word) => word !== '').join(' ')}: ${first.why}`];
  });
}

/** Describes a quirk in a few words, with the feature separate. */
function wordsOf(quirk: Quirk): { readonly start: string; readonly feature: string; readonly end: string } {
  const forModels =
    quirk.models === undefined ? '' : `for models matching \`${quirk.models.source.replaceAll('|', '\\|')}\``;
  const join = (...words: readonly string[]) => words.filter((word) => word !== '').join(' ');
  if (quirk.kind === 'has') return { start: 'has', feature: code(quirk.feature), end: forModels };
  if (quirk.kind === 'lacks') {
    const { feature, verdict, isRefused } = quirk;
    const outcome = isRefused ? `${verdict}; requests in this format are not relayed either` : verdict;
    return { start: 'lacks', feature: code(feature), end: join(`(${outcome})`, forModels) };
  }
  if (quirk.kind === 'rename') {
    const always = quirk.isRefused ? '(also when relayed)' : '';
    return { start: `rename ${code(quirk.from)} to ${code(quirk.to)}`, feature: '', end: join(always, forModels) };
  }
  if (quirk.kind === 'role') {
    return { start: `role ${code(quirk.from)} becomes ${code(quirk.to)}`, feature: '', end: forModels };
  }
  const { kind, why: _why, models: _models, ...values } = quirk;
  return { start: join(kind, ...Object.values(values).map(code)), feature: '', end: forModels };
}

function code(value: unknown): string {
  if (value instanceof RegExp) return `\`${value.source}\``;
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}
