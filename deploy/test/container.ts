import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Image } from './images.ts';
import type { Service } from './model.ts';

/*
 * A service of a compose file as a process of this machine: on a copy of this machine's root file system that is read-only if the service
 * says so, in its own network, with the service's environment, user, files and secrets, and without capabilities.
 */

export interface ContainerOptions {
  readonly name: string;
  readonly service: Service;
  readonly image: Image;
  /** The path of each secret's file. */
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  /** Files of the image that this machine lacks, by their path in the container. */
  readonly files: Readonly<Record<string, string>>;
  /** The network namespace that `ip netns` knows. */
  readonly network: string;
  readonly nameServer: string;
  /** An empty folder on a file system of its own. */
  readonly folder: string;
  /** The folders of named volumes, which containers share. */
  readonly volumes: string;
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export class Container {
  private readonly child: Bun.Subprocess;

  private constructor(
    readonly options: ContainerOptions,
    child: Bun.Subprocess,
  ) {
    this.child = child;
  }

  static async start(options: ContainerOptions): Promise<Container> {
    const { folder, network, service, image } = options;
    for (const name of ['upper', 'work', 'root']) await mkdir(join(folder, name), { recursive: true });
    await writeFile(outputOf(options), '');
    // Programs open it again by its name /dev/stdout.
    await chmod(outputOf(options), 0o666);
    const command = [...image.entrypoint, ...(service.command ?? image.command)];
    const program = [
      'setpriv',
      '--no-new-privs',
      'unshare',
      `--root=${folder}/root`,
      '--wd=/',
      ...userOptions(options),
    ];
    const setup = [...mountsOf(options), `exec >>'${outputOf(options)}' 2>&1`, 'exec "$@"'].join('\n');
    const isolated = ['unshare', '--mount', '--pid', '--fork', '--kill-child', 'bash', '-ec', setup, 'bash'];
    const child = Bun.spawn(
      ['ip', 'netns', 'exec', network, ...isolated, 'env', '-i', ...environmentOf(options), ...program, ...command],
      { stdin: 'ignore', stdout: Bun.file(join(folder, 'setup')), stderr: Bun.file(join(folder, 'setup')) },
    );
    return new Container(options, child);
  }

  get name(): string {
    return this.options.name;
  }

  get exitCode(): number | null {
    return this.child.exitCode;
  }

  /** Resolves to everything that the service and its last health check have printed. */
  async output(): Promise<string> {
    const texts = await Promise.all(
      ['setup', 'output', 'health']
        .map((name) => join(this.options.folder, name))
        .map((path) => readFile(path, 'utf8').catch(() => '')),
    );
    return texts.join('');
  }

  /** Runs the service's health check as a container runtime does. */
  async isHealthy(): Promise<boolean> {
    const [kind, ...command] = this.options.service.healthcheck?.test ?? [];
    const program = kind === 'CMD-SHELL' ? ['/bin/sh', '-c', ...command] : command;
    return (await this.exitOf(program, 'health')) === 0;
  }

  /** Runs a program in the container. Resolves to its output; rejects if it fails. */
  async run(program: readonly string[]): Promise<string> {
    const exitCode = await this.exitOf(program, 'run');
    const output = await readFile(join(this.options.folder, 'run'), 'utf8');
    if (exitCode !== 0) throw new Error(`${program.join(' ')} ended with ${exitCode}: ${output}`);
    return output;
  }

  /** Resolves to the exit code of a program in the container, or to `null` if that does not run. */
  private async exitOf(program: readonly string[], output: string): Promise<number | null> {
    const pid = await this.firstProcess();
    if (pid === null) return null;
    const [uid, gid] = userOf(this.options);
    const inside = [
      'nsenter',
      `--target=${pid}`,
      '--net',
      '--mount',
      '--pid',
      '--root',
      '--wd',
      `--setuid=${uid}`,
      `--setgid=${gid}`,
    ];
    const file = Bun.file(join(this.options.folder, output));
    const child = Bun.spawn([...inside, '--', 'env', '-i', ...environmentOf(this.options), ...program], {
      stdin: 'ignore',
      stdout: file,
      stderr: file,
    });
    return await child.exited;
  }

  /** Sends the service's stop signal. Resolves to the exit code when it has ended. */
  async stop(): Promise<number> {
    const pid = await this.firstProcess();
    if (pid !== null) process.kill(pid, this.options.service.stop_signal ?? 'SIGTERM');
    return this.child.exited;
  }

  /** Resolves to the process that is number 1 in the container. */
  private async firstProcess(): Promise<number | null> {
    const { pid } = this.child;
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
    return Number.parseInt(children, 10) || null;
  }
}

function outputOf({ folder }: ContainerOptions): string {
  return join(folder, 'output');
}

function userOf({ service, image, name }: ContainerOptions): readonly [uid: string, gid: string] {
  const [uid = '0', gid = '0'] = (service.user ?? image.user).split(':');
  if (uid === '0' || !service.cap_drop?.includes('ALL')) throw new Error(`${name} would run with the rights of root`);
  return [uid, gid];
}

function userOptions(options: ContainerOptions): readonly string[] {
  const [uid, gid] = userOf(options);
  return ['--setuid', uid, '--setgid', gid];
}

function environmentOf({ service, image }: ContainerOptions): readonly string[] {
  const variables = { PATH, ...image.environment, ...service.environment };
  return Object.entries(variables).map(([name, value]) => `${name}=${value}`);
}

/** Returns the shell commands that make the container's file system. */
function mountsOf(options: ContainerOptions): readonly string[] {
  const { folder, service, secrets, files, volumes, nameServer } = options;
  const [uid, gid] = userOf(options);
  const root = join(folder, 'root');
  const commands = [
    `mount -t overlay overlay -o lowerdir=/,upperdir='${folder}/upper',workdir='${folder}/work' '${root}'`,
    `mount -t proc proc '${root}/proc'`,
    `mount --rbind /dev '${root}/dev'`,
    `rm -f '${root}/etc/resolv.conf'`,
    `echo 'nameserver ${nameServer}' >'${root}/etc/resolv.conf'`,
    `getent passwd ${uid} >/dev/null || echo 'service:x:${uid}:${gid}::/tmp:/bin/sh' >>'${root}/etc/passwd'`,
  ];
  const bind = (source: string, target: string, isReadOnly: boolean) => {
    const path = join(root, withoutLink(target));
    commands.push(
      `mkdir -p "$(dirname '${path}')"; if [ -d '${source}' ]; then mkdir -p '${path}'; else touch '${path}'; fi`,
      `mount --bind '${source}' '${path}'`,
      ...(isReadOnly ? [`mount -o remount,bind,ro '${path}'`] : []),
    );
  };
  for (const target of service.tmpfs ?? []) {
    const path = join(root, withoutLink(target));
    commands.push(`mkdir -p '${path}'; mount -t tmpfs -o mode=1777 tmpfs '${path}'`);
  }
  for (const { type, source, target, read_only } of service.volumes ?? []) {
    const path = type === 'volume' ? join(volumes, source) : source;
    // A new volume belongs to the owner of the image's folder.
    if (type === 'volume') commands.push(`mkdir -p '${path}'; chown ${uid}:${gid} '${path}'`);
    bind(path, target, read_only === true);
  }
  for (const { source, target } of service.secrets ?? []) {
    bind(secrets[source]?.file ?? '', target ?? `/run/secrets/${source}`, true);
  }
  for (const [target, path] of Object.entries(files)) bind(path, target, true);
  if (service.read_only === true) commands.push(`mount -o remount,ro '${root}'`);
  return commands;
}

/** `/var/run` is an absolute link, which would lead out of the container's root. */
function withoutLink(path: string): string {
  return path.replace(/^\/var\/run\//, '/run/');
}
