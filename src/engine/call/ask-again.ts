import { Failure } from '../../domain/failure/failure.ts';
import type { Target } from '../directory/target.ts';
import type { Clock } from '../ports/clock.ts';
import type { Upstream, UpstreamAnswer } from '../ports/upstream.ts';
import type { Outcome } from './outcome.ts';
import { refused, type SendInput, send } from './send.ts';

export interface AgainInput extends SendInput {
  readonly target: SendInput['target'] & Pick<Target, 'wire'>;
  readonly deadlineMs: number;
  readonly outcome: Pick<Outcome, 'heard'>;
}

/** Sends a further request of an attempt, in what is left of its time. Resolves to an answer of status 2xx. */
export async function askAgain(
  { upstream, clock }: { readonly upstream: Upstream; readonly clock: Clock },
  input: AgainInput,
): Promise<UpstreamAnswer | Failure> {
  const leftMs = Math.ceil(input.deadlineMs - clock.monotonicMs());
  if (leftMs <= 0) return outOfTime(input.timeouts.totalMs);
  const answer = await send(upstream, { ...input, timeouts: { ...input.timeouts, totalMs: leftMs } });
  if (answer instanceof Failure) return answer;
  input.outcome.heard(answer);
  return answer.status < 200 || answer.status > 299 ? await refused(input.target, answer) : answer;
}

function outOfTime(withinMs: number): Failure {
  return new Failure('timeout_error', {
    kind: 'total_timeout',
    message: `The provider did not respond to all requests within ${withinMs} ms.`,
  });
}
