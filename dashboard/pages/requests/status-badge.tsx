import { Badge, type Tone } from '../../kit/status.tsx';
import { requestsText } from '../../text/requests.ts';
import { useText } from '../../text/text.tsx';

interface StatusBadgeProps {
  readonly status: number;
  readonly error_code: string | null;
  readonly client_gone: boolean;
}

/** A stream can fail after its status was sent. */
export function toneOf({ status, error_code, client_gone }: StatusBadgeProps): Tone {
  if (status < 400 && client_gone) return 'neutral';
  if (status < 400 && error_code !== null) return 'bad';
  return status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good';
}

/** The HTTP status; its title is the error. */
export function StatusBadge(request: StatusBadgeProps) {
  const text = useText(requestsText);
  const why = request.client_gone ? text.clientGone : request.error_code;
  return (
    <span {...(why !== null && { title: why })}>
      <Badge tone={toneOf(request)}>{request.status}</Badge>
    </span>
  );
}
