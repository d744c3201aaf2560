import { CAPTURE_BATCH, type Capture, type CapturedBody, type CaptureStore } from '../../ports/capture-store.ts';
import { AdminError } from '../admin-error.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { isoTime } from '../view-fields.ts';

export interface CapturePorts {
  readonly captures: Pick<CaptureStore, 'find' | 'removeOf'>;
  readonly trail: AuditTrail;
}

/**
 * Returns the capture of a request. A read by an operator is entered into the account's audit log first. Throws `AdminError` if nothing was
 * captured, or the request belongs to another account.
 *
 * @param accountId `null` for any account's
 */
export async function readCapture(
  { captures, trail }: CapturePorts,
  { requestId, accountId, isOperator }: { requestId: string; accountId: string | null; isOperator: boolean },
): Promise<Capture> {
  const capture = await captures.find(requestId, accountId);
  if (capture === null) {
    const message =
      `there is no capture of a request "${requestId.slice(0, 100)}": the account's \`capture\` was off, the request was refused ` +
      'before its body was read, or the capture has expired';
    throw new AdminError('not_found', 'id', message);
  }
  if (isOperator) await trail.note({ action: 'capture.read', accountId: capture.accountId, objectId: requestId });
  return capture;
}

/** Deletes all captures of an account's requests and resolves to their number. */
export async function clearCaptures({ captures, trail }: CapturePorts, accountId: string): Promise<number> {
  let removed = 0;
  for (;;) {
    const now = await captures.removeOf(accountId, CAPTURE_BATCH);
    removed += now;
    if (now < CAPTURE_BATCH) break;
  }
  if (removed > 0) {
    await trail.note({ action: 'capture.clear', accountId, objectId: accountId, before: { captures: removed } });
  }
  return removed;
}

/** Returns a capture as JSON. */
export function captureView({ requestId, accountId, atMs, request, answer }: Capture) {
  return {
    id: requestId,
    account: accountId,
    at: isoTime(atMs),
    request: bodyView(request),
    answer: bodyView(answer),
  };
}

function bodyView({ bytes, size, contentType, omitted }: CapturedBody) {
  const isCut = omitted === null && size !== null && size > bytes.length;
  // The last character may be cut as well; decoding it as an incomplete stream omits it.
  const text = omitted === null ? new TextDecoder().decode(bytes, { stream: isCut }) : null;
  return { content_type: contentType, bytes: size, text, is_cut: isCut, omitted };
}
