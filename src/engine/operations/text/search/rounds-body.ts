import { Failure } from '../../../../domain/failure/failure.ts';
import type { ReadBounds, UpstreamAnswer, UpstreamBody } from '../../../ports/upstream.ts';
import type { SearchedDecoder } from './searched-decoder.ts';

const NOTHING = new Uint8Array(0);

/** The steps between two rounds of a stream. */
export interface StreamRounds {
  /** Runs the searches that the round has called for. */
  search(): Promise<Failure | null>;
  /** Resolves to the answer of the next round; `null` if that has been read already. */
  ask(): Promise<UpstreamAnswer | Failure | null>;
}

/**
 * The streams of all rounds as one body. Between two rounds it searches, while its reader waits; an empty piece then lets the decoder
 * return what the search has added.
 */
export class RoundsBody implements UpstreamBody {
  private isCancelled = false;
  /** Whether the searches have run, and the next round has not begun. */
  private isBetween = false;

  constructor(
    private body: UpstreamBody,
    private readonly decoder: SearchedDecoder,
    private readonly rounds: StreamRounds,
    private readonly stop: AbortController,
  ) {}

  async read(withinMs?: number): Promise<Uint8Array | null | Failure> {
    if (this.isBetween) return this.begin();
    if (this.decoder.pending === null) {
      const piece = await this.body.read(withinMs);
      if (piece !== null) return piece;
      this.decoder.roundEnded();
      if (this.decoder.pending === null) return null;
    }
    this.body.cancel();
    this.isBetween = true;
    return (await this.rounds.search()) ?? NOTHING;
  }

  private async begin(): Promise<Uint8Array | Failure> {
    const answer = await this.rounds.ask();
    if (answer instanceof Failure) return answer;
    this.isBetween = false;
    if (answer !== null) this.body = answer.body;
    if (this.isCancelled) this.body.cancel();
    return NOTHING;
  }

  readAll(bounds: ReadBounds): Uint8Array | Failure | Promise<Uint8Array | Failure> {
    return this.body.readAll(bounds);
  }

  cancel(): void {
    this.isCancelled = true;
    this.stop.abort();
    this.body.cancel();
  }
}
