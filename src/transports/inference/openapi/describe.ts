import type { z } from 'zod';
import type {
  DescribedAnswer,
  DescribedContent,
  DescribedEndpoint,
  DescribedExample,
  SecurityName,
} from '../../shared/openapi/described-endpoint.ts';
import { CALL } from './errors.ts';

export const JSON_TYPE = 'application/json';
export const EVENTS_TYPE = 'text/event-stream';
export const FORM_TYPE = 'multipart/form-data';

/** The ways in which clients of each format send their key. */
export const KEY: readonly SecurityName[] = ['api_key'];
export const ANTHROPIC_KEY: readonly SecurityName[] = ['api_key_header', 'api_key'];
export const GOOGLE_KEY: readonly SecurityName[] = ['google_api_key_header', 'google_api_key_query', 'api_key'];

type Named = Pick<DescribedEndpoint, 'path' | 'operationId' | 'tag' | 'summary'>;
type Rest = Partial<Omit<DescribedEndpoint, keyof Named | 'body' | 'answers'>>;

export interface DescribedCall extends Named, Rest {
  /** The JSON body. */
  readonly body: DescribedContent;
  readonly answer: z.ZodType;
  readonly answerDescription: string;
  /** The data of an event, if the answer may be a stream. */
  readonly event?: z.ZodType;
}

const DEFAULTS = { security: KEY, envelope: 'openai', errors: CALL } as const;

/** Describes a POST of JSON that asks a model, and is answered with JSON or events. */
export function call({ body, answer, answerDescription, event, ...rest }: DescribedCall): DescribedEndpoint {
  const events = event === undefined ? {} : { [EVENTS_TYPE]: { schema: event } };
  return {
    ...DEFAULTS,
    method: 'post',
    body: { content: { [JSON_TYPE]: body } },
    answers: [answerOf(answerDescription, answer, events)],
    ...rest,
  };
}

export interface DescribedRead extends Named, Rest {
  readonly answer: z.ZodType;
  readonly answerDescription: string;
}

/** Describes a GET that is answered with JSON. */
export function read({ answer, answerDescription, ...rest }: DescribedRead): DescribedEndpoint {
  return { ...DEFAULTS, method: 'get', answers: [answerOf(answerDescription, answer)], ...rest };
}

/** Describes a 200 answer with JSON or other media types. */
export function answerOf(
  description: string,
  schema: z.ZodType,
  others: Readonly<Record<string, DescribedContent>> = {},
): DescribedAnswer {
  return { status: 200, description, content: { [JSON_TYPE]: { schema }, ...others } };
}

export function example(summary: string, value: object): DescribedExample {
  return { summary, value };
}
