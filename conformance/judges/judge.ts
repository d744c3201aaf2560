import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { isObject } from '../shared/json.ts';
import type { DocumentName, Variant } from './document.ts';
import { inCamelCase } from './gemini-names.ts';
import { plainSchema, schemaId } from './plain-schema.ts';
import { UNION_PROBLEM, unionKeyword } from './unions.ts';

export type Format = 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini';
export const FORMATS: readonly Format[] = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'];

type Part = 'request' | 'answer' | 'streamEvent' | 'error';

interface Rule {
  readonly document: DocumentName;
  readonly schema: string;
}

/** The schema that each part of a format must satisfy. Names with a `*` are defined in `documents.ts`. */
const RULES: Readonly<Record<Format, Readonly<Record<Part, Rule>>>> = {
  'openai-chat': {
    request: { document: 'openai', schema: 'CreateChatCompletionRequest' },
    answer: { document: 'openai', schema: 'CreateChatCompletionResponse' },
    streamEvent: { document: 'openai', schema: 'CreateChatCompletionStreamResponse' },
    error: { document: 'openai', schema: 'ErrorResponse' },
  },
  'openai-responses': {
    request: { document: 'openai', schema: 'CreateResponse' },
    answer: { document: 'openai', schema: 'Response' },
    streamEvent: { document: 'openai', schema: 'ResponseStreamEvent' },
    error: { document: 'openai', schema: 'ErrorResponse' },
  },
  'anthropic-messages': {
    request: { document: 'anthropic', schema: '*AnyParams' },
    answer: { document: 'anthropic', schema: '*AnyMessage' },
    streamEvent: { document: 'anthropic', schema: '*AnyStreamEvent' },
    error: { document: 'anthropic', schema: 'ErrorResponse' },
  },
  gemini: {
    request: { document: 'gemini', schema: 'GenerateContentRequest' },
    answer: { document: 'gemini', schema: 'GenerateContentResponse' },
    streamEvent: { document: 'gemini', schema: 'GenerateContentResponse' },
    error: { document: 'gemini', schema: '*ErrorResponse' },
  },
};

/**
 * The additional schema for translated responses: Open Responses, which requires all members of a Response. Responses of OpenAI's own older
 * models lack some, so relayed ones are not checked against it.
 */
const OPEN_RESPONSES: Readonly<Partial<Record<Part, Rule>>> = {
  answer: { document: 'openresponses', schema: 'ResponseResource' },
  streamEvent: { document: 'openresponses', schema: '*StreamEvent' },
};

/** The source of a success: its own service, or the gateway's translation from another format, which is judged more strictly. */
export type Origin = Exclude<Variant, 'request'>;

/** Returns the problems with a request body by the format's published documents, each with the path and the rule. */
export function judgeRequest(format: Format, body: unknown): readonly string[] {
  return judge(RULES[format].request, 'request', format === 'gemini' ? inCamelCase(body) : body);
}

/** Returns the problems with a whole (not streamed) success body. */
export function judgeAnswer(format: Format, body: unknown, origin: Origin = 'relayed'): readonly string[] {
  return judgeSuccess(format, 'answer', body, origin);
}

/**
 * Returns the problems with the parsed `data` of one stream event. An error in place of a chunk (OpenAI chat and Gemini have no event type for
 * it) is judged as an error.
 */
export function judgeStreamEvent(format: Format, event: unknown, origin: Origin = 'relayed'): readonly string[] {
  const isError = (format === 'openai-chat' || format === 'gemini') && isObject(event) && isObject(event.error);
  return isError ? judgeError(format, event) : judgeSuccess(format, 'streamEvent', event, origin);
}

/** Returns the problems with a text completion, whole or a chunk: both have the same schema. */
export function judgeTextCompletion(body: unknown): readonly string[] {
  return judge({ document: 'openai', schema: 'CreateCompletionResponse' }, 'translated', body);
}

/** Returns the problems with the body of a response whose status is not a success. */
export function judgeError(format: Format, body: unknown): readonly string[] {
  return judge(RULES[format].error, 'relayed', body);
}

/** Returns the problems with a body by any named schema of a document. */
export function judgeAs(document: DocumentName, schema: string, body: unknown): readonly string[] {
  return judge({ document, schema }, 'relayed', body);
}

function judgeSuccess(
  format: Format,
  part: 'answer' | 'streamEvent',
  body: unknown,
  origin: Origin,
): readonly string[] {
  const problems = judge(RULES[format][part], origin, body);
  const open = origin === 'translated' && format === 'openai-responses' ? OPEN_RESPONSES[part] : undefined;
  return open === undefined ? problems : [...new Set([...problems, ...judge(open, origin, body)])];
}

function judge(rule: Rule, variant: Variant, body: unknown): readonly string[] {
  if (!isObject(body)) return ['/: must be an object'];
  const validate = validatorOf(rule, variant);
  return validate(body) ? [] : [...new Set(describe(validate.errors ?? []))];
}

const ajv = newAjv();
const added = new Set<string>();

function newAjv(): Ajv {
  // Documents have custom keywords and formats (`x-…`, `unixtime`) that do not affect validity.
  const created = new Ajv({ allErrors: true, strict: false, logger: false, validateSchema: false });
  addFormats.default(created);
  // The JSON mapping of protocol buffers accepts both alphabets, with and without padding.
  created.addFormat('byte', /^[A-Za-z0-9+/_-]*={0,2}$/);
  created.addKeyword(unionKeyword(created));
  return created;
}

/** Returns the validator, compiled at its first use from the components that the schema reaches. */
function validatorOf({ document, schema }: Rule, variant: Variant): ValidateFunction {
  const waiting = [schema];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const id = schemaId(document, variant, name);
    if (added.has(id)) continue;
    added.add(id);
    const plain = plainSchema(document, variant, name);
    ajv.addSchema(plain.schema, id);
    waiting.push(...plain.references);
  }
  const validate = ajv.getSchema(schemaId(document, variant, schema));
  if (validate === undefined) throw new Error(`the document ${document} has no validator for ${schema}`);
  return validate;
}

/** `if` only reports that a branch failed, whose problems are listed too. */
function describe(errors: readonly ErrorObject[]): readonly string[] {
  const own = errors.filter((error) => error.keyword !== 'if' && error.keyword !== UNION_PROBLEM);
  return (own.length > 0 ? own : errors).map((error) => `${error.instancePath || '/'}: ${messageOf(error)}`);
}

function messageOf(error: ErrorObject): string {
  const { additionalProperty, allowedValues } = error.params ?? {};
  if (typeof additionalProperty === 'string') return `must not have the property '${additionalProperty}'`;
  if (Array.isArray(allowedValues))
    return `must be one of ${allowedValues.map((one) => JSON.stringify(one)).join(', ')}`;
  return error.message ?? error.keyword;
}
