import { providers } from '../../src/providers/index.ts';
import type { GovernedEffect, GovernedMember } from '../../src/providers/shared/governed-member.ts';

const INTRODUCTION = `# Governed members

Generated from the manifests by \`npm run generate\`; a test fails while this page differs from them.

Members of a request by which an upstream chooses another model, bills more than tokens at the model's price, or reaches for what belongs to
the owner of the channel's key. What becomes of them over a channel that accounts share is told in [billing.md](billing.md); an account's own
channel takes all of them, and a member that is not listed goes on as it came.
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

const HEAD = '| member | what it does | why |\n|---|---|---|';

function rowsOf(members: readonly GovernedMember[]): string[] {
  return members.map((one) => `| ${memberOf(one)} | ${effectOf(one.effect)} | ${one.why.trim()} |`);
}

function memberOf({ member, values, models, isHeader }: GovernedMember): string {
  const parts = [
    `${isHeader === true ? 'header ' : ''}${code(member)}`,
    ...(values === undefined ? [] : [`of ${code(values.source)}`]),
    ...(models === undefined ? [] : [`for models ${code(models.source)}`]),
  ];
  return parts.join(', ');
}

function effectOf(effect: GovernedEffect): string {
  switch (effect.kind) {
    case 'names-model':
      return 'names a model';
    case 'chooses-model':
      return 'lets the provider choose a model';
    case 'token-price':
      return `tokens cost ${factorsOf(effect.factors)}; another value has no price`;
    case 'web-search':
      return `web searches${effect.usd === undefined ? '' : `, ${effect.usd} USD each where the model has no price for them`}`;
    case 'image-tool':
      return `draws with an image model, ${code(effect.model)} or one of ${effect.models.map(code).join(', ')}, at its prices`;
    case 'hosted-tool':
      return 'runs a tool that costs its tokens';
    case 'unpriced':
      return 'has no price';
    case 'owners-own':
      return "belongs to the channel's owner";
  }
}

function factorsOf(factors: Readonly<Record<string, string>>): string {
  return Object.entries(factors)
    .map(([value, factor]) => `${code(value)} × ${factor}`)
    .join(', ');
}

/** Escapes bars, which would end the table's cell. */
function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``;
}
