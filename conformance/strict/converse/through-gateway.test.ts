import { describe, expect, test } from 'bun:test';
import { channelTo, strictBed } from '../bed.ts';
import { CHAT, CLAUDE_CODE, claudeCode, RESPONSES } from '../shared/client-requests.ts';
import { bedrockConverse } from './index.ts';

/* Requests in every client format become requests that Converse accepts, for every vendor's models. */

const { refusalsOf } = strictBed([bedrockConverse], (server, upstream) => ({
  ...channelTo(server, upstream, (_, model) => model),
  formats: [upstream.wire],
}));

describe.each(bedrockConverse.models)('%s', (model) => {
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
