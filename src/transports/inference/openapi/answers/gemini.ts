import { z } from 'zod';
import { anyObject, estimated, routing } from './common.ts';

const part = z
  .object({
    text: z.string().optional(),
    thought: z.boolean().optional(),
    thoughtSignature: z.string().optional(),
    functionCall: z.object({ id: z.string().optional(), name: z.string(), args: anyObject.optional() }).optional(),
    inlineData: z.object({ mimeType: z.string(), data: z.string() }).optional(),
  })
  .meta({ id: 'GeminiAnswerPart' });

const candidate = z.object({
  content: z.object({ role: z.string().optional(), parts: z.array(part).optional() }).optional(),
  finishReason: z.string().optional().describe('`STOP`, `MAX_TOKENS`, `SAFETY` …'),
  index: z.int().optional(),
});

const members = {
  candidates: z.array(candidate).optional(),
  promptFeedback: anyObject.optional().describe('Why the prompt was refused, if it was.'),
  usageMetadata: z
    .object({
      promptTokenCount: z.int().optional(),
      candidatesTokenCount: z.int().optional(),
      thoughtsTokenCount: z.int().optional(),
      totalTokenCount: z.int().optional(),
      estimated,
    })
    .optional(),
  modelVersion: z.string().optional(),
  responseId: z.string().optional(),
};

export const geminiAnswer = z.object({ ...members, _routing: routing }).meta({ id: 'GeminiAnswer' });

const streamError = z.object({
  error: z.object({ code: z.int(), message: z.string(), status: z.string(), details: z.array(anyObject).optional() }),
});

export const geminiChunk = z
  .union([
    streamError,
    z
      .object({ ...members, _routing: routing.optional().describe('Only in the last chunk.') })
      .meta({ id: 'GeminiChunk' }),
  ])
  .meta({ id: 'GeminiEvent', description: 'A part of the response, or the error that ends it.' });

export const geminiCount = z
  .object({
    totalTokens: z.int(),
    estimated: z.boolean().optional().describe('Whether the gateway counted instead of the provider.'),
    _routing: routing,
  })
  .meta({ id: 'GeminiCount' });

export const geminiModel = z
  .object({
    name: z.string(),
    version: z.string(),
    displayName: z.string(),
    description: z.string(),
    inputTokenLimit: z.int().describe('0 if unknown.'),
    outputTokenLimit: z.int().describe('0 if unknown.'),
    supportedGenerationMethods: z.array(z.string()),
    temperature: z.number(),
    topP: z.number(),
    maxTemperature: z.number(),
    topK: z.int(),
    thinking: z.boolean().optional(),
  })
  .meta({ id: 'GeminiModel' });

export const geminiModelList = z
  .object({
    models: z.array(geminiModel),
    nextPageToken: z.string().optional().describe('Present if there are more models.'),
  })
  .meta({ id: 'GeminiModelList' });
