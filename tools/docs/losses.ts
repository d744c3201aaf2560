import { FEATURES, type Feature, type Verdict } from '../../src/domain/exchange/loss.ts';
import type { ClientFormat, FieldClass, FieldTable, UpstreamFormat } from '../../src/formats/format.ts';
import { clientFormats, upstreamFormats } from '../../src/formats/index.ts';
import { providers } from '../../src/providers/index.ts';

const SIGNS: Readonly<Record<Verdict, string>> = { exact: '=', approximated: '≈', dropped: '–', refused: '✗' };

const INTRODUCTION = `# What survives translation

Generated from the code by \`bun tools/docs/main.ts\`; a test fails while this page differs from it.

A request whose channel speaks the client's own format is relayed byte for byte and loses nothing. Where it has to be
translated, every field of every format has one of four fates:

| sign | |
|---|---|
| \`=\` | carried exactly, or served by the gateway itself |
| \`≈\` | said in another way, and named in the header \`x-switchyard-losses\` |
| \`–\` | a tuning knob without effect there: left out, and named in the header |
| \`✗\` | it would change the meaning: the request goes to another channel, else it is refused with a 400 that names the field |

The header is a JSON array of \`{field, verdict, why}\`. A field that no version of a format is known to have is left out and named.
A field that is not listed shares the fate of the one that holds it. Reasoning state goes back to its own issuer only; elsewhere it
is left out. A model or provider may differ from its format; those differences are listed last.
`;

/** The page docs/losses.md. */
export function lossesPage(): string {
  const upstreams = [...upstreamFormats.values()].filter(({ relayOnly }) => relayOnly !== true);
  const sections = [...clientFormats.values()].map((format) => clientSection(format, upstreams));
  return [INTRODUCTION, ...sections, whySection(upstreams), providerSection()].join('\n');
}

function clientSection(client: ClientFormat, upstreams: readonly UpstreamFormat[]): string {
  const others = upstreams.filter(({ name }) => name !== client.name);
  const head = [
    `## From ${client.name}`,
    '',
    `| field | ${others.map(({ name }) => name).join(' | ')} |`,
    `|---|${others.map(() => ':-:').join('|')}|`,
  ];
  const cellsOf = (field: FieldClass) => others.map((upstream) => SIGNS[verdictOf(field, upstream)]).join(' | ');
  const paths = Object.keys(client.fields).sort();
  const rows: string[] = [];
  const notes: string[] = [];
  for (const path of paths) {
    const field = client.fields[path];
    if (field === undefined || isSaidBefore(path, client.fields)) continue;
    const above = fieldAbove(path, client.fields);
    if (above === undefined || cellsOf(above) !== cellsOf(field)) rows.push(`| \`${path}\` | ${cellsOf(field)} |`);
    if (typeof field !== 'string' && (above === undefined || reasonOf(above) !== field.why)) {
      notes.push(`- \`${path}\`: ${field.verdict}, ${field.why}`);
    }
  }
  if (notes.length > 0) notes.unshift('', `Why, for what only ${client.name} has:`, '');
  return [...head, ...rows, ...notes, ''].join('\n');
}

/** Gemini takes every name in camel case and in snake case, and a count's request within a wrapper, too; once is enough here. */
function isSaidBefore(path: string, fields: FieldTable): boolean {
  const camel = path
    .replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    .replace(/^generateContentRequest\./, '');
  return camel !== path && fields[camel] !== undefined;
}

/** The nearest field that holds this one. */
function fieldAbove(path: string, fields: FieldTable): FieldClass | undefined {
  for (let at = path.lastIndexOf('.'); at > 0; at = path.lastIndexOf('.', at - 1)) {
    const parent = path.slice(0, at);
    const found = fields[parent] ?? fields[parent.replace(/(\[\])+$/, '')];
    if (found !== undefined) return found;
  }
  return undefined;
}

function reasonOf(field: FieldClass): string {
  return typeof field === 'string' ? field : field.why;
}

/** What means something only within its own format or vendor, whatever an upstream of another one has of its own. */
const OWN_ONLY: Partial<Record<Feature, Verdict>> = {
  'provider-file': 'refused',
  'unknown-blocks': 'refused',
  'hosted-tools': 'refused',
  'reasoning-state': 'dropped',
};

function verdictOf(field: FieldClass, upstream: UpstreamFormat): Verdict {
  if (field === 'exact') return 'exact';
  if (typeof field !== 'string') return field.verdict;
  const carriage = upstream.carries[field];
  return OWN_ONLY[field] ?? (carriage === 'exact' ? 'exact' : carriage.verdict);
}

function whySection(upstreams: readonly UpstreamFormat[]): string {
  const lines = ['## Why, by upstream format', ''];
  for (const { name, carries } of upstreams) {
    const losses = FEATURES.flatMap((feature: Feature) => {
      const carriage = carries[feature];
      return carriage === 'exact' ? [] : [`- ${feature}: ${carriage.verdict}, ${carriage.why}`];
    });
    lines.push(`### To ${name}`, '', ...losses, '');
  }
  return lines.join('\n');
}

/** Shared rules (a developer role that is a system role) are said once for each provider. */
function providerSection(): string {
  const lines = ['## Where a provider differs from its format', ''];
  for (const { label, formats } of [...providers.values()].sort((a, b) => a.label.localeCompare(b.label))) {
    const differences = formats.flatMap(({ format, quirks }) =>
      (quirks ?? []).map((quirk) => {
        const models =
          quirk.models === undefined ? '' : ` for models like \`${quirk.models.source.replaceAll('|', '\\|')}\``;
        return `- ${format}, ${describe(quirk)}${models}: ${quirk.why}`;
      }),
    );
    if (differences.length > 0) lines.push(`### ${label}`, '', ...differences, '');
  }
  return lines.join('\n');
}

/** A quirk's data in a few words: its kind and its values. */
function describe(quirk: { readonly kind: string; readonly why: string; readonly models?: RegExp }): string {
  const { kind, why: _why, models: _models, ...values } = quirk;
  const shown = Object.values(values).map((value) =>
    typeof value === 'string'
      ? `\`${value}\``
      : `\`${value instanceof RegExp ? value.source : JSON.stringify(value)}\``,
  );
  return `${kind} ${shown.join(' ')}`.trim();
}
