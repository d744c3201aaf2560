export type { Candidate, ExpectedAnswer, Finish, ToolCall, Usage } from './expected-answer.ts';
export { failureInside } from './failure-inside.ts';
export {
  type ApiKind,
  READABLE_APIS,
  readAnswer,
  readableApi,
  readRecordedAnswer,
  readStream,
} from './recorded-answer.ts';
export { type ClientFormat, KIND_OF_FORMAT, type RecordedRequest, readRecordedRequest } from './recorded-request.ts';
export { type ServerSentEvent, serverSentEvents, streamedJson } from './server-sent-events.ts';
