import { mapInSlices, type Slices } from '../../domain/concurrency/slices.ts';
import type { Exemplar, FamilySnapshot, HistogramPoint, Labels, NumberPoint } from '../../domain/metrics/snapshot.ts';

export type ExpositionFormat = 'text' | 'openmetrics';

const CONTENT_TYPES: Readonly<Record<ExpositionFormat, string>> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

export interface Exposition {
  readonly body: string;
  readonly contentType: string;
}

/** Returns the format for a scraper: OpenMetrics only if it names it, since only that format has exemplars. */
export function formatFor(accept: string | null): ExpositionFormat {
  return accept?.toLowerCase().includes('application/openmetrics-text') ? 'openmetrics' : 'text';
}

/** Writes families in Prometheus' text format 0.0.4 or in OpenMetrics 1.0, with exemplars. Thousands of series take several slices. */
export async function writeExposition(
  families: readonly FamilySnapshot[],
  format: ExpositionFormat,
  slices: Slices,
): Promise<Exposition> {
  const texts = await mapInSlices(families, slices, (family) =>
    [...headOf(family, format), ...samplesOf(family, format), ''].join('\n'),
  );
  if (format === 'openmetrics') texts.push('# EOF\n');
  return { body: texts.join(''), contentType: CONTENT_TYPES[format] };
}

const UNIT = /_(seconds|bytes|usd)$/;

function headOf({ name, help, type }: FamilySnapshot, format: ExpositionFormat): readonly string[] {
  if (format === 'text') return [`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} ${type}`];
  // The family of a counter has its name without the suffix of its series; a counter without one has no type in OpenMetrics.
  const isCounter = type === 'counter' && name.endsWith('_total');
  const family = isCounter ? name.slice(0, -'_total'.length) : name;
  const unit = UNIT.exec(family)?.[1];
  return [
    `# HELP ${family} ${escaped(help).replaceAll('"', '\\"')}`,
    `# TYPE ${family} ${type === 'counter' && !isCounter ? 'unknown' : type}`,
    ...(unit === undefined ? [] : [`# UNIT ${family} ${unit}`]),
  ];
}

function samplesOf(family: FamilySnapshot, format: ExpositionFormat): readonly string[] {
  const { name } = family;
  if (family.type !== 'histogram') return family.points.map((point) => sampleOf(name, point, format));
  return family.points.flatMap((point) => bucketsOf(name, family.bounds, point, format));
}

function sampleOf(name: string, { labels, value, exemplar }: NumberPoint, format: ExpositionFormat): string {
  return `${name}${braced(pairsOf(labels))} ${textOf(value)}${exemplarOf(exemplar ?? null, format)}`;
}

function bucketsOf(
  name: string,
  bounds: readonly number[],
  { labels, counts, sum, exemplars }: HistogramPoint,
  format: ExpositionFormat,
): readonly string[] {
  const pairs = pairsOf(labels);
  const others = pairs === '' ? '' : `,${pairs}`;
  let below = 0;
  const buckets = [...bounds, Number.POSITIVE_INFINITY].map((bound, index) => {
    below += counts[index] ?? 0;
    const exemplar = exemplarOf(exemplars?.[index] ?? null, format);
    return `${name}_bucket{le="${boundOf(bound, format)}"${others}} ${below}${exemplar}`;
  });
  return [...buckets, `${name}_sum${braced(pairs)} ${textOf(sum)}`, `${name}_count${braced(pairs)} ${below}`];
}

/** OpenMetrics writes bounds as floating point numbers, such as `1.0`. */
function boundOf(bound: number, format: ExpositionFormat): string {
  return format === 'openmetrics' && Number.isInteger(bound) && Math.abs(bound) < 1e21 ? `${bound}.0` : textOf(bound);
}

function exemplarOf(exemplar: Exemplar | null, format: ExpositionFormat): string {
  if (exemplar === null || format === 'text') return '';
  return ` # {trace_id="${exemplar.traceId}"} ${textOf(exemplar.value)} ${exemplar.atMs / 1_000}`;
}

/** Prometheus reads no text that has NUL or is not valid UTF-8. */
const UNREADABLE = /[^\P{Cc}\n]|\p{Cs}/gu;

const PLAIN = /^[\w.:/ -]*$/;

function pairsOf(labels: Labels): string {
  return Object.entries(labels)
    .map(([label, value]) => `${label}="${PLAIN.test(value) ? value : quoted(value)}"`)
    .join(',');
}

function quoted(value: string): string {
  return escaped(value.replace(UNREADABLE, '\uFFFD')).replaceAll('"', '\\"');
}

function braced(pairs: string): string {
  return pairs === '' ? '' : `{${pairs}}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function textOf(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return Number.isFinite(value) ? String(value) : value > 0 ? '+Inf' : '-Inf';
}
