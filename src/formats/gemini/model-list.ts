import type { Model } from '../../domain/catalog/model.ts';
import { servesChat } from '../../domain/catalog/operation.ts';

/** What Google gives as its own models' default; of others' none is known, and then the field is left out. */
const GOOGLE_TOP_K = 64;
/** As for chat completions (contract): from 0 to 2, 1 by default. */
const SAMPLING = { temperature: 1, topP: 1, maxTemperature: 2 };

/** The contract's generative-content model list item; a limit that nobody has stated is left out, as proto3 JSON does. */
export function geminiModel(model: Model): object {
  const { id, name, description, capabilities, ownedBy } = model;
  const chats = servesChat(model);
  return {
    name: `models/${id}`,
    version: versionOf(model),
    displayName: name,
    description: description ?? `${name} by ${ownedBy}`,
    ...(capabilities?.contextTokens == null ? {} : { inputTokenLimit: capabilities.contextTokens }),
    ...(capabilities?.maxOutputTokens == null ? {} : { outputTokenLimit: capabilities.maxOutputTokens }),
    supportedGenerationMethods: chats ? ['generateContent', 'streamGenerateContent', 'countTokens'] : [],
    ...(chats ? SAMPLING : {}),
    ...(chats && ownedBy === 'google' ? { topK: GOOGLE_TOP_K } : {}),
    ...(capabilities?.features.includes('reasoning') ? { thinking: true } : {}),
  };
}

/** The day of its release, since providers number their models each in its own way. */
function versionOf({ createdAtMs }: Model): string {
  return createdAtMs === 0 ? '1' : new Date(createdAtMs).toISOString().slice(0, 10);
}
