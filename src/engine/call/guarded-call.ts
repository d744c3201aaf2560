import type { Principal } from '../../domain/access/principal.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { FormRules } from '../../domain/media/uploaded-file.ts';
import { FALLBACK_HEADER } from '../../domain/routing/fallbacks.ts';
import type { Directory } from '../directory/directory.ts';
import { ownGuards } from '../directory/guards-in-force.ts';
import { CallGuard } from '../guards/call-guard.ts';
import type { GuardChecks } from '../guards/guard-check.ts';
import { guardedBody, guardedForm } from '../guards/guard-request.ts';
import { modelsIn, reachableModels } from '../guards/reachable-models.ts';
import { restoredJson } from '../guards/restored-text.ts';
import type { Logger } from '../ports/logger.ts';
import { checkedResponse } from './checked-response.ts';
import type { FormInbound, Inbound } from './operation.ts';
import type { Outcome } from './outcome.ts';
import type { Outbound } from './responder.ts';
import { RestoredStream } from './restored-stream.ts';

const utf8 = new TextDecoder();

interface GuardedCaller {
  readonly principal: Principal;
  readonly directory: Directory;
  readonly checks: GuardChecks;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Returns the same call, whose body the guards of the account, the key and all models that may answer check and mask while it is read. Everything
 * behind it, such as captures, caches and upstreams, sees the masked body only.
 */
export function guarded<In extends Inbound>(
  inbound: In,
  outcome: Outcome,
  { principal, directory, checks, logger }: GuardedCaller,
): In {
  const { requestId } = outcome;
  const guard = new CallGuard(directory.guards, {
    checks,
    facts: { requestId, accountId: principal.account.id, keyId: principal.credential.id },
    signal: inbound.signal,
    known: outcome.batch?.relay?.given?.verdicts ?? [],
    checkFailed: (id, check, problem) =>
      logger.warn({ requestId, guardId: id, reason: `${check}: ${problem}` }, 'a check of a guard could not decide'),
  });
  outcome.guard = guard;
  const apply = (named: readonly string[] | null): Failure | null => {
    const refusal = guard.apply(ownGuards(principal));
    if (refusal !== null || directory.guards?.hasModels !== true) return refusal;
    if (named === null) return guard.apply(directory.guards.ofAnyModel);
    const header = inbound.header(FALLBACK_HEADER);
    const reachable = reachableModels(named, { directory, principal, header });
    for (const id of reachable) {
      const missing = guard.apply(directory.guards.ofModel(id));
      if (missing !== null) return missing;
    }
    return null;
  };
  const readBody = async (accountId: string) => {
    const body = await inbound.readBody(accountId);
    if (body instanceof Failure) return body;
    const refusal = apply(modelsOf(inbound, body));
    guard.judgesResponse();
    return refusal ?? guardedBody(body, guard);
  };
  const own: PropertyDescriptorMap = { readBody: { value: readBody } };
  if ('readForm' in inbound) {
    const form = inbound as unknown as FormInbound;
    const readForm = async (accountId: string, rules: FormRules) => {
      const read = await form.readForm(accountId, rules);
      if (read instanceof Failure) return read;
      const refusal = apply(read.fields.get('model') ?? null);
      guard.judgesResponse();
      const checked = refusal ?? (await guardedForm(read, guard));
      if (checked instanceof Failure) read.remove();
      return checked;
    };
    own.readForm = { value: readForm };
  }
  return Object.create(inbound, own) as In;
}

/** Returns the models that the address or the body names; `null` for none. */
function modelsOf(inbound: Inbound, body: Uint8Array): readonly string[] | null {
  const inBody = modelsIn(body);
  const inAddress = 'call' in inbound ? (inbound.call as { readonly model?: string | null }).model : null;
  return typeof inAddress === 'string' ? [inAddress, ...(inBody ?? [])] : inBody;
}

/**
 * Returns the response after the guards of its call have checked it, in which the client finds the values that they have masked in its request.
 * `refused` makes the response for a whole one that they refuse.
 */
export function guardedResponse(
  outbound: Outbound,
  guard: CallGuard,
  refused: (failure: Failure) => Outbound,
): Outbound | Promise<Outbound> {
  const checked = checkedResponse(outbound, guard, refused);
  return checked instanceof Promise ? checked.then((one) => restored(one, guard)) : restored(checked, guard);
}

function restored(outbound: Outbound, { masks }: CallGuard): Outbound {
  if (masks.isEmpty) return outbound;
  const contentType = outbound.headers['content-type'] ?? '';
  if (outbound.kind === 'stream') {
    const stream = RestoredStream.of(outbound.stream, contentType, masks);
    return stream === null ? outbound : { ...outbound, stream };
  }
  const { body } = outbound;
  if (/\bjson\b/i.test(contentType)) return { ...outbound, body: restoredJson(textOf(body), masks) };
  if (/^text\//i.test(contentType)) return { ...outbound, body: masks.restored(textOf(body)) };
  return outbound;
}

function textOf(body: Uint8Array | string): string {
  return typeof body === 'string' ? body : utf8.decode(body);
}
