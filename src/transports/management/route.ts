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

/** A request that was admitted. */
export interface ManagementCall<Query = unknown> {
  /** `null` only where anyone may ask. */
  readonly requester: Requester | null;
  /** The account in question; `null` where the route is about none, or an operator means all. */
  readonly accountId: string | null;
  /** Of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  /** The body as it came; `{}` where it was left out and may be. */
  readonly input: unknown;
  /** Enters each change into the audit log as the requester's, and refuses a change of what `If-Match` does not mean. */
  readonly directory: DirectoryStore;
  /** Of accounts that say nothing else; `null` for operators, who are not held to quotas. What is in the directory is counted by it. */
  readonly quotas: ObjectQuotas | null;
  /** Enters changes of what is not in the directory. */
  readonly trail: AuditTrail;
  readonly origin: AuditOrigin;
  readonly ifMatch: string | undefined;
  /** Made of the header `Idempotency-Key` and who sent it; for what can itself tell that it comes twice, such as the ledger. */
  readonly idempotencyKey: string | null;
  /** Asks once more whether this requester may do this, for answers that go on: the credential may be revoked meanwhile. */
  readonly isStillAllowed: () => Promise<boolean>;
  readonly requestId: string;
  readonly headers: Headers;
  /** The client's address. */
  readonly address: string | null;
  /** By which the client reaches the gateway, such as `http://127.0.0.1:8787`. */
  readonly publicOrigin: string;
}

export interface ManagementAnswer {
  /** Rendered as JSON, but for a text, which is JSON already; left out where the status is 204. */
  readonly body?: unknown;
  /** Of a single object, made by `etagOf` from what can be changed of it. */
  readonly etag?: string;
  /** Where it is not the route's own. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** In the place of `body`, for what is not JSON. */
  readonly raw?: { readonly contentType: string; readonly body: string | ReadableStream<Uint8Array> };
}

export interface RouteBody {
  /** The very schema that checks it. */
  readonly schema: z.ZodType;
  readonly optional?: boolean;
  readonly description?: string;
  readonly examples?: Readonly<Record<string, DescribedExample>>;
}

export interface RouteAnswer {
  /** 200 if absent. */
  readonly status?: number;
  readonly description: string;
  /** Absent: no body. */
  readonly schema?: z.ZodType;
  /** `application/json` if absent; several where the request decides. */
  readonly contentType?: string | readonly string[];
}

/** One route: what it does, who may, what it takes and gives. The OpenAPI document and the tests are made from it, too. */
export interface ManagementRoute {
  readonly method: HttpMethod;
  /** Below `/v1/management`, with its parameters in braces: `/keys/{id}`. */
  readonly path: `/${string}`;
  readonly operationId: string;
  /** One of `MANAGEMENT_TAGS`. */
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly access: Access;
  /** Beside `account_id` (added where the access is about an account), `limit` and `after`. */
  readonly query?: z.ZodObject;
  /** It takes `limit` and `after`, and gives a list. */
  readonly isList?: boolean;
  readonly body?: RouteBody;
  readonly answer: RouteAnswer;
  /** Beside those that follow from method and path: `not_found`, `conflict`, `precondition_failed` … */
  readonly errors?: readonly ErrorCode[];
  readonly handle: (call: ManagementCall) => ManagementAnswer | Promise<ManagementAnswer>;
}

type Typed<Query extends z.ZodObject> = Omit<ManagementRoute, 'query' | 'handle'> & {
  readonly query?: Query;
  readonly handle: (call: ManagementCall<z.output<Query> & PageQuery>) => ManagementAnswer | Promise<ManagementAnswer>;
};

/** Of lists. */
export interface PageQuery {
  readonly limit?: number;
  readonly after?: string;
}

/** A route whose handler knows the type of its query. */
export function route<Query extends z.ZodObject = z.ZodObject>(typed: Typed<Query>): ManagementRoute {
  // What a handler gets was read by the very schema beside it.
  return typed as ManagementRoute;
}

/** The account in question, where one must be named. Throws `AdminError`. */
export function accountOf({ accountId }: Pick<ManagementCall, 'accountId'>): string {
  if (accountId === null) throw new AdminError('invalid_value', 'account_id', 'must name an account');
  return accountId;
}

/** A parameter of the path. */
export function paramOf({ params }: Pick<ManagementCall, 'params'>, name: string): string {
  const value = params[name];
  if (value === undefined) throw new Error(`The route has no parameter "${name}".`);
  if (value.includes('\0')) throw new AdminError('invalid_value', name, 'must not contain a NUL character');
  return value;
}
