import { providers } from '../../src/providers/index.ts';
import type { GovernedEffect, GovernedMember } from '../../src/providers/shared/governed-member.ts';

const INTRODUCTION = `# Governed members

Generated from the manifests by \`npm run generate\`; a test fails while this page differs from them.

Governed members of a request let the upstream choose another model, cost more than tokens at the model's price, or access something of the owner of the
channel's key. On a shared channel they are priced, checked against the key's models, or refused ([billing.md](billing.md)). An account's own channel
accepts all of them. Members that are not listed are sent unchanged.

\`tools[].type\` = \`/^mcp/\` means values that match the regular expression. Without a value, every value except \`null\`, \`false\` and empty ones
counts.
`;

/** Generates docs/governed-members.md. */
export function governedPage(): string {
  const sorted = [...providers.values()].sort((a, b) => a.label.localeCompare(b.label));
  const sections = sorted.flatMap(({ label, formats }) => {
    const byRows = Map.groupBy(formats, ({ governs = [] }) => rowsOf(governs).join('\n'));
    return [...byRows].flatMap(([rows, of]) => {
      const names = of.map(({ format }) => format).join(', ');
      return rows === '' ? [] : [`## ${label}: ${names}`, '', HEAD, rows, ''];
    });
  });
  return [INTRODUCTION, ...sections].join('\n');
}

const HEAD = '| member | effect | reason |\n|---|---|---|';

/** Returns one row for all members with the same effect, reason and models. */
function rowsOf(members: readonly GovernedMember[]): string[] {
  const groups = Map.groupBy(members, ({ effect, why, models }) => JSON.stringify([effect, why, models?.source]));
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const models = first.models === undefined ? '' : `; for models ${pattern(first.models)}`;
    return [`| ${namesOf(group)}${models} | ${effectOf(first.effect)} | ${first.why.trim()} |`];
  });
}

/** Lists the members, those with the same values together. */
function namesOf(members: readonly GovernedMember[]): string {
  const groups = Map.groupBy(members, ({ values, isHeader }) => `${isHeader === true} ${values?.source ?? ''}`);
  const parts = [...groups.values()].map((group) => {
    const names = group.map(({ member, isHeader }) => `${isHeader === true ? 'header ' : ''}${code(member)}`);
    const values = group[0]?.values;
    return `${names.join(', ')}${values === undefined ? '' : ` = ${pattern(values)}`}`;
  });
  return parts.join('; ');
}

function effectOf(effect: GovernedEffect): string {
  switch (effect.kind) {
    case 'names-model':
      return 'names a model';
    case 'chooses-model':
      return 'the provider chooses a model';
    case 'token-price':
      return `tokens cost ${factorsOf(effect.factors)}; other values have no price`;
    case 'web-search':
      return `web searches${effect.usd === undefined ? '' : `, ${effect.usd} USD each unless the model has a price for them`}`;
    case 'image-tool':
      return `draws with the image model in ${code(effect.model)}, otherwise one of ${effect.models.map(code).join(', ')}, at its prices`;
    case 'hosted-tool':
      return 'a tool that is billed by its tokens';
    case 'unpriced':
      return 'has no price here';
    case 'owners-own':
      return "accesses data of the channel's owner";
  }
}

function factorsOf(factors: Readonly<Record<string, string>>): string {
  return Object.entries(factors)
    .map(([value, factor]) => `${code(value)} × ${factor}`)
    .join(', ');
}

function pattern({ source }: RegExp): string {
  return code(`/${source}/`);
}

/** Escapes bars, which would end the table's cell. */
function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``;
}
