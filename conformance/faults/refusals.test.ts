import { ownExchanges } from '../shared/recordings.ts';
import { madeId } from './made-recordings.ts';
import { describeRefusals } from './refusals.ts';
import { Answers } from './upstreams.ts';

/** The exchanges contain client errors of OpenAI's chat, Anthropic and Gemini. */
const FORMATS_WITH_MISTAKES = 3;

describeRefusals(new Answers(ownExchanges()), FORMATS_WITH_MISTAKES, [
  { name: 'a 429', recordingId: madeId('openai-chat', 'no-quota'), format: 'openai-chat', form: 'whole' },
]);
