import { RotateCw } from 'lucide-react';
import { useEffect, useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { ErrorFacts, Notice, useErrorTitle } from '../../kit/status.tsx';
import { playgroundText } from '../../text/playground.ts';
import { useText } from '../../text/text.tsx';
import { MessageText } from '../shared/message-text.tsx';
import type { Failure } from './wire/failure.ts';

interface FailureBoxProps {
  readonly failure: Failure;
  readonly onRetry?: () => void;
  /** Selects one of the models that the gateway suggests instead. */
  readonly onModel?: (id: string) => void;
}

/** Shows the gateway's message, what to do next, and when to retry. */
export function FailureBox({ failure, onRetry, onModel }: FailureBoxProps) {
  const text = useText(playgroundText);
  const wait = useSecondsUntil(failure.retryAt);
  const titleOf = useErrorTitle();
  const { message, status, code, requestId, hint, models } = failure;
  const error = new ApiError(message, status, code, null, requestId);
  return (
    <Notice
      tone="bad"
      title={<MessageText message={titleOf(error)} />}
      isLive
      action={
        onRetry && (
          <Button size="small" icon={RotateCw} onClick={onRetry} disabled={wait > 0}>
            {wait > 0 ? text.retryIn(wait) : text.retry}
          </Button>
        )
      }
    >
      {hint !== null && <MessageText message={hint} />}
      {onModel && models.length > 0 && (
        <p className="my-1 flex flex-wrap gap-1.5">
          {models.slice(0, 5).map((id) => (
            <Button key={id} size="small" onClick={() => onModel(id)}>
              {text.switchTo(id)}
            </Button>
          ))}
        </p>
      )}
      <ErrorFacts error={error} />
    </Notice>
  );
}

function useSecondsUntil(at: number | null): number {
  const [now, setNow] = useState(Date.now);
  const left = at === null ? 0 : Math.max(0, Math.ceil((at - now) / 1000));
  useEffect(() => {
    if (left === 0) return;
    const timer = setTimeout(() => setNow(Date.now()), 1_000);
    return () => clearTimeout(timer);
  });
  return left;
}
