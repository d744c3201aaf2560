import OpenAI from 'openai';
import {
  accountWith,
  channelTo,
  clientKey,
  type FakeUpstream,
  keyNamed,
  startUpstream,
} from '../first-light/upstream.ts';
import { asArray, asObject, parseJson } from '../shared/json.ts';
import type { Serving } from '../shared/serving.ts';
import { Workspace } from '../shared/workspace.ts';
import { type KeepingUpstream, startKeepingUpstream } from './keeping-upstream.ts';

/**
 * A provider that stores conversations, another one that does not, and a gateway with room for one response, so that it has no copy of earlier
 * ones.
 */
export class IssuedResponsesBed {
  private constructor(
    readonly keeping: KeepingUpstream,
    readonly chat: FakeUpstream,
    private readonly space: Workspace,
    private readonly env: Readonly<Record<string, string>>,
    private serving: Serving,
  ) {}

  /** `environment` has further variables of the gateway. */
  static async start(environment: Readonly<Record<string, string>> = {}): Promise<IssuedResponsesBed> {
    const keeping = startKeepingUpstream();
    const chat = startUpstream();
    const space = await Workspace.create();
    const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
      server: { max_responses_per_account: 1 },
      channels: [
        { ...channelTo(keeping), id: 'keeping', provider: 'openai', models: { kept: 'gpt-5.5' } },
        channelTo(chat, { models: ['other'] }),
      ],
      accounts: ['acme', 'globex'].map((id) => accountWith(id, [keyNamed(id)])),
    });
    const env = { SWITCHYARD_CONFIG, ...environment };
    return new IssuedResponsesBed(keeping, chat, space, env, await space.serve({ env }));
  }

  async restart(): Promise<void> {
    await this.serving.stop();
    this.serving = await this.space.serve({ env: this.env });
  }

  async stop(): Promise<void> {
    await this.space.remove();
    await this.keeping.stop();
    await this.chat.stop();
  }

  get baseUrl(): string {
    return this.serving.baseUrl;
  }

  sdk(account = 'acme'): OpenAI {
    return new OpenAI({ baseURL: this.baseUrl, apiKey: clientKey(account), maxRetries: 0 });
  }

  ask(
    model: string,
    input: OpenAI.Responses.ResponseInput | string,
    previous: string | null = null,
    account = 'acme',
  ): Promise<OpenAI.Responses.Response> {
    return this.sdk(account).responses.create({ model, input, previous_response_id: previous });
  }

  /** Returns the messages that the other provider received last. */
  heard(): unknown[] {
    const { messages } = asObject(parseJson(this.chat.requests.at(-1)?.text ?? '{}'));
    return asArray(messages).map((message) => asObject(message).content);
  }

  /** Has a conversation of three turns, of which the gateway stores at most the last. */
  async conversation() {
    const first = await this.ask('kept', 'One.');
    const second = await this.ask('kept', 'Two.', first.id);
    const third = await this.ask('kept', 'Three.', second.id);
    this.keeping.asked.length = 0;
    return { first, second, third, texts: ['One.', first, 'Two.', second, 'Three.', third].map(textOf) };
  }
}

function textOf(said: string | OpenAI.Responses.Response): string {
  return typeof said === 'string' ? said : said.output_text;
}

export function reference(response: OpenAI.Responses.Response) {
  return {
    type: 'item_reference' as const,
    id: response.output.find(({ type }) => type === 'message')?.id ?? 'none',
  };
}
