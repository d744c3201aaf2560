import { MEDIA_PARAMETERS } from './media-operations.ts';
import type { ModelOperation, Parameter } from './model-operation.ts';
import { TEXT_PARAMETERS } from './text-operations.ts';

/** How a result is delivered: in the response, by a task that is polled, or either, depending on the model. */
export type ResultDelivery = 'inline' | 'task' | 'inline_or_task';

export type RequestContentType = 'application/json' | 'multipart/form-data';

type Parameters = Readonly<Record<string, Parameter>>;

interface OperationRequest {
  readonly method: 'POST';
  /** A path below the gateway's address. */
  readonly endpoint: string;
  readonly contentType: RequestContentType;
  /** The members of the body by name; see `ParameterOverrides` for differences at a model. */
  readonly parameters: Parameters;
}

/** Only a task can be polled. */
type OperationResult =
  | { readonly result: Extract<ResultDelivery, 'inline'>; readonly pollEndpoint: null }
  | { readonly result: Exclude<ResultDelivery, 'inline'>; readonly pollEndpoint: string };

/** How an operation is called at this gateway, for any model. */
export type OperationContract = OperationRequest & OperationResult;

const JSON_BODY = 'application/json';
const FORM = 'multipart/form-data';

const INLINE = { result: 'inline', pollEndpoint: null } as const;
/** One path serves the tasks of all operations (contract, GET /v1/tasks/{id}); paths per operation exist for old clients. */
const TASK = { result: 'task', pollEndpoint: '/v1/tasks/{id}' } as const;
const INLINE_OR_TASK = { ...TASK, result: 'inline_or_task' } as const;

/** From the contract, Endpoints. It does not show how transcriptions are sent: as a form, like translations. */
export const OPERATION_CONTRACTS: Readonly<Record<ModelOperation, OperationContract>> = {
  'chat.completions': contract('/v1/chat/completions', JSON_BODY, INLINE, TEXT_PARAMETERS['chat.completions']),
  responses: contract('/v1/responses', JSON_BODY, INLINE, TEXT_PARAMETERS.responses),
  messages: contract('/v1/messages', JSON_BODY, INLINE, TEXT_PARAMETERS.messages),
  generate_content: contract(
    '/v1beta/models/{model}:generateContent',
    JSON_BODY,
    INLINE,
    TEXT_PARAMETERS.generate_content,
  ),
  embeddings: contract('/v1/embeddings', JSON_BODY, INLINE, TEXT_PARAMETERS.embeddings),
  rerank: contract('/v1/rerank', JSON_BODY, INLINE, TEXT_PARAMETERS.rerank),
  moderations: contract('/v1/moderations', JSON_BODY, INLINE, TEXT_PARAMETERS.moderations),
  search: contract('/v1/search', JSON_BODY, INLINE, TEXT_PARAMETERS.search),
  'images.generations': contract(
    '/v1/images/generations',
    JSON_BODY,
    INLINE_OR_TASK,
    MEDIA_PARAMETERS['images.generations'],
  ),
  'images.edits': contract('/v1/images/edits', FORM, INLINE, MEDIA_PARAMETERS['images.edits']),
  'audio.speech': contract('/v1/audio/speech', JSON_BODY, INLINE, MEDIA_PARAMETERS['audio.speech']),
  'audio.transcriptions': contract('/v1/audio/transcriptions', FORM, INLINE, MEDIA_PARAMETERS['audio.transcriptions']),
  'audio.translations': contract('/v1/audio/translations', FORM, INLINE, MEDIA_PARAMETERS['audio.translations']),
  'videos.generations': contract('/v1/videos/generations', JSON_BODY, TASK, MEDIA_PARAMETERS['videos.generations']),
  'music.generations': contract('/v1/music/generations', JSON_BODY, TASK, MEDIA_PARAMETERS['music.generations']),
  '3d.generations': contract('/v1/3d/generations', JSON_BODY, TASK, MEDIA_PARAMETERS['3d.generations']),
};

function contract(
  endpoint: string,
  contentType: RequestContentType,
  result: OperationResult,
  parameters: Parameters,
): OperationContract {
  return { method: 'POST', endpoint, contentType, parameters, ...result };
}
