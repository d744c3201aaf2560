import { strictUpstreams } from '../../conformance/strict/index.ts';
import type { Rule, Source, StrictUpstream } from '../../conformance/strict/rule.ts';

const INTRODUCTION = `# What providers refuse

Generated from \`conformance/strict\` by \`npm run generate\`; a test fails while this page differs from it.

Each table is an upstream of our tests that stands for a provider's service. It refuses what the real service is known to refuse, by the rules
below and no others, and every request that the gateway translates or relays in a test has to pass them. How rules are written is told in
[testing.md](testing.md#strict-upstreams). A source without an address is a document or a recorded answer of the provider that the project's
maintainers keep; the date is the day on which it was read.
`;

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

function section({ label, rules }: StrictUpstream): string[] {
  const byFamily = Map.groupBy(rules, ({ family }) => family?.label ?? 'All models');
  const families = [...byFamily].sort(([a], [b]) => Number(b === 'All models') - Number(a === 'All models'));
  return [
    `## ${label}`,
    '',
    '| models | the service refuses | source | read on |',
    '|---|---|---|---|',
    ...families.flatMap(([family, of]) => of.map((rule) => rowOf(family, rule))),
    '',
  ];
}

function rowOf(family: string, { statement, source }: Rule): string {
  return `| ${cell(family)} | ${cell(statement)} | ${linkOf(source)} | ${source.checked} |`;
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
