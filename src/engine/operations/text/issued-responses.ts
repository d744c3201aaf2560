import type { Channel } from '../../../domain/catalog/channel.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { parseJson } from '../../../formats/shared/json/json-text.ts';
import { isRecord } from '../../../formats/shared/json/record.ts';
import type { ClientFormat } from '../../../formats/text/format.ts';
import type { AnswerStoring, StoredTurn } from '../../../formats/text/provider-state.ts';
import type { BufferedBytes, ResponseMemory } from '../../call/response-memory.ts';
import { refused } from '../../call/send.ts';
import type { Directory } from '../../directory/directory.ts';
import type { ObjectMemory } from '../../directory/object-memory.ts';
import type { TextTarget } from '../../directory/target.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import { MAX_STORED_RESPONSE_BYTES, type ResponseStore } from '../../ports/response-store.ts';
import type { Upstream, UpstreamAnswer, WaitingClient } from '../../ports/upstream.ts';

/** Bounds on what one request may read from providers. */
const MOST_RESPONSES = 64;
const MOST_PAGES = 20;
const AT_ONCE = 4;
const LONGEST_MS = 30_000;
/** Bounds on what one request may load into memory, including the gateway's own store. */
export const CHAIN_LIMITS = { maxResponses: 1_000, maxBytes: 32 * 1024 * 1024 };

const utf8 = new TextDecoder();

export interface IssuedResponsesPorts {
  readonly directory: () => Directory;
  readonly upstream: Upstream;
  readonly objects: Pick<ObjectMemory, 'find'>;
  readonly responses: Pick<ResponseStore, 'get'>;
  readonly answers: ResponseMemory;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The account, client and format of a lookup. */
export interface Asker {
  readonly accountId: string;
  readonly format: ClientFormat;
  readonly client?: WaitingClient;
}

interface KeptTurn extends StoredTurn {
  readonly previousId: string | null;
  readonly place: string | null;
}

/** A turn without a copy in the gateway, as the provider returned it. */
interface IssuedTurn extends KeptTurn {
  readonly channel: Channel;
  readonly bytes: number;
}

export type IssuedConversation =
  /** Oldest first. */
  | { readonly kind: 'found'; readonly turns: readonly StoredTurn[]; readonly place: string | null }
  | { readonly kind: 'missing'; readonly id: string }
  | { readonly kind: 'too-long' };

/**
 * Reads answers that a provider has stored and the gateway has not: too large for its store, evicted from it, or never stored. Each is
 * requested from the channel that gave it to the account, with that channel's key. These requests do not change the channel's health, which
 * a missing answer says nothing about.
 */
export class IssuedResponses {
  constructor(private readonly ports: IssuedResponsesPorts) {}

  /** Resolves to the answer as the provider stored it, with the public name of its model. `null` if no channel gave it to this account. */
  async answer(asker: Asker, id: string): Promise<string | null | Failure> {
    const turn = await this.asking(asker, null, (asking) => asking.turn(id, false));
    if (turn === null || turn instanceof Failure) return turn;
    const answer = parseJson(turn.responseJson);
    if (!isRecord(answer) || typeof answer.model !== 'string') return turn.responseJson;
    return JSON.stringify({ ...answer, model: publicModel(turn.channel, answer.model) });
  }

  /** Resolves to the answers that their channels still have, without their inputs. */
  outputs(asker: Asker, ids: readonly string[]): Promise<readonly StoredTurn[] | 'too-long' | Failure> {
    return this.asking(asker, [], (asking) => this.outputsOf(asking, ids));
  }

  private async outputsOf(asking: Asking, ids: readonly string[]): Promise<StoredTurn[] | 'too-long' | Failure> {
    if (ids.length > MOST_RESPONSES) return 'too-long';
    const turns: StoredTurn[] = [];
    let bytes = 0;
    for (let at = 0; at < ids.length; at += AT_ONCE) {
      const found = await Promise.all(ids.slice(at, at + AT_ONCE).map((id) => asking.turn(id, false)));
      for (const turn of found) {
        if (turn instanceof Failure) return turn;
        // Without one of them the request cannot be answered, so the others are not requested.
        if (turn === null) return turns;
        bytes += turn.bytes;
        if (bytes > CHAIN_LIMITS.maxBytes) return 'too-long';
        turns.push(turn);
      }
    }
    return turns;
  }

  /** Resolves to the conversation that ends with this answer. Each turn comes from the gateway's store or from the provider. */
  conversation(asker: Asker, lastId: string): Promise<IssuedConversation | Failure> {
    const missing: IssuedConversation = { kind: 'missing', id: lastId };
    return this.asking(asker, missing, (asking) => this.conversationOf(asking, asker.accountId, lastId));
  }

  private async conversationOf(
    asking: Asking,
    accountId: string,
    lastId: string,
  ): Promise<IssuedConversation | Failure> {
    const { atProvider } = asking.storing;
    const turns: StoredTurn[] = [];
    let place: string | null = null;
    let bytes = 0;
    /** The ids in the input of the following turn, which may contain the whole conversation before it. */
    let shown: ReadonlySet<string> = new Set();
    for (let id: string | null = lastId; id !== null; ) {
      if (turns.length >= CHAIN_LIMITS.maxResponses) return { kind: 'too-long' };
      const kept = await this.ports.responses.get(accountId, id);
      const turn: KeptTurn | null | Failure = kept ?? (await asking.turn(id, true));
      if (turn instanceof Failure) return turn;
      if (turn === null) return { kind: 'missing', id };
      if (turns.length === 0) place = kept === null || kept.upstreamStored ? turn.place : null;
      const { input, output } = kept === null || shown.size > 0 ? atProvider.itemIds(turn) : NOTHING;
      if ([...output].some((itemId) => shown.has(itemId))) break;
      bytes += turn.inputJson.length + turn.responseJson.length;
      if (bytes > CHAIN_LIMITS.maxBytes || asking.isSpent) return { kind: 'too-long' };
      turns.push(turn);
      shown = kept === null ? input : NOTHING.input;
      id = turn.previousId;
    }
    return { kind: 'found', turns: turns.reverse(), place };
  }

  /** Deletes the answer at the provider that has stored it. Resolves to whether the provider had it, or `null` if none has stored it. */
  delete(asker: Asker, id: string): Promise<boolean | null | Failure> {
    return this.asking(asker, null, (asking) => asking.delete(id));
  }

  /** Counts the data that `use` reads against the answer memory. `without` is the result for a format without stored answers. */
  private async asking<Result>(
    asker: Asker,
    without: Result,
    use: (asking: Asking) => Promise<Result | Failure>,
  ): Promise<Result | Failure> {
    const { storing } = asker.format;
    if (storing === undefined) return without;
    const releases: (() => void)[] = [];
    const buffered = this.ports.answers.open(asker.accountId, (release) => releases.push(release));
    try {
      return await use(new Asking(this.ports, asker, storing, buffered));
    } finally {
      for (const release of releases) release();
    }
  }
}

const NOTHING = { input: new Set<string>(), output: new Set<string>() };

interface Location {
  readonly target: TextTarget;
  readonly url: string;
}

/** The requests to providers that one client request causes. */
class Asking {
  private readonly endsAtMs: number;
  private asked = 0;

  constructor(
    private readonly ports: IssuedResponsesPorts,
    private readonly asker: Asker,
    readonly storing: AnswerStoring,
    private readonly buffered: BufferedBytes,
  ) {
    this.endsAtMs = ports.clock.monotonicMs() + LONGEST_MS;
  }

  get isSpent(): boolean {
    return this.asked > MOST_RESPONSES;
  }

  async turn(id: string, withInput: boolean): Promise<IssuedTurn | null | Failure> {
    this.asked++;
    const location = await this.locationOf(id);
    if (location === null) return null;
    const { atProvider } = this.storing;
    const found = await this.json(location.target, location.url);
    if (found === null || found instanceof Failure) return found;
    const answer = atProvider.answer(found.value, id);
    if (answer === null) return garbage();
    const input = withInput ? await this.input(location) : { items: [], bytes: 0 };
    if (input === null || input instanceof Failure) return input;
    return {
      inputJson: JSON.stringify(input.items),
      responseJson: found.text,
      previousId: answer.previousId,
      place: location.target.place,
      channel: location.target.channel,
      bytes: found.text.length + input.bytes,
    };
  }

  async delete(id: string): Promise<boolean | null | Failure> {
    const location = await this.locationOf(id);
    if (location === null) return null;
    const answer = await this.send(location.target, 'DELETE', location.url);
    if (answer instanceof Failure) return answer;
    const isDone = answer.status >= 200 && answer.status <= 299;
    if (!isDone && answer.status !== 404) return this.failed(location.target, await refused(location.target, answer));
    answer.body.cancel();
    return isDone;
  }

  private async input({ target, url }: Location) {
    const { atProvider } = this.storing;
    const items: unknown[] = [];
    let bytes = 0;
    let after: string | null = null;
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const found = await this.json(target, atProvider.inputUrl(url, after));
      if (found === null || found instanceof Failure) return found;
      const page = atProvider.inputPage(found.value);
      if (page === null) return garbage();
      items.push(...page.items);
      bytes += found.text.length;
      if (page.next === null) return { items, bytes };
      if (bytes > CHAIN_LIMITS.maxBytes) break;
      after = page.next;
    }
    return tooMuch();
  }

  /**
   * Resolves to the URL of the answer at the channel that gave it to the account; `null` if the account may not, or no longer, use that
   * channel.
   */
  private async locationOf(id: string): Promise<Location | null> {
    const { accountId, format } = this.asker;
    const origin = (await this.ports.objects.find(accountId, [id])).get(id);
    if (!origin?.place) return null;
    const target = this.ports.directory().keeper(origin.place, accountId, format.name);
    const url = target === null ? null : this.storing.atProvider.url(target.url, id);
    return target === null || url === null ? null : { target, url };
  }

  /** Requests a JSON document; resolves to `null` for a 404. */
  private async json(target: TextTarget, url: string): Promise<{ value: unknown; text: string } | null | Failure> {
    const answer = await this.send(target, 'GET', url);
    if (answer instanceof Failure) return answer;
    if (answer.status === 404) {
      answer.body.cancel();
      return null;
    }
    if (answer.status < 200 || answer.status > 299) return this.failed(target, await refused(target, answer));
    const take = this.buffered.takeWhole;
    const bytes = await answer.body.readAll({ limitBytes: MAX_STORED_RESPONSE_BYTES, take });
    if (bytes instanceof Failure) return this.failed(target, bytes);
    const text = utf8.decode(bytes);
    return { value: parseJson(text), text };
  }

  private async send(target: TextTarget, method: 'GET' | 'DELETE', url: string): Promise<UpstreamAnswer | Failure> {
    const { signer, secrets, local, isGuarded } = target;
    const { 'content-type': _, ...own } = target.headers;
    const signed = signer === null ? {} : await signer({ method, url, headers: own, body: null });
    if (signed instanceof Failure) return this.failed(target, signed);
    if (signer !== null) secrets.sent(signed);
    const left = Math.max(1, this.endsAtMs - this.ports.clock.monotonicMs());
    const { connectMs, firstByteMs, idleMs, totalMs } = target.timeouts.whole;
    const within = (ms: number) => Math.ceil(Math.min(ms, left));
    const timeouts = {
      connectMs: within(connectMs),
      firstByteMs: within(firstByteMs),
      idleMs: within(idleMs),
      totalMs: within(totalMs),
    };
    const { client } = this.asker;
    const headers = { ...own, ...signed };
    const answer = await this.ports.upstream.send({
      ...{ url, method, headers, body: null, timeouts, local, isGuarded },
      ...(client && { client }),
    });
    return answer instanceof Failure ? this.failed(target, answer) : answer;
  }

  private failed(target: TextTarget, failure: Failure): Failure {
    const cleaned = target.secrets.cleaned(failure);
    const { kind, side } = cleaned;
    this.ports.logger.warn(
      { channelId: target.channel.id, failureKind: kind, errorSide: side },
      'a stored response could not be requested',
    );
    return cleaned;
  }
}

/** Returns the public id of the model that a provider names. Providers may add a version: `gpt-5-2026-02-01` for `gpt-5`. */
function publicModel({ models }: Channel, served: string): string {
  const entries = Object.entries(models);
  const same = entries.find(([, id]) => id === served) ?? entries.find(([, id]) => served.startsWith(`${id}-`));
  return same?.[0] ?? served;
}

function garbage(): Failure {
  return new Failure('upstream_error', {
    kind: 'garbage',
    message: 'The provider of an earlier response returned something else for its id.',
  });
}

function tooMuch(): Failure {
  return new Failure('invalid_value', {
    message: 'The conversation before this response is longer than the gateway can read.',
    param: 'previous_response_id',
    hint: 'Send the relevant part of the conversation as `input`.',
  });
}
