import { testCapturedAnswers } from '../../conformance/captured/captured-answers.ts';
import { recordedExchanges } from '../../conformance/shared/recordings.ts';

testCapturedAnswers(recordedExchanges(), {
  differing: [
    // A call whose arguments are `null` gets an empty object.
    'openai/chat/187-test-tools-streaming-variant-d.json',
    'anthropic/messages/186-anthropic-advisor-20250301-1.json',
    'anthropic/messages/194-anthropic-compaction-1.json',
    'openai/responses/201-openai-shell-container-1.json',
  ],
  shortened: ['openai/responses/201-openai-shell-container-1.json'],
});
