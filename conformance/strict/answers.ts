import { asObject } from '../shared/json.ts';
import { anthropicWire } from '../shared/wires/anthropic.ts';
import { chatWire } from '../shared/wires/chat.ts';
import { cohereWire } from '../shared/wires/cohere.ts';
import { converseWire } from '../shared/wires/converse.ts';
import { geminiWire } from '../shared/wires/gemini.ts';
import { invokeWire } from '../shared/wires/invoke.ts';
import { responsesWire } from '../shared/wires/responses.ts';
import type { Wire, WireAnswer } from '../shared/wires/wire.ts';
import { AUDIO_ANSWERS } from './audio/answers.ts';
import { IMAGE_ANSWERS } from './media/image-answers.ts';
import type { ReceivedRequest } from './rule.ts';
import { SEARCH_ANSWERS } from './search/answers.ts';

export const ANSWER_TEXT = 'A response from the upstream.';

/** A scripted response: text or a tool call, encoded by the upstream's wire, or a function that builds the response. */
export type ScriptedAnswer = WireAnswer | ((request: ReceivedRequest) => Response | Promise<Response>);

/** The formats for text, whose responses are whole or streamed, as requested. */
const TEXT_WIRES: Readonly<Record<string, Wire>> = {
  'openai-chat': chatWire,
  'openai-responses': responsesWire,
  'anthropic-messages': anthropicWire,
  'bedrock-converse': converseWire,
  'cohere-chat': cohereWire,
  gemini: geminiWire,
};

/** Default responses of the wires that do not generate text. */
const OTHER_ANSWERS: Readonly<Record<string, (request: ReceivedRequest) => Response>> = {
  ...SEARCH_ANSWERS,
  ...AUDIO_ANSWERS,
  ...IMAGE_ANSWERS,
};

/** Returns the response to a request that no rule refuses. */
export async function answerTo(
  wire: string,
  request: ReceivedRequest,
  scripted: ScriptedAnswer = { text: ANSWER_TEXT },
): Promise<Response> {
  if (typeof scripted === 'function') return scripted(request);
  if (/count[-_]?tokens/i.test(request.path))
    return Response.json({ input_tokens: 42, inputTokens: 42, totalTokens: 42 });
  const other = OTHER_ANSWERS[wire];
  if (other !== undefined) return other(request);
  const textWire = request.path.endsWith('/invoke-with-response-stream') ? invokeWire : TEXT_WIRES[wire];
  if (textWire === undefined)
    return new Response(`the wire ${wire} has no default answer: script one`, { status: 501 });
  const isStream = asObject(request.body).stream === true || /stream/i.test(request.path);
  if (!isStream) return Response.json(textWire.whole(scripted));
  const { contentType, body } = textWire.stream(scripted);
  return new Response(body, { headers: { 'content-type': contentType } });
}

/** Returns the list of models in OpenAI's shape. */
export function modelList(models: readonly string[]): Response {
  return Response.json({ object: 'list', data: models.map((id) => ({ id, object: 'model' })) });
}
