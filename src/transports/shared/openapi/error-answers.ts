import { type CodeRule, ERROR_CODES, type ErrorCode } from '../../../domain/failure/error-codes.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { encodeOpenRouterFailure } from '../../../formats/shared/failure/openrouter-failure.ts';
import { anthropicMessages } from '../../../formats/text/anthropic-messages/index.ts';
import type { ClientFormat } from '../../../formats/text/format.ts';
import { gemini } from '../../../formats/text/gemini/index.ts';
import { openaiChat } from '../../../formats/text/openai-chat/index.ts';
import type { DescribedError, EnvelopeName } from './described-endpoint.ts';
import { ERROR_SCHEMAS } from './error-schemas.ts';
import { type JsonSchema, pascalCase } from './json-schema.ts';
import type { SchemaComponents } from './schema-components.ts';

const FORMATS: Readonly<Record<EnvelopeName, Pick<ClientFormat, 'encodeFailure'>>> = {
  openai: openaiChat,
  anthropic: anthropicMessages,
  gemini,
  openrouter: { encodeFailure: encodeOpenRouterFailure },
};
/** The headers of every response. */
export const ID_HEADERS = {
  'x-request-id': { $ref: '#/components/headers/RequestId' },
  'x-client-request-id': { $ref: '#/components/headers/ClientRequestId' },
  traceparent: { $ref: '#/components/headers/Traceparent' },
};
const REQUEST_ID = 'req_0198f4d6-7b7e-7000-8000-0242ac120002';
const NAMES: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  402: 'PaymentRequired',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  408: 'RequestTimeout',
  409: 'Conflict',
  410: 'Gone',
  412: 'PreconditionFailed',
  413: 'PayloadTooLarge',
  415: 'UnsupportedMediaType',
  416: 'RangeNotSatisfiable',
  428: 'PreconditionRequired',
  429: 'TooManyRequests',
  500: 'InternalError',
  502: 'UpstreamError',
  503: 'Unavailable',
  504: 'Timeout',
};

/** The error answers of all endpoints. Endpoints that fail in the same ways share them. */
export class ErrorAnswers {
  private readonly answers = new Map<string, JsonSchema>();
  /** The names of answers by their content. */
  private readonly names = new Map<string, string>();

  constructor(private readonly schemas: SchemaComponents) {}

  /** Returns references to the answers of an endpoint with these errors, by status. */
  of(envelope: EnvelopeName, errors: readonly DescribedError[]): Record<string, JsonSchema> {
    const byStatus = new Map<number, Map<string, ErrorCode>>();
    for (const error of errors) {
      const { code, publicCode = code } = typeof error === 'string' ? { code: error } : error;
      for (const status of statusesOf(error)) {
        byStatus.set(status, (byStatus.get(status) ?? new Map()).set(publicCode, code));
      }
    }
    const sorted = [...byStatus].sort(([one], [other]) => one - other);
    return Object.fromEntries(
      sorted.map(([status, list]) => [
        status,
        { $ref: `#/components/responses/${this.put(envelope, status, new Map([...list].sort()))}` },
      ]),
    );
  }

  all(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.answers].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  /** Adds an answer and returns its name. `codes` is keyed by the code that clients see. */
  private put(envelope: EnvelopeName, status: number, codes: ReadonlyMap<string, ErrorCode>): string {
    const key = `${envelope} ${status} ${[...codes.keys()].join(' ')}`;
    const known = this.names.get(key);
    if (known !== undefined) return known;
    const name = this.freeName(
      (envelope === 'openai' ? '' : pascalCase(envelope)) + (NAMES[status] ?? `Error${status}`),
    );
    this.names.set(key, name);
    this.answers.set(name, this.answer(envelope, status, codes));
    return name;
  }

  private freeName(base: string): string {
    let name = base;
    for (let number = 2; this.answers.has(name); number++) name = `${base}${number}`;
    return name;
  }

  private answer(envelope: EnvelopeName, status: number, codes: ReadonlyMap<string, ErrorCode>): JsonSchema {
    const rules = [...codes];
    const lines = rules.map(
      ([shown, code]) => `- \`${shown}\`: ${ERROR_CODES[code].condition} ${ERROR_CODES[code].remedy}`,
    );
    const waits = rules.some(([, code]) => ((ERROR_CODES[code] as CodeRule).help ?? []).includes('retry_after'));
    const schema = this.schemas.add(ERROR_SCHEMAS[envelope], 'output', 'Error');
    const examples = rules.map(([publicCode, code]) => [
      publicCode,
      { summary: publicCode, value: rendered(envelope, { status, code, publicCode }) },
    ]);
    return {
      description: lines.join('\n'),
      headers: {
        ...ID_HEADERS,
        ...(waits && { 'retry-after': { $ref: '#/components/headers/RetryAfter' } }),
      },
      content: { 'application/json': { schema, examples: Object.fromEntries(examples) } },
      'x-error-codes': [...codes.keys()],
    };
  }
}

function statusesOf(error: DescribedError): readonly number[] {
  if (typeof error !== 'string') return [error.status];
  const { status, otherStatuses = [] }: CodeRule = ERROR_CODES[error];
  return [status, ...otherStatuses];
}

/** Renders the error as the format itself does. */
function rendered(
  envelope: EnvelopeName,
  { code, ...shown }: { readonly code: ErrorCode; readonly status: number; readonly publicCode: string },
): unknown {
  const failure = new Failure(code, { message: ERROR_CODES[code].condition, ...shown });
  return JSON.parse(FORMATS[envelope].encodeFailure(failure, REQUEST_ID).body);
}
