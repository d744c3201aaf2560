import type { Contender, RivalsReport, ScenarioSummaries } from '../rivals.ts';
import type { Summary } from './summary.ts';
import { formatMegabytes, formatNumber, renderTable } from './table.ts';

/** The results of one server in all scenarios of the rivals; NaN for what was not measured. */
export interface RivalRow extends Contender {
  readonly cpuMicrosPerRequest: number;
  readonly cpuRatio: number;
  readonly requestsPerSecond: number;
  readonly streamCpuMicros: number;
  readonly streamCpuRatio: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The maximum of all scenarios. */
  readonly peakRssBytes: number;
  readonly processes: number;
  readonly threads: number | undefined;
  readonly lost: number;
}

/** Returns one row for each server that answered in at least one scenario. */
export function rivalRows(
  contenders: readonly Contender[],
  scenarios: readonly Pick<ScenarioSummaries, 'scenario' | 'summaries'>[],
): RivalRow[] {
  return contenders.flatMap(({ name, label, version, switchedOn }) => {
    const of = (scenario: string) =>
      scenarios
        .find((candidate) => candidate.scenario === scenario)
        ?.summaries.find((summary) => summary.target === name && Number.isFinite(summary.cpuMicrosPerRequest));
    const [json, stream, latency] = [of('json'), of('stream'), of('latency')];
    const measured = [json, stream, latency].filter((summary): summary is Summary => summary !== undefined);
    const last = measured.at(-1);
    if (last === undefined) return [];
    return [
      {
        ...{ name, label, version, switchedOn },
        cpuMicrosPerRequest: json?.cpuMicrosPerRequest ?? Number.NaN,
        cpuRatio: json?.cpuRatio ?? Number.NaN,
        requestsPerSecond: json?.requestsPerSecond ?? Number.NaN,
        streamCpuMicros: stream?.cpuMicrosPerRequest ?? Number.NaN,
        streamCpuRatio: stream?.cpuRatio ?? Number.NaN,
        p50Ms: latency?.p50Ms ?? Number.NaN,
        p99Ms: latency?.p99Ms ?? Number.NaN,
        peakRssBytes: Math.max(...measured.map((summary) => summary.peakRssBytes)),
        processes: Math.max(...measured.map((summary) => summary.processes)),
        threads: last.threads,
        lost: measured.reduce((total, summary) => total + summary.lost, 0),
      },
    ];
  });
}

function header(report: RivalsReport): string[] {
  return [
    'server',
    'version',
    'CPU µs/req',
    'x bare',
    'req/s',
    'stream CPU µs',
    'x bare',
    `p50 ms at ${report.requestsPerSecond}/s`,
    'p99 ms',
    'peak MB',
    'processes/threads',
    'lost',
  ];
}

function cells(row: RivalRow): string[] {
  return [
    row.label,
    row.version,
    formatNumber(row.cpuMicrosPerRequest, 0),
    formatNumber(row.cpuRatio, 1),
    formatNumber(row.requestsPerSecond, 0),
    formatNumber(row.streamCpuMicros, 0),
    formatNumber(row.streamCpuRatio, 1),
    formatNumber(row.p50Ms, 2),
    formatNumber(row.p99Ms, 2),
    formatMegabytes(row.peakRssBytes),
    `${row.processes}/${row.threads ?? '-'}`,
    String(row.lost),
  ];
}

function absentLine(report: RivalsReport): string[] {
  if (report.absent.length === 0) return [];
  return [`Not measured: ${report.absent.map(({ label, why }) => `${label} (${why})`).join(', ')}.`];
}

/** Renders the table for a terminal, followed by a line per server about its configuration. */
export function renderRivals(report: RivalsReport): string {
  const table = renderTable(header(report), report.rows.map(cells), 2);
  return [table, '', ...report.rows.map((row) => `${row.label}: ${row.switchedOn}`), ...absentLine(report)].join('\n');
}

function markdownRow(values: readonly string[]): string {
  return `| ${values.map((value) => value.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
}

/** Renders the same as a Markdown table with its date, to be pasted into bench/README.md. */
export function renderRivalsMarkdown(report: RivalsReport): string {
  const columns = [...header(report), 'enabled'];
  const rule = columns.map((_, index) => (index < 2 || index === columns.length - 1 ? '---' : '---:'));
  const rows = report.rows.map((row) => markdownRow([...cells(row), row.switchedOn]));
  const measured =
    `Measured on ${report.date} (${report.processor}): each server on the same core, load and upstream on another. ` +
    'CPU of all its processes, and requests per second with 32 clients that each wait for their response; medians of alternating rounds.';
  // A note about a failed start contains a log after its first line, which is only for the person who ran the benchmark.
  const notes = report.notes.map((note) => `- ${note.replace(/(; its last output:)?\n.*/s, '')}`);
  const paragraphs = [[measured], [markdownRow(columns), markdownRow(rule), ...rows], absentLine(report), notes].filter(
    (lines) => lines.length > 0,
  );
  return `${paragraphs.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}
