import { describe, expect, test } from 'bun:test';
import { CHAT_AGENTS } from './agents/chat-agents.ts';
import { CLAUDE_CODE } from './agents/claude-code.ts';
import { CODEX } from './agents/codex.ts';
import { GEMINI_CLI } from './agents/gemini-cli.ts';
import type { AgentBed } from './bed.ts';
import { CHANNELS } from './channels.ts';

const AGENTS = [CODEX, CLAUDE_CODE, GEMINI_CLI, CHAT_AGENTS];

/** Declares the tests of every agent over every channel. The bed exists once they run. */
export function describeAgents(bed: () => AgentBed): void {
  describe.each(AGENTS.map((agent) => [agent.name, agent] as const))('%s', (_name, agent) => {
    test.each(CHANNELS.map((channel) => [channel.id, channel] as const))('works over %s', async (_id, channel) => {
      expect(await bed().work(agent, channel)).toEqual([]);
    });

    test.each(CHANNELS.map((channel) => [channel.id, channel] as const))(
      'gets its other requests answered by %s, except for those that only other formats support',
      async (_id, channel) => {
        const { sides, onlyAt } = agent;
        const isRefused = (name: string) => onlyAt?.[name]?.includes(channel.format) === false;
        const wanted = Object.keys(sides).map((name) => [name, isRefused(name) ? 'refused' : 'answered']);
        expect(await bed().sides(agent, channel)).toEqual(Object.fromEntries(wanted));
      },
    );
  });
}
