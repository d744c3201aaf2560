import type { StreamRelay } from '../../formats/text/format.ts';
import type { FormInbound, Inbound, Operation } from '../call/operation.ts';
import type { Target, TextTarget } from '../directory/target.ts';
import type { Tasks } from '../tasks/tasks.ts';
import { EmbeddingsOperation } from './embeddings/embeddings.ts';
import { generationOperations } from './generation/generation.ts';
import { checkPng } from './images/check-png.ts';
import type { ImageStream } from './images/image-stream.ts';
import { ImageEdits, ImageGenerations } from './images/images.ts';
import { ModerationOperation } from './moderation/moderation.ts';
import { COHERE_CLIENTS, CONTRACT_CLIENTS, RerankOperation } from './rerank/rerank.ts';
import { SearchOperation } from './search/search.ts';
import { SpeechOperation } from './speech/speech.ts';
import type { SpeechStream } from './speech/speech-stream.ts';
import type { TextInbound } from './text/inbound.ts';
import { TextOperation } from './text/text.ts';
import type { TextServices } from './text/text-services.ts';
import { TokenCountOperation } from './token-count/token-count.ts';
import type { TranscriptStream } from './transcription/transcript-stream.ts';
import { TranscriptionOperation } from './transcription/transcription.ts';

/** An operation at the endpoints of a text format. */
export type AnyTextOperation = Operation<TextInbound, TextTarget, StreamRelay>;

/** The operations of the gateway; a new one adds one line here. */
export interface Operations {
  readonly text: AnyTextOperation;
  readonly tokenCount: AnyTextOperation;
  readonly moderation: Operation;
  readonly embeddings: Operation;
  readonly rerank: Operation;
  readonly cohereRerank: Operation;
  readonly search: Operation;
  readonly imageGenerations: Operation<Inbound, Target, ImageStream>;
  readonly imageEdits: Operation<FormInbound, Target, ImageStream>;
  readonly speech: Operation<Inbound, Target, SpeechStream>;
  readonly transcription: Operation<FormInbound, Target, TranscriptStream>;
  readonly translation: Operation<FormInbound, Target, TranscriptStream>;
  readonly videos: Operation;
  /** OpenAI's `/v1/videos`, and the changes of videos made over it. */
  readonly openaiVideos: Operation<FormInbound>;
  readonly openaiRemix: Operation<FormInbound>;
  readonly openaiEdit: Operation<FormInbound>;
  readonly music: Operation;
  readonly threeD: Operation;
}

export function createOperations(services: TextServices, tasks: Tasks): Operations {
  return {
    text: new TextOperation(services),
    tokenCount: new TokenCountOperation(services),
    moderation: new ModerationOperation(),
    embeddings: new EmbeddingsOperation(services.ports.cache),
    rerank: new RerankOperation(services.ports.cache, CONTRACT_CLIENTS),
    cohereRerank: new RerankOperation(services.ports.cache, COHERE_CLIENTS),
    search: new SearchOperation(services.ports),
    imageGenerations: new ImageGenerations({ ...services.ports, tasks }),
    imageEdits: new ImageEdits({ ...services.ports, tasks }, checkPng),
    speech: new SpeechOperation(services.ports.media),
    transcription: new TranscriptionOperation('transcription'),
    translation: new TranscriptionOperation('translation'),
    ...generationOperations({ ...services.ports, tasks, taskStore: tasks, objects: services.objects }),
  };
}

/** Returns the operation for a request at an endpoint of a text format. */
export function textOperationOf(operations: Operations, { call }: Pick<TextInbound, 'call'>): AnyTextOperation {
  return call.purpose === 'count-tokens' ? operations.tokenCount : operations.text;
}
