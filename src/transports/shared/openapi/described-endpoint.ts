import type { z } from 'zod';
import type { ErrorCode } from '../../../domain/failure/error-codes.ts';

/*
 * What the gateway says of its endpoints: the same Zod schemas that check requests, and those of the answers. The OpenAPI
 * document is made from it (`assemble.ts`). A schema with `.meta({ id: 'Name' })` becomes a component of that name; other
 * members of `meta` (`description`, `example`, `type`, `format` …) stand in the document as they are.
 */

export type HttpMethod = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** Whose envelope the errors of an endpoint have. */
export type EnvelopeName = 'openai' | 'anthropic' | 'gemini';

/** One way to say who asks. */
export type SecurityName = keyof typeof SECURITY_SCHEMES;

export const SECURITY_SCHEMES = {
  api_key: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'sk-…',
    description: 'An API key of an account. It is for inference, and is refused by the management API.',
  },
  api_key_header: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'The same API key, as the clients of Anthropic’s format send it.',
  },
  google_api_key_header: {
    type: 'apiKey',
    in: 'header',
    name: 'x-goog-api-key',
    description: 'The same API key, as the clients of Google’s format send it.',
  },
  google_api_key_query: {
    type: 'apiKey',
    in: 'query',
    name: 'key',
    description: 'The same API key in the address. It counts only where no header has one.',
  },
  management_token: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'mt-…',
    description: 'A management token of an account. It is for the management API, and is refused elsewhere.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'switchyard.session_token',
    description: 'The session of a person who has signed in. Over HTTPS the cookie’s name begins with `__Secure-`.',
  },
  metrics_token: {
    type: 'http',
    scheme: 'bearer',
    description: 'The `server.metrics_token` of the configuration.',
  },
} as const;

/** A value that a request or an answer may have; a test sends those of requests to a gateway. */
export interface DescribedExample {
  readonly summary: string;
  readonly value: unknown;
}

/** What documents say of a member beside its type. */
export interface DescribedField {
  readonly description: string;
  readonly default?: string | number | boolean;
}

export interface DescribedContent {
  readonly schema: z.ZodType;
  /**
   * What its members are, by their paths (`tools`, `stream_options.include_usage`), where the schema itself does not say it:
   * the schemas of formats are made to check.
   */
  readonly fields?: Readonly<Record<string, DescribedField>>;
  readonly examples?: Readonly<Record<string, DescribedExample>>;
}

/** A code that the endpoint may fail with; with a status where it has only one of those that the code can have. */
/** `publicCode`: what clients see in place of the code (`Failure`). */
export type DescribedError =
  | ErrorCode
  | { readonly code: ErrorCode; readonly status: number; readonly publicCode?: string };

export interface DescribedBody {
  readonly description?: string;
  /** `true` where it is left out: a request without it is refused. */
  readonly optional?: boolean;
  /** By media type. */
  readonly content: Readonly<Record<string, DescribedContent>>;
}

export interface DescribedAnswer {
  readonly status: number;
  readonly description: string;
  /** Beside those that every answer has. */
  readonly headers?: Readonly<Record<string, string>>;
  /** By media type. A stream is `text/event-stream` with the schema of the data of one event. Absent: no body. */
  readonly content?: Readonly<Record<string, DescribedContent>>;
}

export interface DescribedEndpoint {
  readonly method: HttpMethod;
  /** With its parameters in braces: `/v1/tasks/{id}`. */
  readonly path: string;
  /** camelCase, and the name of a method in generated clients. */
  readonly operationId: string;
  /** One of `TAGS`. */
  readonly tag: string;
  /** Without a full stop. */
  readonly summary: string;
  readonly description?: string;
  /** Alternatives; `[]` for what anybody may ask. */
  readonly security: readonly SecurityName[];
  /** It may be asked without any, too. */
  readonly isSecurityOptional?: boolean;
  /** Of the path, the query and the headers: one property a parameter, whose schema says whether it is required. */
  readonly pathParameters?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: DescribedBody;
  readonly answers: readonly DescribedAnswer[];
  /** Every code that it may fail with. */
  readonly errors: readonly DescribedError[];
  readonly envelope: EnvelopeName;
  readonly isDeprecated?: boolean;
}

/** A group of endpoints, in the order of the document. */
export interface DescribedTag {
  readonly name: string;
  readonly description: string;
}

/** One part of the service: its groups and its endpoints. */
export interface DescribedApi {
  /** In front of the name of a schema where another part has given that name to something else. */
  readonly schemaPrefix: string;
  readonly tags: readonly DescribedTag[];
  readonly endpoints: readonly DescribedEndpoint[];
}
