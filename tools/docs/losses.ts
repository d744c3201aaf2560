import { FEATURES, type Feature, type Verdict } from '../../src/domain/exchange/loss.ts';
import type { ClientFormat, FieldClass, UpstreamFormat } from '../../src/formats/format.ts';
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
A model or provider may differ from its format; those differences are listed last.
`;

/** The page docs/losses.md. */
export function lossesPage(): string {
  const upstreams = [...upstreamFormats.values()];
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
  const rows = Object.keys(client.fields)
    .sort()
    .map((path) => {
      const field = client.fields[path];
      const cells = others.map((upstream) => (field === undefined ? '' : SIGNS[verdictOf(field, upstream)]));
      return `| \`${path}\` | ${cells.join(' | ')} |`;
    });
  const own = Object.entries(client.fields).flatMap(([path, field]) =>
    typeof field === 'string' ? [] : [`- \`${path}\`: ${field.verdict}, ${field.why}`],
  );
  const notes = own.length === 0 ? [] : ['', `Fields that only ${client.name} has:`, '', ...own.sort()];
  return [...head, ...rows, ...notes, ''].join('\n');
}

function verdictOf(field: FieldClass, upstream: UpstreamFormat): Verdict {
  if (field === 'exact') return 'exact';
  if (typeof field !== 'string') return field.verdict;
  const carriage = upstream.carries[field];
  return carriage === 'exact' ? 'exact' : carriage.verdict;
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
