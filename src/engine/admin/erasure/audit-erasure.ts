import { randomBytes } from 'node:crypto';
import type { AuditEntry, AuditLog } from '../../ports/audit-log.ts';

/** The number of audit log entries per transaction. */
const BATCH = 500;
/** The number of entries on an object that are searched for its earlier names. */
const SEARCHED_FOR_NAMES = 1_000;

/** How far the audit log has been rewritten. */
interface Progress {
  readonly pseudonym: string;
  readonly auditedUntil: number;
  readonly rewritten: number;
}

/** Returns a name that reveals nothing about the erased object. */
export function newPseudonym(): string {
  return `erased-${randomBytes(4).toString('hex')}`;
}

/** Resolves to the names that entries of the audit log mention for an object. */
export async function namesInAudit(audit: AuditLog, objectId: string): Promise<readonly string[]> {
  const entries = await audit.page({ objectId, order: 'newest', after: null, limit: SEARCHED_FOR_NAMES });
  const told = entries.flatMap(({ before, after }) => [before?.name, after?.name]);
  return [...new Set(told.filter((name) => typeof name === 'string'))];
}

/**
 * Puts the pseudonym into the entries that have not been processed yet. Resolves to the number of entries rewritten so far.
 *
 * @param hide returns the rewritten entry, or `null` if it is unchanged
 * @param advance stores the progress after each batch; `null` for a dry run, which changes nothing
 */
export async function hideInAudit(
  audit: AuditLog,
  { pseudonym, ...progress }: Progress,
  hide: (entry: AuditEntry) => AuditEntry | null,
  advance: ((auditedUntil: number, rewritten: number) => Promise<void>) | null,
): Promise<number> {
  let { auditedUntil, rewritten } = progress;
  for (;;) {
    const page = await audit.page({ order: 'oldest', after: auditedUntil, limit: BATCH });
    const last = page.at(-1);
    if (last === undefined) return rewritten;
    const changed = page.flatMap((entry) => hide(entry) ?? []);
    auditedUntil = last.sequence;
    rewritten += changed.length;
    if (advance === null) continue;
    if (changed.length > 0) await audit.rewrite(changed, pseudonym);
    await advance(auditedUntil, rewritten);
  }
}
