import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import { sleep } from '../../system.ts';
import type { CommandEnding, CommandSetup } from '../context.ts';
import { remoteClient } from '../remote/remote-options.ts';
import { requestQuery } from '../remote/request-options.ts';
import { PLAIN, paintFor } from '../remote/words.ts';
import { printableJson } from '../table.ts';
import { enterTerminal } from './live-terminal.ts';
import { screenLines, type TopView } from './screen.ts';
import { DEFAULT_INTERVAL_SECONDS, type TopOptions } from './top-options.ts';
import { TopSession } from './top-session.ts';

const USUAL_SLOW_MS = 10_000;
/** The width of a snapshot that is not shown on a terminal. */
const SNAPSHOT_COLUMNS = 120;

/** Watches the gateway on the terminal until a person quits, or prints one snapshot. */
export async function runTop({ dependencies, setExitCode }: CommandSetup, options: TopOptions): Promise<void> {
  const { clock, stdout } = dependencies;
  const client = remoteClient(options, dependencies);
  const ending = dependencies.ending();
  const quitting = new AbortController();
  const signal = AbortSignal.any([ending.signal, quitting.signal]);
  const session = new TopSession({
    ...{ client, clock, sleep, signal, query: requestQuery(options), filters: filtersOf(options) },
    slowMs: options.slow ?? USUAL_SLOW_MS,
    grouping: options.group ?? 'model',
    sorting: options.sort ?? 'requests',
  });
  const intervalMs = (options.interval ?? DEFAULT_INTERVAL_SECONDS) * 1_000;
  const isLive = dependencies.isTerminal && options.once !== true && options.json !== true;
  const receiving = session.receive();
  receiving.catch(() => quitting.abort());
  try {
    if (isLive) {
      const paint = paintFor(true, dependencies.environment);
      await live(session, { intervalMs, signal, paint, quit: () => quitting.abort() });
    } else {
      await session.read();
      await sleep(intervalMs, signal);
      await session.read();
      if (!signal.aborted) stdout.write(snapshot(session.view(), options.json === true));
    }
  } finally {
    quitting.abort();
  }
  await receiving;
  setExitCode(exitCodeOf(ending, isLive));
}

/** Ctrl-C is a usual way to quit the live view; it ends a snapshot early. */
function exitCodeOf({ signal, exitCode }: CommandEnding, isLive: boolean): number {
  return !signal.aborted || (isLive && exitCode === 130) ? 0 : exitCode;
}

interface Live {
  readonly intervalMs: number;
  readonly signal: AbortSignal;
  readonly paint: ReturnType<typeof paintFor>;
  readonly quit: () => void;
}

async function live(session: TopSession, { intervalMs, signal, paint, quit }: Live): Promise<void> {
  const terminal = enterTerminal();
  const draw = () => terminal.draw(screenLines(session.view(), terminal.size, paint));
  try {
    terminal.onKey((typed) => {
      for (const key of typed) if (!session.key(key)) quit();
      draw();
    });
    terminal.onResize(draw);
    draw();
    let refusal: Error | null = null;
    while (!signal.aborted) {
      // Not awaited: a gateway that answers slowly stops neither the clock nor the requests.
      session.read().then(draw, (error: Error) => {
        refusal = error;
        quit();
      });
      await sleep(intervalMs, signal);
      draw();
    }
    if (refusal !== null) throw refusal;
  } finally {
    terminal.leave();
  }
}

function filtersOf({ account, model, channel, key, status }: TopOptions): string {
  return Object.entries({ account, model, channel, key, status })
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`]))
    .join(', ');
}

function snapshot(view: TopView, isJson: boolean): string {
  if (!isJson) {
    const size = { columns: SNAPSHOT_COLUMNS, rows: Number.POSITIVE_INFINITY };
    return screenLines(view, size, PLAIN)
      .map((line) => `${line.trimEnd()}\n`)
      .join('');
  }
  const { sums, rows, channels, requests, status, grouping } = view;
  return `${printableJson(
    {
      object: 'top',
      status: status?.status ?? null,
      problems: status?.problems ?? null,
      in_flight: status?.requests.in_flight ?? null,
      seconds: sums.seconds,
      ...{ requests: sums.requests, failed: sums.failed, faults: sums.faults, cached: sums.cached },
      ...{ input_tokens: sums.inputTokens, output_tokens: sums.outputTokens },
      cost_usd: formatNanoUsd(sums.costNanoUsd),
      latency_ms: { p50: sums.p50Ms, p95: sums.p95Ms, p99: sums.p99Ms },
      first_byte_p95_ms: sums.firstByteP95Ms,
      group_by: grouping,
      groups: rows.map((row) => ({
        ...{ name: row.name, requests: row.requests, failed: row.failed, tokens: row.tokens },
        ...{ cost_usd: formatNanoUsd(row.costNanoUsd), p95_ms: row.p95Ms },
      })),
      channels: channels.map((row) => ({
        ...{ channel: row.name, state: row.state, in_flight: row.inFlight, requests_per_second: row.perSecond },
        ...{ failure_rate: row.failureRate, first_byte_ms: row.firstByteMs, reason: row.reason },
      })),
      slow_requests: requests.map((row) => ({
        ...{ id: row.id, running: row.isRunning, duration_ms: row.durationMs, status: row.status },
        ...{ account: row.account, model: row.model, channel: row.channel, error_code: row.problem },
      })),
    },
    2,
  )}\n`;
}
