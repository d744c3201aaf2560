import type { Failure } from '../../domain/failure/failure.ts';
import type { Target } from '../directory/target.ts';
import type { UpstreamAnswer, WaitingClient } from '../ports/upstream.ts';
import { type AttemptTools, MAX_ANSWER_BYTES } from './answer-parts.ts';
import { type AgainInput, askAgain } from './ask-again.ts';
import type { FurtherRounds, Lane, LaneRequest } from './lane.ts';
import type { BufferedBytes } from './response-memory.ts';

interface RoundsInput extends Omit<AgainInput, 'url' | 'headers' | 'prepared'> {
  readonly target: Target;
  readonly lane: Pick<Lane, 'stream'>;
  readonly stream: boolean;
  readonly buffered: BufferedBytes;
}

/** The further requests of one attempt, in the way of its first. */
export class Rounds implements FurtherRounds {
  readonly client: WaitingClient;

  constructor(
    private readonly tools: AttemptTools,
    private readonly input: RoundsInput,
  ) {
    this.client = input.client;
  }

  ask(prepared: LaneRequest): Promise<UpstreamAnswer | Failure> {
    const { target, lane, stream } = this.input;
    const isStreamed = stream && lane.stream !== undefined;
    const url = isStreamed ? target.streamUrl : target.url;
    const headers = isStreamed ? target.streamHeaders : target.headers;
    return askAgain(this.tools, { ...this.input, url, headers, prepared });
  }

  async read(answer: UpstreamAnswer): Promise<Uint8Array | Failure> {
    return await answer.body.readAll({ limitBytes: MAX_ANSWER_BYTES, take: this.input.buffered.takeWhole });
  }
}
