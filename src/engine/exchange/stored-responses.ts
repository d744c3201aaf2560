import { Failure } from '../../domain/failure/failure.ts';
import type { ResponseStore, StoredResponse } from '../ports/response-store.ts';
import { type AdmittedAnswer, type AdmittedCallPorts, admittedCall } from '../shared/admitted-call.ts';
import type { Caller } from '../shared/caller.ts';
import type { Principal } from '../shared/directory.ts';
import { CHAIN_LIMITS } from './turn.ts';

export interface StoredResponsesPorts extends AdmittedCallPorts {
  readonly responses: ResponseStore;
}

/** JSON text. */
export type StoredAnswer = AdmittedAnswer<string>;

/** A page of a response's input items, as OpenAI's list objects are paged. */
export interface InputItemsQuery {
  readonly limit: number;
  readonly order: 'asc' | 'desc';
  /** The id of the item after which the page begins. */
  readonly after: string | null;
}

/** Reading and deleting the responses that the gateway keeps (contract, Responses; OpenAI, "Get a model response"). */
export class StoredResponses {
  constructor(private readonly ports: StoredResponsesPorts) {}

  /** The response object. */
  read(caller: Caller, id: string): Promise<StoredAnswer> {
    return admittedCall(this.ports, caller, async (principal) => {
      const stored = await this.find(principal, id);
      return stored instanceof Failure ? stored : stored.responseJson;
    });
  }

  delete(caller: Caller, id: string): Promise<StoredAnswer> {
    return admittedCall(this.ports, caller, async (principal) => {
      if (!(await this.ports.responses.delete(principal.account.id, id))) return notFound(id);
      return JSON.stringify({ id, object: 'response', deleted: true });
    });
  }

  inputItems(caller: Caller, id: string, query: InputItemsQuery): Promise<StoredAnswer> {
    return admittedCall(this.ports, caller, (principal) => this.itemsPage(principal, id, query));
  }

  private async itemsPage(principal: Principal, id: string, query: InputItemsQuery): Promise<string | Failure> {
    const stored = await this.find(principal, id);
    if (stored instanceof Failure) return stored;
    const chain = await this.ports.responses.chain(stored.accountId, id, CHAIN_LIMITS);
    const items = chain.kind === 'found' ? chain.responses.flatMap(itemsOfTurn(id)) : itemsOfTurn(id)(stored);
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

  private async find({ account }: Principal, id: string): Promise<StoredResponse | Failure> {
    return (await this.ports.responses.get(account.id, id)) ?? notFound(id);
  }
}

/** What a turn brought into the conversation: its own input and, for all turns but the last, the answer to it. */
function itemsOfTurn(lastId: string) {
  return ({ id, inputJson, responseJson }: StoredResponse): unknown[] => {
    const input = list(inputJson);
    return id === lastId ? input : [...input, ...outputOf(responseJson)];
  };
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
