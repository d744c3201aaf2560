import type { AuditEntry } from '../../../api/schema.ts';
import type { auditText } from '../../../text/audit.ts';

type Words = (typeof auditText)['en'];

/**
 * Returns the name of an actor; those of the gateway itself are translated.
 *
 * @param person the present name of the person, beside the email
 */
export function actorName(
  { kind, name }: Pick<AuditEntry['actor'], 'kind' | 'name'>,
  { selves }: Words,
  person: string | null = null,
): string {
  if (kind === 'person' && person && person !== name) return `${person}, ${name}`;
  if (kind !== 'gateway' && kind !== 'environment') return name;
  return Object.hasOwn(selves, name) ? selves[name as keyof typeof selves] : name;
}
