import { Slices } from '../../../domain/concurrency/slices.ts';
import type { FamilySnapshot } from '../../../domain/metrics/snapshot.ts';
import { type ExpositionFormat, writeExposition } from '../exposition.ts';

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface ParsedFamily {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly samples: Sample[];
}

/**
 * Parses Prometheus' text format 0.0.4. Throws for violations: a malformed line, a sample outside of its family, a duplicate family or
 * series, decreasing buckets.
 */
export function parseExposition(text: string): Map<string, ParsedFamily> {
  if (!text.endsWith('\n')) fail('the last line does not end');
  const families = new Map<string, ParsedFamily>();
  const series = new Set<string>();
  let help: readonly [name: string, text: string] | null = null;
  let family: ParsedFamily | null = null;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    if (line.startsWith('# HELP ')) {
      const [, name = '', said = ''] = /^# HELP ([a-zA-Z_:][\w:]*) (.*)$/.exec(line) ?? fail(line);
      help = [name, said.replace(/\\(.)/g, (_, escaped) => unescaped(escaped, line))];
    } else if (line.startsWith('#')) {
      const [, name = '', type = ''] =
        /^# TYPE ([a-zA-Z_:][\w:]*) (counter|gauge|histogram|summary|untyped)$/.exec(line) ?? fail(line);
      if (families.has(name) || help?.[0] !== name) fail(line);
      family = { name, help: help?.[1] ?? '', type, samples: [] };
      families.set(name, family);
    } else {
      const sample = parseSample(line);
      const identity = JSON.stringify([sample.name, Object.entries(sample.labels).sort()]);
      if (family === null || !namesOf(family).includes(sample.name) || series.has(identity)) fail(line);
      series.add(identity);
      family?.samples.push(sample);
    }
  }
  for (const { type, samples, name } of families.values()) if (type === 'histogram') checkHistogram(name, samples);
  return families;
}

/** Go parses `NaN` in any case, and prom-client writes `Nan`. */
function parseSample(line: string): Sample {
  const [, name = '', , inBraces = '', value = ''] =
    /^([a-zA-Z_:][\w:]*)(\{(.*)\})? (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|[Nn]a[Nn]|[+-]Inf)$/.exec(line) ?? fail(line);
  const labels: Record<string, string> = {};
  let rest = inBraces;
  while (rest !== '') {
    const [whole, label = '', raw = ''] = /^([a-zA-Z_]\w*)="((?:\\.|[^"\\])*)"(?:,|$)/.exec(rest) ?? fail(line);
    if (Object.hasOwn(labels, label)) fail(line);
    labels[label] = raw.replace(/\\(.)/g, (_, escaped) => unescaped(escaped, line));
    rest = rest.slice(whole.length);
  }
  return { name, labels, value: Number(value.replace('Inf', 'Infinity')) };
}

function namesOf({ name, type }: ParsedFamily): string[] {
  return type === 'histogram' ? ['_bucket', '_sum', '_count'].map((suffix) => name + suffix) : [name];
}

function unescaped(escaped: string, line: string): string {
  if (escaped === 'n') return '\n';
  return escaped === '\\' || escaped === '"' ? escaped : fail(line);
}

/** Checks that the buckets of each label set increase up to `+Inf`, which equals its count. */
function checkHistogram(name: string, samples: readonly Sample[]): void {
  const last = new Map<string, { readonly le: number; readonly value: number }>();
  for (const { name: sampleName, labels, value } of samples) {
    const { le = '', ...others } = labels;
    const key = JSON.stringify(others);
    const before = last.get(key);
    if (sampleName === `${name}_bucket`) {
      const bound = Number(le.replace('Inf', 'Infinity'));
      if (before && (before.le >= bound || before.value > value)) fail(`${name} ${key} ${le}`);
      last.set(key, { le: bound, value });
    } else if (sampleName === `${name}_count` && (before?.le !== Number.POSITIVE_INFINITY || before.value !== value)) {
      fail(`${name} ${key}`);
    }
  }
}

function fail(where: string): never {
  throw new Error(`not Prometheus' text format: ${where}`);
}

/** Resolves to the exposition of families, written at once. */
export function written(families: readonly FamilySnapshot[], format: ExpositionFormat) {
  return writeExposition(families, format, new Slices({ nowMs: () => 0, pause: async () => undefined }));
}
