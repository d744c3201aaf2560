import { z } from 'zod';
import { BATCH_STAGES, type Batch } from '../../../domain/batches/batch.ts';
import { FILE_PURPOSES, type StoredFile } from '../../../domain/batches/stored-file.ts';
import {
  batchSummaryView,
  cancelBatch,
  listBatches,
  showBatch,
  shownBatchView,
} from '../../../engine/admin/batches/batches.ts';
import { contentOf, deleteFile, listFiles, managedFileView, showFile } from '../../../engine/admin/batches/files.ts';
import { named, namedPage } from '../../../engine/admin/names.ts';
import type { Clock } from '../../../engine/ports/clock.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { listAnswer, listSchema, same } from '../list.ts';
import { flag } from '../read-query.ts';
import { type ManagementCall, type ManagementRoute, paramOf, route } from '../route.ts';
import { BATCH, BATCH_APIS, FILE, SHOWN_BATCH } from './batch-answers.ts';

export interface BatchRoutesOptions {
  readonly store: Pick<Store, 'batches' | 'files'>;
  readonly clock: Pick<Clock, 'nowMs'>;
}

const TAG = 'Batches';
const READING = { who: 'account', role: 'viewer', scope: 'batches:read', orAll: true } as const;
const CHANGING = { who: 'account', role: 'member', scope: 'batches:write', orAll: true } as const;

const BATCH_FILTERS = z.strictObject({
  api: z.enum(BATCH_APIS).optional(),
  stage: z.enum(BATCH_STAGES).optional(),
  open: flag('Only batches that have not ended. Cannot be combined with `stage`.'),
  key: z.string().optional().meta({ description: 'The id of the key that created the batch.' }),
});
const FILE_FILTERS = z.strictObject({ purpose: z.enum(FILE_PURPOSES).optional() });

/** Returns `batches` and `files`: the batches of accounts, with their inputs and outputs. */
export function batchRoutes(options: BatchRoutesOptions): readonly ManagementRoute[] {
  return [...ofBatches(options), ...ofFiles(options)];
}

function ofBatches({ store, clock }: BatchRoutesOptions): readonly ManagementRoute[] {
  const reading = { batches: store.batches, clock };
  const answer = { description: 'The batch', schema: SHOWN_BATCH };
  const shown = async (batch: Batch, { directory }: Pick<ManagementCall, 'directory'>) => ({
    body: await named(directory, { object: 'batch' as const, ...shownBatchView(batch) }),
  });
  return [
    route({
      ...{ method: 'get', path: '/batches', operationId: 'listManagedBatches', tag: TAG, isList: true },
      summary: 'List batches',
      description: 'Newest first, with the number of lines and the cost so far.',
      query: BATCH_FILTERS,
      access: READING,
      answer: { description: 'A page of batches', schema: listSchema(BATCH) },
      handle: ({ accountId, directory, query: { open, ...query } }) => {
        const wanted = { ...query, isOpen: open, account: accountId ?? undefined };
        return listAnswer(
          query,
          async (page) => namedPage(directory, await listBatches(reading, { ...wanted, ...page }), listedBatch),
          same,
        );
      },
    }),
    route({
      ...{ method: 'get', path: '/batches/{id}', operationId: 'getManagedBatch', tag: TAG, access: READING, answer },
      summary: 'Read a batch',
      handle: async (call) => shown(await showBatch(reading, paramOf(call, 'id'), call.accountId), call),
    }),
    route({
      ...{ method: 'post', path: '/batches/{id}/cancel', operationId: 'cancelManagedBatch', tag: TAG, answer },
      summary: 'Cancel a batch',
      description:
        'Lines that have not started are cancelled; those that are running may still be answered and charged.',
      access: CHANGING,
      handle: async (call) => {
        const { trail, accountId } = call;
        return shown(await cancelBatch({ ...reading, trail }, paramOf(call, 'id'), accountId), call);
      },
    }),
  ];
}

function ofFiles({ store: { files }, clock }: BatchRoutesOptions): readonly ManagementRoute[] {
  const reading = { files, clock };
  return [
    route({
      ...{
        method: 'get',
        path: '/files',
        operationId: 'listManagedFiles',
        tag: TAG,
        isList: true,
        query: FILE_FILTERS,
      },
      summary: 'List the files of batches',
      description: 'Newest first.',
      access: READING,
      answer: { description: 'A page of files', schema: listSchema(FILE) },
      handle: ({ accountId, directory, query }) => {
        const wanted = { ...query, account: accountId ?? undefined };
        return listAnswer(
          query,
          async (page) => namedPage(directory, await listFiles(reading, { ...wanted, ...page }), listedFile),
          same,
        );
      },
    }),
    route({
      ...{ method: 'get', path: '/files/{id}', operationId: 'getManagedFile', tag: TAG, access: READING },
      summary: 'Read what is known about a file',
      answer: { description: 'The file', schema: FILE },
      handle: async (call) => {
        const file = await showFile(reading, paramOf(call, 'id'), call.accountId);
        return { body: await named(call.directory, listedFile(file)) };
      },
    }),
    contentRoute({ files, clock }),
    route({
      ...{ method: 'delete', path: '/files/{id}', operationId: 'deleteManagedFile', tag: TAG, access: CHANGING },
      summary: 'Delete a file with its content',
      description: 'An open batch that reads the file goes on, and the content is removed when the batch has ended.',
      answer: { status: 204, description: 'The file is deleted' },
      handle: async (call) => {
        await deleteFile({ ...reading, trail: call.trail }, paramOf(call, 'id'), call.accountId);
        return {};
      },
    }),
  ];
}

function contentRoute({ files, clock }: { readonly files: Store['files'] } & Pick<BatchRoutesOptions, 'clock'>) {
  return route({
    ...{ method: 'get', path: '/files/{id}/content', operationId: 'getManagedFileContent', tag: TAG },
    summary: 'Download a file',
    description: 'It has prompts or responses, so reads by operators are recorded in the audit log.',
    access: { who: 'account', role: 'member', scope: 'captures:read', orAll: true },
    answer: {
      description: 'The content, one JSON object per line',
      schema: z.string(),
      contentType: 'application/jsonl',
    },
    handle: async ({ accountId, requester, trail, ...call }) => {
      const file = await showFile({ files, clock }, paramOf(call, 'id'), accountId);
      if (requester?.isOperator === true) {
        await trail.note({ action: 'file.read', accountId: file.accountId, objectId: file.id });
      }
      return {
        headers: {
          'content-length': String(file.bytes),
          'content-disposition': `attachment; filename="${file.id}.jsonl"`,
        },
        raw: { contentType: 'application/jsonl', body: contentOf(files, file) },
      };
    },
  });
}

function listedBatch(batch: Batch) {
  return { object: 'batch' as const, ...batchSummaryView(batch) };
}

function listedFile(file: StoredFile) {
  return { object: 'file' as const, ...managedFileView(file) };
}
