import type { Loss } from '../../../../domain/exchange/loss.ts';
import type { ExchangeResponse } from '../../../../domain/exchange/response.ts';
import { partsOfResponse } from '../../../../domain/exchange/response-parts.ts';
import type { RoutingFacts } from '../../../../domain/exchange/routing-info.ts';
import { billableOf } from '../../../../domain/exchange/usage.ts';
import { Failure } from '../../../../domain/failure/failure.ts';
import { EventStreamToSse } from '../../../../formats/shared/stream/aws-event-stream.ts';
import type { StreamDecoder, StreamRelay } from '../../../../formats/text/format.ts';
import type { SearchWriting } from '../../../../formats/text/shared/gateway-search.ts';
import type { FurtherRounds, KnownStream, Lane, LaneRequest, WholeResponse } from '../../../call/lane.ts';
import type { TextTarget } from '../../../directory/target.ts';
import type { Extras } from '../../../ports/billing.ts';
import type { UpstreamAnswer, WaitingClient } from '../../../ports/upstream.ts';
import type { TranslatedStream } from '../translated-stream.ts';
import type { Translation } from '../translation.ts';
import { readyFor, type WrittenRequest } from '../written-request.ts';
import { RoundsBody, type StreamRounds } from './rounds-body.ts';
import type { SearchSession } from './search-session.ts';
import { finishOf, shownParts } from './searched-answer.ts';
import { SearchedDecoder } from './searched-decoder.ts';

/** The request as all lanes share it. */
export interface SearchedRequest {
  readonly writing: SearchWriting;
  sessionFor(translation: Translation): Promise<SearchSession | Failure>;
  /** Returns what the target bills, with the most that the rounds and searches may add. */
  extrasOf(target: TextTarget, written: WrittenRequest, session: SearchSession): Extras | Failure;
}

/**
 * Carries a request with a hosted web search to a target that cannot search. The model gets the search as a function; the gateway runs its
 * calls, and asks the same target again with the results, until the model answers or the rounds are used up.
 */
export class SearchingLane implements Lane<StreamRelay> {
  readonly isRelayed = false;
  private readonly stop = new AbortController();
  private session: SearchSession | null = null;
  /** The translation of the present round. */
  private round: Translation;
  private further: FurtherRounds | null = null;
  private decoder: SearchedDecoder | null = null;
  private relay: TranslatedStream | null = null;
  private last: ExchangeResponse | null = null;

  constructor(
    private readonly of: SearchedRequest,
    private readonly target: TextTarget,
    private readonly routing: RoutingFacts,
    private readonly translation: Translation,
  ) {
    this.round = translation;
  }

  async request(): Promise<LaneRequest | Failure> {
    const session = await this.of.sessionFor(this.translation);
    if (session instanceof Failure) return session;
    this.session = session;
    this.round = this.translation.following(session.request());
    const written = await this.round.encodeFor(this.target);
    if (written instanceof Failure) return written;
    const ready = await readyFor(this.target, written, this.of.extrasOf(this.target, written, session));
    return ready instanceof Failure ? ready : { ...ready, losses: [...ready.losses, ...this.lost()] };
  }

  private lost(): readonly Loss[] {
    const request = this.translation.request();
    if (request instanceof Failure || request.logprobs === null) return [];
    const why = 'the answer is put together from several, so it has no log probabilities';
    return [{ field: request.names.logprobs ?? 'logprobs', verdict: 'dropped', why }];
  }

  continued(first: UpstreamAnswer, further: FurtherRounds): UpstreamAnswer {
    this.further = further;
    const decoder = new SearchedDecoder(this.roundDecoder(), this.known(), this.of.writing);
    this.decoder = decoder;
    return { ...first, body: new RoundsBody(first.body, decoder, this.streamRounds(decoder), this.stop) };
  }

  // ---- whole answers

  async answer(bytes: Uint8Array): Promise<WholeResponse | Failure> {
    const session = this.known();
    let read = bytes;
    for (;;) {
      const response = this.round.decode(this.target, read);
      if (response instanceof Failure) return response;
      const parts = shownParts(response.candidates[0]?.parts ?? [], session, this.of.writing);
      if (!session.continues(response)) return this.whole({ ...response, ...this.joined(response, parts) });
      session.shown.push(...parts);
      const searches = await session.search(response, this.asker.client);
      if (searches instanceof Failure) return searches;
      session.shown.push(...searches.flatMap((search) => this.of.writing.shown(search)));
      const answer = await this.ask(this.asker.client);
      if (answer instanceof Failure) return answer;
      const more = await this.asker.read(answer);
      if (more instanceof Failure) return more;
      read = more;
    }
  }

  private joined(response: ExchangeResponse, parts: ExchangeResponse['candidates'][number]['parts']) {
    const session = this.known();
    const { usage, candidates } = response;
    const finish = candidates[0]?.finish ?? { unified: 'other', raw: null };
    const isCounted = usage !== null || session.spent !== null;
    const candidate = { index: 0, parts: [...session.shown, ...parts], finish: finishOf(finish, parts) };
    return { candidates: [candidate], usage: isCounted ? session.withRound(usage, response) : null };
  }

  private whole(response: ExchangeResponse): WholeResponse | Failure {
    this.last = response;
    const answer = this.translation.answer(response, this.routing);
    if (answer instanceof Failure) return answer;
    return { ...answer, billable: answer.usage === null ? null : billableOf(answer.usage) };
  }

  // ---- streams

  stream(): StreamRelay {
    if (this.decoder === null) throw new Error('a stream is made after its upstream has answered');
    this.relay = this.translation.stream(this.decoder, this.routing);
    return this.relay;
  }

  streamOfAnswer(): KnownStream<StreamRelay> {
    if (this.last === null) throw new Error('a whole answer is streamed after it has been read');
    const relay = this.stream() as TranslatedStream;
    return { relay, bytes: relay.writeWhole(partsOfResponse(this.last)) };
  }

  private streamRounds(decoder: SearchedDecoder): StreamRounds {
    const { client } = this.asker;
    const { accountId } = client;
    const signal = AbortSignal.any([client.signal, this.stop.signal]);
    const leaving = { signal, ...(accountId !== undefined && { accountId }) };
    return { search: () => this.searchFor(decoder, leaving), ask: () => this.askFor(decoder, leaving) };
  }

  private async searchFor(decoder: SearchedDecoder, client: WaitingClient): Promise<Failure | null> {
    const { pending } = decoder;
    if (pending === null) throw new Error('only a round that calls for searches is followed by some');
    const searching = this.known().search(pending, client, () => this.owes());
    // The round before the searches has run, whatever becomes of them.
    this.owes();
    const searches = await searching;
    if (searches instanceof Failure) return searches;
    decoder.searched(searches);
    return null;
  }

  private async askFor(decoder: SearchedDecoder, client: WaitingClient): Promise<UpstreamAnswer | Failure | null> {
    const answer = await this.ask(client);
    if (answer instanceof Failure) return answer;
    if (answer.headers.get('content-type')?.includes('application/json') !== true) {
      decoder.follow(this.roundDecoder());
      return answer;
    }
    const bytes = await this.asker.read(answer);
    if (bytes instanceof Failure) return bytes;
    const response = this.round.decode(this.target, bytes);
    if (response instanceof Failure) return response;
    decoder.takeWhole(partsOfResponse(response));
    return null;
  }

  /** Lets a client that leaves before it has seen anything pay for the searches. */
  private owes(): void {
    const { relay } = this;
    if (relay === null) return;
    relay.owes = true;
    relay.usage = this.known().spent;
  }

  private roundDecoder(): StreamDecoder {
    const decoder = this.round.decoder(this.target);
    return this.target.framing === 'sse' ? decoder : new UnframingDecoder(decoder);
  }

  // ---- rounds

  /** Asks for the next round. */
  private async ask(client: WaitingClient): Promise<UpstreamAnswer | Failure> {
    const prepared = await this.request();
    if (prepared instanceof Failure) return prepared;
    return prepared.extras instanceof Failure ? prepared.extras : await this.asker.ask(prepared, client);
  }

  private known(): SearchSession {
    if (this.session === null) throw new Error('an answer is read after its request has been made');
    return this.session;
  }

  private get asker(): FurtherRounds {
    if (this.further === null) throw new Error('a round follows an answer');
    return this.further;
  }
}

/** Reads a stream in Amazon's framing. */
class UnframingDecoder implements StreamDecoder {
  private readonly frames = new EventStreamToSse();

  constructor(private readonly decoder: StreamDecoder) {}

  push(piece: Uint8Array) {
    return this.decoder.push(this.frames.push(piece));
  }

  end() {
    return [...this.decoder.push(this.frames.end()), ...this.decoder.end()];
  }
}
