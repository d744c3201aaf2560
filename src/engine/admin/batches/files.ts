import { FILE_CHUNK_BYTES, type FilePurpose, type StoredFile } from '../../../domain/batches/stored-file.ts';
import type { Clock } from '../../ports/clock.ts';
import type { FileStore } from '../../ports/file-store.ts';
import { AdminError } from '../admin-error.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { limitOf, type Page, type PageRequest, pageOf, placeAfter } from '../page.ts';
import { isoTime, timeOrNull } from '../view-fields.ts';

interface Reading {
  readonly files: Pick<FileStore, 'list' | 'find'>;
  readonly clock: Pick<Clock, 'nowMs'>;
}

interface Deleting extends Reading {
  readonly files: Pick<FileStore, 'list' | 'find' | 'delete'>;
  readonly trail: AuditTrail;
}

export interface WantedFiles extends PageRequest {
  readonly account?: string | undefined;
  readonly purpose?: FilePurpose | undefined;
}

/** Resolves to a page of files, newest first. Throws `AdminError`. */
export async function listFiles(
  { files, clock }: Reading,
  { account, purpose, ...page }: WantedFiles,
): Promise<Page<StoredFile>> {
  const limit = limitOf(page);
  const [createdAt, id] = placeAfter(page, 2) ?? [];
  const found = await files.list(
    {
      readableAtMs: clock.nowMs(),
      ...(account !== undefined && { accountId: account }),
      ...(purpose !== undefined && { purpose }),
      ...(id !== undefined && { after: { createdAtMs: Number(createdAt), id } }),
    },
    limit + 1,
  );
  return pageOf(found, limit, (file) => [String(file.createdAtMs), file.id]);
}

/**
 * Resolves to a file. Throws `AdminError`.
 *
 * @param accountId the account that it must belong to; any account if `null`
 */
export async function showFile({ files, clock }: Reading, id: string, accountId: string | null): Promise<StoredFile> {
  const file = await files.find(id, accountId);
  if (file !== null && (file.expiresAtMs === null || file.expiresAtMs > clock.nowMs())) return file;
  throw new AdminError('not_found', 'file', `there is no file "${id.slice(0, 100)}"`);
}

/** Deletes a file with its content. Throws `AdminError`. @param accountId as of `showFile` */
export async function deleteFile(
  { files, clock, trail }: Deleting,
  id: string,
  accountId: string | null,
): Promise<StoredFile> {
  const file = await showFile({ files, clock }, id, accountId);
  // Someone else may have deleted it meanwhile, and has noted it then.
  if (await files.delete(id, file.accountId)) {
    const before = { purpose: file.purpose, bytes: file.bytes };
    await trail.note({ action: 'file.delete', accountId: file.accountId, objectId: id, before });
  }
  return file;
}

/** Streams a file chunk by chunk, as fast as the reader takes it. A file that is deleted meanwhile ends the stream with an error. */
export function contentOf(files: Pick<FileStore, 'chunk'>, { id, bytes }: StoredFile): ReadableStream<Uint8Array> {
  let number = 0;
  return new ReadableStream(
    {
      async pull(controller) {
        if (number * FILE_CHUNK_BYTES >= bytes) {
          controller.close();
          return;
        }
        const chunk = await files.chunk(id, number++);
        if (chunk === null) controller.error(new Error(`The file "${id}" was deleted while it was read.`));
        else controller.enqueue(chunk);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Returns a file as JSON. */
export function managedFileView({ id, accountId, keyId, purpose, name, bytes, createdAtMs, expiresAtMs }: StoredFile) {
  return {
    id,
    account: accountId,
    key: keyId,
    purpose,
    name,
    bytes,
    created_at: isoTime(createdAtMs),
    expires_at: timeOrNull(expiresAtMs),
  };
}
