import type { ShownRequest } from '../../api/schema.ts';
import { useFormat } from '../../kit/format.tsx';
import { requestsText } from '../../text/requests.ts';
import { useText } from '../../text/text.tsx';

type Times = NonNullable<ShownRequest['time_line']>;

interface Bar {
  readonly id: string;
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly colour: string;
  /** The end of a lighter part at the bar's beginning: the wait for the first token. */
  readonly lighterTo?: number;
  readonly said: string;
}

/** Shorter time lines would repeat numbers on their axis. */
const FEW_MS = 8;

const COLOURS = { answered: 'bg-good', failed: 'bg-bad', abandoned: 'bg-warn' } as const;

/** The phases of a request, to scale. */
export function TimeLine({ times }: { readonly times: Times }) {
  const format = useFormat();
  const bars = useBars(times);
  const whole = Math.max(times.ended_ms, times.charged_ms ?? 0, ...bars.map(({ to }) => to), 0.1);
  const percent = (ms: number) => `${(Math.max(0, ms) / whole) * 100}%`;
  return (
    <div className="flex flex-col gap-1 text-sm">
      <ol className="flex flex-col gap-1">
        {bars.map(({ id, name, from, to, colour, lighterTo, said }) => (
          <li key={id} className="grid items-center gap-x-3 sm:grid-cols-[11rem_minmax(0,1fr)_5.5rem]">
            <span className="min-w-0 truncate" title={name}>
              {name}
            </span>
            <span className="relative h-4 rounded-sm bg-sunken" title={said}>
              <span
                className={`absolute inset-y-0 min-w-0.5 rounded-sm ${colour}`}
                style={{ left: percent(from), width: percent(to - from) }}
              />
              {lighterTo !== undefined && (
                <span
                  className="absolute inset-y-1 border-panel border-e-2"
                  style={{ left: percent(from), width: percent(lighterTo - from) }}
                />
              )}
              <span className="sr-only">{said}</span>
            </span>
            <span className="numbers text-soft max-sm:hidden sm:text-end">{format.duration(to - from)}</span>
          </li>
        ))}
      </ol>
      <div aria-hidden className="grid gap-x-3 text-soft text-xs sm:grid-cols-[11rem_minmax(0,1fr)_5.5rem]">
        <span className="max-sm:hidden" />
        <span className="numbers flex justify-between border-line border-t pt-0.5">
          {(whole < FEW_MS ? [0, 1] : [0, 0.25, 0.5, 0.75, 1]).map((share) => (
            <span key={share}>{format.duration(Math.round(whole * share))}</span>
          ))}
        </span>
      </div>
      <Marks times={times} />
    </div>
  );
}

function useBars({
  admitted_ms: admitted,
  cache_looked_up_ms: lookedUp,
  queue_ms: queued,
  attempts,
  ...times
}: Times): readonly Bar[] {
  const text = useText(requestsText);
  const format = useFormat();
  const said = (from: number, to: number) => text.fromTo(format.duration(from), format.duration(to));
  const bar = (id: string, name: string, from: number, to: number, colour: string): Bar => ({
    ...{ id, name, from, to, colour },
    said: said(from, to),
  });
  const bars: Bar[] = [];
  if (admitted !== null) bars.push(bar('admit', text.admitted, 0, admitted, 'bg-series-5'));
  if (lookedUp !== null) bars.push(bar('cache', text.cacheLookedUp, admitted ?? 0, lookedUp, 'bg-series-3'));
  if (queued !== null) {
    const before = attempts.findLast(({ began_ms: began }) => (began ?? -1) >= queued)?.began_ms ?? times.ended_ms;
    bars.push(bar('queue', text.waitedForChannel, Math.max(0, before - queued), before, 'bg-series-4'));
  }
  attempts.forEach(
    ({ channel, channel_name: channelName, outcome, began_ms: began, headers_ms: headers, ended_ms: ended }, index) => {
      if (began === null || ended === null) return;
      const name = text.attemptAt(index + 1, channelName ?? channel ?? text.aChannel);
      const one = bar(`attempt ${index}`, name, began, ended, COLOURS[outcome]);
      const heard = headers === null ? '' : ` ${text.headersAt(format.duration(headers))}`;
      bars.push({
        ...one,
        ...(headers !== null && { lighterTo: headers }),
        said: `${text.outcomes[outcome]}: ${one.said}.${heard}`,
      });
    },
  );
  const { first_byte_ms: first, ended_ms: ended, charged_ms: charged } = times;
  if (first !== null) bars.push(bar('answer', text.answerToClient, first, Math.max(first, ended), 'bg-series-0'));
  if (charged !== null) {
    const before = Math.max(0, ...attempts.map(({ ended_ms: at }) => at ?? 0));
    bars.push(bar('charge', text.charged, Math.min(before, charged), charged, 'bg-series-2'));
  }
  return bars;
}

function Marks({ times: { first_byte_ms: first, charged_ms: charged, ended_ms: ended } }: { readonly times: Times }) {
  const text = useText(requestsText);
  const format = useFormat();
  const marks = [
    [text.firstByte, first],
    [text.chargedAt, charged],
    [text.endedAt, ended],
  ] as const;
  return (
    <dl className="mt-1 flex flex-wrap gap-x-5 text-xs">
      {marks.map(
        ([name, at]) =>
          at !== null && (
            <div key={name} className="flex gap-1.5">
              <dt className="text-soft">{name}</dt>
              <dd className="numbers">{format.duration(at)}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
