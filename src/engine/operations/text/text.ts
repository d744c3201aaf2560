import { Failure } from '../../../domain/failure/failure.ts';
import type { ParsedRequest } from '../../../formats/text/client-request.ts';
import type { StreamRelay } from '../../../formats/text/format.ts';
import type { KnownResponse, OpenCall, Operation, RespondingTarget } from '../../call/operation.ts';
import { OtherWires } from '../../call/other-wires.ts';
import type { TextTarget } from '../../directory/target.ts';
import { Generation } from './generation.ts';
import type { TextInbound } from './inbound.ts';
import { keepTurn } from './keeping.ts';
import { readText } from './read-text.ts';
import { TextJob, type TextJobInput } from './text-job.ts';
import type { TextServices } from './text-services.ts';

/** The text operation, in every client format: generation, warm-up and compaction. */
export class TextOperation implements Operation<TextInbound, TextTarget, StreamRelay> {
  constructor(private readonly services: TextServices) {}

  read(inbound: TextInbound, call: OpenCall) {
    return readText(this.services, inbound, call, jobOf);
  }
}

function jobOf(input: TextJobInput): TextJob {
  switch (input.inbound.call.purpose) {
    case 'compact':
      return new Compaction(input);
    case 'warm-up':
      return new WarmUp(input);
    default:
      return new Generation(input);
  }
}

/** Shortens a long conversation: at a provider's compaction endpoint, or as a summary that the model writes. */
class Compaction extends Generation {
  /** Separate from the generations' memory, because an address without a compaction endpoint may still generate. */
  readonly otherWires = new OtherWires();

  /** Asks the compaction endpoint first. If it does not exist or fails at this request, the same target writes a summary instead. */
  override candidates(targets: readonly TextTarget[]): readonly TextTarget[] {
    return targets.map((target) => {
      const { compactUrl, alternatives } = target;
      if (compactUrl === null || !this.mayRelay(target)) return target;
      return { ...target, url: compactUrl, alternatives: [target, ...alternatives] };
    });
  }

  protected override isRelayed(target: TextTarget): boolean {
    return target.url === target.compactUrl;
  }

  protected override toTranslate(): ParsedRequest {
    const { inbound, turn } = this.input;
    return inbound.format.compacting?.summaryRequest(turn.whole) ?? turn.whole;
  }
}

/** A generation with an empty answer: the request is checked and kept, so that the next turn can continue it. No upstream is asked. */
class WarmUp extends TextJob {
  bounds(): null {
    return null;
  }

  known([target]: readonly TextTarget[]): KnownResponse<TextTarget> | null | Failure {
    if (target === undefined) return null;
    const { routing } = target;
    const body = this.translation.emptyAnswer(routing);
    if (body instanceof Failure) return body;
    return { answer: { body, billable: null, served: { model: null, serviceTier: null } }, target, routing };
  }

  readonly keep = async (answer: string | Uint8Array, answered: RespondingTarget<TextTarget>): Promise<void> => {
    if (typeof answer === 'string') await keepTurn(this.input, answered, answer);
  };

  protected isRelayed(): boolean {
    return false;
  }
}
