import type { Calls } from '../../engine/call/call.ts';
import type { ResponseStream } from '../../engine/call/lane.ts';
import type { FormInbound, Operation } from '../../engine/call/operation.ts';
import type { Target } from '../../engine/directory/target.ts';
import type { Operations } from '../../engine/operations/index.ts';
import { openaiEmbeddings } from '../../formats/embeddings/openai-embeddings/index.ts';
import { openaiModerations } from '../../formats/moderation/openai-moderations/index.ts';
import { cohereRerank as cohereRerankWire } from '../../formats/rerank/cohere-rerank/index.ts';
import { jinaRerank } from '../../formats/rerank/jina-rerank/index.ts';
import { openaiSpeech } from '../../formats/speech/openai-speech/index.ts';
import { openaiChat } from '../../formats/text/openai-chat/index.ts';
import { openaiTranscriptions, openaiTranslations } from '../../formats/transcription/openai-transcriptions/index.ts';
import type { Envelope } from '../../formats/wire.ts';
import { AnswerHeaders } from './answer-headers.ts';
import { type BodyBudget, BodyLease } from './body-budget.ts';
import { methodNotAllowed } from './failure-response.ts';
import type { UploadFolder } from './form/upload-folder.ts';
import { toResponse } from './outbound-response.ts';
import { type PublicOriginOptions, publicOrigin } from './public-origin.ts';
import { type RouteHandler, requestLine, secretOf } from './route.ts';
import type { Uploads } from './uploads.ts';
import { formBody, wholeBody } from './whole-body.ts';

const IDLE_SECONDS = 120;
/** The endpoints that take `multipart/form-data`. */
const FORMS: ReadonlySet<string> = new Set(['openai-image-edits', openaiTranscriptions.name, openaiTranslations.name]);

export interface OperationRouteOptions extends PublicOriginOptions {
  readonly calls: Calls;
  readonly operations: Operations;
  readonly newRequestId: () => string;
  readonly maxBodyBytes: number;
  readonly bodyBudget: BodyBudget;
  readonly uploads: Uploads;
  readonly uploadFolder: UploadFolder;
}

/** Returns the endpoints of all operations other than text. All use OpenAI's error envelope. */
export function operationRoutes(options: OperationRouteOptions): Record<string, RouteHandler> {
  const { moderation, search, embeddings, rerank, cohereRerank, imageGenerations, imageEdits, speech } =
    options.operations;
  const { transcription, translation, videos, music, threeD } = options.operations;
  return {
    '/v1/moderations': operationRoute(moderation, openaiModerations.name, options),
    '/v1/embeddings': operationRoute(embeddings, openaiEmbeddings.name, options),
    '/v1/rerank': operationRoute(rerank, jinaRerank.name, options),
    '/v1/search': operationRoute(search, 'search', options),
    '/v2/rerank': operationRoute(cohereRerank, cohereRerankWire.name, options),
    '/v1/images/generations': operationRoute(imageGenerations, 'openai-images', options),
    '/v1/images/edits': operationRoute(imageEdits, 'openai-image-edits', options),
    '/v1/audio/speech': operationRoute(speech, openaiSpeech.name, options),
    '/v1/audio/transcriptions': operationRoute(transcription, openaiTranscriptions.name, options),
    '/v1/audio/translations': operationRoute(translation, openaiTranslations.name, options),
    '/v1/videos/generations': operationRoute(videos, 'video-task', options),
    '/v1/music/generations': operationRoute(music, 'music-task', options),
    '/v1/3d/generations': operationRoute(threeD, '3d-task', options),
  };
}

/** @param name the client's format as it appears in the request log */
export function operationRoute<S extends ResponseStream>(
  operation: Operation<FormInbound, Target, S>,
  name: string,
  options: OperationRouteOptions,
): RouteHandler {
  const { calls, addresses, bodyBudget } = options;
  const envelope: Envelope = { ...openaiChat, name };
  const answerHeaders = new AnswerHeaders();
  return async (request, connections) => {
    if (request.method !== 'POST') {
      return methodNotAllowed(request, openaiChat, {
        ...options,
        allow: 'POST',
        ...(FORMS.has(name) && { body: 'a form' }),
      });
    }
    const lease = new BodyLease(bodyBudget);
    const arriving = { ...options, request, connections, lease };
    try {
      const outbound = await calls.run(operation, {
        envelope,
        secret: secretOf(openaiChat, request),
        address: () => addresses.of(request, connections),
        line: () => requestLine(request),
        origin: () => publicOrigin(request, connections, options),
        header: (name) => request.headers.get(name),
        readBody: wholeBody(arriving),
        readForm: formBody(arriving),
        get signal() {
          return request.signal;
        },
      });
      // The upstream's timeouts bound a silent stream.
      connections.timeout(request, outbound.kind === 'stream' ? 0 : IDLE_SECONDS);
      return toResponse(outbound, lease, answerHeaders);
    } catch (error) {
      lease.end();
      throw error;
    }
  };
}
