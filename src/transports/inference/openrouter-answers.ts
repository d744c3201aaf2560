import { openRouterError } from '../../formats/shared/failure/openrouter-failure.ts';
import { MemberNames, scanObject } from '../../formats/shared/json/json-scan.ts';
import { isRecord } from '../../formats/shared/json/record.ts';
import { withMember } from '../../formats/shared/stream/relay-pieces.ts';
import { isStreamed } from './streamed-responses.ts';

/* Answers at OpenRouter's addresses, whose SDK refuses answers without all of OpenRouter's members. */

const CHAT_MEMBERS = new MemberNames('choices', 'system_fingerprint');
const decoder = new TextDecoder();

/**
 * Resolves to the answer with an error of OpenAI's in OpenRouter's envelope, or with the `system_fingerprint` of a whole chat completion.
 * Streams, errors of Anthropic's and Google's formats, and everything else stay as they are.
 */
export async function asOpenRouterAnswers(answer: Response | Promise<Response>): Promise<Response> {
  const response = await answer;
  const { status, body } = response;
  if (body === null || isStreamed(response)) return response;
  if (response.headers.get('content-type')?.startsWith('application/json') !== true) return response;
  const bytes = new Uint8Array(await response.arrayBuffer());
  const headers = new Headers(response.headers);
  headers.delete('content-length');
  return new Response(status < 400 ? withFingerprint(bytes) : withOpenRouterError(bytes, status), { status, headers });
}

function withFingerprint(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const [member, ...others] = scanObject(bytes, 0, CHAT_MEMBERS)?.members ?? [];
  const isWithoutIt = member?.name === 'choices' && others.every(({ name }) => name === 'choices');
  return isWithoutIt ? withMember(bytes, 'system_fingerprint', 'null') : bytes;
}

function withOpenRouterError(bytes: Uint8Array<ArrayBuffer>, status: number): Uint8Array<ArrayBuffer> | string {
  const body = parsed(bytes);
  if (!isRecord(body) || 'type' in body || !isRecord(body.error)) return bytes;
  const { message, code } = body.error;
  if (typeof message !== 'string' || typeof code === 'number') return bytes;
  return JSON.stringify({ ...body, error: openRouterError(body.error, status) });
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    return null;
  }
}
