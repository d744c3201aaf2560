import type { Requester } from '../../../domain/access/actor.ts';
import { hashSecret } from '../../access/secrets.ts';
import type { CacheFeedback, CountedFeedback, FeedbackRequest } from '../../cache/feedback.ts';
import { WITHOUT_KEY } from '../../ports/cache-reports.ts';
import { AdminError } from '../admin-error.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';

interface ReportPorts {
  readonly feedback: Pick<CacheFeedback, 'count'>;
  readonly trail: AuditTrail;
}

/**
 * Reports a cached response without a key: it counts like the report of one more key. Throws `AdminError` for an entry that the account
 * neither made nor was served.
 */
export async function reportCached(
  { feedback, trail }: ReportPorts,
  { accountId, requester }: { readonly accountId: string; readonly requester: Requester },
  request: FeedbackRequest,
): Promise<CountedFeedback> {
  const { entryId, type } = request;
  const keyId = WITHOUT_KEY + hashSecret(`${entryId} ${nameOf(requester)}`).slice(0, 32);
  const counted = await feedback.count({ accountId, keyId }, request);
  if (counted === null) {
    const named = `"${entryId.slice(0, 100)}"`;
    throw new AdminError('not_found', 'entry', `there is no entry ${named}: it has expired or was evicted`);
  }
  if (counted.isNew) await trail.note({ action: 'cache.report', accountId, objectId: entryId, after: { type } });
  return counted;
}

/** Returns a name that is unique per person and token. Only its hash is stored, so that an erased person leaves nothing. */
function nameOf(requester: Requester): string {
  return requester.kind === 'person'
    ? `person ${requester.userId}`
    : `token ${requester.accountId}/${requester.tokenId}`;
}
