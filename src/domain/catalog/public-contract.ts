import type { Capabilities, ModelFeature } from './capabilities.ts';
import type { Model } from './model.ts';
import {
  CHAT_OPERATIONS,
  type ModelOperation,
  type Parameter,
  type ParameterType,
  USUAL_OPERATIONS,
} from './model-operation.ts';
import type { Scene } from './model-tags.ts';
import { OPERATION_CONTRACTS, type RequestContentType, type ResultDelivery } from './operation-contracts.ts';

/** A request field in `GET /v1/models/{model}`; limits and defaults that do not exist are left out. */
export interface PublicParameter {
  readonly type: ParameterType | readonly ParameterType[];
  readonly required: boolean;
  readonly default?: string | number | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly (string | number)[];
  readonly max_length?: number;
  readonly max_items?: number;
  readonly properties?: Readonly<Record<string, PublicParameter>>;
  readonly description?: string;
}

export interface PublicOperation {
  readonly operation: ModelOperation;
  readonly method: 'POST';
  readonly endpoint: string;
  readonly content_type: RequestContentType;
  readonly result: ResultDelivery;
  readonly poll_endpoint: string | null;
  readonly parameters: Readonly<Record<string, PublicParameter>>;
}

/** The contract's `public_contract`, whose members the contract does not show. */
export interface PublicContract {
  /** The endpoint of its main operation; `null` for a model that serves nothing. */
  readonly request_endpoint: string | null;
  readonly operations: readonly PublicOperation[];
}

/** The contract's `public_contract_summary`, which has exactly these two members. */
export interface PublicContractSummary {
  readonly public_operations: readonly ModelOperation[];
  readonly request_endpoint: string | null;
}

/** Returns how a model is called, in the order of its operations; the first one is its main operation. */
export function publicContractOf({
  operations,
  parameters: overrides,
  capabilities,
}: Pick<Model, 'operations' | 'parameters' | 'capabilities'>): PublicContract {
  return {
    request_endpoint: requestEndpointOf(operations),
    operations: operations.map((operation) => {
      const { method, endpoint, contentType, result, pollEndpoint } = OPERATION_CONTRACTS[operation];
      return {
        operation,
        method,
        endpoint,
        content_type: contentType,
        result,
        poll_endpoint: pollEndpoint,
        parameters: parametersOf(operation, { ...withoutMeaning(operation, capabilities), ...overrides[operation] }),
      };
    }),
  };
}

/** Conversation fields that are meaningless for a model without the feature, in all four formats. */
const FIELDS_OF_FEATURE: Readonly<Partial<Record<ModelFeature, readonly string[]>>> = {
  tools: ['tools', 'tool_choice', 'parallel_tool_calls', 'toolConfig'],
  reasoning: ['reasoning_effort', 'reasoning', 'thinking'],
};

/** Returns overrides that remove such fields; none if the capabilities are unknown, because the model may support everything. */
function withoutMeaning(operation: ModelOperation, capabilities: Capabilities | null): Readonly<Record<string, null>> {
  if (capabilities === null || !CHAT_OPERATIONS.includes(operation)) return {};
  const fields = Object.entries(FIELDS_OF_FEATURE).flatMap(([feature, names]) =>
    capabilities.features.some((has) => has === feature) ? [] : names,
  );
  return Object.fromEntries(fields.map((name) => [name, null]));
}

/** Returns the summary; `scene` is the caller's purpose for the model, which selects the operation and its endpoint. */
export function publicContractSummaryOf(
  operations: readonly ModelOperation[],
  scene: Scene | null = null,
): PublicContractSummary {
  const wanted =
    scene === null ? undefined : operations.find((operation) => USUAL_OPERATIONS[scene].includes(operation));
  return {
    public_operations: operations,
    request_endpoint: requestEndpointOf(wanted === undefined ? operations : [wanted]),
  };
}

function requestEndpointOf([first]: readonly ModelOperation[]): string | null {
  return first === undefined ? null : OPERATION_CONTRACTS[first].endpoint;
}

type Override = Readonly<Partial<Parameter>>;

/** Returns the operation's own fields in order, then those that only this model has. */
function parametersOf(
  operation: ModelOperation,
  overrides: Readonly<Record<string, Override | null>>,
): Readonly<Record<string, PublicParameter>> {
  const merged = new Map<string, Override>(Object.entries(OPERATION_CONTRACTS[operation].parameters));
  for (const [name, override] of Object.entries(overrides)) {
    if (override === null) merged.delete(name);
    else merged.set(name, mergedParameter(merged.get(name) ?? {}, override));
  }
  return wireParameters([...merged]);
}

/** Drops an inherited default if the model's own limits exclude it, or if the field is required for this model. */
function mergedParameter(general: Override, own: Override): Override {
  const merged = { ...general, ...own };
  if (own.default !== undefined || merged.default === undefined) return merged;
  if (own.required !== true && allows(merged, merged.default)) return merged;
  const { default: _excluded, ...rest } = merged;
  return rest;
}

function allows(parameter: Override, value: string | number | boolean): boolean {
  if (typeof value === 'boolean') return true;
  if (parameter.enum !== undefined && !parameter.enum.includes(value)) return false;
  if (typeof value === 'string') return true;
  return value >= (parameter.minimum ?? -Infinity) && value <= (parameter.maximum ?? Infinity);
}

/** A field without a declared type may be any JSON value. */
const ANY_TYPE: readonly ParameterType[] = ['string', 'number', 'boolean', 'array', 'object'];

function wireParameters(
  parameters: readonly (readonly [string, Override])[],
): Readonly<Record<string, PublicParameter>> {
  return Object.fromEntries(parameters.map(([name, parameter]) => [name, wireParameter(parameter)]));
}

function wireParameter(parameter: Override): PublicParameter {
  const { type = ANY_TYPE, required = false, maxLength, maxItems, properties, description, ...bounds } = parameter;
  return {
    type,
    required,
    ...bounds,
    ...(maxLength !== undefined && { max_length: maxLength }),
    ...(maxItems !== undefined && { max_items: maxItems }),
    ...(properties !== undefined && { properties: wireParameters(Object.entries(properties)) }),
    ...(description !== undefined && { description }),
  };
}
