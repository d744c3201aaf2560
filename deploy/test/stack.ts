import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../../conformance/shared/until.ts';
import { Container } from './container.ts';
import { imageOf } from './images.ts';
import { inOrder, type Model, type Service } from './model.ts';
import { type NamedService, Names } from './names.ts';

const BRIDGE = 'switchyard0';
/** Without an address of its own, a bridge takes the lowest of its ports, and neighbours that know the earlier one lose packets for 8 s. */
const BRIDGE_ADDRESS = '02:00:0a:59:00:01';
const SUBNET = '10.89.0';
const HEALTH_INTERVAL_MS = 200;
const NAME_SERVER = `${SUBNET}.1`;

export interface StackOptions {
  readonly model: Model;
  /** The single executable, which is in the image. */
  readonly executable: string;
  /** A folder on a file system of its own. */
  readonly folder: string;
}

interface Running {
  readonly container: Container;
  readonly named: NamedService;
}

/**
 * The services of a compose file on one bridge. Needs a network, mount and PID namespace of its own, which ends everything that runs here.
 */
export class Stack {
  private readonly names = new Names();
  private readonly running = new Map<string, Running>();
  private starts = 0;

  constructor(private readonly options: StackOptions) {}

  /** The services that this machine has programs for, in the order of their dependencies. */
  get services(): readonly string[] {
    const { model } = this.options;
    return inOrder(model).filter((name) => imageOf(model.services[name]?.image ?? '') !== undefined);
  }

  async open(): Promise<void> {
    await run('ip', 'link', 'set', 'lo', 'up');
    await run('ip', 'link', 'add', BRIDGE, 'address', BRIDGE_ADDRESS, 'type', 'bridge');
    await run('ip', 'addr', 'add', `${NAME_SERVER}/24`, 'dev', BRIDGE);
    await run('ip', 'link', 'set', BRIDGE, 'up');
    await this.names.listen(NAME_SERVER);
  }

  /** Starts a service, and waits until it is healthy. Rejects with its output if it ends. */
  async start(name: string): Promise<void> {
    const service = this.service(name);
    const number = ++this.starts;
    const folder = join(this.options.folder, `${number}-${name}`);
    await mkdir(folder, { recursive: true });
    const address = `${SUBNET}.${number + 1}`;
    await connect(`service-${number}`, number, address);
    const container = await Container.start({
      ...{ name, service, folder, nameServer: NAME_SERVER, network: `service-${number}` },
      image: imageOf(service.image) ?? fail(`${name}: no program in place of ${service.image}`),
      secrets: this.options.model.secrets,
      files: service.image === 'switchyard' ? { '/usr/local/bin/switchyard': this.options.executable } : {},
      volumes: join(this.options.folder, 'volumes'),
    });
    const named = { address, networks: networksOf(name, service) };
    this.names.add(named);
    this.running.set(name, { container, named });
    await until(`${name} is healthy`, async () => {
      if (container.exitCode !== null) throw new Error(`${name} has ended:\n${await container.output()}`);
      if (await container.isHealthy()) return true;
      // The shortest interval of a container runtime is longer.
      await Bun.sleep(HEALTH_INTERVAL_MS);
      return false;
    }).catch(async (error: unknown) => {
      throw new Error(`${error instanceof Error ? error.message : error}\n${await container.output()}`);
    });
  }

  /** Stops a service as `docker stop` does, and forgets its name. Resolves to its exit code. */
  async stop(name: string): Promise<number> {
    const { container, named } = this.find(name);
    const exitCode = await container.stop();
    this.names.remove(named);
    this.running.delete(name);
    return exitCode;
  }

  addressOf(name: string): string {
    return this.find(name).named.address;
  }

  secret(name: string): Promise<string> {
    return readFile(this.options.model.secrets[name]?.file ?? fail(`there is no secret ${name}`), 'utf8');
  }

  /** Runs a program in the container of a service, as `docker compose exec` does. Resolves to its output. */
  runIn(name: string, program: readonly string[]): Promise<string> {
    return this.find(name).container.run(program);
  }

  outputOf(name: string): Promise<string> {
    return this.find(name).container.output();
  }

  private find(name: string): Running {
    return this.running.get(name) ?? fail(`${name} does not run`);
  }

  private service(name: string): Service {
    return this.options.model.services[name] ?? fail(`there is no service ${name}`);
  }
}

/** Returns the names of a service on each of its networks. */
function networksOf(name: string, { networks = { default: null } }: Service): NamedService['networks'] {
  return new Map(Object.entries(networks).map(([network, details]) => [network, [name, ...(details?.aliases ?? [])]]));
}

/** Creates a network namespace with an address on the bridge. */
async function connect(network: string, number: number, address: string): Promise<void> {
  const [outside, inside] = [`outside${number}`, `inside${number}`];
  await run('ip', 'netns', 'add', network);
  await run('ip', 'link', 'add', outside, 'type', 'veth', 'peer', 'name', inside, 'netns', network);
  await run('ip', 'link', 'set', outside, 'master', BRIDGE, 'up');
  const within = (...args: readonly string[]) => run('ip', '-netns', network, ...args);
  await within('link', 'set', 'lo', 'up');
  await within('addr', 'add', `${address}/24`, 'dev', inside);
  await within('link', 'set', inside, 'up');
}

async function run(...command: readonly string[]): Promise<void> {
  const child = Bun.spawn([...command], { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' });
  const errors = await child.stderr.text();
  if ((await child.exited) !== 0) throw new Error(`"${command.join(' ')}" failed: ${errors.trim()}`);
}

function fail(message: string): never {
  throw new Error(message);
}
