import { isRecord } from '../json/record.ts';
import { withoutSecrets } from './clean-message.ts';

/*
 * Error details that providers send beside the message and that clients read: from Groq, the text that was meant to be a tool
 * call; from Azure, the content filter's findings; from Anthropic, the exact meaning of its code; from OpenRouter, what its
 * moderation objects to and what the provider behind it said.
 */

const NAMES = [
  'failed_generation',
  'metadata',
  'innererror',
  'content_filter_result',
  'content_filter_results',
] as const;

const MAX_TEXT_CHARACTERS = 8_192;
const MAX_MEMBERS = 32;
const MAX_DEPTH = 4;

export function errorDetails(error: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | null {
  const found: Record<string, unknown> = {};
  for (const name of NAMES) {
    const value = bounded(error[name], 0);
    if (value !== undefined && value !== null && value !== '') found[name] = value;
  }
  // Anthropic's details, from which its SDKs choose their error classes. Google's are a list and are read elsewhere.
  const details = isRecord(error.details) ? bounded(error.details, 0) : undefined;
  if (details !== undefined) found.details = details;
  return Object.keys(found).length === 0 ? null : found;
}

/** Returns a copy of limited size without secrets; anything past a limit is left out. */
function bounded(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return withoutSecrets(value.slice(0, MAX_TEXT_CHARACTERS).toWellFormed());
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) return undefined;
  if (Array.isArray(value)) return value.slice(0, MAX_MEMBERS).map((item) => bounded(item, depth + 1) ?? null);
  if (!isRecord(value)) return undefined;
  const members = Object.entries(value).slice(0, MAX_MEMBERS);
  return Object.fromEntries(members.map(([name, member]) => [name, bounded(member, depth + 1)]));
}
