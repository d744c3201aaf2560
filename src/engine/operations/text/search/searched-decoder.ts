import type { ExchangeResponse, Finish } from '../../../../domain/exchange/response.ts';
import { ResponseCollector } from '../../../../domain/exchange/response-collector.ts';
import type { StreamPart } from '../../../../domain/exchange/stream-part.ts';
import type { Usage } from '../../../../domain/exchange/usage.ts';
import type { RanSearch } from '../../../../domain/exchange/web-search.ts';
import { Failure } from '../../../../domain/failure/failure.ts';
import type { StreamDecoder } from '../../../../formats/text/format.ts';
import type { SearchWriting } from '../../../../formats/text/shared/gateway-search.ts';
import { CitationMarks, type MarkedPiece } from './citation-marks.ts';
import type { SearchSession } from './search-session.ts';

/** The most memory of one round, which is kept for the next one. */
const MOST_BYTES = 4 * 1024 * 1024;
const CANDIDATE = 0;

/**
 * Reads the streams of all rounds as one answer: without the gateway's own calls and the ends of rounds that another one follows, with
 * citations in place of marks, and with the usage of all rounds.
 */
export class SearchedDecoder implements StreamDecoder {
  /** The round after which the gateway has to search; `null` while a round is read, and at the end of the answer. */
  pending: ExchangeResponse | null = null;
  private ready: StreamPart[] = [];
  private collector = new ResponseCollector(MOST_BYTES);
  private readonly marks: CitationMarks;
  private isStarted = false;
  /** Whether the open call is the gateway's. */
  private isOwnCall = false;
  private hasClientsCall = false;
  /** Whether the open block of text has sources, so that the next text begins another. */
  private isCited = false;
  private finish: Finish | null = null;
  private usage: Usage | null = null;

  constructor(
    private round: StreamDecoder,
    private readonly session: SearchSession,
    private readonly writing: SearchWriting,
  ) {
    this.marks = new CitationMarks(session.pages, writing.citesBlocks);
  }

  push(piece: Uint8Array): readonly StreamPart[] {
    if (piece.length > 0) this.take(this.round.push(piece));
    return this.taken();
  }

  end(): readonly StreamPart[] {
    return this.taken();
  }

  /** Called when the upstream's stream of this round has ended. */
  roundEnded(): void {
    this.take(this.round.end());
  }

  /** Goes on with the stream of the next round. */
  follow(round: StreamDecoder): void {
    this.round = round;
  }

  /** Takes the parts of a round that is not a stream. */
  takeWhole(parts: readonly StreamPart[]): void {
    this.take(parts);
  }

  /** Shows the searches that the round has called for. */
  searched(searches: readonly RanSearch[]): void {
    for (const search of searches) {
      for (const part of this.writing.shown(search)) this.ready.push({ type: 'unknown', candidate: CANDIDATE, part });
    }
    const { spent } = this.session;
    if (spent !== null) this.ready.push({ type: 'usage', usage: spent });
    this.pending = null;
    this.collector = new ResponseCollector(MOST_BYTES);
    this.finish = null;
    this.usage = null;
  }

  private taken(): readonly StreamPart[] {
    const { ready } = this;
    this.ready = [];
    return ready;
  }

  private take(parts: readonly StreamPart[]): void {
    for (const part of parts) {
      if ('candidate' in part && part.candidate !== CANDIDATE) continue;
      this.collector.see(part);
      this.takePart(part);
    }
  }

  private takePart(part: StreamPart): void {
    switch (part.type) {
      case 'start':
        if (!this.isStarted) this.ready.push(part);
        this.isStarted = true;
        break;
      case 'text-delta':
        this.say(this.marks.push(part.text));
        break;
      case 'text-end':
        this.say(this.marks.end());
        this.isCited = false;
        this.ready.push(part);
        break;
      case 'tool-call-start':
        this.isOwnCall = this.session.isSearch(part);
        this.hasClientsCall ||= !this.isOwnCall;
        if (!this.isOwnCall) this.ready.push(part);
        break;
      case 'tool-call-delta':
      case 'tool-call-end':
        if (!this.isOwnCall) this.ready.push(part);
        break;
      case 'usage':
        this.usage = part.usage;
        this.ready.push({ ...part, usage: this.session.withRound(part.usage, null) });
        break;
      case 'finish':
        this.finish = part.finish;
        break;
      case 'end':
        this.over();
        break;
      default:
        this.ready.push(part);
    }
  }

  private say(pieces: readonly MarkedPiece[]): void {
    const candidate = CANDIDATE;
    for (const piece of pieces) {
      if ('citation' in piece) {
        this.ready.push({ type: 'citation', candidate, citation: piece.citation });
        this.isCited = this.writing.citesBlocks;
        continue;
      }
      if (this.isCited) this.ready.push({ type: 'text-end', candidate }, { type: 'text-start', candidate });
      this.isCited = false;
      this.ready.push({ type: 'text-delta', candidate, text: piece.text });
    }
  }

  private over(): void {
    const { response, isTooLarge } = this.collector;
    if (isTooLarge) {
      const message = 'The upstream sent an answer that is too long for a request with web search.';
      this.ready.push({ type: 'error', failure: new Failure('upstream_error', { kind: 'too_large', message }) });
      return;
    }
    if (response !== null && this.session.continues(response)) {
      this.pending = response;
      return;
    }
    const { session, usage, finish } = this;
    if (usage === null && session.spent !== null) {
      this.ready.push({ type: 'usage', usage: session.withRound(null, response) });
    }
    if (finish !== null) this.ready.push({ type: 'finish', candidate: CANDIDATE, finish: this.ended(finish) });
    this.ready.push({ type: 'end' });
  }

  private ended(finish: Finish): Finish {
    return finish.unified === 'tool-calls' && !this.hasClientsCall ? { unified: 'stop', raw: null } : finish;
  }
}
