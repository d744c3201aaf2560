import type { Quirk } from '../../../src/formats/quirk.ts';
import { providers } from '../../../src/providers/index.ts';

const INTRODUCTION = `# Where a provider differs from its format

Generated from the code by \`npm run generate\`; a test fails while this page differs from it.

The pages of the formats say what a format carries. A provider or a model may carry less, carry more, or want a thing said in
another way. Each line is such a rule: the provider's format, the rule with its values, the models it holds for (all, where none is
named), and the reason. \`lacks\` and \`has\` take away and add a feature; the verdict in brackets is what becomes of it then
([signs](../losses.md)).
`;

/** Generates docs/losses/providers.md. */
export function providerPage(): string {
  const lines = [INTRODUCTION];
  for (const { label, formats } of [...providers.values()].sort((a, b) => a.label.localeCompare(b.label))) {
    const rules = formats.flatMap(({ format, quirks }) => rulesOf(format, quirks ?? []));
    if (rules.length > 0) lines.push(`## ${label}`, '', ...rules, '');
  }
  return lines.join('\n');
}

/** Returns a line per rule; features with the same reason share a line. */
function rulesOf(format: string, quirks: readonly Quirk[]): readonly string[] {
  const groups = Map.groupBy(quirks, (quirk) => {
    const { start, end } = wordsOf(quirk);
    return JSON.stringify([start, end, quirk.why]);
  });
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { start, end } = wordsOf(first);
    const features = group.map((quirk) => wordsOf(quirk).feature).filter((feature) => feature !== '');
    return [`- ${format}, ${[start, features.join(', '), end].filter((word) => word !== '').join(' ')}: ${first.why}`];
  });
}

/** Describes a quirk in a few words, with the feature separate. */
function wordsOf(quirk: Quirk): { readonly start: string; readonly feature: string; readonly end: string } {
  const forModels =
    quirk.models === undefined ? '' : `for models like \`${quirk.models.source.replaceAll('|', '\\|')}\``;
  const join = (...words: readonly string[]) => words.filter((word) => word !== '').join(' ');
  if (quirk.kind === 'has') return { start: 'has', feature: code(quirk.feature), end: forModels };
  if (quirk.kind === 'lacks') {
    const { feature, verdict, isRefused } = quirk;
    const outcome = isRefused ? `${verdict}, and a client of this format is not relayed` : verdict;
    return { start: 'lacks', feature: code(feature), end: join(`(${outcome})`, forModels) };
  }
  if (quirk.kind === 'rename') {
    const always = quirk.isRefused ? '(when relayed, too)' : '';
    return { start: `rename ${code(quirk.from)} to ${code(quirk.to)}`, feature: '', end: join(always, forModels) };
  }
  const { kind, why: _why, models: _models, ...values } = quirk;
  return { start: join(kind, ...Object.values(values).map(code)), feature: '', end: forModels };
}

function code(value: unknown): string {
  if (value instanceof RegExp) return `\`${value.source}\``;
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}
