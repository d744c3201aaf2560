import { describe, expect, test } from 'bun:test';
import { channelTo, type StrictBed, strictBed } from '../bed.ts';
import { CHAT, CLAUDE_CODE, claudeCode, RESPONSES } from '../shared/client-requests.ts';
import { bedrockConverse } from './index.ts';

/** Starts a gateway with a channel to every model of Converse that rules know. */
export function converseBed(): StrictBed {
  return strictBed([bedrockConverse], (server, upstream) => ({
    ...channelTo(server, upstream, (_, model) => model),
    formats: [upstream.wire],
  }));
}

/** Describes what these models accept from every client format. */
export function describeConverseModels({ refusalsOf }: StrictBed, models: readonly string[]): void {
  describe.each(models)('%s', (model) => {
    test.each(Object.entries(CHAT))('accepts %s of a chat client', async (_, body) => {
      expect(await refusalsOf('chat', model, body)).toEqual([]);
    });

    test.each(Object.entries(RESPONSES))('accepts %s of a Responses client', async (_, body) => {
      expect(await refusalsOf('responses', model, body)).toEqual([]);
    });

    test('accepts the requests of Claude Code', async () => {
      expect(await refusalsOf('messages', model, claudeCode(), CLAUDE_CODE)).toEqual([]);
    });
  });
}
