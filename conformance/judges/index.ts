export { judgeChatStream, judgeGeminiStream } from './chunk-streams.ts';
export { documentsMissing } from './documents.ts';
export {
  FORMATS,
  type Format,
  judgeAnswer,
  judgeAs,
  judgeError,
  judgeRequest,
  judgeStreamEvent,
  judgeTextCompletion,
  type Origin,
} from './judge.ts';
export { judgeMessagesStream } from './messages-stream.ts';
export { RELAXATIONS, type Relaxation } from './relaxations.ts';
export { judgeResponsesStream } from './responses-stream.ts';
export type { StreamEvent } from './stream-event.ts';
export { judgeStream } from './streams.ts';
export { UNFAITHFUL_RECORDINGS, UNFAITHFUL_STREAMS } from './unfaithful-recordings.ts';
