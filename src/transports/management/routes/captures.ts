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
  bytes: z.number().nullable().meta({ description: 'The size of the whole body. `null` if it is unknown.' }),
  text: z.string().nullable().meta({ description: 'The body, or its first 256 KiB. `null` if it is omitted.' }),
  is_cut: z.boolean().meta({ description: 'Whether `text` is truncated.' }),
  omitted: z
    .enum(['form', 'binary', 'not_read'])
    .nullable()
    .meta({ description: 'Why the body is not stored: it is a form, is not text, or was never read.' }),
});

const CAPTURE = z
  .looseObject({
    object: z.literal('capture'),
    id: z.string().meta({ description: 'The id of the request.' }),
    account: z.string(),
    at: z.string(),
    request: BODY,
    answer: BODY.meta({ description: 'The response as sent to the client; for a stream, the bytes of its events.' }),
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
        'The bodies of a request and its response, if `capture` is on for the account. Reads by operators are recorded in the audit log.',
      access: { who: 'account', role: 'owner', scope: 'captures:read', orAll: true },
      answer: { description: 'The request and its response', schema: CAPTURE },
      handle: async (call) => {
        await written();
        const requestId = paramOf(call, 'id');
        const { accountId, trail } = call;
        const isOperator = call.requester?.isOperator === true;
        const capture = await readCapture({ captures, trail }, { requestId, accountId, isOperator });
        return { body: { object: 'capture' as const, ...captureView(capture) } };
      },
    }),
    route({
      ...{ method: 'delete', path: '/captures', operationId: 'clearCaptures', tag },
      summary: 'Delete the captures of an account',
      description: 'Deletes all stored request and response bodies of the account. The request log is kept.',
      access: { who: 'account', role: 'owner', scope: 'captures:write' },
      answer: { description: 'The number of deleted captures', schema: CLEARED },
      handle: async (call) => {
        await written();
        const account = accountOf(call);
        const removed = await clearCaptures({ captures, trail: call.trail }, account);
        return { body: { object: 'captures_cleared' as const, account, removed } };
      },
    }),
  ];
}
