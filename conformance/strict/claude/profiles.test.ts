import { describe, expect, test } from 'bun:test';
import { channelTo, strictBed } from '../bed.ts';
import { bedrockConverse } from '../converse/index.ts';
import { refusalOf, type StrictUpstream } from '../rule.ts';
import { CHAT } from '../shared/client-requests.ts';
import { bedrockClaude } from './index.ts';

/*
 * The id of a Bedrock application inference profile does not name its model. The channel's mapping does, and
 * the rules follow it.
 */

const PROFILES: Readonly<Record<string, string>> = {
  'claude-sonnet-4-5': 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3d4e5f6',
  'claude-opus-4-8': 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/b1b2c3d4e5f6',
  'claude-opus-5-5': 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/c1b2c3d4e5f6',
};

/** Returns the same upstream for profiles, of which it knows the models. */
function behindProfiles(upstream: StrictUpstream): StrictUpstream {
  const modelOf = (arn: string) => Object.keys(PROFILES).find((model) => PROFILES[model] === arn) ?? arn;
  const [rule] = upstream.rules;
  if (rule === undefined) throw new Error('an upstream without rules');
  const { family, ...plain } = rule;
  const refuses: typeof rule.refuses = (request) =>
    refusalOf(upstream, { ...request, model: `global.anthropic.${modelOf(request.model)}` })?.message ?? null;
  return { ...upstream, name: `${upstream.name}-profiles`, rules: [{ ...plain, refuses }] };
}

describe.each([bedrockClaude, bedrockConverse].map(behindProfiles))('$name', (upstream) => {
  const { name, wire } = upstream;
  const bed = strictBed([upstream], (server) => ({
    ...channelTo(server, upstream),
    formats: [wire],
    models: PROFILES,
  }));

  const cases = Object.keys(PROFILES).flatMap((model) =>
    Object.entries(CHAT).map(([kind, body]) => [model, kind, body] as const),
  );
  test.each(cases)('%s accepts %s', async (model, _, body) => {
    const { status, text } = await bed.ask('chat', model, body);
    expect(bed.refusals()).toEqual([]);
    if (status === 200) expect(bed.server.requestsTo(name)[0]?.model).toBe(PROFILES[model] ?? '');
    else expect(text).toContain('cannot be carried to');
  });
});
