import type { AuditOrigin } from '../../ports/audit-log.ts';

/** Returns who creates an object, such as `user:…`, `token:acme/ops` or `command_line`. */
export function creatorOf({ actor }: Pick<AuditOrigin, 'actor'>): string {
  return actor.id === null ? actor.kind : `${actor.kind === 'person' ? 'user' : actor.kind}:${actor.id}`;
}
