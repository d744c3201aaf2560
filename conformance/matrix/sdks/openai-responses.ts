import OpenAI from 'openai';
import type { Response, ResponseCreateParamsNonStreaming } from 'openai/resources/responses/responses';
import { readAnswer } from '../../readers/index.ts';
import type { Driver, DriverCall, Reading } from './driver.ts';
import { PROMPT, TOOLS } from './prompt.ts';

export const openaiResponses: Driver = {
  format: 'openai-responses',
  name: 'openai, responses',
  async run(call) {
    const { responses } = new OpenAI({
      baseURL: `${call.target.origin}/v1`,
      apiKey: call.target.apiKey,
      maxRetries: 0,
      logLevel: 'off',
      fetch: call.fetch,
    });
    const options = { signal: call.signal };
    const response =
      call.form === 'whole'
        ? await responses.create(request(call), options)
        : await responses.stream(request(call), options).finalResponse();
    return readingOf(response);
  },
  ownError: (error) =>
    error instanceof OpenAI.OpenAIError
      ? { status: error instanceof OpenAI.APIError ? error.status : undefined }
      : undefined,
};

function request({ target, withTools }: DriverCall) {
  return {
    model: target.model,
    instructions: PROMPT.system,
    input: PROMPT.user,
    max_output_tokens: PROMPT.maxTokens,
    // Thoughts are compared, too, and are only returned on request.
    reasoning: { summary: 'auto' },
    store: false,
    ...(withTools && {
      tools: TOOLS.map(({ name, description, parameters }) => ({
        type: 'function' as const,
        name,
        description,
        parameters: { ...parameters },
        strict: false,
      })),
    }),
  } satisfies ResponseCreateParamsNonStreaming;
}

/** Reads the texts from the places that most users read, so they have to be there. */
function readingOf(response: Response): Reading {
  const read = readAnswer('responses', response);
  const candidates = read.candidates.map((candidate) => ({ ...candidate, text: response.output_text ?? '' }));
  return {
    ...read,
    candidates,
    model: response.model ?? null,
    callIds: (response.output ?? []).flatMap((item) => (item.type === 'function_call' ? [item.call_id] : [])),
    totalTokens: response.usage?.total_tokens ?? null,
  };
}
