import { isTag } from '../../../domain/usage/request-tags.ts';
import type { Ledger, LedgerEntry } from '../../ports/ledger.ts';
import type { RequestLog, RequestLogQuery, RequestRecord } from '../../ports/request-log.ts';
import { AdminError } from '../admin-error.ts';
import { cursorOf, limitOf, numbersAfter, type Page, type PageRequest } from '../page.ts';

export interface WantedRequests extends PageRequest, RequestLogQuery {}

/** Resolves to a page of the request log, newest first. A page may be short or empty although another follows. Throws `AdminError`. */
export async function listRequests(
  log: Pick<RequestLog, 'page'>,
  wanted: WantedRequests,
): Promise<Page<RequestRecord>> {
  const { limit: _limit, after: _after, ...query } = wanted;
  const limit = limitOf(wanted);
  const [atMs, id] = numbersAfter(wanted, 2) ?? [];
  if (query.tag !== undefined && !isTag(query.tag)) {
    throw new AdminError('invalid_value', 'tag', 'must be the key and the value of a tag, such as team=search');
  }
  const place = atMs === undefined || id === undefined ? null : { atMs, id };
  const { records, next } = await log.page(query, place, limit);
  return { items: records, next: next === null ? null : cursorOf([String(next.atMs), String(next.id)]) };
}

export interface ShownRequest {
  readonly record: RequestRecord;
  /** The charge for the request, and then what an operator has charged later, as far as they exist. */
  readonly entries: readonly LedgerEntry[];
}

/** Resolves to everything known of one request. Throws `AdminError` if it does not exist or belongs to another account. */
export async function showRequest(
  { requestLog, ledger }: { readonly requestLog: Pick<RequestLog, 'find'>; readonly ledger: Pick<Ledger, 'find'> },
  requestId: string,
  accountId: string | null,
): Promise<ShownRequest> {
  const record = await requestLog.find(requestId);
  if (record === null || (accountId !== null && record.accountId !== accountId)) {
    const message = `there is no request "${requestId.slice(0, 100)}" in the log, or its line has expired`;
    throw new AdminError('not_found', 'id', message);
  }
  const found = await Promise.all([ledger.find(`charge:${requestId}`), ledger.find(`charge:${requestId}:held`)]);
  return { record, entries: found.filter((entry) => entry !== null) };
}
