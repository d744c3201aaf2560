import { z } from 'zod';
import { captureView, clearCaptures, readCapture } from '../../../engine/admin/captures/captures.ts';
import type { CaptureStore } from '../../../engine/ports/capture-store.ts';
import { accountOf, type ManagementRoute, paramOf, route } from '../route.ts';

export interface CaptureRoutesOptions {
  readonly captures: CaptureStore;
  /** Resolves when the finished captures of this process are written. */
  readonly written: () => Promise<void>;
}

const BODY = z.object({
  content_type: z.string().nullable(),
  bytes: z.number().nullable().meta({ description: 'Of the whole body; `null` where that is not known.' }),
  text: z.string().nullable().meta({ description: 'The body, or its first 256 KiB; `null` where it was left out.' }),
  is_cut: z.boolean().meta({ description: 'There was more than `text` has.' }),
  omitted: z
    .enum(['form', 'binary', 'not_read'])
    .nullable()
    .meta({ description: 'Why nothing was kept of it: a form, no text, or never read.' }),
});

const CAPTURE = z
  .looseObject({
    object: z.literal('capture'),
    id: z.string().meta({ description: 'The id of the request.' }),
    account: z.string(),
    at: z.string(),
    request: BODY,
    answer: BODY.meta({ description: 'As the client got it; of a stream the bytes of its events.' }),
  })
  .meta({ id: 'Capture' });

const CLEARED = z.object({ object: z.literal('captures_cleared'), account: z.string(), removed: z.number() });

/** Returns the captured requests and answers, for owners of an account with `capture` switched on, and for operators. */
export function captureRoutes({ captures, written }: CaptureRoutesOptions): readonly ManagementRoute[] {
  const tag = 'Requests';
  return [
    route({
      ...{ method: 'get', path: '/requests/{id}/capture', operationId: 'getCapture', tag },
      summary: 'Read the capture of a request',
      description:
        'The bodies of a request and of its answer, where the account has `capture` switched on. Each reading by an operator is in ' +
        'the audit log.',
      access: { who: 'account', role: 'owner', scope: 'captures:read', orAll: true },
      answer: { description: 'The request and its answer', schema: CAPTURE },
      handle: async (call) => {
        await written();
        const requestId = paramOf(call, 'id');
        const { accountId, trail } = call;
        const isOperator = call.requester?.isOperator === true;
        const capture = await readCapture({ captures, trail }, { requestId, accountId, isOperator });
        return { body: { object: 'capture', ...captureView(capture) } };
      },
    }),
    route({
      ...{ method: 'delete', path: '/captures', operationId: 'clearCaptures', tag },
      summary: 'Delete the captures of an account',
      description: 'All that was kept of the requests and answers of the account. Their lines in the log stay.',
      access: { who: 'account', role: 'owner', scope: 'captures:write' },
      answer: { description: 'How many were deleted', schema: CLEARED },
      handle: async (call) => {
        await written();
        const account = accountOf(call);
        const removed = await clearCaptures({ captures, trail: call.trail }, account);
        return { body: { object: 'captures_cleared', account, removed } };
      },
    }),
  ];
}
