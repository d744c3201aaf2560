import type { StatusDocument } from '../../../transports/shared/status-document.ts';
import { cut, type Paint, type Style, shortDollars, shortDuration, shortNumber } from '../remote/words.ts';
import type { ChannelRow } from './channel-rates.ts';
import { type Column, tableLines } from './columns.ts';
import type { Grouping, Sorting, TrafficRow, TrafficSums } from './traffic.ts';

/** A request that runs, or that has just finished slowly or failed. */
export interface NotableRequest {
  readonly id: string;
  /** Whether it is still running. */
  readonly isRunning: boolean;
  readonly durationMs: number;
  /** The HTTP status; `null` while it runs. */
  readonly status: number | null;
  readonly isFailed: boolean;
  readonly account: string;
  readonly model: string;
  readonly channel: string;
  readonly problem: string | null;
}

/** Everything that the screen shows. */
export interface TopView {
  readonly url: string;
  /** The time in UTC, as `22:10:01`. */
  readonly clock: string;
  /** `null` if the token may not read it, or it has not arrived yet. */
  readonly status: StatusDocument | null;
  readonly channels: readonly ChannelRow[];
  readonly sums: TrafficSums;
  readonly rows: readonly TrafficRow[];
  readonly requests: readonly NotableRequest[];
  readonly grouping: Grouping;
  readonly sorting: Sorting;
  readonly isPaused: boolean;
  /** A message to the person, such as a lost connection; `null` for none. */
  readonly notice: string | null;
  /** The filters in force; empty for none. */
  readonly filters: string;
}

export interface ScreenSize {
  readonly columns: number;
  /** The number of rows; `Infinity` for output that is no screen. */
  readonly rows: number;
}

const LEAST_COLUMNS = 20;
const LEAST_ROWS = 8;

/** Returns the lines of the screen: at most as many as it has rows, each at most as wide as it. */
export function screenLines(view: TopView, { columns, rows }: ScreenSize, paint: Paint): readonly string[] {
  if (columns < LEAST_COLUMNS || rows < LEAST_ROWS) return [cut('The terminal is too small.', Math.max(1, columns))];
  const head = headLines(view, columns, paint);
  const footer = rows === Number.POSITIVE_INFINITY ? [] : [paint('dim', cut(keysOf(view), columns))];
  const sections = [
    tableLines(CHANNELS, view.channels, columns, paint),
    tableLines(trafficColumns(view), view.rows, columns, paint),
    tableLines(REQUESTS, view.requests, columns, paint),
  ].filter((lines) => lines.length > 1);
  const room = rows - head.length - footer.length;
  const body = fitted(sections, room);
  const gap = rows === Number.POSITIVE_INFINITY ? 0 : Math.max(0, room - body.length);
  return [...head, ...body, ...Array<string>(gap).fill(''), ...footer];
}

function headLines(view: TopView, columns: number, paint: Paint): readonly string[] {
  const { sums, status, notice, filters } = view;
  const rate = (value: number) => shortNumber(value / sums.seconds);
  const share = (value: number) => (sums.requests === 0 ? '0%' : `${shortNumber((100 * value) / sums.requests)}%`);
  const perHour = (sums.costNanoUsd * 3_600n) / BigInt(Math.max(1, Math.round(sums.seconds)));
  const inFlight = status === null ? '' : `  in flight ${shortNumber(status.requests.in_flight)}`;
  const firstByte = sums.firstByteP95Ms === null ? '' : `  first byte p95 ${shortDuration(sums.firstByteP95Ms)}`;
  return [
    titleLine(view, columns, paint),
    cut(
      `requests ${rate(sums.requests)}/s${inFlight}  failed ${share(sums.failed)}  faults ${share(sums.faults)}  cached ${share(sums.cached)}`,
      columns,
    ),
    cut(
      `tokens ${rate(sums.inputTokens)}/s in, ${rate(sums.outputTokens)}/s out  cost ${shortDollars(perHour)}/h`,
      columns,
    ),
    cut(
      `latency p50 ${shortDuration(sums.p50Ms)}  p95 ${shortDuration(sums.p95Ms)}  p99 ${shortDuration(sums.p99Ms)}${firstByte}`,
      columns,
    ),
    ...(filters === '' ? [] : [cut(`only ${filters}`, columns)]),
    ...(notice === null ? [] : [paint('yellow', cut(notice, columns))]),
    ...(status?.problems ?? [])
      .slice(0, 3)
      .map(({ level, message }) => paint(level === 'down' ? 'red' : 'yellow', cut(message, columns))),
  ];
}

const LEVELS: Readonly<Record<StatusDocument['status'], Style>> = { ok: 'green', degraded: 'yellow', down: 'red' };

function titleLine({ url, clock, status, isPaused }: TopView, columns: number, paint: Paint): string {
  const paused = isPaused ? '  PAUSED' : '';
  if (status === null) return paint('bold', cut(`${clock}${paused}  ${url}`, columns));
  const up = shortDuration(status.uptime_seconds * 1_000);
  const nodes = status.nodes.count === 1 ? '' : `  ${status.nodes.count} nodes`;
  const level = status.status;
  const rest = cut(`  ${clock}${paused}  ${url}  ${status.version}  up ${up}${nodes}`, columns - level.length);
  return paint(LEVELS[level], level) + paint('bold', rest);
}

function keysOf({ grouping, sorting }: TopView): string {
  return `q quit  space pause  g group: ${grouping}  s sort: ${sorting}`;
}

const STATES: Readonly<Record<ChannelRow['state'], Style | null>> = {
  blocked: 'red',
  resting: 'red',
  probing: 'yellow',
  ready: null,
};

const percent = (rate: number | null) => (rate === null ? '-' : `${shortNumber(100 * rate)}%`);

const CHANNELS: readonly Column<ChannelRow>[] = [
  { title: 'CHANNEL', width: 14, rank: 0, text: ({ name }) => name },
  { title: 'STATE', width: 7, rank: 1, text: ({ state }) => state, style: ({ state }) => STATES[state] },
  { title: 'LOAD', width: 5, rank: 2, side: 'right', text: ({ inFlight }) => shortNumber(inFlight) },
  {
    title: 'FAIL',
    width: 5,
    rank: 2,
    side: 'right',
    text: ({ failureRate }) => percent(failureRate),
    style: ({ failureRate }) => (failureRate !== null && failureRate >= 0.1 ? 'red' : null),
  },
  {
    title: 'REQ/S',
    width: 5,
    rank: 3,
    side: 'right',
    text: ({ perSecond }) => (perSecond === null ? '-' : shortNumber(perSecond)),
  },
  {
    title: 'TTFB',
    width: 6,
    rank: 4,
    side: 'right',
    text: ({ firstByteMs }) => (firstByteMs === null ? '-' : shortDuration(firstByteMs)),
  },
  { title: 'REASON', width: 24, rank: 5, text: ({ reason }) => reason ?? '' },
];

function trafficColumns({ grouping, sums }: TopView): readonly Column<TrafficRow>[] {
  return [
    { title: grouping.toUpperCase(), width: 14, rank: 0, text: ({ name }) => name },
    {
      title: 'REQ/S',
      width: 5,
      rank: 1,
      side: 'right',
      text: ({ requests }) => shortNumber(requests / sums.seconds),
    },
    {
      title: 'FAIL',
      width: 5,
      rank: 1,
      side: 'right',
      text: ({ requests, failed }) => percent(failed / requests),
      style: ({ requests, failed }) => (failed / requests >= 0.1 ? 'red' : null),
    },
    { title: 'P95', width: 6, rank: 2, side: 'right', text: ({ p95Ms }) => shortDuration(p95Ms) },
    { title: 'TOK/S', width: 6, rank: 3, side: 'right', text: ({ tokens }) => shortNumber(tokens / sums.seconds) },
    { title: 'COST', width: 9, rank: 4, side: 'right', text: ({ costNanoUsd }) => shortDollars(costNanoUsd) },
  ];
}

const REQUESTS: readonly Column<NotableRequest>[] = [
  { title: 'REQUEST', width: 12, rank: 0, text: ({ id }) => id },
  {
    title: 'STATUS',
    width: 7,
    rank: 1,
    text: ({ isRunning, status }) => (isRunning ? 'running' : String(status ?? '-')),
    style: ({ isRunning, isFailed }) => (isFailed ? 'red' : isRunning ? 'yellow' : null),
  },
  { title: 'TIME', width: 6, rank: 1, side: 'right', text: ({ durationMs }) => shortDuration(durationMs) },
  { title: 'MODEL', width: 14, rank: 2, text: ({ model }) => model },
  { title: 'CHANNEL', width: 12, rank: 3, text: ({ channel }) => channel },
  { title: 'ACCOUNT', width: 10, rank: 4, text: ({ account }) => account },
  { title: 'PROBLEM', width: 20, rank: 5, text: ({ problem }) => problem ?? '' },
];

/** Gives each section its rows, and cuts the longest ones until all fit. Sections are separated by an empty line. */
function fitted(sections: readonly (readonly string[])[], room: number): readonly string[] {
  const counts = sections.map(({ length }) => length);
  const used = () => counts.reduce((sum, count) => sum + (count > 1 ? count + 1 : 0), 0);
  while (used() > room && counts.some((count) => count > 1)) {
    const longest = counts.lastIndexOf(Math.max(...counts));
    counts[longest] = (counts[longest] ?? 0) - 1;
  }
  return sections.flatMap((lines, index) => {
    const count = counts[index] ?? 0;
    return count > 1 ? ['', ...lines.slice(0, count)] : [];
  });
}
