import { ownExchanges } from '../shared/recordings.ts';
import { madeId } from './made-recordings.ts';
import { describeRefusals } from './refusals.ts';
import { Answers } from './upstreams.ts';

/** Those of OpenAI's chat, of Anthropic and of Gemini have a mistake among the exchanges. */
const FORMATS_WITH_MISTAKES = 3;

describeRefusals(new Answers(ownExchanges()), FORMATS_WITH_MISTAKES, [
  { name: 'a 429', recordingId: madeId('openai-chat', 'no-quota'), format: 'openai-chat', form: 'whole' },
]);
