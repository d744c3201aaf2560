import { testTranslatedCompletions } from '../../conformance/completions/translated.ts';
import { judgeError, judgeTextCompletion } from '../../conformance/judges/index.ts';
import { asObject, parseJson } from '../../conformance/shared/json.ts';
import { recordedExchanges } from '../../conformance/shared/recordings.ts';

/* Text completions from recorded chats, validated against OpenAI's document. */

/** OpenAI's service sends a `null` finish reason in unfinished chunks, which its document does not allow. */
function judgeChunk(chunk: unknown): readonly string[] {
  const value = asObject(parseJson(JSON.stringify(chunk).replaceAll('"finish_reason":null', '"finish_reason":"stop"')));
  return judgeTextCompletion(value.usage === null ? { ...value, usage: undefined } : value);
}

testTranslatedCompletions(recordedExchanges(), {
  answer: judgeTextCompletion,
  chunk: judgeChunk,
  error: (body) => judgeError('openai-chat', body),
});
