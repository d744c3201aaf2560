import { expect, test } from 'bun:test';
import type { StrictBed } from '../bed.ts';
import { CHAT, CLAUDE_CODE, claudeCode, RESPONSES } from './client-requests.ts';

/** Tests that a model accepts the requests of chat and Responses clients and of Claude Code. */
export function testClients({ refusalsOf }: StrictBed, model: string): void {
  test.each(Object.entries(CHAT))('accepts %s of a chat client', async (_, body) => {
    expect(await refusalsOf('chat', model, body)).toEqual([]);
  });

  test.each(Object.entries(RESPONSES))('accepts %s of a Responses client', async (_, body) => {
    expect(await refusalsOf('responses', model, body)).toEqual([]);
  });

  test('accepts the requests of Claude Code', async () => {
    expect(await refusalsOf('messages', model, claudeCode(), CLAUDE_CODE)).toEqual([]);
  });
}
