import type { Model } from '../../domain/catalog/model.ts';
import { servesChat } from '../../domain/catalog/model-operation.ts';

/** What Google gives as its own models' default; others do not choose among the top tokens unless they are told to. */
const GOOGLE_TOP_K = 64;
/** As for chat completions (contract): from 0 to 2, 1 by default. */
const SAMPLING = { temperature: 1, topP: 1, maxTemperature: 2 };
const NO_SAMPLING = { temperature: 0, topP: 0, maxTemperature: 0 };

/** The contract's generative-content model list item. It has all of its fields: 0 is a limit that nobody has stated. */
export function geminiModel(model: Model): object {
  const { id, name, description, capabilities, ownedBy } = model;
  const chats = servesChat(model);
  return {
    name: `models/${id}`,
    version: versionOf(model),
    displayName: name,
    description: description ?? `${name} by ${ownedBy}`,
    inputTokenLimit: capabilities?.contextTokens ?? 0,
    outputTokenLimit: capabilities?.maxOutputTokens ?? 0,
    supportedGenerationMethods: chats ? ['generateContent', 'streamGenerateContent', 'countTokens'] : [],
    ...(chats ? SAMPLING : NO_SAMPLING),
    topK: chats && ownedBy === 'google' ? GOOGLE_TOP_K : 0,
    ...(capabilities?.features.includes('reasoning') ? { thinking: true } : {}),
  };
}

/** The day of its release, since providers number their models each in its own way. */
function versionOf({ createdAtMs }: Model): string {
  return createdAtMs === 0 ? '1' : new Date(createdAtMs).toISOString().slice(0, 10);
}
