import { strictUpstreams } from '../../conformance/strict/index.ts';
import type { Rule, Source, StrictUpstream } from '../../conformance/strict/rule.ts';

const INTRODUCTION = `# What providers refuse

Generated from \`conformance/strict\` by \`npm run generate\`; a test fails while this page differs from it.

Each table is a test upstream for a provider's service. It refuses what the real service is known to refuse, by exactly these rules, and every request
that the gateway translates or relays in a test must pass them. [testing.md](testing.md#strict-upstreams) describes how to write rules. A source without
a URL is a document or a recorded response of the provider that the maintainers keep. The date is when the source was read.
`;

const ALL_MODELS = 'All models';

/** Generates docs/provider-rules.md. */
export function providerRulesPage(): string {
  return [INTRODUCTION, ...summary(), ...strictUpstreams.flatMap(section)].join('\n');
}

function summary(): string[] {
  const rows = strictUpstreams.map(
    ({ label, name, provider, wire, rules }) =>
      `| [${label}](#${anchorOf(label)}) | \`${provider}\` | \`${wire}\` | \`${name}\` | ${rules.length} |`,
  );
  return ['| service | `provider` | format or wire | strict upstream | rules |', '|---|---|---|---|---|', ...rows, ''];
}

function section(upstream: StrictUpstream, at: number): string[] {
  const base = baseOf(upstream, strictUpstreams.slice(0, at));
  const known = new Set(base?.rules.map(keyOf));
  const rules = upstream.rules.filter((rule) => !known.has(keyOf(rule)));
  const title = [`## ${upstream.label}`, ''];
  if (base !== null)
    title.push(`All rules of [${base.label}](#${anchorOf(base.label)})${rules.length > 0 ? ', and:' : '.'}`, '');
  return rules.length === 0
    ? title
    : [...title, '| models | rules | source | read on |', '|---|---|---|---|', ...rowsOf(rules), ''];
}

/** Returns the earlier upstream with the most rules, all of which apply here too. */
function baseOf({ rules }: StrictUpstream, earlier: readonly StrictUpstream[]): StrictUpstream | null {
  const keys = new Set(rules.map(keyOf));
  const bases = earlier.filter((one) => one.rules.length > 1 && one.rules.every((rule) => keys.has(keyOf(rule))));
  return bases.reduce<StrictUpstream | null>(
    (most, one) => (most === null || one.rules.length > most.rules.length ? one : most),
    null,
  );
}

function keyOf({ statement, family, source }: Rule): string {
  return JSON.stringify([statement, family?.label, source.url]);
}

/** Returns one row for all rules with the same models and source. */
function rowsOf(rules: readonly Rule[]): string[] {
  const labelOf = ({ family }: Rule) => family?.label ?? ALL_MODELS;
  const sorted = [...rules].sort((a, b) => Number(labelOf(b) === ALL_MODELS) - Number(labelOf(a) === ALL_MODELS));
  const groups = Map.groupBy(sorted, (rule) => JSON.stringify([labelOf(rule), rule.source]));
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const statements = group.map(({ statement }) => cell(statement)).join('<br>');
    return [`| ${cell(labelOf(first))} | ${statements} | ${linkOf(first.source)} | ${first.source.checked} |`];
  });
}

function linkOf({ url }: Source): string {
  if (!url.startsWith('https://')) return `\`${url}\``;
  return `[${new URL(url).hostname.replace(/^www\./, '')}](${url})`;
}

/** Escapes bars, which would end the table's cell. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

/** Returns GitHub's anchor of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}
