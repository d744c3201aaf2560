import { isRecord } from '../../formats/shared/json/record.ts';
import type { LocalUpstream } from '../manifest.ts';
import { embeddingsText, localFailure } from '../shared/local-answer.ts';
import type { EmbeddingProblem } from './in-process/embedding-job.ts';
import { embeddingThread } from './in-process/embedding-thread.ts';
import { models } from './models.ts';

/** A longer text has more tokens than the model accepts. */
const MOST_CHARACTERS_OF_TEXT = 16_384;
/** Embedding this many takes about 40 s. */
const MOST_CHARACTERS = 300_000;
/** Room for this many characters as escapes of six bytes each, and the rest of the body. */
const MOST_BYTES = 6 * MOST_CHARACTERS + 65_536;

/** Answers like OpenAI's embeddings, with a model in a thread of this process. */
export const localUpstream: LocalUpstream = async (request, accountId) => {
  const { pathname } = new URL(request.url);
  if (request.method !== 'POST' || !pathname.endsWith('/embeddings')) {
    return localFailure(404, `Unknown request URL: ${request.method} ${pathname}.`, { code: 'unknown_url' });
  }
  const bytes = await request.bytes();
  if (bytes.length > MOST_BYTES) return tooMuch();
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return localFailure(400, 'We could not parse the JSON body of your request.');
  }
  return await answer(isRecord(body) ? body : {}, accountId ?? '', request.signal);
};

async function answer(body: Readonly<Record<string, unknown>>, owner: string, signal: AbortSignal): Promise<Response> {
  const known = models().find(({ id }) => id === body.model);
  if (known === undefined) {
    return localFailure(404, `The model '${body.model}' does not exist.`, { param: 'model', code: 'model_not_found' });
  }
  const {
    capabilities: { dimensions },
  } = known;
  if ((body.dimensions ?? dimensions) !== dimensions) {
    return wrong('dimensions', `must be ${dimensions} or omitted: vectors of this model cannot be shortened`);
  }
  const texts = textsIn(body.input);
  if (texts instanceof Response) return texts;
  const result = await embeddingThread.embed(owner, texts, signal);
  // Rejects as `fetch` does.
  if (signal.aborted) throw signal.reason;
  if (result.kind !== 'embedded') return refused(result, Array.isArray(body.input));
  const { vectors, tokens } = result;
  // Always base64: the gateway reads either encoding, and this one is far shorter.
  const text = await embeddingsText({ model: known.id, vectors, encoding: 'base64', tokens });
  return new Response(text, { headers: { 'content-type': 'application/json' } });
}

function textsIn(input: unknown): readonly string[] | Response {
  const texts: string[] = [];
  let characters = 0;
  for (const [index, text] of (Array.isArray(input) ? input : [input]).entries()) {
    const param = Array.isArray(input) ? `input[${index}]` : 'input';
    if (typeof text !== 'string') return wrong(param, 'must be a string: this model does not accept token ids');
    if (text.length > MOST_CHARACTERS_OF_TEXT) {
      return wrong(param, `has ${text.length} characters; the limit is ${MOST_CHARACTERS_OF_TEXT}. Send it in parts`);
    }
    characters += text.length;
    texts.push(text);
  }
  return characters > MOST_CHARACTERS ? tooMuch() : texts;
}

function refused(problem: EmbeddingProblem, isList: boolean): Response {
  switch (problem.kind) {
    case 'busy': {
      const { isOwn, retryAfterS } = problem;
      const whose = isOwn ? 'Too many of your requests are waiting' : 'Too many requests are waiting';
      return localFailure(429, `${whose} for the local model.`, { type: 'rate_limit_error', retryAfterS });
    }
    case 'too_long': {
      const { index, tokens, mostTokens } = problem;
      const rule = `has ${tokens} tokens, and this model's maximum context length is ${mostTokens} tokens; send it in parts`;
      return wrong(isList ? `input[${index}]` : 'input', rule, 'context_length_exceeded');
    }
    case 'late':
      return localFailure(504, 'The local model was too busy to answer in time.', { type: 'server_error' });
    case 'left':
    case 'failed': {
      const why = problem.kind === 'failed' ? `: ${problem.why}` : '.';
      return localFailure(500, `The local model failed${why}`, { type: 'server_error' });
    }
  }
}

function tooMuch(): Response {
  return wrong('input', `has more than ${MOST_CHARACTERS} characters in total; send it in several requests`);
}

function wrong(param: string, rule: string, code = 'invalid_value'): Response {
  return localFailure(400, `\`${param}\` ${rule}.`, { param, code });
}
