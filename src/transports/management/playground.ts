import type { PersonActor, Requester } from '../../domain/access/actor.ts';
import type { Credential } from '../../domain/access/api-key.ts';
import type { Principal } from '../../domain/access/principal.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { AdminError } from '../../engine/admin/admin-error.ts';
import { auditActor, auditedDirectory, auditTrail } from '../../engine/admin/audit/audit-trail.ts';
import {
  makePlaygroundKey,
  namedKey,
  playgroundKey,
  playgroundReader,
} from '../../engine/admin/keys/playground-key.ts';
import { limitedDirectory } from '../../engine/admin/quotas/limited-directory.ts';
import type { AuditOrigin } from '../../engine/ports/audit-log.ts';
import { requestTarget } from '../../formats/shared/request/request-target.ts';
import { type Access, admit, ownedBy } from './access.ts';
import { MANAGEMENT_PATH } from './base-path.ts';
import { failureAnswer, failureFrom } from './failures.ts';
import { HEADERS, type ManagementPorts, type RequestFacts } from './management.ts';

/** The path of a model endpoint follows this prefix. */
export const PLAYGROUND_PATH = `${MANAGEMENT_PATH}/playground/`;

export type PlaygroundPorts = Pick<
  ManagementPorts,
  'directory' | 'audit' | 'clock' | 'newRequestId' | 'requesterOf' | 'limits' | 'quotas' | 'configurationPath'
>;

/** The key that a call runs under; a call that only reads needs no stored key. */
export type PlaygroundCaller = { readonly credential: Credential } | { readonly reader: Principal };

/** An admitted call, and the identity that it runs under. */
export interface PlaygroundCall {
  /** The endpoint's path, with the endpoint's own query parameters. */
  readonly url: string;
  readonly by: PlaygroundCaller;
}

/** The same rule as for keys: anyone who may create a key may act as one. */
const ACCESS: Access = { who: 'account', role: 'member', scope: 'keys:write' };

/** These methods change nothing, so no key is created for them. */
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * Lets signed-in people ask models without a key: each request is admitted like any other of the management API, then runs under one of the
 * account's keys. The inference routes do the rest.
 */
export class Playground {
  constructor(private readonly ports: PlaygroundPorts) {}

  /** Returns the path of the requested endpoint; `null` if the request is not for the playground. */
  pathOf(request: Request): string | null {
    const { path } = requestTarget(request.url);
    return path.startsWith(PLAYGROUND_PATH) ? path.slice(PLAYGROUND_PATH.length - 1) : null;
  }

  /** Resolves to the call, or to the response if it is not admitted. */
  async admit(request: Request, path: string, facts: RequestFacts): Promise<PlaygroundCall | Response> {
    const requestId = this.ports.newRequestId();
    const call = await this.attempt(request, path, { facts, requestId });
    return call instanceof Failure ? this.refusal(call, requestId) : call;
  }

  /** Answers a path that is no endpoint open here. */
  unknown(request: Request, path: string): Response {
    const failure = new Failure('unknown_url', {
      message: `The playground has no endpoint ${request.method} ${path.slice(0, 200)}.`,
      hint: 'Use the path of an endpoint that calls a model, GET /v1/models or GET /v1/tasks/{id}.',
    });
    return this.refusal(failure, this.ports.newRequestId());
  }

  private refusal(failure: Failure, requestId: string): Response {
    return failureAnswer(failure, requestId, { ...HEADERS, 'x-request-id': requestId });
  }

  private async attempt(
    request: Request,
    path: string,
    asked: { readonly facts: RequestFacts; readonly requestId: string },
  ): Promise<PlaygroundCall | Failure> {
    let requester: Requester | Failure | null = null;
    try {
      requester = await this.ports.requesterOf(request, asked.facts);
      if (requester instanceof Failure) return requester;
      const refused = await this.ports.limits.refusalOf(requester, asked.facts);
      if (refused !== null) return refused;
      const admitted = admit({ who: 'person' }, requester, null);
      if (admitted instanceof Failure) return admitted;
      if (requester?.kind !== 'person') throw new Error('Only people may use the playground.');
      return await this.asPerson(requester, request, path, asked);
    } catch (error) {
      if (!(error instanceof AdminError)) throw error;
      const isOperator = requester !== null && !(requester instanceof Failure) && requester.isOperator;
      return failureFrom(error, isOperator ? this.ports.configurationPath : null);
    }
  }

  private async asPerson(
    person: PersonActor,
    request: Request,
    path: string,
    { facts, requestId }: { readonly facts: RequestFacts; readonly requestId: string },
  ): Promise<PlaygroundCall | Failure> {
    const { query } = requestTarget(request.url);
    // Google's clients put their key here; a key in a header has already been read as a token.
    if (query.has('key')) return withKey();
    const admitted = admit(ACCESS, person, taken(query, 'account_id'));
    if (admitted instanceof Failure) return admitted;
    const { accountId } = admitted;
    if (accountId === null) throw new Error('The call has no account.');
    const origin: AuditOrigin = { actor: auditActor(person), address: facts.address, requestId };
    const isReading = READING.has(request.method);
    const isOwn = ownedBy(person, accountId);
    const by = await this.callerOf(accountId, taken(query, 'key_id'), { isReading, isOwn }, origin);
    // Spends somebody else's money, so the audit log shows the account's owners who did it.
    if (!isReading && !isOwn && 'credential' in by) {
      const { audit, clock } = this.ports;
      await auditTrail(audit, { origin, clock }).note({
        action: 'key.use',
        accountId,
        objectId: by.credential.id,
        after: { path },
      });
    }
    const rest = query.size === 0 ? '' : `?${query}`;
    return { url: path + rest, by };
  }

  private async callerOf(
    accountId: string,
    named: string | null,
    { isReading, isOwn }: { readonly isReading: boolean; readonly isOwn: boolean },
    origin: AuditOrigin,
  ): Promise<PlaygroundCaller> {
    const { directory, clock } = this.ports;
    if (named !== null) return { credential: await namedKey({ directory, clock }, accountId, named) };
    const present = await playgroundKey({ directory, clock }, accountId);
    if (present !== null) return { credential: present };
    if (isReading) return { reader: await playgroundReader({ directory, clock }, accountId) };
    const audited = auditedDirectory(directory, { origin, clock });
    const limited = isOwn ? limitedDirectory(audited, { accountId, usual: this.ports.quotas }) : audited;
    return { credential: (await makePlaygroundKey({ directory: limited, clock }, accountId, { isOwn })).key };
  }
}

/** Removes one of the playground's own parameters from the query and returns it. Throws `AdminError`. */
function taken(query: URLSearchParams, name: string): string | null {
  const [value, ...others] = query.getAll(name);
  if (others.length > 0) throw new AdminError('invalid_value', name, 'is given twice');
  if (value?.includes('\0')) throw new AdminError('invalid_value', name, 'must not contain a NUL character');
  query.delete(name);
  return value ?? null;
}

function withKey(): Failure {
  return new Failure('invalid_value', {
    message: 'The playground uses your session: do not send a key.',
    param: 'key',
    hint: 'Set `key_id` in the query to the id of one of the account’s keys, or call the endpoint itself with the key.',
  });
}
