import type { AuditEntry } from '../../../api/schema.ts';
import type { auditText } from '../../../text/audit.ts';

type Words = (typeof auditText)['en'];

/** Returns the name of an actor; those of the gateway itself are translated. */
export function actorName({ kind, name }: Pick<AuditEntry['actor'], 'kind' | 'name'>, { selves }: Words): string {
  if (kind !== 'gateway' && kind !== 'environment') return name;
  return Object.hasOwn(selves, name) ? selves[name as keyof typeof selves] : name;
}
