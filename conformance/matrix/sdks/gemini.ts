import { ApiError, type GenerateContentParameters, type GenerateContentResponse, GoogleGenAI } from '@google/genai';
import { readStream } from '../../readers/index.ts';
import type { Driver, DriverCall } from './driver.ts';
import { PROMPT, TOOLS } from './prompt.ts';

export const gemini: Driver = {
  format: 'gemini',
  name: '@google/genai, models',
  async run(call) {
    const { models } = new GoogleGenAI({
      apiKey: call.target.apiKey,
      // The contract's version; by default this SDK uses `v1`.
      httpOptions: { baseUrl: call.target.origin, apiVersion: 'v1beta', fetch: call.fetch },
    });
    const chunks: GenerateContentResponse[] = [];
    if (call.form === 'whole') chunks.push(await models.generateContent(request(call)));
    else for await (const chunk of await models.generateContentStream(request(call))) chunks.push(chunk);
    const model = chunks.findLast((chunk) => chunk.modelVersion !== undefined)?.modelVersion ?? null;
    const first = chunks.flatMap((chunk) => (chunk.candidates ?? []).filter(({ index }) => (index ?? 0) === 0));
    const calls = first.flatMap(({ content }) => (content?.parts ?? []).flatMap((part) => part.functionCall ?? []));
    const totalTokens = chunks.findLast((chunk) => chunk.usageMetadata)?.usageMetadata?.totalTokenCount ?? null;
    return { ...readStream('generate-content', chunks), model, callIds: calls.map(({ id }) => id), totalTokens };
  },
  ownError: (error) => (error instanceof ApiError ? { status: error.status } : undefined),
};

function request({ target, withTools, signal }: DriverCall): GenerateContentParameters {
  return {
    model: target.model,
    contents: PROMPT.user,
    config: {
      systemInstruction: PROMPT.system,
      maxOutputTokens: PROMPT.maxTokens,
      // Thoughts are compared, too, and are only returned on request.
      thinkingConfig: { includeThoughts: true },
      abortSignal: signal,
      ...(withTools && {
        tools: [
          {
            functionDeclarations: TOOLS.map(({ name, description, parameters }) => ({
              name,
              description,
              parametersJsonSchema: parameters,
            })),
          },
        ],
      }),
    },
  };
}
