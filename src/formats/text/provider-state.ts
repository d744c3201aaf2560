import type { OpaqueState } from '../../domain/exchange/opaque-state.ts';
import type { ExchangeResponse } from '../../domain/exchange/response.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import type { AnswerContext, ParsedRequest } from './client-request.ts';

/* Optional abilities of a client format: state that outlives a request, at the gateway or at a provider. */

/** An earlier turn in the store's form: the request's own input items and the whole answer, both as JSON text. */
export interface StoredTurn {
  readonly inputJson: string;
  readonly responseJson: string;
}

/** How the gateway stores answers for the client (Responses: `store`, `previous_response_id`). */
export interface AnswerStoring {
  /** Returns whether this answer is to be kept. */
  wants(request: ParsedRequest): boolean;
  /** Returns the id of the answer that the request continues, or `null`. */
  previousId(request: ParsedRequest): string | null;
  /** Returns the same request without the id, and with the earlier turns, oldest first, inserted before its own input. */
  continueFrom(request: ParsedRequest, turns: readonly StoredTurn[]): ParsedRequest;
  /** Returns the ids of the stored items that the request refers to without including them. */
  references(request: ParsedRequest): readonly string[];
  /** Returns the same request in which each reference to an item of these turns is replaced by the item. */
  withReferences(request: ParsedRequest, turns: readonly StoredTurn[]): ParsedRequest;
  /** Returns the request's own input as items, each with an id: JSON text of an array. */
  inputItems(request: ParsedRequest, newId: (prefix: string) => string): string;
  /** Returns the id in an answer's JSON text; `null` for an answer that must not be stored (a failed one). */
  answerId(answerJson: string): string | null;
  /** How to read back an answer that a provider has stored. */
  readonly atProvider: AnswersAtProvider;
}

/** An answer that a provider stores, read through the provider's own API. */
export interface AnswersAtProvider {
  /**
   * Returns the URL of the stored answer, derived from the URL that creates answers; `null` for an id that no provider issues.
   */
  url(createUrl: string, id: string): string | null;
  /** Returns the URL of one page of the answer's input items: the first page, or the page after the item `after`. */
  inputUrl(answerUrl: string, after: string | null): string;
  /** Reads the stored answer; `null` if the value is not the answer with this id. */
  answer(value: unknown, id: string): { readonly previousId: string | null } | null;
  /** Reads a page of items; `null` if the value is not a page. `next` is the item after which the next page begins. */
  inputPage(value: unknown): { readonly items: readonly unknown[]; readonly next: string | null } | null;
  /** Returns the ids of the items in a turn's texts: those of the input and those of the output. */
  itemIds(turn: StoredTurn): { readonly input: ReadonlySet<string>; readonly output: ReadonlySet<string> };
}

/** How the gateway shortens a conversation for the client (Responses: POST /v1/responses/compact). */
export interface ContextCompacting {
  /**
   * Returns the request with the gateway's earlier compactions replaced by their text; the same object if it has none. Fails
   * (400) where `open` returns `null`: the compaction was sealed for another account, or is damaged.
   */
  opened(request: ParsedRequest, open: (sealed: string) => string | null): ParsedRequest | Failure;
  /** Returns the request that asks the model for a summary of the conversation. Only its body is used. */
  summaryRequest(request: ParsedRequest): ParsedRequest;
  /** Returns the answer as JSON text, with `_routing`. Fails if the model has not written a summary. */
  encodeAnswer(response: ExchangeResponse, context: AnswerContext, seal: (text: string) => string): string | Failure;
}

export interface UpstreamKeeping {
  wants(request: ParsedRequest): boolean;
  /** The failure to return if no upstream can store it. */
  readonly unsupported: Failure;
}

/** An object stored at a provider, as a request refers to it. */
export interface NamedObject {
  readonly id: string;
  /** The path in the client's body of the member that holds the id. */
  readonly path: string;
  /** The error message of the format's own API for a missing object; it replaces the gateway's message. */
  readonly missing?: string;
  /** Further members of the error for a missing object, which clients of the format look for. */
  readonly whenMissing?: Readonly<Record<string, unknown>>;
  /**
   * The request is valid without the id. To a provider that may not be given the id, the request goes translated, without
   * it. `shown`: the object's content is next to the id, and only a provider that stores objects looks it up. `alone`:
   * there is only the id.
   */
  readonly optional?: 'shown' | 'alone';
}

/**
 * Objects stored at a provider: files, caches, containers, stored items. Every holder of the provider's key can reach all of
 * them.
 */
export interface ObjectNaming {
  /** Returns the objects that a request refers to, except for answers that the gateway itself stores. */
  named(body: Readonly<Record<string, unknown>>): readonly NamedObject[];
  /** Returns whether the answer to a request may create objects that a later request can refer to. */
  mayIssue(body: Readonly<Record<string, unknown>>): boolean;
  /**
   * Returns the ids of the objects that a whole answer, or one event of a stream, creates. Ids repeated from the request do not
   * count.
   */
  issued(answer: unknown): readonly string[];
}

/** State that is bound to the channel that issued it. Clients of its own format get it unchanged, without its origin. */
export interface StateIssuing {
  /** Returns the keys of the states in a whole answer's JSON text. */
  issued(answerJson: string): readonly string[];
  /** Returns the keys of the states that a request sends back, in the order of the conversation. */
  presented(request: ParsedRequest): readonly string[];
  /** Returns the key of a decoded state; `null` for a state of another family. */
  keyOf(state: OpaqueState): string | null;
}
