import { Failure } from '../../../domain/failure/failure.ts';
import type { Answered, KnownAnswer } from '../../call/operation.ts';
import type { TextTarget } from '../../directory/target.ts';
import { keepTurn } from './keeping.ts';
import { TextJob } from './text-job.ts';

/** A generation with an empty answer: the request is checked and kept, so that the next turn can continue it. No upstream is asked. */
export class WarmUp extends TextJob {
  bounds(): null {
    return null;
  }

  known([target]: readonly TextTarget[]): KnownAnswer<TextTarget> | null | Failure {
    if (target === undefined) return null;
    const { routing } = target;
    const body = this.translation.emptyAnswer(routing);
    if (body instanceof Failure) return body;
    return { answer: { body, billable: null, served: { model: null, serviceTier: null } }, target, routing };
  }

  readonly keep = async (answer: string | Uint8Array, answered: Answered<TextTarget>): Promise<void> => {
    if (typeof answer === 'string') await keepTurn(this.input, answered, answer);
  };

  protected isRelayed(): boolean {
    return false;
  }
}
