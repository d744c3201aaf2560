import type { StreamRelay } from '../../../formats/format.ts';
import type { OpenCall, Operation } from '../../call/operation.ts';
import type { TextTarget } from '../../directory/target.ts';
import { Compaction } from './compaction.ts';
import { Generation } from './generation.ts';
import type { TextInbound } from './inbound.ts';
import { readText } from './read-text.ts';
import type { TextJob, TextJobInput } from './text-job.ts';
import type { TextServices } from './text-services.ts';
import { WarmUp } from './warm-up.ts';

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
