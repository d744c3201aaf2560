import { z } from 'zod';
import type { ModelOperation, Parameter, ParameterType } from '../../../domain/catalog/model-operation.ts';
import { OPERATION_CONTRACTS } from '../../../domain/catalog/operation-contracts.ts';
import type { DescribedField } from '../../shared/openapi/described-endpoint.ts';

/*
 * Requests of the operations whose bodies are parsed by hand: their schemas come from the tables that `GET /v1/models/{model}` shows, which
 * are checked against the contract.
 */

type Shape = Readonly<Record<string, z.ZodType>>;

interface RequestSchema {
  readonly id: string;
  /** Members that the table cannot express: the items of lists, and variants. */
  readonly members?: Shape;
}

/** Returns the schema of a JSON body; an optional member may be null. */
export function jsonRequest(operation: ModelOperation, { id, members = {} }: RequestSchema): z.ZodObject {
  return requestOf(operation, members, (schema) => schema.nullish()).meta({ id });
}

/** Returns the schema of a form; an optional member may be absent. */
export function formRequest(operation: ModelOperation, { id, members = {} }: RequestSchema): z.ZodObject {
  return requestOf(operation, members, (schema) => schema.optional()).meta({ id });
}

/** Returns the table's descriptions of the members of a body whose format has its own schema. */
export function fieldsOf(operation: ModelOperation): Readonly<Record<string, DescribedField>> {
  const entries = Object.entries(OPERATION_CONTRACTS[operation].parameters);
  return Object.fromEntries(entries.map(([name, parameter]) => [name, fieldOf(parameter)]));
}

function requestOf(operation: ModelOperation, members: Shape, optional: (schema: z.ZodType) => z.ZodType) {
  const { parameters } = OPERATION_CONTRACTS[operation];
  const shape: Record<string, z.ZodType> = {};
  for (const [name, parameter] of Object.entries(parameters)) {
    const schema = members[name] ?? schemaOf(parameter);
    shape[name] = (parameter.required === true ? schema : optional(schema)).meta({ ...fieldOf(parameter) });
  }
  for (const [name, schema] of Object.entries(members)) shape[name] ??= optional(schema);
  return z.object(shape);
}

function fieldOf({ description = '', default: usual }: Parameter): DescribedField {
  return { description, ...(usual !== undefined && { default: usual }) };
}

function schemaOf(parameter: Parameter): z.ZodType {
  const { type } = parameter;
  if (typeof type === 'string') return schemaOfType(type, parameter);
  return z.union(type.map((one) => schemaOfType(one, parameter)));
}

function schemaOfType(type: ParameterType, parameter: Parameter): z.ZodType {
  const { minimum, maximum, maxLength, maxItems } = parameter;
  switch (type) {
    case 'string':
      return textOf(parameter.enum, maxLength);
    case 'integer':
    case 'number': {
      const number = type === 'integer' ? z.int() : z.number();
      const from = minimum === undefined ? number : number.min(minimum);
      return maximum === undefined ? from : from.max(maximum);
    }
    case 'boolean':
      return z.boolean();
    case 'array': {
      const list = z.array(z.string());
      return maxItems === undefined ? list : list.max(maxItems);
    }
    case 'object':
      return z.object({});
    case 'file':
      return z.string().meta({ format: 'binary' });
  }
}

function textOf(values: Parameter['enum'], maxLength: number | undefined): z.ZodType {
  if (values !== undefined) return z.enum(values.map(String));
  return maxLength === undefined ? z.string() : z.string().max(maxLength);
}
