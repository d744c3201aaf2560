import type { PersonActor, Requester } from '../../domain/access/actor.ts';
import type { Credential } from '../../domain/access/api-key.ts';
import type { Principal } from '../../domain/access/principal.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { AdminError } from '../../engine/admin/admin-error.ts';
import { auditActor } from '../../engine/admin/audit/audit-origin.ts';
import { auditTrail } from '../../engine/admin/audit/audit-trail.ts';
import { auditedDirectory } from '../../engine/admin/audit/audited-directory.ts';
import {
  makePlaygroundKey,
  namedKey,
  playgroundKey,
  playgroundReader,
} from '../../engine/admin/keys/playground-key.ts';
import { limitedDirectory } from '../../engine/admin/quotas/limited-directory.ts';
import type { AuditOrigin } from '../../engine/ports/audit-log.ts';
import { requestTarget } from '../../formats/shared/request/request-target.ts';
import { type Access, admit } from './access.ts';
import { failureAnswer, failureFrom } from './failures.ts';
import { HEADERS, MANAGEMENT_PATH, type ManagementPorts, type RequestFacts } from './management.ts';
import { ownedBy } from './routes/owned.ts';

/** What follows it is the path of an endpoint that asks models. */
export const PLAYGROUND_PATH = `${MANAGEMENT_PATH}/playground/`;

export type PlaygroundPorts = Pick<
  ManagementPorts,
  'directory' | 'audit' | 'clock' | 'newRequestId' | 'requesterOf' | 'limits' | 'quotas' | 'configurationPath'
>;

/** As which key a call is made; what only reads needs none that is stored. */
export type PlaygroundCaller = { readonly credential: Credential } | { readonly reader: Principal };

/** A call that a person may make, and as whom it is made. */
export interface PlaygroundCall {
  /** Of the endpoint, with what of the query is its own. */
  readonly url: string;
  readonly by: PlaygroundCaller;
}

/** As for keys: who may make one may act as one. */
const ACCESS: Access = { who: 'account', role: 'member', scope: 'keys:write' };

/** These change nothing, so no key is made for them. */
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * Lets people who have signed in ask models without a key: each request is admitted like every other one of the management API, and then
 * made as one of the account's keys. What it does is no matter of this room.
 */
export class Playground {
  constructor(private readonly ports: PlaygroundPorts) {}

  /** The path of the endpoint that is asked for; `null` where the request is not for the playground. */
  pathOf(request: Request): string | null {
    const { path } = requestTarget(request.url);
    return path.startsWith(PLAYGROUND_PATH) ? path.slice(PLAYGROUND_PATH.length - 1) : null;
  }

  /** The call, or the answer of a request that may not be made. */
  async admit(request: Request, path: string, facts: RequestFacts): Promise<PlaygroundCall | Response> {
    const requestId = this.ports.newRequestId();
    const call = await this.attempt(request, path, { facts, requestId });
    return call instanceof Failure ? this.refusal(call, requestId) : call;
  }

  /** For the path of no endpoint that is open here. */
  unknown(request: Request, path: string): Response {
    const failure = new Failure('unknown_url', {
      message: `The playground has nothing at ${request.method} ${path.slice(0, 200)}.`,
      hint: 'It has the endpoints that ask models, and GET /v1/models and /v1/tasks/{id}, by the paths that they have everywhere.',
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
      if (requester?.kind !== 'person') throw new Error('Only people are admitted.');
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
    // Where Google's clients put theirs; a header with a key was read as that of a token.
    if (query.has('key')) return withKey();
    const admitted = admit(ACCESS, person, taken(query, 'account_id'));
    if (admitted instanceof Failure) return admitted;
    const { accountId } = admitted;
    if (accountId === null) throw new Error('The account is known.');
    const origin: AuditOrigin = { actor: auditActor(person), address: facts.address, requestId };
    const isReading = READING.has(request.method);
    const isOwn = ownedBy(person, accountId);
    const by = await this.callerOf(accountId, taken(query, 'key_id'), { isReading, isOwn }, origin);
    // Somebody else's money is spent: the account's owners can see by whom.
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

/** Takes a parameter of the playground's own out of the query. Throws `AdminError`. */
function taken(query: URLSearchParams, name: string): string | null {
  const [value, ...others] = query.getAll(name);
  if (others.length > 0) throw new AdminError('invalid_value', name, 'is given twice');
  if (value?.includes('\0')) throw new AdminError('invalid_value', name, 'must not contain a NUL character');
  query.delete(name);
  return value ?? null;
}

function withKey(): Failure {
  return new Failure('invalid_value', {
    message: 'The playground acts for who has signed in: send no key.',
    param: 'key',
    hint: 'Name one of the account’s keys by its id, as `key_id` in the query, or ask the endpoint itself with the key.',
  });
}
