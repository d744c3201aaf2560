import type { Losses } from '../../../domain/exchange/loss.ts';
import type { ExchangeRequest, Tool } from '../../../domain/exchange/request.ts';
import { isRecord } from '../../shared/json/record.ts';
import { type Quirk, quirkOf } from '../quirk.ts';

/**
 * Returns a request from another format without `strict` on schemas that are not closed, if the provider refuses these in strict
 * mode. The model is then asked to follow the schema but not forced to, and the loss is reported.
 */
export function withClosedSchemas(
  request: ExchangeRequest,
  quirks: readonly Quirk[],
  losses: Losses,
  isOwn: boolean,
): ExchangeRequest {
  const quirk = quirkOf(quirks, 'closed-schemas');
  if (quirk === undefined || isOwn) return request;
  const { why } = quirk;
  const tools = request.tools.map((tool): Tool => {
    if (tool.type !== 'function' || tool.strict !== true || isClosed(tool.parameters)) return tool;
    losses.note({ field: `${tool.path ?? 'tools'}.strict`, verdict: 'approximated', why });
    return { ...tool, strict: false };
  });
  const { responseFormat: format } = request;
  if (format?.type !== 'json-schema' || format.strict !== true || isClosed(format.schema)) return { ...request, tools };
  losses.note({ field: request.names['json-schema'] ?? 'response_format', verdict: 'approximated', why });
  return { ...request, tools, responseFormat: { ...format, strict: null } };
}

/** Keywords that OpenAI's strict mode does not support (guide "Structured outputs", "Supported schemas"). */
const UNSUPPORTED = ['allOf', 'not', 'dependentRequired', 'dependentSchemas', 'if', 'then', 'else'];
/** Members whose values are schemas by name, schemas in a list, or one schema. */
const BY_NAME = ['properties', '$defs', 'definitions'];
const LISTS = ['anyOf'];
const ALONE = ['items'];

/** Returns whether a schema allows only its own properties, and requires all of them, at every depth. */
export function isClosed(schema: unknown): boolean {
  const left: unknown[] = [schema];
  while (left.length > 0) {
    const one = left.pop();
    if (!isRecord(one)) continue;
    if (UNSUPPORTED.some((keyword) => Object.hasOwn(one, keyword)) || !isClosedObject(one)) return false;
    for (const name of BY_NAME) if (isRecord(one[name])) left.push(...Object.values(one[name]));
    for (const name of LISTS) if (Array.isArray(one[name])) left.push(...(one[name] as unknown[]));
    for (const name of ALONE) left.push(one[name]);
  }
  return true;
}

function isClosedObject({
  type,
  properties,
  additionalProperties,
  required,
}: Readonly<Record<string, unknown>>): boolean {
  if (type !== 'object' && !isRecord(properties)) return true;
  if (additionalProperties !== false) return false;
  const needed = new Set<unknown>(Array.isArray(required) ? required : []);
  return Object.keys(isRecord(properties) ? properties : {}).every((name) => needed.has(name));
}
