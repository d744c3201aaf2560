import { describeRefusals, type NoQuota } from '../../../conformance/faults/refusals.ts';
import { Answers, FORMATS } from '../../../conformance/faults/upstreams.ts';
import { allExchanges } from '../../../conformance/shared/recordings.ts';

const answers = new Answers(allExchanges());

const noQuota = (file: string, format: NoQuota['format'], form: NoQuota['form']): NoQuota => {
  const { recording } = answers.failure(file);
  return { name: file, recordingId: recording.id, format, form };
};

describeRefusals(answers, FORMATS.length, [
  noQuota('openai/chat/905-', 'openai-chat', 'whole'),
  noQuota('openai/responses/190-', 'openai-responses', 'whole'),
  noQuota('openai/responses/189-', 'openai-responses', 'stream'),
]);
