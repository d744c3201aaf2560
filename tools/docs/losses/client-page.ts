import type { ClientFormat, UpstreamFormat } from '../../../src/formats/text/format.ts';
import { countsAt, type FieldRow, fieldRows, SIGNS, targetsOf, VERDICTS } from './fates.ts';

/** How many fields a line of the summary names; the table has them all. */
const MOST_NAMED = 6;

const TITLES = { refused: 'Refused', approximated: 'Approximated', dropped: 'Dropped' } as const;

/** Generates docs/losses/{client}.md. */
export function clientPage(client: ClientFormat): string {
  const rows = fieldRows(client);
  const shared = rows.filter(({ isOwn }) => !isOwn);
  const others = targetsOf(client);
  return [
    introduction(client, rows, others),
    ownSection(client, rows),
    ...others.map((upstream, at) => targetSection(upstream, at, shared)),
    tableSection(rows, others),
  ].join('\n');
}

function introduction({ name }: ClientFormat, rows: readonly FieldRow[], others: readonly UpstreamFormat[]): string {
  const shared = rows.filter(({ isOwn }) => !isOwn);
  const lines = others.map((upstream, at) => {
    const counts = countsAt(shared, at);
    return `| [${upstream.name}](#to-${upstream.name}) | ${VERDICTS.map((verdict) => counts[verdict]).join(' | ')} |`;
  });
  return `# What ${name} requests lose

Generated from the code by \`npm run generate\`; a test fails while this page differs from it.
[All formats, and the meaning of the signs](../losses.md).

A request to a channel of the same format loses nothing. For other formats it is translated. Of the ${rows.length} rows of the
[table](#all-fields), ${rows.length - shared.length} are [fields that only ${name} has](#only-in-${name}), with the same outcome everywhere. The others:

| to | carried \`=\` | approximated \`≈\` | dropped \`–\` | refused \`✗\` |
|---|--:|--:|--:|--:|
${lines.join('\n')}
`;
}

function ownSection({ name }: ClientFormat, rows: readonly FieldRow[]): string {
  const own = rows.filter(({ isOwn }) => isOwn);
  const groups = summaryGroups(own, 0);
  return [`## Only in ${name}`, '', ...(groups.length > 0 ? groups : ['Nothing.', ''])].join('\n');
}

function targetSection({ name }: UpstreamFormat, at: number, rows: readonly FieldRow[]): string {
  const groups = summaryGroups(rows, at);
  return [`## To ${name}`, '', ...(groups.length > 0 ? groups : ['Everything is carried.', ''])].join('\n');
}

/** Lists what is lost at one target: the gravest first, fields with the same reason on one line. */
function summaryGroups(rows: readonly FieldRow[], at: number): readonly string[] {
  return (['refused', 'approximated', 'dropped'] as const).flatMap((verdict) => {
    const lost = rows.filter(({ fates }) => fates[at]?.verdict === verdict);
    if (lost.length === 0) return [];
    const byReason = Map.groupBy(lost, ({ fates }) => fates[at]?.why ?? '');
    const lines = [...byReason].map(([why, fields]) => `- ${namesOf(fields)}: ${why}`);
    return [`**${TITLES[verdict]}** (${lost.length})`, '', ...lines, ''];
  });
}

/** Lists fields; those nearest to the top of the request represent the others. */
function namesOf(fields: readonly FieldRow[]): string {
  const depth = (path: string) => path.split('.').length;
  const sorted = fields.map(({ path }) => path).sort((a, b) => depth(a) - depth(b));
  const named = sorted.length > MOST_NAMED + 1 ? sorted.slice(0, MOST_NAMED) : sorted;
  const rest = sorted.length - named.length;
  return `${named.map((path) => `\`${path}\``).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

function tableSection(rows: readonly FieldRow[], others: readonly UpstreamFormat[]): string {
  return [
    '## All fields',
    '',
    'A field that is not listed has the outcome of its parent.',
    '',
    `| field | ${others.map(({ name }) => name).join(' | ')} |`,
    `|---|${others.map(() => ':-:').join('|')}|`,
    ...rows.map(({ path, fates }) => `| \`${path}\` | ${fates.map(({ verdict }) => SIGNS[verdict]).join(' | ')} |`),
    '',
  ].join('\n');
}
