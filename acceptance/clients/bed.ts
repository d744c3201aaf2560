import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type AgentChannel, CHANNELS } from '../../conformance/coding-agents/channels.ts';
import { judgeByDocuments } from '../../conformance/coding-agents/judge-by-documents.ts';
import type { Step } from '../../conformance/coding-agents/script.ts';
import { promptOf, startScriptedServer } from '../../conformance/coding-agents/scripted-server.ts';
import { documentsMissing } from '../../conformance/judges/index.ts';
import { startGatewayWith } from '../../conformance/shared/gateway.ts';
import type { Client, Job } from './client.ts';
import { packagesOf } from './install.ts';

/** One upstream for each format. The second part of a conversation uses the next one. */
const IDS = ['compatible', 'openai', 'claude', 'gemini'];
export const UPSTREAMS: readonly AgentChannel[] = CHANNELS.filter(({ id }) => IDS.includes(id));
const LIMIT_MS = 150_000;
const LAST_WORDS = 'All of it is done.';
/** The files in the client's folder once its work is done. */
const FILES = { 'b.txt': 'two, too\n', 'c.txt': 'größe "🧮"', 'd.txt': 'two, too\n' };

export interface ClientBed {
  /** Runs four turns at one upstream and two more at another, which continue the conversation. Resolves to the problems. */
  work(client: Client, first: AgentChannel, then: AgentChannel): Promise<readonly string[]>;
  stop(): Promise<void>;
}

export async function startClientBed(): Promise<ClientBed> {
  // If the published API documents are available, upstream requests are validated against them too.
  const server = startScriptedServer(UPSTREAMS, documentsMissing() === undefined ? judgeByDocuments : undefined);
  const gateway = await startGatewayWith(
    UPSTREAMS.map(({ id, provider, format, model, basePath }) => ({
      id,
      name: id,
      provider,
      base_url: `${server.origin}/${id}${basePath}`,
      api_key: 'upstream-key',
      formats: [format],
      models: { [id]: model },
    })),
  );

  async function turn(
    client: Client,
    channel: AgentChannel,
    steps: readonly Step[],
    job: Omit<Job, 'prompt' | 'model'>,
  ) {
    const name = `${client.name}-at-${channel.id}${job.resumes ? '-again' : ''}`;
    const seen = server.begin(name, steps, client.format === channel.format);
    const ran = await run(client, { ...job, model: channel.id, prompt: promptOf(name) });
    const problems = [...seen.problems];
    if (seen.answered !== steps.length) problems.push(`${seen.answered} turns and not ${steps.length}`);
    if (ran.exitCode !== 0 || !ran.output.includes(LAST_WORDS)) problems.push(`exit code ${ran.exitCode}: ${ran.all}`);
    return { problems: problems.map((problem) => `${channel.id}: ${problem}`), seen };
  }

  return {
    async work(client, first, then) {
      const packages = await packagesOf(client);
      const place = await mkdtemp(join(tmpdir(), 'switchyard-client-'));
      const folder = join(place, 'work');
      const inFolder = (name: string) => join(folder, name);
      await mkdir(folder);
      await writeFile(inFolder('a.txt'), 'alpha\n');
      const { origin, apiKey } = gateway;
      const job = { origin, apiKey, home: join(place, 'home'), folder, packages };
      try {
        const steps = [
          client.read(inFolder('a.txt')),
          client.run("echo 'two, too' > b.txt"),
          client.write(inFolder('c.txt'), 'größe "🧮"'),
          { text: LAST_WORDS },
        ];
        const before = await turn(client, first, steps, { ...job, resumes: false });
        const again = [client.run('cat b.txt > d.txt'), { text: LAST_WORDS }];
        const after = await turn(client, then, again, { ...job, resumes: true });
        const problems = [...before.problems, ...after.problems];
        if ((after.seen.earlierCalls[0] ?? 0) < 3) problems.push(`${then.id}: the calls before are not told again`);
        for (const [file, content] of Object.entries(FILES)) {
          const found = await readFile(inFolder(file), 'utf8').catch(() => 'not there');
          if (found.trimEnd() !== content.trimEnd()) problems.push(`${file}: ${JSON.stringify(found)}`);
        }
        return problems.length === 0 ? [] : [...problems, gateway.output().slice(-2_000)];
      } finally {
        await rm(place, { recursive: true, force: true });
      }
    },
    stop: async () => {
      await gateway.stop();
      await server.stop();
    },
  };
}

async function run(client: Client, job: Job) {
  const { args, env, files } = client.command(job);
  for (const [name, text] of Object.entries({ '.keep': '', ...files })) {
    const path = join(job.home, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  const child = Bun.spawn([...args], {
    cwd: job.folder,
    // Isolates the client from the developer's own settings, keys and history.
    env: { PATH: process.env.PATH, HOME: job.home, TERM: 'xterm-256color', NO_COLOR: '1', CI: '1', ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  const [output, error] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { exitCode: await child.exited, output, all: `${output.slice(-1_500)}\n${error.slice(-1_500)}` };
}
