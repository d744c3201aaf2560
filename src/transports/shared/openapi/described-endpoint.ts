import type { z } from 'zod';
import type { ErrorCode } from '../../../domain/failure/error-codes.ts';

/*
 * Descriptions of the gateway's endpoints, with the same Zod schemas that check requests, and those of the answers. The OpenAPI document is
 * made from them (`assemble.ts`). A schema with `.meta({ id: 'Name' })` becomes a component of that name; other members of `meta`
 * (`description`, `example`, `type`, `format` …) are copied to the document.
 */

export type HttpMethod = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The vendor whose error envelope an endpoint uses. */
export type EnvelopeName = 'openai' | 'anthropic' | 'gemini' | 'openrouter';

/** One way to authenticate. */
export type SecurityName = keyof typeof SECURITY_SCHEMES;

export const SECURITY_SCHEMES = {
  api_key: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'sk-…',
    description: 'An API key of an account, for inference. The management API refuses it.',
  },
  api_key_header: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'The same API key, as Anthropic’s clients send it.',
  },
  google_api_key_header: {
    type: 'apiKey',
    in: 'header',
    name: 'x-goog-api-key',
    description: 'The same API key, as Google’s clients send it.',
  },
  google_api_key_query: {
    type: 'apiKey',
    in: 'query',
    name: 'key',
    description: 'The same API key in the URL. Ignored if a header has one.',
  },
  management_token: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'mt-…',
    description: 'A management token of an account. Only the management API accepts it.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'switchyard.session_token',
    description: 'The session of a signed-in person. Over HTTPS, the name of the cookie begins with `__Secure-`.',
  },
  metrics_token: {
    type: 'http',
    scheme: 'bearer',
    description: 'The `server.metrics_token` of the configuration.',
  },
} as const;

/** An example of a request or an answer; a test sends those of requests to a gateway. */
export interface DescribedExample {
  readonly summary: string;
  readonly value: unknown;
}

/** The documentation of a member apart from its type. */
export interface DescribedField {
  readonly description: string;
  readonly default?: string | number | boolean;
}

export interface DescribedContent {
  readonly schema: z.ZodType;
  /**
   * Descriptions of members by path (`tools`, `stream_options.include_usage`), for schemas that lack them: the schemas of formats are made
   * for validation.
   */
  readonly fields?: Readonly<Record<string, DescribedField>>;
  readonly examples?: Readonly<Record<string, DescribedExample>>;
}

/**
 * A code that the endpoint may fail with; it has a status if the endpoint uses only one of the code's. `publicCode` is what clients see
 * instead of the code (`Failure`).
 */
export type DescribedError =
  | ErrorCode
  | { readonly code: ErrorCode; readonly status: number; readonly publicCode?: string };

export interface DescribedBody {
  readonly description?: string;
  /** Whether the body may be omitted. */
  readonly optional?: boolean;
  /** Keyed by media type. */
  readonly content: Readonly<Record<string, DescribedContent>>;
}

export interface DescribedAnswer {
  readonly status: number;
  readonly description: string;
  /** The headers besides those that every answer has. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Keyed by media type. A stream is `text/event-stream` with the schema of one event's data. Omitted if there is no body. */
  readonly content?: Readonly<Record<string, DescribedContent>>;
}

export interface DescribedEndpoint {
  readonly method: HttpMethod;
  /** The path, with its parameters in braces: `/v1/tasks/{id}`. */
  readonly path: string;
  /** In camelCase; the name of the method in generated clients. */
  readonly operationId: string;
  /** One of `TAGS`. */
  readonly tag: string;
  /** Without a full stop. */
  readonly summary: string;
  readonly description?: string;
  /** Alternatives; `[]` for public endpoints. */
  readonly security: readonly SecurityName[];
  /** Whether it may also be called without authentication. */
  readonly isSecurityOptional?: boolean;
  /** One property per path parameter; its schema says whether it is required. The same holds for `query` and `headers`. */
  readonly pathParameters?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: DescribedBody;
  readonly answers: readonly DescribedAnswer[];
  /** All codes that the endpoint may fail with. */
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
  /** Prepended to the name of a schema if another part uses that name for something else. */
  readonly schemaPrefix: string;
  readonly tags: readonly DescribedTag[];
  readonly endpoints: readonly DescribedEndpoint[];
}
