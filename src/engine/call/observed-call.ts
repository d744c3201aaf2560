import type { Principal } from '../../domain/access/principal.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { Envelope } from '../../formats/wire.ts';
import type { CallCapture, CapturedCall } from '../captures/call-capture.ts';
import type { Directory } from '../directory/directory.ts';
import { mayBeGuarded } from '../directory/guards-in-force.ts';
import type { GuardChecks } from '../guards/guard-check.ts';
import type { Logger } from '../ports/logger.ts';
import { declinesCapture, noted, overheard } from './captured-call.ts';
import { guarded, guardedResponse } from './guarded-call.ts';
import type { Inbound } from './operation.ts';
import type { Outcome } from './outcome.ts';
import type { Outbound, Responder } from './responder.ts';

export interface ObservedCallPorts {
  readonly directory: () => Directory;
  readonly logger: Logger;
  readonly guardChecks: GuardChecks;
  /** Stores requests and responses of accounts with `capture`. */
  readonly captures: { open(call: CapturedCall): CallCapture };
}

/** Lets the guards of a call check its body, and its capture and its trace hear what is left of it. */
export function observedRequest<In extends Inbound>(
  ports: ObservedCallPorts,
  sent: In,
  outcome: Outcome,
  principal: Principal,
): In | Failure {
  const { account, credential } = principal;
  const directory = ports.directory();
  const { guardChecks: checks, logger } = ports;
  const isGuarded = mayBeGuarded(directory.guards, principal);
  const asked = isGuarded ? guarded(sent, outcome, { principal, directory, checks, logger }) : sent;
  const isCaptured = (credential.capture ?? account.capture) !== 'none';
  const captured = isCaptured ? capturedRequest(ports, asked, outcome, account.id) : asked;
  if (captured instanceof Failure) return captured;
  const exchange = outcome.trace?.listens(account.id) ?? null;
  return exchange?.hasContent ? overheard(captured, exchange) : captured;
}

function capturedRequest<In extends Inbound>(
  ports: ObservedCallPorts,
  inbound: In,
  outcome: Outcome,
  accountId: string,
): In | Failure {
  const declined = declinesCapture(inbound);
  if (declined instanceof Failure) return declined;
  if (declined) return inbound;
  const { requestId, atMs } = outcome;
  outcome.capture = ports.captures.open({ requestId, accountId, atMs });
  return overheard(inbound, outcome.capture);
}

/** Lets the capture and the trace of a call hear its response, and its guards check it. */
export function observedResponse(
  outbound: Outbound,
  outcome: Outcome,
  responder: Responder,
  envelope: Envelope,
): Outbound | Promise<Outbound> {
  const heard = heardResponse(outbound, outcome);
  if (outcome.guard === null) return heard;
  return guardedResponse(heard, outcome.guard, (failure) => responder.failed(envelope, outcome, failure));
}

function heardResponse(outbound: Outbound, { capture, trace, batch }: Outcome): Outbound {
  if (batch?.relay?.isTaken === true) {
    capture?.drop();
    return outbound;
  }
  const captured = capture === null ? outbound : noted(outbound, capture);
  const exchange = trace?.exchange ?? null;
  return exchange === null ? captured : noted(captured, exchange);
}
