import { useQuery } from '@tanstack/react-query';
import { isObject, listOf, objectOf, textOf } from '../shared/json.ts';
import { type Payer, read } from './wire/call.ts';

/** A model that the key may use. */
export interface Model {
  readonly id: string;
  readonly owner: string;
  readonly category: string;
  /** Such as `chat.completions`, `images.generations`. */
  readonly operations: readonly string[];
}

/** Reads the models that the payer's key may use, as a client with that key sees them. */
export function useModels(payer: Payer) {
  return useQuery<readonly Model[], Error>({
    queryKey: ['playground-models', payer],
    queryFn: async ({ signal }) => modelsIn(await read('/v1/models', payer, signal)),
    staleTime: 60_000,
  });
}

function modelsIn(list: unknown): Model[] {
  return listOf(objectOf(list).data)
    .filter(isObject)
    .map((model) => {
      // The operator can choose its name (`discovery.vendor_key`).
      const vendor = objectOf(Object.values(model).find((member) => isObject(member) && 'category' in member));
      const summary = objectOf(vendor.public_contract_summary);
      return {
        id: textOf(model.id),
        owner: textOf(model.owned_by),
        category: textOf(vendor.category),
        operations: listOf(summary.public_operations).map(textOf),
      };
    });
}

const CHATS: ReadonlySet<string> = new Set(['chat.completions', 'responses', 'messages', 'generate_content']);

export function isChat({ operations }: Model): boolean {
  return operations.some((operation) => CHATS.has(operation));
}
