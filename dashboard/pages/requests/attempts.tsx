import { CircleCheck, CircleX, LogOut } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ShownRequest } from '../../api/schema.ts';
import { useFormat } from '../../kit/format.tsx';
import { Named } from '../../kit/named.tsx';
import { Badge } from '../../kit/status.tsx';
import { requestsText } from '../../text/requests.ts';
import { useText } from '../../text/text.tsx';
import { MessageText } from '../shared/message-text.tsx';
import { Section } from './section.tsx';

const LOOKS = {
  answered: { tone: 'good', icon: CircleCheck },
  failed: { tone: 'bad', icon: CircleX },
  abandoned: { tone: 'warn', icon: LogOut },
} as const;

interface Attempt {
  readonly channel: string | null;
  readonly channel_name: string | null;
  /** The name of the channel's key, if it has several. */
  readonly upstream_key: string | null;
  readonly provider: string | null;
  readonly outcome: keyof typeof LOOKS;
  readonly kind: string | null;
  readonly status: number | null;
  /** The upstream's own words. */
  readonly message: string | null;
  readonly ms: number | null;
}

/** The channels that were tried, in order, with the results. */
export function Attempts({ request }: { readonly request: ShownRequest }) {
  const text = useText(requestsText);
  const attempts = attemptsOf(request);
  const about = useAbout(request, attempts.length);
  if (about === null) return null;
  return (
    <Section title={text.attempts} about={about}>
      {attempts.length > 0 && (
        <ol className="flex flex-col text-sm">
          {attempts.map((attempt, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: their order is all that tells them apart
            <Line key={index} place={index + 1} attempt={attempt} />
          ))}
        </ol>
      )}
    </Section>
  );
}

/** Returns `null` if there is nothing to say. */
function useAbout(request: ShownRequest, count: number) {
  const { retry_count: retries, error_code: code, error_side: side, channel } = request;
  const text = useText(requestsText);
  // Tasks and older lines have a channel, but no attempts.
  if (count === 0) return code === null || channel !== null || side === 'upstream' ? null : text.nothingTried;
  if (code === null || retries > 0) return text.retries(retries);
  return side === 'client' ? text.notRetriedAsIs : text.notRetried;
}

function Line({ place, attempt }: { readonly place: number; readonly attempt: Attempt }) {
  const text = useText(requestsText);
  const format = useFormat();
  const { channel, channel_name: name, upstream_key: key, provider, outcome, kind, status, message, ms } = attempt;
  const soft = (shown: ReactNode) => <span className="text-soft">{shown}</span>;
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-0.5 border-line border-b py-1.5 last:border-b-0">
      <span className="numbers text-soft">{place}</span>
      <span className="min-w-0 break-words">
        {channel === null ? text.aChannel : <Named name={name} id={channel} />}
        {key !== null && soft(` · ${key}`)}
      </span>
      {provider !== null && soft(provider)}
      <Badge {...LOOKS[outcome]}>{text.outcomes[outcome]}</Badge>
      {kind !== null && <code className="font-mono text-xs">{kind}</code>}
      {status !== null && soft(`HTTP ${status}`)}
      <span className="numbers ms-auto text-soft">{ms === null ? '–' : format.duration(ms)}</span>
      {message !== null && (
        <div className="basis-full text-soft">
          <MessageText message={message} />
        </div>
      )}
    </li>
  );
}

/** Returns the attempts. Log lines of older versions have only failed attempts, without a time line. */
function attemptsOf({ time_line: times, failed_attempts: failed }: ShownRequest): readonly Attempt[] {
  if (times === null) {
    return failed.map(({ latency_ms, ...attempt }) => ({
      ...{ upstream_key: null, provider: null, outcome: 'failed' as const, status: null, ms: latency_ms },
      ...attempt,
    }));
  }
  return times.attempts.map(({ began_ms: began, ended_ms: ended, ...attempt }) => ({
    ...attempt,
    ms: began === null || ended === null ? null : ended - began,
  }));
}
