import type { Principal } from '../../domain/access/principal.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { ClientFormat } from '../../formats/text/format.ts';
import type { StoredTurn } from '../../formats/text/provider-state.ts';
import type { Caller } from '../access/caller.ts';
import { type AdmittedCallPorts, type AdmittedResult, admittedCall } from '../call/admitted-call.ts';
import { type Asker, CHAIN_LIMITS, type IssuedResponses } from '../operations/text/issued-responses.ts';
import type { ResponseStore } from '../ports/response-store.ts';

export interface StoredResponsesPorts extends AdmittedCallPorts {
  readonly responses: ResponseStore;
  readonly issued: IssuedResponses;
  /** The client format that has stored responses. */
  readonly format: ClientFormat;
}

/** The response body as JSON text. */
export type StoredAnswer = AdmittedResult<string>;

/** A page of a response's input items, as OpenAI's list objects are paged. */
export interface InputItemsQuery {
  readonly limit: number;
  readonly order: 'asc' | 'desc';
  /** The id of the item after which the page begins. */
  readonly after: string | null;
}

/**
 * Reads and deletes stored responses (contract, Responses; OpenAI, "Get a model response"), both those in the gateway's store and those
 * that only the provider has. A deletion removes both copies.
 */
export class StoredResponses {
  constructor(private readonly ports: StoredResponsesPorts) {}

  /** Resolves to the response object. */
  read(caller: Caller, id: string): Promise<StoredAnswer> {
    return admittedCall(this.ports, caller, async (principal) => {
      const stored = await this.ports.responses.get(principal.account.id, id);
      if (stored !== null) return stored.responseJson;
      return (await this.ports.issued.answer(this.askerOf(principal), id)) ?? notFound(id);
    });
  }

  delete(caller: Caller, id: string): Promise<StoredAnswer> {
    return admittedCall(this.ports, caller, async (principal) => {
      // The provider's copy is deleted first: if that fails, nothing is deleted and the client can try again. A copy
      // left at the provider could still be read.
      const wasThere = await this.ports.issued.delete(this.askerOf(principal), id);
      if (wasThere instanceof Failure) return wasThere;
      const wasHere = await this.ports.responses.delete(principal.account.id, id);
      if (!wasHere && wasThere !== true) return notFound(id);
      return JSON.stringify({ id, object: 'response', deleted: true });
    });
  }

  inputItems(caller: Caller, id: string, query: InputItemsQuery): Promise<StoredAnswer> {
    return admittedCall(this.ports, caller, (principal) => this.itemsPage(principal, id, query));
  }

  private async itemsPage(principal: Principal, id: string, query: InputItemsQuery): Promise<string | Failure> {
    const turns = await this.turnsOf(principal, id);
    if (turns instanceof Failure) return turns;
    const items = turns.flatMap(itemsOfTurn);
    if (query.order === 'desc') items.reverse();
    const from = query.after === null ? 0 : items.findIndex((item) => idOf(item) === query.after) + 1;
    if (query.after !== null && from === 0) {
      return new Failure('invalid_value', {
        message: `There is no input item \`${query.after.slice(0, 100)}\` in this response.`,
        param: 'after',
      });
    }
    const data = items.slice(from, from + query.limit);
    return JSON.stringify({
      object: 'list',
      data,
      first_id: idOf(data[0]),
      last_id: idOf(data.at(-1)),
      has_more: from + query.limit < items.length,
    });
  }

  /** Resolves to the conversation that ends with the response, oldest turn first, or to only the response if earlier turns are gone. */
  private async turnsOf(principal: Principal, id: string): Promise<readonly StoredTurn[] | Failure> {
    const { responses, issued } = this.ports;
    const { id: accountId } = principal.account;
    const chain = await responses.chain(accountId, id, CHAIN_LIMITS);
    if (chain.kind === 'found') return chain.responses;
    const stored = await responses.get(accountId, id);
    if (stored !== null) return [stored];
    const conversation = await issued.conversation(this.askerOf(principal), id);
    if (conversation instanceof Failure) return conversation;
    return conversation.kind === 'found' ? conversation.turns : notFound(id);
  }

  private askerOf({ account }: Principal): Asker {
    return { accountId: account.id, format: this.ports.format };
  }
}

/** Returns the items that a turn added to the conversation: its input and, for all turns but the last, the output of its answer. */
function itemsOfTurn({ inputJson, responseJson }: StoredTurn, index: number, turns: readonly StoredTurn[]): unknown[] {
  const input = list(inputJson);
  return index === turns.length - 1 ? input : [...input, ...outputOf(responseJson)];
}

function list(json: string): unknown[] {
  const value: unknown = JSON.parse(json);
  return Array.isArray(value) ? value : [];
}

function outputOf(responseJson: string): unknown[] {
  const value: unknown = JSON.parse(responseJson);
  return typeof value === 'object' && value !== null && 'output' in value && Array.isArray(value.output)
    ? value.output
    : [];
}

function idOf(item: unknown): string | null {
  return typeof item === 'object' && item !== null && 'id' in item && typeof item.id === 'string' ? item.id : null;
}

function notFound(id: string): Failure {
  return new Failure('response_not_found', {
    message: `There is no response \`${id.slice(0, 100)}\`. It may have been deleted, have expired, or not have been stored.`,
    param: 'response_id',
    kind: 'response_not_found',
  });
}
