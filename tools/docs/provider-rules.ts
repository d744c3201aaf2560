import { strictUpstreams } from '../../conformance/strict/index.ts';
import type { Rule, Source, StrictUpstream } from '../../conformance/strict/rule.ts';

const INTRODUCTION = `# What providers refuse

Generated from \`conformance/strict\` by \`npm run generate\`; a test fails while this page differs from it.

Each table is a test upstream for a provider's service. It refuses what the real service is known to refuse, by exactly these rules, and every request
that the gateway translates or relays in a test must pass them. [testing.md](testing.md#strict-upstreams) describes how to write rules. A source without
a URL is a document or a recorded response of the provider that the maintainers keep. The date is when the source was read.
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
    '| models | rule | source | read on |',
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
