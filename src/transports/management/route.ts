import type { z } from 'zod';
import type { Requester } from '../../domain/access/actor.ts';
import type { ObjectQuotas } from '../../domain/access/object-quotas.ts';
import type { ErrorCode } from '../../domain/failure/error-codes.ts';
import { AdminError } from '../../engine/admin/admin-error.ts';
import type { AuditTrail } from '../../engine/admin/audit/audit-trail.ts';
import type { AuditOrigin } from '../../engine/ports/audit-log.ts';
import type { DirectoryStore } from '../../engine/ports/directory-store.ts';
import type { DescribedExample, HttpMethod } from '../shared/openapi/described-endpoint.ts';
import type { Access } from './access.ts';

/** An admitted request. */
export interface ManagementCall<Query = unknown> {
  /** `null` only for routes that anyone may use. */
  readonly requester: Requester | null;
  /** The account in question; `null` if the route concerns none, or if an operator means all. */
  readonly accountId: string | null;
  /** The path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  /** The body as received; `{}` if it is optional and was omitted. */
  readonly input: unknown;
  /** Records each change in the audit log under the requester's name, and rejects a change that does not match `If-Match`. */
  readonly directory: DirectoryStore;
  /**
   * The quotas of accounts that do not set their own; `null` for operators, who have none. The directory itself enforces those of its
   * objects.
   */
  readonly quotas: ObjectQuotas | null;
  /** Records changes to anything outside of the directory. */
  readonly trail: AuditTrail;
  readonly origin: AuditOrigin;
  readonly ifMatch: string | undefined;
  /** Derived from the `Idempotency-Key` header and its sender, for stores that detect repetitions themselves, such as the ledger. */
  readonly idempotencyKey: string | null;
  /** Checks again whether this requester may do this, for answers that stay open: the credential may be revoked meanwhile. */
  readonly isStillAllowed: () => Promise<boolean>;
  readonly requestId: string;
  readonly headers: Headers;
  /** The client's address. */
  readonly address: string | null;
  /** The origin at which the client reaches the gateway, such as `http://127.0.0.1:8787`. */
  readonly publicOrigin: string;
}

export interface ManagementAnswer<Body = unknown> {
  /** Rendered as JSON, except for a string, which is JSON already; omitted if the status is 204. */
  readonly body?: Body | string;
  /** The tag of a single object, made by `etagOf` from its changeable state. */
  readonly etag?: string;
  /** The status, if it differs from the route's. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Replaces `body` for content that is not JSON. */
  readonly raw?: { readonly contentType: string; readonly body: string | ReadableStream<Uint8Array> };
}

export interface RouteBody {
  /** The schema that also validates the body. */
  readonly schema: z.ZodType;
  readonly optional?: boolean;
  readonly description?: string;
  readonly examples?: Readonly<Record<string, DescribedExample>>;
}

export interface RouteAnswer<Schema extends z.ZodType = z.ZodType> {
  /** The default is 200. */
  readonly status?: number;
  readonly description: string;
  /** Omitted if there is no body. */
  readonly schema?: Schema;
  /** `application/json` by default; several if the request decides. */
  readonly contentType?: string | readonly string[];
}

/** One route: what it does, who may use it, what it takes and returns. The OpenAPI document and tests are derived from it. */
export interface ManagementRoute {
  readonly method: HttpMethod;
  /** The path under `/v1/management`, with its parameters in braces: `/keys/{id}`. */
  readonly path: `/${string}`;
  readonly operationId: string;
  /** One of `MANAGEMENT_TAGS`. */
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly access: Access;
  /** The parameters besides `account_id` (added if the access concerns an account), `limit` and `after`. */
  readonly query?: z.ZodObject;
  /** Whether it takes `limit` and `after`, and returns a list. */
  readonly isList?: boolean;
  readonly body?: RouteBody;
  readonly answer: RouteAnswer;
  /** The errors besides those that follow from method and path (`not_found`, `conflict`, `precondition_failed` …). */
  readonly errors?: readonly ErrorCode[];
  readonly handle: (call: ManagementCall) => ManagementAnswer | Promise<ManagementAnswer>;
}

/** A value that is only read, so that a view may return read-only lists. */
type Sent<Value> = Value extends readonly (infer Item)[]
  ? readonly Sent<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Sent<Value[Name]> }
    : Value;

type Typed<Query extends z.ZodObject, Answer extends z.ZodType> = Omit<
  ManagementRoute,
  'query' | 'answer' | 'handle'
> & {
  readonly query?: Query;
  readonly answer: RouteAnswer<Answer>;
  readonly handle: (
    call: ManagementCall<z.output<Query> & PageQuery>,
  ) => ManagementAnswer<Sent<z.input<Answer>>> | Promise<ManagementAnswer<Sent<z.input<Answer>>>>;
};

/** The query parameters of lists. */
export interface PageQuery {
  readonly limit?: number;
  readonly after?: string;
}

/** Returns a route whose handler gets the type of its query, and must return the type of its answer's schema. */
export function route<Query extends z.ZodObject = z.ZodObject, Answer extends z.ZodType = z.ZodType>(
  typed: Typed<Query, Answer>,
): ManagementRoute {
  // The route's own schema has parsed the query.
  return typed as ManagementRoute;
}

/** Returns the account in question, which must be named. Throws `AdminError`. */
export function accountOf({ accountId }: Pick<ManagementCall, 'accountId'>): string {
  if (accountId === null) throw new AdminError('invalid_value', 'account_id', 'must name an account');
  return accountId;
}

/** Returns a path parameter. Throws `AdminError` if it contains a NUL character. */
export function paramOf({ params }: Pick<ManagementCall, 'params'>, name: string): string {
  const value = params[name];
  if (value === undefined) throw new Error(`The route has no parameter "${name}".`);
  if (value.includes('\0')) throw new AdminError('invalid_value', name, 'must not contain a NUL character');
  return value;
}
