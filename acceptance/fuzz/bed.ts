import { accountWith, clientKey, keyNamed, startUpstream } from '../../conformance/first-light/upstream.ts';
import { Browser, type Seen } from '../../conformance/management/browser.ts';
import { firstToken } from '../../conformance/management/first-operator.ts';
import { ProcessWorkspace, type ServingProcess } from '../shared/process-workspace.ts';

/** The account that every role sends requests about. */
export const ACCOUNT = 'big';
const PASSWORD = 'correct horse battery staple';
const FEW_SCOPES = ['usage:read', 'keys:read'];
const NEVER = 1_000_000;
const SANDBOX = ['chat', 'embedding', 'image', 'video', 'music', '3d', 'rerank', 'speech', 'transcription'];

/** A role, and what its requests carry to identify it. */
export interface Role {
  readonly name: string;
  readonly headers: () => Readonly<Record<string, string>>;
  /** The person behind the role, if any; a person's requests may sign the session out. */
  readonly person: Person | null;
}

/** A person who signs in again after a request has ended the session. */
class Person {
  private browser: Browser;

  constructor(
    private readonly serving: ServingProcess,
    readonly email: string,
  ) {
    this.browser = new Browser([serving]);
  }

  get cookie(): string {
    return this.browser.cookie;
  }

  ask(line: string, body?: object): Promise<Seen> {
    return this.browser.ask(0, line, body);
  }

  async accept(token: string): Promise<void> {
    const { email } = this;
    done(await this.ask('POST /invitations/accept', { token, email, name: email, password: PASSWORD }));
    await this.signIn();
  }

  async signIn(): Promise<void> {
    this.browser = new Browser([this.serving]);
    done(await this.ask('POST /auth/sign-in/email', { email: this.email, password: PASSWORD }));
  }

  async isSignedIn(): Promise<boolean> {
    return (await this.ask('GET /me')).status === 200;
  }
}

export interface Bed {
  readonly space: ProcessWorkspace;
  readonly serving: ServingProcess;
  readonly roles: readonly Role[];
  readonly operator: Person;
  readonly stop: () => Promise<void>;
}

/** Starts a gateway in its own process, with one caller for each role. */
export async function startBed(): Promise<Bed> {
  const upstream = startUpstream(() => Response.json({ object: 'list', data: [], has_more: false }));
  const space = await ProcessWorkspace.create();
  const own = ['openai', 'anthropic', 'google'].map((provider) => ({
    ...{ id: `own-${provider}`, provider, api_key: 'k', owner: ACCOUNT, models: { [`own-${provider}`]: 'm' } },
    base_url: upstream.baseUrl,
  }));
  const models = Object.fromEntries(SANDBOX.map((name) => [`sandbox-${name}`, `sandbox-${name}`]));
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    server: {
      wrong_keys_per_minute: NEVER,
      management_requests_per_minute: NEVER,
      anonymous_requests_per_minute: NEVER,
      trusted_proxies: ['127.0.0.0/8'],
    },
    channels: [{ id: 'sandbox', provider: 'sandbox', models }, ...own],
    accounts: [accountWith(ACCOUNT, [keyNamed('fuzz')], { requests_per_minute: NEVER })],
  });
  const serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
  const stop = async () => {
    await space.remove();
    await upstream.stop();
  };
  try {
    const operator = new Person(serving, 'operator@example.com');
    await operator.accept(await firstToken(serving));
    return { space, serving, operator, roles: await rolesOf(serving, operator), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

let addresses = 0;

/** Gives each request its own client address, so that sign-in routes do not exhaust the attempts of one address. */
function fromElsewhere(): Readonly<Record<string, string>> {
  addresses += 1;
  return { 'x-forwarded-for': `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}` };
}

async function rolesOf(serving: ServingProcess, operator: Person): Promise<readonly Role[]> {
  const members: Person[] = [];
  for (const role of ['member', 'viewer', 'owner']) {
    const person = new Person(serving, `${role}@example.com`);
    const { link } = done(await operator.ask(`POST /invitations?account_id=${ACCOUNT}`, { email: person.email, role }));
    await person.accept(String(link).split('#')[1] ?? '');
    members.push(person);
  }
  const token = done(
    await operator.ask(`POST /tokens?account_id=${ACCOUNT}`, { name: 'few', scopes: FEW_SCOPES, id: 'few' }),
  );
  const bearer = (name: string, secret: string): Role => ({
    ...{ name, person: null },
    headers: () => ({ ...fromElsewhere(), authorization: `Bearer ${secret}` }),
  });
  return [
    { name: 'nobody', headers: fromElsewhere, person: null },
    bearer('a key', clientKey('fuzz')),
    bearer('a token of few scopes', String(token.secret)),
    ...[...members, operator].map((person) => ({
      ...{ name: person.email.split('@')[0] ?? '', person },
      headers: () => ({
        ...fromElsewhere(),
        ...{ cookie: person.cookie, origin: serving.origin, 'sec-fetch-site': 'same-origin' },
      }),
    })),
  ];
}

export function done({ status, json }: Seen): Readonly<Record<string, unknown>> {
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(json)}`);
  return json;
}
