import { Hono } from 'hono';
import type { z } from 'zod';
import type { Requester } from '../../domain/access/actor.ts';
import type { ObjectQuotas } from '../../domain/access/object-quotas.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { AdminError } from '../../engine/admin/admin-error.ts';
import { auditActor, auditedDirectory, auditTrail } from '../../engine/admin/audit/audit-trail.ts';
import { limitedDirectory } from '../../engine/admin/quotas/limited-directory.ts';
import type { AuditLog } from '../../engine/ports/audit-log.ts';
import type { Clock } from '../../engine/ports/clock.ts';
import type { DirectoryStore } from '../../engine/ports/directory-store.ts';
import type { IdempotencyStore, KeptAnswer } from '../../engine/ports/idempotency-store.ts';
import { ANYONES_BODY, readInput } from '../../formats/shared/request/read-input.ts';
import { requestTarget } from '../../formats/shared/request/request-target.ts';
import type { InFlight } from '../shared/requests-in-flight.ts';
import { admit } from './access.ts';
import { MANAGEMENT_PATH } from './base-path.ts';
import type { CallerLimits } from './caller-limits.ts';
import { failureAnswer, failureFrom } from './failures.ts';
import { idempotentRequest, keyOf, once } from './idempotency.ts';
import { querySchema, readQuery } from './read-query.ts';
import type { ManagementAnswer, ManagementCall, ManagementRoute } from './route.ts';

/** Facts about a request beyond the request itself. */
export interface RequestFacts {
  /** The client's address. */
  readonly address: string | null;
  /** The origin at which the client reaches the gateway. */
  readonly publicOrigin: string;
  readonly isInFlight: InFlight;
}

export interface ManagementPorts {
  readonly directory: DirectoryStore;
  readonly idempotency: IdempotencyStore;
  readonly audit: Pick<AuditLog, 'append'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly newRequestId: () => string;
  /** The path of the configuration file; `null` without one. */
  readonly configurationPath: string | null;
  /** Resolves to the requester; `null` if the request has no credential. */
  readonly requesterOf: (request: Request, facts: RequestFacts) => Promise<Requester | Failure | null>;
  readonly limits: Pick<CallerLimits, 'refusalOf'>;
  /** The quotas of accounts that do not set their own. */
  readonly quotas: ObjectQuotas;
  /**
   * Called after each change, before the answer is sent. Resolves once the change is in force, to headers that name the nodes where it is
   * not yet.
   */
  readonly settled: () => Promise<Readonly<Record<string, string>>>;
}

interface Env {
  readonly Bindings: RequestFacts;
}

/** A route with its derived query schema. */
interface Prepared extends ManagementRoute {
  readonly querySchema: z.ZodObject;
}

/** Sent with every answer of the API's own. */
export const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** The management API: `answer` takes every request whose path starts with `MANAGEMENT_PATH`. */
export class Management {
  private readonly app: Hono<Env>;

  constructor(
    readonly routes: readonly ManagementRoute[],
    private readonly ports: ManagementPorts,
  ) {
    this.app = new Hono<Env>({ getPath: (request) => requestTarget(request.url).path });
    const paths = new Map<string, string[]>();
    for (const route of routes) {
      const path = MANAGEMENT_PATH + route.path.replace(/\{(\w+)\}/g, ':$1');
      const prepared: Prepared = { ...route, querySchema: querySchema(route) };
      const method = route.method.toUpperCase();
      this.app.on(method, path, ({ req, env }) => this.run(prepared, req.raw, req.param(), env));
      paths.set(path, [...(paths.get(path) ?? []), method]);
    }
    for (const [path, methods] of paths) this.app.all(path, ({ req }) => this.wrongMethod(req.raw, methods));
    this.app.notFound(({ req }) => this.unknown(req.raw));
    // The surrounding guard answers.
    this.app.onError((error) => {
      throw error;
    });
  }

  async answer(request: Request, facts: RequestFacts): Promise<Response> {
    return await this.app.fetch(request, facts);
  }

  private async run(
    route: Prepared,
    request: Request,
    params: Readonly<Record<string, string>>,
    facts: RequestFacts,
  ): Promise<Response> {
    const requestId = this.ports.newRequestId();
    const headers = { ...HEADERS, 'x-request-id': requestId };
    const answer = await this.attempt(route, { request, params, facts, requestId });
    if (answer instanceof Failure) return failureAnswer(answer, requestId, headers);
    const isKnown = answer.etag !== undefined && request.headers.get('if-none-match') === answer.etag;
    const own = { ...headers, ...answer.headers, ...(answer.etag === undefined ? {} : { etag: answer.etag }) };
    if (isKnown && request.method === 'GET') return new Response(null, { status: 304, headers: own });
    const status = answer.status ?? route.answer.status ?? 200;
    if (answer.raw) {
      return new Response(answer.raw.body, { status, headers: { ...own, 'content-type': answer.raw.contentType } });
    }
    if (answer.body === undefined || answer.body === '') return new Response(null, { status, headers: own });
    const body = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
    return new Response(body, { status, headers: { ...own, 'content-type': 'application/json' } });
  }

  private async attempt(route: Prepared, asked: Asked): Promise<ManagementAnswer | Failure> {
    let requester: Requester | Failure | null = null;
    try {
      const { request, facts } = asked;
      const { query: written } = requestTarget(request.url);
      if (route.access.who !== 'anyone') requester = await this.ports.requesterOf(request, facts);
      if (requester instanceof Failure) return requester;
      const refused = await this.ports.limits.refusalOf(requester, facts);
      if (refused !== null) return refused;
      const admitted = admit(route.access, requester, written.get('account_id'));
      if (admitted instanceof Failure) return admitted;
      const query = readQuery(route.querySchema, written);
      const isOptional = route.body?.optional === true;
      const bounds = route.access.who === 'anyone' ? { isOptional, ...ANYONES_BODY } : { isOptional };
      const input = route.body === undefined ? {} : await readInput(request, bounds);
      if (input instanceof Failure) return input;
      const call = { ...asked, ...admitted, requester, query, input };
      return await this.perform(route, call);
    } catch (error) {
      return this.failureOf(error, requester instanceof Failure ? null : requester);
    }
  }

  /** Converts an `AdminError`; rethrows all other errors. Only operators learn the path of the configuration file. */
  private failureOf(error: unknown, requester: Requester | null): Failure {
    if (!(error instanceof AdminError)) throw error;
    return failureFrom(error, requester?.isOperator === true ? this.ports.configurationPath : null);
  }

  private async perform(route: Prepared, asked: AdmittedCall): Promise<ManagementAnswer | Failure> {
    const { request, requester, input } = asked;
    if (route.method === 'get') return await route.handle(this.callOf(route, asked));
    const target = request.url.replace(/^[a-z]+:\/\/[^/]*/i, '');
    const repeated =
      route.method === 'post' && requester !== null
        ? idempotentRequest(request.headers, requester, { method: request.method, target, input })
        : null;
    if (repeated instanceof Failure) return repeated;
    if (repeated === null || requester === null) return await this.change(route, this.callOf(route, asked));
    const idempotencyKey = keyOf(repeated);
    const call = { ...this.callOf(route, asked), idempotencyKey };
    const { idempotency, clock } = this.ports;
    const done = await once(idempotency, repeated, clock.nowMs(), async () =>
      keptAnswer(await this.tried(route, call)),
    );
    return done instanceof Failure ? done : { status: done.status, headers: done.headers, body: done.body };
  }

  /** Returns an `AdminError` as a failure: it means that nothing was changed. */
  private async tried(
    route: Prepared,
    call: ManagementCall,
  ): Promise<(Required<Pick<ManagementAnswer, 'status'>> & ManagementAnswer) | Failure> {
    try {
      const answer = await this.change(route, call);
      return { ...answer, status: answer.status ?? route.answer.status ?? 200 };
    } catch (error) {
      return this.failureOf(error, call.requester);
    }
  }

  private async change(route: Prepared, call: ManagementCall): Promise<ManagementAnswer> {
    const answer = await route.handle(call);
    const headers = await this.ports.settled();
    return { ...answer, headers: { ...answer.headers, ...headers } };
  }

  private callOf(route: Prepared, asked: AdmittedCall): ManagementCall {
    const { request, params, facts, requestId, requester, accountId, query, input } = asked;
    const { directory, audit, clock } = this.ports;
    const { address, publicOrigin } = facts;
    const actor = requester === null ? { kind: 'gateway' as const, id: null, name: 'anyone' } : auditActor(requester);
    const origin = { actor, address, requestId };
    const ifMatch = request.headers.get('if-match') ?? undefined;
    const audited = auditedDirectory(directory, { origin, clock, ifMatch });
    const usual = this.ports.quotas;
    const isLimited = accountId !== null && requester?.isOperator !== true;
    return {
      ...{ requester, accountId, params, query, input, origin, ifMatch, requestId, address, publicOrigin },
      directory: isLimited ? limitedDirectory(audited, { accountId, usual }) : audited,
      quotas: isLimited ? usual : null,
      trail: auditTrail(audit, { origin, clock }),
      idempotencyKey: null,
      isStillAllowed: () => this.isStillAllowed(route, asked),
      headers: request.headers,
    };
  }

  private async isStillAllowed({ access }: Prepared, { request, facts, accountId }: AdmittedCall): Promise<boolean> {
    const requester = access.who === 'anyone' ? null : await this.ports.requesterOf(request, facts);
    if (requester instanceof Failure) return false;
    const admitted = admit(access, requester, requestTarget(request.url).query.get('account_id'));
    return !(admitted instanceof Failure) && admitted.accountId === accountId;
  }

  private wrongMethod(request: Request, methods: readonly string[]): Response {
    const path = requestTarget(request.url).path.slice(0, 200);
    const message = `${request.method} is not allowed on ${path}. Use ${methods.join(' or ')}.`;
    const requestId = this.ports.newRequestId();
    const headers = { ...HEADERS, 'x-request-id': requestId, allow: methods.join(', ') };
    return failureAnswer(new Failure('method_not_allowed', { message }), requestId, headers);
  }

  private unknown(request: Request): Response {
    const path = requestTarget(request.url).path.slice(0, 200);
    const message = `There is no endpoint ${request.method} ${path}.`;
    const hint = 'See /openapi.json or /docs for the endpoints of the management API.';
    const requestId = this.ports.newRequestId();
    const headers = { ...HEADERS, 'x-request-id': requestId };
    return failureAnswer(new Failure('unknown_url', { message, hint }), requestId, headers);
  }
}

interface Asked {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  readonly facts: RequestFacts;
  readonly requestId: string;
}

interface AdmittedCall extends Asked {
  readonly requester: Requester | null;
  readonly accountId: string | null;
  readonly query: unknown;
  readonly input: unknown;
}

/** Returns the answer to store for a repeated request. Only JSON is stored; no other route makes changes. */
function keptAnswer(answer: (ManagementAnswer & { readonly status: number }) | Failure): KeptAnswer | Failure {
  if (answer instanceof Failure) return answer;
  const { status, body, etag, headers } = answer;
  return {
    status,
    body: body === undefined ? '' : JSON.stringify(body),
    headers: { ...headers, ...(etag === undefined ? {} : { etag }) },
  };
}
