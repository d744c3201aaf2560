import { type Gateway, startGatewayWith } from '../shared/gateway.ts';
import type { Agent } from './agents/agent.ts';
import { type AgentChannel, CHANNELS } from './channels.ts';
import { promptOf, type RequestJudge, type ScriptedServer, startScriptedServer } from './scripted-server.ts';

export interface AgentBed {
  /** Lets the agent work over the channel. Resolves to the problems. */
  work(agent: Agent, channel: AgentChannel): Promise<readonly string[]>;
  /** Resolves to the results of the requests besides the main loop, by name: `answered`, `refused`, or the problem. */
  sides(agent: Agent, channel: AgentChannel): Promise<Readonly<Record<string, string>>>;
  stop(): Promise<void>;
}

export async function startAgentBed(judge?: RequestJudge): Promise<AgentBed> {
  const server = startScriptedServer(CHANNELS, judge);
  try {
    const gateway = await startGatewayWith(
      CHANNELS.map(({ id, provider, format, model, settings, basePath }) => ({
        id,
        name: id,
        provider,
        base_url: `${server.origin}/${id}${basePath}`,
        api_key: 'upstream-key',
        ...(settings === undefined ? {} : { settings }),
        formats: [format],
        models: { [id]: model },
      })),
    );
    const place = placesOf(gateway);
    return {
      work: (agent, channel) => work(agent, channel, server, place),
      async sides(agent, channel) {
        const entries = Object.entries(agent.sides).map(async ([name, request]) => {
          const outcome = await request(place(channel, 'Go on.')).then(() => 'answered', outcomeOf);
          return [name, outcome] as const;
        });
        return Object.fromEntries(await Promise.all(entries));
      },
      stop: async () => {
        await gateway.stop();
        await server.stop();
      },
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

const placesOf =
  ({ origin, apiKey }: Gateway) =>
  ({ id, seesImages }: AgentChannel, prompt: string) => ({ origin, apiKey, model: id, prompt, seesImages });

async function work(
  agent: Agent,
  channel: AgentChannel,
  server: ScriptedServer,
  place: ReturnType<typeof placesOf>,
): Promise<readonly string[]> {
  const name = `${agent.format}-at-${channel.id}`;
  const seen = server.begin(
    name,
    agent.steps,
    agent.format === channel.format && channel.translatesItsOwn === undefined,
  );
  try {
    const problems = await agent.work(place(channel, promptOf(name)));
    return [...seen.problems, ...problems];
  } catch (error) {
    return [...seen.problems, String(error)];
  }
}

/** A refusal is a 400 that names the field. */
function outcomeOf(error: unknown): string {
  const text = String(error);
  return /cannot be carried to the model/.test(text) ? 'refused' : text;
}
