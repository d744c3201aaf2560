import { useQuery } from '@tanstack/react-query';
import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from '../../shared/json.ts';
import { type Payer, read } from '../wire/call.ts';

/** A member of a request, as the model's contract describes it. */
export interface Parameter {
  readonly name: string;
  readonly types: readonly string[];
  readonly isRequired: boolean;
  readonly choices: readonly string[];
  readonly usual: unknown;
  readonly minimum: number | null;
  readonly maximum: number | null;
  readonly description: string;
}

export interface Operation {
  readonly id: string;
  readonly path: string;
  readonly isForm: boolean;
  readonly parameters: readonly Parameter[];
}

/** Reads the operations of a model, and their parameters. */
export function useOperations(model: string, payer: Payer) {
  return useQuery<readonly Operation[], Error>({
    queryKey: ['playground-model', model, payer],
    queryFn: async ({ signal }) => operationsIn(await read(`/v1/models/${encodeURIComponent(model)}`, payer, signal)),
    enabled: model !== '',
    staleTime: 60_000,
  });
}

export function operationsIn(model: unknown): Operation[] {
  const vendor = Object.values(objectOf(model)).find((member) => isObject(member) && 'public_contract' in member);
  const { operations } = objectOf(objectOf(vendor).public_contract);
  return listOf(operations)
    .filter(isObject)
    .map(({ operation, endpoint, content_type: type, parameters }) => ({
      id: textOf(operation),
      path: textOf(endpoint),
      isForm: type === 'multipart/form-data',
      parameters: Object.entries(objectOf(parameters)).map(([name, facts]) => parameterOf(name, objectOf(facts))),
    }));
}

function parameterOf(name: string, facts: JsonObject): Parameter {
  return {
    name,
    types: Array.isArray(facts.type) ? facts.type.map(textOf) : [textOf(facts.type)],
    isRequired: facts.required === true,
    choices: listOf(facts.enum).map(String),
    usual: facts.default,
    minimum: numberOf(facts.minimum),
    maximum: numberOf(facts.maximum),
    description: textOf(facts.description),
  };
}
