import type { AuditEntry, AuditLog, AuditQuery } from '../../ports/audit-log.ts';
import { AdminError } from '../admin-error.ts';
import { limitOf, type Page, type PageRequest, pageOf, placeAfter } from '../page.ts';
import { isoTime } from '../view-fields.ts';

export interface WantedAudit extends PageRequest, Omit<AuditQuery, 'after' | 'limit' | 'order'> {
  /** Newest first by default. */
  readonly order?: AuditQuery['order'] | undefined;
}

/** Returns entries page by page. Throws `AdminError` for an invalid page. */
export async function listAudit(log: Pick<AuditLog, 'page'>, wanted: WantedAudit): Promise<Page<AuditEntry>> {
  const { limit: _limit, after: _after, order = 'newest', ...filters } = wanted;
  const limit = limitOf(wanted);
  const [place] = placeAfter(wanted, 1) ?? [];
  const after = place === undefined ? null : Number(place);
  if (after !== null && !Number.isSafeInteger(after)) {
    throw new AdminError('invalid_value', 'after', 'must be the "next" of an earlier page of the same list');
  }
  const rows = await log.page({ ...filters, order, after, limit: limit + 1 });
  return pageOf(rows, limit, ({ sequence }) => [String(sequence)]);
}

/** Public names of actors whose names reveal the machine: the path of a file, or a user of the operating system. */
const NAMES_FOR_OTHERS: Readonly<Partial<Record<AuditEntry['actor']['kind'], string>>> = {
  file: 'configuration file',
  command_line: 'command line',
};

/**
 * Returns an entry as JSON; times are RFC 3339 in UTC.
 *
 * @param isForOperator whether the reader may know files and users of the gateway's machine
 */
export function auditView(entry: AuditEntry, isForOperator: boolean) {
  const { actor } = entry;
  const name = isForOperator ? actor.name : (NAMES_FOR_OTHERS[actor.kind] ?? actor.name);
  return {
    id: entry.sequence,
    at: isoTime(entry.atMs),
    actor: { kind: actor.kind, id: actor.id, name },
    address: entry.address,
    request_id: entry.requestId,
    action: entry.action,
    account: entry.accountId,
    object_id: entry.objectId,
    before: entry.before,
    after: entry.after,
  };
}
