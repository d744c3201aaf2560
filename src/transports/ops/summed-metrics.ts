/** The metrics of one of several processes, in Prometheus' text format. */
export interface ProcessMetrics {
  readonly worker: number;
  readonly text: string;
}

interface Family {
  /** The `# HELP` and `# TYPE` lines. */
  readonly head: string[];
  type: string;
  /** The values by series, as written. */
  readonly values: Map<string, number>;
}

const HEAD = /^# (HELP|TYPE) (\S+)(?: (.*))?$/;
const SERIES = /^([^\s{]+)(\{.*\})? (\S+)$/;
/** The series of a histogram or a summary append one of these to their family's name. */
const PARTS = /_(bucket|sum|count)$/;

/**
 * Merges the metrics of all processes into one exposition: counters and histograms are added up, and so are gauges of current work
 * (`…_in_flight`). Any other gauge may have the same value in all processes (open tasks) or be meaningless as a sum (a breaker's state), so
 * it gets a `worker` label.
 */
export function summedMetrics(processes: readonly ProcessMetrics[]): string {
  const families = new Map<string, Family>();
  for (const { worker, text } of processes) {
    for (const line of text.split('\n')) addLine(families, line, worker);
  }
  return [...families.values()].flatMap(linesOf).join('\n').concat('\n');
}

function addLine(families: Map<string, Family>, line: string, worker: number): void {
  const head = HEAD.exec(line);
  if (head !== null) {
    const [, kind, name = '', rest = ''] = head;
    const family = familyOf(families, name);
    if (!family.head.includes(line)) family.head.push(line);
    if (kind === 'TYPE') family.type = rest;
    return;
  }
  const series = SERIES.exec(line);
  if (series === null) return;
  const [, name = '', labels = '', value = ''] = series;
  const family = families.get(name) ?? families.get(name.replace(PARTS, '')) ?? familyOf(families, name);
  const isSum = family.type === 'counter' || family.type === 'histogram' || name.endsWith('_in_flight');
  const key = isSum ? name + labels : name + withWorker(labels, worker);
  family.values.set(key, (family.values.get(key) ?? 0) + Number(value));
}

function familyOf(families: Map<string, Family>, name: string): Family {
  const known = families.get(name);
  if (known !== undefined) return known;
  const family: Family = { head: [], type: 'untyped', values: new Map() };
  families.set(name, family);
  return family;
}

function withWorker(labels: string, worker: number): string {
  return labels === '' || labels === '{}' ? `{worker="${worker}"}` : `${labels.slice(0, -1)},worker="${worker}"}`;
}

function linesOf({ head, values }: Family): string[] {
  return [...head, ...[...values].map(([series, value]) => `${series} ${textOf(value)}`)];
}

/** Formats a number as Prometheus reads it. */
function textOf(value: number): string {
  if (Number.isNaN(value)) return 'Nan';
  return Number.isFinite(value) ? String(value) : value > 0 ? '+Inf' : '-Inf';
}
