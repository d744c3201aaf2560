import type { AuditEntry } from '../../../api/schema.ts';
import type { auditText } from '../../../text/audit.ts';

type Words = (typeof auditText)['en'];

/** Who has changed something, as a person reads it: what the gateway does by itself has words of each language. */
export function actorName({ kind, name }: Pick<AuditEntry['actor'], 'kind' | 'name'>, { selves }: Words): string {
  if (kind !== 'gateway' && kind !== 'environment') return name;
  return Object.hasOwn(selves, name) ? selves[name as keyof typeof selves] : name;
}
