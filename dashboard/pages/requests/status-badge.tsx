import { Badge, type Tone } from '../../kit/status.tsx';
import { requestsText } from '../../text/requests.ts';
import { useText } from '../../text/text.tsx';

interface StatusBadgeProps {
  readonly status: number;
  readonly error_code: string | null;
  readonly client_gone: boolean;
}

export function toneOf(status: number): Tone {
  return status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good';
}

/** The HTTP status; its title is the error. */
export function StatusBadge({ status, error_code, client_gone }: StatusBadgeProps) {
  const text = useText(requestsText);
  const why = client_gone ? text.clientGone : error_code;
  return (
    <span {...(why !== null && { title: why })}>
      <Badge tone={client_gone && status < 400 ? 'neutral' : toneOf(status)}>{status}</Badge>
    </span>
  );
}
