import type { Actor, LocalActor } from '../../../domain/access/actor.ts';
import type { AuditActor, AuditOrigin } from '../../ports/audit-log.ts';

export function auditActor(actor: Actor): AuditActor {
  if (actor.kind === 'person') return { kind: 'person', id: actor.userId, name: actor.email };
  if (actor.kind === 'token') return { kind: 'token', id: `${actor.accountId}/${actor.tokenId}`, name: actor.name };
  return { kind: actor.kind, id: null, name: actor.name };
}

/** Returns the origin of actions without a request. */
export function localOrigin(actor: LocalActor): AuditOrigin {
  return { actor: auditActor(actor), address: null, requestId: null };
}
