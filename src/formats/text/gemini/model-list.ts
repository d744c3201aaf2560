import type { Model } from '../../../domain/catalog/model.ts';
import { servesChat } from '../../../domain/catalog/model-operation.ts';

/** The default that Google states for its own models. Other models have no top-k limit by default. */
const GOOGLE_TOP_K = 64;
/** The range for chat completions (contract): from 0 to 2, with a default of 1. */
const SAMPLING = { temperature: 1, topP: 1, maxTemperature: 2 };
const NO_SAMPLING = { temperature: 0, topP: 0, maxTemperature: 0 };

/**
 * Returns an item of the contract's generative-content model list. All fields are required, so an unknown limit is written as 0.
 */
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

/** Returns the release date as the version, because each provider numbers its models differently. */
function versionOf({ createdAtMs }: Model): string {
  return createdAtMs === 0 ? '1' : new Date(createdAtMs).toISOString().slice(0, 10);
}
