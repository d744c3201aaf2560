import type { Client } from './client.ts';
import { CLAUDE_CODE, CODEX, GEMINI_CLI, OPENCODE } from './coding-agents.ts';
import { AI_SDK, LANGCHAIN, OPENROUTER, PYDANTIC_AI } from './frameworks.ts';

export const CLIENTS: readonly Client[] = [
  CLAUDE_CODE,
  ...CODEX,
  GEMINI_CLI,
  OPENCODE,
  ...AI_SDK,
  OPENROUTER,
  ...LANGCHAIN,
  ...PYDANTIC_AI,
];

/**
 * Returns the clients to install and run: `all`, or comma-separated names or prefixes. None by default, since they download hundreds of MB.
 */
export function chosenClients(chosen = process.env.SWITCHYARD_CLIENTS ?? ''): readonly Client[] {
  const names = chosen.split(',').flatMap((name) => name.trim() || []);
  return CLIENTS.filter(({ name }) => names.some((one) => one === 'all' || name === one || name.startsWith(`${one}-`)));
}
